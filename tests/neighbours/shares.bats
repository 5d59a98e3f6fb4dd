# What a stranger on the host can take from the services of others: the turn, the time, the memory and the
# metrics of root's agent.
# shellcheck disable=SC2154,SC2030,SC2031 # bats and helper.bash set status, out, err and tmp

load ../cli/helper
load neighbours

setup() {
    begin
    need_host
    cp tests/neighbours/strangers.py "$tmp/strangers.py"
    zstd -dqf fixtures/nettrace-real/leak31_first.nettrace.zst -o "$tmp/played.nettrace"
    cp tests/neighbours/agent.bash "$tmp/agent.bash"
}

@test "root's agent does not wait for a lock that a stranger can hold" {
    host '. "$tmp/agent.bash"
        for lock in /run/lock/heapdrift.lock /tmp/heapdrift.lock /tmp/heapdrift-0.lock /tmp/mine; do
            mallory flock "$lock" sleep 60 & sleep 0.2
        done
        honest Shop
        agent --interval=2s
        stored Shop 2; locks=$(stat -c "%a %u" /run/heapdrift /run/heapdrift/heapdrift.lock)
        mallory flock -n /run/heapdrift/heapdrift.lock true || echo refused
        kill_agent
        agent --interval=2s --lock=/tmp/mine
        stored Shop 4; echo "$locks"; cat /tmp/agent.err >&2'
    status_is 0
    out_is $'refused\n755 0\n600 0'
    err_matches "note: /tmp/mine: other users can open this file and hold the lock"
}

@test "a lock that a group shares is waited for" {
    host '. "$tmp/agent.bash"
        install -m 0660 /dev/null /tmp/shared
        flock /tmp/shared sleep 60 &
        honest Shop
        agent --interval=1s --lock=/tmp/shared
        said "another collector on this host has been running"'
    status_is 0
}

@test "310 sockets of one user that drip do not keep the snapshots of another's service waiting" {
    host '. "$tmp/agent.bash"
        strangers drip 310; agent --interval=4s --timeout=500ms
        stored_any() { grep -q "Svc[0-9]* (pid [0-9]*): no snapshot" /tmp/agent.err; }
        within 30 stored_any
        honest Shop; stored Shop 1 20; from=$SECONDS; stored Shop 5 40; echo $(((SECONDS - from) / 10))'
    status_is 0
    # Four intervals, and as much again at most.
    out_matches '^[1-3]$'
}

# Resources that a stranger on the host can take from the services of others: turns, time, memory and
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

@test "310 slow sockets of one user do not delay the snapshots of another's service" {
    host '. "$tmp/agent.bash"
        strangers drip 310; agent --interval=4s --timeout=500ms
        stored_any() { grep -q "Svc[0-9]* (pid [0-9]*): no snapshot" /tmp/agent.err; }
        within 30 stored_any
        honest Shop; stored Shop 1 20; from=$SECONDS; stored Shop 5 40; echo $(((SECONDS - from) / 10))'
    status_is 0
    # Four intervals, at most doubled.
    out_matches '^[1-3]$'
}

@test "healthz lists services without a snapshot for three intervals, and livez reports that the agent lives" {
    host '. "$tmp/agent.bash"
        honest Shop; kill -STOP "$honest"; strangers mute 40
        agent --interval=1s --timeout=200ms
        ill() { ask /healthz | grep "no snapshot of Shop (pid"; }
        within 40 ill; ask /healthz; curl -s -o /dev/null -w "%{http_code} " --unix-socket /tmp/metrics.socket \
            http://heapdrift/healthz; ask /livez
        ask /metrics | sed -n "s/^heapdrift_watch_overdue_processes.* //p"
        mallory pkill python3; kill -9 "$honest"; well() { [[ $(ask /healthz) == ok ]]; }; within 40 well'
    status_is 0
    out_matches "no snapshot of Shop \(pid [0-9]+\) of user 0 for 1[0-9] s \(1[0-9] intervals\): timeout; the next attempt in "
    out_matches "no snapshot of .*python3.* of user $mallory_id for "
    out_matches 'no snapshot of 3[0-9] other processes
503 ok
4[01]$'
}

@test "a stranger's services displace no others in the metrics, and cannot pass for them" {
    host '. "$tmp/agent.bash"
        strangers drip 350; agent --interval=30s --timeout=500ms
        full() { [[ $(ask /metrics | grep -c "snapshots_total{") -ge 300 ]]; }
        within 30 full; mallory OTEL_SERVICE_NAME=Shop python3 /tmp/strangers.py drip 1 Shop >/dev/null &
        OTEL_RESOURCE_ATTRIBUTES=process.owner=77,env=a honest Shop; stored Shop 1 60
        python3 -c "import sqlite3; print(*sqlite3.connect(\"/tmp/store.db\").execute(\"SELECT labels FROM series\"))"
        counted() { ask /metrics | grep "snapshots_total.*Shop.* 1$"; }; within 10 counted >/dev/null
        ask /metrics | grep "snapshots_total.*Shop"; ask /metrics | grep -o "snapshots_total.*others.*user=.*}"
        ask /metrics | grep -c "snapshots_total{.*user=\"$mallory_id\""'
    status_is 0
    out_is "('{\"env\":\"a\",\"process.owner\":\"0\"}',)
heapdrift_watch_snapshots_total{watch=\"all\",service=\"Shop\",host=\"$(uname -n)\",user=\"0\"} 1
snapshots_total{watch=\"all\",service=\"(others)\",host=\"\",user=\"\"}
299"
}

@test "--memory bounds what a stranger sends, whatever the size that it once had" {
    host '. "$tmp/agent.bash"
        PEAK=100 strangers flood 1; stranger=$(pgrep -u "$mallory_id" python3)
        for name in x.gcdump x.digest; do
            heapdrift collect "$stranger" -o "/tmp/$name" --memory=40MB --no-progress & hd=$!
            while kill -0 $hd 2>/dev/null; do df --output=used -k /tmp | tail -n1 >>/tmp/../run/used; sleep 0.02; done
            wait $hd; echo "$?"
        done
        heapdrift collect --all -o /tmp/all --memory=40MB --no-progress
        sort -n /run/used | tail -n1; ls /tmp | grep -c "^x"'
    # Half of 40 MB is for the trace, and none of it is left.
    out_matches '^2
2
[12][0-9]{4}
0$'
    err_matches "(x.gcdump|Svc).*its heap does not fit into the memory limit, see --memory"
    [[ $(grep -c "does not fit into the memory limit" <<<"$err") == 3 ]]
}

@test "other attacks leave the snapshots of root's service, the memory of the agent and its log as they are" {
    host '. "$tmp/agent.bash"
        # withstands NAME: four snapshots of the service in time during the attack, and none of
        # it afterwards
        withstands() {
            local begun=$SECONDS before; before=$(count_of Shop)
            stored Shop $((before + 4)) 60
            [[ $((SECONDS - begun)) -le 32 ]] || echo "$1: $((SECONDS - begun)) s for four snapshots"
            local memory; memory=$(sed -n "s/VmHWM:[^0-9]*\([0-9]*\) kB/\1/p" "/proc/$agent/status")
            [[ $memory -lt 80000 ]] || echo "$1: $memory KiB"
            within 5 ask /livez
            pkill -9 -u "$mallory_id"; rm -f /tmp/strangers.out
        }
        honest Shop; FILES=96; agent --interval=2s --timeout=500ms; stored Shop 1
        strangers churn 3000; withstands "sockets that come and go"
        strangers rubbish 60; withstands "rubbish, slowly"
        strangers mute 150; withstands "mute, and more than files may be open"
        chmod 666 /tmp/metrics.socket; strangers clients 300; withstands "half a request each"
        [[ $(wc -l </tmp/agent.err) -lt 400 ]] || wc -l /tmp/agent.err
        tail -n 50 /tmp/agent.err >&2'
    status_is 0
    out_is $'ok\nok\nok\nok'
}

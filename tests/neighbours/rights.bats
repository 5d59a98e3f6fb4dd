# Permissions and memory of the children of root's agent.
# shellcheck disable=SC2154,SC2030,SC2031 # bats and helper.bash set status, out, err and tmp

load ../cli/helper
load neighbours

setup() {
    begin
    need_host
    cp tests/neighbours/strangers.py tests/neighbours/agent.bash "$tmp"
    zstd -dqf fixtures/nettrace-real/leak31_first.nettrace.zst -o "$tmp/played.nettrace"
}

# Reads /proc/PID/status in words, and looks for a secret in all that may be read of the memory of a process.
looks='
facts() { sed -n "s/^\(Uid\|CapPrm\|CapEff\|CapBnd\|NoNewPrivs\|Seccomp\):[[:space:]]*/\1 /p" "/proc/$1/status"; }
remembers() {
    python3 - "$1" "$2" <<END
import re, sys
pid, secret = sys.argv[1], sys.argv[2].encode()[::-1]
found = secret in open(f"/proc/{pid}/environ", "rb").read()
for line in open(f"/proc/{pid}/maps"):
    start, end, rights = re.match("([0-9a-f]+)-([0-9a-f]+) (\S+)", line).groups()
    if "r" in rights and "[v" not in line:
        with open(f"/proc/{pid}/mem", "rb", 0) as memory:
            memory.seek(int(start, 16))
            try:
                found = found or secret in memory.read(int(end, 16) - int(start, 16))
            except OSError:
                pass
print("remembered" if found else "forgotten")
END
}'

@test "the process that serves metrics has no rights, no environment and no password" {
    host '. "$tmp/agent.bash"; '"$looks"'
        export PGPASSWORD=geheim123 HEAPDRIFT_STORE=x-geheim123; honest Shop; agent --interval=1s
        stored Shop 1; server=$(pgrep -oP "$agent"); facts "$server"
        tr "\0" "\n" <"/proc/$server/environ"; remembers "$agent" 321mieheg
        remembers "$server" 321mieheg
        kill -9 "$server"
        within 30 said "restarting it"; ask /healthz; server=$(pgrep -oP "$agent")
        facts "$server" | grep CapEff; remembers "$server" 321mieheg; readlink "/proc/$server/fd/"* | grep -v "socket\|agent.err\|null" || echo "no file"'
    status_is 0
    out_is 'Uid 65534	65534	65534	65534
CapPrm 0000000000000000
CapEff 0000000000000000
CapBnd 0000000000000000
NoNewPrivs 1
Seccomp 2
remembered
forgotten
ok
CapEff 0000000000000000
forgotten
no file'
}

@test "the process that takes a snapshot has the rights to reach other users' processes, and no password" {
    host '. "$tmp/agent.bash"; '"$looks"'
        export PGPASSWORD=geheim123; strangers drip 1; agent --interval=60s
        child() { child=$(pgrep -nP "$agent") && [[ $child != "$(pgrep -oP "$agent")" ]]; }
        within 30 child; facts "$child"; remembers "$child" 321mieheg'
    status_is 0
    out_is 'Uid 0	0	0	0
CapPrm 00000000000800ce
CapEff 00000000000800ce
CapBnd 00000000000800ce
NoNewPrivs 1
Seccomp 0
forgotten'
}

@test "the process that follows objects has the same rights, no password, and no file of the agent; it ends with the agent" {
    host '. "$tmp/agent.bash"; '"$looks"'
        honest Shop; export PGPASSWORD=geheim123; agent --interval=60s --sites="Sh*"; stored Shop 1
        child=$(pgrep -nP "$agent"); facts "$child"; remembers "$child" 321mieheg
        readlink "/proc/$child/fd/"* | grep -v "^/dev/null\|\.out$\|agent.err" | sed "s/:.*//" | sort | xargs
        flock -n /run/heapdrift/heapdrift.lock true && echo unlocked
        gone() { [[ ! -e /proc/$1 ]]; }
        kill -9 "$agent"; within 5 gone "$child"; echo ended'
    status_is 0
    out_is 'Uid 0	0	0	0
CapPrm 00000000000800ce
CapEff 00000000000800ce
CapBnd 00000000000800ce
NoNewPrivs 1
Seccomp 0
forgotten
/memfd anon_inode pipe pipe pipe pipe
unlocked
ended'
}

# The capabilities of the unit, as setpriv takes them.
unit_capabilities() {
    sed -n 's/^CapabilityBoundingSet=//p' scripts/fleet/systemd/heapdrift-agent.service | tr 'A-Z ' 'a-z,' |
        sed 's/cap_/+/g'
}

@test "the capabilities of the unit are those that the agent needs, and no more" {
    export with
    for with in "$(unit_capabilities)" "$(unit_capabilities | sed 's/+dac_override,*//')" \
        "$(unit_capabilities | sed 's/,*+sys_ptrace//')"; do
        host '. "$tmp/agent.bash"; '"$looks"'
            mallory mkdir -m 700 /tmp/hers; cp tests/cli/runtime.py /tmp/runtime.py
            cp "$tmp/played.nettrace" /tmp/hers/; chown "$mallory_id" /tmp/hers/*; chmod 600 /tmp/hers/*
            mallory TMPDIR=/tmp/hers bash -c "umask 177; exec -a Hers python3 /tmp/runtime.py \
                /tmp/hers/dotnet-diagnostic-\$\$-1-socket play /tmp/hers/played.nettrace" &
            until [[ -n $(ls /tmp/hers/*socket 2>/dev/null) ]]; do sleep 0.05; done; stat -c %a /tmp/hers/*socket
            setpriv --no-new-privs --bounding-set="-all,$with" --inh-caps=-all "$HEAPDRIFT" watch --all \
                --store=/tmp/store.db --interval=1s --listen=/tmp/metrics.socket 2>/tmp/agent.err & agent=$!
            within 20 test -S /tmp/metrics.socket; sleep 0.3; facts "$agent" | sed -n "s/CapBnd //p"; facts "$(pgrep -oP "$agent")" | grep -v CapBnd
            for i in {1..60}; do ! has_stored Hers 1 || break; sleep 0.1; done; has_stored Hers 1 && echo stored
            server=$(pgrep -oP "$agent"); kill -TERM "$agent"; gone() { [[ ! -e /proc/$1 ]]; }
            wait "$agent"; within 5 gone "$server"; grep -o "stopped: .* snapshots" /tmp/agent.err | sed "s/[0-9]*//g"'
        echo "$out" >>"$tmp/all"
    done
    out=$(<"$tmp/all")
    out_is '600
00000000000800c2
Uid 65534	65534	65534	65534
CapPrm 0000000000000000
CapEff 0000000000000000
NoNewPrivs 1
Seccomp 2
stored
stopped:  snapshots
600
00000000000800c0
Uid 65534	65534	65534	65534
CapPrm 0000000000000000
CapEff 0000000000000000
NoNewPrivs 1
Seccomp 2
stopped:  snapshots
600
00000000000000c2
Uid 65534	65534	65534	65534
CapPrm 0000000000000000
CapEff 0000000000000000
NoNewPrivs 1
Seccomp 2
stopped:  snapshots'
}

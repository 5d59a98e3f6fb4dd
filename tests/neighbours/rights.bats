# What the children of root's agent may do, and what is in their memory.
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
        within 30 said "it is started anew"; ask /healthz; server=$(pgrep -oP "$agent")
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
CapPrm 00000000000800cf
CapEff 00000000000800cf
CapBnd 00000000000800cf
NoNewPrivs 1
Seccomp 0
forgotten'
}

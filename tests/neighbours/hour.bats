# Root's agent for an hour with four honest services and five attackers. HOUR_SECONDS makes it shorter.
# shellcheck disable=SC2154,SC2030,SC2031 # bats and helper.bash set status, out, err and tmp

load ../cli/helper
load neighbours

setup() {
    begin
    [[ -n ${HEAPDRIFT_FULL:-} || -n ${HOUR_SECONDS:-} ]] || skip "for make check-full"
    need_host
    cp tests/neighbours/agent.bash tests/neighbours/strangers.py "$tmp/"
    zstd -dqf fixtures/nettrace-real/leak31_first.nettrace.zst -o "$tmp/played.nettrace"
}

@test "an hour with five attackers: no honest service lacks a snapshot" {
    export seconds=${HOUR_SECONDS:-3600}
    # The store outgrows a small /tmp, and the agent's output is checked afterwards.
    host '. "$tmp/agent.bash"
        # Other hours, as a store keeps one of equal snapshots.
        for name in Shop Mail Search Bank; do LIFE=$((seconds + 120)) LATER=$((hour += 150)) honest "$name"; done
        strangers drip 310; rm /tmp/strangers.out
        mallory bash -c "while sleep 2; do python3 /tmp/strangers.py churn 40; done" >/dev/null &
        mallory flock /run/lock/heapdrift.lock sleep infinity &
        mallory bash -c "while sleep 0.2; do flock /proc/$(pgrep -fo Shop) sleep 1; done" &
        mallory unshare -Urm python3 tests/neighbours/stranger.py "hide=/sys/fs/cgroup/memory.max:fifo" play "$tmp/played.nettrace" &
        mallory mkdir /tmp/m /tmp/mine; mallory mkfifo /tmp/mine/device; mallory cp /bin/true /tmp/m/x.dll
        mallory nice -n 19 unshare -Urm python3 tests/neighbours/stranger.py map=/tmp/m/x.dll turn=/tmp/m/x.dll:/tmp/mine/device play "$tmp/played.nettrace" &
        agent --interval=30s --timeout=2s
        begun=$SECONDS; sleep "$seconds"
        for name in Shop Mail Search Bank; do
            longest=$(longest_wait "$name")
            echo "# $name: $(count_of "$name") snapshots in $((SECONDS - begun)) s, one after $longest s at most"
            # An interval varies by a twentieth, on a busy machine by a third: none was
            # skipped.
            [[ $longest -le 42 ]] || echo "$name: no snapshot for $longest s"
            grep -F "warning: $name" /tmp/agent.err | head -n 3
        done
        sed -n "s/VmHWM:[^0-9]*\([0-9]*\) kB/# memory of the agent: at most \1 KiB/p" "/proc/$agent/status"
        echo "# the agent said $(wc -l </tmp/agent.err) lines, its store has $(stat -c %s /tmp/store.db) bytes"
        cp /tmp/agent.err "$tmp/"; ask /livez; SECONDS=0; kill_agent; echo "ended in $SECONDS s"; tail -n 20 /tmp/agent.err >&2'
    status_is 0
    grep '^#' <<<"$out" >&3
    out=$(grep -v '^#' <<<"$out")
    out_matches $'^ok\nended in [0-9] s$'
}

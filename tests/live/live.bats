# Snapshots of live processes: every kind of leak, workstation and server GC, a large heap,
# signals, other clients. `make check-live`; skipped without .NET.
load ../cli/helper
load lab

teardown() { stop_lab; }

# Leaked objects per iteration, for each scenario with an exact number.
leaks='events OrderNotifier 64
cache Session 60
timers Reminder 50
linked PooledRequest 60
async TaskCompletionSource 50
gchandle FrameBuffer 20
threadstatic ParseContext 70
cwt Connection 60'

# leak_shows SCENARIO TYPE PER_ITERATION NAME=VALUE...: in three snapshots between known
# iterations, and each is complete.
leak_shows() {
    local scenario=$1 type=$2 rate=$3 i counts
    shift 3
    start_lab "$scenario" "$@"
    iterate 10
    for i in 1 2 3; do
        iterate 10
        works collect --no-progress -p "$pid" -o "$tmp/$i.nettrace"
        err_is ""
    done
    works info --format=json "$tmp"/[123].nettrace
    [[ $(json '[.snapshots[].complete] | all') == true ]]
    [[ $(json '[.snapshots[].has_generations] | all') == true ]]
    works diff --format=json -n0 "$tmp"/[123].nettrace
    counts=$(json "[.types[] | select(.type | test(\"(^|[.+])$type(<|\$)\")) | .count] | max_by(.[2] - .[0]) | \"\(.[1] - .[0]) \(.[2] - .[1])\"")
    [[ $counts == "$((10 * rate)) $((10 * rate))" ]] ||
        complain "$scenario: $type grew by $counts instead of $((10 * rate)) each time"
    stop_lab
    rm "$tmp"/[123].nettrace
}

all_leaks_show() {
    local scenario type rate
    while read -r scenario type rate; do
        leak_shows "$scenario" "$type" "$rate" "$@"
    done <<<"$leaks"
}

@test "every kind of leak shows, workstation GC" {
    need_dotnet
    all_leaks_show
}

@test "every kind of leak shows, server GC with a fixed number of heaps" {
    need_dotnet
    all_leaks_show DOTNET_gcServer=1 DOTNET_GCHeapCount=2 DOTNET_GCDynamicAdaptationMode=0
}

@test "every kind of leak shows, server GC that adapts" {
    need_dotnet
    all_leaks_show DOTNET_gcServer=1
}

@test "leaks without an exact number show, too" {
    need_dotnet
    local scenario
    for scenario in list density bigarray none; do
        start_lab "$scenario"
        iterate 20
        works collect -p "$pid" -o "$tmp/a.gcdump"
        iterate 20
        works collect -p "$pid" -o "$tmp/b.gcdump"
        works info --format=json --strict "$tmp/a.gcdump" "$tmp/b.gcdump"
        [[ $(json '[.snapshots[].complete] | all') == true ]]
        stop_lab
    done
}

@test "a heap of 3,000,000 objects is complete, in little memory" {
    need_dotnet
    start_lab none LEAKLAB_CATALOG=310000
    iterate 1
    command time -f '%M %e' -o "$tmp/usage" "$HEAPDRIFT" collect -p "$pid" -o "$tmp/big.nettrace" --strict
    echo "# $(<"$tmp/usage") (KiB, s), $(stat -c %s "$tmp/big.nettrace") bytes" >&3
    [[ $(cut -d' ' -f1 "$tmp/usage") -lt 16384 ]]
    works info --format=json "$tmp/big.nettrace"
    [[ $(json '.snapshots[0].objects') -ge 3000000 ]]
    [[ $(json '.snapshots[0].complete') == true ]]
    works collect -p "$pid" -o "$tmp/big.gcdump" --strict
    works top --format=csv "$tmp/big.gcdump"
}

@test "20 runs in a row, each complete and quick" {
    need_dotnet
    start_lab cache
    iterate 1
    local i start took
    for i in {1..20}; do
        start=$(date +%s%N)
        works collect --no-progress -p "$pid" -o "$tmp/$i.nettrace" --strict
        took=$((($(date +%s%N) - start) / 1000000))
        err_is ""
        [[ $took -lt 1000 ]] || complain "run $i took $took ms"
    done
    [[ $took -lt 400 ]] || complain "$took ms for a small heap"
    works info --format=json "$tmp"/{1..20}.nettrace
    [[ $(json '[.snapshots[] | .complete] | all') == true ]]
    iterate 1
}

@test "a signal stops the session and leaves the process and the next snapshot whole" {
    need_dotnet
    start_lab none LEAKLAB_CATALOG=100000
    iterate 1
    mkdir "$tmp/o"
    local signal delay
    for signal in INT TERM; do
        for delay in 0 0.1 0.3; do
            status=0
            # Background jobs of a script ignore SIGINT. Not our function python: a signal
            # would end the shell around it.
            python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])' "$HEAPDRIFT" collect -p "$pid" -o "$tmp/o/a.gcdump" 2>"$tmp/err" &
            local job=$!
            # Its temporary file shows that it has begun.
            until [[ -n $(ls -A "$tmp/o") ]] || ! kill -0 $job 2>/dev/null; do sleep 0.01; done
            sleep $delay
            kill -$signal $job 2>/dev/null || true
            wait $job || status=$?
            out='' err=$(<"$tmp/err") ran="collect, SIG$signal"
            [[ $status == 0 || $err == "heapdrift: stopped; the process continues, and nothing was written" ]] ||
                complain "after SIG$signal"
            [[ $status == 0 || -z $(ls -A "$tmp/o") ]] || complain "left a file"
            rm -f "$tmp"/o/*
        done
    done
    iterate 1
    works collect --no-progress -p "$pid" -o "$tmp/b.nettrace" --strict
    err_is ""
}

@test "a process that is stopped is given up on, and works again later" {
    need_dotnet
    start_lab cache
    kill -STOP "$pid"
    mkdir "$tmp/o"
    hd collect -p "$pid" --timeout=1 -o "$tmp/o/a.nettrace"
    status_is 2
    err_has "the heap was not walked within 1 s"
    [[ -z $(ls -A "$tmp/o") ]]
    works ps --format=json
    [[ $(json ".processes[] | select(.pid == $pid) | .problem") == "does not respond"* ]]
    kill -CONT "$pid"
    iterate 1
    works collect -p "$pid" -o "$tmp/o/a.nettrace" --strict
}

@test "a process that dies in the meantime is an error" {
    need_dotnet
    start_lab none LEAKLAB_CATALOG=100000
    mkdir "$tmp/o"
    { sleep 0.1; kill -KILL "$pid"; } &
    hd collect -p "$pid" -o "$tmp/o/a.nettrace"
    [[ $status == 2 ]] || skip "collected before it died"
    err_matches "exited|ended during the snapshot"
    [[ -z $(ls -A "$tmp/o") ]]
}

# hold [KEYWORDS]: another client has a session on the lab, until let_go.
hold() {
    local socket
    works ps --format=json
    socket=$(json ".processes[] | select(.pid == $pid) | .socket")
    coproc HOLDER { exec 7>&- 8<&-; python tests/live/hold_types.py "$socket" "$@"; }
    holder=$HOLDER_PID hold_in=${HOLDER[1]}
    read -r -t 10 _ <&"${HOLDER[0]}"
}

let_go() {
    exec {hold_in}>&-
    wait "$holder" || true
}

@test "a second tracing client that asks for no types keeps no names" {
    need_dotnet
    start_lab cache
    hold 0x400001
    local i
    for i in 1 2 3; do
        works collect --no-progress --strict -p "$pid" -o "$tmp/$i.gcdump"
        err_is ""
    done
    let_go
    works top --format=json "$tmp/3.gcdump"
    [[ $(json '[.types[].type | select(test("System.String"))] | length') -gt 0 ]]
}

@test "a second tracing client that prevents names is reported" {
    need_dotnet
    start_lab cache
    hold
    works collect --no-progress -p "$pid" -o "$tmp/1.nettrace"
    err_is ""
    works collect -p "$pid" -o "$tmp/2.nettrace"
    err_matches 'warning: .*2.nettrace: unknown-type: [0-9]+ of [0-9]+ types have no name: another tracing client of process '"$pid"' keeps the names: python[0-9.]* \(pid [0-9]+\); stop it, and collect again'
    [[ $err =~ \(pid\ ([0-9]+)\) ]]
    [[ $(tr '\0' ' ' <"/proc/${BASH_REMATCH[1]}/cmdline") == *hold_types.py* ]]
    hd collect -p "$pid" -o "$tmp/2.nettrace" --strict
    status_is 3
    let_go
    works collect --no-progress -p "$pid" -o "$tmp/3.nettrace" --strict
    err_is ""
}

@test "the socket of another user is refused" {
    need_dotnet
    [[ $(id -u) == 0 ]] && command -v setpriv >/dev/null || skip "takes root"
    start_lab cache
    chmod 755 "$tmp" "$BATS_RUN_TMPDIR" 2>/dev/null || true
    local as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    "${as_nobody[@]}" "$HEAPDRIFT" --version >/dev/null 2>&1 || skip "nobody may not run it"
    hd_as() { status=0; "${as_nobody[@]}" "$HEAPDRIFT" "$@" >"$tmp/.out" 2>"$tmp/.err" || status=$?; out=$(<"$tmp/.out") err=$(<"$tmp/.err") ran="as nobody: $*"; }
    hd_as collect -p "$pid" -o "/tmp/heapdrift-$$.nettrace"
    fails_with "the diagnostics socket belongs to user root; run heapdrift as that user, or as root ($(ls /tmp/dotnet-diagnostic-"$pid"-*-socket))"
    hd_as ps --format=json
    [[ $(json ".processes[] | select(.pid == $pid) | .problem") == "the diagnostics socket belongs to user root"* ]]
}

@test "a process with a long TMPDIR, whose socket has a truncated name" {
    need_dotnet
    local folder
    folder=$(mktemp -d "/tmp/$(printf 'x%.0s' {1..74})XXXXXX")
    start_lab cache TMPDIR="$folder"
    local names=("$folder"/dotnet-diagnostic-*)
    [[ ${names[0]} =~ /dotnet-diagnostic-[0-9]+$ ]] || skip "the name was not cut inside the pid"
    works collect -p "$pid" -o "$tmp/a.nettrace" --strict
    stop_lab
    rm -rf "$folder"
}

@test "a process in a container" {
    need_dotnet
    unshare -m -p -f true 2>/dev/null || skip "no namespaces here"
    lab=$tmp/contained
    cat >"$lab" <<SCRIPT
#!/bin/sh
exec unshare -m -p -f --kill-child sh -c 'mount -t tmpfs none /var/tmp; mount -t proc proc /proc
    TMPDIR=/var/tmp exec "$PWD/build/live/out/LeakLab" cache'
SCRIPT
    chmod +x "$lab"
    start_lab cache
    [[ $pid == 1 ]]
    works ps --format=json
    pid=$(json '.processes[] | select(.socket | test("/root/var/tmp/dotnet-diagnostic-1-")) | .pid' | head -1)
    [[ $pid -gt 1 ]]
    works collect -p "$pid" -o "$tmp/a.nettrace" --strict
    works info --format=json "$tmp/a.nettrace"
    [[ $(json '.snapshots[0].complete') == true ]]
}

@test "two runs of one program are distinguished, and each has its origin" {
    local run i
    need_dotnet
    for run in a b; do
        start_lab none
        for i in 1 2; do
            iterate 10
            works collect -p "$pid" -o "$tmp/$run$i.gcdump"
            works collect -p "$pid" -o "$tmp/$run$i.nettrace"
        done
        stop_lab
    done
    works info --format=json "$tmp/a1.gcdump"
    [[ $(json '.snapshots[0] | [.host, .started, .runtime] | all') == true ]]
    [[ $(json '.snapshots[0].program') == */LeakLab ]]
    for i in gcdump nettrace; do
        works diff --format=json "$tmp"/a[12].$i
        [[ $(json '[.warnings[].code] | tojson') == '["few-snapshots"]' ]]
        works diff -q --format=json "$tmp"/{a1,a2,b1,b2}.$i
        [[ $(json '.warnings[] | select(.code == "different-process").snapshot') == 2 ]]
    done
    # One process through both formats is one.
    works diff -q --format=json "$tmp"/a1.gcdump "$tmp"/a2.nettrace
    [[ $(json '[.warnings[].code] - ["few-snapshots"] | length') == 0 ]]
}

# In a namespace of their own, so that no other process is stopped.
@test "ps and collect --all: three processes, one of them in a container" {
    need_dotnet
    [[ $(id -u) == 0 ]] && unshare -u -m -p -f --mount-proc true 2>/dev/null || skip "no namespaces here"
    cat >"$tmp/script" <<'SCRIPT'
unset TMPDIR
# The namespaces hide the rest of /tmp, which may contain the tree.
mount --bind "$2" /mnt && mount -t tmpfs none /tmp && mkdir -p "$2" && mount --bind /mnt "$2" || exit
for scenario in cache events; do { echo 5; sleep 60; } | "$1" $scenario >/dev/null & done
{ echo 5; sleep 60; } | HOSTNAME=elsewhere unshare -u -m -p -f --mount-proc sh -c '
    hostname pod-7f9-x2; mount -t tmpfs none /tmp; exec "$1" timers' sh "$1" >/dev/null &
for i in $(seq 100); do
    "$HEAPDRIFT" ps --format=json >"$2/ps.json"
    [ "$(jq "[.processes[] | select(.runtime != null)] | length" "$2/ps.json")" != 3 ] || break
    sleep 0.2
done
"$HEAPDRIFT" collect --all -o "$2/o" --count=2 --interval=100ms --strict -q
SCRIPT
    cp -r "${lab%/*}" "$tmp/lab"
    cp "$HEAPDRIFT" "$tmp/heapdrift"
    HEAPDRIFT=$tmp/heapdrift unshare -u -m -p -f --kill-child --mount-proc sh "$tmp/script" "/mnt/lab/${lab##*/}" "$tmp" 3>&-
    out=$(<"$tmp/ps.json") ran="ps in a namespace"
    [[ $(json '[.processes[] | select(.runtime != null and .memory_bytes > 10000000) | .name] | join(" ")') == "LeakLab LeakLab LeakLab" ]]
    [[ $(json '[.processes[] | select(.host == "pod-7f9-x2")] | length') == 1 ]]
    [[ $(find "$tmp/o" -name '[12].gcdump' | wc -l) == 6 && -n $(echo "$tmp"/o/LeakLab-pod-7f9-x2-*/1.gcdump) ]]
    works info --format=json "$tmp"/o/LeakLab-pod-7f9-x2-*
    [[ $(json '[.snapshots[] | select(.complete) | .host] | join(" ")') == "pod-7f9-x2 pod-7f9-x2" ]]
}

@test "static variables are shown by the class that declares them, where memory may be read" {
    need_dotnet
    local i
    start_lab cache
    iterate 5
    works collect "$pid" -v -o "$tmp/named.gcdump"
    [[ $err != *": no full type names: "* ]] || skip "no memory of others may be read here"
    err_has ": full names read from the memory of the process, in "
    works collect "$pid" --direct -q -o "$tmp/direct.gcdump"
    stop_lab
    for i in named direct; do
        works roots "$tmp/$i.gcdump" -t Session
        [[ $out == *"SessionCache.s_sessions]"* ]]
    done
}

@test "a process runs on when the reader of its memory is killed at any moment" {
    need_dotnet
    local i hits=0
    start_lab cache LEAKLAB_CATALOG=3000
    iterate 10
    for i in {1..60}; do
        "$HEAPDRIFT" collect "$pid" -q --direct -o "$tmp/killed.gcdump" 3>&- &
        sleep "0.$(printf %03d $((RANDOM % 250)))"
        kill -9 $! 2>/dev/null || true
        wait $! 2>/dev/null || [[ $? != 137 ]] || hits=$((hits + 1))
        iterate 1 || complain "kill $i: the process does not answer"
        [[ $(awk '/^(State|TracerPid):/ { printf "%s", $2 }' "/proc/$pid/status") =~ ^[RS]0$ ]] ||
            complain "kill $i: $(grep -E '^(State|TracerPid):' "/proc/$pid/status")"
    done
    [[ $hits -gt 0 ]] || complain "it had ended before each of 60 kills"
    for i in INT TERM; do
        "$HEAPDRIFT" collect "$pid" -q --direct -o "$tmp/stopped-$i.gcdump" 3>&- &
        sleep 0.05
        kill -"$i" $! 2>/dev/null || true
        wait $! || true
        iterate 1
    done
    # Only complete files, and hidden ones left by kill -9.
    for i in "$tmp"/*.gcdump; do
        [[ ! -e $i ]] || works info "$i"
    done
    stop_lab
}

@test "a program that is suspended at its start" {
    need_dotnet
    mkfifo "$tmp/in"
    LEAKLAB_GC=1 DOTNET_DefaultDiagnosticPortSuspend=1 "$lab" cache <"$tmp/in" >"$tmp/out" 2>"$tmp/lab.err" 3>&- &
    started=$! pid=$!
    exec 7>"$tmp/in" 8</dev/null
    for _ in $(tries); do [[ $("$HEAPDRIFT" ps 2>/dev/null) != *"$pid"* ]] || break; sleep 0.1; done
    hd collect "$pid" -o "$tmp/a.gcdump"
    fails_with "the process is suspended at its start (DOTNET_DefaultDiagnosticPortSuspend); --resume lets it run"
    works collect "$pid" --resume -q -o "$tmp/a.gcdump"
    works collect "$pid" -q -o "$tmp/b.gcdump"
    works info --format=json "$tmp/a.gcdump"
    [[ $(json '.snapshots[0].objects') -gt 1000 ]]
    stop_lab
}

# Core dumps of live processes, held against gcdumps of the same state, object by object: every
# kind of collector, three runtimes, and what else a core may come from. `make check-live`;
# skipped without .NET, and a variant whose package cannot be had is left out.
load ../cli/helper
load lab

teardown() { stop_lab; }

# take VARIANT [ARGUMENT…]: $tmp/VARIANT.gcdump and $tmp/VARIANT.core.
take() {
    command -v dotnet >/dev/null || skip "no dotnet here"
    local result=0
    tests/live/corelab.sh take "$1" "$tmp" "${@:2}" 2>"$tmp/take.log" || result=$?
    if [[ $result == 77 ]]; then skip "the packages of $1 cannot be had"; fi
    [[ $result == 0 ]] || complain "$(cat "$tmp/take.log")"
}

# same CORE GCDUMP [OPTION…]: the gate.
same() {
    python3 tests/live/core_gate.py "${@:3}" "$1" "$2" >"$tmp/gate" || {
        cat "$tmp/gate"
        return 1
    }
}

passes_gate() {
    take "$1" quiet
    same "$tmp/$1.core" "$tmp/$1.gcdump"
    works info --format=json --strict "$tmp/$1.core"
    [[ $(json '.snapshots[0].format') == core-dump ]]
}

@test "the same heap as the gcdump: workstation GC" { passes_gate workstation; }
@test "the same heap as the gcdump: server GC, two heaps" { passes_gate server; }
@test "the same heap as the gcdump: server GC that adapts" { passes_gate adaptive; }
@test "the same heap as the gcdump: segments" { passes_gate segments; }
@test "the same heap as the gcdump: segments, server GC" { passes_gate segments-server; }
@test "the same heap as the gcdump: small regions" { passes_gate small-regions; }
@test "the same heap as the gcdump: single-file program" { passes_gate single; }
@test "the same heap as the gcdump: .NET 9" { passes_gate net9; }
@test "the same heap as the gcdump: .NET 9, server GC" { passes_gate net9-server; }
@test "the same heap as the gcdump: an older patch of .NET 10" { passes_gate patch; }

@test "a full dump is as good as one of the heap" {
    export TYPE=full
    passes_gate workstation
}

@test "a dump of three million objects" {
    take workstation quiet --size=66000
    works info --format=json "$tmp/workstation.core"
    [[ $(json '.snapshots[0].objects') -ge 3000000 ]]
    same "$tmp/workstation.core" "$tmp/workstation.gcdump"
}

@test "while four threads allocate: what is reachable" {
    local skipped=() name
    take workstation allocating
    for name in System.String 'System.Byte[]' 'System.ValueTuple*' Shop.Session Shop.LogEntry 'Shop.LogEntry[]' \
        'Shop.Session[]' 'System.Collections.Generic.List<Shop.LogEntry>'; do
        skipped+=("--except=$name")
    done
    same "$tmp/workstation.core" "$tmp/workstation.gcdump" --moved=0.01 "${skipped[@]}"
}

@test "a process that collects all the time: whole, or refused" {
    take workstation collecting
    hd info "$tmp/workstation.core"
    if [[ $status == 0 ]]; then
        same "$tmp/workstation.core" "$tmp/workstation.gcdump" --moved=0.01 --except=System.String \
            --except='System.Byte[]' --except=Shop.Session --except=Shop.LogEntry '--except=Shop.LogEntry[]' \
            '--except=System.Collections.Generic.List<Shop.LogEntry>'
    else
        err_has "collection"
    fi
}

@test "--direct reads what createdump writes: every object, reference, field and root" {
    local variant
    export DIRECT=2
    for variant in workstation server segments; do
        take $variant quiet
        same "$tmp/$variant-direct-1.core" "$tmp/$variant.core" --same
        same "$tmp/$variant-direct-2.core" "$tmp/$variant.core" --same
        same "$tmp/$variant-direct-1.core" "$tmp/$variant.gcdump"
    done
}

@test "--direct of a process that collects all the time tries again, and is whole" {
    local core again=0
    export DIRECT=24
    take workstation collecting
    for core in "$tmp"/workstation-direct-*.core; do
        works info --strict --format=json "$core"
        same "$core" "$tmp/workstation.gcdump" --moved=0.01 --except=System.String --except='System.Byte[]' \
            --except=Shop.Session --except=Shop.LogEntry '--except=Shop.LogEntry[]' \
            '--except=System.Collections.Generic.List<Shop.LogEntry>'
        again=$((again + $(grep -c 'times: garbage was being collected' "${core%.core}.log" || true)))
    done
    [[ $again -gt 0 ]] || complain "not one of 24 met a collection"
}

@test "--direct and --core of a single-file program" {
    export DIRECT=1
    take single quiet
    same "$tmp/single-direct-1.core" "$tmp/single.core" --same
    lab=$(tests/live/corelab.sh build single)
    start_lab quiet
    hd collect -p "$pid" --core -o "$tmp/heap.core"
    status_is 2
    err_is "heapdrift: a single-file program: the runtime can only write a full dump of it, --core=full"
    works collect -q -p "$pid" --core=full -o "$tmp/full.core"
    works collect -q -p "$pid" --direct -o "$tmp/direct.core"
    same "$tmp/direct.core" "$tmp/full.core" --same
}

# There --all sees no process of anybody else, so none is stopped.
@test "a process in another mount and pid namespace: --direct, --core, watch and --all" {
    command -v dotnet >/dev/null || skip "no dotnet here"
    unshare -m -p -f true 2>/dev/null || skip "no namespaces here"
    local program
    program=$(tests/live/corelab.sh build workstation)
    lab=$tmp/contained
    cat >"$lab" <<SCRIPT
#!/bin/sh
unset TMPDIR
exec unshare -m -p -f --kill-child sh -c 'mount -t proc proc /proc; mount --bind "$tmp" /mnt
    mount -t tmpfs none /tmp && mkdir -p "$tmp" && mount --bind /mnt "$tmp" && exec "$program" growing --size=300'
SCRIPT
    chmod +x "$lab"
    start_lab growing
    [[ $pid == 1 ]]
    pid=$(pgrep -P "$(pgrep -P "$started" | head -1)" | head -1)
    pid=${pid:-$(pgrep -P "$started" | head -1)}
    works collect -q -p "$pid" -o "$tmp/first.gcdump"
    works collect -q -p "$pid" -o "$tmp/a.gcdump"
    works collect -q -p "$pid" --direct -o "$tmp/direct.core"
    works collect -q -p "$pid" --core -o "$tmp/runtime.core"
    same "$tmp/direct.core" "$tmp/a.gcdump"
    same "$tmp/direct.core" "$tmp/runtime.core" --same
    { sleep 1; echo 50 >&7; } &
    works watch "$pid" -q --direct --count=2 --interval=4s -o "$tmp/watched" --format=json
    [[ $(json '.types[] | select(.type == "Shop.Order") | .count[1] - .count[0]') == 50 ]]
    read -r -t 60 _ <&8
    works info --strict "$tmp"/watched/{1,2}.gcdump
    nsenter -t "$pid" -m -p "$HEAPDRIFT" collect --all --direct -q -o "$tmp/all"
    works info --strict "$tmp"/all/*
}

# hammered VARIANT OPTION FILE TIMES: a heap in which four threads make large arrays all the time, in
# every snapshot of which all 32 that they hold are there, or which says that it is incomplete.
hammered() {
    local i program whole=0 found variables
    command -v dotnet >/dev/null || skip "no dotnet here"
    program=$(tests/live/corelab.sh build workstation)
    lab=$program
    variables=()
    case $1 in
    server) variables=(DOTNET_gcServer=1 DOTNET_GCHeapCount=2 DOTNET_GCDynamicAdaptationMode=0) ;;
    segments) variables=(DOTNET_GCName=libclrgc.so) ;;
    esac
    start_lab large "${variables[@]}"
    for ((i = 0; i < $4; i++)); do
        hd collect --strict --no-progress -q -p "$pid" "$2" -o "$tmp/$3"
        if [[ $status == 3 ]]; then
            works info --format=json "$tmp/$3"
            [[ $(json '.snapshots[0].complete') == false ]]
            continue
        fi
        status_is 0
        err_is ""
        works top -q --reachable -n0 --format=json "$tmp/$3"
        [[ $(json '.snapshot.complete') == true ]]
        [[ $(json '([.types[].bytes] | add) == .snapshot.reachable_bytes') == true ]]
        [[ $(json '([.types[].count] | add) == .snapshot.reachable_objects') == true ]]
        # Some more are held by stacks: one that is just made, one that was just replaced.
        found=$(json '[.types[] | select(.type == "Shop.Block[]") | .count] | add')
        [[ $found -ge 32 && $found -le 64 ]] || complain "$1, $2, number $i: $found of 32 arrays"
        whole=$((whole + 1))
    done
    [[ $whole -ge $(($4 * 3 / 4)) ]] || complain "only $whole of $4 are complete"
    stop_lab
}

@test "a heap that is hammered while it is read: workstation GC, --direct" { hammered workstation --direct a.gcdump 24; }
@test "a heap that is hammered while it is read: server GC, --direct" { hammered server --direct a.gcdump 12; }
@test "a heap that is hammered while it is read: segments, --direct" { hammered segments --direct a.core 12; }
@test "a heap that is hammered while it is read: --core" { hammered workstation --core a.core 4; }

@test "--direct into a file system in memory that is full" {
    command -v dotnet >/dev/null || skip "no dotnet here"
    unshare -m true 2>/dev/null || skip "no namespaces here"
    lab=$(tests/live/corelab.sh build workstation)
    start_lab quiet
    mkdir "$tmp/small"
    local size
    for size in 4 30 45; do
        status=0
        unshare -m sh -c "mount -t tmpfs -o size=${size}m none '$tmp/small' &&
            '$HEAPDRIFT' collect -q --direct $pid -o '$tmp/small/a.core' 2>'$tmp/err'; echo \$? >'$tmp/status'; ls -A '$tmp/small' >'$tmp/left'"
        [[ $(<"$tmp/status") == 2 && ! -s $tmp/left ]]
        [[ $(<"$tmp/err") == "heapdrift: $tmp/small/a.core: cannot write: No space left on device" ]] || complain "$(<"$tmp/err")"
    done
}

@test "what is converted is the same heap" {
    take workstation quiet --size=300
    works convert "$tmp/workstation.core" -o "$tmp/converted.gcdump"
    same "$tmp/converted.gcdump" "$tmp/workstation.gcdump" --no-fields
}

@test "refused by name: mini and triage dumps, native AOT, another program" {
    export TYPE=normal
    take workstation quiet --size=20
    hd top "$tmp/workstation.core"
    status_is 2
    err_has "without the heap"
    TYPE=triage
    take workstation quiet --size=20
    hd top "$tmp/workstation.core"
    status_is 2
    err_has "without the heap"
    take aot quiet --size=20
    hd top "$tmp/aot.core"
    status_is 2
    err_has "AOT"
}

@test "a dump that gdb wrote, with the assemblies on disk" {
    command -v gcore >/dev/null || skip "no gcore here"
    command -v dotnet >/dev/null || skip "no dotnet here"
    local lab pid
    lab=$(tests/live/corelab.sh build workstation)
    mkfifo "$tmp/in" "$tmp/out"
    env DOTNET_TieredCompilation=1 "$lab" quiet --size=300 <"$tmp/in" >"$tmp/out" 2>/dev/null 3>&- &
    exec 7>"$tmp/in" 8<"$tmp/out"
    read -r -t 120 _ pid <&8
    works collect -q -p "$pid" -o "$tmp/first.gcdump"
    works collect -q -p "$pid" -o "$tmp/a.gcdump"
    gcore -o "$tmp/a" "$pid" >/dev/null 2>&1
    exec 7>&- 8<&-
    wait
    same "$tmp/a.$pid" "$tmp/a.gcdump"
}

@test "a series names what leaks, and by which fields it is held" {
    export SERIES="200 200 200 200"
    take workstation growing
    works diff -q --format=json "$tmp"/workstation-{1,2,3,4}.core
    [[ $(json '.suspects[0].type') == *Shop.* ]]
    works roots --format=json --type=Shop.Order "$tmp/workstation-4.core"
    [[ $out == *'Shop.Store.s_unsent'* ]]
}

# values VARIANT: what a core shows is what the program prints of itself, whoever took it.
values() {
    local line result=0
    command -v dotnet >/dev/null || skip "no dotnet here"
    lab=$(tests/live/corelab.sh build "$1" 2>"$tmp/log") || result=$?
    if [[ $result == 77 ]]; then skip "the packages of $1 cannot be had"; fi
    start_lab quiet
    echo values >&7
    while read -r -t 60 line <&8 && [[ $line != "done" ]]; do echo "$line"; done >"$tmp/told"
    works collect -q --core -p "$pid" -o "$tmp/core.core"
    works collect -q --direct -p "$pid" -o "$tmp/direct.core"
    stop_lab
    for line in core direct; do
        python3 tests/live/values.py --heapdrift="$HEAPDRIFT" "$tmp/$line.core" "$tmp/told" >"$tmp/values" ||
            complain "$line: $(<"$tmp/values")"
    done
}

@test "values are those that the program prints: .NET 10" { values workstation; }
@test "values are those that the program prints: .NET 9" { values net9; }

# Core dumps of live processes, compared with gcdumps of the same state, object by object: every kind of
# collector, .NET 8 to 11, and other sources of cores. `make check-live`; skipped without .NET, and a
# variant without its package is left out.
load ../cli/helper
load lab

teardown() { stop_lab; }

# take VARIANT [ARGUMENT…]: $tmp/VARIANT.gcdump and $tmp/VARIANT.core.
take() {
    command -v dotnet >/dev/null || skip "no dotnet here"
    local result=0
    tests/live/corelab.sh take "$1" "$tmp" "${@:2}" 2>"$tmp/take.log" || result=$?
    if [[ $result == 77 ]]; then skip "$1: $(tail -n 1 "$tmp/take.log")"; fi
    [[ $result == 0 ]] || complain "$(cat "$tmp/take.log")"
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
@test "the same heap as the gcdump: .NET 11" { passes_gate net11; }
@test "the same heap as the gcdump: .NET 11, server GC" { passes_gate net11-server; }
@test "the same heap as the gcdump: .NET 11, single-file program" { passes_gate net11-single; }
@test "the same heap as the gcdump: .NET 9" { passes_gate net9; }
@test "the same heap as the gcdump: .NET 9, server GC" { passes_gate net9-server; }
@test "the same heap as the gcdump: an older patch of .NET 10" { passes_gate patch; }
@test "the same heap as the gcdump: .NET 8" { passes_gate net8; }
@test "the same heap as the gcdump: .NET 8, server GC" { passes_gate net8-server; }
@test "the same heap as the gcdump: .NET 8, segments" { passes_gate net8-segments; }
@test "the same heap as the gcdump: .NET 8, single-file program" { passes_gate net8-single; }
@test "the same heap as the gcdump: the first .NET 8" { passes_gate net8-first; }
@test "the same heap as the gcdump: the last .NET 8" { passes_gate net8-last; }

passes_with_musl() {
    export DIRECT=1
    passes_gate "$1"
    same "$tmp/$1-direct-1.core" "$tmp/$1.core" --same
    same "$tmp/$1-direct-1.core" "$tmp/$1.gcdump"
}

@test "the same heap as the gcdump: Alpine's runtime, with musl" { passes_with_musl musl; }
@test "the same heap as the gcdump: Alpine's runtime of .NET 11" { passes_with_musl net11-musl; }

# As createdump writes it, without thread pointers, and as the kernel does, without the pages of files.
passes_on_aarch64() {
    local type
    for type in withheap full kernel; do
        export TYPE=$type
        passes_gate "$1"
    done
}

@test "the same heap as the gcdump: aarch64 under qemu" { passes_on_aarch64 aarch64; }
@test "the same heap as the gcdump: .NET 11, aarch64 under qemu" { passes_on_aarch64 net11-aarch64; }

# build VARIANT: $lab becomes the path of its program.
build() {
    command -v dotnet >/dev/null || skip "no dotnet here"
    lab=$(tests/live/corelab.sh build "$1" 2>"$tmp/build.log") || {
        [[ $? == 77 ]] || complain "$(cat "$tmp/build.log")"
        skip "$1: $(tail -n 1 "$tmp/build.log")"
    }
}

@test "a process that is emulated is not stopped by --direct" {
    build aarch64
    printf '#!/bin/sh\nexec qemu-aarch64-static -L %q %q "$@"\n' "$PWD/build/live/aarch64" "$lab" >"$tmp/emulated"
    lab=$tmp/emulated
    chmod +x "$lab"
    start_lab quiet --size=20
    hd collect -q -p "$pid" --direct -o "$tmp/a.core"
    status_is 2
    err_is "heapdrift: a program for aarch64, which is emulated here; without --direct, the runtime takes the snapshot"
    works collect -q -p "$pid" -o "$tmp/a.gcdump"
    works info --strict "$tmp/a.gcdump"
}

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

while_four_allocate() {
    local skipped=() name
    # A dump of the runtime may fall into a collection, and is refused then.
    for _ in 1 2 3; do
        take "$1" allocating
        if build/list-heap "$tmp/$1.core" >/dev/null 2>"$tmp/listed"; then break; fi
        grep "taken during a garbage collection" "$tmp/listed"
    done
    for name in System.String 'System.Byte[]' 'System.ValueTuple*' Shop.Session Shop.LogEntry 'Shop.LogEntry[]' \
        'Shop.Session[]' 'System.Collections.Generic.List<Shop.LogEntry>'; do
        skipped+=("--except=$name")
    done
    same "$tmp/$1.core" "$tmp/$1.gcdump" --moved=0.01 "${skipped[@]}"
}

@test "while four threads allocate: what is reachable" { while_four_allocate workstation; }
@test "while four threads allocate: what is reachable, .NET 8" { while_four_allocate net8; }

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
    for variant in workstation server segments net11 net11-server net8 net8-server; do
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
        again=$((again + $(grep -c 'attempts: a garbage collection was running' "${core%.core}.log" || true)))
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
    err_is "heapdrift: a single-file program: the runtime can only write a full dump, --core=full"
    works collect -q -p "$pid" --core=full -o "$tmp/full.core"
    works collect -q -p "$pid" --direct -o "$tmp/direct.core"
    same "$tmp/direct.core" "$tmp/full.core" --same
}

# keeps_secrets VARIANT: no secret of a process that has them everywhere is in the redacted dump, which
# has the same heap.
keeps_secrets() {
    command -v dotnet >/dev/null || skip "no dotnet here"
    SECRET=$(python3 tests/live/secrets.py variable)
    export SECRET
    take "$1" secrets --size=300 "--secret=$(python3 tests/live/secrets.py argument)"
    works convert -q --redact "$tmp/$1.core" -o "$tmp/safe.core"
    python3 tests/live/secrets.py "$tmp/$1.core" "$tmp/safe.core" || complain "secrets"
    same "$tmp/safe.core" "$tmp/$1.core" --same
    works convert -q "$tmp/$1.core" -o "$tmp/a.gcdump"
    works convert -q "$tmp/safe.core" -o "$tmp/b.gcdump"
    cmp "$tmp/a.gcdump" "$tmp/b.gcdump"
    works convert -q --redact "$tmp/safe.core" -o "$tmp/again.core"
    cmp "$tmp/safe.core" "$tmp/again.core"
}

@test "a redacted dump has no secret: a full one" {
    export TYPE=full
    keeps_secrets workstation
}

@test "a redacted dump has no secret: server GC" { keeps_secrets server; }
@test "a redacted dump has no secret: segments" { keeps_secrets segments; }
@test "a redacted dump has no secret: single-file program" { keeps_secrets single; }
@test "a redacted dump has no secret: .NET 11" { keeps_secrets net11; }
@test "a redacted dump has no secret: .NET 9" { keeps_secrets net9; }

@test "a redacted dump of --direct has what was read of files" {
    export DIRECT=1
    take workstation quiet
    works convert -q --redact "$tmp/workstation-direct-1.core" -o "$tmp/safe.core"
    same "$tmp/safe.core" "$tmp/workstation-direct-1.core" --same
    # With a reader that has no data of its own.
    unshare -m true 2>/dev/null || return 0
    unshare -m sh -c 'mount -t tmpfs none "$1" && exec "$2" top -n0 "$3"' sh /usr/share/dotnet "$HEAPDRIFT" \
        "$tmp/safe.core" >"$tmp/found"
    works top -n0 "$tmp/workstation-direct-1.core"
    diff <(sed 1,2d <<<"${out//workstation-direct-1.core/safe.core}") <(sed 1,2d "$tmp/found")
}

# There --all cannot see other users' processes, so none is stopped.
@test "a process in another mount and pid namespace: --direct, --core, watch and --all" {
    command -v dotnet >/dev/null || skip "no dotnet here"
    unshare -m -p -f true 2>/dev/null || skip "no namespaces here"
    local program
    program=$(tests/live/corelab.sh build workstation)
    # The namespace hides the rest of /tmp, which may contain the tree.
    cp -r "${program%/*}" "$tmp/program"
    cp "$HEAPDRIFT" "$tmp/heapdrift"
    lab=$tmp/contained
    cat >"$lab" <<SCRIPT
#!/bin/sh
unset TMPDIR
exec unshare -m -p -f --kill-child sh -c 'mount -t proc proc /proc; mount --bind "$tmp" /mnt
    mount -t tmpfs none /tmp && mkdir -p "$tmp" && mount --bind /mnt "$tmp" && exec "$tmp/program/${program##*/}" growing --size=300'
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
    nsenter -t "$pid" -m -p "$tmp/heapdrift" collect --all --direct --strict -q -o "$tmp/all"
    nsenter -t "$pid" -m -p "$tmp/heapdrift" collect --all --core --strict -q -o "$tmp/all"
    [[ $(find "$tmp/all" -type f | wc -l) == 2 ]]
    works info --strict "$tmp"/all/*
}

# hammer VARIANT [NAME=VALUE…]: a heap in which four threads make large arrays all the time, and small
# objects that replace others.
hammer() {
    build "$1"
    start_lab large "${@:2}"
}

# has_all FILE: no object of the threads is missing or duplicated. Stacks may hold a few more: just made,
# or just replaced.
has_all() {
    local type least most found
    works top -q --reachable -n0 --format=json "$1"
    [[ $(json '.snapshot.complete') == true ]]
    [[ $(json '([.types[].bytes] | add) == .snapshot.reachable_bytes') == true ]]
    [[ $(json '([.types[].count] | add) == .snapshot.reachable_objects') == true ]]
    while read -r type least most; do
        found=$(json "[.types[] | select(.type == \"$type\") | .count] | add")
        [[ $found -ge $least && $found -le $most ]] || complain "$1: $found of $least $type"
    done <<TYPES
Shop.Marker 10000 10000
Shop.Replaced 10000 10016
Shop.Block[] 32 64
TYPES
}

# Processes pause for milliseconds, and each snapshot is a matter of chance: SNAPSHOTS=200 is the full
# test. hammered OPTION FILE TIMES: none of the snapshots is incomplete, without retries.
hammered() {
    local i
    for ((i = 0; i < ${SNAPSHOTS:-$3}; i++)); do
        works collect --strict --tries=1 --no-progress -q -p "$pid" "$1" -o "$tmp/$2"
        err_is ""
        has_all "$tmp/$2"
    done
    stop_lab
}

@test "a heap that is hammered while it is read: workstation GC, --direct" {
    hammer workstation
    hammered --direct a.gcdump 30
}

@test "a heap that is hammered while it is read: server GC, --direct" {
    hammer workstation DOTNET_gcServer=1 DOTNET_GCHeapCount=2 DOTNET_GCDynamicAdaptationMode=0
    hammered --direct a.gcdump 12
}

@test "a heap that is hammered while it is read: segments, --direct" {
    hammer workstation DOTNET_GCName=libclrgc.so
    hammered --direct a.core 12
}

@test "a heap that is hammered while it is read: musl, --direct" {
    hammer musl "LD_LIBRARY_PATH=$PWD/build/live/musl"
    hammered --direct a.gcdump 12
}

@test "a heap that is hammered while it is read: --core" {
    hammer workstation
    hammered --core a.core 6
}

@test "a process that collects all the time: --core tries again, or reports why not" {
    local during=0 i
    build workstation
    start_lab collecting --size=2000
    for i in {1..8}; do
        hd collect --strict --tries=1 -q -p "$pid" --core -o "$tmp/a.core"
        [[ $status == 0 ]] && continue
        status_is 2
        err_is "heapdrift: $tmp/a.core: written, but cannot be read back: the dump was taken during a garbage collection, while objects were being moved; take another one"
        during=$((during + 1))
    done
    echo "# $during of 8 were taken during a collection" >&3
    works collect --strict --tries=50 -q -p "$pid" --core -o "$tmp/a.core"
    works info --strict "$tmp/a.core"
    works collect --strict --tries=1 -q -p "$pid" --direct -o "$tmp/a.gcdump"
    works info --strict "$tmp/a.gcdump"
    stop_lab
}

# For each kind of file and each way to request one.
@test "what is written is looked at, whatever it is and however it was asked for" {
    local file
    hammer workstation
    works collect --strict -q -p "$pid" --direct -o "$tmp/a.digest"
    works info --strict "$tmp/a.digest"
    works collect --strict -q -p "$pid" --direct --count=2 --interval=10ms -o "$tmp/b.core"
    works collect --strict -q -p "$pid" --direct --on-enter -o "$tmp/c.gcdump" < <(printf '\n\n')
    works watch --strict -q "$pid" --direct --count=4 --interval=10ms -o "$tmp/watched" --format=json
    for file in "$tmp"/{b-1.core,b-2.core,c-1.gcdump,c-2.gcdump} "$tmp"/watched/*; do
        has_all "$file"
    done
    works collect --strict -q "$pid" --direct --store="$tmp/store.db"
    works fleet --store="$tmp/store.db" --format=json
    stop_lab
}

# killed OPTIONS…: kills collect at random moments. Each file left is the old one or a whole new one, since the kill
# may follow the rename.
killed() {
    local job file delay hits=0 begin milliseconds
    begin=$(date +%s%3N)
    works collect -q -p "$pid" "$@"
    milliseconds=$(($(date +%s%3N) - begin))
    for _ in {1..12}; do
        rm -f "$tmp"/k/*
        cp "$tmp/before" "$tmp/k/there.core"
        "$HEAPDRIFT" collect -q -p "$pid" "$@" >/dev/null 2>&1 3>&- &
        job=$!
        delay=$((RANDOM % milliseconds))
        sleep "$((delay / 1000)).$(printf %03d $((delay % 1000)))"
        kill -KILL $job 2>/dev/null || true
        status=0
        wait $job 2>/dev/null || status=$?
        [[ $status != 137 ]] || hits=$((hits + 1))
        [[ -e $tmp/k/there.core ]] || complain "$*: what was there is gone"
        while read -r file; do
            [[ $file == there.core || "$*" == *"/$file" ]] || complain "$*: left $file"
            cmp -s "$tmp/before" "$tmp/k/$file" || works info --strict "$tmp/k/$file"
        done < <(ls -A "$tmp/k")
    done
    [[ $hits -gt 0 ]] || complain "$*: it had ended before each kill"
    echo "# $hits of 12 killed: ${*//"$tmp"/}" >&3
}

@test "kill -9 at any moment leaves no file" {
    command -v dotnet >/dev/null || skip "no dotnet here"
    mkdir "$tmp/k"
    echo before >"$tmp/before"
    python3 -c 'import os, sys; os.open(sys.argv[1], os.O_TMPFILE | os.O_RDWR)' "$tmp/k" 2>/dev/null || skip "no nameless files here"
    lab=$(tests/live/corelab.sh build workstation)
    start_lab quiet
    killed -o "$tmp/k/a.gcdump"
    killed -o "$tmp/k/a.nettrace"
    killed --direct -o "$tmp/k/a.gcdump"
    killed --direct -o "$tmp/k/there.core"
    killed --core -o "$tmp/k/there.core"
    stop_lab
    # createdump's file is removed as well.
    rm "$tmp"/k/*
    [[ -z $(ls -A "$tmp/k") ]]
}

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

# values VARIANT: the values in a core match the program's own output, whoever made the core.
values() {
    local line result=0
    command -v dotnet >/dev/null || skip "no dotnet here"
    lab=$(tests/live/corelab.sh build "$1" 2>"$tmp/log") || result=$?
    if [[ $result == 77 ]]; then skip "$1: $(tail -n 1 "$tmp/log")"; fi
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

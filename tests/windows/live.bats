# The program for Windows and processes of .NET for Windows, all of them under wine. Made by `make check-windows`;
# needs the .NET SDK, and NuGet.
#
#   COLLECTIONS=100 ROGUES=5 bats tests/windows/live.bats    how many in a row; rogues of each way
bats_require_minimum_version 1.5.0
load ../cli/helper
load wine

WINE=$BATS_TEST_DIRNAME/wine.sh
frameworks='net10.0 net9.0 net8.0'

setup_file() {
    command -v dotnet >/dev/null || { skip_file "no dotnet here"; return; }
    local framework
    for framework in $frameworks; do
        tests/windows/build-lab.sh "$framework"
    done
}

teardown() {
    stop_lab
    kill -9 ${others:-} 2>/dev/null || true
}

# start_lab FRAMEWORK SCENARIO: run it; $pid is its id, and `iterate N` makes it work.
start_lab() {
    mkfifo "$tmp/in" "$tmp/out"
    LEAKLAB_GC=1 wine "build/windows/lab-$1/${program:-LeakLab.exe}" "$2" <"$tmp/in" >"$tmp/out" 2>"$tmp/lab.err" &
    started=$!
    exec 7>"$tmp/in" 8<"$tmp/out"
    read -r -t 120 _ pid <&8
    pid=${pid%$'\r'}
}

iterate() {
    local answer
    echo "$1" >&7
    read -r -t 120 answer <&8
    [[ $answer == done* ]]
}

stop_lab() {
    [[ -n ${started:-} ]] || return 0
    exec 7>&- 8<&-
    timeout 20 tail --pid="$started" -f /dev/null || kill -9 "$started"
    started=
    rm -f "$tmp/in" "$tmp/out"
}

# A process that is no .NET; $rogue is its id.
start_rogue() {
    wine "${rogue_program:-build/windows/rogue.exe}" "$@" >"$tmp/rogue" 2>/dev/null &
    others+=" $!"
    local i
    for ((i = 0; i < 200; i++)); do
        [[ ! -s $tmp/rogue ]] || break
        sleep 0.05
    done
    rogue=$(tr -dc 0-9 <"$tmp/rogue")
    : >"$tmp/rogue"
}

# run_windows STATUS ARG...: expects this status, in time; its output is in $tmp/o and $tmp/e.
run_windows() {
    local status=0 wanted=$1
    shift
    timeout 120 "$WINE" "$@" >"$tmp/o" 2>"$tmp/e" || status=$?
    [[ $status == "$wanted" ]] || { echo "$*: status $status"; cat "$tmp/o" "$tmp/e"; return 1; }
}

# Types with how many objects and bytes each has.
table() { "$HEAPDRIFT" top -n 0 --format=csv "$1" | sort; }

# interrupt PID: Ctrl-C for a program in the background; prints its output if it has ended.
interrupt() { kill -INT "$1" || { cat "$tmp/o" "$tmp/e" "$tmp/lab.err"; return 1; }; }

lacks() { ! grep -q "$1" "$2"; }

nothing_is_left() { [[ $(find "$tmp" -name '.heapdrift-*' -o -name '*.dmp') == "" ]]; }

@test "ps: running processes, their users and ages" {
    local framework
    for framework in $frameworks; do
        start_lab "$framework" none
        run_windows 0 ps --name=LeakLab --format=json
        python3 - "$tmp/o" "$pid" "${framework#net}" <<'END'
import json, sys
ours = [p for p in json.load(open(sys.argv[1]))["processes"] if p["pid"] == int(sys.argv[2])]
assert len(ours) == 1, ours
p = ours[0]
assert p["name"] == "LeakLab" and p["runtime"].startswith(sys.argv[3]), p
assert p["command"].endswith('LeakLab.exe" none') and "\\" in p["user"], p
assert p["socket"] == "\\\\.\\pipe\\dotnet-diagnostic-%s" % sys.argv[2], p
assert 20 << 20 < p["memory_bytes"] < 1 << 30 and 0 <= p["uptime_seconds"] < 300, p
END
        run_windows 0 ps --name='Leak*'
        grep -q "^ *$pid  LeakLab " "$tmp/o"
        run_windows 0 ps --name=LeakLab.exe
        grep -q LeakLab "$tmp/o"
        stop_lab
        run_windows 0 ps --name=LeakLab
        grep -qx 'no .NET process is called LeakLab' <(tr -d '\r' <"$tmp/o")
    done
}

@test "collect: the same state, read in three ways" {
    local framework try
    for framework in $frameworks; do
        start_lab "$framework" cache
        iterate 20
        # There may be other timers in between.
        for try in 1 2 3 4 5; do
            run_windows 0 collect "$pid" -o "$tmp/a.gcdump"
            run_windows 0 collect LeakLab -o "$tmp/b.nettrace"
            run_windows 0 collect --diagnostic-port="\\\\.\\pipe\\dotnet-diagnostic-$pid" -o "$tmp/c.gcdump"
            run_windows 0 convert "$tmp/b.nettrace" -o "$tmp/b.gcdump"
            table "$tmp/a.gcdump" >"$tmp/a"
            ! cmp -s "$tmp/a" <(table "$tmp/b.gcdump") || ! cmp -s "$tmp/a" <(table "$tmp/c.gcdump") || break
        done
        diff "$tmp/a" <(table "$tmp/b.gcdump")
        diff "$tmp/a" <(table "$tmp/c.gcdump")
        [[ $(wc -l <"$tmp/a") -gt 100 ]]
        grep -q "Shop.Sessions.Session" "$tmp/a"
        run_windows 0 collect "$pid" -o "$tmp/d.digest" --strict
        "$HEAPDRIFT" info "$tmp/d.digest" >/dev/null
        "$HEAPDRIFT" info -v "$tmp/a.gcdump" | grep -q 'LeakLab\.exe'
        stop_lab
    done
    nothing_is_left
}

@test "collect --count: six snapshots, a leak, and none" {
    local scenario i
    for scenario in cache none; do
        start_lab net10.0 "$scenario"
        iterate 500
        mkdir "$tmp/$scenario"
        for i in 1 2 3 4 5 6; do
            run_windows 0 collect "$pid" -o "$tmp/$scenario/$i.gcdump"
            iterate 100
        done
        stop_lab
    done
    run_windows 0 diff "$tmp/cache"
    grep -q "^LEAK .*Session: " "$tmp/o"
    run_windows 0 diff "$tmp/none"
    lacks "^LEAK" "$tmp/o"
    nothing_is_left
}

# It works while it is watched.
@test "watch: six snapshots, a leak, and none" {
    local scenario load
    for scenario in cache none; do
        start_lab net10.0 "$scenario"
        iterate 500
        while sleep 0.3; do echo 20 >&7; read -r -t 20 _ <&8; done &
        load=$!
        run_windows 0 watch "$pid" --interval=1s -o "$tmp/$scenario"
        kill "$load"
        [[ $(ls "$tmp/$scenario") == $'1.gcdump\n2.gcdump\n3.gcdump\n4.gcdump\n5.gcdump\n6.gcdump' ]]
        if [[ $scenario == cache ]]; then
            grep -q "^LEAK .*Session: " "$tmp/o"
        else
            lacks "^LEAK" "$tmp/o"
        fi
        kill -9 "$started"
        stop_lab
    done
    nothing_is_left
}

@test "watch --no-keep keeps no file; --on-enter; --all" {
    start_lab net10.0 cache
    run_windows 0 watch "$pid" --count=2 --interval=1s --no-keep
    lacks "kept" "$tmp/e"
    # Each shell deletes folders by another command.
    (cd "$tmp" && run_windows 0 watch "$pid" --count=2 --interval=1s)
    grep -q "^heapdrift: kept 2 snapshots" "$tmp/e"
    lacks "to delete them" "$tmp/e"
    [[ $(find build/windows/wine/drive_c/users -name 'heapdrift-*') == "" ]]
    printf '\n\n' | run_windows 0 collect "$pid" --on-enter --count=2 -o "$tmp/e.gcdump"
    [[ -s $tmp/e-1.gcdump && -s $tmp/e-2.gcdump ]]
    wine build/windows/lab-net9.0/LeakLab.exe none < <(exec sleep 300) >"$tmp/two" 2>&1 &
    others=$!
    while [[ ! -s $tmp/two ]]; do sleep 0.1; done
    run_windows 0 collect --all -j2 --count=2 --interval=1s --name=LeakLab -o "$tmp/all"
    [[ $(find "$tmp/all" -name '[12].gcdump' | wc -l) == 4 ]]
    nothing_is_left
}

@test "collections one after the other: none hangs, by number and by name" {
    local most=${COLLECTIONS:-10} i
    start_lab net10.0 cache
    iterate 10
    run_windows 0 collect "$pid" -o "$tmp/s.gcdump" --count="$most" --interval=10ms --strict
    [[ $(find "$tmp" -name 's-*.gcdump' | wc -l) == "$most" ]]
    for ((i = 0; i < most; i++)); do
        run_windows 0 ps --name=LeakLab
        grep -q LeakLab "$tmp/o"
        run_windows 0 collect LeakLab -o "$tmp/s.gcdump" --strict
    done
    iterate 10
}

@test "Ctrl-C: collected snapshots are compared, others leave no file" {
    start_lab net10.0 cache
    iterate 10
    local status=0 watching
    "$WINE" watch "$pid" --count=50 --interval=1s -o "$tmp/w" >"$tmp/o" 2>"$tmp/e" 3>&- &
    watching=$!
    while [[ ! -s $tmp/w/2.gcdump ]]; do sleep 0.1; done
    interrupt "$watching"
    wait "$watching" || status=$?
    [[ $status == 0 ]]
    grep -q "stopped after" "$tmp/e"
    grep -q "^UNSURE" "$tmp/o"
    nothing_is_left
    # In the middle of a snapshot of a process that does not answer.
    start_rogue hang
    "$WINE" collect "$rogue" -o "$tmp/r.gcdump" >"$tmp/o" 2>"$tmp/e" 3>&- &
    watching=$!
    sleep 2
    interrupt "$watching"
    status=0
    wait "$watching" || status=$?
    [[ $status == 2 && ! -e $tmp/r.gcdump ]]
    grep -q "stopped" "$tmp/e"
    nothing_is_left
    # The process continues, and supplies the next one.
    run_windows 0 collect "$pid" -o "$tmp/a.gcdump" --strict
}

@test "rogue peers: refused in time with a line, and no file is left" {
    local way i begin ids=
    for way in hang hang-up half-a-header less-than-it-says another-protocol endless-strings endless-stream stream-cut drip nothing; do
        for ((i = 0; i < ${ROGUES:-1}; i++)); do
            start_rogue "$way"
            ids+=" $rogue"
        done
    done
    start_lab net10.0 none
    begin=$SECONDS
    run_windows 0 ps
    [[ $((SECONDS - begin)) -lt 20 ]]
    [[ $(grep -c rogue "$tmp/o") == $((10 * ${ROGUES:-1})) ]]
    grep -q "^ *$pid  LeakLab .*  10\.0\." "$tmp/o"
    for rogue in $ids; do
        begin=$SECONDS
        run_windows 2 collect "$rogue" --timeout=2 --no-progress -o "$tmp/r.gcdump"
        [[ $((SECONDS - begin)) -lt 30 && $(wc -l <"$tmp/e") == 1 && $(<"$tmp/e") == heapdrift:* ]]
        run_windows 2 collect "$rogue" --timeout=1 --no-progress -o "$tmp/r.dmp"
        [[ $(wc -l <"$tmp/e") == 1 ]]
    done
    nothing_is_left
    [[ ! -e $tmp/r.gcdump ]]
}

@test "a pipe with the name of another process, of another machine, of no process" {
    start_rogue hang
    local first=$rogue
    start_rogue hang $((first + 400))
    # No process has this number; then a name of another process.
    run_windows 2 collect $((first + 400)) -o "$tmp/r.gcdump"
    grep -q "process $rogue listens on .*, not process $((first + 400))" "$tmp/e"
    run_windows 2 collect --diagnostic-port='\\server\pipe\dotnet-diagnostic-1' -o "$tmp/r.gcdump"
    grep -q "must be the absolute path" "$tmp/e"
    run_windows 2 collect --diagnostic-port=//server/pipe/dotnet-diagnostic-1 -o "$tmp/r.gcdump"
    grep -q "those of other machines are not asked" "$tmp/e"
    run_windows 2 collect --diagnostic-port='\\.\pipe\..\x' -o "$tmp/r.gcdump"
    grep -q "those of other machines are not asked" "$tmp/e"
    run_windows 2 collect --diagnostic-port='\\.\pipe\no-such-pipe' -o "$tmp/r.gcdump"
    grep -q "nothing listens on" "$tmp/e"
    run_windows 2 collect 999999 -o "$tmp/r.gcdump"
    grep -q "no process 999999" "$tmp/e"
    run_windows 2 collect no-such-name -o "$tmp/r.gcdump"
    grep -q "no .NET process is called no-such-name" "$tmp/e"
}

@test "names that are not ASCII" {
    mkdir "$tmp/Größe 日本"
    cp build/windows/rogue.exe "$tmp/Größe 日本/Größe 日本.exe"
    rogue_program="$tmp/Größe 日本/Größe 日本.exe" start_rogue another-protocol
    run_windows 0 ps --name='Größe 日本' --format=csv
    grep -q "Größe 日本" "$tmp/o" || { cat "$tmp/o"; "$WINE" ps; false; }
    run_windows 2 collect 'Größe 日本' --no-progress -o "$tmp/r.gcdump"
    grep -q "does not use the .NET diagnostics protocol" "$tmp/e" || { cat "$tmp/e"; false; }
    start_lab net10.0 none
    run_windows 0 collect "$pid" -o "$tmp/Größe 日本/é 🌱.gcdump"
    run_windows 0 watch "$pid" --count=2 --interval=1s -o "$tmp/Größe 日本/watch"
    "$HEAPDRIFT" info "$tmp/Größe 日本/é 🌱.gcdump" "$tmp/Größe 日本/watch/2.gcdump" >/dev/null
    nothing_is_left
}

@test "features of Linux are reported as unsupported" {
    start_lab net10.0 none
    run_windows 2 collect "$pid" --direct -o "$tmp/a.gcdump"
    grep -q "only read on Linux; without --direct, the runtime takes the snapshot" "$tmp/e"
    run_windows 2 collect "$pid" --store="$tmp/store.db"
    grep -q "there is no store in heapdrift for Windows" "$tmp/e"
    run_windows 2 watch "$pid" --store="$tmp/store.db"
    grep -q "there is no store in heapdrift for Windows" "$tmp/e"
    [[ ! -e $tmp/store.db ]]
    # The runtime's createdump may crash in wine 8: then that is reported. A minidump of the heap
    # cannot be read.
    run_windows 2 collect "$pid" --core --timeout=60 --no-progress -o "$tmp/a.core"
    if grep -q "written, but cannot be read back: " "$tmp/e"; then
        [[ $(head -c 4 "$tmp/a.core") == MDMP && $(stat -c %a "$tmp/a.core") == *0 ]]
    else
        grep -q "^heapdrift: the runtime wrote no dump" "$tmp/e"
        [[ ! -e $tmp/a.core ]]
    fi
    nothing_is_left
}

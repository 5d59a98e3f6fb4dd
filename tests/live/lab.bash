# A leaking process to collect from. Source it after tests/cli/helper.bash, which sets $tmp.
# shellcheck shell=bash

# need_dotnet [leaklab|manylab]: skips the test where there is no .NET; else $lab is the program.
need_dotnet() {
    command -v dotnet >/dev/null || skip "no dotnet here"
    lab=$(tests/live/build-leaklab.sh "$@") || return
}

# need_runtime VERSION [leaklab|asynclab]: $lab is this program with a bundled runtime of this version.
need_runtime() {
    command -v dotnet >/dev/null || skip "no dotnet here"
    local result=0
    lab=$(RUNTIME=$1 tests/live/build-leaklab.sh "${2:-leaklab}" 2>"$tmp/build.log") || result=$?
    if [[ $result == 77 ]]; then skip ".NET $1 cannot be had: $(tail -n 1 "$tmp/build.log")"; fi
    [[ $result == 0 ]] || complain "$(cat "$tmp/build.log")"
}

# same CORE GCDUMP [OPTION…]: the gate.
same() {
    python3 tests/live/core_gate.py "${@:3}" "$1" "$2" >"$tmp/gate" || {
        cat "$tmp/gate"
        return 1
    }
}

# need_group: $group is a control group of its own, version 1 or 2, with its limit in $group/$limit.
# Requires root.
need_group() {
    local root name=heapdrift-test-$$-$BATS_TEST_NUMBER
    [[ $(id -u) == 0 ]] || skip "takes root"
    for root in /sys/fs/cgroup/memory /sys/fs/cgroup; do
        group=$root/$name
        [[ -e $root/cgroup.procs ]] || continue
        mkdir "$group" 2>/dev/null || continue
        for limit in memory.limit_in_bytes memory.max; do
            [[ ! -w $group/$limit ]] || return 0
        done
        rmdir "$group"
    done
    group=
    skip "no memory controller here"
}

# start_lab SCENARIO [NAME=VALUE...]: run it, in the control group of the file $within, if any; $pid is its id, and `iterate N` makes it work.
start_lab() {
    local scenario=$1
    shift
    mkfifo "$tmp/in" "$tmp/out"
    env LEAKLAB_GC=1 "$@" ${within:+bash -c 'echo $$ >"$0" && exec "$@"' "$within"} "$lab" "$scenario" <"$tmp/in" >"$tmp/out" 2>"$tmp/lab.err" 3>&- &
    started=$!
    exec 7>"$tmp/in" 8<"$tmp/out"
    read -r -t 120 _ pid <&8
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
    kill -CONT "$started" 2>/dev/null || true
    wait "$started" || true
    started=
    rm -f "$tmp/in" "$tmp/out"
}

# --- watch --store, whose standard error is $tmp/err -------------------------------------

# stored SQL: queries the store.
stored() { python -c 'import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print(*row, sep="|")' "$tmp/store.db" "$1"; }

# says PATTERN [TIMES]: waits for the output, for a minute or $patience seconds.
says() {
    local i
    for ((i = 0; i < 20 * ${patience:-60}; i++)); do
        [[ $(grep -cE -- "$1" "$tmp/err") -lt ${2:-1} ]] || return 0
        sleep 0.05
    done
    echo "stderr should have $1:"
    cat "$tmp/err"
    return 1
}

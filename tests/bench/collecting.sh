#!/bin/bash
# How long a process stands still for a snapshot, and what the collector needs, beside a bare
# stream of the same heap to /dev/null: tests/bench/collecting.sh BUILD_DIR
#
# Of tests/live/corelab, which needs the .NET SDK; says so where there is none. A thread of
# that program tells how long it stood still. All ways are taken in turn, BENCH_RUNS (6)
# times behind a first that does not count; medians. BASE=PROGRAM is another heapdrift to
# measure beside it. SIZES: sessions of corelab, 45 objects each (2000 and 66000).
set -euo pipefail
BENCH_RUNS=${BENCH_RUNS:-6}
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"

command -v dotnet >/dev/null || { echo "collecting: skipped, no dotnet here"; exit 0; }
bare=$1/bare-stream
read -ra sizes <<<"${SIZES:-2000 66000}"
live=$(dirname "$0")/../live
lab_program=$("$live/corelab.sh" build workstation) || {
    echo "collecting: skipped, tests/live/corelab cannot be built here"
    exit 0
}

pid=''
end() {
    if [[ -n $pid ]]; then
        kill -KILL "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
        pid=''
    fi
}
trap 'end; rm -rf "$folder"' EXIT

longest_stop() {
    local answer
    echo stop >&"${lab[1]}"
    read -r -t 60 -u "${lab[0]}" answer
    echo "${answer#stop }"
}

# once NAME COMMAND…: its stop in ms, seconds and kB of memory, as a line of the file NAME.
once() {
    local name=$1
    shift
    sleep 0.3
    longest_stop >/dev/null
    /usr/bin/time -f '%e %M' -o "$folder/time.txt" "$@" >/dev/null
    echo "$(longest_stop) $(tail -n 1 "$folder/time.txt")" >>"$folder/$name"
}

# median NAME COLUMN
median() { sort -n -k "$2,$2" "$folder/$1" | awk -v c="$2" '{ v[NR] = $c } END { print v[int((NR + 1) / 2)] }'; }

# The same of the least: what others do to this machine only adds to it.
least() { sort -n -k "$2,$2" "$folder/$1" | awk -v c="$2" 'NR == 1 { print $c }'; }

# The most memory in MB beside mapped files and the copy of what the process knows of its
# types, which has a size of its own. Samples.
anonymous() {
    local most=0 key value
    "$@" >/dev/null &
    while kill -0 $! 2>/dev/null; do
        while read -r key value _; do
            if [[ $key == RssAnon: && $value -gt $most ]]; then most=$value; fi
        done <"/proc/$!/status" || break
        sleep 0.01
    done 2>/dev/null
    wait $!
    calculate "$most / 1000"
}

way() {
    case $1 in
    bare) once bare "$bare" "$pid" ;;
    base) once base "$BASE" collect -q -p "$pid" -o "$folder/base.gcdump" ;;
    *) once "$1" "$program" collect -q -p "$pid" -o "$folder/heap.$1" ;;
    esac
}

# Forwards and backwards in turn: a stop depends on what came before.
ways=(bare gcdump nettrace ${BASE:+base})
all_of() {
    local i
    for ((i = 0; i < ${#ways[@]}; i++)); do
        if ((${1:-0} % 2 == 0)); then way "${ways[i]}"; else way "${ways[-1 - i]}"; fi
    done
}

# Of one heap: a line for each way to collect it, and how many objects it has.
measure() {
    local name
    coproc lab { exec "$lab_program" quiet "--size=$1" --tick 2>/dev/null; }
    pid=$lab_PID
    read -r -t 300 -u "${lab[0]}" _
    all_of
    rm -f "$folder"/{bare,gcdump,nettrace,base}
    for ((k = 0; k < BENCH_RUNS; k++)); do all_of "$k"; done
    held=$(anonymous "$program" collect -q -p "$pid" -o "$folder/heap.gcdump")
    end
    objects=$("$program" info --format=json "$folder/heap.gcdump" | jq '.snapshots[0].objects')
    echo "$objects objects, $BENCH_RUNS runs, median and least: the stop, the whole time; memory"
    for name in "${ways[@]}"; do
        printf '%-10s %6d %6d ms %8.2f %6.2f s %9.1f MB\n' "$name" "$(median "$name" 1)" "$(least "$name" 1)" \
            "$(median "$name" 2)" "$(least "$name" 2)" "$(calculate "$(median "$name" 3) / 1000")"
    done
    echo "gcdump: $held MB of its own"
}

awk -v n="$(nproc)" '$1 > 0.5 * n { print "load average " $1 ": others use the processors" }' /proc/loadavg
rows='' held=''
for size in "${sizes[@]}"; do
    measure "$size"
    for name in gcdump nettrace; do
        rows+="stop for a .$name / for a bare stream, $objects|$(ratio "$(least "$name" 1)" "$(least bare 1)")|times|1.15"$'\n'
    done
done
# Of the last, which is the largest: a runtime sends what it has every 100 ms, which is most
# of the time of a small heap.
rows+="whole time, .nettrace / bare, $objects|$(ratio "$(least nettrace 2)" "$(least bare 2)")|times|1.5"$'\n'
rows+="whole time, .gcdump / bare, $objects|$(ratio "$(least gcdump 2)" "$(least bare 2)")|times|2.3"$'\n'
rows+="memory of its own per object, .gcdump|$(calculate "$held * 1000 * 1024 / $objects")|bytes|40"$'\n'
table_head
while IFS='|' read -r what measured unit gate; do
    if [[ -n $what ]]; then row "$what" "$measured" "$unit" "<=" "$gate"; fi
done <<<"$rows"
exit "$failed"

#!/bin/bash
# What a snapshot takes of the process by the size of its runtime's buffer, and what is lost:
# tests/bench/buffers.sh BUILD_DIR
#
# Of tests/live/manylab with OBJECTS (100000 1000000 4000000 10000000) small objects, on the runtimes
# RUNTIMES ("" is that of the SDK: "" 11.0.0), each with buffers of BUFFERS MiB, BENCH_RUNS (3) times behind
# a first that does not count. Prints a line for each: least and median of the memory beyond what the
# process had, and of the pause; the most objects that were lost. No gates: docs/performance.md has the table.
set -euo pipefail
[[ $# == 1 ]] || { echo "usage: $0 BUILD_DIR" >&2; exit 2; }
cost=$1/buffer-cost
runs=${BENCH_RUNS:-3}
read -ra sizes <<<"${OBJECTS:-100000 1000000 4000000 10000000}"
read -ra buffers <<<"${BUFFERS:-16 32 64 128 256 1024}"
read -ra runtimes <<<"${RUNTIMES:-own 11.0.0}"
build=$(dirname "$0")/../live/build-leaklab.sh
folder=$(mktemp -d)
pid=''
end() { [[ -z $pid ]] || { kill -KILL "$pid" && wait "$pid"; } 2>/dev/null || true; }
trap 'end; rm -rf "$folder"' EXIT

command -v dotnet >/dev/null || { echo "buffers: skipped, no dotnet here"; exit 0; }

# column FILE NUMBER: sorted.
column() { awk -v c="$2" '{ print $c }' "$1" | sort -g; }
least() { column "$1" "$2" | head -n 1; }
median() { column "$1" "$2" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# measure RUNTIME SESSIONS BUFFER
measure() {
    local i lost
    : >"$folder/rows"
    for ((i = 0; i < runs; i++)); do
        sleep 0.2
        "$cost" "$pid" "$3" "$2" >>"$folder/rows" || return 0
    done
    # The runtime's own come and go.
    lost=$((whole - $(least "$folder/rows" 2)))
    [[ $(column "$folder/rows" 4 | tail -n 1) -gt 0 ]] || lost=0
    printf '%-8s %-3s %9d objects %5d MiB: +%4d %4d MiB, paused %7.0f %7.0f ms, lost %d\n' "$1" "$2" "$objects" "$3" \
        "$(least "$folder/rows" 1)" "$(median "$folder/rows" 1)" "$(least "$folder/rows" 3)" \
        "$(median "$folder/rows" 3)" "$lost"
}

for runtime in "${runtimes[@]}"; do
    result=0
    lab=$(RUNTIME=${runtime#own} "$build" manylab 2>"$folder/log") || result=$?
    [[ $result == 0 ]] || { echo "buffers: $runtime is skipped: $(tail -n 1 "$folder/log")"; continue; }
    for objects in "${sizes[@]}"; do
        coproc program { exec "$lab" "$objects"; }
        pid=$program_PID
        read -r -t 300 -u "${program[0]}" _
        "$cost" "$pid" 1024 one >/dev/null
        whole=$("$cost" "$pid" 1024 one | cut -d ' ' -f 2)
        for buffer in "${buffers[@]}"; do measure "$runtime" one "$buffer"; done
        [[ $runtime == 11* ]] || for buffer in "${buffers[@]}"; do measure "$runtime" two "$buffer"; done
        end
        pid=''
    done
done

#!/bin/sh
# Speed and memory of type tables against their gates: tests/bench/tables.sh BUILD_DIR
#
# Everything is a ratio to wc -l or md5sum of the same file in the same run: the same way to
# the bytes, on every machine. The gates stand for BENCH_OBJECTS=10000000; the default is a
# tenth of it. BENCH_RUNS runs (12) are measured of each command, after two that warm
# memory and page cache; medians count. BENCH_LARGE=1 adds 10^8 objects to the fit.
set -eu

[ $# -eq 1 ] || { echo "usage: $0 BUILD_DIR" >&2; exit 2; }
program=$1/heapdrift
make_heap=$1/make-heap
objects=${BENCH_OBJECTS:-1000000}
runs=${BENCH_RUNS:-12}
for tool in hyperfine jq /usr/bin/time "$program" "$make_heap"; do
    command -v "$tool" >/dev/null || { echo "$0: needs $tool" >&2; exit 2; }
done

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM

# Median seconds of each command, a line each. diff exits with 0, whatever grew.
seconds() {
    hyperfine -N -w 2 -r "$runs" --style none --export-json "$folder/time.json" "$@" \
        >/dev/null 2>"$folder/errors" || { cat "$folder/errors" >&2; exit 2; }
    jq '.results[].median' "$folder/time.json"
}

# Processor time of each command of the last call to seconds.
cpu_seconds() { jq '.results[] | .user + .system' "$folder/time.json"; }

# What a command needs at most, in bytes.
memory() {
    /usr/bin/time -f %M -o "$folder/time.txt" "$@" >/dev/null 2>"$folder/errors" || {
        cat "$folder/errors" >&2
        exit 2
    }
    awk 'END { printf "%.0f\n", $1 * 1024 }' "$folder/time.txt"
}

bytes_of() { wc -c <"$1"; }

failed=0
# row WHAT MEASURED UNIT "<=" GATE
row() {
    awk -v what="$1" -v measured="$2" -v unit="$3" -v sign="$4" -v gate="$5" 'BEGIN {
        ok = sign == "<=" ? measured <= gate : measured >= gate
        printf "%-46s | %10.3f %-6s | %s %-5s | %s\n", what, measured, unit, sign, gate,
               ok ? "yes" : "NO"
        exit !ok
    }' || failed=1
}

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.4f\n", a / b }'; }

# rates NAME SECONDS FILE, and the next line of cpu on descriptor 3
rates() {
    read -r cpu <&3
    awk -v name="$1" -v s="$2" -v n="$objects" -v bytes="$(bytes_of "$3")" -v cpu="$cpu" 'BEGIN {
        printf "%-22s %7.2f ms (cpu %7.2f), %6.1f million objects/s, %6.2f GB/s, " \
               "%4.1f bytes/object\n", name, s * 1e3, cpu * 1e3, n / s / 1e6, bytes / s / 1e9, bytes / n
    }'
}

# Each series of two steps with a leak, which the second must show.
text=$folder/0.txt text_after=$folder/1.txt dump=$folder/0.gcdump
"$make_heap" "$objects" "$text" --format=heap-text --stream --step=0 --leak=$((objects / 16))
"$make_heap" "$objects" "$text_after" --format=heap-text --stream --step=1 --leak=$((objects / 16))
"$make_heap" "$objects" "$dump" --format=gcdump
"$make_heap" 40000 "$folder/a.gcdump" --step=0 --leak=2500
"$make_heap" 40000 "$folder/b.gcdump" --step=1 --leak=2500
cat "$text" "$text_after" "$dump" >/dev/null
"$program" diff --tables-only --format=csv "$text" "$text_after" 2>/dev/null |
    grep -q '^Bench\.Leaked,growing' || {
    echo "$0: the leak that was planted is not in the table" >&2
    exit 2
}

# One call, so that all see the machine in the same state.
seconds "wc -l $text" "$program top --tables-only -j1 $text" \
    "$program top --tables-only -j2 $text" "md5sum $text" "wc -l $dump" \
    "$program top --tables-only -j1 $dump" "$program top --tables-only -j2 $dump" \
    "$program --version" "$program diff $folder/a.gcdump $folder/b.gcdump" \
    "$program diff --tables-only -j2 $text $text_after" >"$folder/seconds"
cpu_seconds >"$folder/cpu"
{
    read -r wc_text; read -r text1; read -r text2; read -r md5
    read -r wc_dump; read -r dump1; read -r dump2
    read -r start; read -r small; read -r diff2
} <"$folder/seconds"

echo "$objects objects, medians of $runs runs; $("$program" --version); $(nproc) processors"
awk -v n="$(nproc)" '$1 > 0.5 * n && n > 0 || n < 2 {
    print "load average " $1 ": others use the processors, so ratios of 2 threads are too high"
}' /proc/loadavg
echo
exec 3<"$folder/cpu"
rates "wc -l, heap text" "$wc_text" "$text"
rates "table, heap text, -j1" "$text1" "$text"
rates "table, heap text, -j2" "$text2" "$text"
rates "md5sum, heap text" "$md5" "$text"
rates "wc -l, gcdump" "$wc_dump" "$dump"
rates "table, gcdump, -j1" "$dump1" "$dump"
rates "table, gcdump, -j2" "$dump2" "$dump"
echo
printf '%-46s | %-17s | %-8s | %s\n' what measured gate ok
row "table of heap text, 2 threads / wc -l" "$(ratio "$text2" "$wc_text")" times "<=" 2.5
row "table of heap text, 1 thread / wc -l" "$(ratio "$text1" "$wc_text")" times "<=" 4.5
row "table of gcdump, 2 threads / wc -l" "$(ratio "$dump2" "$wc_dump")" times "<=" 2.5
row "md5sum / table of heap text, 2 threads" "$(ratio "$md5" "$text2")" times ">=" 5
row "diff --tables-only of two / wc -l of one" "$(ratio "$diff2" "$wc_text")" times "<=" 9
row "most memory, table of heap text" \
    "$(ratio "$(memory "$program" top --tables-only -j2 "$text")" 1000000)" MB "<=" 12
row "heapdrift --version" "$(ratio "$start" 0.001)" ms "<=" 5
row "diff of two gcdumps of 40,000 objects" "$(ratio "$small" 0.001)" ms "<=" 30

# How time and memory grow: the slope of a line through the logarithms.
slope() {
    awk '{ x = log($1); y = log($2); n++; sx += x; sy += y; sxx += x * x; sxy += x * y }
         END { printf "%.3f\n", (n * sxy - sx * sy) / (n * sxx - sx * sx) }' "$1"
}
sizes="100000 316228 1000000"
[ "$objects" -ge 10000000 ] && sizes="$sizes 3162278 10000000"
rm "$text_after" "$dump"
runs=3
for n in $sizes ${BENCH_LARGE:+100000000}; do
    "$make_heap" "$n" "$text" --format=heap-text --stream
    cat "$text" >/dev/null
    echo "$n $(seconds "$program top --tables-only -j2 $text")" >>"$folder/text.time"
    echo "$n $(memory "$program" top --tables-only -j2 "$text")" >>"$folder/text.memory"
done
rm "$text"
for n in $sizes; do
    "$make_heap" "$n" "$dump"
    cat "$dump" >/dev/null
    echo "$n $(seconds "$program top --tables-only -j2 $dump")" >>"$folder/dump.time"
    echo "$n $(seconds "$program top $dump")" >>"$folder/top.time"
    echo "$n $(memory "$program" top "$dump")" >>"$folder/top.memory"
done
row "table of heap text: exponent of time" "$(slope "$folder/text.time")" "" "<=" 1.05
row "table of heap text: exponent of memory" "$(slope "$folder/text.memory")" "" "<=" 1.05
row "table of gcdump: exponent of time" "$(slope "$folder/dump.time")" "" "<=" 1.05
row "top of gcdump: exponent of time" "$(slope "$folder/top.time")" "" "<=" 1.05
row "top of gcdump: exponent of memory" "$(slope "$folder/top.memory")" "" "<=" 1.05
awk '{ printf "%11d objects: %8.1f MB, table of heap text\n", $1, $2 / 1e6 }' "$folder/text.memory"
exit $failed

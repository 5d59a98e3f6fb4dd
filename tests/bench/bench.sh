#!/bin/sh
# Speed and memory against the gates: tests/bench/bench.sh BUILD_DIR
#
# wc -l of the same file is the yardstick: the same way to the bytes, one pass, on
# every machine. OBJECTS and RUNS change the size of the heap and the number of runs.
set -eu

[ $# -eq 1 ] || { echo "usage: $0 BUILD_DIR" >&2; exit 2; }
program=$1/heapdrift
objects=${OBJECTS:-1000000}
runs=${RUNS:-15}
for tool in hyperfine jq /usr/bin/time "$program" "$1/make-heap" "$1/shapes"; do
    command -v "$tool" >/dev/null || { echo "$0: needs $tool" >&2; exit 2; }
done

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM

before=$folder/0.gcdump after=$folder/1.gcdump
# Every 16th object more: 4 % of the bytes, enough for a suspect and its chains.
"$1/make-heap" "$objects" "$before" --step=0 --leak=$((objects / 16))
"$1/make-heap" "$objects" "$after" --step=1 --leak=$((objects / 16))
cat "$before" "$after" >/dev/null # into the page cache
"$program" diff "$before" "$after" >"$folder/report.txt" 2>"$folder/errors" || {
    cat "$folder/errors" >&2
    exit 2
}
grep -q 'held by .*Bench\.Holder\.s_items' "$folder/report.txt" || {
    echo "$0: the leak that was planted is not in the report" >&2
    exit 2
}

# Mean seconds of a command. diff exits with 0, whatever grew.
seconds() {
    hyperfine -N -w 2 -r "$runs" --style none --export-json "$folder/time.json" "$1" \
        >/dev/null 2>"$folder/errors" || { cat "$folder/errors" >&2; exit 2; }
    jq '.results[0].mean' "$folder/time.json"
}

# What a command needs at most, in bytes.
memory() {
    /usr/bin/time -v -o "$folder/time.txt" "$@" >/dev/null 2>"$folder/errors" || {
        cat "$folder/errors" >&2
        exit 2
    }
    awk -F': ' '/Maximum resident set size/ { printf "%.0f\n", $2 * 1024 }' "$folder/time.txt"
}

wc=$(seconds "wc -l $before")
top=$(seconds "$program top --tables-only $before")
tables=$(seconds "$program diff --tables-only $before $after")
chains=$(seconds "$program diff $before $after")
# One thread is the sparing way; with more, memory is traded for time.
bytes=$(memory "$program" diff -j1 "$before" "$after")

# The same heap as a trace, read by one thread with its graph. md5sum takes about as
# long as a program that looks at each byte once can.
"$1/make-heap" "$((objects * 3))" "$folder/t.nettrace" --format=nettrace
trace_size=$(wc -c <"$folder/t.nettrace")
md5=$(seconds "md5sum $folder/t.nettrace")
trace=$(seconds "$program info -j1 $folder/t.nettrace")
trace_tables=$(seconds "$program top -j1 --tables-only $folder/t.nettrace")
trace_bytes=$(memory "$program" info -j1 "$folder/t.nettrace")
rm "$folder/t.nettrace"

# Ten times as large, fewer runs: dominators and retained sizes; and a whole diff.
large=$((objects * 10))
"$1/make-heap" "$large" "$folder/2.gcdump" --step=0 --leak=$((large / 16))
"$1/make-heap" "$large" "$folder/3.gcdump" --step=1 --leak=$((large / 16))
runs=10
retained=$(seconds "$program top -j1 $folder/2.gcdump")
retained_bytes=$(memory "$program" top -j1 "$folder/2.gcdump")
large_chains=$(seconds "$program diff -j2 $folder/2.gcdump $folder/3.gcdump")
sparing=$(seconds "$program diff -j1 $folder/2.gcdump $folder/3.gcdump")

status=0
awk -v objects="$objects" -v wc="$wc" -v top="$top" -v tables="$tables" -v chains="$chains" \
    -v bytes="$bytes" -v large="$large" -v retained="$retained" \
    -v retained_bytes="$retained_bytes" -v large_chains="$large_chains" -v sparing="$sparing" \
    -v trace_size="$trace_size" -v md5="$md5" -v trace="$trace" \
    -v trace_tables="$trace_tables" -v trace_bytes="$trace_bytes" '
function row(what, measured, unit, gate) {
    ok = measured <= gate
    failed += !ok
    printf "%-38s | %10.3f %-8s | <= %-4s | %s\n", what, measured, unit, gate, ok ? "yes" : "NO"
}
BEGIN {
    printf "%d objects; wc -l of one file takes %.2f ms\n\n", objects, wc * 1000
    printf "%-38s | %-19s | %-7s | %s\n", "what", "measured", "gate", "ok"
    row("top --tables-only / wc -l", top / wc, "times", 8)
    row("diff --tables-only of two / wc -l", tables / wc, "times", 14)
    row("diff of two, with chains", chains, "s", 1)
    row("most memory of a diff -j1, per object", bytes / objects, "bytes", 80)
    row("top of ten times as much, per object", retained / large * 1e9, "ns", 110)
    row("most memory of that top, per object", retained_bytes / large, "bytes", 70)
    row("diff of two of these, 2 threads", large_chains, "s", 2.5 * large / 1e7)
    row("2 threads / 1 thread of that diff", large_chains / sparing, "times", 0.667)
    row("trace with graph / md5sum", trace / md5, "times", 5)
    row("trace, tables only / md5sum", trace_tables / md5, "times", 1.5)
    row("nanoseconds per 1000 bytes of trace", trace / trace_size * 1e12, "ns", 6666)
    row("most memory for a trace, per object", trace_bytes / objects / 3, "bytes", 100)
    printf "\nMB of trace per second: with graph %.0f, tables only %.0f, md5sum %.0f\n", \
           trace_size / trace / 1e6, trace_size / trace_tables / 1e6, trace_size / md5 / 1e6
    printf "millions of objects per second: top --tables-only %.1f, diff --tables-only %.1f, " \
           "diff %.1f\n", objects / top / 1e6, 2 * objects / tables / 1e6, 2 * objects / chains / 1e6
    exit failed > 0
}' || status=1
echo
"$1/shapes" "$before" || status=1
exit $status

#!/bin/sh
# Speed and memory of graphs: dominators, chains, traces: tests/bench/graphs.sh BUILD_DIR
set -eu
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"
[ -x "$1/shapes" ] || { echo "$0: needs $1/shapes" >&2; exit 2; }

# Every 16th object more: 4 % of the bytes, enough for a suspect and its chains.
before=$folder/0.gcdump after=$folder/1.gcdump text=$folder/0.txt trace=$folder/0.nettrace
"$make_heap" "$objects" "$before" --step=0 --leak=$((objects / 16))
"$make_heap" "$objects" "$after" --step=1 --leak=$((objects / 16))
"$make_heap" "$objects" "$text" --format=heap-text --stream
traced=$((objects / 4))
"$make_heap" "$traced" "$trace" --format=nettrace
cat "$before" "$after" "$text" "$trace" >/dev/null
"$program" diff -n 20 "$before" "$after" >"$folder/report.txt" 2>"$folder/errors" || {
    cat "$folder/errors" >&2
    exit 2
}
grep -q 'held by .*Bench\.Holder\.s_items' "$folder/report.txt" || {
    echo "$0: the leak that was planted is not in the report" >&2
    exit 2
}

time_beside_chase "$objects" "md5=md5sum $before" "top=$program top -j1 $before" \
    "diff2=$program diff -j2 $before $after" "diff1=$program diff -j1 $before $after" \
    "top_text=$program top -j1 $text" "md5_trace=md5sum $trace" \
    "info_trace=$program info -j1 $trace" \
    "table_trace=$program top -j1 --tables-only $trace"

headline
chase_rates "$objects"
rates "md5sum, gcdump" md5 "$before"
rates "top, gcdump, -j1" top "$before"
rates "diff of two, -j2" diff2 "$before"
rates "diff of two, -j1" diff1 "$before"
rates "top, heap text, -j1" top_text "$text"
rates "md5sum, trace" md5_trace "$trace" "$traced"
rates "info, trace, -j1" info_trace "$trace" "$traced"
rates "table, trace, -j1" table_trace "$trace" "$traced"
table_head
time_row "top of a gcdump, 1 thread / pointer chase" top random "<=" 1.1
row "most memory of that, per object" \
    "$(ratio "$(memory "$program" top -j1 "$before")" "$objects")" bytes "<=" 70
time_row "diff of two with chains, 1 thread / chase" diff1 random "<=" 3.5
time_row "2 threads / 1 thread of that" diff2 diff1 "<=" 1.3
wall_row "1 thread / 2 threads of that" diff1 diff2 ">=" 1.5
row "most memory of diff -j1, per object of one" \
    "$(ratio "$(memory "$program" diff -j1 "$before" "$after")" "$objects")" bytes "<=" 80
time_row "trace with graph / md5sum" info_trace md5_trace "<=" 5
time_row "trace, table only / md5sum" table_trace md5_trace "<=" 1.5
row "most memory for a trace, per object" \
    "$(ratio "$(memory "$program" info -j1 "$trace")" "$traced")" bytes "<=" 100
echo
"$1/shapes" "$before" || failed=1
exit $failed

#!/bin/sh
# Speed and memory of type tables, and of starting: tests/bench/tables.sh BUILD_DIR
set -eu
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"

# A series of two steps with a leak, which the second must show.
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
{
    read -r wc_text; read -r text1; read -r text2; read -r md5
    read -r wc_dump; read -r dump1; read -r dump2
    read -r start; read -r small; read -r diff2
} <"$folder/seconds"
cpu_seconds >"$folder/cpu"

headline
{
    read -r cpu && rates "wc -l, heap text" "$wc_text" "$cpu" "$text"
    read -r cpu && rates "table, heap text, -j1" "$text1" "$cpu" "$text"
    read -r cpu && rates "table, heap text, -j2" "$text2" "$cpu" "$text"
    read -r cpu && rates "md5sum, heap text" "$md5" "$cpu" "$text"
    read -r cpu && rates "wc -l, gcdump" "$wc_dump" "$cpu" "$dump"
    read -r cpu && rates "table, gcdump, -j1" "$dump1" "$cpu" "$dump"
    read -r cpu && rates "table, gcdump, -j2" "$dump2" "$cpu" "$dump"
} <"$folder/cpu"
table_head
row "table of heap text, 2 threads / wc -l" "$(ratio "$text2" "$wc_text")" times "<=" 2.5
row "table of heap text, 1 thread / wc -l" "$(ratio "$text1" "$wc_text")" times "<=" 4.5
row "table of gcdump, 2 threads / wc -l" "$(ratio "$dump2" "$wc_dump")" times "<=" 2.5
row "md5sum / table of heap text, 2 threads" "$(ratio "$md5" "$text2")" times ">=" 5
row "diff --tables-only of two / wc -l of one" "$(ratio "$diff2" "$wc_text")" times "<=" 9
row "most memory, table of heap text" \
    "$(ratio "$(memory "$program" top --tables-only -j2 "$text")" 1000000)" MB "<=" 12
row "heapdrift --version" "$(ratio "$start" 0.001)" ms "<=" 5
row "diff of two gcdumps of 40,000 objects" "$(ratio "$small" 0.001)" ms "<=" 30
exit $failed

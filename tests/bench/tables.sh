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

time_all "wc_text=wc -l $text" "text1=$program top --tables-only -j1 $text" \
    "md5=md5sum $text" "wc_dump=wc -l $dump" \
    "dump1=$program top --tables-only -j1 $dump" "dump2=$program top --tables-only -j2 $dump" \
    "empty=$reference 0 0" \
    "start=$program --version" "small=$program diff $folder/a.gcdump $folder/b.gcdump" \
    "diff2=$program diff --tables-only -j2 $text $text_after"

headline
rates "wc -l, heap text" wc_text "$text"
rates "table, heap text" text1 "$text"
rates "md5sum, heap text" md5 "$text"
rates "wc -l, gcdump" wc_dump "$dump"
rates "table, gcdump, -j1" dump1 "$dump"
rates "table, gcdump, -j2" dump2 "$dump"
for name in empty start small; do
    echo "$name: $(calculate "$(wall $name) * 1e3") ms (cpu $(calculate "$(cpu $name) * 1e3"))"
done
table_head
time_row "table of heap text / wc -l" text1 wc_text "<=" 10
wall_row "table of gcdump, 2 threads / wc -l" dump2 wc_dump "<=" 2.5
time_row "table of gcdump, 1 thread / wc -l" dump1 wc_dump "<=" 4
time_row "table of gcdump, 2 threads / 1 thread" dump2 dump1 "<=" 1.5
time_row "md5sum / table of heap text" md5 text1 ">=" 0.8
time_row "diff --tables-only of two / wc -l of one" diff2 wc_text "<=" 20
row "most memory, table of heap text" \
    "$(ratio "$(memory "$program" top --tables-only -j2 "$text")" 1000000)" MB "<=" 12
time_row "heapdrift --version / an empty program" start empty "<=" 12
time_row "diff of two gcdumps of 40,000 / --version" small start "<=" 12
exit $failed

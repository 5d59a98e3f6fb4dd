#!/bin/sh
# How time and memory grow with the heap: tests/bench/scale.sh BUILD_DIR
#
# From 10^5 objects to BENCH_OBJECTS, at least 10^6; BENCH_LARGE=1 goes on to 10^8, once
# each, which takes 5 GB of disk, 12 GB of memory and some minutes more.
set -eu
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"
runs=3
headline
before=$folder/0 after=$folder/1
large=${BENCH_LARGE:+100000000}

# measure NAME OBJECTS COMMAND...: a point of its curves
measure() {
    name=$1 n=$2
    shift 2
    echo "$n $(seconds "$*")" >>"$folder/$name.time"
    echo "$n $(memory "$@")" >>"$folder/$name.memory"
}

# The slope of a line through the logarithms.
slope() {
    awk '{ x = log($1); y = log($2); n++; sx += x; sy += y; sxx += x * x; sxy += x * y }
         END { printf "%.3f\n", (n * sxy - sx * sy) / (n * sxx - sx * sx) }' "$1"
}

# Fewer than three sizes are no line.
sizes=$(awk -v most="$objects" 'BEGIN {
    for (n = 1e5; n <= most * 1.01 || n < 1.1e6; n *= sqrt(10)) printf "%.0f ", n }')
for n in $sizes $large; do
    "$make_heap" "$n" "$before" --format=heap-text --stream --step=0 --leak=$((n / 16))
    "$make_heap" "$n" "$after" --format=heap-text --stream --step=1 --leak=$((n / 16))
    cat "$before" >/dev/null
    measure table-text "$n" "$program" top --tables-only -j2 "$before"
    [ "$n" -lt 100000000 ] || runs=1
    measure diff-text "$n" "$program" diff -j2 "$before" "$after"
    rm "$before" "$after"
    "$make_heap" "$n" "$before" --format=gcdump
    cat "$before" >/dev/null
    measure table-gcdump "$n" "$program" top --tables-only -j2 "$before"
    measure top-gcdump "$n" "$program" top -j1 "$before"
    rm "$before"
done

for name in table-text table-gcdump top-gcdump diff-text; do
    sed "s/ .*//" "$folder/$name.time" | paste -d ' ' - "$folder/$name.time" "$folder/$name.memory" |
        awk -v name=$name '{ printf "%-13s %10d objects: %10.1f ms, %7.1f ns/object, %8.1f MB, " \
            "%7.1f bytes/object\n", name, $1, $3 * 1e3, $3 / $1 * 1e9, $5 / 1e6, $5 / $1 }'
done
table_head
for name in table-text table-gcdump top-gcdump diff-text; do
    row "$name: exponent of time" "$(slope "$folder/$name.time")" "" "<=" 1.05
    row "$name: exponent of memory" "$(slope "$folder/$name.memory")" "" "<=" 1.05
done
row "most memory of table-text at any size" \
    "$(awk '$2 > most { most = $2 } END { print most / 1e6 }' "$folder/table-text.memory")" MB "<=" 12
if [ -n "$large" ]; then
    time_beside_chase "$large" "empty=$reference 0 0"
    chase=$(wall random)
    row "diff of two heap texts of 10^8, 2 threads / chase" \
        "$(awk -v chase="$chase" '$1 == 1e8 { print $2 / chase }' "$folder/diff-text.time")" times "<=" 3
    row "most memory of that" \
        "$(awk '$1 == 1e8 { print $2 / 1e9 }' "$folder/diff-text.memory")" GB "<=" 18
fi
exit $failed

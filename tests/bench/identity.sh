#!/bin/sh
# Which object is which of the next snapshot: tests/bench/identity.sh BUILD_DIR
set -eu
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"
pairs=$1/align-pairs
[ -x "$pairs" ] || { echo "$0: needs $pairs" >&2; exit 2; }

# The same heap with gaps, as it was before a collection slid it together; and a sixteenth of
# objects that came.
before=$folder/0.gcdump loose=$folder/loose.gcdump after=$folder/1.gcdump
"$make_heap" "$objects" "$before"
"$make_heap" "$objects" "$loose" --loose
"$make_heap" "$objects" "$after" --step=1 --leak=$((objects / 16))
cat "$before" "$loose" "$after" >/dev/null
time_all "diff=$program diff -j1 $before $after"

# What the program says of itself, without what reading takes: medians of seconds by the clock and
# of processors, and the most bytes per object. All take turns, so that they see the machine in
# the same state. Two that know nothing of each other, at once, tell what a second processor of
# this machine is worth at most.
median() { sort -g | awk '{ all[NR] = $1 } END { print (all[int((NR + 1) / 2)] + all[int(NR / 2) + 1]) / 2 }'; }
align() { "$pairs" "$2" "$after" /dev/null "$3" >>"$folder/runs.$1"; }
for _ in $(seq "$runs"); do
    align in_place "$before" 1
    align moved2 "$loose" 2
    align moved1 "$loose" 1
    align at_once "$loose" 1 &
    align at_once "$loose" 1
    wait $!
done
for name in in_place moved2 moved1 at_once; do
    awk -v most="$objects" '$5 < 0.99 * most { exit 1 }' "$folder/runs.$name" || {
        echo "$0: objects that stayed were not found" >&2
        exit 2
    }
    echo "$name $(awk '{ print $9 }' "$folder/runs.$name" | median)" \
        "$(awk '{ print $11 }' "$folder/runs.$name" | median)" >>"$folder/times"
done
most=$(awk '{ print $14 }' "$folder"/runs.moved* | sort -g | tail -n1)
worth=$(calculate "2 * $(wall moved1) / $(wall at_once)" | awk '{ printf "%.2f", $1 }')

headline
rates "diff of two, -j1" diff "$before"
rates "identity, in place" in_place "$before"
rates "identity, moved" moved1 "$loose"
rates "identity, moved, 2 threads" moved2 "$loose"
table_head
time_row "identity where nothing moved, 1 thread / diff" in_place diff "<=" 1
time_row "identity where all moved, 1 thread / diff" moved1 diff "<=" 1
row "1 thread / 2 threads of that" "$(ratio_of moved1 moved2)" times ">=" 1.6 \
    "at most $worth here: two at once"
row "most memory of that, per object of both" "$most" bytes "<=" 40
exit $failed

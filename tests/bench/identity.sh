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

# Medians of what the program says of itself, without what reading takes: a name, seconds by
# the clock, of processors, and bytes per object.
median() { sort -g | awk '{ all[NR] = $1 } END { print (all[int((NR + 1) / 2)] + all[int(NR / 2) + 1]) / 2 }'; }
align() {
    for run in $(seq "$runs"); do "$pairs" "$2" "$after" /dev/null "$3" >"$folder/run.$run"; done
    cat "$folder"/run.* >"$folder/runs"
    awk -v most="$objects" '$5 < 0.99 * most { exit 1 }' "$folder/runs" || {
        echo "$0: objects that stayed were not found" >&2
        exit 2
    }
    echo "$1 $(awk '{ print $9 }' "$folder/runs" | median) $(awk '{ print $11 }' "$folder/runs" | median)" \
        >>"$folder/times"
    most=$(awk '{ print $14 }' "$folder/runs" | sort -g | tail -n1)
}
align in_place "$before" 1
align moved2 "$loose" 2
align moved1 "$loose" 1

headline
rates "diff of two, -j1" diff "$before"
rates "identity, in place" in_place "$before"
rates "identity, moved" moved1 "$loose"
rates "identity, moved, 2 threads" moved2 "$loose"
table_head
time_row "identity where nothing moved, 1 thread / diff" in_place diff "<=" 1
time_row "identity where all moved, 1 thread / diff" moved1 diff "<=" 1
wall_row "1 thread / 2 threads of that" moved1 moved2 ">=" 1.6
row "most memory of that, per object of both" "$most" bytes "<=" 40
exit $failed

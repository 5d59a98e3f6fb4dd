#!/bin/sh
# What the counters of a build with --coverage say: coverage.sh BUILD
#
# Prints lines and branches of each folder of src/, and the files furthest from the goal, and
# writes that to BUILD/summary; BUILD/files.json has each line.
#
# Branches are those of the machine code, without optimisation: each operand of && and || and
# each case counts, both ways. Two patterns are left out: the failing side of an assertion,
# which cannot be taken, and what uthash puts in the place of HASH_ADD() and the like, which is
# its own code (tables that grow, chains of buckets). C has nothing that
# --exclude-throw-branches or --exclude-unreachable-branches would find.
# What else is left out, with reasons, is in tests/mutants/left-out.
set -eu

build=$1
here=$(dirname "$0")
left_out=$(sed -n 's/^\([^# ]*\) .*/--exclude=\1/p' "$here/left-out")
gcovr --root . --object-directory "$build" --filter src/ $left_out \
    --exclude-branches-by-pattern '^ *(assert|HASH_[A-Z_]+)\(.*' --json "$build/files.json" \
    --json-summary "$build/summary.json" "$build/src"

jq -r '
    def share(got; of): if of == 0 then 100 else 1000 * got / of | floor / 10 end;
    def row(name): [name, share(map(.line_covered) | add; map(.line_total) | add),
                    share(map(.branch_covered) | add; map(.branch_total) | add),
                    (map(.line_total - .line_covered) | add),
                    (map(.branch_total - .branch_covered) | add)];
    ["folder", "lines %", "branches %", "lines left", "branches left"],
    (.files | group_by(.filename | split("/")[1])[] | row(.[0].filename | split("/")[1])),
    (.files | row("all")),
    ["", "", "", "", ""],
    (.files | map(select(.branch_total > 0)) | sort_by(.branch_covered - 0.9 * .branch_total)[:20][]
     | [.] | row(.[0].filename))
    | @tsv' "$build/summary.json" |
    awk -F'\t' '{ printf "%-44s%10s%12s%12s%15s\n", $1, $2, $3, $4, $5 }' | tee "$build/summary"

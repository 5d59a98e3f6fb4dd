#!/bin/sh
# Make targets that consist of parts (scripts/part.sh), as many side by side as there are
# processors, and say in the last line what ran and how long it took.
#
#   scripts/check.sh NAME FOLDER[=WORDS]... -- MAKE-ARGUMENT...
#
# NAME begins the last line; the parts put what they print into FOLDERs, and WORDS follow the
# tests that ran in one ("again under ASan"). Everything runs even where something fails. A file
# that is in the tree afterwards, and in no commit and no .gitignore, is a failure: tests leave
# nothing behind.
set -u

name=$1
shift
folders=
while [ "$1" != -- ]; do
    folders="$folders$1
"
    rm -rf "${1%%=*}"
    shift
done
shift

# 1234567: 1,234,567
thousands() { echo "$1" | sed -e ':again' -e 's/\([0-9]\)\([0-9]\{3\}\)\($\|,\)/\1,\2\3/' -e 't again'; }

# How many lines of the logs "$@" match the pattern $1.
lines() {
    pattern=$1
    shift
    cat "$@" 2>/dev/null | grep -cE "$pattern"
}

# What passed in folder $1, followed by words $2.
passed_in() {
    unit=$(sed -n 's/.*Passing: \([0-9]*\).*/\1/p' "$1"/unit.log 2>/dev/null)
    cli=$(lines '^ok ' "$1"/cli-*.log)
    skipped=$(lines '^ok .*# skip' "$1"/cli-*.log)
    [ -z "$unit" ] || printf '%s unit tests, ' "$(thousands "$unit")"
    printf '%s command-line tests%s' "$(thousands $((cli - skipped)))" "${2:+ $2}"
    [ "$skipped" -eq 0 ] || printf '%s' " ($skipped skipped)"
}

# What nobody has committed, where there is a repository.
untracked() { git ls-files --others --exclude-standard 2>/dev/null; }

began=$(date +%s)
before=$(untracked)
status=0
"${MAKE:-make}" --no-print-directory -s -k -Otarget -j"$(nproc)" "$@" || status=1

what=
lint=
failed=
old_ifs=$IFS
IFS='
'
for folder in $folders; do
    words=
    case $folder in *=*) words=${folder#*=} ;; esac
    folder=${folder%%=*}
    what="$what$(passed_in "$folder" "$words"), "
    for log in "$folder"/*.failed; do
        [ ! -e "$log" ] || failed="$failed $log"
    done
    [ ! -e "$folder/lint.log" ] || lint="lint, "
done
IFS=$old_ifs
what=$what$lint
what=${what%, }

left=$(untracked | grep -vxF "${before:-/}")
[ -z "$left" ] || { status=1 failed="$failed left behind by a test: $left"; }

seconds=$(($(date +%s) - began))
took="$((seconds / 60)) min $((seconds % 60)) s"
if [ "$status" -ne 0 ]; then
    echo "$name: FAILED:${failed:- what make says above}; $took"
    exit 1
fi
echo "$name: passed: $what; $took"

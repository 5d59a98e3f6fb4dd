#!/bin/sh
# Run make targets that consist of parts (scripts/part.sh), with as many jobs as processors and
# memory allow. Every CHECK_EVERY seconds (30) a line has the progress; the last line has the result and
# the time.
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

# Seconds as people read them.
duration() { echo "$(($1 / 60)) min $(($1 % 60)) s"; }

# Prints the parts that run, and the numbers of those that passed and failed. While only compilers run, it prints the
# number of files they have compiled.
progress() {
    passed=0 failed=0 running=
    old_ifs=$IFS
    IFS='
'
    for folder in $folders; do
        words=
        case $folder in *=*) words=" ${folder#*=}" ;; esac
        for log in "${folder%%=*}"/*; do
            case $log in
            *.running) running="$running, $(basename "$log" .running)$words" ;;
            *.failed) failed=$((failed + 1)) ;;
            *.log) [ -e "${log%.log}.running" ] || passed=$((passed + 1)) ;;
            esac
        done
    done
    IFS=$old_ifs
    [ -n "$running" ] || running=", $(find build -name '*.o' -newer "$marks/began" 2>/dev/null | wc -l) files compiled so far"
    [ "$failed" -eq 0 ] && failed='' || failed=", $failed failed"
    echo "$name: $(duration $(($(date +%s) - began))): $passed${parts:+ of $parts} parts passed$failed; running: ${running#, }"
}

# Prints progress until SIGTERM. sleep is a background job, since a trap waits for the end of a foreground command.
tell_progress() {
    trap 'kill $! 2>/dev/null; exit 0' TERM
    while :; do
        sleep "${CHECK_EVERY:-30}" >/dev/null 2>&1 &
        wait $!
        [ -n "$parts" ] || parts=$(cat "$marks/parts" 2>/dev/null)
        progress
    done
}

# What nobody has committed, where there is a repository.
untracked() { git ls-files --others --exclude-standard 2>/dev/null; }

if [ ! -e /proc/self/stat ]; then
    echo "$name: FAILED: /proc is not mounted, from which most tests and the program read; as root: mount -t proc proc /proc"
    exit 1
fi

began=$(date +%s)
before=$(untracked)
status=0
parts=
jobs=$(scripts/jobs.sh 2>/dev/null || nproc)
echo "$name: compiles, then tests, with $jobs job$([ "$jobs" = 1 ] || echo s); prints progress every half minute"
marks=$(mktemp -d)
: >"$marks/began"
# make -n lists the parts. It still runs recipes that contain $(MAKE); this PART makes those harmless.
# shellcheck disable=SC2016 # make expands it, for each build
{
    "${MAKE:-make}" --no-print-directory -n "$@" PART='echo scripts/part.sh $(BUILD)/check' 2>/dev/null |
        grep -o 'scripts/part\.sh [^ ]*' | sort -u | wc -l >"$marks/new"
    mv "$marks/new" "$marks/parts"
} &
counter=$!
tell_progress &
teller=$!
trap 'kill $teller $counter 2>/dev/null; rm -rf "$marks"' EXIT
trap 'exit 130' INT TERM
"${MAKE:-make}" --no-print-directory -s -k -Otarget -j"$jobs" "$@" || status=1
kill $teller 2>/dev/null
wait $teller 2>/dev/null

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
took=$(duration $seconds)
if [ "$status" -ne 0 ]; then
    echo "$name: FAILED:${failed:- what make says above}; $took"
    exit 1
fi
echo "$name: passed: $what; $took"

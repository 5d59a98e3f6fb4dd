#!/bin/bash
# Run a suite of tests, and count passed, failed and skipped tests in the last line.
#
#   scripts/suite.sh NAME -- COMMAND [ARG...] [-- COMMAND [ARG...]]...
#
# The tests of a command are those that it prints as TAP; a command without TAP is one test. All
# commands run even if one fails. Status 1 if a test failed, 2 if none passed. The last line gives the
# reason.
#
# If CI=true, a skip is a failure unless its reason matches a line of scripts/skips.txt, since nobody
# reads the log of a green run. SKIPS names another file.
set -u

name=$1
shift 2
skips=${SKIPS:-$(dirname "$0")/skips.txt}
log=$(mktemp)
reasons=$(mktemp)
trap 'rm -f "$log" "$reasons"' EXIT
passed=0 failed=0 skipped=0

# Counts lines of the last command.
lines() { grep -ciE "$1" "$log"; }

run() {
    local status ok not_ok skip
    "$@" 2>&1 | tee "$log"
    status=${PIPESTATUS[0]}
    # TAP skips a whole file by a plan without tests, 1..0.
    skip=$(lines '^(ok [0-9]+|1\.\.0)\b.*# skip')
    ok=$(($(lines '^ok [0-9]+') - $(lines '^ok [0-9]+\b.*# skip')))
    not_ok=$(lines '^not ok [0-9]+')
    sed -nE 's/^(ok [0-9]+|1\.\.0)\b.*# skip ?//Ip' "$log" | sed 's/^$/no reason/' >>"$reasons"
    if ((ok + not_ok + skip == 0 && status == 0)); then
        ok=1
    elif ((not_ok == 0 && status != 0)); then
        not_ok=1
        echo "# status $status: $*"
    fi
    passed=$((passed + ok)) failed=$((failed + not_ok)) skipped=$((skipped + skip))
}

command=()
for word in "$@" --; do
    if [[ $word == -- ]]; then
        run "${command[@]}"
        command=()
    else
        command+=("$word")
    fi
done

# Joins the lines of stdin.
joined() { sort -u | paste -sd';' | sed 's/;/; /g'; }

status=0 why=
if [[ ${CI:-} == true ]]; then
    grep -vE '^(#|$)' "$skips" >"$log"
    why=$(grep -vxE -f "$log" "$reasons" | joined)
    [[ -z $why ]] || status=1 why=": a skip is a failure under CI=true: $why"
fi
if ((failed > 0)); then
    status=1
elif ((passed == 0)); then
    status=2 why=": nothing was tested: $(joined <"$reasons")"
fi
echo "$name: $passed passed, $failed failed, $skipped skipped$why"
exit "$status"

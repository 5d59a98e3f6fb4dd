#!/bin/sh
# Run one part of the tests so that several can run side by side.
#
#   scripts/part.sh FOLDER/NAME COMMAND [ARG...]
#
# Says one line of a part that passes, and its lines that begin with "note: "; of one that fails,
# all that it printed. That is kept in FOLDER/NAME.log, or .failed, for scripts/check.sh to count.
# FOLDER/NAME.running exists while it runs.
#
# What is built with a sanitizer reports to files, and any report is a failure: bats passes a
# test whose stderr nobody looks at.
set -u

part=$1
shift
folder=${part%/*}
mkdir -p "$folder"
rm -f "$part".*
# In quotes, as a space would end it.
reports="log_path='$(cd "$folder" && pwd)/${part##*/}.report'"
export ASAN_OPTIONS="$reports" TSAN_OPTIONS="$reports"
export UBSAN_OPTIONS=print_stacktrace=1

began=$(date +%s)
status=0
trap 'rm -f "$part.running"' EXIT
trap 'exit 130' INT TERM
: >"$part.running"
"$@" >"$part.log" 2>&1 || status=$?
seconds=$(($(date +%s) - began))
if cat "$part".report.* >>"$part.log" 2>/dev/null; then
    status=1
fi
if [ "$status" -ne 0 ]; then
    mv "$part.log" "$part.failed"
    printf -- '--- %s failed after %s s:\n' "$part" "$seconds"
    cat "$part.failed"
    printf -- '--- end of %s\n' "$part"
    exit 1
fi
echo "passed: $part, $seconds s"
grep '^note: ' "$part.log" || true

#!/bin/sh
# Build with as many jobs as processors and memory allow, and show what goes on: a line that counts on a terminal, a line
# for every 20 files elsewhere, nothing if there is nothing to do.
#
#   scripts/build.sh MAKE
set -eu

make=${1:-make}
jobs=$(scripts/jobs.sh)
failed=$(mktemp)
trap 'rm -f "$failed"' EXIT

# How many there are is known when none was compiled yet.
of=
[ -d build/src ] || of=" of $(find src -name '*.c' | wc -l) files"
terminal=0
[ ! -t 1 ] || terminal=1

# What make does is counted; what is wrong goes to standard error as it is.
{ "$make" --no-print-directory -j"$jobs" all || echo failed >"$failed"; } |
    awk -v of="$of" -v jobs="$jobs" -v terminal="$terminal" '
        / -c -o / {
            if (n++ == 0) print "building with " jobs " job" (jobs == 1 ? "" : "s")
            if (terminal) printf "\r\033[Kcompiling %d%s: %s", n, of, $NF
            else if (n % 20 == 0) print "  compiled " n of (of == "" ? " files" : "")
            fflush()
        }
        END { if (terminal && n > 0) printf "\r\033[K" }'
if [ -s "$failed" ]; then
    echo "the build failed; what is wrong stands above" >&2
    exit 1
fi

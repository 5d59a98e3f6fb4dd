#!/bin/sh
# Let clang-tidy look at files, and leave STAMP where it has nothing to say.
#
#   scripts/tidy.sh STAMP FILE... -- COMPILER-OPTION...
#
# With the analyser one file per process: that of clang-tidy 14 invents va_list errors
# otherwise. TIDY is the program; CHECKS are added to those of .clang-tidy, or taken off.
set -u

stamp=$1
shift
if ! said=$("${TIDY:-clang-tidy}" --quiet --checks="${CHECKS:-}" "$@" 2>&1); then
    printf '%s\n' "$said"
    exit 1
fi
: >"$stamp"

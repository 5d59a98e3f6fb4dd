#!/bin/sh
# Let clang-tidy look at one file, and leave STAMP where it has nothing to say.
#
#   scripts/tidy.sh STAMP FILE COMPILER-OPTION...
#
# One file per process: clang-tidy 14 invents va_list errors otherwise. TIDY is the program;
# CHECKS are added to those of .clang-tidy, or taken off.
set -u

stamp=$1
file=$2
shift 2
if ! said=$("${TIDY:-clang-tidy}" --quiet --checks="${CHECKS:-}" "$file" -- "$@" 2>&1); then
    printf '%s\n' "$said"
    exit 1
fi
: >"$stamp"

#!/bin/sh
# Let clang-tidy look at files, and leave STAMP where it has nothing to say.
#
#   scripts/tidy.sh STAMP FILE... -- COMPILER-OPTION...
#
# With the analyser one file per process: that of clang-tidy 14 invents va_list errors
# otherwise. TIDY is the program; CHECKS are added to those of .clang-tidy, or taken off. Versions
# other than 14 (Debian 12) are skipped: .clang-tidy enables groups of checks, and newer versions add to them.
set -u

stamp=$1
shift
case $("${TIDY:-clang-tidy}" --version 2>/dev/null) in
'' | *'version 14.'*) ;;
*) exit 0 ;;
esac
if ! said=$("${TIDY:-clang-tidy}" --quiet --checks="${CHECKS:-}" "$@" 2>&1); then
    printf '%s\n' "$said"
    exit 1
fi
: >"$stamp"

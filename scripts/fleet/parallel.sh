#!/bin/sh
# On one machine, with GNU parallel: record files, or judge a fleet in parts.
#
#   find /dumps -name '*.gcdump' | scripts/fleet/parallel.sh record STORE
#   scripts/fleet/parallel.sh fleet N STORE [OPTION...] >report
#
# One command per file or part; as many at once as there are processors (PARALLEL=-j4 says
# otherwise). What was interrupted can be started again: nothing is stored twice.
set -eu

heapdrift=${HEAPDRIFT:-heapdrift}
usage() {
    sed -n '4,5s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

record() {
    parallel --will-cite --halt never "$heapdrift" record --quiet --store="$1" -- {}
}

fleet() {
    tasks=$1 store=$2
    shift 2
    # One window for all parts, whenever they begin.
    set -- --until="$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$@"
    parts=$(mktemp -d)
    trap 'rm -rf "$parts"' EXIT
    trap 'exit 143' INT TERM HUP
    # What is quoted here is quoted once more for the shells of parallel.
    seq "$tasks" | parallel --will-cite --halt now,fail=1 -q \
        "$heapdrift" fleet --store="$store" "$@" --shard="{}/$tasks" -o "$parts/{}.part"
    # shellcheck disable=SC2086 # none, or several words
    "$heapdrift" fleet --merge ${REPORT_OPTIONS:-} -- "$parts"/*.part
}

case ${1:-} in
record) [ $# -eq 2 ] || usage ;;
fleet) [ $# -ge 3 ] || usage ;;
*) usage ;;
esac
"$@"

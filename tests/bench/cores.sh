#!/bin/sh
# Speed and memory of core dumps beside gcdumps of the same heap: tests/bench/cores.sh BUILD_DIR
#
# Takes them of tests/live/corelab, which needs the .NET SDK; says so where there is none.
# BENCH_CORE=STEM uses STEM.core and STEM.gcdump instead.
set -eu
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"

stem=${BENCH_CORE:-$folder/workstation}
if [ ! -e "$stem.core" ]; then
    command -v dotnet >/dev/null || { echo "core dumps: skipped, no dotnet here"; exit 0; }
    # Some 45 objects per session: 3,000,000, as in docs/performance.md.
    HEAPDRIFT=$(cd "$1" && pwd)/heapdrift "$(dirname "$0")/../live/corelab.sh" take workstation "$folder" quiet --size=66000
fi
core=$stem.core gcdump=$stem.gcdump touched=$folder/touched.core

# The part of the core that is looked at.
"$(dirname "$0")/../live/cut_core.py" --heapdrift="$program" "$core" "$touched" top
count_of() { "$program" info --format=json "$1" | jq '.snapshots[0].objects'; }
objects=$(count_of "$core")

# The most memory that a command has besides mapped files. Samples, some hundred per second.
anonymous() {
    "$@" >/dev/null &
    most=0
    while kill -0 $! 2>/dev/null; do
        while read -r key value _; do
            if [ "$key" = RssAnon: ] && [ "$value" -gt "$most" ]; then most=$value; fi
        done <"/proc/$!/status" || break
    done 2>/dev/null
    wait $!
    echo $((most * 1024))
}

time_beside_chase "$objects" "md5=md5sum $touched" "core=$program top -j1 $core" "core2=$program top -j2 $core" \
    "gcdump=$program top -j1 $gcdump" "table=$program top -j1 --tables-only $core"

headline
chase_rates "$objects"
rates "md5sum of what is touched" md5 "$touched"
rates "top, core, -j1" core "$core"
rates "top, core, -j2" core2 "$core"
rates "top, gcdump, -j1" gcdump "$gcdump" "$(count_of "$gcdump")"
rates "table, core, -j1" table "$core"
table_head
row "top of a core / of the gcdump, per object" \
    "$(calculate "$(cpu_ratio_of core gcdump) * $(count_of "$gcdump") / $objects")" times "<=" 2
time_row "top of a core / md5sum of what is touched" core md5 "<=" 5
time_row "top of a core / pointer chase" core random "<=" 1.5
row "memory beside the file, per object" "$(ratio "$(anonymous "$program" top -j1 "$core")" "$objects")" bytes "<=" 100
exit $failed

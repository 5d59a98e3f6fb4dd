#!/bin/sh
# What fleet costs per run of a process: tests/bench/fleet.sh BUILD_DIR
#
# Records of 10^2 to 10^5 runs with 48 snapshots each are added up, and runs of a store
# compared. Each size is measured FLEET_RUNS times (3), the fastest counts; seconds are those
# of the processor, so that what else runs here does not.
set -eu

[ $# -eq 1 ] || { echo "usage: $0 BUILD_DIR" >&2; exit 2; }
program=$1/heapdrift simulate=$1/simulate-fleet
runs=${FLEET_RUNS:-3}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
failed=0

# fastest COMMAND...: seconds and most memory in kB of the fastest.
fastest() {
    i=0
    while [ $i -lt "$runs" ]; do
        /usr/bin/time -f '%U %S %M' -a -o "$folder/times" "$@" -j1 >/dev/null 2>&1
        i=$((i + 1))
    done
    awk '{ print $1 + $2, $3 }' "$folder/times" | sort -n | head -1
    rm "$folder/times"
}

# gate NAME VALUE LIMIT
gate() {
    verdict=$(awk "BEGIN { print ($2 <= $3) ? \"ok\" : \"TOO MUCH\" }")
    printf '%-44s %10s  <= %s  %s\n' "$1" "$2" "$3" "$verdict"
    [ "$verdict" = ok ] || failed=1
}

# A host has 15 runs: three services, five builds.
for hosts in 7 67 667 6667; do
    "$simulate" records "$folder/part" hosts=$hosts restarts=0 2>/dev/null
    echo "$((hosts * 15)) $(fastest "$program" fleet --merge "$folder/part" --by=build --format=json)"
done >"$folder/merged"
echo "records added up: runs, seconds, kB"
cat "$folder/merged"
gate "exponent, 10^3 to 10^5 runs" "$(awk 'NR == 2 { n = $1; t = $2 } NR == 4 { printf "%.3f", log($2 / t) / log($1 / n) }' "$folder/merged")" 1.05
gate "memory per run, bytes" "$(awk 'NR == 2 { n = $1; m = $3 } NR == 4 { printf "%.0f", ($3 - m) * 1024 / ($1 - n) }' "$folder/merged")" 4096

for hosts in 20 200; do
    "$simulate" store "$folder/$hosts.db" hosts=$hosts restarts=0 days=10 every=12 2>/dev/null
    echo "$((hosts * 15)) $(fastest "$program" fleet --store="$folder/$hosts.db" --since=all --min-span=0 --format=json)"
done >"$folder/compared"
echo "runs of a store compared, 4 snapshots each: runs, seconds, kB"
cat "$folder/compared"
gate "exponent, 300 to 3,000 runs" "$(awk 'NR == 1 { n = $1; t = $2 } NR == 2 { printf "%.3f", log($2 / t) / log($1 / n) }' "$folder/compared")" 1.05
exit $failed

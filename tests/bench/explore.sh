#!/bin/sh
# The browser: from a key to the screen, and its indexes: tests/bench/explore.sh BUILD_DIR
set -eu
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"
press=$1/press-keys
[ -x "$press" ] || { echo "$0: needs $press" >&2; exit 2; }
runs=3

before=$folder/0.gcdump after=$folder/1.gcdump
"$make_heap" "$objects" "$before" --step=0 --leak=$((objects / 16))
"$make_heap" "$objects" "$after" --step=1 --leak=$((objects / 16))
cat "$before" "$after" >/dev/null

# The best of the runs, key by key: what others do meanwhile is not the browser's.
for run in $(seq "$runs"); do
    "$press" "$before" "$after" | awk '{ print NR, $1, $2 }' >"$folder/keys.$run"
done
sort -n -k1,1 -k3,3 "$folder"/keys.* | awk '$1 != last { print; last = $1 }' >"$folder/keys"
worst=$(grep -v indexes "$folder/keys" | sort -g -k3 | tail -n1)
usual=$(grep -v indexes "$folder/keys" | awk '{ print $3 }' | sort -g |
    awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }')
indexes=$(awk '$2 == "indexes" { print $3 }' "$folder/keys")
time_beside_chase "$objects" "top=$program top -j1 $after" "empty=$reference 0 0"

headline
chase_rates "$objects"
echo "slowest key: $worst ms; half of the keys: $usual ms"
table_head
row "slowest key / walk over as many in order" \
    "$(calculate "$(echo "$worst" | cut -d ' ' -f 3) / 1000 / $(wall in_order)")" times "<=" 2
row "half of the keys / an empty program" "$(calculate "$usual / 1000 / $(wall empty)")" times "<=" 2
row "indexes of objects / top, 1 thread" \
    "$(calculate "$indexes / 1000 / $(wall top)")" times "<=" 1.5
exit $failed

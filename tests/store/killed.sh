#!/bin/sh
# Writers that are killed at random moments, many times, on one file of SQLite: what they said to
# have stored is there, nothing is there half or twice, and the next one goes on.
#
#   tests/store/killed.sh HEAPDRIFT [TIMES [SEED]]
set -eu

heapdrift=$1
times=${2:-300}
seed=${3:-$(date +%s)}
folder=$(mktemp -d "${TMPDIR:-/tmp}/heapdrift-killed-XXXXXX")
trap 'rm -rf "$folder"' EXIT
db=$folder/store.db

ask() {
    /usr/bin/env python3 -c 'import sqlite3, sys
for row in sqlite3.connect(sys.argv[1], timeout=60).execute(sys.argv[2]): print(*row, sep="|")' "$db" "$1"
}

# So many small snapshots that differ.
make_snapshots() {
    awk -v folder="$folder" 'BEGIN {
        for (i = 0; i < 200; i++) {
            file = folder "/" i ".txt"
            printf "a 2 App.exe 1\nt 1 App.Order\nt 2 App.T%d\no 1 1 18 2\no 2 2 %x\nr 1 3 0\nc App.exe 2\n", i % 50, i + 16 >file
            close(file)
        }
    }'
}

# A writer of all of them, in an order of its own, for some milliseconds.
write_and_be_killed() {
    find "$folder" -name '*.txt' | sort -R --random-source="$folder/random" >"$folder/list$1"
    # shellcheck disable=SC2046 # a list of words
    "$heapdrift" record -q --store="$db" --service=shop $(cat "$folder/list$1") >>"$folder/said$1" 2>>"$folder/err$1" &
    sleep "$2"
    kill -KILL $! 2>/dev/null || true
    wait $! 2>/dev/null || [ $? -ne 137 ] || echo >>"$folder/hits$1"
}

make_snapshots
echo "seed $seed"
i=0
while [ "$i" -lt "$times" ]; do
    i=$((i + 1))
    awk -v seed="$((seed + i))" 'BEGIN { srand(seed); for (k = 0; k < 4000; k++) printf "%d", 1e6 * rand() }' >"$folder/random"
    first=$(awk -v seed="$((seed + i))" 'BEGIN { srand(seed); printf "%.3f", rand() * 0.2 }')
    second=$(awk -v seed="$((seed - i))" 'BEGIN { srand(seed); printf "%.3f", rand() * 0.2 }')
    write_and_be_killed 1 "$first" &
    write_and_be_killed 2 "$second"
    wait
    # Begin anew now and then, with the making of the tables.
    if [ $((i % 20)) -eq 0 ]; then
        check=$(ask "SELECT (SELECT COUNT(*) FROM type_size WHERE objects > 0) - 2 * COUNT(*), COUNT(*) - COUNT(DISTINCT xxh3) FROM snapshot")
        orphans=$(ask "SELECT COUNT(*) FROM series WHERE NOT EXISTS (SELECT 1 FROM snapshot WHERE series_id = series.id)")
        whole=$(ask "PRAGMA integrity_check")
        said=$(grep -h ': recorded: ' "$folder"/said? | cut -d: -f1 | sort | uniq -d | wc -l)
        lost=$(($(grep -h 'recorded' "$folder"/said? | cut -d: -f1 | sort -u | wc -l) - $(ask "SELECT COUNT(*) FROM snapshot")))
        if [ "$check" != '0|0' ] || [ "$orphans" != 0 ] || [ "$whole" != ok ] || [ "$said" != 0 ] || [ "$lost" -gt 0 ]; then
            echo "round $i: rows $check, series $orphans, $whole, twice $said, lost $lost" >&2
            exit 1
        fi
        if [ -s "$folder/err1" ] || [ -s "$folder/err2" ]; then
            cat "$folder"/err? >&2
            exit 1
        fi
        rm -f "$db" "$db"-* "$folder"/said?
    fi
done
hits=$(cat "$folder"/hits? 2>/dev/null | wc -l)
if [ "$hits" -eq 0 ]; then
    echo "every writer had ended before it was to be killed" >&2
    exit 1
fi
echo "$times times two writers, $hits of them killed while they wrote: nothing lost, half or twice"

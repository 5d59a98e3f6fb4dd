#!/bin/bash
# Sizes and times of digests beside the snapshots that they are of: tests/bench/digests.sh BUILD_DIR
#
# A row for each series in fixtures/, the last snapshot of it and the diff of all; then what making
# one costs beside `top`, and what it takes to compare 50. Ratios of one run count.
set -eu
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"

best() { # COMMAND...: the least seconds of the processor, of five
    for _ in 1 2 3 4 5; do
        /usr/bin/time -f '%U %S' -o "$folder/used" "$@" >/dev/null 2>&1
        awk '{ printf "%.3f\n", $1 + $2 }' "$folder/used"
    done | sort -n | head -1
}

echo '| series | snapshot | digest | ratio | diff of snapshots | diff of digests |'
echo '| --- | ---: | ---: | ---: | ---: | ---: |'
for series in fixtures/leaklab/*/ fixtures/leaklab2/*/ fixtures/services/*/*/; do
    files=$(find "$series" -maxdepth 1 -name '*.gcdump.*' | sort -V)
    [ "$(wc -l <<<"$files")" -gt 1 ] || continue
    rm -rf "$folder/snapshots" "$folder/digests"
    mkdir "$folder/snapshots" "$folder/digests"
    for file in $files; do
        name=$(basename "$file")
        name=${name%%.*}
        "$program" convert -q --to=gcdump "$file" -o "$folder/snapshots/$name.gcdump"
        "$program" convert -q "$folder/snapshots/$name.gcdump" -o "$folder/digests/$name.digest"
    done
    snapshot=$(wc -c <"$folder/snapshots/$name.gcdump") digest=$(wc -c <"$folder/digests/$name.digest")
    echo "| ${series#fixtures/} | $((snapshot / 1000)) kB | $((digest / 1000)) kB | 1/$((snapshot / digest)) |" \
        "$(best "$program" diff "$folder/snapshots") s | $(best "$program" diff "$folder/digests") s |"
done

# What it costs to make one, of a large heap; and to compare as many as can be compared.
large=$folder/large.gcdump
"$make_heap" "$objects" "$large"
echo
echo "a heap of $objects objects: $(wc -c <"$large") bytes"
top=$(best "$program" top -j1 "$large")
made=$(best "$program" convert -q "$large" -o "$folder/large.digest")
echo "its digest: $(wc -c <"$folder/large.digest") bytes; top $top s, convert $made s of the processor"
mkdir "$folder/fifty"
for k in $(seq 50); do cp "$folder/digests/$name.digest" "$folder/fifty/$k.digest"; done
echo "50 digests of $(wc -c <"$folder/digests/$name.digest") bytes: diff $(best "$program" diff "$folder/fifty") s of the processor"

# What a series of an ASP.NET service takes in a store, beside what it would take whole.
find fixtures/leaklab2/svc-timer -name '*.gcdump.*' | sort -V | xargs "$program" record -q --store="$folder/store.db" \
    --service=web --host=h >/dev/null
stored=$(python3 -c 'import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute("""SELECT SUM(LENGTH(digest)) * 1.0 / COUNT(*) / MAX(CASE WHEN base_id IS NULL THEN
    LENGTH(digest) END), (SELECT COUNT(*) FROM type_row) * 1.0 / (SELECT COUNT(*) FROM type_size) FROM snapshot"""): print(*row)' \
    "$folder/store.db")
table_head
row "stored / digest, five in a row" "${stored% *}" times "<=" 0.65
row "rows / types, five in a row" "${stored#* }" times "<=" 0.25
row "convert to digest / top, processor" "$(ratio "$made" "$top")" times "<=" 1.7
row "digest / gcdump" "$(ratio "$(wc -c <"$folder/large.digest")" "$(wc -c <"$large")")" times "<=" 0.05
exit $failed

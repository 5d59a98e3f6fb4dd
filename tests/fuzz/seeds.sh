#!/bin/sh
# Write what one harness begins with to build/fuzz/seeds/HARNESS: small fixtures, asked every
# question, and what the forges make.
#
#   tests/fuzz/seeds.sh HARNESS
set -eu

harness=$1
here=tests/fuzz
seeds=build/fuzz/seeds/$harness
mkdir -p "$seeds"

small() { find "$@" -type f -size -12 ! -name "expected.json*" | sort; }

case $harness in
gcdump) files=$(small fixtures/gcdump-made) ;;
nettrace) files=$(small fixtures/nettrace-vectors) ;;
text) files=$(small fixtures/heap-text) ;;
table) files=$(small fixtures/dumpheap-stat fixtures/text-forms fixtures/type-tables) ;;
packed) files="fixtures/gcdump-made/tiny.gcdump fixtures/heap-text/example.txt fixtures/type-tables/table.csv" ;;
budget | baseline | store | session) files=$(small "$here/seeds/$harness") ;;
digest | delta)
    # As JSON: a fuzzer learns nothing from what is packed.
    files=
    for file in $(small fixtures/gcdump-made fixtures/type-tables); do
        plain=build/fuzz/$(basename "$file").json
        build/heapdrift convert -q --to=digest "$file" -o - 2>/dev/null | zstd -dcq >"$plain" || continue
        files="$files $plain"
    done
    ;;
*) files= ;;
esac
rm -f "$seeds"/*
build/fuzz-seeds "$harness" "$seeds" $files

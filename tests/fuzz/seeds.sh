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
symbols)
    files=build/fuzz/symbols.dbg
    printf '%s\n' '1000 v Shop_Acme_Orders' '1040 v __Array<Shop_Acme_Orders_Line_1>' '0 t Shop_Acme_Orders__Add' \
        '1080 v S_P_CoreLib_System_Box_2<Int32__Shop_Acme_Orders___c__DisplayClass0_0___Main_b__1_d>' \
        '10c0 b __GCStaticEEType_01' '8 v Shop__Module_' | python3 tests/cli/elf_symbols.py "$files"
    ;;
budget | baseline | store | session) files=$(small "$here/seeds/$harness") ;;
digest | delta)
    # As JSON: a fuzzer learns nothing from what is packed.
    files=
    for file in $(small fixtures/gcdump-made fixtures/type-tables); do
        plain=build/fuzz/$(basename "$file").json
        build/heapdrift convert -q --to=digest "$file" -o - 2>/dev/null | zstd -dcq |
            sed 's/"instance":/"process_facts":"resident=80203776 of_gc=5 thread=3:.NET%20TP","instance":/' >"$plain" || continue
        files="$files $plain"
    done
    ;;
*) files= ;;
esac
rm -f "$seeds"/*
build/fuzz-seeds "$harness" "$seeds" $files

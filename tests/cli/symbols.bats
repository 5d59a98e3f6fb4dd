# --symbols: names for the types of Native AOT programs, which files have by number.
load helper

setup() {
    begin
    dbg=$tmp/Shop.dbg
    heap=$tmp/heap.csv
    symbols=(
        '1000 v Shop_Acme_Orders' '1040 v __Array<Shop_Acme_Orders_Line_1>' '0 t Shop_Acme_Orders__Add'
        '1080 v S_P_CoreLib_System_Collections_Generic_List_1<Shop_Acme_Orders_Line_1>'
        '10c0 v Newtonsoft_Json_Linq_JObject_abc' '1100 b __GCStaticEEType_01' '8 v Shop__Module_'
    )
    printf '%s\n' "${symbols[@]}" | python3 tests/cli/elf_symbols.py "$dbg"
    printf '%s\n' type,count,bytes 'TypeID(0x1000),1,24' 'ArrayType(0x1040),2,48' 'Type(0x1080),3,72' \
        'TypeID(0x10c0),4,96' 'TypeID(0x1100),5,120' System.String,6,144 >"$heap"
}

@test "--symbols names types by the symbols of a .dbg file" {
    works top -q --format=csv --symbols="$dbg" "$heap"
    local name
    for name in Acme.Orders,1 'Acme.Orders+Line`1[],2' 'System.Collections.Generic.List<Acme.Orders+Line`1>,3' \
        Newtonsoft_Json_Linq_JObject_abc,4 '<static variables>,5' System.String,6; do
        out_has "$name"
    done
}

@test "without --symbols they have their numbers, whatever a file calls them" {
    works top -q --format=csv "$heap"
    out_has 'TypeID(0x1040),2'
    out_has 'TypeID(0x1080),3'
}

@test "--symbols works for every command that reads snapshots" {
    local command
    for command in diff top check tree report info; do
        hd $command -q --symbols="$dbg" --format=json "$heap" "$heap"
        [[ $err != *unknown* ]] || complain "$command does not know --symbols"
    done
    works diff -q --symbols="$dbg" "$heap" "$heap"
    works convert -q --symbols="$dbg" "$heap" -o "$tmp/named.csv"
    grep -q '^Acme.Orders,1,24' "$tmp/named.csv"
    works record -q --symbols="$dbg" --store="$tmp/runs.db" --service=shop "$heap"
}

@test "symbols of another build are refused" {
    printf '%s\n' "${symbols[@]}" | sed 's/^1/2/' | python3 tests/cli/elf_symbols.py "$tmp/other.dbg"
    hd top --symbols="$tmp/other.dbg" "$heap"
    status_is 2
    err_is "heapdrift: $heap: $tmp/other.dbg is of another program or build: 5 of 5 types are not in it"
}

@test "symbols do not affect a heap with names" {
    works top -q --symbols="$dbg" "$before"
    local with=$out
    works top -q "$before"
    out_is "$with"
}

@test "what has no symbols of a Native AOT program is refused" {
    printf '0 t main\n' | python3 tests/cli/elf_symbols.py "$tmp/plain"
    printf 'MZ\x90\0' >"$tmp/windows"
    printf '\xcf\xfa\xed\xfe\7\0\0\1' >"$tmp/macos"
    head -c 100 "$dbg" >"$tmp/cut"
    cp "$dbg" "$tmp/narrow"
    printf '\1' | dd of="$tmp/narrow" bs=1 seek=4 conv=notrunc status=none
    cp "$dbg" "$tmp/outside"
    printf '\377\377\377\377\377' | dd of="$tmp/outside" bs=1 seek=40 conv=notrunc status=none
    mkfifo "$tmp/pipe"
    local name why
    while IFS='|' read -r name why; do
        hd top --symbols="$tmp/$name" "$heap"
        status_is 2
        err_is "heapdrift: $tmp/$name: $why"
    done <<'END'
plain|no symbols of a Native AOT program, and not such a program of .NET 8 to 11
windows|a program of Windows; only ELF files are read
macos|a program of macOS; only ELF files are read
cut|damaged: its section headers are not in the file
narrow|an ELF file that is not of 64 bits
outside|damaged: its section headers are not in the file
pipe|not a file
.|not a file
missing|No such file or directory
END
}

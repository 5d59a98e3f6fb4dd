# heapdrift object: one instance.
load helper

dump=fixtures/leaklab/cache/5.gcdump.gz
session=0x7f5d23ee5c68

@test "one object in text, as Markdown and as CSV" {
    golden object.txt object -q --width=80 $dump $session
    golden object.md object -q --format=md $dump $session
    golden object.csv object -q --format=csv $dump $session
}

@test "the example of a chain is an object to look at" {
    local address
    works roots -q --format=json -t Session $dump
    address=$(json '.chains[0].example.address')
    works object -q --format=json $dump "$address"
    [[ $(json '.object.type') == Shop.Sessions.Session ]]
    [[ $(json '.object.reachable, .object.root_kind, .object.instances' | xargs) == "true static 6000" ]]
    [[ $(json '.chain[0].type') == "[static vars]" ]]
    [[ $(json '.chain[-1].address') == "$address" ]]
    # And so is what holds it.
    works object -q --format=json $dump "$(json '.referred_by[0].address')"
    [[ $(json '.object.type') == Node* ]]
    [[ $(json '[.fields[].to.address] | index("'"$address"'") != null') == true ]]
}

@test "an address is hexadecimal with and without 0x, a number stands behind a #" {
    local address
    works object -q $dump $session
    local whole=$out
    for address in 7f5d23ee5c68 0X7F5D23EE5C68 00007f5d23ee5c68 '#53714'; do
        works object -q $dump "$address"
        out_is "$whole"
    done
    works object -q - '#53714' <$dump
    out_is "${whole/5.gcdump.gz/-}"
    hd object $dump 53714
    fails_with "$dump: no object at 0x53714: the first is at 0x7f5d1f000028"
}

@test "an address inside an object means that object" {
    works object -q $dump 0x7f5d23ee5c8f
    out_has "0x7f5d23ee5c68; 0x7f5d23ee5c8f is inside it, 39 bytes behind its beginning"
    works object -q --format=json $dump 0x7f5d23ee5c8f
    [[ $(json '.asked | tojson') == '{"address":"0x7f5d23ee5c8f","offset":39,"values":false}' ]]
    works object -q --format=json $dump '#53714'
    [[ $(json '.asked | tojson') == '{"address":null,"offset":null,"values":false}' ]]
}

@test "where no object is, the nearest are named" {
    hd object $dump 0x7f5d23ee5c66
    fails_with "$dump: no object at 0x7f5d23ee5c66, which is free or unused: the previous one, of 34 bytes, is at 0x7f5d23ee5c40, the next at 0x7f5d23ee5c68"
    hd object $dump ffffffffffffffff
    fails_with "$dump: no object at 0xffffffffffffffff: the last, of 40 bytes, is at 0x7f68e9c119f0"
    hd object $dump '#94892'
    fails_with "$dump: no object 94892: objects are numbered from 0 to 94891"
}

@test "what is neither an address nor a number is refused" {
    local place
    for place in '' 0x 0 '#' '#-1' '#4294967295' '#99999999999999999999' -- -1 +1 ' 12' 12g 0x1.5 1_000 \
        10000000000000000 0x1ffffffffffffffff $'12\x1b[31m'; do
        hd object "$dump" -- "$place"
        status_is 2
        out_is ""
        err_has "must be an address such as 0x7f5d2193ec88"
        err_lacks $'\x1b'
    done
    for args in "" "$dump"; do
        hd object $args
        status_is 2
        [[ $err == "heapdrift: object needs a snapshot and an address"*"'#1234'" ]] || complain "other words"
    done
    hd object $session $dump
    fails_with "the snapshot comes first: heapdrift object $dump $session"
    hd object $dump 12 13
    fails_with "12: No such file or directory"
}

@test "of several snapshots it is one of the last, and told since when it is there" {
    local series=fixtures/leaklab2/tenants-slow k address
    for k in 1 2 3 6; do
        works roots -q --format=json -t Zoo.Tenants.Item --born=$k "$series"
        address=$(json '.chains[0].example.address')
        works object -q --format=json "$series" "$address"
        [[ $(json '.since | tojson') == "{\"snapshot\":$((k - 1)),\"of\":6,\"identity\":\"order\"}" ]] || complain "born in $k"
        [[ $(json '.snapshot.path') == "$series/5.gcdump.xz" ]]
        python tests/cli/check_json.py docs/json-schema <(printf '%s' "$out")
        works object -q "$series" "$address"
        case $k in
        1) out_has "there       since before the first of 6 snapshots" ;;
        *) out_has "there       since snapshot $k of 6" ;;
        esac
        out_has "snapshot    5.gcdump.xz"
    done
    works object -q "$series/5.gcdump.xz" "$address"
    out_lacks since
    # Nobody knows of two processes.
    works object -q fixtures/leaklab/none/1.gcdump.gz "$series/5.gcdump.xz" "$address"
    out_has "there       since when is not known"
    works object -q --format=json fixtures/leaklab/none/1.gcdump.gz "$series/5.gcdump.xz" "$address"
    [[ $(json '.since') == null ]]
}

@test "snapshots without addresses take numbers, tables have no objects" {
    hd object "$before" 0x12
    fails_with "$before: this heap-text has no addresses: give the number of the object"
    works object -q "$before" '#3'
    out_has '#3'
    hd object fixtures/type-tables/table.csv '#3'
    fails_with "fixtures/type-tables/table.csv: no single objects in this snapshot: it is a table, or its references were not read"
    hd object fixtures/no-such-file 0x12
    fails_with "fixtures/no-such-file: No such file or directory"
}

@test "a trace has addresses and generations" {
    local trace=fixtures/leaklab/nettrace/1.nettrace.zst address
    works roots -q --format=json -t Session $trace
    address=$(json '.chains[0].example.address')
    works object -q $trace "$address"
    out_matches 'generation +(gen|poh|loh)'
    works object -q --width=120 $trace "$address"
    out_matches ' gen +type'
}

@test "an array shows its first elements, and --rows says how many" {
    works object -q $dump '#85986'
    out_has "20 of 5,060"
    out_has "… 5,040 more"
    works object -q -n 2 $dump '#85986'
    out_has "2 of 5,060"
    works object -q -n 0 --format=json $dump '#85986'
    [[ $(json '.fields | length') == 5060 ]]
    [[ $(json '.fields_omitted') == 0 ]]
}

@test "what no root reaches is told as that" {
    local number
    number=$("$HEAPDRIFT" info -q --format=json "$before" | jq '.snapshots[0] | .objects - .reachable_objects')
    [[ $number -gt 0 ]] || skip "all of it is reachable"
    for number in $(seq 0 40); do
        works object -q --format=json "$before" "#$number"
        [[ $(json .object.reachable) == false ]] || continue
        [[ $(json .object.root_kind) == null ]]
        [[ $(json '.chain[0].kind') == object ]]
        works object -q "$before" "#$number"
        out_has "no: no root reaches it"
        return
    done
}

@test "JSON is valid under its schema" {
    {
        for file in $dump "$before" fixtures/gcdump-made/{sampled,v10}.gcdump fixtures/leaklab/nettrace/1.nettrace.zst; do
            for number in 0 1 2 3 5 8 13; do
                "$HEAPDRIFT" object -q --format=json "$file" "#$number" || true
            done
        done 2>/dev/null
        "$HEAPDRIFT" object -q --format=json -n 1 --values $dump '#85986'
    } >"$tmp/results.json"
    python tests/cli/check_json.py docs/json-schema "$tmp/results.json"
}

@test "the second heap of a trace has objects of its own" {
    hd object 'fixtures/leaklab/nettrace/1.nettrace.zst#2' '#3'
    [[ $status == 0 || $err == *"#2"* ]] || complain "which heap?"
}

@test "a page and TSV are written as well" {
    works object -q --format=html $dump $session
    out_has "Shop.Sessions.Session"
    works object -q --format=tsv $dump $session
    [[ $(head -1 <<<"$out") == part$'\t'name$'\t'* ]]
    hd object --format=dot $dump $session
    fails_with '--format=dot is for `heapdrift tree`'
}

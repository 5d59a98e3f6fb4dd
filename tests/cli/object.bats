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

@test "an address is hexadecimal with and without 0x, a number follows a #" {
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
    out_has "0x7f5d23ee5c68; 0x7f5d23ee5c8f is inside it, 39 bytes after its start"
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

@test "arguments other than addresses and numbers are refused" {
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
        [[ $err == "heapdrift: object needs a snapshot and an address"*"'#1234', or --type=MyApp.Order" ]] || complain "other words"
    done
    hd object $session $dump
    fails_with "give the snapshot first: heapdrift object $dump $session"
    hd object $dump 12 13
    fails_with "12: No such file or directory"
}

@test "with several snapshots the object is one of the last, with its first snapshot" {
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
    out_has "there       since an unknown snapshot"
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

@test "an array shows its first elements, limited by --rows" {
    works object -q $dump '#85986'
    out_has "20 of 5,060"
    out_has "… 5,040 more"
    works object -q -n 2 $dump '#85986'
    out_has "2 of 5,060"
    works object -q -n 0 --format=json $dump '#85986'
    [[ $(json '.fields | length') == 5060 ]]
    [[ $(json '.fields_omitted') == 0 ]]
}

@test "unreachable objects are marked" {
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

# --- those of some types -------------------------------------------------------------

@test "the instances of types in text, as JSON and as CSV" {
    golden objects.txt object -q --width=100 -n 5 --type='Shop.*' $dump
    golden objects.md object -q --format=md -n 2 --type=Session $dump
    golden objects.json object -q --format=json -n 2 --type=Session $dump
    golden objects.csv object -q --format=csv -n 3 --type=Session $dump
}

@test "tables for programs have all instances, and each is one of roots" {
    works object -q --format=csv -t Session $dump
    [[ $(wc -l <<<"$out") == 6001 ]]
    works object -q --format=tsv -n 7 -t Session $dump
    [[ $(wc -l <<<"$out") == 8 ]]
    works object -q --format=json -n 0 -t Session $dump
    [[ $(json '[(.objects | length), .objects_omitted, .count, .held.static] | tojson') == "[6000,0,6000,6000]" ]]
    [[ $(json '.objects | map(.bytes) | add') == "$(json .bytes)" ]]
    local address
    address=$(json '.objects[17].address')
    [[ $(json '.objects[17].retained') == "$("$HEAPDRIFT" object -q --format=json $dump "$address" | jq .object.retained)" ]]
    works top -q --format=json -t Session $dump
    local whole
    whole=$(json '[.types[0].count, .types[0].bytes, .types[0].retained] | tojson')
    works object -q --format=json -t Session $dump
    [[ $(json '[.count, .bytes, .retained] | tojson') == "$whole" ]]
}

@test "those that were new in a snapshot are those of roots" {
    local series=fixtures/leaklab2/tenants-slow n wanted
    for n in 1 2 3..5; do
        works roots -q --format=json -t Zoo.Tenants.Item --born=$n "$series"
        wanted=$(json .born.instances)
        works object -q --format=json -n 0 -t Zoo.Tenants.Item --born=$n "$series"
        [[ $(json .count) == "$wanted" ]] || complain "born in $n"
        [[ $(json '.objects | map(.since + 1) | [min, max] | unique | map(tostring) | join("..")') == "$n" ]]
        [[ $(json '.born | unique | map(tostring) | join("..")') == "$n" ]]
        [[ $(json .identity) == order ]]
    done
    works object -q --format=json -n 0 -t Zoo.Tenants.Item "$series"
    [[ $(json '[.count, .born] | tojson') == '[2420,null]' ]]
    [[ $(json '.objects | map(select(.since == 0)) | length') == 2120 ]]
    works object -q -n 1 -t Zoo.Tenants.Item --born=2..4 "$series"
    out_has "174 Zoo.Tenants.Item objects in 5.gcdump.xz, new in snapshots 2 to 4,"
}

@test "a type with an address, filters without a type, and missing objects are refused" {
    local series=fixtures/leaklab2/tenants-slow option
    hd object -t Session $dump $session
    fails_with "object takes an address or --type, not both: $session"
    hd object -t Session $dump '#7'
    fails_with "object takes an address or --type, not both: #7"
    hd object -t Session --values $dump
    fails_with "--values applies to one object: it cannot be combined with --type"
    for option in --born=2 --gen2 --app-only --exclude=Order; do
        hd object $option $dump $session
        fails_with "${option%=*} needs a type: heapdrift object --type=MyApp.Order SNAPSHOT"
    done
    hd object -t Sesion $dump
    fails_with "$dump: no type matches Sesion; did you mean Shop.Sessions.Session?"
    hd object -t Item --born=2..9 "$series"
    fails_with "no snapshot 9: there are 6"
    hd object -t Session --born=1 $dump
    fails_with "$dump: new objects need two snapshots to compare"
    hd object -t Session
    fails_with "object takes 1 to 50 snapshots, not 0"
    hd object -t String fixtures/type-tables/table.csv
    fails_with "fixtures/type-tables/table.csv: a table-csv holds no objects"
    works convert -q $dump -o "$tmp/a.digest"
    hd object -t Session "$tmp/a.digest"
    fails_with "$tmp/a.digest: a digest holds no objects"
}

@test "instances in all kinds of files are valid under their schema" {
    for file in $dump "$before" fixtures/gcdump-made/{sampled,v10}.gcdump fixtures/leaklab/nettrace/1.nettrace.zst \
        fixtures/heap-text/no-roots.txt fixtures/leaklab2/tenants-slow; do
        works object -q --format=json -n 3 --type='*' "$file"
        [[ $(json '(.held | add) == .count') == true ]]
        [[ $(json '(.by_type | map(.count) | add) == .count') == true ]]
        printf '%s\n' "$out" >>"$tmp/results.json"
    done
    python tests/cli/check_json.py docs/json-schema "$tmp/results.json"
    works object -q --format=json -n 1 --type='*' fixtures/heap-text/no-roots.txt
    [[ $(json '[.retained, .objects[0].retained, .objects[0].root_kind] | unique | tojson') == '[null]' ]]
}

@test "objects have the age from gcdumps and the fields from a following core dump" {
    local series=(fixtures/core/net10.{gcdump,core}.xz) type
    works object -q --format=json -n 0 -t 'Shop.*' --born=1 "${series[@]}"
    [[ $(json '[.count, .identity, (.objects | map(.since) | unique)] | tojson') == '[875,"order",[0]]' ]]
    [[ $(json '[.held[]] | add') == 875 ]]
    works roots -q --format=json -t Shop.LogEntry --born=1 "${series[@]}"
    [[ $(json '[.chains[0].frames[].field | values] | tojson') == '["[]","Log","_items","[]"]' ]] ||
        complain "$(json '[.chains[0].frames[].field] | tojson')"
    [[ $(json '.chains[0].held_by') == "static Store.s_recent" ]]
    # Formats spell nested types differently: either name will do.
    works object -q --format=json -t 'System.Collections.*' "${series[1]}"
    type=$(json '[.by_type[] | select(.full_name)][0].type')
    for name in "$type" "$(json '[.by_type[] | select(.full_name)][0].full_name')"; do
        works object -q --format=json -t "$name" "${series[@]}"
        [[ $(json '.by_type[0].type') == "$type" ]] || complain "$name in the core dump"
        works object -q --format=json -t "$name" "${series[1]}" "${series[0]}"
        [[ $(json '.by_type[0].type') == "$type" ]] || complain "$name in the gcdump"
    done
}

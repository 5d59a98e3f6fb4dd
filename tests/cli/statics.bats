# heapdrift statics: static variables.
load helper

core=fixtures/core/net10.core.xz
dump=fixtures/leaklab/cache/5.gcdump.gz

@test "static variables in text, as Markdown and as CSV" {
    golden statics.txt statics -q --width=100 --app-only -n12 $core
    golden statics.md statics -q --format=md --app-only -n12 $core
    golden statics.csv statics -q --format=csv --type='Shop.Store*' $core
    golden statics-gcdump.txt statics -q --width=80 -n5 $dump
}

@test "each refers to an object with this address, type and retained size" {
    local row
    for row in 0 1 2; do
        works statics -q -n3 --app-only --format=json $core
        local address type retained
        address=$(json ".statics[$row].field.to.address")
        type=$(json ".statics[$row].field.to.type")
        retained=$(json ".statics[$row].retained")
        works object -q --format=json $core "$address"
        [[ $(json '.object.type') == "$type" ]]
        [[ $(json '.object.retained') == "$retained" ]]
        [[ $(json '.object.bytes <= .object.retained') == true ]]
    done
}

# The start of a chain from `roots` is among them.
@test "every static variable that holds something of the program is among them" {
    local root
    works statics -q -n0 --format=json $core
    json '.statics[] | "[static var \(.declared_by).\(.field.name)]"' | sort -u >"$tmp/listed"
    works roots -q --exact --chains=1000 --format=json --type='Shop.*' $core
    json '.chains[].frames[].types[]' | grep '^\[static var ' | sort -u >"$tmp/roots"
    [[ $(wc -l <"$tmp/roots") -gt 10 ]]
    root=$(comm -23 "$tmp/roots" "$tmp/listed")
    [[ -z $root ]] || complain "not listed: $root"
}

@test "text and characters only with --values" {
    works statics -q -n0 --format=json $core
    [[ $(json '[.statics[].field.text | select(. != null)] | length') == 0 ]]
    [[ $(json '[.statics[] | select(.field.kind == "char" and .set and (.field.hidden | not))] | length') == 0 ]]
    works statics -q -n0 --values --format=json $core
    [[ $(json '[.statics[].field.text | select(. != null)] | length') -gt 0 ]]
    [[ $(json '[.statics[] | select(.field.hidden)] | length') == 0 ]]
}

@test "rows are cut, and counted" {
    works statics -q -n7 --format=json $core
    [[ $(json '.statics | length') == 7 ]]
    [[ $(json '.count == 7 + .statics_omitted') == true ]]
    works statics -q --format=csv $core
    [[ $(wc -l <<<"$out") -gt 100 ]]
    works statics -q --format=csv -n7 $core
    [[ $(wc -l <<<"$out") == 8 ]]
}

@test "JSON is valid under its schema" {
    local file
    for file in $core fixtures/core/net9-server.core.xz $dump fixtures/nettrace-real/*.nettrace*; do
        hd statics -q -n50 --values --format=json "$file"
        [[ $status == 0 ]] || continue
        printf '%s\n' "$out" >>"$tmp/results.json"
    done
    [[ $(wc -l <"$tmp/results.json") -gt 3 ]]
    python tests/cli/check_json.py docs/json-schema "$tmp/results.json"
}

@test "a page and TSV are written as well" {
    works statics -q --format=html -o "$tmp/page.html" $core
    grep -q 'Static variables' "$tmp/page.html"
    works statics -q --format=tsv -n1 $core
    [[ $out == declared_by* ]]
}

@test "what has no static variables is refused by name" {
    hd statics
    fails_with "statics takes one snapshot, not 0"
    hd statics $dump $dump
    status_is 2
    err_has "one snapshot, not 2"
    hd statics fixtures/dumpheap-stat/managed.txt
    status_is 2
    hd statics --type=Nobody.Has.This $core
    status_is 2
    err_has "no static variable"
}

# The ownership tree, and its import into other tools.
load helper

cache=fixtures/leaklab/cache

@test "the tree of a leak shows the growth on one screen" {
    golden tree.txt tree -q $cache
    ((${#out} > 0 && $(wc -l <<<"$out") < 40))
    out_matches 's_sessions: ConcurrentDictionary<String,Session>'
    out_matches '… → Node<String,Session>   ◀ suspect 1, 0 → 6,000'
}

@test "one snapshot, a type, holders, and Markdown" {
    golden tree-one.txt tree -q -n 12 $cache/5.gcdump.gz
    golden tree-type.txt tree -q --type=Shop.Sessions.Session --type='*.Order' $cache
    golden tree-holders.txt tree -q --holders --type=System.String $cache
    works tree -v $cache
    out_has 's_sessions: System.Collections.Concurrent.ConcurrentDictionary<System.String,Shop.Sessions.Session>'
    golden tree.md tree -q --format=md -n 12 $cache
}

@test "the samples of docs/tree.md are what it prints" {
    local command samples=0
    while read -r command; do
        works $command
        sed -n "/^\$ heapdrift ${command//\//\\/}\$/,/^\`\`\`/p" docs/tree.md | grep -vxF -e '...' -e '```' |
            tail -n +2 >"$tmp/sample"
        ! grep -vxFf <(printf '%s\n' "$out") "$tmp/sample" || complain "docs/tree.md has lines that are not printed"
        (($(wc -l <"$tmp/sample") > 5))
        samples=$((samples + 1))
    done < <(sed -n 's/^\$ heapdrift \(tree .*\)/\1/p' docs/tree.md)
    ((samples == 2))
}

@test "a terminal of any width has no line that is broken" {
    for width in 40 60 80 120 200; do
        on_terminal "$width" tree -n 0 --color=never $cache
        rows=$(grep -E '^ *[-+]?[0-9].* (B|KiB|MiB) ' <<<"$out")
        widest=$(wc -L <<<"$rows")
        ((widest <= width)) || complain "a row of $widest columns on $width"
        out_has 'suspect 1'
    done
}

@test "growth is red, decrease is green, and without colors neither is" {
    on_terminal 120 tree $cache
    out_has $'\e[31m+4.74 MiB'
    out_has $'\e[32m-100 B'
    NO_COLOR=1 on_terminal 120 tree $cache
    out_lacks $'\e['
}

@test "the sums of all formats are those of the tree" {
    check() { python tests/cli/check_tree.py "$HEAPDRIFT" "$@"; }
    for how in "" "--type=Orchard.*" "--type=String --type=*Str*" "--holders --type=String"; do
        for files in "$before" "${pair[*]}" "${series[*]}"; do check $how $files; done
    done
    for how in --depth=2 --min=0 --min=50% "-n 5"; do
        check $how "${series[@]}"
    done
    check $cache
    check fixtures/gcdump-made/{sampled,v10}.gcdump
    check --gen2 fixtures/leaklab/nettrace
    check --gen2 --holders --type=String fixtures/leaklab/nettrace
}

@test "JSON is valid under its schema" {
    {
        "$HEAPDRIFT" tree -q --format=json $cache
        "$HEAPDRIFT" tree -q --format=json --holders --type=System.String "${pair[@]}"
        "$HEAPDRIFT" tree -q --format=json --type='*Order*' --type=Nothing "$cache"
        "$HEAPDRIFT" tree -q --format=json "$before"
        "$HEAPDRIFT" tree -q --format=json "$before" "$before" "$after"
        "$HEAPDRIFT" tree -q --format=json --gen2 fixtures/leaklab/nettrace
        "$HEAPDRIFT" tree -q --format=json fixtures/leaklab/odd/lossy.nettrace.zst
        "$HEAPDRIFT" tree -q --format=json fixtures/gcdump-made/{sampled,ms_full,v10}.gcdump
    } >"$tmp/results.json"
    python tests/cli/check_json.py docs/json-schema "$tmp/results.json"
}

@test "the tree's retained bytes are those that info calls reachable" {
    works info --format=json "${series[@]}"
    wanted=$(json '[.snapshots[].reachable_bytes] | tostring')
    works tree -q --format=json "${series[@]}"
    [[ $(json '.nodes[0].retained | tostring') == "$wanted" ]]
}

@test "--min, --depth and -n choose places, and lose no byte" {
    works tree -q --format=json --min=0 $cache
    all=$(json '.nodes | length')
    sum=$(json '.nodes[0].retained[5]')
    [[ $(json '[.nodes[].others // 0] | add') == 0 ]]
    works tree -q --format=json --depth=2 $cache
    (($(json '[.nodes[].depth] | max') == 3)) # the others below the last level
    [[ $(json '[.nodes[] | select(.kind != "others").depth] | max') == 2 ]]
    [[ $(json '[.nodes[].bytes[5]] | add') == "$sum" ]]
    works tree -q --format=json -n 7 $cache
    (($(json '.nodes | length') < 30 && all > 1000))
    [[ $(json '[.nodes[].bytes[5]] | add') == "$sum" ]]
}

@test "the same files give the same bytes, whatever the number of threads" {
    for format in text md json csv folded speedscope pprof dot; do
        "$HEAPDRIFT" tree -q -j1 --format=$format $cache >"$tmp/one"
        "$HEAPDRIFT" tree -q -j4 --format=$format $cache >"$tmp/four"
        cmp "$tmp/one" "$tmp/four"
    done
}

@test "without references there is no tree, and the message names formats with references" {
    hd tree fixtures/type-tables/table.csv
    fails_with "fixtures/type-tables/table.csv: a dominator tree needs references, which a table-csv lacks; take snapshots with \`heapdrift collect\`"
    hd tree "$before" fixtures/dumpheap-stat/managed.txt
    status_is 2
    err_has "fixtures/dumpheap-stat/managed.txt: a dominator tree needs references"
    hd tree -q fixtures/leaklab/odd/empty.gcdump.gz
    fails_with "fixtures/leaklab/odd/empty.gcdump.gz: no root keeps anything alive here, so nothing has an owner"
}

@test "wrong use is refused" {
    hd tree --holders "$before"
    fails_with "--holders needs a type: heapdrift tree --holders --type=MyApp.Order SNAPSHOT..."
    hd tree
    fails_with "tree takes 1 to 50 snapshots, not 0"
    hd tree --type=Zebra "$before"
    status_is 2
    err_has "no type matches Zebra"
    hd tree --type=Zebra --type='*String' "$before"
    status_is 0
    err_has "warning: no-such-type: no type matches Zebra"
    for command in diff top info check; do
        hd $command --format=folded "$before"
        fails_with "--format=folded is for \`heapdrift tree\`"
    done
    hd tree --format=junit "$before"
    fails_with "--format=junit is for \`heapdrift check\`"
}

@test "pprof is refused on a terminal" {
    on_terminal 80 tree -q --format=pprof "$before"
    status_is 2
    works tree -q --format=pprof -o "$tmp/p.pb.gz" "$before"
    gzip -t "$tmp/p.pb.gz"
}

# A table of heap text with unusual type names.
hostile() {
    sed -e 's/Orchard\.Tile\b/Evil;Name "q" \\ `x` <b> 12/g' "$1"
}

@test "names of any kind break no format" {
    hostile "${series[3]}" >"$tmp/evil.txt"
    python tests/cli/check_tree.py "$HEAPDRIFT" --min=0 "$tmp/evil.txt"
    works tree -q --min=0 --format=folded "$tmp/evil.txt"
    out_lacks 'Evil;Name'
    out_has 'Evil\x3bName'
    works tree -q --min=0 --format=speedscope "$tmp/evil.txt"
    [[ $(json '[.shared.frames[].name | select(startswith("Evil;"))] | length') -gt 0 ]]
}

# --- what uses them: slow, or not everywhere -----------------------------------------------

need() { command -v "$1" >/dev/null || skip "no $1 here"; }

@test "pprof shows the same sums, and the difference of two profiles is our growth" {
    [[ -n ${HEAPDRIFT_FULL:-} ]] || skip "for make check-full"
    need go
    first=$cache/0.gcdump.gz last=$cache/5.gcdump.gz
    for k in first last; do
        works tree -q --min=0 --format=pprof -o "$tmp/$k.pb.gz" "${!k}"
    done
    # The whole tree of both together: what grew by type.
    works tree -q --min=0 --format=pprof -o "$tmp/both.pb.gz" "$first" "$last"
    top() { go tool pprof -top -nodecount=100000 -nodefraction=0 -edgefraction=0 -unit=B "$@" 2>/dev/null | sed '1,/flat%/d' | awk '{print $1, $6, $7}' | grep -v '^0 ' | sort; }
    top -sample_index=space -diff_base="$tmp/first.pb.gz" "$tmp/last.pb.gz" >"$tmp/diff"
    top -sample_index=growth_space "$tmp/both.pb.gz" >"$tmp/growth"
    [[ $(wc -l <"$tmp/diff") -gt 20 ]]
    diff "$tmp/diff" "$tmp/growth"
    go tool pprof -raw "$tmp/both.pb.gz" | grep -q 'objects/count space/bytes growth_objects/count growth_space/bytes\[dflt\]'
}

@test "Graphviz draws it, whatever the names are" {
    [[ -n ${HEAPDRIFT_FULL:-} ]] || skip "for make check-full"
    need dot
    hostile "${series[3]}" >"$tmp/evil.txt"
    for file in "$tmp/evil.txt" $cache; do
        works tree -q --format=dot -o "$tmp/tree.dot" "$file"
        dot -Tsvg "$tmp/tree.dot" -o "$tmp/tree.svg"
        xmllint --noout "$tmp/tree.svg"
        [[ $(grep -c 'class="node"' "$tmp/tree.svg") == $(grep -c label= "$tmp/tree.dot") ]]
    done
}

# With its schema, and by the program itself.
@test "speedscope takes it" {
    [[ -n ${HEAPDRIFT_FULL:-} ]] || skip "for make check-full"
    need npm
    (cd "$tmp" && npm pack --silent speedscope >/dev/null 2>&1) || skip "no npm registry here"
    tar -xzf "$tmp"/speedscope-*.tgz -C "$tmp"
    page=$tmp/package/dist/release
    works tree -q --format=speedscope -o "$tmp/tree.json" $cache
    python - "$tmp/tree.json" "$page/file-format-schema.json" <<'PY'
import json, sys
import jsonschema
file, schema = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:])
jsonschema.validate(file, schema)
assert len(file["profiles"]) == 6
PY
    need chromium
    printf 'speedscope.loadFileFromBase64("tree.json","%s")' "$(base64 -w0 "$tmp/tree.json")" >"$tmp/load.js"
    timeout 120 chromium --headless --no-sandbox --disable-gpu --enable-unsafe-swiftshader \
        --user-data-dir="$tmp/profile" --virtual-time-budget=10000 --dump-dom \
        "file://$page/index.html#localProfilePath=$tmp/load.js" >"$tmp/dom.html" 2>/dev/null
    grep -q '<title>5.gcdump.gz - speedscope' "$tmp/dom.html"
    for k in 0 1 2 3 4 5; do grep -q ">$k.gcdump.gz<" "$tmp/dom.html"; done
}

# heapdrift convert: a snapshot in another format.
load helper

cache=fixtures/leaklab/cache/0.gcdump.gz

# For jq: the report on a file, except its name and format.
alike='if type == "string" then . else (.snapshot?, .snapshots[]?) |= (if . == null then . else
    del(.path, .format, .producer, .xxh3, .source_xxh3, .weak_roots) end) | del(.warnings[]?.path) end'

report_of() {
    works "$@" --format=json
    jq -S "$alike" <<<"$out"
}

@test "convert takes the target from the suffix, or from --to or --format" {
    works convert -q "$before" -o "$tmp/a.gcdump"
    works convert -q "$before" -o "$tmp/b" --to=gcdump
    works convert -q "$before" --format gcdump -o "$tmp/c.txt"
    cmp "$tmp/a.gcdump" "$tmp/b"
    cmp "$tmp/a.gcdump" "$tmp/c.txt"
    works info --format=json "$tmp/c.txt"
    [[ $(json '.snapshots[0].format') == gcdump ]]
    [[ $(json '.snapshots[0].producer') == heapdrift ]]
    works convert -q "$before" -o "$tmp/d.txt"
    works convert -q "$before" -o "$tmp/e.csv"
    works convert -q "$before" -o "$tmp/f.json"
    works info --format=json "$tmp/d.txt" "$tmp/e.csv" "$tmp/f.json"
    [[ $(json '[.snapshots[].format] | join(" ")') == "heap-text table-csv table-json" ]]
}

@test "convert names the known targets when the suffix is unknown" {
    hd convert "$before" -o "$tmp/out.nettrace"
    fails_with "$tmp/out.nettrace: unknown format; use --to=FORMAT, or a name that ends in .gcdump (gcdump), .txt (heap-text), .csv (table-csv), .json (table-json), .digest (digest), .core (core-dump)"
    hd convert "$before" -o -
    err_has "use --to=FORMAT"
    hd convert "$before" -o "$tmp/.gcdump" --to=pprof
    fails_with "--to=pprof: must be gcdump, heap-text, table-csv, table-json, digest or core-dump"
    [[ ! -e $tmp/out.nettrace ]]
}

@test "convert needs one snapshot and a place for the result" {
    hd convert -o "$tmp/x.csv"
    fails_with "convert takes one snapshot, not 0"
    hd convert "${pair[@]}" -o "$tmp/x.csv"
    fails_with "convert takes one snapshot, not 2"
    hd convert "$before"
    fails_with "convert needs an output file: heapdrift convert IN -o OUT"
    hd convert fixtures/heap-text/bad-nul.txt -o "$tmp/x.csv"
    status_is 2
    err_has "nul-byte"
    [[ ! -e $tmp/x.csv ]]
}

@test "a folder is converted to a digest for each of its snapshots" {
    mkdir "$tmp/series" "$tmp/out" "$tmp/one"
    cp fixtures/leaklab/cache/[0-2].* "$tmp/series"
    echo "no snapshot" >"$tmp/series/notes.md"
    works convert "$tmp/series" -o "$tmp/out/x.digest"
    err_has "notes.md: skipped: "
    [[ $(ls "$tmp/out") == $'x-1.digest\nx-2.digest\nx-3.digest' ]]
    works info --format=json "$tmp/out"
    [[ $(json '[.snapshots[].objects] | tojson') == "$("$HEAPDRIFT" info --format=json fixtures/leaklab/cache/[0-2].* | jq '[.snapshots[].objects] | tojson' -r)" ]]
    hd convert -q "$tmp/series" -o "$tmp/x.csv"
    fails_with "convert takes one snapshot, not 3"
    echo broken >"$tmp/series/3.gcdump"
    hd convert -q "$tmp/series" -o "$tmp/out/y.digest"
    status_is 2
    err_has "3.gcdump"
    cp "$before" "$tmp/one"
    works convert -q "$tmp/one" -o "$tmp/x.csv"
    works convert --help
    out_lacks "instead of standard output"
}

@test "a type table can be converted to tables only" {
    local t
    for t in gcdump heap-text; do
        hd convert fixtures/type-tables/table.csv --to=$t -o "$tmp/x"
        fails_with "fixtures/type-tables/table.csv: a type table has no objects: it can be converted to table-csv, table-json or digest"
        [[ ! -e $tmp/x ]]
    done
    works convert fixtures/type-tables/table.csv -o "$tmp/x.json"
    report_of top -n 0 fixtures/type-tables/table.csv >"$tmp/1"
    report_of top -n 0 "$tmp/x.json" >"$tmp/2"
    diff "$tmp/1" "$tmp/2"
}

@test "files of dotnet-gcdump are reproduced byte for byte" {
    local f
    for f in fixtures/leaklab/*/[0-5].gcdump.gz; do
        works convert "$f" -o "$tmp/out.gcdump"
        err_is ""
        zcat "$f" | cmp - "$tmp/out.gcdump"
    done
}

@test "every gcdump gives the same reports after it was converted" {
    local f command compared=0
    for f in fixtures/gcdump-made/*.gcdump "$cache"; do
        hd convert -q "$f" -o "$tmp/out.gcdump"
        [[ $status != 2 ]] || continue
        for command in info "top -n 0" "roots --type=*"; do
            hd $command --format=json -q "$f"
            [[ $status == 0 ]] || continue
            compared=$((compared + 1))
            printf '"%s of %s"\n%s\n' "$command" "$f" "$out" >>"$tmp/1"
            works $command --format=json -q "$tmp/out.gcdump"
            printf '"%s of %s"\n%s\n' "$command" "$f" "$out" >>"$tmp/2"
        done
    done
    # All in one call: jq needs longer to start than to read a file.
    diff -U 3 -F '^"' <(jq -S "$alike | del(.warnings?)" "$tmp/1") <(jq -S "$alike | del(.warnings?)" "$tmp/2")
    [[ $compared -gt 60 ]] || complain "only $compared reports were compared"
}

@test "a series in heap text is ranked the same as gcdumps" {
    local i
    for i in 1 2 3 4; do
        works convert "fixtures/heap-text/series-$i.txt" -o "$tmp/$i.gcdump"
        works convert "$tmp/$i.gcdump" -o "$tmp/$i.txt"
    done
    # Clocks of machines, which heap text has, are not written to a gcdump.
    local timed='del(.span_seconds, .bytes_per_hour, .time_limit, .confidence) | .headline |= sub(" so far,"; "")'
    report_of diff -n 0 "${series[@]}" | jq "$timed" >"$tmp/before"
    report_of diff -n 0 "$tmp"/[1-4].gcdump | jq "$timed" >"$tmp/gcdump"
    report_of diff -n 0 "$tmp"/[1-4].txt | jq "$timed" >"$tmp/text"
    diff "$tmp/before" "$tmp/gcdump"
    diff "$tmp/before" "$tmp/text"
}

@test "convert reports data that the target cannot store, one line each" {
    works convert "$cache" -o "$tmp/x.txt"
    err_is "heapdrift: note: $cache: addresses: heap-text cannot hold addresses of objects
heapdrift: note: $cache: modules: heap-text cannot hold modules of types"
    works convert "$cache" -o "$tmp/x.csv"
    err_has "note: $cache: references: table-csv cannot hold objects, references and roots"
    works convert fixtures/heap-text/root-kinds.txt -o "$tmp/x.gcdump"
    err_is "heapdrift: note: fixtures/heap-text/root-kinds.txt: weak-roots: weak handles omitted: 4"
    works convert fixtures/gcdump-made/ms_full.gcdump -o "$tmp/x.txt"
    local what
    for what in generations time pid sampling; do
        err_has "ms_full.gcdump: $what: heap-text cannot hold"
    done
    works convert -q fixtures/gcdump-made/ms_full.gcdump -o "$tmp/x.txt"
    err_is ""
}

@test "sampled or incomplete data is reported, and stays marked if the target supports it" {
    works convert fixtures/gcdump-made/sampled.gcdump -o "$tmp/x.json"
    err_has "warning: fixtures/gcdump-made/sampled.gcdump: sampled:"
    works info --format=json "$tmp/x.json"
    [[ $(json '.snapshots[0].sampled') == true ]]
    hd convert --strict fixtures/gcdump-made/sampled.gcdump -o "$tmp/y.gcdump"
    status_is 3
    err_has "inconclusive: the snapshot is incomplete or sampled"
    [[ -s $tmp/y.gcdump ]]
    works convert fixtures/heap-text/repeated-domain.txt -o "$tmp/z.gcdump"
    works info --format=json "$tmp/z.gcdump"
    [[ $(json '.snapshots[0].complete') == false ]]
}

@test "convert reads and writes standard input and output" {
    works convert -q --to=heap-text -o - "$before"
    printf '%s\n' "$out" >"$tmp/1.txt"
    works convert -q --to=heap-text -o - - <"$before"
    [[ $out == "$(<"$tmp/1.txt")" ]]
    works convert -q --to=gcdump -o "$tmp/2.gcdump" - <"$tmp/1.txt"
    works convert -q --to=gcdump -o "$tmp/3.gcdump" "$before"
    cmp "$tmp/2.gcdump" "$tmp/3.gcdump"
}

@test "-o - is standard output for reports, too" {
    works top --format=csv "$before"
    local expected=$out
    works top --format=csv -o - "$before"
    out_is "$expected"
    [[ ! -e ./- ]]
}

@test "a file may be converted onto itself" {
    zcat "$cache" >"$tmp/x.gcdump"
    works convert "$tmp/x.gcdump" -o "$tmp/x.gcdump"
    zcat "$cache" | cmp - "$tmp/x.gcdump"
    cp "$before" "$tmp/y.txt"
    works convert "$tmp/y.txt" -o "$tmp/y.txt" --to=gcdump
    works info --format=json "$tmp/y.txt"
    [[ $(json '.snapshots[0].format') == gcdump ]]
    [[ $(find "$tmp" -name 'x.gcdump?*' -o -name 'y.txt?*') == "" ]]
}

@test "a full disk leaves no file" {
    local t
    for t in gcdump heap-text table-csv table-json; do
        hd convert -q "$before" --to=$t -o /dev/full
        fails_with "/dev/full: No space left on device"
    done
    mkdir "$tmp/o"
    hd convert -q "$before" -o "$tmp/o/no/x.gcdump"
    status_is 2
    [[ $(ls -A "$tmp/o") == "" ]]
}

@test "convert keeps to --size-base and --memory" {
    works convert -q --size-base=10 fixtures/heap-text/decimal-sizes.txt -o "$tmp/x.csv"
    works info --format=json "$tmp/x.csv"
    local bytes
    bytes=$(json '.snapshots[0].bytes')
    works info --format=json --size-base=10 fixtures/heap-text/decimal-sizes.txt
    [[ $(json '.snapshots[0].bytes') == "$bytes" ]]
    hd convert --memory=1K "$before" -o "$tmp/y.gcdump"
    status_is 2
    err_has "--memory"
    [[ ! -e $tmp/y.gcdump ]]
}

@test "a trace becomes a gcdump of the same types" {
    works top --format=csv -n0 fixtures/leaklab/nettrace/1.nettrace.zst
    local expected=$out
    works convert -q fixtures/leaklab/nettrace/1.nettrace.zst -o "$tmp/1.gcdump"
    works top --format=csv -n0 "$tmp/1.gcdump"
    out_is "$expected"
    out_has "Shop.Sessions.Session,"
}

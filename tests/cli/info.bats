# heapdrift info: what each file is and holds.
load helper

@test "info in text, of good and bad files" {
    hd info "$before" fixtures/heap-text/odd-but-read.txt fixtures/heap-text/bad-nul.txt \
        fixtures/gcdump-made/sampled.gcdump
    status_is 2
    golden_is info.txt
    hd info -v "$before" fixtures/heap-text/odd-but-read.txt fixtures/heap-text/bad-nul.txt \
        fixtures/gcdump-made/sampled.gcdump
    status_is 2
    golden_is info-details.txt
}

@test "info of many files is a line for each, and of two all that is known" {
    works info fixtures/leaklab/cache
    [[ $(wc -l <<<"$out") == 9 ]]
    out_matches ' 94,424  5\.08 MiB +99 %  - +gcdump  fixtures/leaklab/cache/5\.gcdump\.gz$'
    works info fixtures/leaklab/cache/[01].gcdump.gz
    [[ $(grep -c '^  references ' <<<"$out") == 2 ]]
    works info -v fixtures/leaklab/cache
    [[ $(grep -c '^  references ' <<<"$out") == 6 ]]
}

@test "info as JSON" { golden info.json info --format=json fixtures/gcdump-made/v10.gcdump; }

@test "info knows what the list of each fixture knows" {
    local folder list file
    for folder in heap-text dumpheap-stat type-tables gcdump-made; do
        list=fixtures/$folder/expected.json
        jq -r '(.files // .) | to_entries[] | select(.value.ok // (.value.objects != null)) | .key' "$list" >"$tmp/files"
        mapfile -t files < <(sed "s|^|fixtures/$folder/|" "$tmp/files")
        works info --format=json "${files[@]}"
        json '.snapshots[] | [.path, .objects, .bytes] | tojson' >"$tmp/got"
        jq -r --arg f "fixtures/$folder/" '(.files // .) | to_entries[]
            | select(.value.ok // (.value.objects != null))
            # Free space is not an object, but in the totals of these lists.
            | (.value.canonical_table // [.value.table[]? | objects | [.type, .count, .bytes]]) as $rows
            | ([$rows[] | select(.[0] == "Free")][0]) as $free
            | [$f + .key, .value.objects - ($free[1] // 0),
               if $free == null then .value.bytes
               elif $free[2] == null then [$rows[] | select(.[0] != "Free") | .[2]] | add
               else .value.bytes - $free[2] end] | tojson' "$list" >"$tmp/expected"
        diff "$tmp/expected" "$tmp/got"
    done
}

@test "a file that cannot be read has its error in its place" {
    hd info --format=json "$before" fixtures/heap-text/bad-nul.txt "$tmp/none" "$after"
    status_is 2
    [[ $(json '.snapshots | map(if .error then "error" else .format end) | join(" ")') == \
        "heap-text error error heap-text" ]]
    [[ $(json '.snapshots[1].error | "\(.kind) \(.line) \(.offset)"') == "nul-byte 2 null" ]]
    [[ $(json '.snapshots[2].error | "\(.message) \(.line)"') == "No such file or directory null" ]]
    head -c 60 fixtures/gcdump-made/tiny.gcdump >"$tmp/cut.gcdump"
    hd info --format=json "$tmp/cut.gcdump"
    status_is 2
    [[ $(json '.snapshots[0].error | "\(.kind) \(.line) \(.offset)"') == "null null 57" ]]
}

@test "the checksum is that of the bytes inside, however they are packed" {
    works info --format=json "$before"
    local plain
    plain=$(json '.snapshots[0].xxh3')
    gzip -c "$before" >"$tmp/a"
    zip -q "$tmp/b" "$before"
    works info --format=json "$tmp/a" "$tmp/b.zip"
    [[ $(json '[.snapshots[].xxh3] | unique | tojson') == "[\"$plain\"]" ]]
    # Where there is a tool to compare with.
    if command -v xxh3sum >/dev/null; then
        [[ $(xxh3sum "$before") == *"$plain"* ]]
    fi
}

@test "warnings are in the result, not on stderr" {
    works info fixtures/heap-text/odd-but-read.txt
    err_is ""
    out_has "warning: dangling-reference: "
    out_has "(3 times)"
    works info --format=json fixtures/heap-text/odd-but-read.txt
    err_is ""
    [[ $(json '.warnings[] | select(.code == "dangling-reference") | "\(.snapshot) \(.count) \(.line)"') == "0 3 7" ]]
}

@test "facts in a table about itself" {
    works info --format=json fixtures/dumpheap-stat/managed-filtered.txt
    [[ $(json '.snapshots[0] | "\(.command)|\(.liveness)|\(.filters)|\(.references)"') == \
        "dumpheap -stat -type Orchard -min 40|all|-type Orchard -min 40|null" ]]
}

@test "info takes a folder, and one snapshot often" {
    works info --format=csv fixtures/leaklab/timers
    [[ $(column 1 | xargs -n1 basename | xargs) == \
        "0.gcdump.xz 1.gcdump.xz 2.gcdump.xz 3.gcdump.xz 4.gcdump.xz 5.gcdump.xz" ]]
    works info --format=csv "$before" "$before"
    [[ $(wc -l <<<"$out") == 3 ]]
}

@test "CSV and TSV of info have a line per file" {
    hd info -q --format=csv "$before" fixtures/heap-text/bad-nul.txt
    status_is 2
    [[ $(head -1 <<<"$out") == path,format,producer,time,pid,process,objects,references,roots,types,bytes,* ]]
    out_has "$before,heap-text,,,,Orchard.exe,90,93,19,12,8588,88,8524,false,true,"
    out_has "a NUL byte: not text"
    works info --format=tsv "$before"
    [[ $(tail -1 <<<"$out" | cut -f 1,7) == "$before"$'\t'90 ]]
}

@test "CSV and TSV cannot store warnings: these are on stderr" {
    local format
    for format in csv tsv; do
        works info --format=$format fixtures/heap-text/odd-but-read.txt
        err_has "heapdrift: warning: fixtures/heap-text/odd-but-read.txt:7: dangling-reference: "
        out_lacks warning
        works info -q --format=$format fixtures/heap-text/odd-but-read.txt
        err_is ""
    done
}

@test "Markdown of info has the facts of each file" {
    works info --format=md "${pair[@]}"
    [[ $(head -1 <<<"$out") == "<!-- heapdrift -->" ]]
    out_has "### \`$after\`"
    out_has $'\n- **format**: heap-text\n'
    out_has $'\n- **objects**: 170, '
    out_has $'\n  - **static**: 2\n'
}

@test "--strict fails for a snapshot that misses objects or is a sample" {
    local file
    for file in heap-text/odd-but-read.txt gcdump-made/sampled.gcdump; do
        hd info --strict "fixtures/$file"
        status_is 3
        err_has "heapdrift: inconclusive: "
        works info "fixtures/$file"
    done
    works info --strict "$before"
    hd info --strict fixtures/heap-text/odd-but-read.txt fixtures/heap-text/bad-nul.txt
    status_is 2
}

@test "info requires a snapshot, and reports a folder without one" {
    hd info
    fails_with "info needs a snapshot: heapdrift info SNAPSHOT..."
    mkdir "$tmp/junk"
    echo nothing of interest >"$tmp/junk/README"
    hd info "$tmp/junk"
    status_is 2
    hd info -q "$tmp/junk"
    status_is 2
    err_has "heapdrift: "
}

# heapdrift top: the largest types of one snapshot.
load helper

@test "top in text" { golden top.txt top "$before"; }
@test "top as CSV" { golden top.csv top --format=csv "$before"; }
@test "top as Markdown" { golden top.md top --format=md -n 3 "$before"; }

@test "top sums to the heap" {
    works top -q -n0 --format=json fixtures/leaklab/cache/5.gcdump.gz
    [[ $(json '.types_omitted == 0 and ([.types[].count] | add) == .snapshot.objects
               and ([.types[].bytes] | add) == .snapshot.bytes') == true ]]
}

@test "top has the counts of every heap text and type table" {
    local folder file
    for folder in heap-text type-tables; do
        while read -r file; do
            works top -q -n0 --sort=name --format=json "fixtures/$folder/$file"
            json '[.types[] | [.type, .count, .bytes]] | sort | tojson' >"$tmp/got"
            jq -r --arg f "$file" '.files[$f] | (.canonical_table //
                [.table[] | [.type, .count, .bytes]]) | map(.[0] |= gsub(", "; ",")) | map(select(.[0] != "Free")) | sort | tojson' \
                "fixtures/$folder/expected.json" >"$tmp/expected"
            diff "$tmp/expected" "$tmp/got" || complain "$file"
        done < <(jq -r '.files | to_entries[] | select(.value.ok and .value.table) | .key' \
            "fixtures/$folder/expected.json")
    done
}

@test "--rows cuts, CSV is cut only by it" {
    works top -n 2 "$before"
    out_has "[10 others]"
    works top --rows=2 --format=csv "$before"
    [[ $(wc -l <<<"$out") == 3 ]]
    works top --format=csv fixtures/leaklab/cache/5.gcdump.gz
    out_lacks "others]"
    [[ $(wc -l <<<"$out") -gt 500 ]]
    works top --rows 0 fixtures/leaklab/cache/5.gcdump.gz
    out_lacks "others]"
}

@test "--sort orders by bytes, count or name" {
    works top --format=csv "$before"
    local by_bytes=$out
    column 3 | sort -rnc
    works top --format=csv --sort=bytes "$before"
    out_is "$by_bytes"
    works top --format=csv --sort=count "$before"
    column 2 | sort -rnc
    works top --format=csv --sort name "$before"
    column 1 | sort -c
}

@test "retained sizes are in CSV and JSON, and --sort=retained sorts by them" {
    works top -q -n0 --format=json --sort=retained fixtures/leaklab/events/5.gcdump.zst
    # Not more than the heap, not less than the next.
    [[ $(json '.snapshot.reachable_bytes as $all | [.types[].retained | 0 <= . and . <= $all] | all') == true ]]
    [[ $(json '[.types[].retained] | . == (sort | reverse)') == true ]]
    [[ $(json '.types[] | select(.type == "Shop.Notifications.OrderNotifier") | .retained > 10 * .bytes') == true ]]
    works top --format=csv --sort=retained "$before"
    [[ $(head -1 <<<"$out") == type,count,bytes,retained ]]
    column 4 | sort -rnc
    # 10 pages, each with a string and an array of its own.
    out_has "Orchard.Page,10,480,3760"
    works top --sort=retained "$before"
    out_has retained
    # Without graphs there are none, and bytes decide.
    works top --format=csv fixtures/type-tables/table.csv
    local by_bytes=$out
    works top --format=csv --sort=retained fixtures/type-tables/table.csv
    out_is "$by_bytes"
    works top --format=json fixtures/type-tables/table.csv
    [[ $(json '[.types[].retained] | unique | tojson') == "[null]" ]]
}

@test "--by=holder sums to the heap" {
    local file
    for file in "$before" fixtures/leaklab/events/5.gcdump.zst; do
        works top -q -n0 --by=holder --format=json "$file"
        [[ $(json .by) == holder ]]
        [[ $(json '.types_omitted == 0 and ([.types[].count] | add) == .snapshot.objects
                   and ([.types[].bytes] | add) == .snapshot.bytes') == true ]]
    done
    works top --by=holder --format=csv "$before"
    out_has "holder,count,bytes,"
    out_has "[pinning Handles],1,2048,"
}

@test "--type, --exclude and --app-only choose rows" {
    works top --format=csv -t 'System.*' -x '*[]' "$before"
    [[ $(column 1 | head -3 | xargs) == "System.String System.EventHandler System.AppDomain" ]]
    out_lacks "[]"
    works top --format=csv --type=Page --type EventHub "$before"
    [[ $(column 1 | xargs) == "Orchard.Page Orchard.EventHub" ]]
    works top --format=csv --exclude='System.*' "$before"
    local without=$out
    works top --format=csv --app-only "$before"
    out_is "$without"
}

@test "--gen2 and --reachable choose objects" {
    works top --gen2 --format=json fixtures/gcdump-made/v10.gcdump
    [[ $(json '[.types[].count] | add // 0') == 0 ]]
    works top --format=json fixtures/gcdump-made/v10.gcdump
    [[ $(json '[.types[].count] | add') == 2 ]]
    hd top --gen2 "$before"
    status_is 2
    err_has "--gen2"
    works top --reachable --format=csv "$before"
    [[ $(column 2 | awk '{n += $1} END {print n}') == 88 ]]
    hd top --reachable --tables-only "$before"
    status_is 2
    err_has "--reachable"
}

@test "--by and --tables-only" {
    works top --by=namespace --format=csv "$before"
    out_has "namespace,count,bytes"
    [[ $(column 1 | sort | xargs) == "Orchard System" ]]
    works top --by module --format=json "$before"
    [[ $(json .by) == module ]]
    works top --format=csv "$before"
    local full
    full=$(cut -d, -f1-3 <<<"$out")
    works top --format=csv --tables-only "$before"
    [[ $(cut -d, -f1-3 <<<"$out") == "$full" ]]
    # Retained sizes are unknown.
    [[ $(column 4 | sort -u) == "" ]]
    works top --format=json --tables-only "$before"
    [[ $(json .snapshot.reachable_objects) == null ]]
}

@test "--size-base=10 reads decimal sizes" {
    local file=fixtures/heap-text/decimal-sizes.txt
    works top --format=csv $file
    err_has "heapdrift: warning: $file: sizes-look-decimal: "
    [[ $(column 3) == 88650 ]]
    works top --format=csv --size-base=10 $file
    err_is ""
    [[ $(column 3) == 46560 ]]
    works top --format=csv --size-base 16 "$before"
    out_has "Orchard.Page,10,480"
}

@test "the verdict has the share of the column, and no owner where chains are missing" {
    works top -q -n1 fixtures/leaklab/cache/5.gcdump.gz
    out_has "retains 3.46 MiB, 68 % of the heap" # 3.46 of 5.08 MiB
    out_has "99 % of the objects reachable"
    works top -q -n1 fixtures/gcdump-made/sampled.gcdump
    out_matches '^MOST  T0 takes 2.18 MiB, 26 % of the heap'
    out_matches '4,860  2.18 MiB +26 %'
    works top -q -n1 fixtures/nettrace-real/leak31_dropped_1mb.nettrace.zst
    out_matches '^MOST  System.Byte\[\] takes 27.7 MiB, 98 % of the listed types'
    works tree -q fixtures/leaklab/cache/5.gcdump.gz
    out_has "99 % of the bytes reachable"
}

@test "a --type without a match is reported" {
    works top --type=Nope --type=String "$before"
    err_has "heapdrift: warning: no-such-type: no type matches Nope"
    works top -q --format=json --type=Sesion "$before"
    [[ $(json '.warnings[].code') == no-such-type ]]
    hd top -q --strict --type=Nope "$before"
    status_is 3
    err_is "heapdrift: inconclusive: no type matches"
}

@test "a table with some sizes has a warning of its own; free blocks need no size" {
    printf 'type,count,bytes\nA,1,24\nB,1,\n' >"$tmp/some.csv"
    works top "$tmp/some.csv"
    err_has "bytes-unknown: some rows have no size in bytes; only counts can be compared"
    printf 'type,count,bytes\nA,1,\nB,1,\n' >"$tmp/none.csv"
    works top "$tmp/none.csv"
    err_has "bytes-unknown: no sizes in bytes; only counts can be compared"
    works top fixtures/type-tables/table-crlf-bom-extra.csv
    err_is ""
    printf 'type,count,bytes\nA\n' >"$tmp/short.csv"
    hd top "$tmp/short.csv"
    err_has ": bad-row: 1 field, the header has 3;"
}

@test "TSV escapes tabs and backslashes" {
    printf 'type,count,bytes\n"a\tb\\c",1,24\n' >"$tmp/t.csv"
    works top --format=tsv "$tmp/t.csv"
    [[ $(tail -1 <<<"$out" | cut -f 1) == 'a\tb\\c' ]]
}

@test "--strict fails for a sample and for a snapshot that misses objects" {
    hd top -q --strict fixtures/gcdump-made/sampled.gcdump
    status_is 3
    err_is "heapdrift: inconclusive: a snapshot is incomplete or sampled"
    hd top -q --strict fixtures/heap-text/odd-but-read.txt
    status_is 3
    works top --strict "$before"
}

@test "a sample is scaled up and marked" {
    works top fixtures/gcdump-made/sampled.gcdump
    err_has "heapdrift: warning: fixtures/gcdump-made/sampled.gcdump: sampled: "
}

@test "top wants one snapshot" {
    hd top
    fails_with "top takes one snapshot, not 0; compare several with \`heapdrift diff\`"
    hd top "${pair[@]}"
    fails_with "top takes one snapshot, not 2; compare several with \`heapdrift diff\`"
}

@test "CSV and JSON of top are snapshots with the same table, bytes too" {
    local file format
    for file in "$before" fixtures/heap-text/odd-but-read.txt fixtures/gcdump-made/sampled.gcdump \
        fixtures/type-tables/table.csv fixtures/gcdump-made/ms_full.gcdump \
        fixtures/leaklab/odd/nameless.gcdump.gz; do
        works top -q -n0 --format=csv --sort=name --tables-only "$file"
        local table=$out
        for format in csv json; do
            works top -q -n0 --format=$format -o "$tmp/again" "$file"
            works top -q -n0 --format=csv --sort=name "$tmp/again"
            out_is "$table"
        done
    done
}

@test "a stored table replaces its snapshot in a diff" {
    local file
    for file in "${pair[@]}"; do
        works top -n0 --format=json -o "$tmp/${file##*/}" "$file"
    done
    works diff -q --tables-only --format=csv "${pair[@]}"
    local direct=$out
    works diff -q --format=csv "$tmp/before.txt" "$tmp/after.txt"
    out_is "$direct"
}

@test "a truncated table is not a complete snapshot" {
    works top -n 3 --format=json -o "$tmp/cut.json" "$before"
    works top "$tmp/cut.json"
    err_has "incomplete: "
}

@test "cells that a spreadsheet would run are made text, and read back" {
    printf 'type,count,bytes\n=1+1,1,24\n@x,2,48\n-y,3,72\n+z,4,96\n' >"$tmp/t.csv"
    works top --format=csv "$tmp/t.csv"
    [[ $(column 1 | xargs -d '\n') == "'+z '-y '@x '=1+1" ]]
    cp "$BATS_TEST_TMPDIR/.out" "$tmp/again.csv"
    local table=$out
    works top --format=csv "$tmp/again.csv"
    out_is "$table"
    works top --format=json "$tmp/again.csv"
    [[ $(json '.types[3].type') == "=1+1" ]]
}

@test "a sampled file has a row for every type, with its scaled numbers" {
    local file
    while read -r file; do
        works top -q -n0 --format=json "fixtures/gcdump-made/$file"
        json '[.types[] | [.type, .count, .bytes]] | sort | tojson' >"$tmp/got"
        jq -r --arg f "$file" '.[$f].table_scaled | sort | tojson' \
            fixtures/gcdump-made/expected.json >"$tmp/expected"
        diff "$tmp/expected" "$tmp/got" || complain "$file"
    done < <(jq -r 'to_entries[] | select(.value.table_scaled) | .key' \
        fixtures/gcdump-made/expected.json)
    # Less than half an object.
    works top -q -n0 --format=csv fixtures/gcdump-made/ms_full.gcdump
    out_has $'\nSystem.String4343,0,8,'
    works diff -q -n0 --format=csv fixtures/gcdump-made/ms_full.gcdump fixtures/gcdump-made/ms_full.gcdump
    out_has $'\nSystem.String4343,gone,0,8,0,8'
}

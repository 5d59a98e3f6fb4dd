# Errors have one line and status 2, and nothing is half done.
load helper

# "FILE KIND LINE" of every bad fixture; line 0: without a line.
bad_fixtures() {
    local folder
    for folder in heap-text dumpheap-stat type-tables; do
        jq -r --arg f "fixtures/$folder" '.files | to_entries[] | select(.value.ok | not)
            | "\($f)/\(.key) \(.value.error.kind) \(.value.error.line)"' "fixtures/$folder/expected.json"
    done
}

@test "every bad text fixture: one line with file, line and kind" {
    local file kind line place count=0
    while read -r file kind line; do
        hd top "$file"
        status_is 2
        out_is ""
        place=$file:$line
        [[ $line != 0 ]] || place=$file
        [[ $err == "heapdrift: $place: $kind: "?* && $err != *$'\n'* ]] ||
            complain "should be: heapdrift: $place: $kind: ..."
        count=$((count + 1))
    done < <(bad_fixtures)
    [[ $count -gt 36 ]]
}

@test "several bad files are all reported, in order" {
    local files
    mapfile -t files < <(bad_fixtures | cut -d' ' -f1)
    hd diff -j 2 "${files[0]}" "$before" "${files[@]:1}" "$tmp/none"
    status_is 2
    out_is ""
    [[ $(sed -E 's/^heapdrift: ([^:]*):.*/\1/' <<<"$err") == "$(printf '%s\n' "${files[@]}" "$tmp/none")" ]] ||
        complain "the bad files should be listed in order"
}

@test "what only the graph shows does not stop --tables-only" {
    local file
    while read -r file; do
        hd top "fixtures/heap-text/$file"
        status_is 2
        works top --tables-only "fixtures/heap-text/$file"
    done < <(jq -r '.files | to_entries[] | select(.value.graph_only) | .key' fixtures/heap-text/expected.json)
}

@test "a damaged gcdump: one line with the byte" {
    local size n
    size=$(stat -c %s fixtures/gcdump-made/tiny.gcdump)
    for n in 31 60 100 200 $((size / 2)); do
        head -c "$n" fixtures/gcdump-made/tiny.gcdump >"$tmp/cut.gcdump"
        hd top "$tmp/cut.gcdump"
        status_is 2
        out_is ""
        err_matches "^heapdrift: $tmp/cut\.gcdump: byte (0x[0-9a-f]+): [^"$'\n'"]+\$"
        # A place in the file.
        [[ $((BASH_REMATCH[1])) -le $n ]]
    done
    for n in v3 v8 v11min11; do
        hd top "fixtures/gcdump-made/$n.gcdump"
        status_is 2
        err_matches "^heapdrift: fixtures/gcdump-made/$n\.gcdump: byte 0x[0-9a-f]+: .*version"
    done
}

@test "a cut gcdump is called damaged or truncated, wherever it ends" {
    local size
    zcat fixtures/leaklab/cache/0.gcdump.gz >"$tmp/whole"
    for size in 60 61 200 1000 5000 9000 12000 20000 50000; do
        head -c $size "$tmp/whole" >"$tmp/cut.gcdump"
        hd info "$tmp/cut.gcdump"
        status_is 2
        err_matches ': damaged or truncated$'
        err_lacks " 1 bytes"
    done
}

@test "a tab in heapdrift.yml is called one" {
    printf 'version: 1\nbudgets:\n\t- total: bytes\n' >"$tmp/tab.yml"
    hd check -c "$tmp/tab.yml" "${pair[@]}"
    fails_with "$tmp/tab.yml:3: bad-yaml: a tab; indent with blanks"
}

@test "a gcdump without its end mark is read, with a warning" {
    head -c -5 fixtures/gcdump-made/tiny.gcdump >"$tmp/cut.gcdump"
    works top "$tmp/cut.gcdump"
    err_has "heapdrift: warning: $tmp/cut.gcdump: no-trailer: "
}

@test "cut compressed files: one line each" {
    local file
    for file in none/0.gcdump.gz timers/0.gcdump.xz events/0.gcdump.zst list/0.gcdump.bz2; do
        head -c 2000 "fixtures/leaklab/$file" >"$tmp/cut"
        hd top "$tmp/cut"
        status_is 2
        out_is ""
        err_matches "^heapdrift: $tmp/cut: [^"$'\n'"]+\$"
    done
    (cd "${before%/*}" && zip -q "$tmp/z.zip" before.txt)
    head -c 300 "$tmp/z.zip" >"$tmp/cut"
    hd top "$tmp/cut"
    status_is 2
    err_matches "^heapdrift: $tmp/cut: [^"$'\n'"]+\$"
}

@test "files that do not exist, cannot be read, or are empty" {
    hd top "$tmp/none"
    fails_with "$tmp/none: No such file or directory"
    hd top "$before/below"
    fails_with "$before/below: Not a directory"
    : >"$tmp/empty"
    hd top "$tmp/empty"
    fails_with "$tmp/empty:1: empty: nothing in it"
    hd top - </dev/null
    fails_with "standard input:1: empty: nothing in it"
    hd top "$tmp/none" "$tmp/none2"
    status_is 2
    err_is "heapdrift: $tmp/none: No such file or directory
heapdrift: $tmp/none2: No such file or directory"
}

@test "a file without permission to read" {
    [[ $(id -u) != 0 ]] || skip "root may read everything"
    cp "$before" "$tmp/secret"
    chmod 0 "$tmp/secret"
    hd top "$tmp/secret"
    fails_with "$tmp/secret: Permission denied"
}

@test "other known formats are named, with a remedy" {
    local magic name
    while read -r magic name; do
        printf '%b' "$magic" >"$tmp/file"
        hd top "$tmp/file"
        status_is 2
        out_is ""
        err_matches "^heapdrift: $tmp/file: this is [^"$'\n'"]*${name}[^"$'\n'"]*\$"
    done <<'KNOWN'
Nettrace nettrace
PAGEDU64 kernel
\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\x00 program
JAVA\x20PROFILE\x201.0.2\x00 Java
{"snapshot":{"meta":{}}} JavaScript
KNOWN
    echo "Once upon a time" >"$tmp/file"
    hd top "$tmp/file"
    status_is 2
    err_matches "^heapdrift: $tmp/file: not a heap snapshot"
    # The same inside a compressed file.
    printf Nettrace | gzip >"$tmp/file"
    hd top "$tmp/file"
    status_is 2
    err_has "nettrace"
}

@test "bad values are refused before anything is read" {
    local command option
    while read -r command option; do
        hd "$command" "$option" "$tmp/none"
        status_is 2
        out_is ""
        [[ $err == "heapdrift: ${option%%=*}=${option#*=}: must be "?* && $err != *$'\n'* ]] ||
            complain "$option should be refused"
    done <<'VALUES'
diff --format=xml
top --format=
info --format=JSON
diff --output=
diff --rows=-1
diff --rows=ten
top --rows=
top --rows=1.5
top --rows=99999999999999999999
top --rows=4294967296
diff --sort=delta
top --sort=size
diff --type=
diff --exclude=
diff --by=class
top --by=Holder
diff --min-score=-1%
diff --min-score=101%
diff --min-score=much
diff --min-score=
diff --min-score=1XB
diff --min-score=nan%
diff --min-score=0x10%
diff --min-score=1e1%
diff --min-score= 2%
diff --rows= 3
top --rows=+3
diff --iterations=
diff --iterations=1,1
diff --iterations=2,1
diff --iterations=1,,2
diff --iterations=a
roots --chains=-1
roots --chains=x
diff --chains=1000001
roots --seed=18446744073709551616
roots --samples=0
roots --depth=1
roots --seed=x
diff --size-base=8
top --memory=lots
top --memory=-1
top --memory=0
diff --memory=0MiB
info --memory=5P
info --threads=0
info --threads=257
info --threads=x
top --color=red
VALUES
}

@test "an option without its value, a switch with one" {
    hd diff --rows
    fails_with "--rows: missing argument"
    hd diff -n
    fails_with "-n: missing argument"
    hd diff --quiet=yes "${pair[@]}"
    status_is 2
    out_is ""
    err_matches "^heapdrift: --quiet[^"$'\n'"]*argument\$"
}

@test "a value larger than memory is invalid" {
    local option
    stand_in 'char *poptGetOptArg(void *c) { return (void)c, NULL; }'
    for option in --format=csv --output=x --type=X --rows=1 --iterations=1,2 --min-score=1%; do
        with_stand_in diff "$option" "${pair[@]}"
        fails_with "out of memory"
    done
    with_stand_in diff -q "${pair[@]}"
    status_is 0
}

@test "a small file that would become a large table is refused" {
    { printf '[["A",1,1]'; yes ',[]' | head -n 1000000 | tr -d '\n'; printf ']'; } |
        gzip -1 >"$tmp/x.json.gz"
    { printf 'a 2 x 1\n'; seq 1 400000 | sed 's/.*/t & A/'; printf 'o 1 1 8\nc x 2\n'; } |
        gzip -1 >"$tmp/x.txt.gz"
    for file in "$tmp"/x.{json,txt}.gz; do
        for how in --tables-only --app-only; do
            hd top --memory=20MB "$how" "$file"
            status_is 2
            err_has "--memory"
        done
    done
    works top --memory=2GB --tables-only "$tmp/x.txt.gz"
}

@test "exceeding --memory is an error with this reason" {
    hd diff --memory=1KiB "${pair[@]}"
    status_is 2
    out_is ""
    err_has "heapdrift: $before: "
    err_has "--memory"
    hd top --memory=100KB fixtures/leaklab/none/5.gcdump.gz
    status_is 2
    err_has "--memory"
    works diff -q --memory=1.5GiB "${pair[@]}"
}

@test "sizes take K, M, G and T, binary and decimal units" {
    local size
    for size in 8000000 1000M 100G 1T 9000kB 9000KB 100MB 1GB 1TB 9000KiB 100MiB 1GiB 1TiB 0.5G '100 MB'; do
        works diff -q --memory="$size" "${pair[@]}"
    done
    # K is 1024, k is 1000.
    printf 'type,count,bytes\nX,1,1\n' >"$tmp/1.csv"
    printf 'type,count,bytes\nX,2,1001\n' >"$tmp/2.csv"
    works diff -q --format=json --min-score=1k "$tmp/1.csv" "$tmp/2.csv"
    [[ $(json '.suspects[0].score + 0') == 1000 ]]
    works diff -q --format=json --min-score=1K "$tmp/1.csv" "$tmp/2.csv"
    [[ $(json '"\(.suspects|length) \(.minor[0].score + 0)"') == "0 1000" ]]
}

@test "a command after its options is reported, not opened as a file" {
    local command
    hd --gen2 top "$before"
    fails_with 'give the command first: heapdrift top ...'
    hd -q diff "${pair[@]}"
    fails_with 'give the command first: heapdrift diff ...'
    # Unless there is a file with that name.
    cp "$before" "$tmp/top"
    cp "$after" "$tmp/b"
    cd "$tmp"
    works -q top b
    out_has "2 snapshots"
}

@test "a folder in the place of @FILE or --output" {
    hd diff "@$tmp"
    status_is 2
    err_matches "^heapdrift: $tmp: [^"$'\n'"]+\$"
    hd diff "@$tmp/none"
    fails_with "$tmp/none: No such file or directory"
    hd top -o "$tmp" "$before"
    fails_with "$tmp: Is a directory; name a file in it: $tmp/heapdrift.txt"
    hd top --format=csv -o "$tmp/" "$before"
    fails_with "$tmp/: Is a directory; name a file in it: $tmp/heapdrift.csv"
}

@test "names of files are shown so that they cannot play with the terminal" {
    local name=$tmp/$'a\eb\nc'
    cp "$before" "$name"
    works top "$name"
    out_lacks $'\e'
    works info "$name"
    out_lacks $'\e'
    works diff -q "$name" "$name"
    out_lacks $'\e'
    # Every message is one line.
    : >"$tmp/"$'empty\e\nx.csv'
    hd top "$tmp/"$'empty\e\nx.csv'
    fails_with "$tmp/empty\\x1b\\nx.csv:1: empty: nothing in it"
    hd top "$tmp/"$'none\e\nx'
    fails_with "$tmp/none\\x1b\\nx: No such file or directory"
    hd $'no\nsuch'
    fails_with 'no command or file is called no\nsuch; see `heapdrift --help`'
    hd top $'--no\nsuch'
    fails_with 'unknown option --no\nsuch; see `heapdrift help top`'
    hd top $'--rows=1\n2'
    fails_with '--rows=1\n2: must be a whole number from 0 to 4,294,967,294'
    hd top @$'no\nsuch'
    fails_with 'no\nsuch: No such file or directory'
    hd top "$before" -o "$tmp/"$'no\nfolder/x'
    fails_with "$tmp/no\\nfolder/x: No such file or directory: create the folder $tmp/no\\nfolder first"
    hd collect -p 1 -o $'no\nsuffix'
    fails_with 'no\nsuffix: the name must end in .gcdump, .digest (a digest), .nettrace (the raw trace) or .core (a core dump)'
    hd convert "$before" -o $'no\nsuffix'
    [[ $err == 'heapdrift: no\nsuffix: unknown format; use --to'* ]]
    printf 'type,count,bytes\nA,1,\n' >"$tmp/"$'w\nx.csv'
    works top "$tmp/"$'w\nx.csv'
    err_is "heapdrift: warning: $tmp/w\\nx.csv: bytes-unknown: no sizes in bytes; only counts can be compared"
    works top -qv "$tmp/"$'w\nx.csv'
    err_has "heapdrift: $tmp/w\\nx.csv: table-csv, 1 objects"
    mkdir "$tmp/folder"
    echo no >"$tmp/folder/"$'a\nb'
    cp "$before" "$tmp/folder"
    works top "$tmp/folder"
    err_has "heapdrift: note: $tmp/folder/a\\nb: skipped: "
}

# Everything that a terminal, an editor or a build server would obey: C0, DEL, C1, U+202E,
# commands of Azure Pipelines and of GitHub.
obeyed='[\x00-\x08\x0b-\x1f\x7f\x{80}-\x{9f}\x{202e}]|##vso\[|##\[|^::'

@test "no part of a file commands the terminal or the build server, in any format" {
    local bad=$'::error::a\e[2J\a\x7f\u009b31m\u202eb##vso[task.complete]##[error]' i format command
    local name=${bad//[\/:]/}
    mkdir "$tmp/$name"
    LC_ALL=C awk -v bad="${bad//\\/}" '{ gsub(/Orchard\.Page/, "A" bad "Page") } 1' "$before" >"$tmp/graph.txt"
    for i in 1 2 3 4; do
        jq -n --arg type "$bad" --argjson n $((100 * i)) '{schema: "heapdrift-top", schema_version: 1,
            snapshot: {process: $type},
            types: [{type: $type, count: $n, bytes: ($n * 100)}, {type: "App.B", count: 5, bytes: 50}]}' \
            >"$tmp/$name/$i.json"
    done
    jq -an --arg bad "$bad" '{version: 1, budgets: [{type: "*", max_growth: 0}, {type: ("x" + $bad), max_growth: 0},
        {holder: ($bad + "*"), max_growth: 0}, {suspects: "any"}],
        suppress: [{type: ($bad + "y"), reason: $bad}, {type: "App.B", reason: $bad, until: "2020-01-01"}]}' \
        | sed 's/\x7f/\\u007f/g' >"$tmp/$name/.budgets.yml"
    for format in text json csv tsv md junit sarif github; do
        for command in diff top info "roots -t *Page*" "check -c"; do
            [[ $command == check* || $format != @(junit|sarif|github) ]] || continue
            local files=("$tmp/$name")
            [[ $command != roots* ]] || files=("$tmp/graph.txt")
            [[ $command != top* ]] || files=("$tmp/$name/1.json")
            [[ $command != check* ]] || files=("$tmp/$name/.budgets.yml" "$tmp/$name")
            hd ${command%% *} --format=$format ${command#"${command%% *}"} "${files[@]}"
            [[ $status != 2 && ($format == github || -n $out) ]] || complain "it should work"
            # Its own commands are what this format is for.
            # shellcheck disable=SC2001 # a pattern of the shell cannot say it
            [[ $format != github ]] || out=$(sed 's/^::\(error\|warning\) //' <<<"$out")
            ! grep -qP "$obeyed" <<<"$out" || complain "something is obeyed on stdout: $(cat -v <<<"$out" | head -50)"
            ! grep -qP "$obeyed" <<<"$err" || complain "something is obeyed on stderr: $(cat -v <<<"$err" | head -50)"
        done
    done
}

@test "messages about bad files quote no commands for terminals" {
    local bad=$'a\e[2J\u009b31m\u202eb##vso[task.complete]##[error]' text
    while IFS= read -r text; do
        printf '%b' "${text//@/$bad}" >"$tmp/file"
        hd top "$tmp/file"
        status_is 2
        ! grep -qP "$obeyed" <<<"$err" || complain "something is obeyed: $(cat -v <<<"$err")"
        hd info "$tmp/file"
        ! grep -qP "$obeyed" <<<"$out$err" || complain "something is obeyed: $(cat -v <<<"$out$err")"
        hd check -c "$tmp/file" "$before"
        ! grep -qP "$obeyed" <<<"$err" || complain "something is obeyed: $(cat -v <<<"$err")"
        mkdir -p "$tmp/folder"
        cp "$before" "$tmp/file" "$tmp/folder"
        hd top "$tmp/folder"
        ! grep -qP "$obeyed" <<<"$err" || complain "something is obeyed: $(cat -v <<<"$err")"
    done <<'FILES'
type,count,bytes\nA,@,1\n
t 1 @
@
version: 1\n"@": 2\n
version: "@"\n
version: 1\nbudgets:\n  - total: "@"\n    max_growth: 1\n
version: 1\nbudgets:\n  - type: X\n    max_growth: "@"\n
version: 1\nbudgets: "@\n
FILES
}

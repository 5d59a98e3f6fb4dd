# Sources of snapshots: files, standard input, compressed, zipped, folders, @FILE.
load helper

# The table of $before, to compare with.
table_of_before() {
    works top --format=csv "$before"
    table=$out
}

@test "standard input, plain and packed" {
    table_of_before
    works top --format=csv - <"$before"
    out_is "$table"
    local pack
    for pack in cat gzip zstd xz bzip2; do
        $pack <"$before" | { works top --format=csv -; out_is "$table"; }
    done
    zip -q - "$before" | { works top --format=csv -; out_is "$table"; }
    works diff -q --format=csv - "$after" <"$before"
    local diff=$out
    works diff -q --format=csv "${pair[@]}"
    out_is "$diff"
    hd diff - - <"$before"
    fails_with "standard input can be given only once"
}

@test "every compression, whatever the name" {
    table_of_before
    local pack
    for pack in gzip zstd xz bzip2; do
        $pack -c <"$before" >"$tmp/snapshot"
        works top --format=csv "$tmp/snapshot"
        out_is "$table"
    done
    gzip -c "$before" | cat - <(gzip -c /dev/null) >"$tmp/twice.gz"
    works top --format=csv "$tmp/twice.gz"
    out_is "$table"
}

@test "the bytes decide, not the name" {
    local table
    works top --format=csv fixtures/leaklab/none/0.gcdump.gz
    table=$out
    gzip -dc fixtures/leaklab/none/0.gcdump.gz >"$tmp/plain"
    works top --format=csv "$tmp/plain"
    out_is "$table"
    mv "$tmp/plain" "$tmp/wrong-name.txt.zip"
    works top --format=csv "$tmp/wrong-name.txt.zip"
    out_is "$table"
}

@test "a zip with one snapshot, stored or deflated, among other files" {
    table_of_before
    cp "$before" "$tmp/heap.txt"
    echo '{"Name":"x"}' >"$tmp/metadata.json"
    mkdir "$tmp/folder"
    cp "$before" "$tmp/folder/x.gcdump"
    (
        cd "$tmp" || exit
        zip -q one.zip heap.txt
        zip -q0 stored.zip heap.txt
        echo notes >readme.txt
        zip -q report.diagsession metadata.json readme.txt heap.txt
        zip -qr deep.zip metadata.json folder
        zip -q none.zip readme.txt
        zip -qr two.zip heap.txt folder
    )
    local file
    for file in one.zip stored.zip report.diagsession deep.zip; do
        works top --format=csv "$tmp/$file"
        out_is "$table"
    done
    hd top "$tmp/none.zip"
    fails_with "$tmp/none.zip: a zip without a snapshot"
    hd top "$tmp/two.zip"
    fails_with "top takes one snapshot, not 2; compare several with \`heapdrift diff\`"
    hd top - <"$tmp/two.zip"
    fails_with "standard input: a zip with 2 snapshots; name one, from FILE#1 to FILE#2"
    printf 'PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >"$tmp/empty.zip"
    hd top "$tmp/empty.zip"
    fails_with "$tmp/empty.zip: a zip without a snapshot"
}

@test "UTF-16 tables and other line ends" {
    local file
    for file in dumpheap-stat/managed-powershell-utf16.txt dumpheap-stat/pasted-indented-crlf.txt \
        type-tables/table-crlf-bom-extra.csv heap-text/crlf-bom.txt; do
        works top -q "fixtures/$file"
    done
}

@test "a folder means its files in natural order" {
    local i
    for i in 1 2 3 4; do
        cp "fixtures/heap-text/series-$i.txt" "$tmp/$(sed 's/1/2/;t;s/2/9/;t;s/3/10/;t;s/4/100/' <<<"$i").txt"
    done
    works diff -q --format=json "$tmp"
    [[ $(json '[.snapshots[].path | ltrimstr("'"$tmp"'/")] | join(" ")') == "2.txt 9.txt 10.txt 100.txt" ]]
    [[ $(json '.totals.objects | tojson') == "[443,832,1037,1286]" ]]
    works diff -q --format=csv "$tmp/"
    local slash=$out
    works diff -q --format=csv "${series[@]}"
    out_is "$slash"
}

@test "folders and files mix, in the order of the arguments" {
    mkdir "$tmp/a" "$tmp/b"
    cp "${series[1]}" "${series[2]}" "$tmp/a"
    cp "${series[3]}" "$tmp/b"
    works diff -q --format=json "${series[0]}" "$tmp/a" "$tmp/b"
    [[ $(json '.totals.objects | tojson') == "[443,832,1037,1286]" ]]
    works diff -q --format=json "$tmp/b" "${series[0]}"
    [[ $(json '.totals.objects | tojson') == "[1286,443]" ]]
}

@test "other files in a folder are skipped with a note; hidden files and deeper folders without" {
    cp "$before" "$tmp/1.txt"
    cp "$after" "$tmp/2.txt"
    echo "how I took these" >"$tmp/README"
    printf Nettrace >"$tmp/trace"
    ln -s nowhere "$tmp/link"
    echo hidden >"$tmp/.hidden"
    mkdir "$tmp/deeper"
    cp "${series[@]}" "$tmp/deeper"
    works diff -n5 "$tmp"
    err_has "heapdrift: note: $tmp/README: skipped: not a heap snapshot"
    err_has "heapdrift: note: $tmp/trace: skipped: "
    err_has "heapdrift: note: $tmp/link: skipped: a dangling link"
    err_lacks hidden
    err_lacks deeper
    out_has "2 snapshots"
    # With chains, though the last snapshot is not the last file.
    out_has "held by"
    works diff -q "$tmp"
    err_is ""
}

@test "a broken snapshot in a folder is an error" {
    cp "${pair[@]}" fixtures/heap-text/bad-nul.txt "$tmp"
    hd diff "$tmp"
    fails_with "$tmp/bad-nul.txt:2: nul-byte: a NUL byte: not text"
}

@test "a folder without snapshots is an error" {
    mkdir "$tmp/empty"
    hd diff "$tmp/empty" "$before"
    fails_with "$tmp/empty: no snapshots in this folder"
    hd info "$tmp/empty"
    status_is 2
    err_is "heapdrift: $tmp/empty: no snapshots in this folder"
    mkdir "$tmp/junk"
    echo junk >"$tmp/junk/a"
    hd diff "$tmp/junk"
    status_is 2
    out_is ""
    err_has "heapdrift: note: $tmp/junk/a: skipped"
    hd diff -q "$tmp/junk"
    status_is 2
    err_has "heapdrift: "
    hd top -q "$tmp/junk"
    status_is 2
    err_has "heapdrift: "
}

@test "the same file twice is not growth" {
    works diff -q --format=json "$after" "$after"
    [[ $(json '"\(.suspects|length) \(.minor|length)"') == "0 0" ]]
    [[ $(json '[.types[].status] | unique | tojson') == '["steady"]' ]]
}

@test "-- ends the options, and names may look like options" {
    cp "$before" "$tmp/-n"
    cp "$after" "$tmp/--format=json"
    cd "$tmp"
    works diff -q -- -n --format=json
    out_has "2 snapshots"
    works -q -- -n --format=json
    out_has "2 snapshots"
    works top -q ./-n
    out_has "90 objects"
    works top -q -- -n
    out_has "90 objects"
    hd top -- --quiet
    fails_with "--quiet: No such file or directory"
}

@test "options may be before, between and after the files" {
    works diff -q --format=csv "${pair[@]}"
    local expected=$out
    works diff "$before" -q "$after" --format=csv
    out_is "$expected"
    works "$before" --format csv "$after" -q
    out_is "$expected"
}

@test "@FILE reads arguments" {
    works diff -q --format=csv --type='System.*' "${pair[@]}"
    local expected=$out
    printf -- '-q --format=csv\n--type="System.*"\r\n%s\n\n%s\n' "${pair[@]}" >"$tmp/args"
    works diff "@$tmp/args"
    out_is "$expected"
    works "@$tmp/args"
    out_is "$expected"
    echo "diff -q" >"$tmp/first"
    echo "--format=csv --type 'System.*'" >"$tmp/second"
    works "@$tmp/first" "@$tmp/second" "${pair[@]}"
    out_is "$expected"
    : >"$tmp/none"
    works diff -q --format=csv "@$tmp/none" --type='System.*' "${pair[@]}"
    out_is "$expected"
    cp "$before" "$tmp/@before"
    works top "$tmp/@before"
    (
        cd "$tmp" || exit
        works top -q ./@before
        out_has "90 objects"
    )
}

@test "after -- a name that begins with @ is a name" {
    cp "$before" "$tmp/@a"
    cp "$after" "$tmp/@b"
    echo "-q -- @a" >"$tmp/args"
    cd "$tmp"
    works diff -q -- @a @b
    out_has "2 snapshots"
    works diff @args @b
    out_has "2 snapshots"
}

@test "a named pipe is read like standard input" {
    table_of_before
    mkfifo "$tmp/pipe"
    copy_slowly "$before" "$tmp/pipe"
    works top --format=csv "$tmp/pipe"
    out_is "$table"
}

@test "the number of threads changes neither a byte nor a line number" {
    # Large enough to be separated into pieces; types are last, one never appears.
    awk 'BEGIN {
        print "a 2 App.exe 1"
        for (i = 1; i <= 200000; i++)
            printf "o %x %x %x %x\n", i, 1 + i % 5, 16 + i % 64 * 4, i
        for (t = 1; t <= 4; t++)
            printf "t %x App.Type%d\n", t, t
        print "r 1 3 0\nr 2 9 0\nc App.exe 2"
    }' >"$BATS_TEST_TMPDIR/big.txt"
    sed '150001s/^o/x/' "$BATS_TEST_TMPDIR/big.txt" >"$BATS_TEST_TMPDIR/bad.txt"
    for file in big bad; do
        for j in 1 2 8; do
            "$HEAPDRIFT" top --tables-only --format=json -j$j "$BATS_TEST_TMPDIR/$file.txt" \
                >"$BATS_TEST_TMPDIR/$file.$j" 2>&1 || true
            cmp "$BATS_TEST_TMPDIR/$file.1" "$BATS_TEST_TMPDIR/$file.$j"
        done
    done
    grep -q '"code":"unknown-type"\|"code": "unknown-type"' "$BATS_TEST_TMPDIR/big.8"
    grep -q 'bad.txt:150001: unknown-record: "x" is not a record' "$BATS_TEST_TMPDIR/bad.8"
}

@test "a folder may contain empty files, and text that mentions dumpheap" {
    cp "${pair[@]}" "$tmp"
    : >"$tmp/full-disk"
    printf '\n\n' >"$tmp/blank.txt"
    printf 'From a core dump:\n> take it twice\nthen `dumpheap -stat -live`, and save it.\n' >"$tmp/README.md"
    works diff "$tmp"
    err_has "heapdrift: note: $tmp/full-disk: skipped: nothing in it"
    err_has "heapdrift: note: $tmp/blank.txt: skipped: nothing in it"
    err_has "heapdrift: note: $tmp/README.md: skipped: not a heap snapshot"
    out_has "2 snapshots"
    # The command itself is more than talk.
    echo '> dumpheap -stat' >"$tmp/README.md"
    works diff -n5 "$tmp"
    err_has "heapdrift: note: $tmp/README.md: skipped: no table with the header"
}

@test "an endless pipe that is not a snapshot is closed immediately" {
    hd top --memory=1GB /dev/zero
    status_is 2
    err_has "heapdrift: /dev/zero: not a heap snapshot"
}

@test "doubly compressed input, or input that expands a thousand times, is refused" {
    gzip -c <"$before" | gzip >"$tmp/twice.gz"
    hd top "$tmp/twice.gz"
    fails_with "$tmp/twice.gz: compressed more than once; decompress it first"
    { cat "$before"; head -c 100000000 /dev/zero | tr '\0' '\n'; } | zstd -q >"$tmp/bomb.zst"
    hd top "$tmp/bomb.zst"
    fails_with "$tmp/bomb.zst: decompresses to more than 1000 times its size: not a snapshot"
}

@test "an encrypted file next to a snapshot does not matter" {
    table_of_before
    cp "$before" "$tmp/heap.txt"
    echo notes >"$tmp/notes"
    (
        cd "$tmp" || exit
        zip -qP secret beside.zip notes
        zip -q beside.zip heap.txt
        zip -qP secret hidden.zip heap.txt
    )
    works top --format=csv "$tmp/beside.zip"
    out_is "$table"
    hd top "$tmp/hidden.zip"
    fails_with "$tmp/hidden.zip: a zip with encrypted files and no other snapshot; extract it"
}

# The graph of the second file does not fit together with the others, and is read again.
@test "a file that changed before its graph is read again: an error that names it" {
    local i
    for i in 0 1 2; do
        gzip -dc "fixtures/leaklab/cache/$i.gcdump.gz" >"$tmp/$i.gcdump"
    done
    mkfifo "$tmp/pipe"
    # A writer waits for the reader of its pipe, which has read the files before it.
    timeout 600 sh -c 'exec 4>"$1/pipe"
        cat "$1/2.gcdump" >&4' sh "$tmp" 3>&- &
    works diff -q -j1 --memory=7MB "$tmp/0.gcdump" "$tmp/1.gcdump" "$tmp/pipe"
    timeout 600 sh -c 'exec 4>"$1/pipe"; touch -d 2020-01-01 "$1/1.gcdump"
        cat "$1/2.gcdump" >&4' sh "$tmp" 3>&- &
    hd diff -q -j1 --memory=7MB "$tmp/0.gcdump" "$tmp/1.gcdump" "$tmp/pipe"
    fails_with "$tmp/1.gcdump: was modified after it was first read"
}

# Starts the program, stops it as soon as it has mapped the file, truncates the file, and resumes it.
cut_while_mapped() {
    "$HEAPDRIFT" top "$1" >"$tmp/.out" 2>"$tmp/.err" 3>&- &
    python - "$1" $! <<'CUT'
import os, signal, sys
path, pid = os.path.realpath(sys.argv[1]), int(sys.argv[2])
try:
    while path not in open(f"/proc/{pid}/maps").read():
        pass
    os.kill(pid, signal.SIGSTOP)
    os.truncate(path, 4096)
    os.kill(pid, signal.SIGCONT)
except (FileNotFoundError, ProcessLookupError):
    pass
CUT
    status=0
    wait $! || status=$?
    out=$(<"$tmp/.out")
    err=$(<"$tmp/.err")
    ran="heapdrift top $1 (cut meanwhile)"
}

@test "a large file that becomes shorter while it is read: an error that names it" {
    large_gcdump "$tmp/large.gcdump" 1500000
    [[ $(stat -c %s "$tmp/large.gcdump") -gt 17000000 ]]
    # On a very busy machine it may be read before it is stopped, or when it is truncated: then it
    # has merely changed.
    for _ in {1..20}; do
        cp "$tmp/large.gcdump" "$tmp/$(printf 'cut\e').gcdump"
        cut_while_mapped "$tmp/$(printf 'cut\e').gcdump"
        [[ $status == 0 || $err == *": was modified "* ]] || break
    done
    fails_with "$tmp/cut?.gcdump: was truncated while being read"
}

@test "what people paste is read, and an excerpt or a part passes no gate" {
    local forms=fixtures/text-forms form
    works top --format=csv "$forms/fence.md"
    local whole=$out
    for form in quoted.md quoted-twice.md kubectl.txt compose.txt logger.txt tabs.txt tail-whole.txt; do
        works top --format=csv "$forms/$form"
        out_is "$whole"
        err_is ""
    done
    works top "$forms/tail.txt"
    out_has "MOST  System.String takes 9.00 MiB, 75 % of the listed types, in 131,072 objects"
    err_has "incomplete: an excerpt of a table: 18,563 objects of its total are not listed"
    works top "$forms/wrapped.txt"
    err_has "90,000 objects of its total are not listed; 2 lines were left out"
    for form in tail.txt no-total.txt type-filter.txt type-no-command.txt min-no-command.txt; do
        hd check "$forms/$form" "$forms/$form" --max-growth=10%
        out_lacks PASS
        hd check --strict --max-growth=10% "$forms/$form" "$forms/$form"
        status_is 3
    done
    hd top "$forms/blanks-in-numbers.txt"
    fails_with "$forms/blanks-in-numbers.txt:4: bad-number: \"2 880 000 Harbor.Billing.Invoice\" is no name: the numbers before it have blanks in them"
    printf '  1,335,288  (Dump size)\n    299,845  (Total allocations)\n' >"$tmp/old.txt"
    hd top "$tmp/old.txt"
    fails_with "$tmp/old.txt: a report of dotnet-gcdump before 5.0, which has no counts; use the .gcdump"
}

# Files of Visual Studio's profiler: a zip, or its extracted files, in the order of its manifest.
load helper

make_session() { python3 tests/cli/diagsession.py "$tmp/vs.diagsession" "$@" "${series[@]}"; }

objects_are() { [[ $(json '.totals.objects | tojson') == "$1" ]] || complain "objects expected: $1"; }

@test "the snapshots of a .diagsession are a series in the order of its manifest" {
    local fault
    for fault in none shuffled metadata-only; do
        make_session "$fault"
        works diff -q --format=json "$tmp/vs.diagsession"
        objects_are "[443,832,1037,1286]"
        [[ $(json '.snapshots[0].path') == "$tmp/vs.diagsession#1" ]]
        [[ $(json '[.warnings[].code] | index("order-unknown")') == null ]]
    done
    works top --format=json "$tmp/vs.diagsession#3"
    [[ $(json '.snapshots[0].objects // .snapshot.objects') == 1037 ]]
    hd top "$tmp/vs.diagsession#5"
    fails_with "$tmp/vs.diagsession#5: #5: a zip with 4 snapshots"
    # Each graph is dropped, and read again.
    works diff -q -j1 --memory=100MB --format=csv "$tmp/vs.diagsession"
    local packed=$out
    works diff -q --format=csv "${series[@]}"
    out_is "$packed"
}

@test "an unpacked .diagsession is the same series" {
    make_session shuffled
    mkdir "$tmp/un"
    (cd "$tmp/un" && python3 -m zipfile -e ../vs.diagsession .)
    works diff -q --format=json "$tmp/un"
    objects_are "[443,832,1037,1286]"
    works diff "$tmp/un"
    err_lacks skipped
    err_lacks order-unknown
}

@test "a manifest that does not match its files is an error, and opens no other file" {
    local fault
    while IFS='|' read -r fault message; do
        make_session "$fault"
        hd diff "$tmp/vs.diagsession"
        status_is 2
        err_has "$tmp/vs.diagsession#$message"
        mkdir "$tmp/$fault"
        (cd "$tmp/$fault" && python3 -m zipfile -e ../vs.diagsession .)
        hd diff "$tmp/$fault"
        status_is 2
        err_has "$tmp/$fault"
        err_has "${message#*: }"
    done <<'END'
missing|2: the manifest names "
doubled|2: the manifest names "
outside|2: the manifest names "../../etc/
absolute|2: the manifest names "/etc/passwd", which is missing
ambiguous|2: the manifest names "
two-processes|4: of process 9, and an earlier snapshot is of process 7
END
}

@test "without a usable manifest unordered names are reported" {
    local fault
    for fault in bare no-times no-json large deep many entities; do
        make_session "$fault"
        works diff --format=json "$tmp/vs.diagsession"
        err_has "order-unknown: neither times nor names give an order"
        [[ $(json '.snapshots | length') == 4 ]]
        hd check "$tmp/vs.diagsession"
        out_lacks PASS
    done
    mkdir "$tmp/un"
    make_session bare
    (cd "$tmp/un" && python3 -m zipfile -e ../vs.diagsession .)
    works diff "$tmp/un"
    err_has "order-unknown"
    works diff "$tmp"/un/*/*.gcdump
    err_has "order-unknown"
}

@test "names without numbers have no order, in a folder and in a zip" {
    cp "$before" "$tmp/early.txt"
    cp "$after" "$tmp/done.txt"
    (cd "$tmp" && zip -q two.zip early.txt done.txt)
    works diff "$tmp/two.zip"
    err_has "order-unknown: neither times nor names give an order"
    rm "$tmp/two.zip"
    works diff "$tmp"
    err_has "order-unknown: neither times nor names give an order"
    # Files named by the user are in the given order.
    works diff "$tmp/early.txt" "$tmp/done.txt"
    err_lacks order-unknown
    mv "$tmp/early.txt" "$tmp/a.txt"
    mv "$tmp/done.txt" "$tmp/b.txt"
    works diff "$tmp"
    err_lacks order-unknown
}

@test "a large manifest needs little memory and time" {
    make_session large
    works diff -q --memory=50MB "$tmp/vs.diagsession"
    # A bomb: 100 MB of zeros in 100 kB are accepted, a thousand times this amount is not.
    python3 - "$tmp/bomb.zip" fixtures/heap-text/before.txt <<'END'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as z:
    for k in range(3):
        z.write(sys.argv[2], f"{k}.txt")
    with z.open("manifest.json", "w", force_zip64=True) as f:
        for _ in range(300):
            f.write(bytes(1 << 20))
END
    works diff -q --memory=50MB "$tmp/bomb.zip"
}

@test "a folder of folders with one snapshot each is a series" {
    local i
    for i in 1 2 3 4; do
        mkdir "$tmp/run-$((i * 5))"
        cp "${series[i - 1]}" "$tmp/run-$((i * 5))/heap.txt"
    done
    echo notes >"$tmp/notes.md"
    mkdir "$tmp/empty"
    ln -s . "$tmp/again"
    works diff --format=json "$tmp"
    objects_are "[443,832,1037,1286]"
    err_has "notes.md: skipped"
    # Two series are not one.
    cp "$before" "$after" "$tmp/run-5"
    cp "$before" "$after" "$tmp/run-20"
    hd diff "$tmp"
    fails_with "$tmp: \"run-5\" and \"run-20\" in this folder have several snapshots each; name one folder"
}

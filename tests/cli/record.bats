# record: snapshots into a store, as people and tasks call it.
load helper

setup() {
    begin
    unset OTEL_SERVICE_NAME OTEL_RESOURCE_ATTRIBUTES HEAPDRIFT_STORE
    export HOSTNAME=web-1
    db=$tmp/store.db
    # Its time is what two of the tests look at.
    cp "$before" "$tmp/before.txt"
    cp "$after" "$tmp/after.txt"
    touch -d 2026-11-21T12:00:00Z "$tmp/before.txt"
    touch -d 2026-11-21T13:00:00Z "$tmp/after.txt"
}

# ask SQL: what is in the store. python3 is there wherever the tests run, sqlite3 is not.
ask() {
    python -c 'import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print(*row, sep="|")' "$db" "$1"
}

@test "a snapshot is recorded once, with a line of output" {
    works record --store="$db" --service=shop --build=4.2 "$tmp/before.txt"
    out_is "$tmp/before.txt: recorded: shop 4.2 on web-1, 2026-11-21T12:00:00Z"
    err_is "heapdrift: note: $tmp/before.txt: has no timestamp; using the file's"
    works record --store="$db" --service=shop "$tmp/before.txt" "$tmp/after.txt"
    out_is "$tmp/before.txt: already recorded
$tmp/after.txt: recorded: shop on web-1, 2026-11-21T13:00:00Z"
    [[ $(ask 'SELECT COUNT(*), SUM(objects) FROM snapshot') == "2|$(("$(ask 'SELECT SUM(objects) FROM type_size')"))" ]]
    # Renamed and packed it is the same.
    gzip -c "$tmp/before.txt" >"$tmp/other.gz"
    works record -q --store="$db" --service=shop "$tmp/other.gz"
    out_is "$tmp/other.gz: already recorded"
}

@test "the store is that of --store, of the environment, or heapdrift.db" {
    cd "$tmp"
    works record -q before.txt
    [[ -f heapdrift.db ]]
    HEAPDRIFT_STORE=$tmp/env.db works record -q before.txt
    out_has recorded:
    HEAPDRIFT_STORE=$tmp/none/env.db works record -q --store=env.db before.txt
    out_is "before.txt: already recorded"
    HEAPDRIFT_STORE='' works record -q before.txt
    out_is "before.txt: already recorded"
}

@test "facts are taken from options, else from the environment" {
    export OTEL_SERVICE_NAME=checkout OTEL_RESOURCE_ATTRIBUTES=service.version=7,deployment.environment=prod
    works record -q --store="$db" "$tmp/before.txt"
    works record -q --store="$db" --service=a --host=b --build=c --label=zone=x --label=deployment.environment=test \
        --limit=1GiB "$tmp/after.txt"
    diff - <(ask 'SELECT service, host, build, labels, memory_limit FROM series ORDER BY id') <<'ROWS'
checkout|web-1|7|{"deployment.environment":"prod"}|None
a|b|c|{"deployment.environment":"test","zone":"x"}|1073741824
ROWS
    OTEL_RESOURCE_ATTRIBUTES=x works record --store="$db" "$tmp/before.txt" "$tmp/after.txt"
    err_is "heapdrift: note: OTEL_RESOURCE_ATTRIBUTES is not a list of name=value; ignored"
    hd record --store="$db" --label=zone "$before"
    fails_with "--label=zone: must be NAME=VALUE"
    hd record --store="$db" --keep=90 "$before"
    fails_with "--keep=90: must be a time with its unit: 12h, 7d, 4w, 1y"
}

@test "snapshots that cannot be recorded are reported, the others are recorded, and the status is 2" {
    mkdir "$tmp/folder"
    cp "$tmp/before.txt" "$tmp/folder/a.txt"
    echo hello >"$tmp/folder/b.txt"
    head -c 300 "$after" >"$tmp/cut.txt"
    hd record --store="$db" --service=x "$tmp/none" "$tmp/cut.txt" "$tmp/folder" "$tmp/after.txt"
    status_is 2
    err_has "$tmp/none: No such file or directory"
    err_has "$tmp/cut.txt:"
    err_has "note: $tmp/folder/b.txt: skipped: "
    [[ $(wc -l <<<"$out") == 2 ]]
    [[ $(ask 'SELECT COUNT(*) FROM snapshot') == 2 ]]
    hd record --store="$db"
    fails_with "record needs a snapshot: heapdrift record SNAPSHOT..."
    hd record --store="$db" - -
    fails_with "standard input can be given only once"
    # A file of another, unknown user.
    zcat fixtures/leaklab/cache/0.gcdump.gz >"$tmp/0.gcdump"
    hd record --store="$db" "$tmp/0.gcdump"
    fails_with "$tmp/0.gcdump: has no service name: --service=NAME"
}

@test "a snapshot from standard input has the given time, or now" {
    works record --store="$db" --service=x - <"$tmp/before.txt"
    out_has "-: recorded" || out_has "standard input: recorded: x on web-1, 20"
    err_is "heapdrift: note: standard input: has no timestamp; using the current time"
}

@test "JSON has the result for each, as in its schema" {
    hd record -q --store="$db" --service=$'a\u202e\x1b"' --format=json --keep=30d "$tmp/before.txt" "$tmp/none" "$tmp/before.txt"
    status_is 2
    out_lacks $'\u202e'
    [[ $(json '[.snapshots[].result] | join(" ")') == "recorded failed already-recorded" ]]
    [[ $(json '.thinned.left') == 1 && $(json .store) == "$db" ]]
    [[ $(json '.snapshots[0] | "\(.host) \(.taken) \(.objects) \(.error)"') == "web-1 2026-11-21T12:00:00Z 90 null" ]]
    [[ $(json '.snapshots[1] | "\(.host) \(.error)"') == "null No such file or directory" ]]
    printf '%s' "$out" >"$tmp/out.json"
    python -c 'import json, jsonschema, sys
jsonschema.Draft202012Validator(json.load(open(sys.argv[1]))).validate(json.load(open(sys.argv[2])))' \
        docs/json-schema/heapdrift-record.json "$tmp/out.json"
    hd record --store="$db" --format=csv "$before"
    fails_with "--format=csv: record prints text or json"
}

@test "--keep thins out, with or without a snapshot" {
    works record -q --store="$db" --service=x --keep=90d "$tmp/before.txt"
    out_has "thinned out: 0 snapshots and 0 series deleted, 1 snapshot is kept"
    python -c 'import sqlite3, sys
c = sqlite3.connect(sys.argv[1]); c.execute("UPDATE snapshot SET recorded_at = 0, taken_at = 1"); c.commit()' "$db"
    works record --store="$db" --keep=90d
    out_is "thinned out: 1 snapshot and 1 series deleted, 0 snapshots are kept"
}

@test "an invalid store is refused in one line" {
    python -c 'import sqlite3, sys
c = sqlite3.connect(sys.argv[1]); c.execute("CREATE TABLE customers (name)"); c.commit()' "$db"
    hd record --store="$db" "$before"
    fails_with "$db: not a store: it has a table customers; use a database of its own"
    hd record --store="$tmp" "$before"
    fails_with "$tmp: Is a directory"
    hd record --store="$tmp/none/store.db" "$before"
    fails_with "$tmp/none/store.db: No such file or directory"
    hd record --store="$before" "$after"
    fails_with "$before: not an SQLite database"
    hd record --store="$before" "$before"
    fails_with "$before: is one of the snapshots; name another file"
    hd record --store=mysql://u:secret@h/x "$before"
    status_is 2
    err_has "mysql://u:***@h/x: not a store: a store is a file (SQLite) or postgresql://..."
    err_lacks secret
}

@test "a full disk is reported in one line, and reported snapshots are stored" {
    local i
    works record -q --store="$db" --service=x "$tmp/before.txt"
    for i in 8 16 32 64; do
        # The file may not get larger than that, in KiB.
        (
            ulimit -f "$(($(stat -c %s "$db") / 1024 + i))"
            hd record -q --store="$db" --service=x "$after" "${series[@]}"
            [[ $status == 2 || $i == 64 ]] || complain "status 2 expected"
            [[ $(grep -c . <<<"$err") == $((5 - $(grep -c recorded: <<<"$out"))) || -z $err ]] || complain "a line each"
            grep -c recorded: <<<"$out" >"$tmp/count" || true
        )
        [[ $(ask 'SELECT COUNT(*) FROM snapshot') == "$(($(<"$tmp/count") + 1))" ]]
        [[ $(ask 'SELECT COUNT(*) FROM type_row WHERE snapshot_id NOT IN (SELECT id FROM snapshot)') == 0 ]]
        python -c 'import sqlite3, sys
c = sqlite3.connect(sys.argv[1]); c.execute("DELETE FROM type_row WHERE snapshot_id > 1"); c.execute("DELETE FROM snapshot WHERE id > 1"); c.commit(); c.execute("VACUUM")' "$db"
    done
}

# For any limit, from a block to more than enough: a store with tables, or no file.
@test "if a new store cannot be created, no file is left" {
    local i made=0 refused=0
    for i in 1 2 4 8 16 32 64 128 256 512; do
        mkdir "$tmp/$i"
        (
            trap '' XFSZ
            ulimit -f "$i"
            hd record -q --store="$tmp/$i/x.db" --service=x "$before"
            [[ $status == 0 || $status == 2 ]] || complain "status 0 or 2 expected"
        )
        db=$tmp/$i/x.db
        if [[ -e $db ]]; then
            made=$((made + 1))
            [[ $(ask 'SELECT version > 0 FROM heapdrift_store') == 1 ]]
        else
            refused=$((refused + 1))
            [[ $(ls -A "$tmp/$i") == "" ]] || complain "$i: $(ls -A "$tmp/$i")"
        fi
    done
    [[ $made -gt 1 && $refused -gt 2 ]] || complain "$made made, $refused refused"
}

@test "the password of a URL is in no message, and on a command line its visibility is mentioned" {
    hd record --store=postgresql://u:secret@127.0.0.1:1/x "$before"
    status_is 2
    err_has "postgresql://u:***@127.0.0.1:1/x: the password is visible to others"
    err_lacks secret
    HEAPDRIFT_STORE=postgresql://u:secret@127.0.0.1:1/x hd record "$before"
    status_is 2
    [[ $(wc -l <<<"$err") == 1 ]]
    err_lacks secret
    hd record -q --format=json --store='postgresql://u:sec%ret@127.0.0.1:1/x' "$before"
    status_is 2
    err_lacks ret@
}

@test "what --follow does not do" {
    hd record --follow --store="$db"
    fails_with "--follow needs a folder: heapdrift record --follow DIR..."
    hd record --follow --store="$db" "$tmp/before.txt"
    fails_with "$tmp/before.txt: --follow needs folders"
    hd record --follow --store="$db" -
    fails_with "-: --follow needs folders"
    hd record --follow --format=json --store="$db" "$tmp"
    fails_with "--follow does not end, so it cannot be combined with --format=json"
}

# store: upgrading and checking a store, and permissions.
load helper

setup() {
    begin
    unset OTEL_SERVICE_NAME OTEL_RESOURCE_ATTRIBUTES
    export HEAPDRIFT_STORE=$tmp/store.db
    cp "$before" "$tmp/before.txt"
    cp "$after" "$tmp/after.txt"
    touch -d 2026-11-21T12:00:00Z "$tmp/before.txt"
    touch -d 2026-11-21T13:00:00Z "$tmp/after.txt"
}

# ask SQL [SQL...]: of the file; what they change is kept.
ask() {
    python -c 'import sqlite3, sys
c = sqlite3.connect(sys.argv[1], timeout=60)
for sql in sys.argv[2:]:
    for row in c.execute(sql): print(*row, sep="|")
c.commit()' "$HEAPDRIFT_STORE" "$@"
}

# The tables as version 2 had them, by the steps up to it, which never change.
make_version_2() {
    python - "$HEAPDRIFT_STORE" <<'PYTHON'
import sqlite3, sys
steps = open("src/fleet/store/schema.sql").read().split("-- version 3")[0]
for word, sqlite in (("{id}", "INTEGER PRIMARY KEY"), ("{text}", "TEXT"), ("{bytes}", "BLOB")):
    steps = steps.replace(word, sqlite)
c = sqlite3.connect(sys.argv[1])
c.executescript(steps + "UPDATE heapdrift_store SET version = 2;")
PYTHON
}

is_valid() {
    printf '%s' "$out" >"$tmp/out.json"
    python -c 'import json, jsonschema, sys
jsonschema.Draft202012Validator(json.load(open(sys.argv[1]))).validate(json.load(open(sys.argv[2])))' \
        docs/json-schema/heapdrift-store.json "$tmp/out.json"
}

@test "a store of the version before is used as it is until it is upgraded" {
    make_version_2
    hd record --service=shop "$tmp/before.txt"
    status_is 0
    err_has "note: $HEAPDRIFT_STORE: is of an older version; when all its writers are of this one, run \`heapdrift store upgrade\`"
    works fleet --since=all
    err_lacks "older version"
    [[ $(ask 'SELECT version FROM heapdrift_store') == 2 ]]
    works store check --all
    out_has "$HEAPDRIFT_STORE: no errors; version 2"
    works store upgrade
    out_is "$HEAPDRIFT_STORE: upgraded from version 2 to 4"
    works store upgrade
    out_is "$HEAPDRIFT_STORE: is already of version 4; nothing to do"
    works record --service=shop "$tmp/before.txt" "$tmp/after.txt"
    err_lacks "older version"
    out_has "before.txt: already recorded"
    out_has "after.txt: recorded: "
    works store check --all
    out_has "$HEAPDRIFT_STORE: no errors; version 4"
    out_has "  digests read      2"
}

@test "upgrade creates a missing store, and reports missing permissions" {
    works store upgrade --format=json
    is_valid
    [[ $(json '"\(.version) \(.upgraded_from) \(.counts)"') == "4 0 null" ]]
    works store upgrade --format=json
    is_valid
    [[ $(json .upgraded_from) == null ]]
    hd store upgrade --store="$tmp/none/x.db"
    fails_with "$tmp/none/x.db: No such file or directory"
    ask 'UPDATE heapdrift_store SET version = 1'
    hd store check
    fails_with "$HEAPDRIFT_STORE: is a store of version 1; this heapdrift uses version 2 and later: upgrade it with \`heapdrift store upgrade\`"
    ask 'UPDATE heapdrift_store SET version = 9, accepts_version = 8'
    for verb in upgrade check; do
        hd store "$verb"
        fails_with "$HEAPDRIFT_STORE: is a store of version 9, which accepts programs of version 8 and later; this heapdrift is of version 4, replace it"
    done
    if [[ $(id -u) != 0 ]]; then
        rm "$HEAPDRIFT_STORE"
        make_version_2
        chmod 444 "$HEAPDRIFT_STORE"
        hd store upgrade
        fails_with "$HEAPDRIFT_STORE: is read-only"
    fi
}

# For any limit, and killed at any time: version 2 or 4, and complete.
@test "a killed upgrade, or one without space, has no effect" {
    local i count=0 version
    make_version_2
    works record -q --service=shop "$tmp/before.txt" "$tmp/after.txt"
    cp "$HEAPDRIFT_STORE" "$tmp/old.db"
    for i in $(seq 1 16); do
        cp "$tmp/old.db" "$HEAPDRIFT_STORE"
        rm -f "$HEAPDRIFT_STORE"-*
        if ((i % 2)); then
            # Limit of the log next to it, in blocks.
            (
                trap '' XFSZ
                ulimit -f $((i * 6))
                "$HEAPDRIFT" store upgrade >/dev/null 2>&1
            ) || true
        else
            "$HEAPDRIFT" store upgrade >/dev/null 2>&1 3>&- &
            sleep "0.00$((i / 2 % 10))"
            kill -KILL $! 2>/dev/null || true
            wait $! 2>/dev/null || true
        fi
        version=$(ask 'SELECT version FROM heapdrift_store')
        [[ $version == 2 || $version == 4 ]] || complain "version $version"
        works store check --all
        out_has ": no errors; version $version"
        [[ $(ask "SELECT COUNT(*) FROM pragma_table_info('snapshot') WHERE name = 'base_id'") == $((version > 2)) ]]
        count=$((count + (version > 2)))
    done
    ((count < 16)) || complain "none was stopped"
    works store upgrade
    works store check --all
    out_has ": no errors; version 4"
}

@test "check finds what is wrong, each by its code, and status 1 is for errors" {
    local code sql severity found=0
    works record -q --service=shop "$tmp/before.txt" "$tmp/after.txt"
    works store check --format=json
    is_valid
    [[ $(json '"\(.problems | length) \(.counts.snapshots) \(.counts.digests_read)"') == "0 2 2" ]]
    ask 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
    cp "$HEAPDRIFT_STORE" "$tmp/whole.db"
    while IFS='|' read -r code severity sql; do
        rm -f "$HEAPDRIFT_STORE"*
        cp "$tmp/whole.db" "$HEAPDRIFT_STORE"
        ask "$sql"
        hd store check --format=json
        is_valid
        status_is "$([[ $severity == error ]] && echo 1 || echo 0)"
        [[ " $(json '.problems[] | "\(.code) \(.severity)"' | xargs) " == *" $code $severity "* ]] || complain "$code: $sql"
        hd store check
        out_has "$severity: "
        found=$((found + 1))
    done <<'ROWS'
foreign-key|error|DELETE FROM series
foreign-key|error|DELETE FROM snapshot WHERE id = 1
foreign-key|error|DELETE FROM type WHERE id = 1
foreign-key|error|INSERT INTO finding VALUES (99, 1, 2, 1, 1, '', 1, 1, 1, 'low', '')
base|error|UPDATE snapshot SET base_id = 77 WHERE id = 2
base|error|UPDATE snapshot SET base_id = 2 WHERE id = 2
digest|error|UPDATE snapshot SET digest = ''
digest|error|UPDATE snapshot SET digest = 'no digest'
digest|error|UPDATE snapshot SET digest = (SELECT digest FROM snapshot WHERE id = 2)
digest|error|UPDATE snapshot SET digest = substr(digest, 1, length(digest) / 2) WHERE id = 2
empty-series|warning|INSERT INTO series (run, service, host, process, build, labels) VALUES ('x', 'x', '', '', '', '{}')
clock|warning|UPDATE snapshot SET taken_at = recorded_at + 7200
clock|warning|UPDATE series SET started_at = 4e9
clock|warning|UPDATE snapshot SET recorded_at = 4e9
ROWS
    [[ $found == 14 ]]
}

@test "check reports a damaged file" {
    works record -q --service=shop "$tmp/before.txt" "$tmp/after.txt" "${series[@]}"
    ask 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
    # A page in the middle.
    dd if=/dev/urandom of="$HEAPDRIFT_STORE" bs=4096 seek=6 count=3 conv=notrunc status=none
    hd store check
    [[ $status == 1 || $status == 2 ]] || complain "status 1 or 2 expected"
    [[ $status == 2 ]] || out_has "error: "
    [[ $status == 1 ]] || err_has "is damaged"
    hd store check --store="$before"
    fails_with "$before: not an SQLite database"
    hd store check --store="$tmp/none.db"
    fails_with "$tmp/none.db: No such file or directory"
}

@test "check changes nothing, and needs no write permission" {
    works record -q --service=shop "$tmp/before.txt"
    ask 'PRAGMA journal_mode = DELETE' >/dev/null
    local sum
    sum=$(md5sum <"$HEAPDRIFT_STORE")
    works store check --all
    [[ $(md5sum <"$HEAPDRIFT_STORE") == "$sum" ]]
}

@test "invalid verbs and options are reported" {
    hd store
    fails_with "store needs a verb: upgrade or check"
    hd store chek
    fails_with "store has no verb chek; did you mean check?"
    hd store zzzzzzzz
    fails_with "store has no verb zzzzzzzz; the verbs are upgrade and check"
    hd store check "$HEAPDRIFT_STORE"
    fails_with "store takes one verb; the store is --store=URL"
    hd store grant
    fails_with "store grant was removed: docs/store.md (Rights and secrets) has the SQL"
    hd store upgrade --all
    fails_with "--all is for \`heapdrift store check\`"
    hd store check --format=csv
    fails_with "--format=csv: store prints text or json"
}

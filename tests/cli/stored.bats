# A run of a store instead of files: the choice, the message, and support in every command.
load helper

# Two services on two hosts: host "new" has the newest snapshots, but too few.
setup_file() {
    export store=$BATS_FILE_TMPDIR/store.db lab=$BATS_FILE_TMPDIR/lab
    local host i
    unset HEAPDRIFT_STORE
    for host in cache none; do
        mkdir -p "$lab/$host"
        cp fixtures/leaklab/$host/* "$lab/$host"
        for i in {0..5}; do touch -d "2026-11-21T12:0$i:00Z" "$lab/$host/$i".*; done
    done
    "$HEAPDRIFT" record -q --store="$store" --service=shop --host=old --build=1.0 "$lab/none" >/dev/null
    for i in {0..5}; do touch -d "2026-11-21T13:0$i:00Z" "$lab/cache/$i".*; done
    "$HEAPDRIFT" record -q --store="$store" --service=shop --host=web --build=1.1 "$lab/cache" >/dev/null
    mkdir "$lab/list"
    cp fixtures/leaklab/list/0.* "$lab/list"
    touch -d 2026-11-22T00:00:00Z "$lab/list"/*
    "$HEAPDRIFT" record -q --store="$store" --service=mail --host=new "$lab/list" >/dev/null
}

setup() {
    begin
    unset HEAPDRIFT_STORE
}

stored() { hd "$1" --store="$store" "${@:2}"; }
stored_works() { stored "$@"; status_is 0; }

@test "the newest run with enough snapshots is used, and named" {
    stored_works diff --service=shop
    err_has "heapdrift: note: run 2: shop on web, build 1.1: 6 snapshots; 1 other run matches: this is the newest with four snapshots, --run=ID names one"
    out_matches '^LEAK '
    # One of mail is newer, but no series.
    stored_works diff
    err_has "note: run 2: shop on web, build 1.1: 6 snapshots; 2 other runs match"
    stored_works top
    err_has "note: run 3: mail on new: the last of 1 snapshot; 2 other runs match: this is the newest, --run=ID names one"
    stored_works diff --host=old
    err_has "note: run 1: shop on old, build 1.0: 6 snapshots"
    err_lacks "other run"
    stored_works diff -q --build=1.0
    err_lacks note
    stored_works info --run=2 --since=2026-11-21T13:02Z --until=2026-11-21T13:04Z --format=json
    [[ $(json '[.snapshots[].path] | join(" ")') == "web/2026-11-21T13:02:00Z web/2026-11-21T13:03:00Z" ]]
}

# In recorded snapshots only counts are known.
@test "a run gives the same answer as its files" {
    stored_works diff --run=2 --format=json
    json '[.suspects[] | [.type, .score, .retained]]' >"$tmp/stored"
    mkdir "$tmp/digests"
    works convert -q "$lab/cache"/* -o "$tmp/digests/d.digest"
    works diff --no-ages --format=json "$tmp/digests"
    diff "$tmp/stored" <(json '[.suspects[] | [.type, .score, .retained]]')
}

@test "every command takes a run, in every format" {
    local command format words
    for command in diff tree "roots --type=*" check info top; do
        for format in text json csv tsv md html; do
            read -ra words <<<"$command"
            stored "${words[@]}" --run=2 --format=$format -q
            # The check fails: it is a leak.
            [[ $status == "$([[ $command == check ]] && echo 1 || echo 0)" ]] || complain "$command $format"
            [[ -n $out ]] || complain "$command $format: nothing"
            err_is ""
        done
    done
    stored_works report --run=2 -o "$tmp/page.html"
    grep -q 'id="suspect-1"' "$tmp/page.html"
    stored diff --run=2 --exact
    status_is 2
    err_has "a digest has chains of a sample only"
    stored diff --run=2 --gen2
    hd diff --gen2 "$lab/cache"
    local files=$status
    stored diff --run=2 --gen2
    status_is "$files"
    stored diff --run=3
    status_is 2
    err_has "diff compares 2 to 50 snapshots, not 1; for one, use \`heapdrift top\`"
    stored_works report --run=3 -o "$tmp/one.html"
}

@test "data missing in a digest is reported" {
    stored object --run=2 -q 7f5d2193ec88
    status_is 2
    err_has "web/2026-11-21T13:05:00Z: "
    stored object --run=2 -q --type=Session
    fails_with "web/2026-11-21T13:05:00Z: a digest holds no objects"
    stored statics --run=2 -q
    status_is 2
    err_has "a digest holds no objects"
    hd explore --store="$store"
    status_is 2
    err_has "explore needs a terminal"
}

# In run 2 the first and the third are full snapshots, and the others deltas.
@test "convert writes the digest as it is stored, and one that is built on another whole" {
    stored_works convert --run=2 --until=2026-11-21T13:02:30Z -o "$tmp/third.digest"
    err_has "the last of 3 snapshots"
    stored_works convert --run=2 -o "$tmp/last.digest"
    err_has "the last of 6 snapshots"
    python - "$store" "$tmp" <<'PY'
import sqlite3, sys
rows = sqlite3.connect(sys.argv[1]).execute("SELECT id, base_id, digest FROM snapshot WHERE series_id = 2 ORDER BY taken_at").fetchall()
assert (rows[2][1], rows[5][1]) == (None, rows[2][0]), [row[:2] for row in rows]
for name, row in (("third", rows[2]), ("difference", rows[5])):
    with open(f"{sys.argv[2]}/{name}", "wb") as f:
        f.write(row[2])
PY
    zstd -dcq <"$tmp/third" >"$tmp/third.json"
    cmp "$tmp/third.json" <(zstd -dcq <"$tmp/third.digest")
    zstd -dcq --patch-from="$tmp/third.json" <"$tmp/difference" | cmp - <(zstd -dcq <"$tmp/last.digest")
}

@test "files and a store exclude each other, and the environment alone reads no store" {
    stored diff "${pair[@]}"
    fails_with "diff takes files or, with --store, a run of a store; not both"
    stored object --type=App.Order "$before"
    fails_with "object takes files or, with --store, a run of a store; not both"
    hd top --since=7d "$before"
    fails_with "top takes files or, with --store, a run of a store; not both"
    export HEAPDRIFT_STORE=$store
    works "${pair[@]}"
    err_lacks "run"
    works diff --format=json "${pair[@]}"
    [[ $(json '.snapshots | length') == 2 ]]
    hd report
    status_is 2
    err_lacks "run "
    works diff --run=2
    err_has "run 2: shop on web"
    works --run=2
    err_has "run 2: shop on web"
    cd "$tmp"
    cp "$store" heapdrift.db
    unset HEAPDRIFT_STORE
    works diff --service=shop
    err_has "run 2: shop on web"
}

@test "a missing run is reported in a line, with the existing ones" {
    stored report --service=shp
    fails_with "$store: no run of service shp; did you mean shop?"
    stored report --service=cart
    fails_with "$store: no run of service cart; there are mail, shop"
    stored report --service=shop --host=xyz
    fails_with "$store: no run of shop on host xyz; there are old, web"
    stored report --host=web --build=9
    fails_with "$store: no run of build 9; there is 1.1"
    stored report --run=9
    fails_with "$store: no run 9; \`heapdrift fleet\` prints the numbers of runs"
    stored report --run=2 --until=2001-01-01
    fails_with "$store: no snapshot in that time; the last one is of 2026-11-21T13:05:00Z"
    stored report --since=2026-11-22 --until=2026-11-21
    fails_with "--since must be before --until"
    hd report --store="$tmp/none.db"
    status_is 2
    err_has "$tmp/none.db: "
    [[ ! -e $tmp/none.db ]]
    stored report --run=0
    fails_with "--run=0: must be the number of a run"
}

@test "a damaged digest is named like a damaged file" {
    cp "$store" "$tmp/damaged.db"
    python - "$tmp/damaged.db" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("UPDATE snapshot SET digest = substr(digest, 1, 100) WHERE series_id = 2 AND taken_at = 1795266240")
db.execute("UPDATE snapshot SET digest = x'' WHERE series_id = 2 AND taken_at = 1795266000")
db.commit()
PY
    hd diff -q --store="$tmp/damaged.db" --run=2
    status_is 2
    out_is ""
    # And what is built on a damaged one.
    err_has "heapdrift: web/2026-11-21T13:00:00Z:1: empty: "
    err_has "heapdrift: web/2026-11-21T13:01:00Z: "
    err_has "heapdrift: web/2026-11-21T13:04:00Z: "
    [[ $(wc -l <<<"$err") == 3 ]]
}

@test "commands that a report prints work when they are pasted" {
    local line
    cd "$tmp"
    cp "$store" 'a store.db'
    works diff --store='a store.db' --run=2 --since=2026-11-21
    out_has "heapdrift explore --store='a store.db' --run=2 --since=2026-11-21" || out_has "heapdrift explore '--store=a store.db' --run=2 --since=2026-11-21"
    line=$(grep -o 'heapdrift report .*' <<<"$out")
    eval "\"$HEAPDRIFT\" ${line#heapdrift }" 2>/dev/null
    grep -q 'id="suspect-1"' leak.html
    works top --store='a store.db' --run=2
    line=$(grep -o 'heapdrift roots .*' <<<"$out" || true)
    [[ -z $line ]] || eval "\"$HEAPDRIFT\" ${line#heapdrift }" 2>/dev/null
}

@test "a page contains no password of the command line" {
    hd fleet --format=html --store='postgresql://u:secret@127.0.0.1:1/x?password=secret' -o "$tmp/fleet.html"
    status_is 2
    err_lacks secret
    hd diff --store='postgresql://u:secret@127.0.0.1:1/x' --run=1
    status_is 2
    err_lacks secret
}

@test "a store that is read is not written over" {
    stored report --run=2 -o "$store"
    status_is 2
    err_has "is the store"
    stored diff --run=2 -o "$store"
    status_is 2
    err_has "is the store"
}

@test "no snapshot is read with a right to the store" {
    strace -V >/dev/null 2>&1 || skip "no strace"
    "$HEAPDRIFT" info -v --store="$store" --run=2 2>"$tmp/err" >/dev/null
    grep -q Landlock "$tmp/err" || skip "no Landlock"
    strace -f -e trace=openat,landlock_restrict_self -o "$tmp/calls" "$HEAPDRIFT" diff --store="$store" --run=2 >/dev/null 2>&1
    [[ $(tac "$tmp/calls" | sed '/landlock_restrict_self/q' | grep -c store.db) == 0 ]]
    [[ $(grep -c store.db "$tmp/calls") -gt 0 ]]
}

@test "fifty of many snapshots are read, and those of the same second have their number" {
    cp "$store" "$tmp/many.db"
    python - "$tmp/many.db" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
columns = [row[1] for row in db.execute("PRAGMA table_info(snapshot)")]
row = dict(zip(columns, db.execute("SELECT * FROM snapshot WHERE series_id = 2").fetchone()))
for i in range(60):
    row.update(id=1000 + i, xxh3=f"x{i}", taken_at=1795270000 + 60 * i + (0.5 if i == 59 else 0) - (60 if i == 59 else 0))
    db.execute(f"INSERT INTO snapshot ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", list(row.values()))
db.commit()
PY
    works info --store="$tmp/many.db" --run=2 --format=json
    err_has "note: run 2: shop on web, build 1.1: 50 of 66 snapshots"
    [[ $(json '.snapshots | length') == 50 && $(json '[.snapshots[].path] | unique | length') == 50 ]]
    [[ $(json '.snapshots[0].path, .snapshots[-1].path' | xargs) == "web/2026-11-21T13:00:00Z web/2026-11-21T15:04:40Z" ]]
    works info -q --store="$tmp/many.db" --run=2 --since=2026-11-21T15:03Z --format=json
    [[ $(json '[.snapshots[].path] | join(" ")') == \
        "web/2026-11-21T15:03:40Z web/2026-11-21T15:04:40Z-1058 web/2026-11-21T15:04:40Z-1059" ]]
    works info -q --store="$tmp/many.db" --run=2 --since=@1795273420 --until=@1795273480 --format=json
    [[ $(json '[.snapshots[].path] | join(" ")') == web/2026-11-21T15:03:40Z ]]
}

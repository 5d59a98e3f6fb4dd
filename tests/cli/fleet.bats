# Answers from many runs: of a small store, of shards, and of invalid input.
load helper

# refused_with WORDS: status 2, an empty standard output, one line that contains these words.
refused_with() {
    status_is 2
    out_is ""
    err_has "$1"
    [[ $(wc -l <<<"$err") == 1 ]]
}

# Each series of the lab is a host; some leak, one does not. They have no times, and a checkout gives all
# files the same time: so they are a minute apart here, and no span is required.
setup_file() {
    local host i
    export store=$BATS_FILE_TMPDIR/store.db lab=$BATS_FILE_TMPDIR/lab
    for host in cache events none list; do
        mkdir -p "$lab/$host"
        cp fixtures/leaklab/$host/* "$lab/$host"
        for i in {0..5}; do touch -d "2026-11-21T12:0$i:00Z" "$lab/$host/$i".*; done
    done
    for host in cache events none; do
        "$HEAPDRIFT" record -q --store="$store" --service=Shop --host="$host" --build=1.0 "$lab/$host" >/dev/null
    done
    "$HEAPDRIFT" record -q --store="$store" --service='Cart "x", `y` | <b>' --host=$'a\nb' "$lab/list" >/dev/null
    "$HEAPDRIFT" record -q --store="$store" --service="'; DROP TABLE series; --" --host=one \
        fixtures/leaklab/timers/0.* >/dev/null
}

fleet() { SOURCE_DATE_EPOCH=2000000000 hd fleet --store="$store" --since=all --min-span=0 "$@"; }
fleet_works() { fleet "$@"; status_is 0; }

@test "a suspect has its hosts, its holder, and the scores of diff" {
    fleet_works --service=Shop --format=json
    [[ $(json '.suspects | length') == 2 ]]
    [[ $(json '.suspects[0] | [.service, .hosts_with, .hosts_judged, .onset.status] | @csv') == '"Shop",1,2,"first-build"' ]]
    local share
    share=$(json '.suspects[] | select(.hosts[0].host == "cache").score_share')
    # In recorded snapshots only counts are known.
    works diff --format=json --no-ages fixtures/leaklab/cache
    [[ $(json '.suspects[0].score_share') == "$share" ]]
}

@test "what allows no verdict is not called healthy" {
    fleet_works
    out_has "one snapshot in the window"
    out_has "no suspect, but growth leveled off"
    err_has "runs-not-judged"
    fleet --strict
    status_is 3
    err_has "inconclusive"
    hd fleet --store="$store" --since=all
    status_is 0
    out_matches "^UNSURE  No verdict yet: none of 5 runs allows one "
    out_has "too short for a verdict (--min-span)"
}

# Recorded backwards, which equal times do not reveal.
@test "snapshots with equal times are not judged" {
    local i
    for i in 5 4 3 2 1 0; do
        zcat fixtures/leaklab/cache/$i.gcdump.gz >"$tmp/$i.gcdump"
        works convert -q --to=heap-text "$tmp/$i.gcdump" -o "$tmp/$i.txt"
        touch -d 2026-11-21T12:00:00Z "$tmp/$i.txt"
        works record -q --store="$tmp/equal.db" --service=Shop "$tmp/$i.txt"
    done
    works fleet --store="$tmp/equal.db" --since=all --min-span=0
    out_matches "^UNSURE  No verdict yet: the only run allows none "
    out_has "equal times: the order is unknown"
    out_lacks "judged run "
    hd fleet --store="$tmp/equal.db" --since=all --min-span=0 --strict --format=json
    status_is 3
    [[ $(json '.unjudged[0].doubt') == order ]]
    cp "$tmp/.out" "$tmp/out.json"
    python3 tests/cli/check_json.py docs/json-schema "$tmp/out.json"
}

@test "an empty window is reported" {
    fleet_works --until=2001-01-01
    out_has "no snapshot was taken in the window"
    fleet_works --service=Nobody
    out_has "no snapshot was taken in the window"
}

# Ten times, as a second may end between the two.
@test "what was just recorded is in the window, and the second in which it ends" {
    local i
    for i in {1..10}; do
        works record -q --store="$tmp/now.db" --service=Shop --host="h$i" - <"$before"
        works fleet --store="$tmp/now.db" --format=json
        [[ $(json '[.runs[]] | add') == 1 ]] || complain "round $i"
        rm "$tmp/now.db"
    done
    cp "$before" "$tmp/0.txt"
    touch -d @1999999999.75 "$tmp/0.txt"
    works record -q --store="$tmp/now.db" --service=Shop "$tmp/0.txt"
    local epoch count
    while read -r epoch count; do
        SOURCE_DATE_EPOCH=$epoch works fleet --store="$tmp/now.db" --since=1h --format=json
        [[ $(json '[.runs[]] | add') == "$count" ]] || complain "at $epoch: $count"
    done <<<$'1999999998 0\n1999999999 1\n2000003599 1\n2000003600 0'
}

@test "--exit-code and --max-hosts are for alerts" {
    fleet --exit-code
    status_is 1
    fleet --exit-code --min-hosts=2
    status_is 0
    out_has "on few hosts"
    fleet --max-hosts=1
    status_is 0
    fleet --max-hosts=0
    status_is 1
    err_has "is on 1 of 2 hosts, more than --max-hosts"
    fleet --max-hosts=10% -q
    status_is 1
    err_is ""
}

@test "every format is valid for any names" {
    local by
    for by in service host build; do
        fleet_works --by=$by --format=json -o "$tmp/$by.json"
        fleet_works --by=$by --format=csv -o "$tmp/$by.csv"
        fleet_works --by=$by --format=md
        fleet_works --by=$by --format=html -o "$tmp/$by.html"
        fleet_works --by=$by --width=80
        # A command is pasted, and so in one line.
        [[ $(grep -v '^    open ' <<<"$out" | wc -L) -le 80 ]]
        python3 - "$tmp/$by.csv" <<'PYTHON'
import csv, sys
rows = list(csv.reader(open(sys.argv[1], encoding="utf-8", newline="")))
assert len(rows) > 2 and len({len(row) for row in rows}) == 1, rows
PYTHON
    done
    python3 tests/cli/check_json.py docs/json-schema "$tmp"/*.json
    fleet_works --format=md
    out_has 'Cart "x", `y` \| <b>'
    grep -q 'svg class="multiple"' "$tmp/service.html"
    [[ $(grep -c '<b>' "$tmp/service.html") == 0 ]]
    fleet_works --ascii --by=host
    [[ $(LC_ALL=C grep -c '[^ -~]' <<<"$out") == 0 ]]
    fleet --format=junit
    fails_with '--format=junit is for `heapdrift check`'
    hd diff --format=prometheus "${pair[@]}"
    fails_with '--format=prometheus is for `heapdrift fleet`'
}

@test "the exposition for Prometheus is one" {
    fleet_works --format=prometheus -o "$tmp/fleet.prom" --limit=1GiB
    python3 tests/cli/check_prometheus.py "$tmp/fleet.prom"
    grep -q '^heapdrift_suspect_hosts{service="Shop",type="[^"]*",subject="Shop.Sessions.Session",holder="\[static vars\].*",hint="static-collection",few_hosts="false"} 1$' "$tmp/fleet.prom"
    grep -q '^heapdrift_suspect_run{service="Shop",type="[^"]*",subject="Shop.Sessions.Session",.*} 1$' "$tmp/fleet.prom"
    grep -qF "heapdrift_fleet_store_info{store=\"$store\"} 1" "$tmp/fleet.prom"
    [[ $(grep -c '^heapdrift_fleet_window_begin.* ' "$tmp/fleet.prom") == 0 ]]
    grep -q '^heapdrift_fleet_suspects_omitted 0$' "$tmp/fleet.prom"
    grep -q '^heapdrift_service_suspects{service="Cart \\"x\\", `y` | <b>"} 1$' "$tmp/fleet.prom"
    grep -q '^heapdrift_fleet_shards_missing 0$' "$tmp/fleet.prom"
    # 12:05, the time of the last one of each; a single one cannot be compared.
    [[ $(grep '^heapdrift_service_last_snapshot_timestamp_seconds{' "$tmp/fleet.prom") == \
        'heapdrift_service_last_snapshot_timestamp_seconds{service="Cart \"x\", `y` | <b>"} 1795262700
heapdrift_service_last_snapshot_timestamp_seconds{service="Shop"} 1795262700' ]]
    # It would have hours be called seconds, by which names would change.
    ! command -v promtool >/dev/null || ! promtool check metrics <"$tmp/fleet.prom" 2>&1 | grep -v 'use base unit "seconds" instead of "hours"'
}

@test "threads do not change the result" {
    fleet_works -j1 --format=json
    local one=$out
    fleet_works -j7 --format=json
    out_is "$one"
}

@test "parts add up to the whole, in any order and grouping" {
    local window=(--since=all --until=2030-01-01 --min-span=0) i
    works fleet -q --store="$store" "${window[@]}" --by=host
    local whole=$out
    for i in 1 2 3; do
        works fleet -q --store="$store" "${window[@]}" --shard=$i/3 -o "$tmp/$i.part"
    done
    works fleet -q --merge "$tmp/3.part" "$tmp/1.part" -o "$tmp/31.part"
    works fleet -q --merge --store="$store" --by=host "$tmp/2.part" "$tmp/31.part"
    out_is "$whole"
    HEAPDRIFT_STORE=$store works fleet -q --merge --by=host "$tmp/2.part" "$tmp/31.part"
    out_is "$whole"
    # Shards do not contain their store.
    works fleet -q --merge --by=host "$tmp/2.part" "$tmp/31.part"
    out_has "heapdrift report --store=URL --run=2 -o run-2.html"
    hd fleet --merge --by=host --strict "$tmp/31.part"
    status_is 3
    out_has "1 of 3 shards is missing"
    hd fleet --merge "$tmp/1.part" "$tmp/31.part"
    refused_with "$tmp/31.part: shard 1 of 3 is given twice"
    works fleet -q --store="$store" --since=all --until=2031-01-01 --shard=2/3 -o "$tmp/other.part"
    hd fleet --merge "$tmp/1.part" "$tmp/other.part"
    refused_with "is for another window than the previous one"
    head -c -2 "$tmp/1.part" >"$tmp/cut.part"
    hd fleet --merge "$tmp/cut.part" -o "$tmp/sum"
    refused_with "damaged or truncated"
    [[ ! -e $tmp/sum ]]
    hd fleet --merge fixtures/leaklab/none/0.gcdump.gz
    refused_with "not a part written by"
}

@test "options that contradict each other are refused" {
    local line
    while IFS='|' read -r line wanted; do
        hd fleet $line
        refused_with "$wanted"
    done <<'LINES'
--merge|fleet --merge needs parts written by --shard
some.part|fleet reads a store
--merge --since=7d x|cannot be combined with --since
--merge --shard=1/2 x|--shard cannot be combined with --merge
--shard=1/2 --format=json|cannot be combined with --format
--shard=1/2 --exit-code|a part has no verdict
--shard=1/2|the same --until
--shard=3/2|I/N
--shard=1|I/N
--since=yesterday|a time such as 7d
--since=2026-02-30|a time such as 7d
--since=2026-01-02 --until=2026-01-01|--since must be before --until
--until=all|a time such as
--max-hosts=few|a number of hosts
--max-hosts=200%|a number of hosts
--limit=0|more than 0
--by=type|service, host or build
LINES
}

@test "an invalid or missing store is reported in a line with status 2" {
    hd fleet --store="$tmp/none.db" -o "$tmp/result"
    refused_with "none.db"
    echo "no database, but long enough to be one of those that begin with something else" >"$tmp/text.db"
    hd fleet --store="$tmp/text.db" -o "$tmp/result"
    status_is 2
    [[ ! -e $tmp/result ]]
    cp "$store" "$tmp/copy.db"
    hd fleet --store="$tmp/copy.db" -o "$tmp/copy.db"
    refused_with "is the store; name another file"
}

@test "damaged digests are named and counted, and their runs ignored" {
    cp "$store" "$tmp/bad.db"
    python3 - "$tmp/bad.db" <<'PYTHON'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("UPDATE snapshot SET digest = x'00112233' WHERE series_id IN (SELECT id FROM series WHERE host = 'cache')")
db.commit()
PYTHON
    hd fleet --store="$tmp/bad.db" --since=all --min-span=0
    status_is 0
    err_has "Shop on cache"
    err_has "6 of 6 snapshots cannot be read"
    out_has "fewer than two snapshots can be read"
}

@test "--save writes what is found, for SQL" {
    cp "$store" "$tmp/saved.db"
    works fleet -q --store="$tmp/saved.db" --since=all --min-span=0 --save
    python3 - "$tmp/saved.db" <<'PYTHON'
import sqlite3, sys
rows = sqlite3.connect(sys.argv[1]).execute(
    "SELECT host, rank, subject FROM finding JOIN series ON series.id = series_id ORDER BY host").fetchall()
assert ("cache", 1, "Shop.Sessions.Session") in rows, rows
PYTHON
}

# --- a folder of pages ------------------------------------------------------------

@test "a folder has the page of the fleet and one for the worst run of each suspect" {
    fleet_works -q --format=html -o "$tmp/leaks/"
    out_is ""
    [[ $(cd "$tmp/leaks" && echo *) == "index.html run-1.html run-2.html run-4.html" ]]
    local run
    for run in 1 2 4; do
        grep -qF "<a href=\"run-$run.html#suspect-1\">" "$tmp/leaks/index.html"
        grep -q 'id="suspect-1"' "$tmp/leaks/run-$run.html"
        grep -qF -- "--run=$run " "$tmp/leaks/run-$run.html"
    done
    # It is a page of its own still, which may be anywhere.
    fleet_works -q --format=html -o "$tmp/leaks.html"
    [[ $(grep -c 'href="run-' "$tmp/leaks.html") == 0 ]]
    # Again over the last ones, into an existing folder, by any name.
    (cd "$tmp" && SOURCE_DATE_EPOCH=2000000000 "$HEAPDRIFT" fleet -q --store="$store" --since=all --min-span=0 --format=html -o leaks)
    fleet_works -q --format=html -o "$tmp/leaks/."
    [[ $(cd "$tmp/leaks" && echo *) == "index.html run-1.html run-2.html run-4.html" ]]
    # Text is not a page, and a folder not a file.
    fleet -o "$tmp/leaks"
    status_is 2
    err_has "Is a directory"
    fleet_works -q --exit-code --min-hosts=2 --format=html -o "$tmp/few/"
    grep -qF '<a href="run-1.html#suspect-1">' "$tmp/few/index.html"
    # No suspect, no run.
    fleet_works -q --service=Nobody --format=html -o "$tmp/none/"
    [[ $(cd "$tmp/none" && echo *) == index.html ]]
}

@test "the pages of a folder replace no file of others" {
    mkdir "$tmp/leaks"
    echo mine >"$tmp/leaks/run-2.html"
    fleet -q --format=html -o "$tmp/leaks/"
    fails_with "$tmp/leaks/run-2.html: is not a page of heapdrift and is not overwritten"
    [[ $(<"$tmp/leaks/run-2.html") == mine ]]
    rm "$tmp/leaks/run-2.html"
    echo mine >"$tmp/index"
    ln -s ../index "$tmp/leaks/index.html"
    fleet -q --format=html -o "$tmp/leaks/"
    fails_with "$tmp/leaks/index.html: is not a page of heapdrift and is not overwritten"
    [[ $(<"$tmp/index") == mine ]]
    rm "$tmp/leaks/index.html"
    mkdir "$tmp/leaks/index.html"
    fleet -q --format=html -o "$tmp/leaks/"
    fails_with "$tmp/leaks/index.html: is not a page of heapdrift and is not overwritten"
    fleet -q --format=html -o "$tmp/no/such/"
    fails_with "$tmp/no/such/: No such file or directory"
    [[ -z $(find "$tmp/leaks" -name '.*' -type f) ]]
}

@test "the reason why a suspect has no page replaces it" {
    cp "$store" "$tmp/gone.db"
    fleet_works -q --until=2030-01-01 --shard=1/1 -o "$tmp/all.part"
    python - "$tmp/gone.db" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("DELETE FROM type_row WHERE snapshot_id IN (SELECT id FROM snapshot WHERE series_id = 2)")
db.execute("DELETE FROM snapshot WHERE series_id = 2")
db.execute("UPDATE snapshot SET digest = x'00' WHERE series_id = 1")
db.execute("UPDATE snapshot SET digest = x'00' WHERE id = (SELECT MIN(id) FROM snapshot WHERE series_id = 4)")
db.commit()
PY
    works fleet --merge --store="$tmp/gone.db" "$tmp/all.part" --format=html -o "$tmp/leaks/"
    err_has "heapdrift: warning: run-2.html: no page: run 2 is no longer there"
    err_has "heapdrift: warning: run-1.html: no page: "
    # The readable part is enough.
    [[ $(cd "$tmp/leaks" && echo *) == "index.html run-4.html" ]]
    grep -q 'no page of its run: <bdi>run 2 is no longer there' "$tmp/leaks/index.html"
    hd fleet --merge "$tmp/all.part" --format=html -o "$tmp/other/"
    fails_with "pages of runs need the store: add --store=URL, or name a file with -o"
    [[ ! -e $tmp/other ]]
}

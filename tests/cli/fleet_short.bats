# A service with processes that live for five hours: sixteen runs on two hosts, each with the same
# suspect, and a heap beyond its limit. None can be judged alone.
load helper

setup_file() {
    export store=$BATS_FILE_TMPDIR/short.db
    python3 tests/cli/short_lives.py "$HEAPDRIFT" "$store" "$BATS_FILE_TMPDIR"
}

# The end of the window: after all sixteen; after two of each host, which is too little evidence.
all=2026-11-17T00:00Z
few=2026-11-15T11:00Z

fleet() { hd fleet --store="$store" --since=2026-11-14T00:00Z --until=$all "$@"; }
early() { hd fleet --store="$store" --since=2026-11-14T00:00Z --until=$few "$@"; }

@test "sixteen runs of five hours are evidence together" {
    fleet --exit-code
    status_is 1
    out_matches "^LEAK  Shop: Order on all 2 hosts, .* 14 runs ended near their limit of memory"
    out_has "rests on runs judged together: it grew in 8 of 8 periods, by chance once in 15,241, and at 24 of 24 hours of the"
    out_has "from start to limit 3 h 5"
    fleet --max-hosts=1
    status_is 1
    err_has "is on 2 of 2 hosts, more than --max-hosts"
    fleet --strict
    status_is 3
    fleet --strict --exit-code
    status_is 1
}

@test "single runs are named, with the missing evidence, in every format" {
    local format
    early --exit-code
    status_is 0
    out_matches "^UNSURE  No verdict yet"
    out_has "Shop: Order grows in 4 of 4 runs; missing for a verdict: more runs at other times: it grew in 2 of 2 periods so far; 4 runs ended near"
    out_has "NOT YET SUSPECTS"
    out_lacks "SUSPECTS  by share"
    for format in md html csv tsv json prometheus; do
        early --exit-code --format=$format
        status_is 0
        out_has "Order"
    done
    early --format=csv
    [[ $(column 24,25) == open,runs ]]
    early --format=json
    [[ $(json '[(.suspects | length), (.suspects_open[0] | .type, .missing, .evidence, .runs_with, .pool.periods)] | @csv') == \
        '0,"App.Order","runs","open",4,2' ]]
    early --format=prometheus
    grep -q '^heapdrift_open_suspect_runs{service="Shop",type="App.Order",subject="[^"]*",holder="[^"]*",hint="[^"]*",few_hosts="false"} 4$' <<<"$out"
    grep -q '^heapdrift_open_suspect_missing_info{.*,missing="runs"} 1$' <<<"$out"
    grep -q '^heapdrift_service_suspects_open{service="Shop"} 1$' <<<"$out"
    grep -q '^heapdrift_service_suspects{service="Shop"} 0$' <<<"$out"
    early --by=host --format=csv
    [[ $(column 18) == *Order* ]]
    early --by=build --format=csv
    [[ $(column 10) == open ]]
}

@test "every format has pooled results, by service, host and build" {
    local by format
    for by in service host build; do
        for format in text md html csv json prometheus; do
            fleet --by=$by --format=$format --exit-code -q -o "$tmp/$by.$format"
            status_is 1
            grep -q Order "$tmp/$by.$format" || complain "$by $format"
        done
    done
    python3 tests/cli/check_json.py docs/json-schema "$tmp"/*.json
    python3 tests/cli/check_prometheus.py "$tmp/service.prometheus"
    grep -q '^heapdrift_service_suspects{service="Shop"} 1$' "$tmp/service.prometheus"
    grep -q '^heapdrift_suspect_hosts_ratio{.*} 1$' "$tmp/service.prometheus"
    grep -q '^heapdrift_suspect_pooled{.*} 1$' "$tmp/service.prometheus"
    grep -q '^heapdrift_suspect_ended_near_limit{.*} 14$' "$tmp/service.prometheus"
    out=$(<"$tmp/service.json")
    [[ $(json '.suspects[0] | [.evidence, .missing, .hosts_with, .hosts_judged, .runs_with, .ended_near_limit, .pool.periods_with, .pool.hours_of_day] | @csv') == \
        '"pooled",,2,2,16,14,8,24' ]]
    [[ $(json '.suspects[0].hours_from_start | . > 3.8 and . < 4.1') == true ]]
    [[ $(json '.runs | [.judged, .unsure] | @csv') == 0,16 ]]
    out=$(<"$tmp/host.json")
    [[ $(json '.host_rows[] | [.suspects, .suspects_pooled, .type] | @csv' | sort -u) == '0,1,"App.Order"' ]]
    out=$(<"$tmp/build.csv")
    [[ $(column 5,7,8,10) == 1.0,16,16,pooled ]]
}

@test "options keep their meaning for pools" {
    fleet --limit=10MB --format=json
    [[ $(json '.suspects[0] | [.evidence, .ended_near_limit, .runs_full] | @csv') == '"pooled",0,"later"' ]]
    [[ $(json '.suspects[0].hours_from_start | . > 2390 and . < 2410') == true ]]
    fleet --min-hosts=3 --exit-code
    status_is 0
    out_has "on few hosts"
    out_has "runs judged together"
    fleet --min-span=0 --exit-code --format=json
    status_is 1
    [[ $(json '.suspects[0] | [.evidence, .pool.periods, .runs_with] | @csv') == '"judged",0,16' ]]
    fleet --service=Nobody --exit-code
    status_is 0
}

@test "shards of pools add up, in any grouping, to the result of a store with findings" {
    local i by
    cp "$store" "$tmp/saved.db"
    works fleet -q --store="$tmp/saved.db" --since=2026-11-14T00:00Z --until=$all --save
    [[ $(python3 -c 'import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute("SELECT count(*) FROM finding").fetchone()[0])' "$tmp/saved.db") == 16 ]]
    for i in 1 2 3; do
        works fleet -q --store="$store" --since=2026-11-14T00:00Z --until=$all --shard=$i/3 -o "$tmp/$i.part"
    done
    works fleet -q --merge "$tmp/2.part" "$tmp/3.part" -o "$tmp/23.part"
    for by in service host build; do
        works fleet -q --store="$tmp/saved.db" --since=2026-11-14T00:00Z --until=$all --by=$by --format=json
        local whole=${out/'"shards": 1,'/}
        works fleet -q --store="$tmp/saved.db" --merge "$tmp/23.part" "$tmp/1.part" --by=$by --format=json
        [[ ${out/'"shards": 3,'/} == "$whole" ]] || complain "$by"
    done
    hd fleet -q --merge "$tmp/23.part" "$tmp/1.part" --exit-code
    status_is 1
}

# change SQL: a copy of the store, changed.
change() {
    cp "$store" "$tmp/changed.db"
    python3 - "$tmp/changed.db" "$1" <<'PYTHON'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute(sys.argv[2])
db.commit()
PYTHON
}

@test "runs without a build or a host, of builds that change, with clocks that jump" {
    local sql wanted
    while IFS=';' read -r sql wanted; do
        change "$sql"
        hd fleet -q --store="$tmp/changed.db" --since=all --until=$all --exit-code --format=json
        [[ $status,$(json '[.suspects[0].evidence, .suspects_open[0].missing, (.suspects + .suspects_open)[0].ended_near_limit] | @csv') == "$wanted" ]] ||
            complain "$sql: $wanted expected, not $status,$(json '[.suspects[0].evidence, .suspects_open[0].missing, (.suspects + .suspects_open)[0].ended_near_limit] | @csv')"
    done <<'LINES'
UPDATE series SET build = '';1,"pooled",,14
UPDATE series SET host = '';1,"pooled",,0
UPDATE series SET build = pid;1,"pooled",,14
UPDATE series SET build = pid % 2;1,"pooled",,14
UPDATE series SET host = host || pid;1,"pooled",,0
UPDATE series SET memory_limit = NULL;1,"pooled",,0
UPDATE series SET started_at = started_at + 86400;0,,,
UPDATE series SET service = service || pid;0,,"runs",0
LINES
}

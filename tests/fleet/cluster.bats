# A real PostgreSQL and a real Slurm on one machine: 1,000 snapshots of 100 hosts by eight concurrent
# writers, some killed and repeated, some twice; then judged by a Slurm array, and by one process. make
# check-slurm. FLEET_HOSTS, FLEET_SNAPSHOTS: another size.


load ../cli/helper
load fleet

hosts=${FLEET_HOSTS:-100} snapshots=${FLEET_SNAPSHOTS:-10}

setup_file() {
    local status=0
    cd "$BATS_TEST_DIRNAME/../.." || return
    postgres=$(tests/store/postgres.sh start 3>&-) || status=$?
    [[ $status != 77 ]] || { skip_file "no PostgreSQL here"; return; }
    [[ $status == 0 ]]
    export postgres
    # Files that jobs read and write, also as nobody.
    shared=$(mktemp -d /tmp/heapdrift-fleet-XXXXXX)
    chmod 777 "$shared"
    export shared
}

teardown_file() {
    [[ -n ${shared:-} ]] || return 0
    [[ ! -s $shared/slurm ]] || tests/fleet/slurm.sh stop "$(<"$shared/slurm")"
    tests/store/postgres.sh stop "$postgres"
    rm -rf "$shared"
}

setup() {
    begin
    tmp=$shared
    url=$(tests/store/postgres.sh url "$postgres")
    # Jobs of nobody must be able to run it, whoever owns the tree.
    cp "$HEAPDRIFT" "$shared/heapdrift"
    HEAPDRIFT=$shared/heapdrift
    unset BASH_ENV
}

sql() { tests/store/postgres.sh sql "$postgres" "$1"; }
sqlite() { python -c 'import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print(*row, sep="|")' "$1" "$2"; }

# need_slurm: $slurm is the folder of one, for all following tests.
need_slurm() {
    local status=0
    if [[ ! -s $shared/slurm ]]; then
        tests/fleet/slurm.sh start >"$shared/slurm" 3>&- || status=$?
        [[ $status != 77 ]] || skip "no Slurm here"
        [[ $status == 0 ]]
    fi
    slurm=$(<"$shared/slurm")
}

@test "eight concurrent writers, some killed, some twice: every snapshot is stored once" {
    local begin=$SECONDS table
    make_fleet "$hosts" "$snapshots"
    echo "# $hosts hosts, $snapshots snapshots each: made and digested in $((SECONDS - begin)) s" >&3
    begin=$SECONDS
    writers "$url" 8
    echo "# recorded by 8 writers in $((SECONDS - begin)) s" >&3
    [[ $(sql "SELECT count(*), count(DISTINCT xxh3), count(DISTINCT series_id) FROM snapshot") == "$((hosts * snapshots))|$((hosts * snapshots))|$hosts" ]]
    [[ $(sql "SELECT count(*), count(DISTINCT host) FROM series WHERE service = 'shop'") == "$hosts|$hosts" ]]
    [[ $(sql "SELECT count(*) FROM (SELECT series_id FROM snapshot GROUP BY series_id HAVING count(*) <> $snapshots) x") == 0 ]]
    # From the full files, by one process at a time, into a file.
    alone "$tmp/one.db"
    for table in series snapshot type "type_size WHERE objects > 0"; do
        [[ $(sql "SELECT count(*) FROM $table") == "$(sqlite "$tmp/one.db" "SELECT count(*) FROM $table")" ]] ||
            complain "$table: $(sql "SELECT count(*) FROM $table"), $(sqlite "$tmp/one.db" "SELECT count(*) FROM $table")"
    done
    # The same rows, whatever they were built on.
    rows="SELECT xxh3, taken_at, snapshot.objects, snapshot.bytes, reachable_bytes, COUNT(*), SUM(type_size.bytes)
        FROM snapshot JOIN type_size ON snapshot_id = id WHERE type_size.objects > 0 GROUP BY snapshot.id ORDER BY xxh3"
    diff <(sql "$rows") <(sqlite "$tmp/one.db" "$rows" | sed 's/\.0|/|/')
}

@test "the answer of a fleet is the same from both stores" {
    works fleet --store="$tmp/one.db" "${window[@]}" --format=json
    cp "$BATS_TEST_TMPDIR/.out" "$tmp/one.json"
    [[ $(json '.suspects[0].subject // .suspects[0].type') == App.Session ]]
    works fleet --store="$url" "${window[@]}" --format=json
    same_fleet "$BATS_TEST_TMPDIR/.out" "$tmp/one.json"
}

# wait_for JOB: until Slurm has forgotten or ended it.
wait_for() {
    for _ in {1..600}; do
        [[ -n $(tests/fleet/slurm.sh run "$slurm" squeue -h -j "$1" -t PD,R,CG -o %i 2>/dev/null) ]] || return 0
        sleep 0.2
    done
    return 1
}

@test "a Slurm array records: two tasks concurrently, one of them killed in the middle" {
    need_slurm
    find "$tmp/digests" -name "*.$digest" | sort | head -300 >"$tmp/all"
    sql "CREATE DATABASE again" >/dev/null
    local again=${url/heapdrift?/again?} job out=$tmp/record-%A_%a.log
    chmod -R a+rX "$tmp"
    job=$(tests/fleet/slurm.sh run "$slurm" sbatch --parsable --array=0-7 --output="$out" \
        --export="ALL,STORE=$again,HEAPDRIFT=$HEAPDRIFT" scripts/fleet/slurm/record.sbatch "$tmp/all")
    # As an operator, or a node that fails: the task begins again.
    sleep 1
    tests/fleet/slurm.sh run "$slurm" scontrol requeue "${job}_0" || true
    wait_for "$job"
    [[ $(PGDATABASE=again psql -X -A -t "$again" -c "SELECT count(*), count(DISTINCT xxh3) FROM snapshot") == "300|300" ]] ||
        complain "$(cat "$tmp"/record-*.log)"
}

@test "a Slurm array of shards, merged, gives the result of one run" {
    need_slurm
    local script='cd "$1" && HEAPDRIFT=$2 REPORT_OPTIONS=--format=json scripts/fleet/slurm/submit.sh --wait 6 "$3" "$4/parts" "$4/merged.json" "${@:5}"'
    tests/fleet/slurm.sh run "$slurm" bash -c "$script" sh "$PWD" "$HEAPDRIFT" "$url" "$tmp" "${window[@]}"
    same_fleet "$tmp/merged.json" "$tmp/one.json"
    [[ $(find "$tmp/parts" -name '*.part' | wc -l) == 6 ]]
    # A missing shard gives no report.
    rm "$tmp/parts/3.part"
    works fleet --merge "$tmp"/parts/*.part --format=json
    [[ $(json .shards_missing) == 1 ]]
}

@test "GNU parallel records and judges the same" {
    command -v parallel >/dev/null || skip "no GNU parallel here"
    find "$tmp/digests" -name "*.$digest" | head -20 | HEAPDRIFT=$HEAPDRIFT scripts/fleet/parallel.sh record "$tmp/parallel.db"
    [[ $(sqlite "$tmp/parallel.db" "SELECT count(*) FROM snapshot") == 20 ]]
    HEAPDRIFT=$HEAPDRIFT REPORT_OPTIONS=--format=json scripts/fleet/parallel.sh fleet 4 "$url" "${window[@]}" >"$tmp/parallel.json"
    same_fleet "$tmp/parallel.json" "$tmp/one.json"
}

@test "the questions of the Grafana dashboard are answered" {
    works fleet --store="$url" "${window[@]}" --save
    python tests/fleet/dashboard.py scripts/fleet/grafana.json "$url"
}

@test "the server disappears in the middle of a watch, and returns: nothing is lost" {
    LATER=1 play_runtime play
    "$HEAPDRIFT" watch --diagnostic-port="$socket" --store="$url" --service=watched --lock="$tmp/lock" --interval=200ms \
        >"$tmp/.out" 2>"$tmp/err" 3>&- </dev/null &
    local job=$! before
    for _ in {1..100}; do ! grep -q "stored in" "$tmp/err" || break; sleep 0.1; done
    tests/store/postgres.sh crash "$postgres"
    for _ in {1..100}; do ! grep -qE "[2-9] snapshots wait" "$tmp/err" || break; sleep 0.1; done
    tests/store/postgres.sh resume "$postgres" 3>&-
    for _ in {1..200}; do ! grep -q "after waiting" "$tmp/err" || break; sleep 0.1; done
    kill -TERM "$job"
    ends "$job"
    kill "$runtime"
    status_is 0
    before=$(grep -c ": stored in " "$tmp/err")
    [[ $(sql "SELECT count(*) FROM snapshot n JOIN series s ON s.id = n.series_id WHERE s.service = 'watched'") == "$before" ]]
    [[ $(grep -cE "[0-9]+ objects" "$tmp/err") == "$before" ]] || complain "$(<"$tmp/err")"
    err_lacks lost
}

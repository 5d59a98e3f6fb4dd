# Concurrent writers to a file, some killed and repeated, some twice. The same with a real PostgreSQL and
# a real Slurm: cluster.bats.

load ../cli/helper
load fleet

sqlite() { python -c 'import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print(*row, sep="|")' "$1" "$2"; }

@test "four writers, some killed, some twice: store and answer are those of one process" {
    make_fleet 20 5
    writers "$tmp/many.db" 4
    alone "$tmp/one.db"
    local table i
    for table in series snapshot "type_size WHERE objects > 0"; do
        [[ $(sqlite "$tmp/many.db" "SELECT count(*) FROM $table") == "$(sqlite "$tmp/one.db" "SELECT count(*) FROM $table")" ]]
    done
    [[ $(sqlite "$tmp/many.db" "SELECT count(*), count(DISTINCT series_id) FROM snapshot") == "100|20" ]]
    works fleet --store="$tmp/one.db" "${window[@]}" --format=json
    cp "$BATS_TEST_TMPDIR/.out" "$tmp/whole.json"
    [[ $(json '.suspects[0].subject') == App.Session && $(json '.suspects | length') == 1 ]]
    works fleet --store="$tmp/many.db" "${window[@]}" --format=json
    same_fleet "$BATS_TEST_TMPDIR/.out" "$tmp/whole.json"
    cp "$BATS_TEST_TMPDIR/.out" "$tmp/many.json"
    # In parts, in any order.
    for i in 1 2 3; do works fleet --store="$tmp/many.db" "${window[@]}" --shard=$i/3 -o "$tmp/$i.part"; done
    works fleet --merge --store="$tmp/many.db" "$tmp/3.part" "$tmp/1.part" "$tmp/2.part" --format=json
    diff <(sed '/^ "shards": /d' "$BATS_TEST_TMPDIR/.out") <(sed '/^ "shards": /d' "$tmp/many.json")
}

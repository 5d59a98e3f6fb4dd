# The store in a real PostgreSQL: the unit tests of the store, and features of a server: refusing,
# disappearing, returning. `make check-store` runs it.
load ../cli/helper

setup_file() {
    local status=0
    folder=$("$BATS_TEST_DIRNAME/postgres.sh" start) || status=$?
    [[ $status != 77 ]] || { skip_file "no PostgreSQL here"; return; }
    [[ $status == 0 ]]
    export folder
    url=$("$BATS_TEST_DIRNAME/postgres.sh" url "$folder")
    export url
}

teardown_file() {
    [[ -z ${folder:-} ]] || "$BATS_TEST_DIRNAME/postgres.sh" stop "$folder"
}

server() { "$BATS_TEST_DIRNAME/postgres.sh" "$1" "$folder" "${@:2}"; }

# A schema of its own for each test.
setup() {
    begin
    server sql 'SELECT 1' >/dev/null 2>&1 || server resume
    unset OTEL_SERVICE_NAME OTEL_RESOURCE_ATTRIBUTES
    schema=s$BATS_TEST_NUMBER
    server sql "CREATE SCHEMA $schema" >/dev/null
    export HEAPDRIFT_STORE="$url&options=-csearch_path%3D$schema"
}

ask() { server sql "SET search_path = $schema; $1" | tail -1; }

# snapshots COUNT: makes small different files.
snapshots() {
    local i
    for ((i = 0; i < $1; i++)); do
        printf 'a 2 App.exe 1\nt 1 App.Order\nt 2 App.T%d\no 1 1 18 2\no 2 2 %x\nr 1 3 0\nc App.exe 2\n' \
            "$((i % 50))" "$((i + 16))" >"$tmp/$i.txt"
    done
}

@test "the unit tests of the store pass on it" {
    HEAPDRIFT_TEST_STORE=$url "${HEAPDRIFT%/*}/unit-tests" -j2 --filter 'store*/*'
}

@test "record does what it does in a file" {
    works record -q --service=shop --build=4.2 --label=zone=b --host=web-1 --keep=9000d "$before" "$after"
    out_has "recorded: shop 4.2 on web-1, "
    out_has "thinned out: 0 snapshots and 0 series deleted, 2 snapshots are kept"
    works record -q --service=shop "$before"
    out_is "$before: already recorded"
    [[ $(ask "SELECT labels::jsonb ->> 'zone' FROM series") == b ]]
    [[ $(ask "SELECT SUM(type_size.objects) = (SELECT SUM(objects) FROM snapshot) FROM type_size") == t ]]
}

@test "a lost server is reported in one line, and reported snapshots are stored" {
    snapshots 400
    "$HEAPDRIFT" record -q --service=shop "$tmp"/{0..399}.txt >"$tmp/.out" 2>"$tmp/err" 3>&- &
    local job=$!
    until [[ $(wc -l <"$tmp/.out") -gt 3 ]] || ! kill -0 "$job" 2>/dev/null; do sleep 0.05; done
    server crash
    # It is looked for for a minute.
    ends "$job"
    status_is 2
    [[ $(wc -l <"$tmp/err") == 2 ]]
    err_matches '^heapdrift: [^:]*: [^:].*
heapdrift: [0-9]+ more files were not processed$'
    server resume
    [[ $(ask 'SELECT COUNT(*) FROM snapshot') -ge $(grep -c recorded: "$tmp/.out") ]]
    [[ $(ask 'SELECT COUNT(*) FROM snapshot') -le $(($(grep -c recorded: "$tmp/.out") + 1)) ]]
    [[ $(ask 'SELECT COUNT(*) FROM type_size WHERE objects > 0') == $((2 * $(ask 'SELECT COUNT(*) FROM snapshot'))) ]]
    works record -q --service=shop "$tmp"/{0..399}.txt
    [[ $(ask 'SELECT COUNT(*) FROM snapshot') == 400 ]]
}

@test "a server that is restarted in the middle is found again" {
    snapshots 300
    "$HEAPDRIFT" record -q --service=shop "$tmp"/{0..299}.txt >"$tmp/.out" 2>"$tmp/err" 3>&- &
    local job=$! i
    for i in 1 2; do
        sleep 0.3
        # Every connection is closed; the server continues.
        server sql "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'heapdrift'" >/dev/null
    done
    ends "$job"
    status_is 0
    [[ $(ask 'SELECT COUNT(*) FROM snapshot') == 300 ]]
}

@test "a server that is away for some seconds in the middle is waited for" {
    snapshots 300
    "$HEAPDRIFT" record -q --service=shop "$tmp"/{0..299}.txt >"$tmp/.out" 2>"$tmp/err" 3>&- &
    local job=$!
    until [[ $(wc -l <"$tmp/.out") -gt 3 ]] || ! kill -0 "$job" 2>/dev/null; do sleep 0.05; done
    server crash
    sleep 4
    kill -0 "$job" || complain "gave up"
    server resume
    ends "$job"
    status_is 0
    err_is ""
    [[ $(grep -c ': recorded: ' "$tmp/.out") == 300 && $(ask 'SELECT COUNT(*) FROM snapshot') == 300 ]]
}

@test "concurrent writers, killed and repeated, store each snapshot once" {
    local i round
    snapshots 120
    for round in 1 2 3 4; do
        for i in 1 2 3 4; do
            "$HEAPDRIFT" record -q --service=shop --host="h$i" "$tmp"/*.txt >/dev/null 2>"$tmp/.err$i" 3>&- &
        done
        [[ $round == 4 ]] && break
        sleep "0.$((RANDOM % 4))"
        # shellcheck disable=SC2046 # a list
        kill -KILL $(jobs -p) 2>/dev/null || true
        wait
    done
    wait
    [[ ! -s $tmp/.err1 && ! -s $tmp/.err2 && ! -s $tmp/.err3 && ! -s $tmp/.err4 ]] || cat "$tmp"/.err*
    [[ $(ask 'SELECT COUNT(*) || COUNT(DISTINCT xxh3)::text FROM snapshot') == 120120 ]]
    [[ $(ask 'SELECT COUNT(*) FROM type_size WHERE objects > 0') == 240 ]]
    [[ $(ask 'SELECT COUNT(*) FROM type') == 51 ]]
    [[ $(ask 'SELECT COUNT(*) FROM series WHERE NOT EXISTS (SELECT 1 FROM snapshot WHERE series_id = series.id)') == 0 ]]
}

@test "missing permissions are reported" {
    server sql "CREATE ROLE guest LOGIN" >/dev/null
    HEAPDRIFT_STORE=${HEAPDRIFT_STORE/user=heapdrift/user=guest} hd record -q --service=x "$before"
    status_is 2
    err_matches '^heapdrift: postgresql:[^ ]*: permission denied for schema s[0-9]+$|^heapdrift: [^ ]*: no schema has been selected to create in$'
    works record -q --service=x "$before"
    server sql "GRANT USAGE ON SCHEMA $schema TO guest; GRANT SELECT ON ALL TABLES IN SCHEMA $schema TO guest" >/dev/null
    HEAPDRIFT_STORE=${HEAPDRIFT_STORE/user=heapdrift/user=guest} hd record -q --service=x "$after"
    fails_with "$after: permission denied for table series"
    HEAPDRIFT_STORE=${HEAPDRIFT_STORE/user=heapdrift/user=nobody-here} hd record -q --service=x "$after"
    status_is 2
    err_has 'role "nobody-here" does not exist'
}

# --- rights ----------------------------------------------------------------------------

# as ROLE COMMAND ARG...: runs the program as a user with this role.
as() { HEAPDRIFT_STORE=${HEAPDRIFT_STORE/user=heapdrift/user=is_$1} hd "${@:2}"; }

number=0

# The purpose of each role. All works as it should, or false. The second is a delta on the first.
writes() {
    local i
    for i in 1 2; do
        number=$((number + 1))
        printf 'a 2 App.exe 1\nt 1 App.Order\nt 2 App.New%d\no 1 1 18 2\no 2 2 %x\nr 1 3 0\nc App.exe 2\n' \
            "$number" "$((number + 16))" >"$tmp/new$i.txt"
        touch -d "@$((1795262400 + number))" "$tmp/new$i.txt"
    done
    as writer record -q --service=shop --host=a --label=n=$number --limit=1GiB "$tmp/new1.txt" "$tmp/new2.txt"
    [[ $status == 0 && $(ask "SELECT base_id IS NOT NULL FROM snapshot ORDER BY taken_at DESC LIMIT 1") == t ]]
}
reads() {
    as reader fleet --since=all --format=json
    [[ $status == 0 && $(json .hosts) == 1 ]]
}
keeps() {
    ask "INSERT INTO series (run, service, host, process, build, labels) VALUES ('old', 'old', '', '', '', '{}') ON CONFLICT DO NOTHING;
         INSERT INTO snapshot (series_id, taken_at, xxh3, complete, sampled, digest)
         SELECT id, 1, 'old', true, false, '' FROM series WHERE run = 'old' ON CONFLICT DO NOTHING" >/dev/null
    as keeper record --keep=9000d
    [[ $status == 0 && $out == "thinned out: 1 snapshot and 1 series deleted, "* ]] || return 1
    as keeper fleet --since=all --save
    [[ $status == 0 ]]
}

# grants [2]: the rights of the roles, as docs/store.md has them; of a store of version 2 those that it has.
grants() {
    sed -n '/^-- The least rights in a store/,/^```$/p' docs/store.md | sed '/^```$/d' |
        awk -v RS= -v ORS='\n\n' -v old="${1-}" 'old == "" || !/from version/'
}

# Rights that an upgrade gives are among those of new stores.
@test "the permissions of roles added by a version are in the documentation" {
    local right
    while IFS= read -r right; do
        grants | grep -qxF "$right" || complain "$right"
    done < <(grep '^GRANT' src/fleet/store/roles.sql)
}

@test "each role can do its work, and lacks no permission for it" {
    local role grant revoke count=0 does
    cp "$before" "$tmp/0.txt"
    cp "$after" "$tmp/1.txt"
    touch -d 2026-11-21T12:00Z "$tmp/0.txt"
    touch -d 2026-11-21T13:00Z "$tmp/1.txt"
    works record -q --service=shop --host=a "$tmp/0.txt" "$tmp/1.txt"
    grants | sed "s/:\"schema\"/$schema/" >"$tmp/grants.sql"
    psql -X -q -v ON_ERROR_STOP=1 "$HEAPDRIFT_STORE" <"$tmp/grants.sql"
    psql -X -q -v ON_ERROR_STOP=1 "$HEAPDRIFT_STORE" <"$tmp/grants.sql"
    for role in writer reader keeper; do
        server sql "CREATE ROLE is_$role LOGIN IN ROLE heapdrift_$role" >/dev/null
    done
    writes || complain "writer"
    writes || complain "writer, again"
    reads || complain "reader"
    keeps || complain "keeper"
    while IFS='|' read -r role grant revoke; do
        case $role in writer) does=writes ;; reader) does=reads ;; keeper) does=keeps ;; esac
        ask "$revoke" >/dev/null
        ! "$does" || complain "$role does not need: $grant"
        ask "$grant" >/dev/null
        "$does" || complain "$role needs: $grant"
        count=$((count + 1))
    done < <(python - "$tmp/grants.sql" <<'PYTHON'
import re, sys
spare = False
for line in open(sys.argv[1]):
    spare, was_spare = line.startswith("-- Can do without"), spare
    found = re.fullmatch(r"GRANT (\w+)(?: \((.*)\))? ON (.*) TO heapdrift_(\w+);\n", line)
    if not found or was_spare:
        continue
    right, columns, table, role = found.groups()
    for column in columns.split(", ") if columns else [None]:
        what = right + (f" ({column})" if column else "")
        print(role, f"GRANT {what} ON {table} TO heapdrift_{role}",
              f"REVOKE {what} ON {table} FROM heapdrift_{role}", sep="|")
PYTHON
    )
    [[ $count -ge 25 ]] || complain "$count rights"
    # Forbidden operations.
    as writer store check
    status_is 2
    err_has "permission denied"
    works store check --store="${HEAPDRIFT_STORE/user=heapdrift/user=is_reader}"
    out_has ": no errors; version 4"
    as writer record --keep=1d
    status_is 2
    as writer fleet --since=all
    status_is 2
    err_has "permission denied"
    as reader record -q --service=shop "${series[0]}"
    status_is 2
    err_has "permission denied"
    run psql -X "${url/user=heapdrift/user=is_writer}&options=-csearch_path%3D$schema" -c 'SELECT digest FROM snapshot'
    [[ $output == *"permission denied for table snapshot"* ]]
}

# --- upgrades --------------------------------------------------------------------------

# The tables as version 2 had them, by the steps up to it, which never change.
make_version_2() {
    {
        echo "SET search_path = $schema; BEGIN;"
        sed -e '/^-- version 3/,$d' -e 's/{id}/BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY/' \
            -e 's/{text}/TEXT COLLATE "C"/g' -e 's/{bytes}/BYTEA/' src/fleet/store/schema.sql
        echo "UPDATE heapdrift_store SET version = 2; COMMIT;"
    } | psql -X -q -v ON_ERROR_STOP=1 "$url"
}

@test "an upgrade takes the owner, and leaves roles what they need" {
    local role
    make_version_2
    grants 2 | psql -X -q -v ON_ERROR_STOP=1 "$HEAPDRIFT_STORE"
    for role in writer keeper; do
        server sql "DROP ROLE IF EXISTS is_$role; CREATE ROLE is_$role LOGIN IN ROLE heapdrift_$role" >/dev/null
    done
    cp "$before" "$tmp/0.txt"
    touch -d 2026-11-20T12:00Z "$tmp/0.txt"
    as writer record -q --service=shop --host=a --label=n=1 --limit=1GiB "$tmp/0.txt"
    status_is 0
    [[ $(ask 'SELECT version FROM heapdrift_store') == 2 ]]
    as keeper store upgrade
    status_is 2
    err_has ": cannot be upgraded: it takes the owner of the tables, heapdrift"
    [[ $(ask 'SELECT version FROM heapdrift_store') == 2 ]]
    # Owners may not create more.
    server sql "CREATE ROLE is_owner LOGIN; GRANT USAGE ON SCHEMA $schema TO is_owner;
        ALTER TABLE $schema.heapdrift_store OWNER TO is_owner" >/dev/null
    as owner store upgrade
    status_is 2
    err_has ": cannot be upgraded: it takes CREATE on schema $schema"
    server sql "ALTER TABLE $schema.heapdrift_store OWNER TO heapdrift" >/dev/null
    works store upgrade
    out_has ": upgraded from version 2 to 4"
    writes || complain "writer, version 4"
    keeps || complain "keeper, version 4"
    [[ $(ask "SELECT has_column_privilege('is_writer', 'heapdrift_store', 'accepts_version', 'SELECT')") == t ]]
    [[ $(ask "SELECT has_table_privilege('is_writer', 'snapshot', 'SELECT')") == f ]]
    works store check --all
    out_has ": no errors"
}

# Snapshots reported as stored are stored; no client is refused, and none waits indefinitely.
@test "an upgrade during writes and reads loses nothing, whenever it is killed" {
    local i job
    make_version_2
    snapshots 200
    for i in 1 2 3; do
        "$HEAPDRIFT" record -q --service=shop --host="h$i" "$tmp"/{0..199}.txt >"$tmp/out$i" 2>"$tmp/err$i" 3>&- &
        job[i]=$!
    done
    psql -X -q "$url" -c "BEGIN" -c "SELECT COUNT(*) FROM $schema.snapshot" -c "SELECT pg_sleep(1)" >/dev/null 3>&- &
    for i in 1 2 3 4 5; do
        "$HEAPDRIFT" store upgrade >/dev/null 2>&1 3>&- &
        sleep "0.0$((i * 15))"
        kill -KILL $! 2>/dev/null || true
        wait $! 2>/dev/null || true
        [[ $(ask 'SELECT version FROM heapdrift_store') == [24] ]]
    done
    works store upgrade
    [[ $(ask 'SELECT version FROM heapdrift_store') == 4 ]]
    for i in 1 2 3; do
        status=0
        wait "${job[i]}" || status=$?
        [[ $status == 0 && ! -s $tmp/err$i ]] || complain "$(<"$tmp/err$i")"
    done
    [[ $(ask 'SELECT COUNT(*) FROM snapshot') == 200 ]]
    [[ $(cat "$tmp"/out? | grep -c ': recorded: ') == 200 ]]
    works store check --all
    out_has ": no errors"
}

# has_all_of OLD NEW: the second answer has all members of the first. Newer programs add members.
has_all_of() {
    python3 - "$@" <<'END'
import json, sys
def lacks(old, new, where):
    if isinstance(old, dict) and isinstance(new, dict):
        return [each for key in old if key != "tool_version" for each in lacks(old[key], new.get(key), f"{where}.{key}")]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [each for i, pair in enumerate(zip(old, new)) for each in lacks(*pair, f"{where}[{i}]")]
    return [] if old == new else [f"{where}: {new} instead of {old}"]
old, new = (json.load(open(name)) for name in sys.argv[1:])
sys.exit("\n".join(lacks(old, new, "")) or not old["hosts"])
END
}

# HEAPDRIFT_OLD: a program of the version before.
@test "programs of both versions record into one store, and read it, also when it is upgraded" {
    [[ -x ${HEAPDRIFT_OLD:-} ]] || skip "no program of the version before: its commit is not in this repository"
    local i program
    snapshots 60
    for HEAPDRIFT_STORE in "$HEAPDRIFT_STORE" "$tmp/store.db"; do
        for i in {0..59}; do
            program=$HEAPDRIFT_OLD
            ((i % 2 == 0)) || program=$HEAPDRIFT
            "$program" record -q --service=shop "$tmp/$i.txt"
        done
        "$HEAPDRIFT_OLD" fleet -q --since=all --until=2100-01-01 --format=json >"$tmp/old.json"
        works fleet -q --since=all --until=2100-01-01 --format=json
        has_all_of "$tmp/old.json" "$tmp/.out"
        works store check --all --format=json
        [[ $(json '"\(.version) \(.counts.snapshots)"') == "3 60" ]]
        works store upgrade
        # It reports that programs of version 3 may continue.
        HEAPDRIFT=$HEAPDRIFT_OLD works record -q --service=shop "$before"
        works record -q --service=shop "$after"
        works store check --all
    done
}

@test "a password from PGPASSFILE is never printed" {
    server sql "CREATE ROLE locked LOGIN PASSWORD 'open sesame'; GRANT ALL ON SCHEMA $schema TO locked" >/dev/null
    cp "$folder/data/pg_hba.conf" "$tmp/hba"
    { echo 'local all locked scram-sha-256'; cat "$tmp/hba"; } >"$folder/data/pg_hba.conf"
    server sql 'SELECT pg_reload_conf()' >/dev/null
    export HEAPDRIFT_STORE=${HEAPDRIFT_STORE/user=heapdrift/user=locked}
    printf '*:*:*:locked:open sesame\n' >"$tmp/pgpass"
    chmod 600 "$tmp/pgpass"
    PGPASSFILE=$tmp/pgpass works record --service=x "$before"
    HEAPDRIFT_STORE="$HEAPDRIFT_STORE&password=wrong%20word" hd record -v --service=x --format=json "$after"
    status_is 2
    err_has "password=***: "
    err_has 'password authentication failed for user "locked"'
    err_lacks "wrong"
    PGPASSFILE=/dev/null hd record --service=x "$after"
    status_is 2
    err_has "no password supplied"
    cat "$tmp/hba" >"$folder/data/pg_hba.conf"
    server sql 'SELECT pg_reload_conf()' >/dev/null
}

@test "locks of others are waited for as long as the URL allows" {
    works record -q --service=x "$before"
    psql -X -q "$url" -c "BEGIN" -c "LOCK TABLE $schema.series" -c "SELECT pg_sleep(3)" >/dev/null 3>&- &
    sleep 0.5
    HEAPDRIFT_STORE="$HEAPDRIFT_STORE%20-clock_timeout%3D200ms" hd record -q --service=x "$after"
    fails_with "$after: was locked by others for too long"
    works record -q --service=x "$after"
    wait
}

@test "without libpq one line has the missing package" {
    stand_in '#include <dlfcn.h>
        void *dlopen(const char *name, int flags) { (void)name; (void)flags; return 0; }'
    with_stand_in record --service=x "$before"
    status_is 2
    err_has "PostgreSQL needs libpq.so.5 (Debian: libpq5)"
}

@test "the sandbox allows record only its server" {
    works info -v "$before"
    [[ $err == *"sandbox: Landlock "*", seccomp"* ]] || skip "no Landlock and seccomp here"
    "${CC:-cc}" -shared -fPIC -o "$tmp/refused.so" tests/cli/refused.c
    REFUSED_FOLDER=$tmp REFUSED_INPUT=$PWD/$before LD_PRELOAD=$tmp/refused.so works record -q --service=x "$before"
    [[ $(sed -n 's/^tried \(.*\): yes$/\1/p' <<<"$err" | xargs) == "input thread read tcp unix" ]] || complain "too much"
}

# --- roles apart -----------------------------------------------------------------------

# Two hosts, each with a role of its own.
two_writers() {
    works store upgrade
    grants | psql -X -q -v ON_ERROR_STOP=1 "$HEAPDRIFT_STORE"
    for role in one two; do
        server sql "DROP ROLE IF EXISTS is_$role; CREATE ROLE is_$role LOGIN IN ROLE heapdrift_writer" >/dev/null
    done
    server sql "DROP ROLE IF EXISTS is_keeper; CREATE ROLE is_keeper LOGIN IN ROLE heapdrift_keeper" >/dev/null
    cp "${series[0]}" "$tmp/one.txt"
    cp "${series[1]}" "$tmp/two.txt"
    cp "${series[2]}" "$tmp/three.txt"
    as one record -q --service=shop --host=a --label=of=one "$tmp/one.txt"
    status_is 0
}

# sql_as ROLE SQL: SQL of a neighbor; sets $output.
sql_as() {
    run psql -X -q -A -t -v ON_ERROR_STOP=1 "${url/user=heapdrift/user=is_$1}&options=-csearch_path%3D$schema" -c "$2"
}

@test "a role neither adds to the series of another nor relabels it" {
    two_writers
    [[ $(ask "SELECT owner FROM series") == is_one ]]
    as two record -q --service=shop --host=a --label=of=two "$tmp/two.txt"
    status_is 2
    err_has "row-level security"
    sql_as two "UPDATE series SET labels = '{\"of\":\"two\"}', memory_limit = 1"
    sql_as two "UPDATE series SET owner = 'is_two'"
    sql_as two "INSERT INTO snapshot (series_id, taken_at, xxh3, complete, sampled, digest) SELECT id, 1, 'x', true, false, '' FROM series"
    [[ $output == *"row-level security"* ]]
    sql_as two "INSERT INTO type_row (snapshot_id, type_id) VALUES (1, 99999)"
    [[ $output == *"row-level security"* ]]
    sql_as two "INSERT INTO series (run, service, host, process, build, labels, owner) VALUES ('r', 's', '', '', '', '{}', 'is_one')"
    [[ $output == *"row-level security"* ]]
    # Its own table with this name does not permit it to delete.
    sql_as two "CREATE TEMPORARY TABLE series (id INT); SET search_path = pg_temp, $schema; UPDATE $schema.series SET labels = 'mine'"
    [[ $(ask "SELECT labels || ' ' || owner || ' ' || COALESCE(memory_limit, 0) FROM series") == '{"of":"one"} is_one 0' ]]
    [[ $(ask "SELECT COUNT(*) FROM snapshot") == 1 ]]
    # Its own it has.
    as two record -q --service=shop --host=b "$tmp/two.txt" "$tmp/three.txt"
    status_is 0
    as one record -q --service=shop --host=a --label=of=1 "$tmp/two.txt"
    as keeper record --keep=1d
    status_is 0
    works store check --all
}

@test "a series from before the upgrade belongs to the first that adds to it" {
    local role
    make_version_2
    grants 2 | psql -X -q -v ON_ERROR_STOP=1 "$HEAPDRIFT_STORE"
    for role in one two; do
        server sql "DROP ROLE IF EXISTS is_$role; CREATE ROLE is_$role LOGIN IN ROLE heapdrift_writer" >/dev/null
    done
    cp "${series[0]}" "$tmp/one.txt"
    cp "${series[1]}" "$tmp/two.txt"
    cp "${series[2]}" "$tmp/three.txt"
    as one record -q --service=shop --host=a "$tmp/one.txt"
    status_is 0
    works store upgrade
    out_has "upgraded from version 2 to 4"
    [[ $(ask "SELECT owner FROM series") == "" ]]
    as one record -q --service=shop --host=a "$tmp/two.txt"
    status_is 0
    [[ $(ask "SELECT owner FROM series") == is_one ]]
    as two record -q --service=shop --host=a "$tmp/three.txt"
    status_is 2
}

@test "age is judged by the server's clock, and recorded snapshots have its time" {
    two_writers
    cat >"$tmp/ahead.c" <<'C'
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t which, struct timespec *t)
{
    long status = syscall(SYS_clock_gettime, which, t);
    if (which == CLOCK_REALTIME)
        t->tv_sec += 315576000;
    return (int)status;
}
time_t time(time_t *to)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return to != NULL ? (*to = t.tv_sec) : t.tv_sec;
}
C
    "${CC:-cc}" -shared -fPIC -o "$tmp/ahead.so" "$tmp/ahead.c"
    ask "UPDATE snapshot SET recorded_at = taken_at" >/dev/null
    # shellcheck disable=SC2030,SC2031 # only there
    (export LD_PRELOAD=$tmp/ahead.so && as two record -q --service=mail --host=b "$tmp/two.txt")
    [[ $(ask "SELECT recorded_at <= EXTRACT(EPOCH FROM now()) FROM snapshot ORDER BY id DESC LIMIT 1") == t ]]
    LD_PRELOAD=$tmp/ahead.so works record --keep=90d
    [[ $(ask "SELECT COUNT(*) FROM snapshot") == 2 ]]
}

@test "fleet and store check keep the connection to the server, and get no other socket" {
    works info -v "$before"
    [[ $err == *"sandbox: Landlock "*", seccomp"* ]] || skip "no Landlock and seccomp here"
    works record -q --service=shop "$before" "$after"
    "${CC:-cc}" -shared -fPIC -o "$tmp/refused.so" tests/cli/refused.c
    echo victim >"$tmp/victim"
    local words
    for words in "fleet --since=all" "store check --all" "diff --service=shop"; do
        # shellcheck disable=SC2086 # words
        REFUSED_FOLDER=$tmp REFUSED_INPUT=$PWD/$before LD_PRELOAD=$tmp/refused.so hd $words
        status_is 0
        [[ $(sed -n 's/^tried \(.*\): yes$/\1/p' <<<"$err" | xargs) == thread ]] || complain "$words"
    done
}

# The store in a real PostgreSQL: the unit tests of the store, and what only a server can do:
# refuse, go away, come back. `make check-store` runs it.
load ../cli/helper

setup_file() {
    local status=0
    folder=$("$BATS_TEST_DIRNAME/postgres.sh" start) || status=$?
    [[ $status != 77 ]] || skip "no PostgreSQL here"
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

# snapshots COUNT: so many files that differ, small ones.
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

@test "a server that goes away is told in one line, and what was reported is stored" {
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

@test "a server that is started anew in the middle is found again" {
    snapshots 300
    "$HEAPDRIFT" record -q --service=shop "$tmp"/{0..299}.txt >"$tmp/.out" 2>"$tmp/err" 3>&- &
    local job=$! i
    for i in 1 2; do
        sleep 0.3
        # Every connection is cut; the server goes on.
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

@test "writers at once, killed and tried again, store each snapshot once" {
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

@test "who has no rights is told so" {
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

# as ROLE COMMAND ARG...: run the program as a user who has that role.
as() { HEAPDRIFT_STORE=${HEAPDRIFT_STORE/user=heapdrift/user=is_$1} hd "${@:2}"; }

number=0

# What each role is for. All of it as it should be, or false. The second is built on the first.
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

@test "each role of roles.sql can do what it is for, and lacks nothing without which it could" {
    local role grant revoke count=0 does
    cp "$before" "$tmp/0.txt"
    cp "$after" "$tmp/1.txt"
    touch -d 2026-11-21T12:00Z "$tmp/0.txt"
    touch -d 2026-11-21T13:00Z "$tmp/1.txt"
    works record -q --service=shop --host=a "$tmp/0.txt" "$tmp/1.txt"
    psql -X -q -f scripts/fleet/roles.sql "$HEAPDRIFT_STORE" >/dev/null
    psql -X -q -f scripts/fleet/roles.sql "$HEAPDRIFT_STORE" >/dev/null
    for role in writer reader keeper; do
        server sql "CREATE ROLE is_$role LOGIN IN ROLE heapdrift_$role" >/dev/null
    done
    writes || complain "writer"
    writes || complain "writer, again"
    reads || complain "reader"
    keeps || complain "keeper"
    while IFS='|' read -r role grant revoke; do
        case $role in writer) does=writes ;; reader) does=reads ;; keeper) does=keeps ;; esac
        ask "${revoke/:\"schema\"/$schema}" >/dev/null
        ! "$does" || complain "$role does not need: $grant"
        ask "${grant/:\"schema\"/$schema}" >/dev/null
        "$does" || complain "$role needs: $grant"
        count=$((count + 1))
    done < <(python - scripts/fleet/roles.sql <<'PYTHON'
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
    # What is not theirs.
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

@test "a password comes from PGPASSFILE, and is never told" {
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

@test "what others keep locked is waited for as long as the URL says" {
    works record -q --service=x "$before"
    psql -X -q "$url" -c "BEGIN" -c "LOCK TABLE $schema.series" -c "SELECT pg_sleep(3)" >/dev/null 3>&- &
    sleep 0.5
    HEAPDRIFT_STORE="$HEAPDRIFT_STORE%20-clock_timeout%3D200ms" hd record -q --service=x "$after"
    fails_with "$after: was locked by others for too long"
    works record -q --service=x "$after"
    wait
}

@test "without libpq one line says what is missing" {
    stand_in '#include <dlfcn.h>
        void *dlopen(const char *name, int flags) { (void)name; (void)flags; return 0; }'
    with_stand_in record --service=x "$before"
    status_is 2
    err_has "PostgreSQL needs libpq.so.5 (Debian: libpq5)"
}

@test "the sandbox leaves record its server, and nothing else" {
    works info -v "$before"
    [[ $err == *"sandbox: Landlock "*", seccomp"* ]] || skip "no Landlock and seccomp here"
    "${CC:-cc}" -shared -fPIC -o "$tmp/refused.so" tests/cli/refused.c
    REFUSED_FOLDER=$tmp REFUSED_INPUT=$PWD/$before LD_PRELOAD=$tmp/refused.so works record -q --service=x "$before"
    [[ $(sed -n 's/^tried \(.*\): yes$/\1/p' <<<"$err" | xargs) == "input thread read tcp unix" ]] || complain "too much"
}

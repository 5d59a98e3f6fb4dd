# Stores that others wrote: a file, or a database in which every writer has its own role.
# shellcheck disable=SC2154,SC2030,SC2031 # bats and helper.bash set status, out, err and tmp
load ../cli/helper
load neighbours

# Two runs: shop has four snapshots, of which three are deltas on the first; mail has two.
setup() {
    local i
    begin
    unset OTEL_SERVICE_NAME OTEL_RESOURCE_ATTRIBUTES
    export HEAPDRIFT_STORE=$tmp/store.db
    for i in 1 2 3 4; do
        cp "${series[i - 1]}" "$tmp/$i.txt"
        touch -d "2026-11-21T0$i:00Z" "$tmp/$i.txt"
    done
    cp "$before" "$tmp/5.txt"
    cp "$after" "$tmp/6.txt"
    touch -d 2026-11-21T01:00Z "$tmp/5.txt"
    touch -d 2026-11-21T03:00Z "$tmp/6.txt"
    works record -q --service=shop --host=a "$tmp"/[1-4].txt
    works record -q --service=mail --host=b "$tmp"/[56].txt
}

# ask SQL [SQL...]: on the file, as a user with write permission.
ask() {
    python -c 'import sqlite3, sys
c = sqlite3.connect(sys.argv[1], timeout=60)
c.execute("PRAGMA foreign_keys = OFF")
for sql in sys.argv[2:]:
    for row in c.execute(sql): print(*row, sep="|")
c.commit()
c.execute("PRAGMA wal_checkpoint(TRUNCATE)")' "$HEAPDRIFT_STORE" "$@"
}

# measured MIB SECONDS ARG...: run the program, which may take at most that.
measured() {
    local mib=$1 seconds=$2 used
    shift 2
    status=0
    /usr/bin/time -f '%M %e' -o "$tmp/.used" "$HEAPDRIFT" "$@" >"$tmp/.out" 2>"$tmp/.err" || status=$?
    out=$(<"$tmp/.out") err=$(<"$tmp/.err") ran="heapdrift $*"
    used=$(tail -1 "$tmp/.used")
    ((${used% *} / 1024 <= mib)) || complain "${used% *} KiB"
    awk -v used="${used#* }" -v most="$((seconds * $(busy)))" 'BEGIN { exit used > most }' || complain "$used s"
}

@test "an uncompressed base is read like any other, and not used after its row" {
    python - "$HEAPDRIFT_STORE" <<'PYTHON'
import sqlite3, subprocess, sys
c = sqlite3.connect(sys.argv[1])
[digest] = c.execute("SELECT digest FROM snapshot WHERE id = 1").fetchone()
plain = subprocess.run(["zstd", "-dc"], input=digest, stdout=subprocess.PIPE, check=True).stdout
c.execute("UPDATE snapshot SET digest = ? WHERE id = 1", (plain,))
c.commit()
PYTHON
    [[ $(ask 'SELECT COUNT(*) FROM snapshot WHERE base_id = 1') == 3 ]]
    works store check --all
    out_has ": no errors; version "
    works fleet --since=all -q
    out_lacks "can be read"
}

@test "a base of 900 MB is left out before it is loaded" {
    ask "UPDATE snapshot SET digest = zeroblob(900000000) WHERE id = 1" >/dev/null
    measured 60 10 store check --all
    status_is 1
    out_has "error: the row of snapshot 1 has a value longer than any recorded one, and is left out"
    measured 60 10 fleet --since=all
    status_is 0
    err_matches 'warning: shop on a: 4 of 4 snapshots cannot be read: is no digest of at most [0-9]+ bytes'
    out_has "mail"
}

@test "cyclic or missing bases cost only their deltas" {
    local sql
    cp "$HEAPDRIFT_STORE" "$tmp/whole.db"
    for sql in "base_id = id" "base_id = 7 - id" "base_id = 99" "base_id = -1" "base_id = 'x'" "base_id = 9e99" "base_id = 5"; do
        cp "$tmp/whole.db" "$HEAPDRIFT_STORE"
        ask "UPDATE snapshot SET $sql WHERE id < 5"
        hd store check --all
        status_is 1
        works fleet --since=all -q
        out_has mail
    done
}

@test "a name of 100 MB is one warning, and the others are evaluated within --memory" {
    ask "UPDATE series SET service = hex(zeroblob(50000000)) WHERE id = 1"
    measured 140 10 fleet --since=all --memory=50M
    status_is 0
    err_has "heapdrift: warning: run 1: left out: a value of its row is longer than any that is recorded"
    out_has mail
    measured 140 10 store check --memory=50M
    status_is 1
    out_has "error: the row of series 1 has a value longer than any recorded one, and is left out"
    measured 140 10 top --service=mail --memory=50M
    status_is 0
}

@test "whichever value is too large, it is named, and the other run is evaluated" {
    local column table kind
    cp "$HEAPDRIFT_STORE" "$tmp/whole.db"
    while read -r kind table column; do
        cp "$tmp/whole.db" "$HEAPDRIFT_STORE"
        ask "UPDATE $table SET $column = hex(zeroblob(40000000)) WHERE id = 1"
        measured 200 20 fleet --since=all --memory=50M
        status_is 0
        out_has mail
        measured 200 20 store check --all --memory=50M
        [[ $kind == number ]] || status_is 1
        [[ $kind == number ]] || out_matches "too large|longer than any|cannot be used"
    done <<'COLUMNS'
text series host
text series labels
text series instance
number series started_at
number series pid
text snapshot xxh3
number snapshot taken_at
number snapshot pause_seconds
number snapshot objects
number snapshot base_id
text snapshot digest
text type name
COLUMNS
}

@test "values of other types, endless times and negative counts neither crash nor change other verdicts" {
    ask "UPDATE series SET pid = 'a', started_at = 9e999, memory_limit = -1, labels = '[[[[' WHERE id = 1" \
        "UPDATE snapshot SET objects = -9223372036854775808, bytes = 1e300, complete = 'yes', pause_seconds = -9e999,
            sampled = X'00' WHERE id < 5" \
        "UPDATE snapshot SET taken_at = CASE id WHEN 1 THEN -1e299 WHEN 2 THEN 1e299 WHEN 3 THEN 9e999 ELSE taken_at END"
    works fleet --since=all -q --format=json
    [[ $(json '[.services[].service] | sort | join(" ")') == "mail shop" ]]
    hd store check --all
    status_is 1
    works fleet --since=all -q --format=html -o "$tmp/leaks/" || true
}

@test "names with NUL, escapes and invalid text reach no terminal" {
    ask "UPDATE series SET service = CAST(X'1b5d303b610008ff' AS TEXT), host = 'a' || char(10) || char(8238) || 'b' WHERE id = 1"
    works fleet --since=all
    [[ $out$err != *$'\e'* && $out$err != *$'\u202e'* ]]
    hd store check --all
    [[ $out$err != *$'\e'* ]]
}

@test "triggers of a stranger do not run, and its views, generated columns and virtual tables are not used as tables" {
    cp "$HEAPDRIFT_STORE" "$tmp/whole.db"
    ask "CREATE TRIGGER gift AFTER INSERT ON snapshot BEGIN UPDATE series SET service = 'stolen'; END"
    works record -q --service=shop --host=a "$after"
    [[ $(ask "SELECT COUNT(*) FROM series WHERE service = 'stolen'") == 0 ]]
    cp "$tmp/whole.db" "$HEAPDRIFT_STORE"
    ask "ALTER TABLE series RENAME TO s" "CREATE VIEW series AS SELECT * FROM s"
    hd fleet --since=all
    fails_with "$HEAPDRIFT_STORE: not a store: its series is not a table"
    cp "$tmp/whole.db" "$HEAPDRIFT_STORE"
    ask "ALTER TABLE series DROP COLUMN memory_limit" \
        "ALTER TABLE series ADD COLUMN memory_limit AS (LENGTH(hex(zeroblob(400000000))))"
    hd fleet --since=all
    fails_with "$HEAPDRIFT_STORE: not a store: its series is not a table"
}

@test "tables without row numbers, ids given twice and a log of another store are refused or read" {
    cp "$HEAPDRIFT_STORE" "$tmp/whole.db"
    ask "CREATE TABLE s (id INTEGER PRIMARY KEY, run TEXT, service TEXT, host TEXT, process TEXT, pid, started_at, build TEXT, labels TEXT, instance TEXT, memory_limit, owner TEXT) WITHOUT ROWID" \
        "INSERT INTO s SELECT * FROM (SELECT id, run, service, host, process, pid, started_at, build, labels, instance, memory_limit, owner FROM series)" \
        "DROP TABLE series" "ALTER TABLE s RENAME TO series" \
        "UPDATE series SET service = hex(zeroblob(50000000)) WHERE id = 1"
    measured 200 20 fleet --since=all --memory=50M
    [[ $status == 0 && $err == *"run 1: left out"* && $out == *mail* ]] || complain "without row numbers"
    cp "$tmp/whole.db" "$HEAPDRIFT_STORE"
    ask "CREATE TABLE s AS SELECT * FROM series" "INSERT INTO s SELECT * FROM s" "DROP TABLE series" \
        "ALTER TABLE s RENAME TO series"
    hd fleet --since=all
    fails_with "$HEAPDRIFT_STORE: not a store: its series is not a table"
    cp "$tmp/whole.db" "$HEAPDRIFT_STORE"
    head -c 100000 /dev/urandom >"$HEAPDRIFT_STORE-wal"
    works fleet --since=all -q
    out_has shop
}

@test "services in any number cost time and no memory" {
    ask "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
        INSERT INTO series (run, service, host, process, build, labels) SELECT 'r' || i, 's' || i, 'h', 'p', 'b', '{}' FROM n" \
        "INSERT INTO snapshot (series_id, taken_at, xxh3, complete, sampled, digest)
        SELECT id, 1795262400, run, true, false, X'' FROM series WHERE run LIKE 'r%' AND id % 10 = 0"
    measured 100 60 fleet --since=all -q
    status_is 0
    measured 60 60 store check
}

# --- the sandbox ---------------------------------------------------------------------------

need_sandbox() {
    works info -v "$before"
    [[ $err == *"sandbox: Landlock "*", seccomp"* ]] || skip "no Landlock and seccomp here"
}

# trying ARG...: run the program, which tries at its end what it should be refused; $went_well is what it was not.
# Beside the store only what is named "victim" is there.
trying() {
    [[ -e $tmp/refused.so ]] || "${CC:-cc}" -shared -fPIC -o "$tmp/refused.so" tests/cli/refused.c
    echo victim >"$tmp/victim"
    REFUSED_FOLDER=$tmp REFUSED_INPUT=${HEAPDRIFT_STORE#file:} LD_PRELOAD=$tmp/refused.so hd "$@"
    went_well=$(sed -n 's/^tried \(.*\): yes$/\1/p' <<<"$err" | xargs)
}

@test "readers of a store have access to its file only" {
    need_sandbox
    trying fleet --since=all
    status_is 0
    [[ $went_well == "input thread" ]] || complain "$went_well"
    trying store check --all
    status_is 0
    [[ $went_well == "input thread" ]] || complain "$went_well"
    trying diff --service=shop
    status_is 0
    [[ $went_well == "thread" ]] || complain "$went_well"
    mkdir "$tmp/there"
    trying fleet --since=all --format=html -o "$tmp/there/pages/"
    status_is 0
    [[ -s $tmp/there/pages/index.html && $went_well == "input thread" ]] || complain "$went_well"
    works fleet --since=all --shard=1/1 --until=2026-11-22T00:00Z -o "$tmp/there/part"
    trying fleet --merge "$tmp/there/part"
    status_is 0
    [[ $went_well == "thread" ]] || complain "$went_well"
}

@test "writers of a store have access to its folder only" {
    need_sandbox
    trying fleet --since=all --save
    status_is 0
    [[ $went_well == "input thread list create write remove" || $went_well == "input thread create write remove" ]] ||
        complain "$went_well"
    trying store upgrade
    status_is 0
    [[ " $went_well " != *" tcp "* && " $went_well " != *" program "* && " $went_well " != *" read "* ]] ||
        complain "$went_well"
}

# --- clocks --------------------------------------------------------------------------------

# ahead ARG...: runs the program on another machine with a clock ten years ahead.
ahead() {
    [[ -e $tmp/ahead.so ]] || {
        cat >"$tmp/ahead.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
enum { TEN_YEARS = 315576000 };
int clock_gettime(clockid_t which, struct timespec *t)
{
    long status = syscall(SYS_clock_gettime, which, t);
    if (which == CLOCK_REALTIME)
        t->tv_sec += TEN_YEARS;
    return (int)status;
}
time_t time(time_t *to)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    if (to != NULL)
        *to = t.tv_sec;
    return t.tv_sec;
}
int gettimeofday(struct timeval *restrict to, void *restrict zone)
{
    struct timespec t;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &t);
    *to = (struct timeval){t.tv_sec, t.tv_nsec / 1000};
    return 0;
}
int gethostname(char *name, size_t size)
{
    strncpy(name, "other-machine", size);
    return 0;
}
C
        "${CC:-cc}" -shared -fPIC -o "$tmp/ahead.so" "$tmp/ahead.c" -ldl
    }
    LD_PRELOAD=$tmp/ahead.so hd "$@"
}

@test "a writer with a clock ten years ahead thins out only its own snapshots" {
    # Three days old, an hour apart: eight days later only one of a day is kept.
    ask "UPDATE snapshot SET taken_at = taken_at + $(date +%s) - 3 * 86400 - (SELECT MIN(taken_at) FROM snapshot)" \
        "UPDATE snapshot SET recorded_at = taken_at" >/dev/null
    printf 'a 2 App.exe 1\nt 1 App.Order\nt 2 App.Other\no 1 1 18 2\no 2 2 99\nr 1 3 0\nc App.exe 2\n' >"$tmp/new.txt"
    ahead record -q --keep=90d --service=web --host=c "$tmp/new.txt"
    status_is 0
    [[ $(ask "SELECT COUNT(*) FROM snapshot JOIN series ON series.id = series_id WHERE host IN ('a', 'b')") == 6 ]] ||
        complain "the snapshots of others are gone"
    # Nobody is old by it, and it is named.
    works record --keep=90d
    [[ $(ask "SELECT COUNT(*) FROM snapshot JOIN series ON series.id = series_id WHERE host IN ('a', 'b')") == 6 ]]
    works store check
    out_matches "warning: 1 snapshot was (recorded in the future|taken an hour or more after it was recorded)"
}

@test "what others recorded is thinned out as long as one of their clocks agrees" {
    local now
    now=$(date +%s)
    ask "UPDATE series SET owner = 'third-machine' WHERE host = 'a'" \
        "UPDATE snapshot SET taken_at = $now - 100 * 86400 + id, recorded_at = $now - 100 * 86400"
    works record --keep=90d
    [[ $(ask "SELECT GROUP_CONCAT(host) FROM series") == a ]] || complain "$(ask 'SELECT host FROM series')"
    ask "UPDATE snapshot SET recorded_at = $now - 7200, taken_at = $now - 7200 WHERE id = (SELECT MAX(id) FROM snapshot)"
    works record --keep=90d
    [[ $(ask "SELECT COUNT(*) FROM snapshot WHERE taken_at < $now - 90 * 86400 AND id <> (SELECT base_id FROM snapshot WHERE id = (SELECT MAX(id) FROM snapshot))") == 0 ]]
}

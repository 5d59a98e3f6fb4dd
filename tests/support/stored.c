#include "support/stored.h"

#include "base/text.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Memory of the snapshots of a test, until its store ends. */
static struct arena looked_at;

static const char *server(void)
{
    return getenv("HEAPDRIFT_TEST_STORE");
}

bool stored_is_sqlite(void)
{
    return server() == NULL;
}

static void make_schema(struct stored *t)
{
    struct hd_error err = {0};
    char sql[96];
    static int made; /* by this test's process */
    const struct database *kind = database_for(server(), &err);
    struct connection *c = kind != NULL ? kind->open(server(), HD_STORE_WRITE, &err) : NULL;
    cr_assert_not_null(c, "%s", err.message);
    snprintf(sql, sizeof(sql), "CREATE SCHEMA test_%ld_%d", (long)getpid(), ++made);
    struct rows *rows = kind->ask(c, sql, NULL, 0, &err);
    cr_assert_not_null(rows, "%s", err.message);
    kind->end(rows);
    kind->close(c);
    snprintf(t->url, sizeof(t->url), "%s%coptions=-csearch_path%%3Dtest_%ld_%d", server(),
             strchr(server(), '?') != NULL ? '&' : '?', (long)getpid(), made);
}

void stored_begin_empty(struct stored *t)
{
    *t = (struct stored){0};
    scratch_open(&t->scratch);
    if (server() != NULL)
        make_schema(t);
    else
        snprintf(t->url, sizeof(t->url), "%s", scratch_path(&t->scratch, "store.db"));
}

void stored_begin(struct stored *t)
{
    stored_begin_empty(t);
    t->store = stored_connect(t, HD_STORE_WRITE);
}

void stored_end(struct stored *t)
{
    hd_store_close(t->store);
    scratch_remove(&t->scratch);
    arena_free(&looked_at);
}

/* Tables of version 1, written independently of schema.sql. */
static const char *const first_version[] = {
    "CREATE TABLE heapdrift_store (version INTEGER NOT NULL, thinned_at DOUBLE PRECISION "
    "NOT "
    "NULL)",
    "INSERT INTO heapdrift_store (version, thinned_at) VALUES (1, 0)",
    "CREATE TABLE series (id {id}, run {text} NOT NULL UNIQUE, service {text} NOT NULL, "
    "host "
    "{text} NOT NULL, process {text} NOT NULL, pid BIGINT, started_at DOUBLE PRECISION, "
    "build "
    "{text} NOT NULL, labels {text} NOT NULL)",
    "CREATE TABLE snapshot (id {id}, series_id BIGINT NOT NULL REFERENCES series (id), "
    "taken_at "
    "DOUBLE PRECISION NOT NULL, xxh3 {text} NOT NULL UNIQUE, objects BIGINT, bytes BIGINT, "
    "reachable_bytes BIGINT, complete BOOLEAN NOT NULL, sampled BOOLEAN NOT NULL, digest "
    "{bytes} NOT NULL)",
    "CREATE TABLE type (id {id}, name {text} NOT NULL UNIQUE)",
    "CREATE TABLE type_row (snapshot_id BIGINT NOT NULL REFERENCES snapshot (id), type_id "
    "BIGINT NOT NULL, objects BIGINT, bytes BIGINT, PRIMARY KEY (snapshot_id, type_id))",
    "CREATE TABLE finding (series_id BIGINT NOT NULL REFERENCES series (id), window_first "
    "DOUBLE PRECISION NOT NULL, window_last DOUBLE PRECISION NOT NULL, rank INTEGER NOT "
    "NULL, "
    "type_id BIGINT NOT NULL, subject {text} NOT NULL, score DOUBLE PRECISION, score_share "
    "DOUBLE PRECISION, per_hour DOUBLE PRECISION, confidence {text} NOT NULL, holder "
    "{text} "
    "NOT NULL, PRIMARY KEY (series_id, rank))",
    "INSERT INTO series (run, service, host, process, pid, started_at, build, labels) "
    "VALUES "
    "('r', 'old', 'h', 'p', 1, 5, 'b', '{\"a\":\"b\"}')",
    "INSERT INTO snapshot (series_id, taken_at, xxh3, objects, bytes, reachable_bytes, "
    "complete, sampled, digest) SELECT id, 7, '0000000000000001', 1, 2, 3, '1', '0', '' "
    "FROM "
    "series",
    "INSERT INTO type (name) VALUES ('App.Order')",
    "INSERT INTO type_row (snapshot_id, type_id, objects, bytes) SELECT snapshot.id, "
    "type.id, "
    "1, 2 FROM snapshot, type"};

/* Changes of version 2. */
static const char *const second_version[] = {
    "ALTER TABLE series ADD COLUMN instance {text} NOT NULL DEFAULT ''",
    "ALTER TABLE series ADD COLUMN memory_limit BIGINT",
    "ALTER TABLE snapshot ADD COLUMN pause_seconds DOUBLE PRECISION",
    "ALTER TABLE snapshot ADD COLUMN recorded_at DOUBLE PRECISION NOT NULL DEFAULT 0",
    "CREATE INDEX series_by_service ON series (service, host, COALESCE(started_at, 0), "
    "COALESCE(pid, 0), id)",
    "CREATE INDEX snapshot_by_series ON snapshot (series_id, taken_at)",
    "CREATE INDEX snapshot_by_time ON snapshot (taken_at)",
    "CREATE INDEX type_row_by_type ON type_row (type_id, snapshot_id)",
    "CREATE INDEX finding_by_type ON finding (type_id)",
    /* The snapshot of version 1, whose digest is invalid. */
    "DELETE FROM type_row", "DELETE FROM snapshot", "DELETE FROM series",
    "UPDATE heapdrift_store SET version = 2"};

#define MANY(list) (list), sizeof(list) / sizeof(*(list))

void stored_make(const struct stored *t, const char *const *statements, size_t count)
{
    struct hd_error err = {0};
    struct hd_store raw = {.kind = database_for(t->url, NULL)};
    raw.connection = raw.kind->open(t->url, HD_STORE_WRITE, &err);
    cr_assert_not_null(raw.connection, "%s", err.message);
    for (size_t i = 0; i < count; i++)
        cr_assert(store_run(&raw, statements[i], NULL, 0, &err), "%s: %s", statements[i],
                  err.message);
    raw.kind->close(raw.connection);
}

void stored_make_version(const struct stored *t, unsigned version)
{
    stored_make(t, MANY(first_version));
    if (version > 1)
        stored_make(t, MANY(second_version));
}

struct hd_store *stored_connect(const struct stored *t, enum hd_store_use use)
{
    struct hd_error err = {0};
    struct hd_store *s = hd_store_open(t->url, use, &err);
    cr_assert_not_null(s, "%s", err.message);
    s->trusts_callers = true;
    return s;
}

struct hd_snapshot *stored_snapshot(unsigned count)
{
    struct text t = {0};
    char line[64];
    struct hd_error err = {0};
    const struct hd_read_options how = {
        .size = sizeof(how), .to_write = true, .checksum = true};
    text_add_string(&t, "a 2 App.exe 1\nt 1 App.Order\nt 2 App.Cache\no ffffff 2 20");
    for (unsigned i = 1; i <= count; i++) {
        snprintf(line, sizeof(line), " %x", i);
        text_add_string(&t, line);
    }
    for (unsigned i = 1; i <= count; i++) {
        snprintf(line, sizeof(line), "\no %x 1 18", i);
        text_add_string(&t, line);
    }
    text_add_string(&t, "\nr ffffff 3 0\nc App.exe 2\n");
    const char *data = arena_strdup(&looked_at, t.data, t.len);
    struct hd_snapshot *snap = hd_snapshot_from_memory(data, t.len, &how, &err);
    text_free(&t);
    cr_assert_not_null(snap, "%s", err.message);
    return snap;
}

enum hd_recorded stored_record(struct hd_store *s, unsigned count, const struct hd_run *run,
                               double taken)
{
    struct hd_error err = {0};
    enum hd_recorded what = HD_RECORDED;
    const struct hd_recording how = {.size = sizeof(how), .run = run, .taken = taken};
    struct hd_snapshot *snap = stored_snapshot(count);
    bool ok = hd_store_record(s, snap, &how, &what, &err);
    hd_snapshot_close(snap);
    cr_assert(ok, "%s", err.message);
    return what;
}

struct hd_run stored_run(const char *service, const char *host, uint64_t pid)
{
    struct hd_run run = hd_unknown_run();
    run.service = service;
    run.host = host;
    run.pid = pid;
    return run;
}

int64_t stored_number(struct hd_store *s, const char *sql)
{
    struct hd_error err = {0};
    int64_t n;
    bool there;
    cr_assert(store_ask_number(s, sql, NULL, 0, &n, &there, &err), "%s: %s", sql,
              err.message);
    cr_assert(there, "%s: no row", sql);
    return n;
}

void stored_change(struct hd_store *s, const char *sql)
{
    struct hd_error err = {0};
    cr_assert(store_run(s, sql, NULL, 0, &err), "%s: %s", sql, err.message);
}

const char *stored_text(struct stored *t, const char *sql)
{
    struct hd_error err = {0};
    bool ok;
    struct rows *rows = store_ask(t->store, sql, NULL, 0, &err);
    cr_assert(store_next(t->store, rows, &ok, &err), "%s: %s", sql, err.message);
    const char *text = store_text(t->store, rows, 0);
    const char *kept = arena_strdup(&t->scratch.arena, text, strlen(text));
    store_end(t->store, rows);
    return kept;
}

#include "support/stored.h"

#include "base/text.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What snapshots of a test look at, until its store ends. */
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
    static int made; /* by this test, which is a process */
    const struct database *kind = database_for(server(), &err);
    struct connection *c = kind != NULL ? kind->open(server(), HD_STORE_WRITE, &err) : NULL;
    cr_assert_not_null(c, "%s", err.message);
    snprintf(sql, sizeof(sql), "CREATE SCHEMA test_%ld_%d", (long)getpid(), ++made);
    cr_assert(kind->run(c, sql, NULL, 0, &err), "%s", err.message);
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

struct hd_store *stored_connect(const struct stored *t, enum hd_store_use use)
{
    struct hd_error err = {0};
    struct hd_store *s = hd_store_open(t->url, use, &err);
    cr_assert_not_null(s, "%s", err.message);
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
    bool there = false;
    struct rows *rows = store_ask(t->store, sql, NULL, 0, &err);
    cr_assert(rows != NULL && store_next(t->store, rows, &there, &err) && there, "%s: %s",
              sql, err.message);
    const char *text = store_text(t->store, rows, 0);
    const char *kept = arena_strdup(&t->scratch.arena, text, strlen(text));
    store_end(t->store, rows);
    return kept;
}

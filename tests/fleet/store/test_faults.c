/* A store whose disk is full, that is read-only, or that is locked by others: nothing is
 * half stored, the error has one line, and it works again afterwards. */
#include "support/stored.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct stored t;

static void begin(void)
{
    stored_begin(&t);
}

static void end(void)
{
    stored_end(&t);
}

TestSuite(store_faults, .init = begin, .fini = end);

static const double noon = 1795262400;

static bool record(struct hd_store *s, unsigned count, struct hd_error *err)
{
    struct hd_run run = stored_run("shop", "web-1", 7);
    const struct hd_recording how = {.size = sizeof(how), .run = &run, .taken = noon};
    struct hd_snapshot *snap = stored_snapshot(count);
    *err = (struct hd_error){0};
    bool ok = hd_store_record(s, snap, &how, NULL, err);
    hd_snapshot_close(snap);
    return ok;
}

/* Including deltas. */
static void expect_digests(struct hd_store *s, int64_t count)
{
    struct hd_error err = {0};
    struct hd_series_list *l = hd_store_series(s, NULL, &err);
    const struct hd_stored_series *series;
    cr_assert_not_null(l, "%s", err.message);
    while (hd_series_next(l, &series, &err) && series != NULL)
        for (size_t i = 0; i < series->snapshot_count; i++, count--) {
            struct hd_memory digest = {0};
            cr_expect(hd_store_digest(s, series->snapshots[i].id, &digest, &err), "%s",
                      err.message);
            hd_memory_free(&digest);
        }
    hd_series_list_free(l);
    cr_expect_eq(count, 0);
}

/* Rows belong to existing parents, and every snapshot has all of its rows. */
static void expect_whole(struct hd_store *s, int64_t snapshots)
{
    cr_expect_eq(stored_number(s, "SELECT COUNT(*) FROM snapshot"), snapshots);
    cr_expect_eq(stored_number(s, "SELECT COUNT(*) FROM type_size"), 2 * snapshots);
    cr_expect_eq(stored_number(s, "SELECT COUNT(*) FROM type_row LEFT JOIN snapshot ON "
                                  "snapshot.id = snapshot_id LEFT JOIN type ON type.id = "
                                  "type_id WHERE snapshot.id IS NULL OR type.id IS NULL"),
                 0);
    cr_expect_eq(
        stored_number(s, "SELECT COUNT(*) FROM series WHERE NOT EXISTS (SELECT 1 FROM "
                         "snapshot WHERE series_id = series.id)"),
        0);
    expect_digests(s, snapshots);
}

Test(store_faults, stores_no_partial_snapshot_on_a_full_disk)
{
    struct hd_error err = {0};
    char sql[64];
    unsigned stored = 0;
    if (!stored_is_sqlite())
        return;
    int64_t pages = stored_number(t.store, "PRAGMA page_count");
    snprintf(sql, sizeof(sql), "PRAGMA max_page_count = %lld", (long long)pages + 4);
    stored_change(t.store, sql);
    while (record(t.store, 1 + stored, &err))
        stored++;
    cr_expect_eq(err.status, HD_IO);
    cr_expect_str_eq(err.message, "No space left on device");
    expect_whole(t.store, stored);
    cr_expect(!hd_store_is_lost(t.store));
    stored_change(t.store, "PRAGMA max_page_count = 100000");
    cr_expect(record(t.store, 1 + stored, &err), "%s", err.message);
    expect_whole(t.store, stored + 1);
}

/* A limit of the process simulates a disk: SQLite may grow by a number of bytes, increased
 * so that each write fails once. */
Test(store_faults, stores_no_partial_snapshot_wherever_a_write_fails)
{
    struct hd_error err = {0};
    if (!stored_is_sqlite())
        return;
    stored_change(t.store, "PRAGMA wal_autocheckpoint = 1");
    for (int extra = 0; extra < 12; extra++) {
        char sql[64];
        unsigned before = (unsigned)stored_number(t.store, "SELECT COUNT(*) FROM snapshot");
        int64_t pages = stored_number(t.store, "PRAGMA page_count");
        snprintf(sql, sizeof(sql), "PRAGMA max_page_count = %lld",
                 (long long)pages + extra);
        stored_change(t.store, sql);
        bool ok = record(t.store, 5000 + (unsigned)extra, &err);
        stored_change(t.store, "PRAGMA max_page_count = 1000000");
        expect_whole(t.store, before + ok);
    }
}

Test(store_faults, reports_missing_write_permission)
{
    struct hd_error err = {0};
    if (!stored_is_sqlite())
        return;
    stored_change(t.store, "PRAGMA query_only = ON");
    cr_expect(!record(t.store, 1, &err));
    cr_expect_eq(err.status, HD_IO);
    cr_expect_str_eq(err.message, "is read-only");
    stored_change(t.store, "PRAGMA query_only = OFF");
    cr_expect(record(t.store, 1, &err));
    expect_whole(t.store, 1);
}

Test(store_faults, gives_up_when_others_keep_it_locked)
{
    struct hd_error err = {0};
    char url[1100];
    if (!stored_is_sqlite())
        return;
    snprintf(url, sizeof(url), "file:%s?wait=0", t.url);
    struct hd_store *second = hd_store_open(url, HD_STORE_WRITE, &err);
    cr_assert_not_null(second, "%s", err.message);
    stored_change(t.store, "BEGIN IMMEDIATE");
    cr_expect(!record(second, 1, &err));
    cr_expect_eq(err.status, HD_TIMED_OUT);
    cr_expect_str_eq(err.message, "was locked by others for 0 seconds");
    /* Readers need not wait. */
    struct hd_store *reader = hd_store_open(url, HD_STORE_READ, &err);
    cr_expect_not_null(reader);
    hd_store_close(reader);
    stored_change(t.store, "COMMIT");
    cr_expect(record(second, 1, &err), "%s", err.message);
    expect_whole(t.store, 1);
    hd_store_close(second);
}

/* --- many at once ---------------------------------------------------- */

enum { WRITERS = 4, EACH = 12 };

/* Each records all, so every snapshot is recorded by one, and found by the others. */
static void write_all(unsigned who)
{
    struct hd_error err = {0};
    struct hd_store *s = hd_store_open(t.url, HD_STORE_WRITE, &err);
    int status = s == NULL;
    for (unsigned i = 0; status == 0 && i < EACH; i++)
        status = !record(s, 1 + (i + who * 3) % EACH, &err);
    if (status != 0)
        fprintf(stderr, "%s\n", err.message);
    _exit(status);
}

static void await_all(pid_t *children, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        int how = -1;
        waitpid(children[i], &how, 0);
        cr_expect_eq(how, 0);
    }
}

Test(store_faults, has_many_writers_of_the_same)
{
    pid_t children[WRITERS];
    for (unsigned i = 0; i < WRITERS; i++)
        if ((children[i] = fork()) == 0)
            write_all(i);
    await_all(children, WRITERS);
    expect_whole(t.store, EACH);
    cr_expect_eq(stored_number(t.store, "SELECT COUNT(*) FROM series"), 1);
}

/* The first one makes the tables, and the others wait for that. */
Test(store_faults, is_made_once_by_many)
{
    pid_t children[WRITERS];
    stored_end(&t);
    stored_begin_empty(&t);
    for (unsigned i = 0; i < WRITERS; i++)
        if ((children[i] = fork()) == 0)
            write_all(i);
    await_all(children, WRITERS);
    t.store = stored_connect(&t, HD_STORE_WRITE);
    expect_whole(t.store, EACH);
}

/* Killed at some moment: its work is stored entirely or not at all, and the next one
 * continues. */
Test(store_faults, survives_writers_that_are_killed)
{
    struct hd_error err = {0};
    srandom(1);
    for (unsigned i = 0; i < 20; i++) {
        const struct timespec moment = {.tv_nsec = random() % 20000000};
        pid_t child = fork();
        if (child == 0)
            write_all(i);
        nanosleep(&moment, NULL);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    expect_whole(t.store, stored_number(t.store, "SELECT COUNT(*) FROM snapshot"));
    for (unsigned i = 1; i <= EACH; i++)
        cr_expect(record(t.store, i, &err), "%s", err.message);
    expect_whole(t.store, EACH);
}

/* Thinning during writes removes nothing of the writers'. */
Test(store_faults, is_thinned_during_writes)
{
    struct hd_error err = {0};
    pid_t children[WRITERS];
    for (unsigned i = 0; i < WRITERS; i++)
        if ((children[i] = fork()) == 0)
            write_all(i);
    for (unsigned i = 0; i < 20; i++)
        cr_expect(hd_store_thin(t.store, 3600, (double)time(NULL), NULL, &err), "%s",
                  err.message);
    await_all(children, WRITERS);
    expect_whole(t.store, EACH);
}

/* As if two hours had passed: thins all unused bases while others write deltas, some of
 * whom are killed. A writer whose base is gone starts again. */
Test(store_faults, is_thinned_while_others_write_deltas)
{
    struct hd_error err = {0};
    srandom(2);
    for (unsigned round = 0; round < 5; round++) {
        pid_t children[WRITERS];
        for (unsigned i = 0; i < WRITERS; i++)
            if ((children[i] = fork()) == 0)
                write_all(i);
        for (unsigned i = 0; i < 10; i++) {
            cr_expect(hd_store_thin(t.store, 3600, (double)time(NULL) + 7200, NULL, &err),
                      "%s", err.message);
            if (i == 5)
                kill(children[0], SIGKILL);
        }
        waitpid(children[0], NULL, 0);
        await_all(children + 1, WRITERS - 1);
        expect_whole(t.store, stored_number(t.store, "SELECT COUNT(*) FROM snapshot"));
    }
}

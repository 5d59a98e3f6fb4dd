/* Lost connections, at each statement of each operation, before or after its execution:
 * contents and results must be the same as without. */
#include "support/outcome.h"
#include "support/stored.h"

#include "base/error.h"

#include <criterion/criterion.h>
#include <string.h>
#include <time.h>

static struct stored t;

static void begin(void)
{
    stored_begin(&t);
}

static void end(void)
{
    stored_end(&t);
}

TestSuite(store_lost, .init = begin, .fini = end);

enum { HOUR = 3600, DAY = 24 * HOUR };
static const double now = 1795262400;

/* --- a database that loses its connection ------------------------------------------ */

static const struct database *real;
static struct database lossy;
static unsigned left, refusals; /* statements until then; failing reconnections after it */
static bool is_done, is_lost;   /* the statement is executed anyway */

static bool lose_now(const char *sql)
{
    bool is_end = strcmp(sql, "ROLLBACK") == 0;
    return !is_end && left > 0 && --left == 0;
}

static struct rows *ask(struct connection *c, const char *sql, const struct value *values,
                        size_t count, struct hd_error *err)
{
    if (!lose_now(sql))
        return real->ask(c, sql, values, count, err);
    struct rows *rows = is_done ? real->ask(c, sql, values, count, NULL) : NULL;
    for (bool there = rows != NULL; there;)
        there = real->next(rows, &there, NULL) && there;
    real->end(rows);
    is_lost = true;
    fail(err, HD_IO, "the connection was lost");
    return NULL;
}

static enum remedy remedy(const struct connection *c)
{
    return is_lost ? REMEDY_RECONNECT : real->remedy(c);
}

static struct connection *reopen(const char *url, enum hd_store_use use,
                                 struct hd_error *err)
{
    if (refusals > 0) {
        refusals--;
        fail(err, HD_IO, "the server is starting up");
        return NULL;
    }
    is_lost = false;
    return real->open(url, use, err);
}

static void lose_at(unsigned statement, bool done)
{
    if (t.store->kind != &lossy) {
        real = t.store->kind;
        lossy = *real;
        lossy.ask = ask;
        lossy.remedy = remedy;
        lossy.open = reopen;
        t.store->kind = &lossy;
    }
    t.store->delay = 0.001;
    left = statement;
    is_done = done;
}

/* --- what is done by it ------------------------------------------------------------ */

enum work { RECORD, THIN, THIN_IF_DUE, SAVE, WORKS };
static unsigned made;

static void put(double taken)
{
    struct hd_run run = stored_run("web", "a", ++made);
    lose_at(0, false);
    stored_record(t.store, made, &run, taken);
    stored_change(t.store, "UPDATE snapshot SET recorded_at = taken_at");
}

static void expect_recorded(const char *where)
{
    struct hd_run run = stored_run("web", "a", ++made);
    cr_expect_eq(stored_record(t.store, made, &run, now), HD_RECORDED, "%s", where);
    unsigned lost_at = left;
    left = 0;
    cr_expect_eq(stored_number(t.store, "SELECT COUNT(*) FROM snapshot"), made, "%s",
                 where);
    cr_expect_eq(stored_number(t.store, "SELECT COUNT(*) FROM type_size"), 2 * made, "%s",
                 where);
    left = lost_at;
}

static void expect_thinned(bool if_due, const char *where)
{
    struct hd_thinned done;
    struct hd_error err = {0};
    double later = now + 2.0 * HOUR * made; /* is due each time */
    bool ok = if_due ? hd_store_thin_if_due(t.store, 90.0 * DAY, later, &done, &err)
                     : hd_store_thin(t.store, 90.0 * DAY, later, &done, &err);
    cr_assert(ok, "%s: %s", where, err.message);
    cr_expect_eq(done.snapshots, 3, "%s: %llu snapshots", where,
                 (unsigned long long)done.snapshots);
    cr_expect_eq(done.series, 3, "%s: %llu series", where, (unsigned long long)done.series);
    cr_expect_eq(done.left, 0, "%s", where);
}

static void expect_saved(const char *where)
{
    unsigned lost_at = left;
    left = 0;
    const struct hd_stored_finding one = {.rank = 1, .type = "App.Order", .score = made};
    struct hd_error err = {0};
    uint64_t series = (uint64_t)stored_number(t.store, "SELECT MIN(id) FROM series");
    left = lost_at;
    cr_expect(hd_store_save_findings(t.store, series, now, now, &one, 1, &err), "%s: %s",
              where, err.message);
    lost_at = left;
    left = 0;
    cr_expect_eq(stored_number(t.store, "SELECT COUNT(*) FROM finding"), 1, "%s", where);
    left = lost_at;
}

/* False if it needs fewer statements. */
static bool lost_at(enum work work, unsigned statement, bool done, unsigned refused)
{
    char where[64];
    snprintf(where, sizeof(where), "work %d, statement %u %s, %u refusals", (int)work,
             statement, done ? "done" : "not done", refused);
    if (work == THIN || work == THIN_IF_DUE)
        for (int i = 0; i < 3; i++)
            put(now - 1000.0 * DAY + i);
    if (work == SAVE && statement == 1)
        put(now);
    refusals = refused;
    lose_at(statement, done);
    if (work == RECORD)
        expect_recorded(where);
    else if (work == SAVE)
        expect_saved(where);
    else
        expect_thinned(work == THIN_IF_DUE, where);
    return left == 0;
}

static void lose_everywhere(enum work work, bool done)
{
    unsigned statement = 1;
    while (lost_at(work, statement, done, statement % 2))
        statement++;
    cr_expect_gt(statement, 4, "work %d: %u statements", (int)work, statement);
}

Test(store_lost, does_not_affect_recorded_snapshots)
{
    hd_store_set_patience(t.store, 60);
    lose_everywhere(RECORD, false);
    lose_everywhere(RECORD, true);
}

Test(store_lost, does_not_affect_thinning)
{
    hd_store_set_patience(t.store, 60);
    lose_everywhere(THIN, false);
    lose_everywhere(THIN, true);
    lose_everywhere(THIN_IF_DUE, false);
    lose_everywhere(THIN_IF_DUE, true);
}

Test(store_lost, does_not_affect_findings)
{
    hd_store_set_patience(t.store, 60);
    lose_everywhere(SAVE, false);
    lose_everywhere(SAVE, true);
}

/* --- an upgrade -------------------------------------------------------------------- */

static bool has_bases(void)
{
    return stored_number(t.store, "SELECT COUNT(*) FROM snapshot WHERE base_id IS NULL") >=
           0;
}

/* Expects either the new version or the previous one, complete. False if it needs fewer
 * statements. */
static bool is_upgraded_whole(unsigned statement, bool done)
{
    struct hd_error err = {0};
    stored_end(&t);
    stored_begin_empty(&t);
    stored_make_version(&t, 2);
    t.store = stored_connect(&t, HD_STORE_WRITE);
    lose_at(statement, done);
    t.store->use = HD_STORE_UPGRADE;
    t.store->version = 0;
    bool ok = schema_prepare(t.store, &err), is_over = left > 0;
    left = 0;
    is_lost = false;
    int64_t version = stored_number(t.store, "SELECT version FROM heapdrift_store");
    /* A loss at the first query is reported, and nothing was changed. */
    cr_expect(ok ? version == 4 : version == 2, "statement %u: %s", statement, err.message);
    cr_expect(ok || statement < 9, "statement %u: %s", statement, err.message);
    cr_expect(version == 2 || has_bases());
    cr_expect_eq(stored_number(t.store, "SELECT COUNT(*) FROM snapshot"), 0);
    return !is_over;
}

Test(store_lost, leaves_no_upgrade_half_done)
{
    for (int done = 0; done < 2; done++) {
        unsigned statement = 1;
        while (is_upgraded_whole(statement, done))
            statement++;
        cr_expect_gt(statement, 8, "%u statements", statement);
    }
}

/* --- for how long ------------------------------------------------------------------ */

static bool record_with(double patience, unsigned refused, struct hd_error *err)
{
    struct hd_run run = stored_run("web", "a", 1);
    const struct hd_recording how = {.size = sizeof(how), .run = &run, .taken = now};
    struct hd_snapshot *snap = stored_snapshot(++made);
    hd_store_set_patience(t.store, patience);
    lose_at(3, false);
    refusals = refused;
    bool ok = hd_store_record(t.store, snap, &how, NULL, err);
    hd_snapshot_close(snap);
    left = refusals = 0;
    return ok;
}

Test(store_lost, waits_for_the_given_time)
{
    struct hd_error err = {0};
    cr_expect(record_with(0, 0, &err), "%s", err.message);
    cr_expect(!record_with(0, 1, &err));
    cr_expect_str_eq(err.message, "the connection was lost");
    cr_expect(hd_store_is_lost(t.store));
    put(now); /* reconnects */
    err = (struct hd_error){0};
    cr_expect(record_with(60, 9, &err), "%s", err.message); /* 1 + 2 + 4 + ... ms */
    time_t begin = time(NULL);
    cr_expect(!record_with(0.2, 1000000, &err));
    cr_expect_leq((double)(time(NULL) - begin), 10 * outcome_busy());
    cr_expect(hd_store_is_lost(t.store));
}

/* Thinning a store of weeks. */
#include "support/stored.h"

#include <criterion/criterion.h>
#include <string.h>

static struct stored t;

static void begin(void)
{
    stored_begin(&t);
}

static void end(void)
{
    stored_end(&t);
}

TestSuite(store_thin, .init = begin, .fini = end);

enum { MINUTE = 60, HOUR = 3600, DAY = 24 * HOUR };

static const double now = 1795262400; /* noon of a day */

/* As if it had been recorded when it was taken; none is a delta (test_base.c). */
static void put(unsigned *count, uint64_t pid, double taken)
{
    struct hd_run run = stored_run("web", "a", pid);
    stored_record(t.store, ++*count, &run, taken);
    stored_change(t.store, "UPDATE snapshot SET recorded_at = taken_at, base_id = NULL");
}

static struct hd_thinned thin(double keep)
{
    struct hd_thinned done;
    struct hd_error err = {0};
    cr_assert(hd_store_thin(t.store, keep, now, &done, &err), "%s", err.message);
    cr_expect_eq(done.left,
                 (uint64_t)stored_number(t.store, "SELECT COUNT(*) FROM snapshot"));
    return done;
}

static bool is_there(double taken)
{
    char sql[128];
    snprintf(sql, sizeof(sql), "SELECT COUNT(*) FROM snapshot WHERE taken_at = %.0f",
             taken);
    return stored_number(t.store, sql) == 1;
}

Test(store_thin, keeps_all_of_a_day_then_an_hour_then_a_day)
{
    unsigned count = 0;
    const double day = now - HOUR, week = now - 3 * DAY, month = now - 30 * DAY;
    put(&count, 1, now - 60 * DAY); /* the first of the series */
    for (int i = 0; i < 3; i++) {
        put(&count, 1, day + i * MINUTE);
        put(&count, 1, week + i * MINUTE);
        put(&count, 1, month + i * HOUR);
    }
    struct hd_thinned done = thin(90.0 * DAY);
    cr_expect_eq(done.snapshots, 4);
    cr_expect_eq(done.series, 0);
    for (int i = 0; i < 3; i++) {
        cr_expect(is_there(day + i * MINUTE));
        cr_expect_eq(is_there(week + i * MINUTE), i == 2);
        cr_expect_eq(is_there(month + i * HOUR), i == 2);
    }
    cr_expect(is_there(now - 60 * DAY));
    /* Their type rows are deleted, too; a second run has no effect. */
    cr_expect_eq(stored_number(t.store, "SELECT COUNT(DISTINCT snapshot_id) FROM type_row"),
                 6);
    cr_expect_eq(thin(90.0 * DAY).snapshots, 0);
}

Test(store_thin, keeps_the_first_and_the_last_of_a_series)
{
    unsigned count = 0;
    const double week = now - 3 * DAY;
    for (int i = 0; i < 6; i++)
        put(&count, 1, week + i * MINUTE);
    for (int i = 0; i < 2; i++)
        put(&count, 2, week + i * MINUTE);
    thin(90.0 * DAY);
    cr_expect_eq(stored_number(t.store,
                               "SELECT COUNT(*) FROM snapshot JOIN series ON series.id "
                               "= series_id WHERE pid = 1"),
                 2);
    cr_expect(stored_number(t.store,
                            "SELECT COUNT(*) FROM snapshot JOIN series ON series.id = "
                            "series_id WHERE pid = 2") == 2);
    cr_expect_eq(stored_number(t.store, "SELECT COUNT(*) FROM snapshot WHERE taken_at = "
                                        "1795003200"),
                 2, "the first of both");
}

Test(store_thin, removes_what_is_too_old_and_series_without_snapshots)
{
    unsigned count = 0;
    const struct hd_stored_finding finding = {.rank = 1, .type = "App.Order"};
    struct hd_error err = {0};
    put(&count, 1, now - 91 * DAY);
    put(&count, 1, now - 90 * DAY); /* exactly the limit */
    put(&count, 2, now - 100 * DAY);
    put(&count, 2, now - 101 * DAY);
    for (int pid = 1; pid <= 2; pid++) {
        char sql[64];
        snprintf(sql, sizeof(sql), "SELECT id FROM series WHERE pid = %d", pid);
        cr_assert(hd_store_save_findings(t.store, (uint64_t)stored_number(t.store, sql),
                                         now - 100 * DAY, now, &finding, 1, &err));
    }
    struct hd_thinned done = thin(90.0 * DAY);
    cr_expect_eq(done.snapshots, 3);
    cr_expect_eq(done.series, 1);
    cr_expect_eq(stored_number(t.store, "SELECT COUNT(*) FROM finding"), 1);
    cr_expect_eq(stored_number(t.store, "SELECT pid FROM series"), 1);
    stored_change(t.store, "UPDATE finding SET window_last = 1");
    thin(90.0 * DAY);
    cr_expect_eq(stored_number(t.store, "SELECT COUNT(*) FROM finding"), 0,
                 "findings of long ago go too");
}

/* Files of last year, recorded today. */
Test(store_thin, leaves_alone_what_was_just_recorded)
{
    unsigned count = 0;
    for (int i = 0; i < 5; i++)
        put(&count, 1, now - 200 * DAY + i * MINUTE);
    stored_change(t.store, "UPDATE snapshot SET recorded_at = 1795262000");
    cr_expect_eq(thin(90.0 * DAY).snapshots, 0);
    stored_change(t.store, "UPDATE snapshot SET recorded_at = 1795250000");
    cr_expect_eq(thin(90.0 * DAY).snapshots, 5);
}

/* A process whose clock is ahead keeps its snapshots, and does not affect others. */
Test(store_thin, leaves_the_future_alone)
{
    unsigned count = 0;
    for (int i = 0; i < 3; i++)
        put(&count, 1, now + DAY + i * MINUTE);
    cr_expect_eq(thin(HOUR).snapshots, 0);
}

Test(store_thin, keeps_less_than_a_day_on_request)
{
    unsigned count = 0;
    put(&count, 1, now - 3 * HOUR);
    put(&count, 1, now - HOUR);
    cr_expect_eq(thin(2.0 * HOUR).snapshots, 1);
    cr_expect(is_there(now - HOUR));
}

Test(store_thin, refuses_to_keep_no_time)
{
    struct hd_error err = {0};
    cr_expect(!hd_store_thin(t.store, 0, now, NULL, &err));
    cr_expect_eq(err.status, HD_USAGE);
    cr_expect(!hd_store_thin(t.store, NAN, now, NULL, NULL));
    cr_expect(!hd_store_thin(t.store, 1, NAN, NULL, NULL));
}

/* A thousand sidecars with --keep ask a thousand times an hour. */
Test(store_thin, is_due_once_an_hour)
{
    unsigned count = 0;
    struct hd_thinned done;
    struct hd_error err = {0};
    const double times[] = {now, now + HOUR - 1, now + HOUR + 1, now + HOUR + 2, now - DAY};
    const uint64_t removed[] = {1, 0, 1, 0, 1};
    for (size_t i = 0; i < 5; i++) {
        put(&count, 1, now - 1000.0 * DAY);
        cr_assert(hd_store_thin_if_due(t.store, 90.0 * DAY, times[i], &done, &err), "%s",
                  err.message);
        cr_expect_eq(done.snapshots, removed[i] == 1 ? (i == 2 || i == 4 ? 2 : 1) : 0,
                     "%zu: %llu", i, (unsigned long long)done.snapshots);
    }
}

/* SQLite does not release free space without a request. */
Test(store_thin, gives_space_back)
{
    unsigned count = 0;
    if (!stored_is_sqlite())
        return;
    for (int i = 0; i < 200; i++) {
        count += 20;
        put(&count, 1, now - 100 * DAY + i);
    }
    int64_t before = stored_number(t.store, "PRAGMA page_count");
    thin(90.0 * DAY);
    int64_t after = stored_number(t.store, "PRAGMA page_count");
    cr_expect_lt(after, before - 5, "%lld of %lld", (long long)after, (long long)before);
    cr_expect_eq(stored_number(t.store, "PRAGMA freelist_count"), 0);
}

/* What becomes of a snapshot that is recorded: its rows, its run, and that it is there once
 * and whole. */
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
TestSuite(store_record, .init = begin, .fini = end);

static const double noon = 1795262400; /* 2026-11-21T12:00:00Z */

Test(store_record, writes_a_row_per_table_and_type)
{
    struct hd_run run = stored_run("shop", "web-1", 7);
    run.build = "4.2";
    run.limit = 1 << 30;
    cr_expect_eq(stored_record(t.store, 100, &run, noon), HD_RECORDED);
    cr_expect_eq(stored_number(t.store,
                               "SELECT COUNT(*) FROM series WHERE service = 'shop' AND "
                               "host = 'web-1' AND pid = 7 AND build = '4.2' AND "
                               "process = 'App.exe' AND memory_limit = 1073741824 AND "
                               "labels = '{}' AND instance = '' AND started_at IS NULL"),
                 1);
    cr_expect_eq(stored_number(t.store,
                               "SELECT COUNT(*) FROM snapshot WHERE objects = 101 AND "
                               "bytes = 2432 AND reachable_bytes = 2432 AND complete "
                               "AND NOT sampled AND taken_at = 1795262400 AND "
                               "recorded_at > 1700000000"),
                 1);
    cr_expect_eq(stored_number(t.store,
                               "SELECT objects FROM type_row JOIN type ON type.id = "
                               "type_id WHERE name = 'App.Order'"),
                 100);
    cr_expect_eq(stored_number(t.store, "SELECT bytes FROM type_row JOIN type ON type.id = "
                                        "type_id WHERE name = 'App.Cache'"),
                 32);
    cr_expect_eq(stored_number(t.store, "SELECT COUNT(*) FROM type_row"), 2);
}

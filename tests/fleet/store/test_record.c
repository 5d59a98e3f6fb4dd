/* Recording a snapshot: its rows, its run, exactly once and complete. */
#include "support/stored.h"

#include "base/text.h"
#include "heap/snapshot.h"

#include <criterion/criterion.h>
#include <stdlib.h>
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

static void expect(const char *sql, int64_t n)
{
    cr_expect_eq(stored_number(t.store, sql), n, "%s: %lld", sql,
                 (long long)stored_number(t.store, sql));
}

/* --- rows ------------------------------------------------------------ */

Test(store_record, writes_a_row_per_table_and_type)
{
    struct hd_run run = stored_run("shop", "web-1", 7);
    run.build = "4.2";
    run.limit = 1 << 30;
    cr_expect_eq(stored_record(t.store, 100, &run, noon), HD_RECORDED);
    expect(
        "SELECT COUNT(*) FROM series WHERE service = 'shop' AND host = 'web-1' AND pid = 7 "
        "AND build = '4.2' AND process = 'App.exe' AND memory_limit = 1073741824 AND "
        "labels = '{}' AND instance = '' AND started_at IS NULL",
        1);
    expect("SELECT COUNT(*) FROM snapshot WHERE objects = 101 AND bytes = 2432 AND "
           "reachable_bytes = 2432 AND complete AND NOT sampled AND taken_at = 1795262400 "
           "AND recorded_at > 1700000000 AND pause_seconds IS NULL",
           1);
    expect("SELECT objects FROM type_row JOIN type ON type.id = type_id WHERE name = "
           "'App.Order'",
           100);
    expect("SELECT bytes FROM type_row JOIN type ON type.id = type_id WHERE name = "
           "'App.Cache'",
           32);
    expect("SELECT COUNT(*) FROM type_row", 2);
}

Test(store_record, keeps_a_digest_that_can_be_read_as_a_snapshot)
{
    struct hd_run run = stored_run("shop", "web-1", 7);
    struct hd_error err = {0};
    struct hd_memory bytes = {0};
    stored_record(t.store, 100, &run, noon);
    uint64_t id = (uint64_t)stored_number(t.store, "SELECT id FROM snapshot");
    cr_assert(hd_store_digest(t.store, id, &bytes, &err), "%s", err.message);
    struct hd_snapshot *snap = hd_snapshot_from_memory(bytes.bytes, bytes.size, NULL, &err);
    cr_assert_not_null(snap, "%s", err.message);
    cr_expect_eq(hd_snapshot_info(snap)->objects, 101);
    hd_snapshot_close(snap);
    hd_memory_free(&bytes);
    cr_expect(!hd_store_digest(t.store, id + 1, &bytes, &err));
    cr_expect_eq(err.status, HD_USAGE);
    cr_expect_null(bytes.bytes);
}

/* --- once ------------------------------------------------------------ */

Test(store_record, stores_the_same_snapshot_once)
{
    struct hd_run run = stored_run("shop", "web-1", 7), other = stored_run("x", "y", 8);
    cr_expect_eq(stored_record(t.store, 100, &run, noon), HD_RECORDED);
    cr_expect_eq(stored_record(t.store, 100, &run, noon), HD_WAS_RECORDED);
    cr_expect_eq(stored_record(t.store, 100, &other, noon + 1), HD_WAS_RECORDED);
    expect("SELECT COUNT(*) FROM snapshot", 1);
    expect("SELECT COUNT(*) FROM series", 1);
    expect("SELECT COUNT(*) FROM type_row", 2);
}

/* The query before the transaction missed it, but the transaction finds it. */
Test(store_record, stores_it_once_also_if_another_writer_was_faster)
{
    struct hd_run run = stored_run("shop", "web-1", 7), other = stored_run("x", "y", 8);
    struct hd_store *second = stored_connect(&t, HD_STORE_WRITE);
    stored_record(second, 100, &run, noon);
    hd_store_close(second);
    cr_expect_eq(stored_record(t.store, 100, &other, noon), HD_WAS_RECORDED);
    expect("SELECT COUNT(*) FROM series", 1);
}

/* A table has no addresses, so two of different times or hosts may be equal byte for byte.
 */
static enum hd_recorded record_table(const struct hd_run *run, double taken)
{
    static const char table[] = "MT Count TotalSize Class Name\n1 10 240 App.Order\n"
                                "Total 10 objects\n";
    const struct hd_read_options options = {
        .size = sizeof(options), .to_write = true, .checksum = true};
    const struct hd_recording how = {.size = sizeof(how), .run = run, .taken = taken};
    struct hd_error err = {0};
    enum hd_recorded what = HD_RECORDED;
    struct hd_snapshot *snap =
        hd_snapshot_from_memory(table, sizeof(table) - 1, &options, &err);
    cr_assert_not_null(snap, "%s", err.message);
    cr_assert(hd_store_record(t.store, snap, &how, &what, &err), "%s", err.message);
    hd_snapshot_close(snap);
    return what;
}

Test(store_record, stores_an_equal_table_of_each_time_host_and_service)
{
    static const char *const services[] = {"shop", "cart"}, *const hosts[] = {"a", "b"};
    const double times[] = {noon, noon + 1, noon + 3600};
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < 12; i++) {
            struct hd_run run = stored_run(services[i % 2], hosts[i / 2 % 2], 7);
            cr_expect_eq(record_table(&run, times[i / 4]),
                         round == 0 ? HD_RECORDED : HD_WAS_RECORDED, "round %d, %zu", round,
                         i);
        }
    expect("SELECT COUNT(*) FROM snapshot", 12);
    expect("SELECT COUNT(*) FROM series", 4);
    /* File systems and archives drop fractions of a second. */
    struct hd_run run = stored_run("shop", "a", 7);
    cr_expect_eq(record_table(&run, noon + 3600.75), HD_WAS_RECORDED);
}

/* By the hash of its bytes only, as earlier versions named it. */
Test(store_record, knows_a_table_that_an_earlier_version_stored)
{
    struct hd_run run = stored_run("shop", "a", 7);
    record_table(&run, noon);
    stored_change(t.store, "UPDATE snapshot SET xxh3 = 'd4389a6557ff841a'");
    cr_expect_eq(record_table(&run, noon), HD_WAS_RECORDED);
    cr_expect_eq(record_table(&run, noon + 60), HD_RECORDED);
    expect("SELECT COUNT(*) FROM snapshot", 2);
}

/* --- which run ------------------------------------------------------- */

Test(store_record, puts_snapshots_of_one_run_into_one_series)
{
    struct hd_run run = stored_run("shop", "web-1", 7);
    run.started = noon - 60;
    for (unsigned i = 0; i < 5; i++)
        stored_record(t.store, 100 + i, &run, noon + i);
    expect("SELECT COUNT(*) FROM series", 1);
    expect("SELECT COUNT(*) FROM snapshot", 5);
    /* Types have one row each, not one per snapshot. */
    expect("SELECT COUNT(*) FROM type", 2);
}

Test(store_record, separates_runs_by_the_identity_of_the_process)
{
    unsigned count = 1;
    struct hd_run run = stored_run("shop", "web-1", 7);
    run.started = noon;
    stored_record(t.store, count++, &run, noon);
    struct hd_run others[7];
    for (size_t i = 0; i < 7; i++)
        others[i] = run;
    others[0].service = "Shop";
    others[1].host = "web-2";
    others[2].build = "4.3";
    others[3].process = "other";
    others[4].pid = 8;
    others[5].started = noon + 1; /* a reused pid */
    others[6].instance = 9;
    for (size_t i = 0; i < 7; i++)
        stored_record(t.store, count++, &others[i], noon);
    expect("SELECT COUNT(*) FROM series", 8);
}

/* The start differs by a second: the kernel's own value varies. */
Test(store_record, believes_an_instance_before_pid_and_start)
{
    struct hd_run run = stored_run("shop", "web-1", 7);
    run.instance = 0xFEDCBA9876543210;
    run.started = noon;
    stored_record(t.store, 1, &run, noon);
    run.started = noon + 1;
    run.pid = 1;
    stored_record(t.store, 2, &run, noon);
    expect("SELECT COUNT(*) FROM series WHERE instance = 'fedcba9876543210'", 1);
}

Test(store_record, keeps_the_last_labels_and_limit)
{
    const struct hd_label one[] = {{"zone", "b"}, {"env", "prod"}, {"zone", "a"}};
    const struct hd_label two[] = {{"env", "test"}};
    struct hd_run run = stored_run("shop", "web-1", 7), bare = run;
    run.labels = one;
    run.label_count = 3;
    run.limit = 1000;
    stored_record(t.store, 1, &run, noon);
    cr_expect_str_eq(stored_text(&t, "SELECT labels FROM series"),
                     "{\"env\":\"prod\",\"zone\":\"a\"}");
    stored_record(t.store, 2, &bare, noon);
    cr_expect_str_eq(stored_text(&t, "SELECT labels FROM series"),
                     "{\"env\":\"prod\",\"zone\":\"a\"}");
    expect("SELECT memory_limit FROM series", 1000);
    run.labels = two;
    run.label_count = 1;
    run.limit = 2000;
    stored_record(t.store, 3, &run, noon);
    cr_expect_str_eq(stored_text(&t, "SELECT labels FROM series"), "{\"env\":\"test\"}");
    expect("SELECT memory_limit FROM series", 2000);
}

/* --- clocks ---------------------------------------------------------- */

Test(store_record, takes_clocks_as_they_are)
{
    struct hd_run run = stored_run("shop", "web-1", 7);
    run.started = noon + 1e6; /* in the future */
    stored_record(t.store, 1, &run, noon);
    stored_record(t.store, 2, &run, noon - 5000); /* older than the last */
    stored_record(t.store, 3, &run, noon * 2);
    expect("SELECT COUNT(*) FROM series", 1);
    expect("SELECT COUNT(*) FROM snapshot", 3);
}

static bool record_bare(const struct hd_run *run, double taken, struct hd_error *err)
{
    const struct hd_recording how = {.size = sizeof(how), .run = run, .taken = taken};
    struct hd_snapshot *snap = stored_snapshot(1);
    snap->info.process = NULL;
    bool ok = hd_store_record(t.store, snap, &how, NULL, err);
    hd_snapshot_close(snap);
    return ok;
}

Test(store_record, needs_a_service_and_a_time)
{
    struct hd_error err = {0};
    struct hd_run run = hd_unknown_run();
    cr_expect(!record_bare(&run, noon, &err));
    cr_expect_eq(err.topic, HD_ABOUT_SERVICE);
    cr_expect_str_eq(err.message, "has no service name");
    err = (struct hd_error){0};
    run.service = "shop";
    cr_expect(!record_bare(&run, NAN, &err));
    cr_expect_str_eq(err.message, "has no timestamp");
    cr_expect(record_bare(&run, noon, &err));
}

/* Each is wrong in one place only, so that every condition is tested alone. */
Test(store_record, believes_a_start_that_is_a_time)
{
    const struct {
        const char *text;
        double seconds;
    } all[] = {{"2026-11-21T12:00:00", noon},
               {"2026-11-21T12:00:00.75Z", noon},
               {"2026-11-21T00:00:00", noon - 43200},
               {"2026-11-21T23:59:60", noon + 43200},
               {"2026-13-21T12:00:00", NAN},
               {"2026-00-21T12:00:00", NAN},
               {"2026-02-29T12:00:00", NAN},
               {"2026-11-00T12:00:00", NAN},
               {"2026-11-21T24:00:00", NAN},
               {"2026-11-21T-1:00:00", NAN},
               {"2026-11-21T12:60:00", NAN},
               {"2026-11-21T12:-1:00", NAN},
               {"2026-11-21T12:00:61", NAN},
               {"2026-11-21T12:00:-1", NAN},
               {"2026-11-21T12:00", NAN},
               {"2026-11-21", NAN},
               {"yesterday", NAN},
               {"", NAN},
               {NULL, NAN}};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        struct hd_snapshot *snap = stored_snapshot(1);
        snap->info.started = all[i].text;
        double started = hd_run_of(snap).started;
        cr_expect(isnan(all[i].seconds) ? isnan(started) : started == all[i].seconds,
                  "%s: %f", all[i].text != NULL ? all[i].text : "nothing", started);
        hd_snapshot_close(snap);
    }
}

/* Facts that the caller omits come from the snapshot. */
Test(store_record, prefers_the_given_start_to_that_of_the_snapshot)
{
    struct hd_run run = stored_run("shop", "web-1", 7);
    struct hd_error err = {0};
    const struct hd_recording how = {.size = sizeof(how), .run = &run, .taken = noon};
    for (unsigned i = 1; i <= 2; i++) {
        struct hd_snapshot *snap = stored_snapshot(i);
        snap->info.started = "2026-11-21T11:00:00";
        run.started = i == 1 ? NAN : noon - 60;
        cr_assert(hd_store_record(t.store, snap, &how, NULL, &err), "%s", err.message);
        hd_snapshot_close(snap);
    }
    expect("SELECT COUNT(*) FROM series WHERE started_at = 1795258800", 1);
    expect("SELECT COUNT(*) FROM series WHERE started_at = 1795262340", 1);
}

Test(store_record, names_a_service_by_its_program)
{
    static const char *const all[][2] = {{"dotnet /app/Shop.dll", "Shop"},
                                         {"dotnet Shop.dll", "Shop"},
                                         {"/opt/my shop/Shop.Web", "Shop.Web"},
                                         {"C:\\app\\Shop.exe", "Shop"},
                                         {"C:\\Program Files\\Shop\\Shop.exe", "Shop"},
                                         {"C:\\bin\\dotnet.exe C:\\app\\Shop.dll", "Shop"},
                                         {".dll", ".dll"}};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        struct hd_snapshot *snap = stored_snapshot(1);
        snap->info.program = all[i][0];
        cr_expect_str_eq(hd_run_of(snap).service, all[i][1], "%s: %s", all[i][0],
                         hd_run_of(snap).service);
        hd_snapshot_close(snap);
    }
}

/* --- odd strings ----------------------------------------------------- */

static const char *const odd[] = {"'; DROP TABLE snapshot; --",    "a\"b\\c\n\t\x01",
                                  "\xff\xfe invalid \xed\xa0\x80", "{id} $1 %s ?1",
                                  "\xf0\x9f\x92\xa9\xe2\x80\xae",  "[[\"x\"]]"};

Test(store_record, takes_any_string_as_it_is)
{
    for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
        const struct hd_label label = {odd[i], odd[i]};
        struct hd_run run = stored_run(odd[i], odd[i], i);
        run.build = odd[i];
        run.labels = &label;
        run.label_count = 1;
        cr_expect_eq(stored_record(t.store, (unsigned)i, &run, noon), HD_RECORDED);
        const struct hd_stored_series *series;
        struct hd_store_filter f = hd_store_everything();
        struct hd_error err = {0};
        struct text clean = {0};
        text_add_utf8(&clean, odd[i], strlen(odd[i]));
        f.service = odd[i];
        struct hd_series_list *l = hd_store_series(t.store, &f, &err);
        cr_assert(hd_series_next(l, &series, &err) && series != NULL, "%s", odd[i]);
        cr_expect_str_eq(series->run.service, text_string(&clean));
        cr_expect_str_eq(series->run.build, text_string(&clean));
        cr_assert_eq(series->run.label_count, 1);
        cr_expect_str_eq(series->run.labels[0].name, text_string(&clean));
        cr_expect_str_eq(series->run.labels[0].value, text_string(&clean));
        hd_series_list_free(l);
        text_free(&clean);
    }
}

Test(store_record, cuts_very_long_names_and_tells_them_apart)
{
    enum { LONG = 100000 };
    char *name = malloc(LONG + 1);
    memset(name, 'x', LONG);
    name[LONG] = '\0';
    struct hd_run run = stored_run(name, name, 1);
    stored_record(t.store, 1, &run, noon);
    name[LONG - 1] = 'y';
    stored_record(t.store, 2, &run, noon);
    expect("SELECT COUNT(*) FROM series", 2);
    const char *kept = stored_text(&t, "SELECT service FROM series");
    cr_expect_eq(strlen(kept), 1000);
    cr_expect(strstr(kept, "x…") != NULL);
    free(name);
}

/* A name that would be truncated inside a character. */
Test(store_record, cuts_between_characters)
{
    char name[1203];
    for (size_t i = 0; i < sizeof(name) - 1; i += 3)
        memcpy(name + i, "\xe2\x82\xac", 3);
    name[sizeof(name) - 1] = '\0';
    struct hd_run run = stored_run(name + 1, "", 1);
    stored_record(t.store, 1, &run, noon);
    struct hd_run second = stored_run(name, "", 1);
    stored_record(t.store, 2, &second, noon);
    const char *kept = stored_text(&t, "SELECT service FROM series ORDER BY id DESC");
    cr_expect(!utf8_is_damaged(kept));
    cr_expect_leq(strlen(kept), 1000);
}

/* Types: a name too long for an index, and two names that are equal when stored. */
static struct hd_snapshot *with_types(const char *const *names, size_t count)
{
    static struct text text;
    struct hd_error err = {0};
    const struct hd_read_options how = {
        .size = sizeof(how), .to_write = true, .checksum = true};
    char line[64];
    text_add_string(&text, "a 2 App.exe 1\n");
    for (size_t i = 0; i < count; i++) {
        snprintf(line, sizeof(line), "t %zx ", i + 1);
        text_add_string(&text, line);
        text_add_string(&text, names[i]);
        snprintf(line, sizeof(line), "\no %zx %zx 18\nr %zx 3 0\n", i + 1, i + 1, i + 1);
        text_add_string(&text, line);
    }
    text_add_string(&text, "c App.exe 2\n");
    struct hd_snapshot *snap = hd_snapshot_from_memory(text.data, text.len, &how, &err);
    cr_assert_not_null(snap, "%s", err.message);
    return snap;
}

Test(store_record, takes_types_of_any_name)
{
    static char long_name[8001];
    const char *const names[] = {"App.A\xff", "App.A\xfe", "'; DROP TABLE type; --",
                                 "App.\xc3\xa9\"\\", long_name};
    struct hd_error err = {0};
    memset(long_name, 'T', sizeof(long_name) - 1);
    struct hd_snapshot *snap = with_types(names, 5);
    const struct hd_recording how = {.size = sizeof(how), .taken = noon};
    cr_assert(hd_store_record(t.store, snap, &how, NULL, &err), "%s", err.message);
    hd_snapshot_close(snap);
    expect("SELECT COUNT(*) FROM type", 4);
    expect("SELECT objects FROM type_row JOIN type ON type.id = type_id WHERE name LIKE "
           "'App.A%'",
           2);
    expect("SELECT COUNT(*) FROM type WHERE LENGTH(name) > 900", 1);
}

/* --- readers and other mistakes -------------------------------------- */

Test(store_record, is_refused_while_a_list_is_open)
{
    struct hd_error err = {0};
    struct hd_store_filter f = hd_store_everything();
    struct hd_run run = stored_run("shop", "web-1", 7);
    const struct hd_recording how = {.size = sizeof(how), .run = &run, .taken = noon};
    struct hd_snapshot *snap = stored_snapshot(1);
    struct hd_series_list *l = hd_store_series(t.store, &f, &err);
    cr_expect(!hd_store_record(t.store, snap, &how, NULL, &err));
    cr_expect_eq(err.status, HD_USAGE);
    cr_expect_null(hd_store_series(t.store, &f, NULL), "one at a time");
    hd_series_list_free(l);
    err = (struct hd_error){0};
    cr_expect(hd_store_record(t.store, snap, &how, NULL, &err), "%s", err.message);
    hd_snapshot_close(snap);
}

Test(store_record, refuses_options_of_a_newer_version)
{
    struct {
        struct hd_recording known;
        uint64_t new;
    } how = {.known = {.size = sizeof(how), .taken = noon}, .new = 1};
    struct hd_error err = {0};
    struct hd_snapshot *snap = stored_snapshot(1);
    cr_expect(!hd_store_record(t.store, snap, &how.known, NULL, &err));
    cr_expect_eq(err.status, HD_USAGE);
    hd_snapshot_close(snap);
}

/* Reading series: their order, the window, shards; readers do not write. */
#include "support/stored.h"

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

TestSuite(store_list, .init = begin, .fini = end);

static const double noon = 1795262400;

/* "shop web-1 7: 2; ", one line for all. */
static const char *listed(struct hd_store *s, const struct hd_store_filter *f)
{
    static char text[4000];
    struct hd_error err = {0};
    const struct hd_stored_series *series;
    size_t len = 0;
    text[0] = '\0';
    struct hd_series_list *l = hd_store_series(s, f, &err);
    cr_assert_not_null(l, "%s", err.message);
    for (;;) {
        cr_assert(hd_series_next(l, &series, &err), "%s", err.message);
        if (series == NULL)
            break;
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s %s %lld: %zu; ",
                                series->run.service, series->run.host,
                                (long long)series->run.pid, series->snapshot_count);
    }
    cr_expect(hd_series_next(l, &series, &err) && series == NULL, "behind the last");
    hd_series_list_free(l);
    return text;
}

static void put(unsigned *count, const char *service, const char *host, uint64_t pid,
                double taken)
{
    struct hd_run run = stored_run(service, host, pid);
    stored_record(t.store, ++*count, &run, taken);
}

static void put_some(void)
{
    unsigned count = 0;
    put(&count, "web", "b", 2, noon);
    put(&count, "web", "b", 1, noon + 10);
    put(&count, "web", "a", 9, noon + 20);
    put(&count, "Web", "a", 9, noon + 20);
    put(&count, "db", "c", 1, noon + 30);
    put(&count, "web", "b", 2, noon + 40);
    put(&count, "\xc3\xa9", "", HD_UNKNOWN, noon + 50);
}

Test(store_list, is_ordered_by_bytes_and_numbers)
{
    const struct hd_store_filter f = hd_store_everything();
    put_some();
    cr_expect_str_eq(
        listed(t.store, &f),
        "Web a 9: 1; db c 1: 1; web a 9: 1; web b 1: 1; web b 2: 2; \xc3\xa9  -1: 1; ");
}

Test(store_list, is_of_a_host_a_build_and_a_run)
{
    struct hd_store_filter f = hd_store_everything();
    put_some();
    f.host = "a";
    cr_expect_str_eq(listed(t.store, &f), "Web a 9: 1; web a 9: 1; ");
    f.service = "web";
    cr_expect_str_eq(listed(t.store, &f), "web a 9: 1; ");
    f.host = "";
    f.service = NULL;
    cr_expect_str_eq(listed(t.store, &f), "\xc3\xa9  -1: 1; ");
    f = hd_store_everything();
    f.run = 1;
    cr_expect_str_eq(listed(t.store, &f), "web b 2: 2; ");
    f.until = noon + 40;
    cr_expect_str_eq(listed(t.store, &f), "web b 2: 1; ");
    f.service = "db";
    cr_expect_str_eq(listed(t.store, &f), "");
    f = hd_store_everything();
    f.run = INT64_MAX;
    cr_expect_str_eq(listed(t.store, &f), "");
    f.run = HD_UNKNOWN;
    cr_expect_str_eq(listed(t.store, &f), "");
    f.run = 0;
    f.build = "no such build";
    cr_expect_str_eq(listed(t.store, &f), "");
    f.build = "";
    f.shard = f.shards = 1;
    f.host = "b";
    f.service = "web";
    f.run = 2;
    cr_expect(strstr(listed(t.store, &f), "web b 1") != NULL, "all at once");
}

/* Independent of the writer. */
Test(store_list, has_labels_in_order_of_names)
{
    struct hd_error err = {0};
    struct hd_run run = stored_run("shop", "a", 7);
    const struct hd_stored_series *found = NULL;
    stored_record(t.store, 1, &run, noon);
    stored_change(t.store, "UPDATE series SET labels = '{\"z\":\"1\",\"a\":\"2\"}'");
    struct hd_series_list *l = hd_store_series(t.store, NULL, &err);
    cr_assert(hd_series_next(l, &found, &err) && found != NULL);
    cr_assert_eq(found->run.label_count, 2);
    cr_expect_str_eq(found->run.labels[0].name, "a");
    cr_expect_str_eq(found->run.labels[0].value, "2");
    cr_expect_str_eq(found->run.labels[1].name, "z");
    hd_series_list_free(l);
}

Test(store_list, is_of_a_service_and_of_a_window)
{
    struct hd_store_filter f = hd_store_everything();
    put_some();
    f.service = "web";
    cr_expect_str_eq(listed(t.store, &f), "web a 9: 1; web b 1: 1; web b 2: 2; ");
    f.since = noon + 20; /* including it */
    cr_expect_str_eq(listed(t.store, &f), "web a 9: 1; web b 2: 1; ");
    f.until = noon + 40; /* excluding it */
    cr_expect_str_eq(listed(t.store, &f), "web a 9: 1; ");
    f.since = f.until;
    cr_expect_str_eq(listed(t.store, &f), "", "an empty window");
    f = hd_store_everything();
    f.service = "we";
    cr_expect_str_eq(listed(t.store, &f), "");
}

Test(store_list, has_snapshots_in_order_of_time)
{
    const struct hd_stored_series *series;
    const struct hd_store_filter f = hd_store_everything();
    const double times[] = {noon + 50, noon, noon + 100.25, noon};
    struct hd_run run = stored_run("web", "a", 1);
    struct hd_error err = {0};
    run.instance = 77;
    run.limit = 5;
    run.started = noon - 1;
    for (unsigned i = 0; i < 4; i++)
        stored_record(t.store, i, &run, times[i]);
    struct hd_series_list *l = hd_store_series(t.store, &f, &err);
    cr_assert(hd_series_next(l, &series, &err) && series != NULL);
    cr_assert_eq(series->snapshot_count, 4);
    const struct hd_stored_snapshot *s = series->snapshots;
    cr_expect(s[0].taken == noon && s[1].taken == noon && s[0].id < s[1].id);
    cr_expect(s[2].taken == noon + 50 && s[3].taken == noon + 100.25);
    cr_expect_eq(s[0].objects, 2);
    cr_expect(s[0].complete && !s[0].sampled && isnan(s[0].pause_seconds));
    cr_expect_eq(series->run.instance, 77);
    cr_expect_eq(series->run.limit, 5);
    cr_expect(series->run.started == noon - 1);
    hd_series_list_free(l);
}

/* Every series is in exactly one shard. */
Test(store_list, has_parts_that_are_all_together)
{
    unsigned count = 0;
    size_t sum = 0;
    for (uint64_t i = 0; i < 20; i++)
        put(&count, "web", "a", i, noon);
    for (unsigned part = 1; part <= 3; part++) {
        struct hd_store_filter f = hd_store_everything();
        f.shard = part;
        f.shards = 3;
        const char *text = listed(t.store, &f);
        for (const char *at = text; (at = strchr(at, ';')) != NULL; at++)
            sum++;
    }
    cr_expect_eq(sum, 20);
    const unsigned wrong[][2] = {{0, 3}, {4, 3}, {1, 0}};
    for (size_t i = 0; i < 3; i++) {
        struct hd_store_filter f = hd_store_everything();
        f.shard = wrong[i][0];
        f.shards = wrong[i][1];
        cr_expect_null(hd_store_series(t.store, &f, NULL));
    }
}

/* More than a page of series; those that existed at the start. */
Test(store_list, continues_over_pages_and_shows_one_moment)
{
    enum { SERIES = 1203 };
    const struct hd_stored_series *series;
    const struct hd_store_filter f = hd_store_everything();
    struct hd_error err = {0};
    unsigned count = 0;
    put(&count, "web", "a", 0, noon);
    stored_change(
        t.store,
        stored_is_sqlite()
            ? "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE "
              "i < 1202) INSERT INTO series (run, service, host, process, pid, build, "
              "labels) SELECT i, 'web', 'a', '', i % 7, '', '{}' FROM n"
            : "INSERT INTO series (run, service, host, process, pid, build, labels) "
              "SELECT i, 'web', 'a', '', i % 7, '', '{}' FROM generate_series(1, "
              "1202) AS n (i)");
    stored_change(
        t.store,
        "INSERT INTO snapshot (series_id, taken_at, xxh3, complete, sampled, digest) "
        "SELECT id, 5, 'x' || run, complete, sampled, digest FROM series, (SELECT "
        "complete, sampled, digest FROM snapshot) AS one WHERE LENGTH(run) < 32");
    struct hd_store *reader = stored_connect(&t, HD_STORE_READ);
    struct hd_series_list *l = hd_store_series(reader, &f, &err);
    uint64_t pid = 0, id = 0;
    size_t n = 0;
    for (;; n++) {
        cr_assert(hd_series_next(l, &series, &err), "%s", err.message);
        if (series == NULL)
            break;
        cr_assert(series->run.pid > pid || (series->run.pid == pid && series->id > id));
        pid = series->run.pid;
        id = series->id;
        if (n == 3)
            put(&count, "zzz", "", 1, noon);
    }
    cr_expect_eq(n, SERIES);
    hd_series_list_free(l);
    hd_store_close(reader);
}

Test(store_list, is_read_without_write_permission)
{
    struct hd_error err = {0};
    struct hd_run run = stored_run("web", "a", 1);
    const struct hd_store_filter f = hd_store_everything();
    const struct hd_recording how = {.size = sizeof(how), .run = &run, .taken = noon};
    stored_record(t.store, 1, &run, noon);
    struct hd_store *reader = stored_connect(&t, HD_STORE_READ);
    cr_expect_str_eq(listed(reader, &f), "web a 1: 1; ");
    if (stored_is_sqlite()) {
        struct hd_snapshot *snap = stored_snapshot(2);
        cr_expect(!hd_store_record(reader, snap, &how, NULL, &err));
        cr_expect_eq(err.status, HD_IO);
        cr_expect_str_eq(err.message, "is read-only");
        hd_snapshot_close(snap);
    }
    hd_store_close(reader);
}

/* --- findings -------------------------------------------------------- */

Test(store_list, has_findings_of_one_window)
{
    struct hd_error err = {0};
    struct hd_run run = stored_run("web", "a", 1);
    const struct hd_stored_finding findings[] = {
        {1, "App.New'", "App.New' in List", "static A.b", 1e9, 0.5, 1234.5, "high"},
        {2, "App.Order", "App.Order", NULL, 10, NAN, NAN, NULL}};
    stored_record(t.store, 1, &run, noon);
    uint64_t id = (uint64_t)stored_number(t.store, "SELECT id FROM series");
    for (int i = 0; i < 2; i++)
        cr_assert(hd_store_save_findings(t.store, id, noon, noon + 1, findings, 2, &err),
                  "%s", err.message);
    cr_expect_eq(stored_number(t.store, "SELECT COUNT(*) FROM finding"), 2);
    cr_expect_eq(stored_number(
                     t.store, "SELECT COUNT(*) FROM finding JOIN type ON type.id = type_id "
                              "WHERE name = 'App.New''' AND per_hour = 1234.5 AND "
                              "score_share = 0.5 AND holder = 'static A.b' AND rank = 1"),
                 1);
    cr_expect_eq(stored_number(t.store,
                               "SELECT COUNT(*) FROM finding WHERE rank = 2 AND "
                               "score_share IS NULL AND holder = '' AND score = 10"),
                 1);
    cr_assert(hd_store_save_findings(t.store, id, noon, noon + 2, NULL, 0, &err), "%s",
              err.message);
    cr_expect_eq(stored_number(t.store, "SELECT COUNT(*) FROM finding"), 0);
    cr_expect(!hd_store_save_findings(t.store, id + 1, noon, noon, findings, 2, &err));
    cr_expect_eq(err.status, HD_USAGE);
}

/* --- values that are too large ------------------------------------------------------ */

static const char *left_out(void)
{
    static char text[200];
    struct hd_error err = {0};
    const struct hd_stored_series *series;
    size_t count, len = 0;
    struct hd_series_list *l = hd_store_series(t.store, NULL, &err);
    cr_assert_not_null(l, "%s", err.message);
    do
        cr_assert(hd_series_next(l, &series, &err), "%s", err.message);
    while (series != NULL);
    const uint64_t *ids = hd_series_left_out(l, &count);
    text[0] = '\0';
    for (size_t i = 0; i < count; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%llu ",
                                (unsigned long long)ids[i]);
    hd_series_list_free(l);
    return text;
}

static void make_long(const char *column, size_t size, size_t id)
{
    struct hd_error err = {0};
    char *value = calloc(1, size + 1), sql[100];
    memset(value, 'x', size);
    const struct value v = of_text(value);
    snprintf(sql, sizeof(sql), "UPDATE series SET %s = $1 WHERE id = %zu", column, id);
    cr_assert(store_run(t.store, sql, &v, 1, &err), "%s", err.message);
    free(value);
}

Test(store_list, leaves_out_only_the_series_that_have_a_value_beyond_its_bound)
{
    static const char *const columns[] = {"service", "host",     "process", "build",
                                          "run",     "instance", "labels"};
    const struct hd_store_filter f = hd_store_everything();
    unsigned count = 0;
    for (uint64_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
        put(&count, "web", "a", i + 1, noon);
    cr_expect_str_eq(left_out(), "");
    for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
        make_long(columns[i], strcmp(columns[i], "labels") == 0 ? 65537 : 1001, i + 1);
        if (i == 0) {
            cr_expect_str_eq(left_out(), "1 ");
            cr_expect(strstr(listed(t.store, &f), "web a 2: 1; web a 3: 1; ") != NULL);
        }
    }
    cr_expect_str_eq(left_out(), "1 2 3 4 5 6 7 ");
    cr_expect_str_eq(listed(t.store, &f), "");
}

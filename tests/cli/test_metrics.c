/* What a watcher tells of itself: counts by service, and the process that waits longest. */
#include "cli/live/metrics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct watch_metrics metrics;
static struct hd_memory text;

static void begin(void)
{
    metrics = (struct watch_metrics){.watch = "all", .interval = 3600};
}

static void end(void)
{
    watch_metrics_free(&metrics);
    hd_memory_free(&text);
}

TestSuite(metrics, .init = begin, .fini = end);

static bool tells(const char *line)
{
    char whole[512];
    hd_memory_free(&text);
    watch_metrics_put(&metrics, &text);
    snprintf(whole, sizeof(whole), "\n%s\n", line);
    return strstr(text.bytes, whole) != NULL;
}

Test(metrics, of_nothing_are_those_of_the_watcher)
{
    cr_expect(tells("heapdrift_watch_processes{watch=\"all\"} 0"));
    cr_expect(tells("# TYPE heapdrift_watch_dropped_total counter"));
    cr_expect(tells("heapdrift_watch_store_reachable{watch=\"all\"} 0"));
    cr_expect_null(strstr(text.bytes, "service="), "no metric without a sample");
    cr_expect_null(strstr(text.bytes, "pause"));
}

Test(metrics, are_counted_by_service_and_host)
{
    watch_metrics_taken(&metrics, "shop", "a", false, 0.25);
    watch_metrics_taken(&metrics, "shop", "a", true, NAN);
    watch_metrics_taken(&metrics, "shop", "b", false, NAN);
    watch_metrics_failed(&metrics, "shop", "a", WATCH_SILENT, 3);
    watch_metrics_failed(&metrics, "\"m\\\n\x1b", "a", WATCH_FINE, 0);
#define OF "{watch=\"all\",service=\"shop\",host=\"a\"}"
    cr_expect(tells("heapdrift_watch_snapshots_total" OF " 2"));
    cr_expect(tells("heapdrift_watch_triggered_total" OF " 1"));
    cr_expect(tells("heapdrift_watch_pause_seconds_total" OF " 0.25"));
    cr_expect_not(tells("heapdrift_watch_pause_seconds" OF " 0.25"), "it is not the last");
    cr_expect(
        tells("heapdrift_watch_failures_total{watch=\"all\",service=\"shop\",host=\"a\","
              "reason=\"timeout\"} 3"));
    cr_expect(
        tells("heapdrift_watch_failures_total{watch=\"all\",service=\"shop\",host=\"b\","
              "reason=\"near-limit\"} 0"));
    cr_expect(tells("heapdrift_watch_snapshots_total{watch=\"all\",service=\"\\\"m\\\\\\n"
                    "\\\\x1b\",host=\"a\"} 0"));
}

Test(metrics, tell_of_the_process_that_has_waited_longest)
{
    const struct watched_process all[] = {{"shop", "a", 3000},
                                          {"shop", "a", 1000},
                                          {"shop", "a", 4000},
                                          {"shop", "b", 2000},
                                          {"mail", "a", 500}};
    metrics.processes = all;
    metrics.process_count = sizeof(all) / sizeof(*all);
    watch_metrics_taken(&metrics, "shop", "a", false, NAN);
    watch_metrics_taken(&metrics, "shop", "b", false, NAN);
    watch_metrics_taken(&metrics, "gone", "a", false, NAN);
#define LAST "heapdrift_watch_last_snapshot_timestamp_seconds{watch=\"all\",service="
    cr_expect(tells(LAST "\"shop\",host=\"a\"} 1000"));
    cr_expect(tells(LAST "\"shop\",host=\"b\"} 2000"));
    cr_expect_null(strstr(text.bytes, LAST "\"gone\""));
}

Test(metrics, of_too_many_services_are_those_of_all_others)
{
    char name[16];
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof(name), "s%d", i);
        watch_metrics_taken(&metrics, name, "h", false, 0);
    }
    cr_expect(tells(
        "heapdrift_watch_snapshots_total{watch=\"all\",service=\"s299\",host=\"h\"} 1"));
    cr_expect(tells("heapdrift_watch_snapshots_total{watch=\"all\",service=\"(others)\","
                    "host=\"\"} 700"));
    cr_expect_lt(text.size, 1 << 20, "what the server takes");
}

/* A scrape with two samples of the same labels is refused as a whole. */
Test(metrics, with_the_same_labels_are_put_once)
{
    const struct hd_metric_sample samples[] = {{{{"a", "b"}}, 1},
                                               {{{"a", "b"}}, 2},
                                               {{{"a", "c"}}, INFINITY},
                                               {{{"a", "d"}}, NAN}};
    const struct hd_metric metric = {"x", "X.", samples, 4};
    struct hd_error err = {0};
    cr_assert(hd_put_metrics(hd_sink_memory(&text), &metric, 1, &err));
    cr_expect_str_eq(text.bytes, "# HELP x X.\n# TYPE x gauge\n"
                                 "x{a=\"b\"} 1\nx{a=\"c\"} +Inf\n");
}

/* Metrics of a watcher about itself: counts by service, and the longest-waiting process. */
#include "fleet/agent/agent.h"

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

static const struct watched_service *of(const char *service, const char *host,
                                        uint64_t owner)
{
    static struct watched_service last;
    last = (struct watched_service){service, host, owner};
    return &last;
}

static bool tells(const char *line)
{
    char whole[512];
    hd_memory_free(&text);
    watch_metrics_put(&metrics, &text);
    snprintf(whole, sizeof(whole), "\n%s\n", line);
    return strstr(text.bytes, whole) != NULL;
}

Test(metrics, without_processes_are_only_those_of_the_watcher)
{
    cr_expect(tells("heapdrift_watch_processes{watch=\"all\"} 0"));
    cr_expect(tells("# TYPE heapdrift_watch_dropped_total counter"));
    cr_expect(tells("heapdrift_watch_store_reachable{watch=\"all\"} 0"));
    cr_expect_null(strstr(text.bytes, "service="), "no metric without a sample");
    cr_expect_null(strstr(text.bytes, "pause"));
}

Test(metrics, are_counted_by_service_and_host)
{
    watch_metrics_taken(&metrics, of("shop", "a", 0), false, 0.25);
    watch_metrics_taken(&metrics, of("shop", "a", 0), true, NAN);
    watch_metrics_taken(&metrics, of("shop", "b", 0), false, NAN);
    watch_metrics_failed(&metrics, of("shop", "a", 0), WATCH_SILENT, 3);
    watch_metrics_failed(&metrics, of("\"m\\\n\x1b", "a", 0), WATCH_FINE, 0);
#define OF "{watch=\"all\",service=\"shop\",host=\"a\",user=\"0\"}"
    cr_expect(tells("heapdrift_watch_snapshots_total" OF " 2"));
    cr_expect(tells("heapdrift_watch_triggered_total" OF " 1"));
    cr_expect(tells("heapdrift_watch_pause_seconds_total" OF " 0.25"));
    cr_expect_not(tells("heapdrift_watch_pause_seconds" OF " 0.25"), "it is not the last");
    cr_expect(tells("heapdrift_watch_failures_total{watch=\"all\",service=\"shop\",host="
                    "\"a\",user=\"0\","
                    "reason=\"timeout\"} 3"));
    cr_expect(tells("heapdrift_watch_failures_total{watch=\"all\",service=\"shop\",host="
                    "\"b\",user=\"0\","
                    "reason=\"near-limit\"} 0"));
    cr_expect(tells("heapdrift_watch_snapshots_total{watch=\"all\",service=\"\\\"m\\\\\\n"
                    "\\\\x1b\",host=\"a\",user=\"0\"} 0"));
}

Test(metrics, include_the_longest_waiting_process)
{
    const struct metrics_process all[] = {{{"shop", "a", 0}, 3000},
                                          {{"shop", "a", 0}, 1000},
                                          {{"shop", "a", 0}, 4000},
                                          {{"shop", "b", 0}, 2000},
                                          {{"mail", "a", 0}, 500}};
    metrics.processes = all;
    metrics.process_count = sizeof(all) / sizeof(*all);
    watch_metrics_taken(&metrics, of("shop", "a", 0), false, NAN);
    watch_metrics_taken(&metrics, of("shop", "b", 0), false, NAN);
    watch_metrics_taken(&metrics, of("gone", "a", 0), false, NAN);
#define LAST "heapdrift_watch_last_snapshot_timestamp_seconds{watch=\"all\",service="
    cr_expect(tells(LAST "\"shop\",host=\"a\",user=\"0\"} 1000"));
    cr_expect(tells(LAST "\"shop\",host=\"b\",user=\"0\"} 2000"));
    cr_expect_null(strstr(text.bytes, LAST "\"gone\""));
}

Test(metrics, sum_services_beyond_the_limit_as_others)
{
    char name[16];
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof(name), "s%d", i);
        watch_metrics_taken(&metrics, of(name, "h", 0), false, 0);
    }
    cr_expect(tells("heapdrift_watch_snapshots_total{watch=\"all\",service=\"s299\",host="
                    "\"h\",user=\"0\"} 1"));
    cr_expect(tells("heapdrift_watch_snapshots_total{watch=\"all\",service=\"(others)\","
                    "host=\"\",user=\"\"} 700"));
    cr_expect_lt(text.size, 1 << 20, "what the server takes");
}

/* A scrape with two samples of the same labels is rejected as a whole. */
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

Test(metrics, keep_services_of_other_users_if_one_has_too_many)
{
    char name[16];
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof(name), "s%d", i);
        watch_metrics_taken(&metrics, of(name, "h", 1000), false, 0);
    }
    watch_metrics_taken(&metrics, of("shop", "h", 0), false, 0);
    watch_metrics_taken(&metrics, of("s0", "h", 0), false, 0);
#define TAKEN "heapdrift_watch_snapshots_total{watch=\"all\",service="
    cr_expect(tells(TAKEN "\"shop\",host=\"h\",user=\"0\"} 1"));
    cr_expect(tells(TAKEN "\"s0\",host=\"h\",user=\"0\"} 1"), "whose it is counts");
    cr_expect(tells(TAKEN "\"s0\",host=\"h\",user=\"1000\"} 1"), "who was there first");
    cr_expect(tells(TAKEN "\"(others)\",host=\"\",user=\"\"} 702"));
    watch_metrics_taken(&metrics, of("s1001", "h", 1000), false, 0);
    cr_expect(tells(TAKEN "\"shop\",host=\"h\",user=\"0\"} 1"));
    cr_expect(tells(TAKEN "\"(others)\",host=\"\",user=\"\"} 703"));
}

/* Two users with too many labels share the limit; a third still has a place. */
Test(metrics, share_the_limit_between_users)
{
    char name[16];
    for (uint64_t user = 1; user < 3; user++)
        for (int i = 0; i < 1000; i++) {
            snprintf(name, sizeof(name), "s%d", i);
            watch_metrics_taken(&metrics, of(name, "h", user), false, 0);
        }
    size_t of_first = 0;
    watch_metrics_taken(&metrics, of("shop", "h", 3), false, 0);
    cr_expect(tells(TAKEN "\"shop\",host=\"h\",user=\"3\"} 1"));
    for (const char *at = text.bytes; (at = strstr(at, "snapshots_total{watch")) != NULL;
         at++)
        of_first += strstr(at, "user=\"1\"}") != NULL &&
                    strstr(at, "user=\"1\"}") < strchr(at, '\n');
    cr_expect(of_first >= 148 && of_first <= 151, "%zu", of_first);
}

/* Histories of hosts with known truth, through a store: restarted processes, two of one
 * name on a host, clock changes. Every combination is a host; the answer for each is
 * compared with a table. */
#include "support/stored.h"

#include "base/text.h"
#include "fleet/fleet.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SNAPSHOTS = 6, MAX_RUNS = 4 };
static const double noon = 1795262400, hour = 3600, day = 86400;

/* Time of snapshot k by the clock of its machine, in hours; a process begins an hour before
 * its first. The store sorts by this time, whatever the order of arrival. */
enum clock { EVEN, EQUAL, PAIR, FALLS_BEHIND, FAR, CLOCKS };
static const double clocks[CLOCKS][SNAPSHOTS] = {
    [EVEN] = {0, 6, 12, 18, 24, 30},      [EQUAL] = {0, 0, 0, 0, 0, 0},
    [PAIR] = {0, 6, 12, 12, 24, 30},      [FALLS_BEHIND] = {0, 6, 12, -30, -24, -18},
    [FAR] = {0, 6, 12, 9000, 9006, 9012},
};

/* Distinguishes two processes of one service on one host. */
enum twins { ALONE, BY_START, BY_INSTANCE, NOT_AT_ALL, TWINS };

struct history {
    enum clock clock;
    enum twins twins;
    unsigned generations; /* consecutive processes */
    bool leaks, is_backwards;
};

static bool are_one(const struct history *h)
{
    return h->twins == NOT_AT_ALL;
}

static unsigned runs_of(const struct history *h)
{
    return are_one(h) ? 1 : h->generations * (h->twins == ALONE ? 1 : 2);
}

/* The doubt about a run: the order of equal times is unknown, and two processes that look
 * like one have equal times. */
static enum hd_doubt truth(const struct history *h)
{
    if (are_one(h) || h->clock == EQUAL || h->clock == PAIR)
        return HD_DOUBT_ORDER;
    return h->clock == FALLS_BEHIND ? HD_DOUBT_CLOCK : HD_DOUBT_NONE;
}

/* --- into a store ------------------------------------------------------------------ */

static struct stored t;
static unsigned made; /* snapshots, each at addresses of its own */

static void begin(void)
{
    stored_begin(&t);
    if (stored_is_sqlite())
        stored_change(t.store, "PRAGMA synchronous = OFF");
}

static void end(void)
{
    stored_end(&t);
}

TestSuite(fleet_histories, .init = begin, .fini = end);

static void put_heap(struct text *to, unsigned orders)
{
    char line[96];
    uint64_t base = (uint64_t)++made << 20, cache = base + (1 << 19);
    snprintf(line, sizeof(line), "a 2 App.exe 1\nt 1 App.Order\nt 2 App.Cache\no %llx 2 20",
             (unsigned long long)cache);
    text_add_string(to, line);
    for (unsigned i = 0; i < orders; i++) {
        snprintf(line, sizeof(line), " %llx", (unsigned long long)base + i);
        text_add_string(to, line);
    }
    for (unsigned i = 0; i < orders; i++) {
        snprintf(line, sizeof(line), "\no %llx 1 18", (unsigned long long)base + i);
        text_add_string(to, line);
    }
    snprintf(line, sizeof(line), "\nr %llx 3 0\nc App.exe 2\n", (unsigned long long)cache);
    text_add_string(to, line);
}

static void record(const struct hd_run *run, unsigned orders, double taken)
{
    const struct hd_read_options options = {
        .size = sizeof(options), .to_write = true, .checksum = true};
    const struct hd_recording how = {.size = sizeof(how), .run = run, .taken = taken};
    struct hd_error err = {0};
    enum hd_recorded what;
    struct text heap = {0};
    put_heap(&heap, orders);
    struct hd_snapshot *snap = hd_snapshot_from_memory(heap.data, heap.len, &options, &err);
    cr_assert_not_null(snap, "%s", err.message);
    cr_assert(hd_store_record(t.store, snap, &how, &what, &err), "%s", err.message);
    cr_assert_eq(what, HD_RECORDED);
    hd_snapshot_close(snap);
    text_free(&heap);
}

static struct hd_run process_of(const struct history *h, const char *host, unsigned twin,
                                double started)
{
    struct hd_run run = stored_run("Shop", host, HD_UNKNOWN);
    if (h->twins == NOT_AT_ALL)
        return run;
    run.started = started + twin;
    run.pid = h->twins == BY_INSTANCE ? 1 : 7; /* each is the first of its container */
    if (h->twins == BY_INSTANCE)
        run.instance = ++made;
    return run;
}

static void record_history(const struct history *h, const char *host)
{
    static const unsigned noise[SNAPSHOTS] = {3, 0, 4, 1, 5, 2};
    for (unsigned g = 0; g < h->generations; g++)
        for (unsigned twin = 0; twin < (h->twins == ALONE ? 1u : 2u); twin++) {
            double first = noon + 1000 * day * g;
            struct hd_run run = process_of(h, host, twin, first - hour);
            for (unsigned i = 0; i < SNAPSHOTS; i++) {
                unsigned k = h->is_backwards ? SNAPSHOTS - 1 - i : i;
                record(&run, h->leaks ? 200 + 100 * k : 400 + noise[k],
                       first + hour * clocks[h->clock][k]);
            }
        }
}

/* --- and out of it ----------------------------------------------------------------- */

static bool next(void *context, struct hd_fleet_series *series, struct hd_error *err)
{
    const struct hd_stored_series *from;
    if (!hd_series_next(context, &from, err) || from == NULL)
        return false;
    series->id = from->id;
    series->run = from->run;
    series->recorded = from->snapshot_count;
    cr_assert_leq(from->snapshot_count, HD_MAX_SNAPSHOTS);
    for (size_t k = 0; k < from->snapshot_count; k++)
        series->snapshots[series->snapshot_count++].taken = from->snapshots[k].taken;
    for (size_t k = 0; k < from->snapshot_count; k++)
        cr_assert(hd_store_digest(t.store, from->snapshots[k].id,
                                  &series->snapshots[k].bytes, err));
    return true;
}

static void done(void *context, struct hd_fleet_series *series)
{
    (void)context;
    for (size_t k = 0; k < series->snapshot_count; k++)
        hd_memory_free(&series->snapshots[k].bytes);
}

static struct hd_fleet *examine(void)
{
    const struct hd_fleet_rules rules = {
        .since = NAN, .until = NAN, .min_share = 0.02, .min_steady_share = 0.02};
    const struct hd_fleet_how how = {.threads = 1};
    struct hd_error err = {0};
    struct hd_fleet *f = hd_fleet_new(&rules);
    struct hd_series_list *l = hd_store_series(t.store, NULL, &err);
    cr_assert(hd_fleet_examine(f, (struct hd_fleet_source){next, done, l}, &how, &err),
              "%s", err.message);
    hd_series_list_free(l);
    return f;
}

static unsigned check_host(struct hd_fleet *f, const struct history *h, const char *host)
{
    const struct hd_run_record *r;
    enum hd_doubt doubt = truth(h);
    unsigned runs = 0;
    for (size_t i = 0; (r = hd_fleet_record(f, i)) != NULL; i++) {
        if (strcmp(r->run.host, host) != 0)
            continue;
        runs++;
        cr_expect_eq(r->doubt, doubt, "%s: %s, not %s", host, hd_doubt_name(r->doubt),
                     hd_doubt_name(doubt));
        cr_expect_eq(r->judgement == HD_JUDGED, doubt == HD_DOUBT_NONE, "%s", host);
        cr_expect_eq(r->finding_count > 0, h->leaks && doubt == HD_DOUBT_NONE,
                     "%s: %zu suspects", host, r->finding_count);
    }
    cr_expect_eq(runs, runs_of(h), "%s: %u runs", host, runs);
    return doubt == HD_DOUBT_NONE;
}

enum { HISTORIES = CLOCKS * TWINS * 2 * 2 * 2 };

static struct history history(unsigned i)
{
    return (struct history){.leaks = i % 2,
                            .generations = 1 + i / 2 % 2,
                            .is_backwards = i / 4 % 2,
                            .twins = i / 8 % TWINS,
                            .clock = i / 8 / TWINS};
}

static const char *host_of(unsigned i)
{
    static char name[96];
    const struct history h = history(i);
    snprintf(name, sizeof(name), "clock %d, twins %d, %u generations, %s, %s", (int)h.clock,
             (int)h.twins, h.generations, h.is_backwards ? "backwards" : "in order",
             h.leaks ? "leaks" : "healthy");
    return name;
}

Test(fleet_histories, are_judged_by_the_available_evidence)
{
    unsigned judged = 0, leaking = 0;
    for (unsigned i = 0; i < HISTORIES; i++) {
        const struct history h = history(i);
        record_history(&h, host_of(i));
    }
    struct hd_fleet *f = examine();
    for (unsigned i = 0; i < HISTORIES; i++) {
        const struct history h = history(i);
        unsigned is_judged = check_host(f, &h, host_of(i));
        judged += is_judged;
        leaking += is_judged && h.leaks;
    }
    struct hd_fleet_options opt;
    hd_fleet_set_default_options(&opt);
    struct hd_report *report = hd_report_fleet(f, &opt);
    const struct hd_fleet_answer *a = hd_report_model(report)->fleet;
    cr_expect_eq(a->hosts, HISTORIES);
    cr_expect_eq(a->hosts_judged, judged);
    cr_assert_eq(a->suspect_count, 1);
    cr_expect_eq(a->suspects[0].hosts, leaking);
    cr_expect_eq(a->suspects[0].of_hosts, judged);
    hd_report_free(report);
    hd_fleet_free(f);
}

/* --- what is measured ---------------------------------------------------------------- */

/* Six snapshots an hour apart, the first at noon, or two that are `apart` seconds apart. */
static void record_one(const char *host, double started, double apart)
{
    struct hd_run run = stored_run("Shop", host, 7);
    run.started = started;
    for (unsigned k = 0; k < (apart > 0 ? 2 : SNAPSHOTS); k++)
        record(&run, 400 + 100 * k, noon + k * (apart > 0 ? apart : hour));
}

static const struct hd_run_record *record_of(struct hd_fleet *f, const char *host)
{
    const struct hd_run_record *r;
    size_t i = 0;
    while ((r = hd_fleet_record(f, i)) != NULL && strcmp(r->run.host, host) != 0)
        i++;
    cr_assert_not_null(r);
    return r;
}

Test(fleet_histories, a_clock_may_be_a_minute_ahead_of_another)
{
    record_one("near", noon + 59, 0);
    record_one("far", noon + 61, 0);
    struct hd_fleet *f = examine();
    cr_expect_neq(record_of(f, "near")->doubt, HD_DOUBT_CLOCK);
    cr_expect_eq(record_of(f, "far")->doubt, HD_DOUBT_CLOCK);
    hd_fleet_free(f);
}

Test(fleet_histories, a_rate_takes_a_minute)
{
    record_one("short", noon - hour, 59);
    record_one("long", noon - hour, 61);
    struct hd_fleet *f = examine();
    cr_expect(isnan(record_of(f, "short")->heap_per_hour));
    cr_expect_gt(record_of(f, "long")->heap_per_hour, 0);
    hd_fleet_free(f);
}

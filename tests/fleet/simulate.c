/* A fleet with known truth: three services on the same hosts for weeks, builds that are
 * rolled out one after the other, load by hour of the day, restarted processes. In Shop
 * orders pile up from one build on, on a share of the hosts; one host has a big cache.
 * Cart and Mail are healthy.
 *
 *     simulate part OUT [NAME=N...]    compare all, and write the result as a shard
 *     simulate store URL [NAME=N...]   record every snapshot
 *     simulate records OUT [NAME=N...] records as comparing would make them, for timing
 *                                      operations on very many
 *
 * hosts=200 days=30 builds=5 bad=3 share=60 (per cent) every=3 (hours) restarts=20 (per
 * cent of runs) seed=1 threads=2 */
#include "fleet/fleet.h"
#include "fleet/heap_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct plan {
    unsigned hosts, days, builds, bad, share, every, restarts, seed, threads, shard, shards;
} plan = {200, 30, 5, 3, 60, 3, 20, 1, 2, 0, 0};

static const double start = 1794700800, day = 86400, hour = 3600;
enum { SERVICES = 3, BIG_CACHE_HOST = 13, NAME = 32 };
static const char *const services[SERVICES] = {"Cart", "Mail", "Shop"};
enum { CART, MAIL, SHOP };

/* A run of one process. */
struct run {
    unsigned service, host, build; /* build from 1 */
    double from, until;            /* Unix seconds */
    struct random random;
};

/* --- heaps ------------------------------------------------------------------------- */

/* Speed of a host: half to twice the average. */
static double factor(unsigned host)
{
    struct random r = random_from(host + 977);
    random_u64(&r);
    return 0.5 + 1.5 * noise(&r);
}

static bool leaks(const struct run *run)
{
    return run->service == SHOP && run->build >= plan.bad &&
           run->host * 37 % 100 < plan.share;
}

/* The heap of a run at a time, as heap text. */
static void make_heap(struct text *to, struct run *run, double time)
{
    static const char types[] =
        "t 1 App.Settings\nt 2 App.Setting\nt 3 App.Sessions\nt 4 App.Session\n"
        "t 5 App.Orders\nt 6 App.Order\nt 7 App.Cache\nt 8 App.CacheEntry\n"
        "t 9 App.Jobs\nt a App.Job\n";
    struct heap_text h = {.next = 1};
    double age = (time - run->from) / hour;
    double load = 1 + 0.6 * sin(2 * 3.14159265358979 * fmod(time, day) / day);
    double sessions = 150 * factor(run->host) * load * (0.9 + 0.2 * noise(&run->random));
    double orders = leaks(run) ? 4 * factor(run->host) * age : 0;
    bool big = run->service == SHOP && run->host == BIG_CACHE_HOST;
    double cache = big ? 3000 * (1 - exp(-age / 100)) : 40;
    add_pool(&h, 1, 2, 300, 0x40);
    add_pool(&h, 3, 4, (unsigned)sessions, 0xc0);
    add_pool(&h, 5, 6, 5 + (unsigned)orders, 0x60);
    add_pool(&h, 7, 8, (unsigned)cache, 0x100);
    add_pool(&h, 9, 10, random_below(&run->random, 30), 0x50);
    finish_heap(&h, types, (uint64_t)((time - start) * 1000) + 1, to);
}

/* --- runs ---------------------------------------------------------------------------- */

/* Builds are rolled out within half a day; some processes restart before the next. */
struct runs {
    struct run *all;
    size_t len, cap;
};

static void add_run(struct runs *r, struct run run)
{
    r->all = grow(r->all, r->len, &r->cap, sizeof(*r->all));
    run.random = random_from(r->len * 7919 + plan.seed);
    r->all[r->len++] = run;
}

static void add_build(struct runs *r, struct random *random, struct run run)
{
    double length = run.until - run.from;
    if (random_below(random, 100) >= plan.restarts) {
        add_run(r, run);
        return;
    }
    struct run later = run;
    later.from = run.from + length * (0.3 + 0.4 * noise(random));
    run.until = later.from;
    add_run(r, run);
    add_run(r, later);
}

static struct runs make_runs(void)
{
    struct runs r = {0};
    struct random random = random_from(plan.seed);
    double each = plan.days * day / plan.builds;
    for (unsigned i = 0; i < SERVICES * plan.hosts; i++)
        for (unsigned b = 0; b < plan.builds; b++) {
            double late = day / 2 * noise(&random);
            add_build(&r, &random,
                      (struct run){.service = i % SERVICES,
                                   .host = i / SERVICES,
                                   .build = b + 1,
                                   .from = start + each * b + late,
                                   .until = start + each * (b + 1)});
        }
    return r;
}

static void name_run(const struct run *run, char host[NAME], char build[NAME],
                     struct hd_run *to)
{
    snprintf(host, NAME, "host-%03u", run->host);
    snprintf(build, NAME, "1.%u.0", run->build);
    *to = hd_unknown_run();
    to->service = services[run->service];
    to->host = host;
    to->build = build;
    to->process = "App.exe";
    to->pid = 1;
    to->started = run->from;
    to->limit = 4 << 20;
}

static size_t times_of(const struct run *run, double *times, size_t most)
{
    size_t n = 0;
    for (double at = run->from + 600; at < run->until && n < most; at += plan.every * hour)
        times[n++] = at;
    return n;
}

/* --- to a part ------------------------------------------------------- */

enum { MAX_SNAPSHOTS = 1000 };

struct feed {
    struct runs *runs;
    size_t next;
};

struct names {
    char host[NAME], build[NAME];
};

static bool next_series(void *context, struct hd_fleet_series *s, struct hd_error *err)
{
    struct feed *f = context;
    double times[MAX_SNAPSHOTS];
    size_t chosen[HD_MAX_SNAPSHOTS];
    struct text heap = {0};
    (void)err;
    while (plan.shards > 0 && f->next < f->runs->len &&
           f->next % plan.shards != plan.shard - 1)
        f->next++;
    if (f->next == f->runs->len)
        return false;
    struct run *run = &f->runs->all[f->next++];
    struct names *names = alloc_zeroed(sizeof(*names));
    s->own = names;
    s->id = f->next;
    name_run(run, names->host, names->build, &s->run);
    s->recorded = times_of(run, times, MAX_SNAPSHOTS);
    s->snapshot_count = hd_fleet_choose(times, s->recorded, HD_MAX_SNAPSHOTS, chosen);
    for (size_t k = 0; k < s->snapshot_count; k++) {
        struct hd_sink sink = hd_sink_memory(&s->snapshots[k].bytes);
        s->snapshots[k].taken = times[chosen[k]];
        make_heap(&heap, run, times[chosen[k]]);
        sink.write(sink.context, heap.data, heap.len);
    }
    text_free(&heap);
    return true;
}

static void series_done(void *context, struct hd_fleet_series *s)
{
    (void)context;
    for (size_t k = 0; k < s->snapshot_count; k++)
        hd_memory_free(&s->snapshots[k].bytes);
    free(s->own);
}

static bool write_part(struct hd_fleet *f, const char *path, struct hd_error *err)
{
    FILE *to = fopen(path, "w");
    bool ok = to != NULL && hd_fleet_write_part(f, hd_sink_file(to), err);
    return to != NULL && fclose(to) == 0 && ok;
}

static struct hd_fleet *new_fleet(void)
{
    struct hd_options usual = hd_default_options();
    const struct hd_fleet_rules rules = {.since = start,
                                         .until = start + plan.days * day,
                                         .shard = plan.shard,
                                         .shards = plan.shards,
                                         .min_share = usual.min_share,
                                         .min_steady_share = usual.min_steady_share,
                                         .min_span = day};
    return hd_fleet_new(&rules);
}

static bool to_part(struct runs *runs, const char *path, struct hd_error *err)
{
    struct feed feed = {.runs = runs};
    const struct hd_fleet_how how = {.threads = plan.threads};
    struct hd_fleet *f = new_fleet();
    bool ok = hd_fleet_examine(f, (struct hd_fleet_source){next_series, series_done, &feed},
                               &how, err) &&
              write_part(f, path, err);
    hd_fleet_free(f);
    return ok;
}

/* --- records --------------------------------------------------------- */

/* The same number of values as in a run of the simulation; one in ten has a suspect. */
static void add_record(struct hd_fleet *f, const struct run *run, uint64_t id)
{
    double times[HD_MAX_SNAPSHOTS];
    uint64_t heap[HD_MAX_SNAPSHOTS], retained[HD_MAX_SNAPSHOTS];
    struct names names;
    struct hd_run_record r = {.series = id,
                              .confidence = HD_CONFIDENCE_HIGH,
                              .times = times,
                              .heap = heap,
                              .heap_per_hour = 5000};
    r.count = r.recorded = times_of(run, times, HD_MAX_SNAPSHOTS);
    name_run(run, names.host, names.build, &r.run);
    for (size_t k = 0; k < r.count; k++) {
        retained[k] = 1000 * k;
        heap[k] = 100000 + retained[k];
    }
    const struct hd_run_finding finding = {.rank = 1,
                                           .type = "App.Order",
                                           .title = "App.Order",
                                           .holder = "[static var App.Orders] → App.Orders",
                                           .score = 49000,
                                           .score_share = 0.2,
                                           .per_hour = 1000 / 3.0,
                                           .retained = retained};
    r.findings = &finding;
    r.finding_count = leaks(run);
    hd_fleet_add(f, &r, NULL);
}

static bool to_records(const struct runs *runs, const char *path, struct hd_error *err)
{
    struct hd_fleet *f = new_fleet();
    for (size_t i = 0; i < runs->len; i++)
        add_record(f, &runs->all[i], i + 1);
    bool ok = write_part(f, path, err);
    hd_fleet_free(f);
    return ok;
}

/* --- to a store ------------------------------------------------------ */

static bool record_run(struct hd_store *store, struct run *run, struct hd_error *err)
{
    const struct hd_read_options how = {
        .size = sizeof(how), .to_write = true, .checksum = true};
    double times[MAX_SNAPSHOTS];
    size_t n = times_of(run, times, MAX_SNAPSHOTS);
    struct names names;
    struct text heap = {0};
    struct hd_run facts;
    bool ok = true;
    name_run(run, names.host, names.build, &facts);
    for (size_t k = 0; ok && k < n; k++) {
        make_heap(&heap, run, times[k]);
        const struct hd_recording recording = {.size = sizeof(recording),
                                               .run = &facts,
                                               .taken = times[k],
                                               .pause_seconds = NAN};
        struct hd_snapshot *snap = hd_snapshot_from_memory(heap.data, heap.len, &how, err);
        ok = snap != NULL && hd_store_record(store, snap, &recording, NULL, err);
        hd_snapshot_close(snap);
    }
    text_free(&heap);
    return ok;
}

static bool to_store(struct runs *runs, const char *url, struct hd_error *err)
{
    struct hd_store *store = hd_store_open(url, HD_STORE_WRITE, err);
    bool ok = store != NULL;
    for (size_t i = 0; ok && i < runs->len; i++)
        ok = record_run(store, &runs->all[i], err);
    hd_store_close(store);
    return ok;
}

/* --- the program ----------------------------------------------------- */

static bool take(const char *word)
{
    const struct {
        const char *name;
        unsigned *n;
    } all[] = {
        {"hosts", &plan.hosts},       {"days", &plan.days},    {"builds", &plan.builds},
        {"bad", &plan.bad},           {"share", &plan.share},  {"every", &plan.every},
        {"restarts", &plan.restarts}, {"seed", &plan.seed},    {"threads", &plan.threads},
        {"shard", &plan.shard},       {"shards", &plan.shards}};
    const char *equals = strchr(word, '=');
    for (size_t i = 0; equals != NULL && i < sizeof(all) / sizeof(*all); i++)
        if (strncmp(word, all[i].name, (size_t)(equals - word)) == 0) {
            *all[i].n = (unsigned)strtoul(equals + 1, NULL, 10);
            return true;
        }
    fprintf(stderr, "simulate: %s: what is that?\n", word);
    return false;
}

int main(int argc, char **argv)
{
    struct hd_error err = {0};
    bool ok = argc >= 3;
    for (int i = 3; i < argc; i++)
        ok = take(argv[i]) && ok;
    if (!ok) {
        fputs("usage: simulate part|store|records WHERE [NAME=N...]\n", stderr);
        return 2;
    }
    struct runs runs = make_runs();
    if (strcmp(argv[1], "store") == 0)
        ok = to_store(&runs, argv[2], &err);
    else if (strcmp(argv[1], "records") == 0)
        ok = to_records(&runs, argv[2], &err);
    else
        ok = to_part(&runs, argv[2], &err);
    if (!ok)
        fprintf(stderr, "simulate: %s: %s\n", argv[2], err.message);
    fprintf(stderr, "simulate: %zu runs\n", runs.len);
    free(runs.all);
    return ok ? 0 : 1;
}

/* Services with short-lived processes (minutes or hours) and known truth: counts leaks
 * found within a week of nightly evaluations, and false alarms of services without a leak
 * in a month.
 *
 *     short-lives [services=N] [seed=N] [threads=N] [days=N]
 *
 * A row is a kind of service, a column the lifetime of its processes; each cell has N
 * services of four hosts. Half of them are deployed on all hosts together, each day's as a
 * new build; half restart independently. Status 1 unless
 *   - at most one in a hundred services without a leak is accused (except for a cache that
 *     takes a whole life to fill, which docs/fleet-method.md lists as a false alarm),
 *   - nine of ten leaks are found if a life has three snapshots after its first half hour
 *     or ends near its limit, and nothing else is accused in the same service,
 *   - every leak is named. */
#include "fleet/answer.h"
#include "fleet/heap_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct plan {
    unsigned services, seed, threads, days;
} plan = {6, 1, 2, 30};

static const double start = 1794700800, day = 86400, hour = 3600;
enum { HOSTS = 4, WEEK = 7, NAME = 32 };

/* --- services ---------------------------------------------------------------------- */

enum load { FLAT, SINE, SKEWED, WALK };

/* Shares are relative to the constant part of the heap and a usual load. */
struct kind {
    const char *name;
    enum load load;
    double leak;       /* per cent of that in one life */
    double fills;      /* lives in which a cache fills to 63 %; 0: no cache */
    double limit;      /* per cent of that; 0: no limit */
    unsigned leaky;    /* hosts that leak */
    bool follows_load; /* the leak */
};

static const struct kind kinds[] = {
    {"healthy: load by the hour", SINE, 0, 0, 0, 0, false},
    {"healthy: load that rises for 17 hours", SKEWED, 0, 0, 0, 0, false},
    {"healthy: load that wanders", WALK, 0, 0, 0, 0, false},
    {"healthy: a cache that fills in a third of a life", SINE, 0, 0.33, 0, 0, false},
    {"healthy: a cache that fills in a life", SINE, 0, 1, 0, 0, false},
    {"healthy: near its limit", SINE, 0, 0, 150, 0, false},
    {"leak of 20 % a life", SINE, 20, 0, 0, HOSTS, false},
    {"leak of 20 % a life, as fast as the load", SINE, 20, 0, 0, HOSTS, true},
    {"leak of 20 % a life on one host of four", SINE, 20, 0, 0, 1, false},
    {"leak that kills", SINE, 300, 0, 400, HOSTS, false},
    {"leak of 5 % a life", SINE, 5, 0, 0, HOSTS, false},
};
enum { KINDS = sizeof(kinds) / sizeof(*kinds), WHOLE_LIFE = 4, SLOW = 10 };

/* Lifetime of processes and interval of snapshots, in hours. */
struct life {
    const char *name;
    double hours, every;
};
static const struct life lives[] = {{"15 min", 0.25, 1 / 15.0},
                                    {"2 h", 2, 1 / 3.0},
                                    {"2 h, hourly", 2, 1},
                                    {"5 h", 5, 1},
                                    {"10 h", 10, 1},
                                    {"20 h", 20, 1}};
enum { LIVES = sizeof(lives) / sizeof(*lives), QUARTER = 0, HOURLY = 2 };

struct service {
    const struct kind *kind;
    const struct life *life;
    unsigned seed, days;
    bool is_deployed; /* on all hosts together */
};

struct run {
    unsigned host, number;
    double from, until;
    struct random random;
};

/* --- loads and heaps -------------------------------------------------------------------
 */

/* Sum of a few slow waves whose periods do not divide a day: wanders like a bounded random
 * walk. */
static double walk(unsigned seed, double time)
{
    static const double lengths[] = {3.1, 7.7, 13.3, 29.9, 61.7};
    double sum = 0;
    for (unsigned i = 0; i < 5; i++)
        sum += sin(time / hour / lengths[i] * 6.2831853 + (seed * 37 + i * 11) % 100);
    return 1 + 0.15 * sum;
}

static double load_at(const struct service *s, double time)
{
    double at = fmod(time + (s->seed * 7 % 24) * hour, day) / hour;
    switch (s->kind->load) {
    case SINE:
        return 1 + 0.6 * sin(at / 24 * 6.2831853);
    case SKEWED:
        return 0.4 + 1.2 * (at < 17 ? at / 17 : (24 - at) / 7);
    case WALK:
        return walk(s->seed, time);
    default:
        return 1;
    }
}

/* Load over the life until this age, integrated. */
static double loaded(const struct service *s, const struct run *run, double time)
{
    enum { STEPS = 16 };
    double sum = 0;
    for (unsigned i = 0; i < STEPS; i++)
        sum += load_at(s, run->from + (time - run->from) * (i + 0.5) / STEPS);
    return (time - run->from) * sum / STEPS;
}

enum { ALWAYS = 50, USUAL = 60, SMALL = 0x60, LARGE = 0xc0, CACHE = 60 };
static const double whole = ALWAYS * SMALL + USUAL * LARGE;

static void make_heap(struct text *to, const struct service *s, struct run *run,
                      double time)
{
    static const char types[] =
        "t 1 App.Settings\nt 2 App.Setting\nt 3 App.Sessions\nt 4 App.Session\n"
        "t 5 App.Orders\nt 6 App.Order\nt 7 App.Cache\nt 8 App.CacheEntry\n"
        "t 9 App.Jobs\nt a App.Job\n";
    const struct kind *k = s->kind;
    struct heap_text h = {.next = 1};
    double age = time - run->from, life = s->life->hours * hour;
    double started = 1 - exp(-age / 600); /* in ten minutes */
    double sessions =
        USUAL * started * load_at(s, time) * (0.9 + 0.2 * noise(&run->random));
    double leaked = k->follows_load ? loaded(s, run, time) : age;
    double orders =
        run->host < k->leaky ? leaked / life * k->leak / 100 * whole / SMALL : 0;
    double cache =
        k->fills > 0 ? CACHE * (1 - exp(-age / (k->fills * life))) : CACHE * started;
    add_pool(&h, 1, 2, ALWAYS, SMALL);
    add_pool(&h, 3, 4, (unsigned)sessions, LARGE);
    add_pool(&h, 5, 6, 2 + (unsigned)orders, SMALL);
    add_pool(&h, 7, 8, (unsigned)cache, SMALL);
    add_pool(&h, 9, 10, random_below(&run->random, 12), 0x50);
    finish_heap(&h, types, (uint64_t)((time - start) * 1000) + 1, to);
}

/* --- runs ---------------------------------------------------------------------------- */

struct runs {
    struct run *all;
    size_t len, cap;
};

/* A life is up to a fifth shorter or longer than planned; a process killed by its leak
 * reaches its limit after it. */
static void add_runs(struct runs *r, const struct service *s, unsigned host)
{
    struct random random =
        random_from(s->seed * 7919 + (s->is_deployed ? 1 : host * 104729));
    for (unsigned i = 0; i < 10; i++)
        random_u64(&random);
    double life = s->life->hours * hour;
    unsigned number = 0;
    for (double at = start - life * noise(&random); at < start + s->days * day; number++) {
        double length = life * (0.8 + 0.4 * noise(&random));
        r->all = grow(r->all, r->len, &r->cap, sizeof(*r->all));
        r->all[r->len++] = (struct run){host, number, at, at + length,
                                        random_from(s->seed * 31 + r->len * 7919)};
        at += length + 60;
    }
}

static struct runs runs_of(const struct service *s)
{
    struct runs r = {0};
    for (unsigned host = 0; host < HOSTS; host++)
        add_runs(&r, s, host);
    return r;
}

/* --- records --------------------------------------------------------- */

struct names {
    char host[NAME], build[NAME];
};

struct feed {
    const struct service *service;
    struct runs runs;
    size_t next;
};

static void name_run(const struct service *s, const struct run *run, struct names *names,
                     struct hd_run *to)
{
    snprintf(names->host, NAME, "host-%u", run->host);
    snprintf(names->build, NAME, "1.%u",
             s->is_deployed ? (unsigned)((run->from - start + day) / day) : 0);
    *to = hd_unknown_run();
    to->service = "Shop";
    to->host = names->host;
    to->build = names->build;
    to->process = "App.exe";
    to->pid = run->number + 1;
    to->started = run->from;
    if (s->kind->limit > 0)
        to->limit = (uint64_t)(whole * s->kind->limit / 100);
}

static bool next_series(void *context, struct hd_fleet_series *series, struct hd_error *err)
{
    struct feed *f = context;
    struct text heap = {0};
    (void)err;
    if (f->next == f->runs.len)
        return false;
    struct run *run = &f->runs.all[f->next++];
    struct names *names = alloc_zeroed(sizeof(*names));
    series->own = names;
    series->id = f->next;
    name_run(f->service, run, names, &series->run);
    double every = f->service->life->every * hour;
    double at = run->from + every * (0.1 + 0.2 * noise(&run->random));
    for (size_t k = 0; at < run->until && k < HD_MAX_SNAPSHOTS; k++, at += every) {
        struct hd_sink sink = hd_sink_memory(&series->snapshots[k].bytes);
        series->snapshots[k].taken = at;
        make_heap(&heap, f->service, run, at);
        sink.write(sink.context, heap.data, heap.len);
        series->snapshot_count = series->recorded = k + 1;
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

static struct hd_fleet *new_fleet(double since, double until)
{
    struct hd_options usual = hd_default_options();
    const struct hd_fleet_rules rules = {.since = since,
                                         .until = until,
                                         .min_share = usual.min_share,
                                         .min_steady_share = usual.min_steady_share,
                                         .min_span = day};
    return hd_fleet_new(&rules);
}

static struct hd_fleet *examine(const struct service *s)
{
    struct feed feed = {s, runs_of(s), 0};
    const struct hd_fleet_how how = {.threads = plan.threads};
    struct hd_error err = {0};
    struct hd_fleet *f = new_fleet(start, start + s->days * day);
    if (!hd_fleet_examine(f, (struct hd_fleet_source){next_series, series_done, &feed},
                          &how, &err)) {
        fprintf(stderr, "short-lives: %s\n", err.message);
        exit(2);
    }
    free(feed.runs.all);
    return f;
}

/* --- nights ---------------------------------------------------------- */

struct seen {
    bool found, named, accused;
    unsigned night; /* on which it was found */
    char what[80];
};

/* The window of a week before this night. */
static void evaluate(struct hd_fleet *all, unsigned night, struct seen *seen)
{
    double until = start + night * day, since = until - WEEK * day;
    struct hd_fleet *f = new_fleet(since, until);
    struct hd_fleet_options opt;
    struct hd_fleet_answer a;
    struct arena arena = {0};
    const struct hd_run_record *r;
    hd_fleet_set_default_options(&opt);
    for (size_t i = 0; (r = hd_fleet_record(all, i)) != NULL; i++)
        if (r->count > 0 && r->times[0] >= since && r->times[r->count - 1] < until)
            hd_fleet_add(f, r, NULL);
    fleet_answer(&a, f, &opt, &arena);
    for (size_t i = 0; i < a.suspect_count; i++) {
        const struct hd_fleet_suspect *s = &a.suspects[i];
        bool is_leak = strcmp(s->type, "App.Order") == 0;
        if (is_leak && !seen->found)
            seen->night = night;
        seen->found |= is_leak;
        if (!is_leak && !seen->accused)
            snprintf(seen->what, sizeof(seen->what), "%.40s in night %u, %u hours", s->type,
                     night, s->pool_hours);
        seen->accused |= !is_leak;
    }
    for (size_t i = 0; i < a.open_count; i++)
        seen->named |=
            strcmp(a.suspects[a.suspect_count + a.few_count + i].type, "App.Order") == 0;
    arena_free(&arena);
    hd_fleet_free(f);
}

struct counts {
    unsigned found, named, accused, nights;
    char what[80];
};

static struct counts try_all(const struct kind *kind, const struct life *life)
{
    struct counts c = {0};
    for (unsigned i = 0; i < plan.services; i++) {
        bool is_healthy = kind->leaky == 0;
        const struct service s = {kind, life, plan.seed * 1000 + i + 1,
                                  is_healthy ? plan.days : WEEK, i % 2 == 1};
        struct hd_fleet *all = examine(&s);
        struct seen seen = {0};
        for (unsigned night = 1; night <= s.days; night++)
            evaluate(all, night, &seen);
        hd_fleet_free(all);
        c.found += !is_healthy && seen.found;
        c.named += !is_healthy && (seen.found || seen.named);
        c.nights += seen.night;
        c.accused += seen.accused || (is_healthy && seen.found);
        if (seen.accused)
            memcpy(c.what, seen.what, sizeof(c.what));
    }
    return c;
}

/* --- the program ----------------------------------------------------- */

static bool take(const char *word)
{
    const struct {
        const char *name;
        unsigned *n;
    } all[] = {{"services=", &plan.services},
               {"seed=", &plan.seed},
               {"threads=", &plan.threads},
               {"days=", &plan.days}};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        if (strncmp(word, all[i].name, strlen(all[i].name)) == 0) {
            *all[i].n = (unsigned)strtoul(word + strlen(all[i].name), NULL, 10);
            return true;
        }
    fprintf(stderr, "short-lives: %s: what is that?\n", word);
    return false;
}

static bool can_be_found(const struct kind *kind, size_t life)
{
    return kind->limit > 0 || (life != QUARTER && life != HOURLY);
}

/* Prints the cell; true if it is as required. */
static bool show(const struct kind *kind, size_t life, const struct counts *c)
{
    unsigned n = plan.services;
    bool leaks = kind->leaky > 0, ok = true;
    char cell[40];
    if (leaks && c->found > 0)
        snprintf(cell, sizeof(cell), "%u/%u (%.1f)", c->found, n,
                 (double)c->nights / c->found);
    else
        snprintf(cell, sizeof(cell), "%u/%u%s", leaks ? c->named : c->accused, n,
                 leaks ? " named" : "");
    if (leaks && kind != &kinds[SLOW])
        ok = c->named == n && c->accused == 0 &&
             (!can_be_found(kind, life) || 10 * c->found >= 9 * n);
    printf(" %s%-*s", ok ? "" : "! ", ok ? 14 : 12, cell);
    fflush(stdout);
    if (c->accused > 0 && kind != &kinds[WHOLE_LIFE])
        fprintf(stderr, "%s, %s: %s\n", kind->name, lives[life].name, c->what);
    return ok;
}

int main(int argc, char **argv)
{
    bool ok = true;
    unsigned healthy = 0, accused = 0, left_out = 0;
    for (int i = 1; i < argc; i++)
        ok = take(argv[i]) && ok;
    if (!ok)
        return 2;
    printf("%-50s", "accused; found or named of as many (night)");
    for (size_t l = 0; l < LIVES; l++)
        printf(" %-14s", lives[l].name);
    for (size_t k = 0; k < KINDS; k++) {
        printf("\n%-50s", kinds[k].name);
        for (size_t l = 0; l < LIVES; l++) {
            struct counts c = try_all(&kinds[k], &lives[l]);
            bool counts = kinds[k].leaky == 0 && k != WHOLE_LIFE;
            ok = show(&kinds[k], l, &c) && ok;
            healthy += counts ? plan.services : 0;
            accused += counts ? c.accused : 0;
            left_out += k == WHOLE_LIFE ? c.accused : 0;
        }
    }
    printf("\n%u of %u services without a leak are accused within %u nights, and %u of %u "
           "of a kind that is not counted (%s)\n",
           accused, healthy, plan.days, left_out, LIVES * plan.services,
           kinds[WHOLE_LIFE].name);
    return ok && 100 * accused <= healthy ? 0 : 1;
}

/* Judges runs together that are too short, or have too few snapshots, to be judged alone:
 * docs/fleet-method.md, "Pooled runs", has the rule and its reasons.
 *
 * Simultaneous runs share their load, so it counts periods, which do not overlap, and for
 * each the share of its runs that have the suspect. Without a leak, growth in a period has
 * the probability of a random walk; the bound for all periods is Hoeffding's (Probability
 * inequalities for sums of bounded random variables, JASA 58 (1963), theorem 1), which
 * makes no assumption about the runs within a period. Daily load and filling caches are not
 * random: against these, growth is required at nearly all hours of the day, and as fast
 * later in a run as before. */
#include "base/arrays.h"
#include "fleet/answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HOURS = 24, MIN_POINTS = 3, MANY_POINTS = 8 };

/* Chosen so that the made-up services of tests/fleet/short_lives.c that do not leak are not
 * accused; docs/fleet-method.md has the figures. */
static const struct pool_constants {
    double start, walk, long_walk, coin, level, pace, near_limit, killer, share;
    uint64_t periods, enough, ends;
    unsigned hours, gap, ends_apart;
} pool_by = {
    /* Start-up of a process in seconds; growth in it is ignored. */
    .start = 1800,

    /* Probability of growth without a leak: at most 0.29 for a random walk of 3 to 7
     * points, 0.20 for 8 or more; 0.5 for two points. */
    .walk = 0.3,
    .long_walk = 0.2,
    .coin = 0.5,
    /* Chance, of all that is asked about a service in one evaluation: of four weeks that
     * have no run in common one in a hundred. Half is for all hosts together, half for
     * single ones. */
    .level = 0.0025,
    /* Minimum of periods with growth; number at which builds are no longer joined. */
    .periods = 3,
    .enough = 8,

    /* Minimum of hours of the day with growth: load may rise for 17. Gaps of at most this
     * many hours without a run, as between two processes, are ignored. */
    .hours = 20,
    .gap = 2,
    /* Rate of the second half relative to the first, at the median: as for even growth in
     * the ranking. */
    .pace = 0.8,

    /* Share of the limit. The runtime lets the heap use 3/4 of a container, part of which
     * is free; growth of a quarter of the limit contributes to the end. */
    .near_limit = 0.7,
    .killer = 0.25,
    /* Minimum of periods with such an end, and of hours of the day between them: more than
     * a peak. */
    .ends = 3,
    .ends_apart = 8,

    /* Share of a host's runs with the suspect, for the host to count with others of its
     * build. */
    .share = 0.5,
};

enum scope { BY_BUILD, BY_HOST, SCOPES };

struct period {
    uint32_t pool;
    uint64_t runs;
    double chance; /* sum over its runs */
};

/* Runs of some builds, on all hosts or on one. */
struct pool {
    uint32_t periods;
    double chance;       /* mean over its periods */
    double hours[HOURS]; /* seconds of its runs in each hour of the day */
};

struct scoped {
    struct pool *pools;
    struct period *periods;
    uint32_t pool_count, period_count;
};

struct pool_run {
    struct run_in_pools is;
    uint32_t host, group;
    uint32_t period[SCOPES];
    size_t first; /* the first snapshot after start-up, or 0 if it ended near its limit */
    double limit, more; /* bytes; hours of life after its last snapshot */
    double chance;
};

struct pools {
    const struct service_runs *of;
    struct pool_run *runs; /* parallel to of->all */
    struct scoped scopes[SCOPES];
    double level[SCOPES]; /* ln of the significance level of a test */
};

/* --- one run ------------------------------------------------------------------------ */

static const struct pool_run *run_of(const struct pools *p, const struct hd_run_record *r)
{
    return &p->runs[r - p->of->all];
}

const struct run_in_pools *pools_run(const struct pools *p, const struct hd_run_record *run)
{
    return &run_of(p, run)->is;
}

/* True if it is in a pool, and has a period. A part may contain runs without
 * comparisons. */
static bool pool_counts(const struct pool_run *run, const struct hd_run_record *r)
{
    return run->is.weight >= RUN_POOLED && r->count > 0;
}

/* Return the start of its process, if known, and its last snapshot: Unix seconds. */
static double pool_begin(const struct hd_run_record *r)
{
    bool is_known = !isnan(r->run.started) && r->run.started <= r->times[0];
    return is_known ? r->run.started : r->times[0];
}

static double pool_end(const struct hd_run_record *r)
{
    return r->times[r->count - 1];
}

static enum run_weight weight_of(const struct hd_run_record *r, const struct pool_run *run)
{
    if (r->judgement != HD_UNSURE)
        return r->judgement == HD_JUDGED ? RUN_JUDGED : RUN_NOTHING;
    if (r->doubt == HD_DOUBT_PROCESSES || r->doubt == HD_DOUBT_INCOMPLETE)
        return RUN_COMPARED;
    return r->count - run->first >= MIN_POINTS || run->is.ended_near ? RUN_POOLED
                                                                     : RUN_COMPARED;
}

static bool is_earlier(const void *times, size_t i, const void *from)
{
    return ((const double *)times)[i] < *(const double *)from;
}

static void look_at_run(struct pool_run *run, const struct hd_run_record *r, double next,
                        uint64_t limit)
{
    run->first = 0;
    while (run->first < r->count && r->times[run->first] < pool_begin(r) + pool_by.start)
        run->first++;
    run->is.was_followed = isfinite(next);
    limit = limit != HD_UNKNOWN ? limit : r->run.limit;
    if (r->count >= 2 && run->is.was_followed && limit != HD_UNKNOWN) {
        /* The process ended when the next began, and at the latest when its next snapshot
         * was due. */
        double interval = (pool_end(r) - r->times[0]) / (double)(r->count - 1);
        uint64_t heap = r->heap[r->count - 1];
        run->limit = (double)limit;
        run->more = fmin(next - pool_end(r), interval) / 3600;
        double growth = r->heap_per_hour > 0 ? r->heap_per_hour * run->more : 0;
        run->is.ended_near =
            heap != HD_UNKNOWN && (double)heap + growth >= pool_by.near_limit * run->limit;
    }
    if (run->is.ended_near && r->count - run->first < MIN_POINTS)
        run->first = 0;
    size_t points = r->count - run->first;
    run->chance = points >= MANY_POINTS  ? pool_by.long_walk
                  : points >= MIN_POINTS ? pool_by.walk
                                         : pool_by.coin;
}

/* Examines consecutive runs of a host. Without a host name no run follows another, since
 * there may be several hosts. */
static void look_at_host(struct pools *p, size_t from, size_t end, uint32_t host,
                         uint64_t limit)
{
    const struct hd_run_record *all = p->of->all;
    double *starts = alloc_zeroed(array_bytes(end - from, sizeof(*starts)));
    size_t n = 0;
    for (size_t i = from; i < end && all[i].run.host != NULL; i++)
        if (all[i].count > 0 || !isnan(all[i].run.started))
            starts[n++] = all[i].count > 0 ? pool_begin(&all[i]) : all[i].run.started;
    if (n > 0)
        qsort(starts, n, sizeof(*starts), fleet_by_value);
    for (size_t i = from; i < end; i++) {
        p->runs[i].host = host;
        if (all[i].count > 0) {
            double end_of = pool_end(&all[i]);
            size_t next = search_first(starts, 0, n, is_earlier, &end_of);
            look_at_run(&p->runs[i], &all[i], next < n ? starts[next] : INFINITY, limit);
        }
        p->runs[i].is.weight = weight_of(&all[i], &p->runs[i]);
    }
    free(starts);
}

/* --- hours of the day --------------------------------------------------------------- */

/* Returns the hour of the day, 0 to 23, for any finite time. */
static size_t hour_of(double seconds)
{
    double hour = fmod(floor(seconds / 3600), HOURS);
    return (size_t)(hour < 0 ? hour + HOURS : hour);
}

/* Adds weight times the seconds in each hour of the day between these times, at most one
 * day. */
static void add_hours(double hours[HOURS], double from, double to, double weight)
{
    const double hour = 3600, sane = 1e12;
    if (!(fabs(from) < sane) || !(to - from <= HOURS * hour))
        return;
    for (double h = floor(from / hour); h * hour < to; h++) {
        double seconds = fmin(to, (h + 1) * hour) - fmax(from, h * hour);
        hours[hour_of(h * hour)] += weight * seconds;
    }
}

/* --- periods ---- */

struct placed {
    uint32_t group, host;
    double begin, end;
    size_t run;
};

static int pool_by_place(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->host != y->host)
        return x->host < y->host ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return (x->run > y->run) - (x->run < y->run);
}

/* Runs that are counted, by pool; in it by their ends. */
static struct placed *pool_place(const struct pools *p, enum scope scope, size_t *count)
{
    struct placed *all = alloc_zeroed(array_bytes(p->of->len, sizeof(*all)));
    *count = 0;
    for (size_t i = 0; i < p->of->len; i++) {
        const struct hd_run_record *r = &p->of->all[i];
        if (!pool_counts(&p->runs[i], r))
            continue;
        all[(*count)++] =
            (struct placed){p->runs[i].group, scope == BY_HOST ? p->runs[i].host : 0,
                            r->times[0], pool_end(r), i};
    }
    if (*count > 0)
        qsort(all, *count, sizeof(*all), pool_by_place);
    return all;
}

static bool begins_pool(const struct placed *all, size_t i)
{
    return i == 0 || all[i].group != all[i - 1].group || all[i].host != all[i - 1].host;
}

/* The fewest times that meet all runs, so the most runs that do not overlap: a period is
 * what has not ended when its first run does. */
static void make_scope(struct pools *p, enum scope scope, struct arena *arena)
{
    size_t n;
    struct placed *all = pool_place(p, scope, &n);
    struct scoped *s = &p->scopes[scope];
    double end = 0;
    for (size_t i = 0; i < n; i++)
        s->pool_count += begins_pool(all, i);
    *s = (struct scoped){.pools = arena_array(arena, struct pool, s->pool_count),
                         .periods = arena_array(arena, struct period, n)};
    for (size_t i = 0; i < n; i++) {
        const struct pool_run *run = &p->runs[all[i].run];
        const struct hd_run_record *r = &p->of->all[all[i].run];
        s->pool_count += begins_pool(all, i);
        struct pool *pool = &s->pools[s->pool_count - 1];
        if (begins_pool(all, i) || all[i].begin >= end) {
            end = all[i].end;
            pool->periods++;
            s->periods[s->period_count++].pool = s->pool_count - 1;
        }
        p->runs[all[i].run].period[scope] = s->period_count - 1;
        s->periods[s->period_count - 1].runs++;
        s->periods[s->period_count - 1].chance += run->chance;
        for (size_t k = run->first; k + 1 < r->count; k++)
            add_hours(pool->hours, r->times[k], r->times[k + 1], 1);
    }
    for (uint32_t i = 0; i < s->period_count; i++) {
        const struct period *w = &s->periods[i];
        struct pool *pool = &s->pools[w->pool];
        pool->chance += w->chance / (double)w->runs / (double)pool->periods;
    }
    free(all);
}

/* --- builds ---- */

/* Joins a build that was not used long enough with later ones, until they were: with a
 * deployment every few hours, no build has enough evidence alone. Runs without a build form
 * the last group. */
static void group_builds(struct pools *p)
{
    const struct service_runs *of = p->of;
    for (size_t i = 0; i < of->len; i++)
        p->runs[i].group = onset_build_of(of->builds, &of->all[i]);
    size_t n;
    struct placed *all = pool_place(p, BY_BUILD, &n);
    uint32_t group = 0;
    uint64_t periods = 0;
    double end = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        bool is_new = i > 0 && all[i].group != all[i - 1].group;
        if (is_new && (periods >= pool_by.enough || all[i].group == NO_BUILD)) {
            group++;
            periods = 0;
            end = -INFINITY;
        }
        if (all[i].begin >= end) {
            periods++;
            end = all[i].end;
        }
        p->runs[all[i].run].group = group;
    }
    free(all);
}

struct pools *pools_make(const struct service_runs *of, uint64_t limit, struct arena *arena)
{
    struct pools *p = arena_alloc(arena, sizeof(*p));
    *p = (struct pools){.of = of, .runs = arena_array(arena, struct pool_run, of->len)};
    const struct hd_run_record *all = of->all;
    uint32_t host = 0;
    for (size_t i = 0, end; i < of->len; i = end) {
        for (end = i + 1;
             end < of->len && fleet_order(all[end].run.host, all[i].run.host) == 0;)
            end++;
        look_at_host(p, i, end, host++, limit);
    }
    group_builds(p);
    for (enum scope s = 0; s < SCOPES; s++)
        make_scope(p, s, arena);
    pools_set_suspects(p, 1);
    return p;
}

/* Pools that cannot become significant, whatever their runs have, do not count as tests. */
void pools_set_suspects(struct pools *p, size_t suspects)
{
    for (enum scope s = 0; s < SCOPES; s++) {
        double level = log(pool_by.level / SCOPES), tests = 0;
        for (uint32_t i = 0; i < p->scopes[s].pool_count; i++) {
            const struct pool *pool = &p->scopes[s].pools[i];
            tests += pool->periods * log(pool->chance) <= level;
        }
        tests *= (double)suspects;
        p->level[s] = level - log(tests > 1 ? tests : 1);
    }
}

/* --- what a suspect shows ---- */

/* Collects its known retained bytes after start-up. */
static void take_points(struct points *to, const struct hit *hit, size_t first)
{
    fleet_points(to, hit->run->times + first, hit->finding->retained + first,
                 hit->run->count - first);
}

/* True if its process came near its limit, with this suspect as a considerable part. */
static bool kills(const struct pool_run *run, const struct hit *hit)
{
    size_t last = hit->run->count - 1;
    const uint64_t *at = hit->finding->retained;
    if (!run->is.ended_near || at[0] == HD_UNKNOWN || at[last] == HD_UNKNOWN)
        return false;
    double rest = hit->finding->per_hour > 0 ? hit->finding->per_hour * run->more : 0;
    return (double)at[last] + rest - (double)at[0] >= pool_by.killer * run->limit;
}

static bool shows(const struct pool_run *run, const struct hit *hit,
                  const struct points *at)
{
    if (!pool_counts(run, hit->run))
        return false;
    return run->is.weight == RUN_JUDGED || kills(run, hit) ||
           (at->trend.n >= MIN_POINTS && trend_grows(&at->trend) &&
            at->x[0] >= pool_begin(hit->run) + pool_by.start);
}

/* Returns the rate of the second half relative to the first; NAN if undefined. */
static double pace_of(const struct trend *t)
{
    size_t middle = t->n / 2;
    double first;
    if (t->n < MIN_POINTS)
        return NAN;
    first = trend_slope(t, 0, middle + 1);
    return first > 0 ? trend_slope(t, middle, t->n - middle) / first : INFINITY;
}

/* Totals of the hits in a pool. */
struct tally {
    double share; /* sum over periods of the share of their runs */
    uint64_t periods, ends;
    double seen[HOURS], grown[HOURS]; /* seconds; bytes */
    bool ended[HOURS];
    double *paces;
    size_t paced;
};

struct shown {
    struct hit *hit;
    const struct pool_run *run;
    uint32_t period;
};

static int by_period(const void *a, const void *b)
{
    const struct shown *x = a, *y = b;
    if (x->period != y->period)
        return x->period < y->period ? -1 : 1;
    return (x->hit > y->hit) - (x->hit < y->hit);
}

static void add_hit(struct tally *t, const struct shown *s, const struct period *w,
                    bool is_new_period, bool is_new_end)
{
    struct points at;
    take_points(&at, s->hit, s->run->first);
    t->share += 1 / (double)w->runs;
    t->periods += is_new_period;
    for (size_t k = 0; k + 1 < at.trend.n; k++) {
        double from = at.x[k], to = at.x[k + 1];
        add_hours(t->seen, from, to, 1);
        add_hours(t->grown, from, to, (at.y[k + 1] - at.y[k]) / (to - from));
    }
    double pace = s->run->is.weight == RUN_POOLED ? pace_of(&at.trend) : NAN;
    if (!isnan(pace))
        t->paces[t->paced++] = pace;
    if (!kills(s->run, s->hit))
        return;
    t->ended[hour_of(pool_end(s->hit->run))] = true;
    t->ends += is_new_end;
}

/* --- whether that is evidence ---- */

/* Returns ln of Hoeffding's bound for the probability that n independent shares with means
 * q have the mean s. */
static double chance_of(double n, double s, double q)
{
    s = fmin(s, 1);
    if (!(s > q))
        return 0;
    double without = s < 1 ? (1 - s) * log((1 - s) / (1 - q)) : 0;
    return -n * (s * log(s / q) + without);
}

/* In which it grows: where most of the time of runs is that of runs that show it. Few in a
 * row without a run do not part such hours. */
static unsigned growing_hours(const struct pool *pool, const struct tally *t)
{
    enum { NOT, EMPTY, GROWS } is[HOURS];
    unsigned grows = 0, empty = 0;
    size_t last = HOURS;
    for (size_t h = 0; h < HOURS; h++) {
        is[h] = !(pool->hours[h] > 0)                                 ? EMPTY
                : t->grown[h] > 0 && t->seen[h] >= pool->hours[h] / 2 ? GROWS
                                                                      : NOT;
        grows += is[h] == GROWS;
        last = is[h] == GROWS ? h : last;
    }
    for (size_t i = 1; last < HOURS && i <= HOURS; i++) {
        size_t h = (last + i) % HOURS;
        if (is[h] == GROWS && empty <= pool_by.gap)
            grows += empty;
        empty = is[h] == EMPTY ? empty + 1 : is[h] == GROWS ? 0 : pool_by.gap + 1;
    }
    return grows;
}

/* The shortest part of the day that holds all ends. */
static unsigned hours_apart(const bool ended[HOURS])
{
    unsigned longest = 0, empty = 0;
    for (size_t i = 0; i < (size_t)2 * HOURS; i++) {
        empty = ended[i % HOURS] ? 0 : empty + 1;
        longest = empty > longest ? empty : longest;
    }
    return longest < HOURS ? HOURS - longest : 0;
}

/* Result of a pool. */
struct verdict {
    enum hd_fleet_missing missing;
    double log_chance;
    uint64_t periods, periods_with;
    unsigned hours;
};

static struct verdict pool_judge(const struct pool *pool, struct tally *t, double level)
{
    double n = pool->periods;
    struct verdict v = {.log_chance = chance_of(n, t->share / n, pool->chance),
                        .periods = pool->periods,
                        .periods_with = t->periods,
                        .hours = growing_hours(pool, t)};
    bool ends = t->ends >= pool_by.ends && hours_apart(t->ended) >= pool_by.ends_apart;
    double pace = fleet_median(t->paces, t->paced);
    if (t->periods < pool_by.periods || n * log(pool->chance) > level)
        v.missing = HD_MISSING_RUNS;
    else if (v.log_chance > level)
        v.missing = HD_MISSING_SHARE;
    else if (!ends && v.hours < pool_by.hours)
        v.missing = HD_MISSING_HOURS;
    else if (pace < pool_by.pace)
        v.missing = HD_MISSING_PACE;
    return v;
}

/* --- all pools ---- */

static struct shown *take_shown(const struct pools *p, struct hit *hits, size_t count,
                                size_t *n)
{
    struct shown *all = alloc_zeroed(array_bytes(count, sizeof(*all)));
    struct points at;
    *n = 0;
    for (size_t i = 0; i < count; i++) {
        const struct pool_run *run = run_of(p, hits[i].run);
        take_points(&at, &hits[i], run->first);
        /* A run may show it more than once. */
        if (shows(run, &hits[i], &at) && (*n == 0 || all[*n - 1].run != run))
            all[(*n)++] = (struct shown){&hits[i], run, 0};
    }
    return all;
}

static void sort_shown(struct shown *all, size_t n, enum scope scope)
{
    for (size_t i = 0; i < n; i++)
        all[i].period = all[i].run->period[scope];
    if (n > 0)
        qsort(all, n, sizeof(*all), by_period);
}

/* Adds up the leading hits that are in one pool, ordered by period, and returns their
 * number. */
static size_t tally(struct tally *t, const struct scoped *s, const struct shown *all,
                    size_t n)
{
    size_t i = 0;
    double *paces = t->paces;
    uint32_t last_end = UINT32_MAX;
    *t = (struct tally){.paces = paces};
    for (; i < n && s->periods[all[i].period].pool == s->periods[all[0].period].pool; i++) {
        const struct shown *x = &all[i];
        bool is_new = i == 0 || x->period != all[i - 1].period;
        add_hit(t, x, &s->periods[x->period], is_new, x->period != last_end);
        last_end = kills(x->run, x->hit) ? x->period : last_end;
    }
    return i;
}

static bool says_more(const struct verdict *a, const struct verdict *b)
{
    bool x = a->missing == HD_MISSING_NOTHING, y = b->missing == HD_MISSING_NOTHING;
    return x != y ? x : a->log_chance < b->log_chance;
}

void pools_judge(const struct pools *p, struct hit *hits, size_t count,
                 struct hd_fleet_suspect *s)
{
    size_t n;
    struct shown *all = take_shown(p, hits, count, &n);
    const struct scoped *builds = &p->scopes[BY_BUILD], *hosts = &p->scopes[BY_HOST];
    bool *passed = alloc_zeroed(array_bytes(builds->pool_count, sizeof(*passed)));
    struct tally t = {.paces = alloc_zeroed(array_bytes(n, sizeof(double)))};
    struct verdict best = {.missing = HD_MISSING_SNAPSHOTS};
    sort_shown(all, n, BY_BUILD);
    for (size_t i = 0, len; i < n; i += len) {
        uint32_t pool = builds->periods[all[i].period].pool;
        len = tally(&t, builds, &all[i], n - i);
        struct verdict v = pool_judge(&builds->pools[pool], &t, p->level[BY_BUILD]);
        passed[pool] = v.missing == HD_MISSING_NOTHING;
        best = i == 0 || says_more(&v, &best) ? v : best;
    }
    sort_shown(all, n, BY_HOST);
    for (size_t i = 0, len; i < n; i += len) {
        const struct pool *pool = &hosts->pools[hosts->periods[all[i].period].pool];
        len = tally(&t, hosts, &all[i], n - i);
        struct verdict v = pool_judge(pool, &t, p->level[BY_HOST]);
        uint32_t of = builds->periods[all[i].run->period[BY_BUILD]].pool;
        bool is_evidence = v.missing == HD_MISSING_NOTHING;
        if (is_evidence && says_more(&v, &best))
            best = v;
        if (!is_evidence && !(passed[of] && t.share >= pool_by.share * pool->periods))
            continue;
        for (size_t k = i; k < i + len; k++)
            all[k].hit->counts = true;
    }
    s->missing = best.missing;
    s->periods = best.periods;
    s->periods_with = best.periods_with;
    s->pool_log_chance = best.log_chance;
    s->pool_hours = best.hours;
    free(t.paces);
    free(passed);
    free(all);
}

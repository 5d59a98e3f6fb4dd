/* Whether runs that show a suspect are evidence together, by the rule that pool.c has the
 * periods for. */
#include "fleet/pool.h"
#include "series/trend.h"

#include <math.h>
#include <stdlib.h>

/* --- what a suspect shows ---- */

struct points {
    double x[TREND_MAX_POINTS], y[TREND_MAX_POINTS];
    struct trend trend;
};

/* What it retained behind the start of the run, where that is known. */
static void take_points(struct points *to, const struct hit *hit, size_t first)
{
    size_t n = 0;
    for (size_t k = first; k < hit->run->count && n < TREND_MAX_POINTS; k++) {
        if (hit->finding->retained[k] == HD_UNKNOWN ||
            (n > 0 && !(hit->run->times[k] > to->x[n - 1])))
            continue;
        to->x[n] = hit->run->times[k];
        to->y[n++] = (double)hit->finding->retained[k];
    }
    to->trend = (struct trend){.n = n, .x = to->x, .y = to->y};
}

/* Its process came near its limit, and a good part of the way with what this retains. */
static bool kills(const struct pool_run *run, const struct hit *hit)
{
    size_t last = hit->run->count - 1;
    const uint64_t *at = hit->finding->retained;
    if (!run->is_near || at[0] == HD_UNKNOWN || at[last] == HD_UNKNOWN)
        return false;
    double rest = hit->finding->per_hour > 0 ? hit->finding->per_hour * run->more : 0;
    return (double)at[last] + rest - (double)at[0] >= pool_by.killer * run->limit;
}

static bool shows(const struct pool_run *run, const struct hit *hit,
                  const struct points *at)
{
    if (!pool_counts(run, hit->run))
        return false;
    return run->weight == RUN_JUDGED || kills(run, hit) ||
           (at->trend.n >= FEWEST_POINTS && trend_grows(&at->trend) &&
            at->x[0] >= pool_begin(hit->run) + pool_by.start);
}

/* The rate of the second half over that of the first; NAN if it has none. */
static double pace_of(const struct trend *t)
{
    size_t middle = t->n / 2;
    double first;
    if (t->n < FEWEST_POINTS)
        return NAN;
    first = trend_slope(t, 0, middle + 1);
    return first > 0 ? trend_slope(t, middle, t->n - middle) / first : INFINITY;
}

/* What the hits in a pool come to. */
struct tally {
    double share; /* sum over periods of the share of their runs */
    uint64_t periods, ends;
    double seen[HOURS], grown[HOURS]; /* seconds; bytes */
    bool ended[HOURS];
    double *paces;
    size_t paced;
};

static void add_growth(struct tally *t, const struct points *at)
{
    for (size_t k = 0; k + 1 < at->trend.n; k++) {
        double from = at->x[k], to = at->x[k + 1];
        pool_add_hours(t->seen, from, to, 1);
        pool_add_hours(t->grown, from, to, (at->y[k + 1] - at->y[k]) / (to - from));
    }
}

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
    add_growth(t, &at);
    double pace = s->run->weight == RUN_POOLED ? pace_of(&at.trend) : NAN;
    if (!isnan(pace))
        t->paces[t->paced++] = pace;
    if (!kills(s->run, s->hit))
        return;
    t->ended[pool_hour_of(pool_end(s->hit->run))] = true;
    t->ends += is_new_end;
}

/* --- whether that is evidence ---- */

/* ln of Hoeffding's bound: that the mean of n independent shares, whose means are q, is s
 * by chance. */
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

/* What a pool says. */
struct verdict {
    enum hd_fleet_missing missing;
    double log_chance;
    uint64_t periods, periods_with;
    unsigned hours;
};

static struct verdict judge(const struct pool *pool, struct tally *t, double level)
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
        const struct pool_run *run = pool_run_of(p, hits[i].run);
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

/* Hits from here on that are in one pool, in order of periods: what they come to. */
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

static void keep(struct hd_fleet_suspect *s, const struct verdict *v)
{
    s->missing = v->missing;
    s->periods = v->periods;
    s->periods_with = v->periods_with;
    s->pool_log_chance = v->log_chance;
    s->pool_hours = v->hours;
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
        struct verdict v = judge(&builds->pools[pool], &t, p->level[BY_BUILD]);
        passed[pool] = v.missing == HD_MISSING_NOTHING;
        best = i == 0 || says_more(&v, &best) ? v : best;
    }
    sort_shown(all, n, BY_HOST);
    for (size_t i = 0, len; i < n; i += len) {
        const struct pool *pool = &hosts->pools[hosts->periods[all[i].period].pool];
        len = tally(&t, hosts, &all[i], n - i);
        struct verdict v = judge(pool, &t, p->level[BY_HOST]);
        uint32_t of = builds->periods[all[i].run->period[BY_BUILD]].pool;
        bool is_evidence = v.missing == HD_MISSING_NOTHING;
        if (is_evidence && says_more(&v, &best))
            best = v;
        if (!is_evidence && !(passed[of] && t.share >= pool_by.share * pool->periods))
            continue;
        for (size_t k = i; k < i + len; k++)
            all[k].hit->counts = true;
    }
    keep(s, &best);
    free(t.paces);
    free(passed);
    free(all);
}

/* What runs say together that are too short, or have too few snapshots, to be judged alone:
 * docs/fleet.md, "Runs that are judged together", has the rule and its reasons.
 *
 * Runs at one time share their load, so what is counted is periods, times that do not
 * overlap, and of each the share of its runs that show the suspect. In one period without a
 * leak it would grow with a probability that a random walk has; the bound on all of them is
 * Hoeffding's (Probability inequalities for sums of bounded random variables, JASA 58
 * (1963), theorem 1), which needs nothing of the runs within a period. Load that follows
 * the hour of the day and caches that fill are no chance: what speaks against these is that
 * it grows at nearly all hours, and as fast later in a run as before. */
#include "fleet/pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct pool_run *pool_run_of(const struct pools *p, const struct hd_run_record *r)
{
    return &p->runs[r - p->of->all];
}

enum run_weight pools_weight(const struct pools *p, const struct hd_run_record *run)
{
    return pool_run_of(p, run)->weight;
}

bool pools_ended_near(const struct pools *p, const struct hd_run_record *run)
{
    return pool_run_of(p, run)->is_near;
}

bool pools_was_followed(const struct pools *p, const struct hd_run_record *run)
{
    return pool_run_of(p, run)->was_followed;
}

/* --- one run ------------------------------------------------------------------------ */

bool pool_counts(const struct pool_run *run, const struct hd_run_record *r)
{
    return run->weight >= RUN_POOLED && r->count > 0;
}

double pool_begin(const struct hd_run_record *r)
{
    bool is_known = !isnan(r->run.started) && r->run.started <= r->times[0];
    return is_known ? r->run.started : r->times[0];
}

double pool_end(const struct hd_run_record *r)
{
    return r->times[r->count - 1];
}

/* Hours that its process, which ended when the next began, lived behind its last snapshot:
 * no more than until the one that was not taken. */
static double hours_behind(const struct hd_run_record *r, double next)
{
    double interval = (pool_end(r) - r->times[0]) / (double)(r->count - 1);
    return fmin(next - pool_end(r), interval) / 3600;
}

static bool ended_near(const struct hd_run_record *r, const struct pool_run *run)
{
    double growth = r->heap_per_hour > 0 ? r->heap_per_hour * run->more : 0;
    return r->heap[r->count - 1] != HD_UNKNOWN &&
           (double)r->heap[r->count - 1] + growth >= pool_by.near_limit * run->limit;
}

static enum run_weight weight_of(const struct hd_run_record *r, const struct pool_run *run)
{
    if (r->judgement != HD_UNSURE)
        return r->judgement == HD_JUDGED ? RUN_JUDGED : RUN_NOTHING;
    if (r->doubt == HD_DOUBT_PROCESSES || r->doubt == HD_DOUBT_INCOMPLETE)
        return RUN_COMPARED;
    return r->count - run->first >= FEWEST_POINTS || run->is_near ? RUN_POOLED
                                                                  : RUN_COMPARED;
}

/* The first of sorted times from there on; INFINITY. */
static double next_of(const double *times, size_t n, double from)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (times[middle] < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n ? times[low] : INFINITY;
}

static void look_at_run(struct pool_run *run, const struct hd_run_record *r, double next,
                        uint64_t limit)
{
    run->first = 0;
    while (run->first < r->count && r->times[run->first] < pool_begin(r) + pool_by.start)
        run->first++;
    run->was_followed = isfinite(next);
    limit = limit != HD_UNKNOWN ? limit : r->run.limit;
    if (r->count >= 2 && run->was_followed && limit != HD_UNKNOWN) {
        run->limit = (double)limit;
        run->more = hours_behind(r, next);
        run->is_near = ended_near(r, run);
    }
    if (run->is_near && r->count - run->first < FEWEST_POINTS)
        run->first = 0;
    size_t points = r->count - run->first;
    run->chance = points >= MANY_POINTS     ? pool_by.long_walk
                  : points >= FEWEST_POINTS ? pool_by.walk
                                            : pool_by.coin;
}

/* Runs of one host that follow each other. Where the host is not known none follows
 * another: they may be of many. */
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
        if (all[i].count > 0)
            look_at_run(&p->runs[i], &all[i], next_of(starts, n, pool_end(&all[i])), limit);
        p->runs[i].weight = weight_of(&all[i], &p->runs[i]);
    }
    free(starts);
}

static void look_at_runs(struct pools *p, uint64_t limit)
{
    const struct hd_run_record *all = p->of->all;
    uint32_t host = 0;
    for (size_t i = 0, end; i < p->of->len; i = end) {
        for (end = i + 1;
             end < p->of->len && fleet_order(all[end].run.host, all[i].run.host) == 0;)
            end++;
        look_at_host(p, i, end, host++, limit);
    }
}

/* --- hours of the day --------------------------------------------------------------- */

size_t pool_hour_of(double seconds)
{
    double hour = fmod(floor(seconds / 3600), HOURS);
    return (size_t)(hour < 0 ? hour + HOURS : hour);
}

void pool_add_hours(double hours[HOURS], double from, double to, double weight)
{
    const double hour = 3600, sane = 1e12;
    if (!(fabs(from) < sane) || !(to - from <= HOURS * hour))
        return;
    for (double h = floor(from / hour); h * hour < to; h++) {
        double seconds = fmin(to, (h + 1) * hour) - fmax(from, h * hour);
        hours[pool_hour_of(h * hour)] += weight * seconds;
    }
}

/* --- periods ---- */

struct placed {
    uint32_t group, host;
    double begin, end;
    size_t run;
};

static int by_place(const void *a, const void *b)
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
static struct placed *place(const struct pools *p, enum scope scope, size_t *count)
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
        qsort(all, *count, sizeof(*all), by_place);
    return all;
}

static bool begins_pool(const struct placed *all, size_t i)
{
    return i == 0 || all[i].group != all[i - 1].group || all[i].host != all[i - 1].host;
}

static struct scoped new_scope(const struct placed *all, size_t n, struct arena *arena)
{
    size_t pools = 0;
    for (size_t i = 0; i < n; i++)
        pools += begins_pool(all, i);
    return (struct scoped){.pools = arena_array(arena, struct pool, pools),
                           .periods = arena_array(arena, struct period, n)};
}

static void add_run(struct pool *pool, struct period *period, const struct pool_run *run,
                    const struct hd_run_record *r)
{
    period->runs++;
    period->chance += run->chance;
    for (size_t k = run->first; k + 1 < r->count; k++)
        pool_add_hours(pool->hours, r->times[k], r->times[k + 1], 1);
}

/* The fewest times that meet all runs, so the most runs that do not overlap: a period is
 * what has not ended when its first run does. */
static void make_scope(struct pools *p, enum scope scope, struct arena *arena)
{
    size_t n;
    struct placed *all = place(p, scope, &n);
    struct scoped *s = &p->scopes[scope];
    double end = 0;
    *s = new_scope(all, n, arena);
    for (size_t i = 0; i < n; i++) {
        s->pool_count += begins_pool(all, i);
        struct pool *pool = &s->pools[s->pool_count - 1];
        if (begins_pool(all, i) || all[i].begin >= end) {
            end = all[i].end;
            pool->periods++;
            s->periods[s->period_count++].pool = s->pool_count - 1;
        }
        p->runs[all[i].run].period[scope] = s->period_count - 1;
        add_run(pool, &s->periods[s->period_count - 1], &p->runs[all[i].run],
                &p->of->all[all[i].run]);
    }
    for (uint32_t i = 0; i < s->period_count; i++) {
        const struct period *w = &s->periods[i];
        struct pool *pool = &s->pools[w->pool];
        pool->chance += w->chance / (double)w->runs / (double)pool->periods;
    }
    free(all);
}

/* --- builds ---- */

/* A build that was not there for long enough is joined with those that followed it, until
 * they were: who deploys every few hours has no build that says anything alone. Runs that
 * tell none are one, the last. */
static void group_builds(struct pools *p)
{
    const struct service_runs *of = p->of;
    for (size_t i = 0; i < of->len; i++)
        p->runs[i].group = onset_build_of(of->builds, &of->all[i]);
    size_t n;
    struct placed *all = place(p, BY_BUILD, &n);
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
    look_at_runs(p, limit);
    group_builds(p);
    for (enum scope s = 0; s < SCOPES; s++)
        make_scope(p, s, arena);
    pools_set_suspects(p, 1);
    return p;
}

/* Pools that cannot say anything, whatever their runs show, are no tests. */
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

#include "ranking/process_growth.h"

#include "base/alloc.h"
#include "heap/process_facts.h"
#include "ranking/native_memory.h"
#include "series/ranking_constants.h"

#include <math.h>
#include <stdlib.h>

/* --- the rule ---------------------------------------------------------------------- */

static double step_of(const uint64_t *at, size_t k)
{
    return (double)at[k + 1] - (double)at[k];
}

static double mean_step(const uint64_t *at, size_t from, size_t to)
{
    return to > from ? ((double)at[to] - (double)at[from]) / (double)(to - from) : 0;
}

/* True if all steps except one in six rise; a negligible step does not count as rising. */
static bool rises_steadily(const uint64_t *at, size_t count)
{
    size_t steps = count - 1, flat = 0;
    double least = mean_step(at, 0, steps) * rank_by.process_least_step;
    for (size_t k = 0; k < steps; k++)
        flat += step_of(at, k) <= least;
    return flat * rank_by.process_flat_of < steps;
}

/* A start is over some time: the first step does not count, and of the others the later
 * ones are nearly as large as the earlier ones. */
static bool goes_on(const uint64_t *at, size_t count)
{
    size_t last = count - 1, middle = (1 + last) / 2;
    double before = mean_step(at, 1, middle), after = mean_step(at, middle, last);
    return after > 0 && after >= rank_by.process_goes_on * before;
}

static bool is_apart(const uint64_t *at, size_t count)
{
    uint64_t most = 0, least = UINT64_MAX;
    for (size_t k = 0; k < count / 2; k++)
        most = at[k] > most ? at[k] : most;
    for (size_t k = (count + 1) / 2; k < count; k++)
        least = at[k] < least ? at[k] : least;
    return least > most;
}

static bool is_the_collectors(enum hd_process_part part)
{
    return part == HD_PART_FREE || part == HD_PART_GC;
}

bool process_part_keeps_growing(enum hd_process_part part, const uint64_t *at, size_t count,
                                const struct process_ends *of)
{
    if (count < rank_by.enough_snapshots || at[count - 1] <= at[0])
        return false;
    double growth = (double)(at[count - 1] - at[0]);
    bool is_brief = of->seconds < rank_by.process_brief_seconds;
    double least = fmax(
        rank_by.process_least_share * (double)of->size,
        (double)(is_brief ? rank_by.process_brief_bytes : rank_by.process_least_bytes));
    if (is_the_collectors(part))
        return growth >= rank_by.process_gc_share * (double)of->last_size &&
               growth >= least && is_apart(at, count) && goes_on(at, count);
    return growth >= least && rises_steadily(at, count) && goes_on(at, count);
}

/* --- a series ---------------------------------------------------------------------- */

struct process_series {
    uint64_t size[SERIES_MAX_SNAPSHOTS], part[HD_PART_COUNT][SERIES_MAX_SNAPSHOTS],
        fact[HD_FACT_COUNT][SERIES_MAX_SNAPSHOTS];
    size_t at[SERIES_MAX_SNAPSHOTS]; /* their places in the series */
    size_t count;
};

/* Collects the snapshots that can be compared and have a size. */
static void take_known(struct process_series *p, const struct series *s)
{
    for (size_t i = 0; i < s->usable_count; i++) {
        const struct hd_snapshot *snap = s->snaps[s->usable[i]];
        uint64_t parts[HD_PART_COUNT];
        uint64_t size = hd_process_parts(&snap->facts, snap->info.bytes, parts);
        if (size == HD_UNKNOWN)
            continue;
        p->at[p->count] = s->usable[i];
        p->size[p->count] = size;
        for (int k = 0; k < HD_PART_COUNT; k++)
            p->part[k][p->count] = parts[k];
        for (int f = 0; f < HD_FACT_COUNT; f++)
            p->fact[f][p->count] = hd_fact(&snap->facts, (enum hd_fact)f);
        p->count++;
    }
}

static bool is_known(const uint64_t *at, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (at[k] == HD_UNKNOWN)
            return false;
    return count > 0;
}

static double growth_of(const uint64_t *at, size_t count)
{
    return is_known(at, count) ? (double)at[count - 1] - (double)at[0] : 0;
}

/* Sizes are from files, so differences are clamped. */
static int64_t difference(uint64_t first, uint64_t last)
{
    uint64_t n = last > first ? last - first : first - last;
    n = n < INT64_MAX ? n : INT64_MAX;
    return last > first ? (int64_t)n : -(int64_t)n;
}

/* The class of native memory that grew most. */
static enum hd_fact native_memory_class_of(const struct process_series *p)
{
    static const enum hd_fact classes[] = {HD_FACT_OF_ARENAS, HD_FACT_OF_BRK,
                                           HD_FACT_OF_LARGE, HD_FACT_OF_SMALL};
    enum hd_fact most = HD_FACT_COUNT;
    double best = 0;
    for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++) {
        double growth = growth_of(p->fact[classes[i]], p->count);
        if (growth > best) {
            best = growth;
            most = classes[i];
        }
    }
    return most;
}

/* True if the remainder is native memory in all snapshots: parts known in only some
 * snapshots would make it shrink and grow. */
static bool remainder_is_native(const struct process_series *p)
{
    for (enum hd_process_part k = HD_PART_GC; k < HD_PART_NATIVE; k++)
        for (size_t i = 1; i < p->count; i++)
            if ((p->part[k][i] == HD_UNKNOWN) != (p->part[k][0] == HD_UNKNOWN))
                return false;
    return is_known(p->part[HD_PART_GC], p->count);
}

static struct process_ends ends_of(const struct process_series *p, double seconds)
{
    return (struct process_ends){p->size[0], p->size[p->count - 1], seconds};
}

static void find_parts(struct hd_process_growth *g, const struct process_series *p,
                       double seconds)
{
    const struct process_ends ends = ends_of(p, seconds);
    enum hd_process_part end = remainder_is_native(p) ? HD_PART_COUNT : HD_PART_NATIVE;
    for (enum hd_process_part k = HD_PART_FREE; k < end; k++)
        g->keeps_growing[k] = is_known(p->part[k], p->count) &&
                              process_part_keeps_growing(k, p->part[k], p->count, &ends);
}

/* Parts from `from` on with sustained growth. */
struct growing_parts {
    enum hd_process_part most; /* by growth; or HD_PART_COUNT */
    double bytes;              /* their total */
};

static struct growing_parts parts_that_grow(const struct hd_process_growth *g,
                                            const struct process_series *p,
                                            enum hd_process_part from)
{
    struct growing_parts all = {HD_PART_COUNT, 0};
    double most = 0;
    for (enum hd_process_part k = from; k < HD_PART_COUNT; k++) {
        double growth = g->keeps_growing[k] ? growth_of(p->part[k], p->count) : 0;
        all.bytes += growth;
        if (growth > most) {
            most = growth;
            all.most = k;
        }
    }
    return all;
}

/* The growth of objects, without those in memory that the collector had: these
 * explain no growth of the process. */
static double growth_of_objects(const struct process_series *p)
{
    double objects = growth_of(p->part[HD_PART_OBJECTS], p->count),
           managed = objects + growth_of(p->part[HD_PART_FREE], p->count);
    if (is_known(p->part[HD_PART_GC], p->count)) {
        managed = 0;
        for (enum hd_process_part k = HD_PART_OBJECTS; k <= HD_PART_GC; k++) {
            uint64_t first = p->part[k][0], last = p->part[k][p->count - 1];
            managed += last != HD_UNKNOWN ? (double)last : 0;
            managed -= first != HD_UNKNOWN ? (double)first : 0;
        }
    }
    return fmax(fmin(objects, managed), 0);
}

/* The growth of the process. If it does not grow, because the collector returns memory, the
 * gains of all parts; memory within the collector's is one part. */
static double rise_of(const struct hd_process_growth *g, const struct process_series *p,
                      double of_objects)
{
    double rise = of_objects;
    if (g->growth > 0)
        return (double)g->growth;
    for (enum hd_process_part k = HD_PART_CODE; k < HD_PART_COUNT; k++)
        rise += fmax(growth_of(p->part[k], p->count), 0);
    return rise;
}

/* True if the growth of the process is sustained, and the known parts have half at most. */
static bool is_undivided(const struct hd_process_growth *g, const struct process_series *p,
                         double seconds)
{
    const struct process_ends ends = ends_of(p, seconds);
    uint64_t rest[SERIES_MAX_SNAPSHOTS];
    bool is_divided =
        remainder_is_native(p) && is_known(p->part[HD_PART_OBJECTS], p->count);
    if (is_divided || g->growth <= 0 || g->explained >= rank_by.process_explained)
        return false;
    for (size_t i = 0; i < p->count; i++)
        rest[i] = p->size[i];
    for (enum hd_process_part k = HD_PART_OBJECTS; k < HD_PART_NATIVE; k++)
        for (size_t i = 0; is_known(p->part[k], p->count) && i < p->count; i++)
            rest[i] -= p->part[k][i] < rest[i] ? p->part[k][i] : rest[i];
    return process_part_keeps_growing(HD_PART_NATIVE, rest, p->count, &ends) &&
           growth_of(rest, p->count) >= rank_by.process_part * (double)g->growth;
}

static const char *hint_of_part(enum hd_process_part part)
{
    switch (part) {
    case HD_PART_FREE:
        return "heap-fragmented";
    case HD_PART_GC:
        return "collector-keeps";
    case HD_PART_STACKS:
        return "thread-never-ends";
    case HD_PART_FILES:
        return "mapped-files-kept";
    case HD_PART_CODE:
        return "compiled-code-kept";
    default:
        return "native-memory-grows";
    }
}

/* Numbers of all snapshots, HD_UNKNOWN where they are not known. */
static uint64_t *per_snapshot(const struct series *s, const struct process_series *p,
                              const uint64_t *known, struct arena *a)
{
    uint64_t *at = arena_array(a, uint64_t, s->count);
    for (size_t k = 0; k < s->count; k++)
        at[k] = HD_UNKNOWN;
    for (size_t k = 0; k < p->count; k++)
        at[p->at[k]] = known[k];
    return at;
}

/* Finds objects whose native memory, which no snapshot shows, may have grown. */
static void find_holder(struct hd_process_growth *g, const struct series *s)
{
    const struct series_row *row = native_memory_holder_of(s);
    if (row == NULL)
        return;
    g->holder = row->name;
    g->holder_first = row->at[s->usable[0]].count;
    g->holder_last = row->at[s->usable[s->usable_count - 1]].count;
}

/* True if a number of descriptors rises in each snapshot. A descriptor that is opened and
 * not closed costs little memory. */
static bool is_opened(const uint64_t *at, size_t count)
{
    const uint64_t part = rank_by.process_opened_of;
    if (count < rank_by.enough_snapshots || !is_known(at, count))
        return false;
    for (size_t k = 1; k < count; k++)
        if (at[k] <= at[k - 1])
            return false;
    uint64_t more = at[count - 1] - at[0];
    return more >= rank_by.fewest_native && more >= at[0] / part;
}

/* Finds the parts of p that grew; p has two snapshots or more. */
static void find_where(struct hd_process_growth *g, const struct process_series *p,
                       double seconds)
{
    bool objects_known = is_known(p->part[HD_PART_OBJECTS], p->count);
    double of_objects = growth_of_objects(p);
    g->growth = difference(p->size[0], p->size[p->count - 1]);
    g->rise = rise_of(g, p, of_objects);
    g->explained = g->growth > 0 && objects_known ? of_objects / (double)g->growth : NAN;
    find_parts(g, p, seconds);
    struct growing_parts all = parts_that_grow(g, p, HD_PART_FREE),
                         outside = parts_that_grow(g, p, HD_PART_CODE);
    /* Memory that moves within the collector's needs a process that grows. */
    if (g->growth <= 0 && outside.most != HD_PART_COUNT)
        all = outside;
    bool counts = g->growth > 0 || outside.most != HD_PART_COUNT;
    g->where = all.most;
    g->within = g->where == HD_PART_NATIVE ? native_memory_class_of(p) : HD_FACT_COUNT;
    g->hint = g->where != HD_PART_COUNT ? hint_of_part(g->where) : NULL;
    g->is_outside = g->where != HD_PART_COUNT && counts && objects_known &&
                    of_objects < rank_by.process_explained * g->rise &&
                    all.bytes >= rank_by.process_part * g->rise;
    g->is_undivided = !g->is_outside && is_undivided(g, p, seconds);
}

const struct hd_process_growth *process_growth_of(const struct series *s, struct arena *a)
{
    struct process_series *p = alloc_zeroed(sizeof(*p));
    struct hd_process_growth *g = NULL;
    take_known(p, s);
    if (p->count >= 2) {
        g = arena_alloc(a, sizeof(*g));
        *g = (struct hd_process_growth){.known = p->count,
                                        .size = per_snapshot(s, p, p->size, a),
                                        .threads =
                                            per_snapshot(s, p, p->fact[HD_FACT_THREADS], a),
                                        .first = p->at[0],
                                        .last = p->at[p->count - 1]};
        for (int k = 0; k < HD_PART_COUNT; k++)
            g->parts[k] = per_snapshot(s, p, p->part[k], a);
        for (enum hd_fact f = HD_FACT_SOCKETS; f <= HD_FACT_OTHERS; f++)
            g->is_opened[f] = is_opened(p->fact[f], p->count);
        find_where(g, p, s->clock_seconds);
        if (g->where == HD_PART_NATIVE || g->where == HD_PART_FILES)
            find_holder(g, s);
    }
    free(p);
    return g;
}

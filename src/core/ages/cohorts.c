#include "ages/cohorts.h"

#include "series/ranking_constants.h"
#include "series/trend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A cohort fits six bits. OLD marks objects that the first snapshot has. */
enum { COHORT = 0x3F, OLD = 0x80 };

/* Returns the path of each node, malloc'd; NO_PATH if it is not counted. */
static path_id *paths_of(const struct cohorts *b, size_t k, const struct hd_snapshot *snap)
{
    const struct full_tree *f = &b->t->full[k];
    uint32_t nodes = snap->graph->node_count;
    path_id *counted = alloc_unknown(f->len + 1), *path = alloc_unknown((size_t)nodes + 1);
    for (path_id p = 0; p < f->len; p++)
        if (b->t->labels.all[f->label[p]].kind == TYPE_OBJECT)
            counted[p] = f->cut[p];
    for (node_id n = 0; n < nodes; n++)
        if (f->at_node[n] != NO_PATH &&
            snapshot_selects(snap, n, b->selection & SELECT_GEN2))
            path[n] = counted[f->at_node[n]];
    free(counted);
    return path;
}

static uint32_t *cohorts_cell(struct cohorts *b, path_id p, size_t cohort, size_t k)
{
    uint32_t *row = &b->row[p * b->n + cohort];
    if (*row == 0) {
        size_t numbers = b->n - cohort;
        while (b->len + numbers > b->cap) {
            b->cap = b->cap > 0 ? array_bytes(b->cap, 2) : 4096;
            b->cell = alloc_resize(b->cell, array_bytes(b->cap, sizeof(*b->cell)));
        }
        memset(&b->cell[b->len], 0, numbers * sizeof(*b->cell));
        *row = 1 + (uint32_t)b->len;
        b->len += numbers;
    }
    return &b->cell[*row - 1 + (k - cohort)];
}

static uint64_t *fresh_at(struct cohorts *b, size_t k, path_id p)
{
    return &b->fresh[b->t->label[p] * b->n + k];
}

static void cohorts_count(struct cohorts *b, size_t k, const struct hd_snapshot *snap)
{
    const struct graph *g = snap->graph;
    for (node_id n = 0; b->kept != NULL && n < g->node_count; n++)
        b->kept[g->type[n]] +=
            (b->cohort[n] & OLD) != 0 && snapshot_selects(snap, n, b->selection);
    for (node_id n = 0; n < g->node_count; n++) {
        path_id p = b->path[n];
        size_t cohort = b->cohort[n] & COHORT;
        if (p == NO_PATH)
            continue;
        ++*cohorts_cell(b, p, cohort, k);
        ++*fresh_at(b, k, p);
        if (k + 1 == b->n && cohort > 0) {
            b->survived[p] += graph_size(g, n);
            b->arrived[b->t->full[k].at_node[n]]++;
        }
    }
}

static void cohorts_begin_empty(struct cohorts *b, const struct ownership_tree *t,
                                enum selection selection)
{
    size_t cells = array_bytes(t->len, t->snapshots);
    size_t labels = array_bytes(t->labels.len, t->snapshots);
    *b = (struct cohorts){.t = t,
                          .n = t->snapshots,
                          .source = HD_SAME_BY_EVENTS,
                          .selection = selection,
                          .row = alloc_zeroed(array_bytes(cells, sizeof(*b->row))),
                          .left = alloc_zeroed(array_bytes(cells, sizeof(*b->left))),
                          .fresh = alloc_zeroed(array_bytes(labels, sizeof(*b->fresh))),
                          .survived =
                              alloc_zeroed(array_bytes(t->len, sizeof(*b->survived)))};
}

void cohorts_begin(struct cohorts *b, const struct ownership_tree *t,
                   const struct hd_snapshot *first, enum selection selection)
{
    uint32_t nodes = first->graph->node_count;
    cohorts_begin_empty(b, t, selection);
    b->cohort = alloc_zeroed((size_t)nodes + 1);
    memset(b->cohort, OLD, nodes);
    b->path = paths_of(b, 0, first);
    cohorts_count(b, 0, first);
}

void cohorts_add(struct cohorts *b, size_t k, const struct hd_snapshot *newer,
                 const struct same *same)
{
    uint32_t nodes = newer->graph->node_count;
    if (same->source < b->source)
        b->source = same->source;
    if (b->source == HD_SAME_UNKNOWN)
        return;
    unsigned char *cohort = alloc_zeroed((size_t)nodes + 1);
    memset(cohort, (int)k, nodes);
    path_id *path = paths_of(b, k, newer);
    for (node_id n = 0; n < same->count; n++) {
        path_id from = b->path[n];
        node_id to = same->next[n];
        bool survives = false;
        if (to != NO_NODE) {
            unsigned char old = b->cohort[n] & OLD;
            path_id now = path[to];
            survives = from != NO_PATH && now == from;
            if (now != NO_PATH)
                --*fresh_at(b, k, now); /* cohorts_count() adds all */
            cohort[to] = survives ? b->cohort[n] : old != 0 ? OLD : (unsigned char)k;
        }
        if (from != NO_PATH && !survives && (b->cohort[n] & COHORT) == 0)
            b->left[from * b->n + k - 1]++;
    }
    free(b->cohort);
    free(b->path);
    b->cohort = cohort;
    b->path = path;
    b->nodes = nodes;
    if (k + 1 == b->n) {
        b->kept =
            alloc_zeroed(array_bytes((size_t)newer->type_count + 1, sizeof(*b->kept)));
        b->arrived = alloc_zeroed(array_bytes(b->t->full[k].len, sizeof(*b->arrived)));
    }
    cohorts_count(b, k, newer);
}

void cohorts_end(struct cohorts *b)
{
    size_t paths = b->t->len;
    free(b->path);
    b->path = NULL;
    for (node_id n = 0; n < b->nodes; n++)
        b->cohort[n] &= COHORT;
    b->survived_below = alloc_zeroed(array_bytes(paths, sizeof(*b->survived_below)));
    memcpy(b->survived_below, b->survived, paths * sizeof(*b->survived));
    for (size_t p = paths; p-- > 1;)
        b->survived_below[b->t->parent[p]] += b->survived_below[p];
}

void cohorts_free(struct cohorts *b)
{
    free(b->row);
    free(b->cell);
    free(b->left);
    free(b->survived);
    free(b->survived_below);
    free(b->fresh);
    free(b->kept);
    free(b->arrived);
    free(b->cohort);
    free(b->path);
    *b = (struct cohorts){0};
}

/* --- of digests ---------------------------------------------------------------------- */

/* Births from digests, which store at each place how many objects arrived in, and were
 * first seen in, which of the snapshots followed (heap/digest.h). If only some snapshots
 * are compared, objects that arrived between two count for the later one.
 *
 * An object that moved elsewhere and back between two compared snapshots counts as lost and
 * as new. */

struct digests {
    struct cohorts *b;
    const struct hd_snapshot *const *snaps;
    uint64_t *survivors; /* per path: of cohort 0 there now and in the snapshot before */
};

static const struct digest_ages *ages_of(const struct digests *d, size_t k)
{
    return &d->snaps[k]->digest->ages;
}

/* True if moment m is the last of the other's. All before it are the same, too: an idle
 * process has one token for several snapshots. Only the oldest may be left out. */
static bool is_last_of(const struct digest_ages *ages, uint32_t m,
                       const struct digest_ages *other)
{
    uint32_t left_out = other->moment_count - 1 - m;
    bool fits =
        m < other->moment_count && (left_out == 0 || ages->moment_count == AGES_MAX);
    return fits && memcmp(ages->moment, other->moment + left_out,
                          (m + 1) * sizeof(*ages->moment)) == 0;
}

/* Finds the moments of the first snapshots, up to k itself, in snapshot k. */
static bool find_moments(const struct digests *d, size_t k, uint32_t at[])
{
    const struct digest_ages *ages = ages_of(d, k);
    uint32_t m = 0;
    if (ages->moment_count == 0 || ages->source == HD_SAME_UNKNOWN)
        return false;
    for (size_t i = 0; i < k; i++, m++) {
        while (m + 1 < ages->moment_count && !is_last_of(ages, m, ages_of(d, i)))
            m++;
        if (m + 1 >= ages->moment_count)
            return false;
        at[i] = m;
    }
    at[k] = ages->moment_count - 1;
    return true;
}

static path_id cohorts_path_of(const struct digests *d, size_t k, uint32_t place)
{
    const struct full_tree *f = &d->b->t->full[k];
    return f->cut[f->at_place[place]];
}

/* Adds all objects as if they had always been there. */
static void add_all(struct digests *d, size_t k)
{
    const struct hd_snapshot *snap = d->snaps[k];
    const struct digest_places *p = &snap->digest->places;
    for (uint32_t i = 1; i < p->len; i++) {
        if (snap->types[p->type[i]].kind != TYPE_OBJECT)
            continue;
        path_id path = cohorts_path_of(d, k, i);
        *cohorts_cell(d->b, path, 0, k) += (uint32_t)p->at[i].count;
        d->survivors[path] += p->at[i].count;
        if (d->b->kept != NULL)
            d->b->kept[p->type[i]] += p->at[i].count;
    }
}

/* Then those with known ages. */
static void add_groups(struct digests *d, size_t k, const uint32_t at[])
{
    const struct digest_ages *ages = ages_of(d, k);
    const struct digest_places *p = &d->snaps[k]->digest->places;
    unsigned char cohort_of[AGES_MAX];
    /* The first snapshot that is compared at that moment or later. */
    size_t first = 0;
    for (uint32_t m = 0; m <= at[k]; m++) {
        while (at[first] < m)
            first++;
        cohort_of[m] = (unsigned char)first;
    }
    for (uint32_t i = 0; i < ages->len; i++) {
        path_id path = cohorts_path_of(d, k, ages->place[i]);
        size_t cohort = ages->born[i] <= at[0] ? 0 : cohort_of[ages->arrived[i]];
        uint32_t objects = (uint32_t)ages->objects[i];
        if (k > 0 && ages->born[i] > at[k - 1])
            *fresh_at(d->b, k, path) += objects;
        if (k > 0 && (cohort > 0 || ages->arrived[i] > at[k - 1]))
            d->survivors[path] -= objects;
        if (cohort == 0)
            continue;
        *cohorts_cell(d->b, path, 0, k) -= objects;
        *cohorts_cell(d->b, path, cohort, k) += objects;
        if (k + 1 == d->b->n) {
            d->b->survived[path] += ages->bytes[i];
            d->b->arrived[d->b->t->full[k].at_place[ages->place[i]]] += objects;
        }
        if (d->b->kept != NULL)
            d->b->kept[p->type[ages->place[i]]] -= objects;
    }
}

static void count_those_that_left(struct digests *d, size_t k)
{
    struct cohorts *b = d->b;
    for (path_id path = 0; path < b->t->len; path++) {
        uint32_t before = cohorts_at(b, path, 0, k - 1);
        b->left[path * b->n + k - 1] =
            before > d->survivors[path] ? before - (uint32_t)d->survivors[path] : 0;
    }
}

/* Unreachable objects survived, too. */
static void keep_lost(struct digests *d, size_t k, uint32_t first)
{
    const struct hd_snapshot *snap = d->snaps[k];
    const struct digest_ages *ages = ages_of(d, k);
    const struct hd_tally *lost = snap->digest->lost;
    for (size_t i = 0; i < (size_t)snap->type_count * HD_GENERATION_COUNT; i++)
        d->b->kept[i / HD_GENERATION_COUNT] += lost[i].count;
    for (uint32_t i = 0; i < ages->lost_len; i++)
        if (ages->lost_born[i] > first)
            d->b->kept[ages->lost_type[i]] -= ages->lost_objects[i];
}

static bool add(struct digests *d, size_t k)
{
    struct cohorts *b = d->b;
    const struct hd_snapshot *snap = d->snaps[k];
    uint32_t at[SERIES_MAX_SNAPSHOTS];
    if (snap->info.objects > UINT32_MAX || !find_moments(d, k, at))
        return false;
    if (ages_of(d, k)->source < b->source)
        b->source = ages_of(d, k)->source;
    if (k + 1 == b->n) {
        b->kept = alloc_zeroed(array_bytes((size_t)snap->type_count + 1, sizeof(*b->kept)));
        b->arrived = alloc_zeroed(array_bytes(b->t->full[k].len, sizeof(*b->arrived)));
    }
    free(d->survivors);
    d->survivors = alloc_zeroed(array_bytes(b->t->len, sizeof(*d->survivors)));
    add_all(d, k);
    add_groups(d, k, at);
    if (k > 0)
        count_those_that_left(d, k);
    if (b->kept != NULL && !(b->selection & SELECT_REACHABLE))
        keep_lost(d, k, at[0]);
    return true;
}

void cohorts_of_digests(struct cohorts *b, const struct ownership_tree *t,
                        const struct hd_snapshot *const *snaps, enum selection selection)
{
    struct digests d = {.b = b, .snaps = snaps};
    cohorts_begin_empty(b, t, selection);
    bool ok = !(selection & SELECT_GEN2);
    for (size_t k = 0; ok && k < b->n; k++)
        ok = add(&d, k);
    if (!ok)
        b->source = HD_SAME_UNKNOWN;
    free(d.survivors);
}

/* --- retention ------------------------------------------------------------------- */

/* The conditions are those of docs/ranking.md, one function each, in its order. */

struct population population_of(const struct cohorts *b, path_id p, size_t first,
                                unsigned age)
{
    struct population at = {.first = first, .steps = b->n - 1 - first - age};
    for (size_t i = 0; i < at.steps; i++) {
        size_t k = first + i + 1 + age;
        at.arrived[i] = cohorts_at(b, p, k - age, k);
        for (size_t c = 0; c < k - age; c++)
            at.left[i] += cohorts_lost(b, p, c, k - 1);
        at.all_arrived += at.arrived[i];
        at.all_left += at.left[i];
        at.all_survived += cohorts_at(b, p, first + i + 1, b->n - 1);
    }
    return at;
}

static bool some_of_each_survive(const struct cohorts *b, path_id p,
                                 const struct population *at)
{
    bool few = at->steps >= rank_by.few_steps &&
               at->all_arrived < rank_by.fewest_a_step * at->steps;
    size_t without = 0;
    for (size_t i = 0; i < at->steps; i++)
        without += cohorts_at(b, p, at->first + i + 1, b->n - 1) == 0;
    return without <= (few ? 1 : 0);
}

/* False for a place that fills: growth slows down. */
static bool goes_on(const struct cohorts *b, const struct population *at)
{
    size_t half = (at->steps + 1) / 2;
    uint64_t first = trend_sum(at->arrived, 0, half);
    uint64_t last = trend_sum(at->arrived, at->steps - half, at->steps);
    return b->n - at->first < rank_by.enough_snapshots ||
           (double)last >= rank_by.goes_on * (double)(first > 0 ? first : 1);
}

/* The fewer steps there are, the more alike they have to be: the smallest is a third of the
 * largest of two, a quarter of three, and so on. The length of a queue is random, too. */
static bool is_even(const struct population *at)
{
    uint64_t least = at->arrived[0], most = at->arrived[0];
    for (size_t i = 1; i < at->steps; i++) {
        least = at->arrived[i] < least ? at->arrived[i] : least;
        most = at->arrived[i] > most ? at->arrived[i] : most;
    }
    bool few = at->steps > 2 && at->all_arrived < rank_by.fewest_a_step * at->steps;
    return few || (at->steps + 1) * least >= most;
}

/* Only age 0 shows whether objects still arrive: higher ages count old arrivals. */
static bool has_newcomers(const struct cohorts *b, path_id p, unsigned age,
                          const struct population *at)
{
    if (at->all_arrived < rank_by.fewest_a_step * at->steps)
        return true;
    for (size_t k = b->n - age; k < b->n; k++)
        if ((uint64_t)cohorts_at(b, p, k, k) * rank_by.newcomers * at->steps <
            at->all_arrived)
            return false;
    return true;
}

/* True if departures have caught up with arrivals: a store that is full by now. */
static bool is_full(const struct population *at)
{
    size_t half = at->steps / 2 > 0 ? at->steps / 2 : 1;
    return (double)trend_sum(at->left, at->steps - half, at->steps) >
           rank_by.turnover * (double)trend_sum(at->arrived, at->steps - half, at->steps);
}

static uint64_t most_before(const uint64_t *all, size_t end)
{
    uint64_t most = 0;
    for (size_t k = 0; k < end; k++)
        most = all[k] > most ? all[k] : most;
    return most;
}

/* True for a new maximum: a place that was purged and fills again has been as large before.
 * The snapshot before the last may be as large already; and of many steps the last two are
 * less than a quarter. */
static bool sets_a_record(const struct cohorts *b, path_id p, const struct population *at)
{
    const uint64_t *all = &b->t->count[p * b->n], last = all[b->n - 1];
    size_t steps = b->n - 1 - at->first,
           late = (rank_by.late_steps * steps + 2) / rank_by.of_late_steps;
    size_t near = steps == 2 ? 1 : 2;
    uint64_t most = most_before(all, b->n - (late > near ? late : near));
    return last >= most_before(all, b->n - near) &&
           rank_by.record * (last - most) >= at->all_survived;
}

/* --- what lives on turnover ----------------------------------------------- */

static double chance_of(const struct population *at)
{
    return exp(chance_binomial_log(at->all_arrived + at->all_left,
                                   1 / (1 + rank_by.turnover), at->all_arrived));
}

/* True if the numbers at this age are compatible with turnover. */
static bool may_turn_over(const struct cohorts *b, path_id p, unsigned age,
                          const struct population *at)
{
    if (age == 0)
        return (double)at->all_left > rank_by.turnover * (double)at->all_arrived;
    return !some_of_each_survive(b, p, at) || chance_of(at) > rank_by.turnover_chance;
}

/* Objects that are present and that left, summed over steps. */
struct mortality {
    uint64_t there, died;
};

static double rate(const struct mortality *m)
{
    return m->there > 0 ? (double)m->died / (double)m->there : 0;
}

/* In a queue, a window, a list that is cleared now and then the oldest leave first, not
 * random ones. A leak within turnover loses mostly new ones. */
struct deaths {
    bool queues, hides_a_leak;
};

static struct deaths deaths_of(const struct cohorts *b, path_id p, size_t first)
{
    struct mortality young = {0}, old = {0};
    /* From the second snapshot on: objects that a step found new, and older ones. In the
     * first snapshot the new ones are unknown. */
    for (size_t k = first; k + 1 < b->n; k++)
        for (size_t c = 0; c <= k; c++) {
            struct mortality *of = c == k && k > first ? &young : &old;
            of->there += cohorts_at(b, p, c, k);
            of->died += cohorts_lost(b, p, c, k);
        }
    struct deaths d = {.hides_a_leak = rank_by.of_hidden_deaths * rate(&old) <=
                                       rank_by.hidden_deaths * rate(&young)};
    uint64_t arrived = 0;
    for (size_t k = first + 1; k < b->n; k++)
        arrived += cohorts_at(b, p, k, k);
    bool many = rank_by.one_of_queue * (young.died + old.died) >= arrived;
    if (!many || young.there == 0 || rate(&old) <= rank_by.queue_deaths * rate(&young))
        return d;
    double usual = (double)(young.died + 1) / (double)(young.there + 2);
    d.queues =
        old.died >= old.there ||
        exp(chance_binomial_log(old.there, usual, old.died)) <= rank_by.accumulation_chance;
    return d;
}

/* --- accumulation ----------------------------------------------------------- */

/* The share of arrivals still present that has been shown to survive; the last steps are
 * credited with the same rate. */
static double kept_share(const struct cohorts *b, path_id p, const struct population *at)
{
    uint64_t all = 0;
    for (size_t c = 1; c < b->n; c++)
        all += cohorts_at(b, p, c, b->n - 1);
    double kept =
        (double)at->all_survived * (double)(b->n - 1 - at->first) / (double)at->steps;
    return kept < (double)all ? kept / (double)all : 1;
}

/* True if it accumulates at an age, from snapshot `at->first` on. */
static bool accumulates_at(const struct cohorts *b, path_id p, unsigned age,
                           const struct population *at)
{
    return at->all_arrived >= rank_by.fewest_a_step && some_of_each_survive(b, p, at) &&
           goes_on(b, at) && is_even(at) && has_newcomers(b, p, age, at) && !is_full(at) &&
           sets_a_record(b, p, at);
}

/* --- what begins late ----------------------------------------------------- */

/* True if most arrivals that reached that age are there at the end. */
static bool mostly_survives(const struct cohorts *b, path_id p, size_t cohort, unsigned age)
{
    size_t grown = cohort + age < b->n ? cohort + age : b->n - 1;
    uint64_t survived = cohorts_at(b, p, cohort, b->n - 1);
    return survived > 0 && rank_by.mostly * survived >= cohorts_at(b, p, cohort, grown);
}

/* A leak may start late. The start is chosen after the fact, so the chance is multiplied by
 * the number of possible starts (Bonferroni). */
static void judge_late(const struct cohorts *b, path_id p, struct retention *best)
{
    for (unsigned age = 0; age < rank_by.ages && b->n > rank_by.fewest_late_steps + 1 + age;
         age++) {
        /* The snapshot after which every cohort mostly survives. */
        size_t first = b->n - 1;
        while (first > 0 && mostly_survives(b, p, first, age))
            first--;
        size_t starts = b->n - 1 - rank_by.fewest_late_steps - age;
        if (first == 0 || first > starts)
            continue;
        struct population at = population_of(b, p, first, age);
        bool accumulates = accumulates_at(b, p, age, &at) && !deaths_of(b, p, first).queues;
        double chance = accumulates ? (double)starts * chance_of(&at) : 1;
        if (chance > rank_by.accumulation_chance || chance >= best->chance)
            continue;
        *best = (struct retention){.accumulates = true,
                                   .age = age,
                                   .since = first,
                                   .chance = chance,
                                   .arrived = at.all_arrived,
                                   .died = at.all_left,
                                   .share = kept_share(b, p, &at)};
    }
}

/* --- the test ------------------------------------------------------------- */

/* True if half of the steps or more lack a match there, by order, as those of equal objects
 * in regions of their own do: departures are evidence only where others are matched. */
static bool is_unmatched(const struct cohorts *b, path_id p)
{
    size_t steps = 0;
    for (size_t k = 1; k < b->n; k++) {
        uint64_t same = 0;
        for (size_t c = 0; c < k; c++)
            same += cohorts_at(b, p, c, k);
        steps += same == 0;
    }
    return b->source != HD_SAME_BY_EVENTS && 2 * steps >= b->n - 1;
}

struct retention retention_test(const struct cohorts *b, path_id p)
{
    struct retention best = {.chance = 1, .share = 1};
    if (b->n < rank_by.some_snapshots)
        return best;
    struct population all = population_of(b, p, 0, 0);
    best.arrived = all.all_arrived;
    best.died = all.all_left;
    if (best.arrived == 0) /* most paths: no evidence */
        return best;
    best.has_of_each = some_of_each_survive(b, p, &all);
    best.is_unmatched = is_unmatched(b, p);
    struct deaths deaths = deaths_of(b, p, 0);
    best.queues = deaths.queues;
    bool hides = deaths.hides_a_leak && best.has_of_each;
    best.turns_over = b->n < rank_by.enough_snapshots || !hides ||
                      !trend_rises_always(&b->t->count[p * b->n], b->n);
    for (unsigned age = 0; age < rank_by.ages && b->n >= rank_by.some_snapshots + age;
         age++) {
        struct population at = age == 0 ? all : population_of(b, p, 0, age);
        best.turns_over &= may_turn_over(b, p, age, &at);
        bool accumulates = !deaths.queues && accumulates_at(b, p, age, &at);
        double chance = accumulates ? chance_of(&at) : 1;
        if (chance >= best.chance)
            continue;
        best.chance = chance;
        best.age = age;
        best.arrived = at.all_arrived;
        best.died = at.all_left;
        best.share = kept_share(b, p, &at);
    }
    best.accumulates = best.chance <= rank_by.accumulation_chance;
    if (!best.accumulates)
        judge_late(b, p, &best);
    return best;
}

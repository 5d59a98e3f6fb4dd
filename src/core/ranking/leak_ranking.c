/* Ranks paths first: heads summed up by type, with co-retained heads, and stores that leak
 * several types; then the remaining growth by type. The steps are those of docs/ranking.md,
 * one function each, in its order. */
#include "ranking/leak_ranking.h"

#include "base/arrays.h"
#include "heap/names.h"
#include "ranking/known_stores.h"
#include "ranking/path_growth.h"
#include "ranking/suspect_title.h"
#include "ranking/type_growth.h"
#include "series/ranking_constants.h"
#include "series/runtime_names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A place where something grows. */
struct leak_ranking_head {
    label_id label;
    uint32_t order; /* of the path, bytewise by its names */
    path_id path;
    bool pooled;
    bool steady;
    bool accumulates; /* its cohorts survive (cohorts.h) */
    double score;     /* max(0, credit) tau^2 */
    double total;     /* own score plus those of carried heads; 0 if carried itself */
    path_id carrier;  /* end of its chain of carriers; 0: not carried */
};

struct leak_ranker {
    const struct ownership_tree *t;
    const struct series *s;
    const struct suspect_line *line;
    size_t n;
    double heap; /* reachable bytes of the last snapshot */
    struct path_growths growths;
    struct type_cohorts by_type; /* with the clock; only if cohorts are known */
    struct load_clock clock;
    struct title_tree titles;
    struct leak_ranking_head *heads; /* the ranked by label, then path; then the pooled */
    size_t head_count;
    struct ranked_row *rows; /* by score, then the pooled */
    size_t row_count;
    size_t *row_of;         /* per label: its ranked row; NO_ROW */
    bool *turns_over;       /* per label: turns over at the place where it gained most */
    bool *queues;           /* per label: the oldest die first at the place where it gained
                               most */
    uint64_t *whole;        /* per label and snapshot: all objects */
    struct pair_table also; /* co-retained types of each row */
    struct arena *a;
    struct arena scratch;
};

#define NO_ROW SIZE_MAX

/* qsort has no context argument. */
struct ranked_row {
    struct ranked_type type;
    const char *name;
    int64_t more_objects;
    double steady;      /* part of the score that steady heads have */
    double accumulates; /* the same for heads that accumulate */
    bool gone;          /* merged into another row */
    label_id into;      /* type of the other row */
    size_t place_capacity;
};

/* Last minus first. */
static int64_t ranked_delta(const uint64_t *y, size_t n)
{
    return (int64_t)(y[n - 1] - y[0]);
}

static const char *ranked_name(const struct leak_ranker *r, label_id label)
{
    return r->t->labels.all[label].name;
}

/* --- co-retained heads ------------------------------------------------------------ */

/* Heads that are co-retained with another head: the keys that a leaked object shares with
 * its table, and so does not own alone.
 *
 * A carried head is not a separate finding; its score is added to its carrier, since it
 * would die with that. Rule: docs/ranking.md. */

#define NO_HEAD SIZE_MAX

struct head_joiner {
    struct leak_ranking_head *heads;
    size_t count;
    const struct path_growths *g;
    const struct title_tree *titles;
    size_t *head_of;         /* per path; NO_HEAD */
    size_t *carrier;         /* per head: its carrier; NO_HEAD */
    size_t *towards;         /* and one nearer to the end of its chain */
    enum title_place *place; /* of its title, if has_place */
    bool *has_place;
    const struct referrer_link **by_target; /* links that cover their targets */
    size_t link_count;
};

/* True if the head may carry or be carried: no root group, pool or growing buffer. */
static bool takes_part(const struct head_joiner *j, const struct leak_ranking_head *h)
{
    return !h->pooled && h->score > 0 && j->g->all[h->path].kind == GROWS_IN_COUNT;
}

static bool is_above(const struct head_joiner *j, path_id a, path_id b)
{
    const struct ownership_tree *t = j->g->t;
    const struct full_tree *f = &t->full[j->g->n - 1];
    path_id x = t->full_of[a * j->g->n + j->g->n - 1];
    path_id y = t->full_of[b * j->g->n + j->g->n - 1];
    return x != NO_PATH && y != NO_PATH && f->position[x] < f->position[y] &&
           f->position[y] < f->end[x];
}

/* Cached: it is needed for every reference, and the search may be long. */
static enum title_place place_of(struct head_joiner *j, const struct leak_ranking_head *h)
{
    size_t i = (size_t)(h - j->heads);
    if (!j->has_place[i])
        suspect_title_of(j->titles, h->path, &j->place[i]);
    j->has_place[i] = true;
    return j->place[i];
}

/* A class of the program may carry a larger head without one: the strings of a leaked
 * object may weigh more than its own data. */
static bool may_carry(struct head_joiner *j, const struct leak_ranking_head *carrier,
                      const struct leak_ranking_head *carried)
{
    return carried->score <= carrier->score ||
           (place_of(j, carrier) == TITLE_WITHIN && place_of(j, carried) != TITLE_WITHIN);
}

/* Returns the end of a head's chain of carriers, itself if it is not carried. A chain may
 * be as long as the number of heads, so paths are compressed. */
static size_t leak_ranking_end_of(struct head_joiner *j, size_t head)
{
    size_t end = head;
    while (j->carrier[end] != NO_HEAD)
        end = j->towards[end];
    while (head != end) {
        size_t next = j->towards[head];
        j->towards[head] = end;
        head = next;
    }
    return end;
}

static bool is_better_head(const struct leak_ranking_head *h,
                           const struct leak_ranking_head *than)
{
    return h->score != than->score ? h->score > than->score : h->order < than->order;
}

static int by_target(const void *a, const void *b)
{
    const struct referrer_link *x = *(const struct referrer_link *const *)a;
    const struct referrer_link *y = *(const struct referrer_link *const *)b;
    if (x->target != y->target)
        return x->target < y->target ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

static void index_links(struct head_joiner *j, struct arena *scratch)
{
    const struct referrers *r = j->g->referrers;
    j->by_target = arena_array(scratch, const struct referrer_link *, r->len);
    for (size_t i = 0; i < r->len; i++) {
        const struct referrer_link *link = &r->links[i];
        size_t from = j->head_of[link->from], to = j->head_of[link->target];
        if (from != NO_HEAD && to != NO_HEAD && takes_part(j, &j->heads[from]) &&
            takes_part(j, &j->heads[to]) && referrers_cover(r, link))
            j->by_target[j->link_count++] = link;
    }
    qsort(j->by_target, j->link_count, sizeof(struct referrer_link *), by_target);
}

static bool leads_to_earlier(const void *joining, size_t i, const void *target)
{
    return ((const struct head_joiner *)joining)->by_target[i]->target <
           *(const path_id *)target;
}

static void find_carrier(struct head_joiner *j, size_t carried)
{
    const struct leak_ranking_head *h = &j->heads[carried];
    size_t best = NO_HEAD;
    for (size_t i = search_first(j, 0, j->link_count, leads_to_earlier, &h->path);
         i < j->link_count && j->by_target[i]->target == h->path; i++) {
        size_t from = j->head_of[j->by_target[i]->from];
        const struct leak_ranking_head *c = &j->heads[from];
        if (best != NO_HEAD && !is_better_head(c, &j->heads[best]))
            continue;
        if (!is_above(j, c->path, h->path) && !is_above(j, h->path, c->path) &&
            may_carry(j, c, h) && leak_ranking_end_of(j, from) != carried)
            best = from;
    }
    j->carrier[carried] = j->towards[carried] = best;
}

/* qsort has no context argument. */
struct leak_ranking_turn {
    double score;
    uint32_t order;
    size_t head;
};

static int by_rising_score(const void *a, const void *b)
{
    const struct leak_ranking_turn *x = a, *y = b;
    if (x->score != y->score)
        return x->score < y->score ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Fills in total and carrier of the heads. O(links log heads). */
static void co_retained_join(struct leak_ranking_head *heads, size_t count,
                             const struct path_growths *g, const struct title_tree *titles)
{
    struct arena scratch = {0};
    struct head_joiner j = {.heads = heads, .count = count, .g = g, .titles = titles};
    struct leak_ranking_turn *turns =
        arena_array(&scratch, struct leak_ranking_turn, count);
    j.head_of = arena_array(&scratch, size_t, g->t->len);
    j.carrier = arena_array(&scratch, size_t, count);
    j.towards = arena_array(&scratch, size_t, count);
    j.place = arena_array(&scratch, enum title_place, count);
    j.has_place = arena_array(&scratch, bool, count);
    for (size_t p = 0; p < g->t->len; p++)
        j.head_of[p] = NO_HEAD;
    for (size_t i = 0; i < count; i++) {
        j.head_of[heads[i].path] = i;
        j.carrier[i] = NO_HEAD;
        turns[i] = (struct leak_ranking_turn){heads[i].score, heads[i].order, i};
    }
    index_links(&j, &scratch);
    qsort(turns, count, sizeof(*turns), by_rising_score);
    for (size_t i = 0; j.link_count > 0 && i < count; i++)
        if (takes_part(&j, &heads[turns[i].head]))
            find_carrier(&j, turns[i].head);
    /* In the same order, so that sums are the same everywhere. */
    for (size_t turn = 0; turn < count; turn++) {
        size_t i = turns[turn].head, end = leak_ranking_end_of(&j, i);
        heads[i].carrier = end != i ? heads[end].path : 0;
        heads[end].total += heads[i].score;
    }
    arena_free(&scratch);
}

/* --- heads --------------------------------------------------------------- */

/* By type, then in the order of paths: makes sums of doubles, and the choice between heads
 * with equal credit, the same everywhere. */
static int by_type(const void *a, const void *b)
{
    const struct leak_ranking_head *x = a, *y = b;
    if (x->pooled != y->pooled)
        return x->pooled ? 1 : -1;
    if (x->label != y->label)
        return x->label < y->label ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* A load may be constant per time or per interval between snapshots: either suffices. */
static bool is_steady(const struct leak_ranker *r, path_id p)
{
    double steps[SERIES_MAX_SNAPSHOTS];
    const uint64_t *c = &r->t->count[p * r->n];
    struct path_points points;
    if (r->growths.all[p].kind != GROWS_IN_COUNT ||
        ranked_delta(c, r->n) < rank_by.fewest_steady)
        return false;
    struct trend y = path_trend(r->t, r->s, r->t->label[p], c, c, &points);
    if (y.noise != NULL)
        return false;
    if (trend_rises_evenly(&y))
        return true;
    for (size_t k = 0; k < r->n; k++)
        steps[k] = (double)r->s->usable[k];
    y.x = steps;
    return r->s->by_clock && trend_rises_evenly(&y);
}

static void collect_heads(struct leak_ranker *r)
{
    r->heads = arena_array(&r->scratch, struct leak_ranking_head, r->t->len);
    for (path_id p = 1; p < r->t->len; p++) {
        const struct label *label = &r->t->labels.all[r->t->label[p]];
        if (r->growths.all[p].own <= 0 || label->kind != TYPE_OBJECT)
            continue;
        r->heads[r->head_count++] = (struct leak_ranking_head){
            .label = r->t->label[p],
            .order = r->growths.order[p],
            .path = p,
            .pooled = path_is_pooled(r->t, p),
            .steady = is_steady(r, p),
            .accumulates = r->growths.all[p].retention.accumulates,
            .score = path_score(&r->growths, p)};
    }
    qsort(r->heads, r->head_count, sizeof(*r->heads), by_type);
}

/* --- rows ---------------------------------------------------------------- */

static int64_t retained_more(const struct leak_ranker *r, path_id p)
{
    return ranked_delta(&r->t->retained[p * r->n], r->n);
}

/* Computes the least and the most that the steady heads gain together in a step. */
static void measure_steps(const struct leak_ranker *r, struct ranked_type *to,
                          const struct leak_ranking_head *heads, size_t count)
{
    for (size_t k = 1; k < r->n; k++) {
        uint64_t step = 0;
        for (size_t i = 0; i < count; i++)
            if (heads[i].steady && heads[i].carrier == 0)
                step += r->t->count[heads[i].path * r->n + k] -
                        r->t->count[heads[i].path * r->n + k - 1];
        to->step_least = k == 1 || step < to->step_least ? step : to->step_least;
        to->step_most = step > to->step_most ? step : to->step_most;
    }
}

/* Sums the heads of a type; carried ones belong to another row. */
static struct ranked_row sum_heads(const struct leak_ranker *r,
                                   const struct leak_ranking_head *heads, size_t count)
{
    struct ranked_row row = {.name = ranked_name(r, heads[0].label),
                             .place_capacity = count};
    struct ranked_type *sum = &row.type;
    *sum = (struct ranked_type){.label = heads[0].label,
                                .basis = HD_BASIS_GRAPH,
                                .pooled = heads[0].pooled,
                                .count = arena_array(r->a, uint64_t, r->n),
                                .retained = arena_array(r->a, uint64_t, r->n),
                                .places = arena_array(r->a, struct ranked_place, count)};
    for (size_t i = 0; i < count; i++) {
        path_id p = heads[i].path;
        if (heads[i].carrier != 0)
            continue;
        if (sum->place_count == 0 ||
            r->growths.all[p].credit > r->growths.all[sum->head].credit)
            sum->head = p;
        sum->score += heads[i].total;
        row.steady += heads[i].steady ? heads[i].total : 0;
        row.accumulates += heads[i].accumulates ? heads[i].total : 0;
        sum->places[sum->place_count++] = (struct ranked_place){p, heads[i].total};
        for (size_t k = 0; k < r->n; k++) {
            sum->count[k] += r->t->count[p * r->n + k];
            sum->retained[k] += r->t->retained[p * r->n + k];
        }
        sum->more += retained_more(r, p);
    }
    sum->tau = r->growths.all[sum->head].tau;
    sum->retention = r->growths.all[sum->head].retention;
    measure_steps(r, sum, heads, count);
    row.more_objects = ranked_delta(sum->count, r->n);
    return row;
}

static int leak_ranking_by_score(const void *a, const void *b)
{
    const struct ranked_row *x = a, *y = b;
    if (x->type.pooled != y->type.pooled)
        return x->type.pooled ? 1 : -1;
    if (x->gone != y->gone)
        return x->gone ? 1 : -1;
    bool x_suspect = x->type.suspicion != HD_SUSPECT_NOT;
    bool y_suspect = y->type.suspicion != HD_SUSPECT_NOT;
    if (x_suspect != y_suspect)
        return x_suspect ? -1 : 1;
    if (x->type.score != y->type.score)
        return x->type.score < y->type.score ? 1 : -1;
    if (x->more_objects != y->more_objects)
        return x->more_objects < y->more_objects ? 1 : -1;
    return strcmp(x->name, y->name);
}

static void ranked_sort_rows(struct leak_ranker *r)
{
    qsort(r->rows, r->row_count, sizeof(*r->rows), leak_ranking_by_score);
    for (size_t i = 0; i < r->t->labels.len; i++)
        r->row_of[i] = NO_ROW;
    for (size_t i = 0; i < r->row_count; i++)
        if (!r->rows[i].type.pooled && !r->rows[i].gone)
            r->row_of[r->rows[i].type.label] = i;
}

static void make_rows(struct leak_ranker *r)
{
    /* Types found as a whole are added later: at most one row per label. */
    size_t most = r->head_count + r->t->labels.len;
    r->rows = arena_array(&r->scratch, struct ranked_row, most);
    r->row_of = arena_array(&r->scratch, size_t, r->t->labels.len);
    for (size_t i = 0, end; i < r->head_count; i = end) {
        const struct leak_ranking_head *first = &r->heads[i];
        for (end = i + 1; end < r->head_count && r->heads[end].label == first->label &&
                          r->heads[end].pooled == first->pooled;)
            end++;
        struct ranked_row row = sum_heads(r, first, end - i);
        if (row.type.score > 0)
            r->rows[r->row_count++] = row;
    }
    ranked_sort_rows(r);
}

/* One row may have thousands: the capacity doubles, and duplicates are found by a table. */
static void add_also(struct leak_ranker *r, struct ranked_type *to, label_id label)
{
    uint32_t next = (uint32_t)to->also_count;
    if (label == to->label || pair_table_put(&r->also, to->label, label, next) != next)
        return;
    if ((to->also_count & (to->also_count - 1)) == 0) {
        size_t capacity = to->also_count > 0 ? 2 * to->also_count : 1;
        label_id *also = arena_array(r->a, label_id, capacity);
        if (to->also_count > 0)
            memcpy(also, to->also, to->also_count * sizeof(*also));
        to->also = also;
    }
    to->also[to->also_count++] = label;
}

static int by_falling_score(const void *a, const void *b)
{
    const struct leak_ranking_head *x = a, *y = b;
    if (x->score != y->score)
        return x->score < y->score ? 1 : -1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Lists the co-retained types of each row, the weightiest first. */
static void name_co_retained(struct leak_ranker *r)
{
    struct leak_ranking_head *carried =
        arena_array(&r->scratch, struct leak_ranking_head, r->head_count);
    size_t count = 0;
    for (size_t i = 0; i < r->head_count; i++)
        if (r->heads[i].carrier != 0)
            carried[count++] = r->heads[i];
    qsort(carried, count, sizeof(*carried), by_falling_score);
    for (size_t i = 0; i < count; i++) {
        size_t row = r->row_of[r->t->label[carried[i].carrier]];
        if (row == NO_ROW)
            continue;
        add_also(r, &r->rows[row].type, carried[i].label);
        r->rows[row].type.more += retained_more(r, carried[i].path);
    }
}

/* --- one store ------------------------------------------------------------ */

/* Returns the path directly above the largest head of a row, or 0: a root group is not a
 * store. */
static path_id store_of(const struct leak_ranker *r, const struct ranked_row *row)
{
    path_id above = r->t->parent[row->type.head];
    bool group = above == 0 || r->t->labels.all[r->t->label[above]].kind == TYPE_PSEUDO;
    bool small = !row->type.pooled && !reaches_line(r->line, row->type.score, r->heap);
    return small && !group ? above : 0;
}

static void merge_row(struct leak_ranker *r, size_t into, size_t from)
{
    struct ranked_type *to = &r->rows[into].type;
    struct ranked_row *row = &r->rows[from];
    size_t count = to->place_count + row->type.place_count;
    if (count > r->rows[into].place_capacity) {
        struct ranked_place *places = arena_array(r->a, struct ranked_place, 2 * count);
        memcpy(places, to->places, to->place_count * sizeof(*places));
        to->places = places;
        r->rows[into].place_capacity = 2 * count;
    }
    memcpy(&to->places[to->place_count], row->type.places,
           row->type.place_count * sizeof(*to->places));
    to->place_count = count;
    to->score += row->type.score;
    to->more += row->type.more;
    r->rows[into].steady += row->steady;
    r->rows[into].accumulates += row->accumulates;
    add_also(r, to, row->type.label);
    for (size_t i = 0; i < row->type.also_count; i++)
        add_also(r, to, row->type.also[i]);
    row->gone = true;
    row->into = to->label;
}

/* A leak that is split over the classes in one table. */
static void join_stores(struct leak_ranker *r)
{
    double *sum = arena_array(&r->scratch, double, r->t->len);
    size_t *first = arena_array(&r->scratch, size_t, r->t->len);
    for (size_t i = 0; i < r->row_count; i++)
        sum[store_of(r, &r->rows[i])] += r->rows[i].type.score;
    for (size_t i = r->row_count; i-- > 0;)
        first[store_of(r, &r->rows[i])] = i;
    path_id *store = arena_array(&r->scratch, path_id, r->row_count);
    for (size_t i = 0; i < r->row_count; i++)
        store[i] = store_of(r, &r->rows[i]);
    for (size_t i = 0; i < r->row_count; i++)
        if (store[i] != 0 && first[store[i]] != i &&
            reaches_line(r->line, sum[store[i]], r->heap))
            merge_row(r, first[store[i]], i);
}

/* --- one cause ------------------------------------------------------------ */

/* The gain of a row's largest head in each step. */
struct stepper {
    int64_t *steps;
    size_t count, row;
};

/* Divides by the greatest common divisor: three of a type per object of another have the
 * same cause. Equal steps are an even load, and no evidence of a common cause. */
static void divide_steps(int64_t *steps, size_t count)
{
    int64_t divisor = 0;
    bool are_equal = true;
    for (size_t k = 0; k < count; k++) {
        are_equal &= steps[k] == steps[0];
        for (int64_t b = steps[k]; b != 0;) {
            int64_t rest = divisor % b;
            divisor = b;
            b = rest;
        }
    }
    for (size_t k = 0; k < count && !are_equal; k++)
        steps[k] /= divisor;
}

static bool steps_up(const struct leak_ranker *r, int64_t *steps,
                     const struct ranked_row *row)
{
    path_id p = row->type.head;
    int64_t all = 0;
    if (row->gone || row->type.pooled || r->growths.all[p].kind != GROWS_IN_COUNT)
        return false;
    for (size_t k = 0; k + 1 < r->n; k++) {
        steps[k] =
            (int64_t)r->t->count[p * r->n + k + 1] - (int64_t)r->t->count[p * r->n + k];
        if (steps[k] <= 0)
            return false;
        all += steps[k];
    }
    if (all < rank_by.fewest_alike)
        return false;
    divide_steps(steps, r->n - 1);
    return true;
}

static int by_steps(const void *a, const void *b)
{
    const struct stepper *x = a, *y = b;
    for (size_t k = 0; k < x->count; k++)
        if (x->steps[k] != y->steps[k])
            return x->steps[k] < y->steps[k] ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* Types with the same gains in three or more steps have one cause, wherever they are held:
 * they are merged into the first, except those that are a finding by size alone. */
static void join_causes(struct leak_ranker *r)
{
    struct stepper *all = arena_array(&r->scratch, struct stepper, r->row_count);
    size_t count = 0;
    if (r->n < rank_by.enough_snapshots)
        return;
    int64_t steps[SERIES_MAX_SNAPSHOTS];
    for (size_t i = 0; i < r->row_count; i++) {
        if (!steps_up(r, steps, &r->rows[i]))
            continue;
        int64_t *kept = arena_array(&r->scratch, int64_t, r->n);
        memcpy(kept, steps, (r->n - 1) * sizeof(*steps));
        all[count++] = (struct stepper){kept, r->n - 1, i};
    }
    qsort(all, count, sizeof(*all), by_steps);
    for (size_t i = 0, first = 0; i < count; i++) {
        if (memcmp(all[first].steps, all[i].steps, (r->n - 1) * sizeof(*steps)) != 0)
            first = i;
        if (first != i && !reaches_line(r->line, r->rows[all[i].row].type.score, r->heap))
            merge_row(r, all[first].row, all[i].row);
    }
}

/* --- suspects -------------------------------------------------------------- */

/* Matching by order may count a lost batch as dead. Such deaths do not acquit types that
 * rise more evenly than chance, nor large ones with few losses. */
static bool is_by_order(const struct leak_ranker *r)
{
    return r->growths.cohorts != NULL && r->growths.cohorts->source < HD_SAME_BY_EVENTS;
}

static bool is_by_events(const struct leak_ranker *r)
{
    return r->growths.cohorts != NULL && !is_by_order(r);
}

/* Sums the births and deaths of all places of a row. */
static struct population row_population(const struct leak_ranker *r,
                                        const struct ranked_row *row)
{
    struct population all = {.steps = r->n - 1};
    for (size_t i = 0; i < row->type.place_count; i++) {
        struct population at =
            population_of(r->growths.cohorts, row->type.places[i].path, 0, 0);
        for (size_t k = 0; k < all.steps; k++)
            all.arrived[k] += at.arrived[k];
        all.all_arrived += at.all_arrived;
        all.all_left += at.all_left;
    }
    return all;
}

/* A bounded cache that fills is large, and has losses already; a leak as large loses only
 * objects younger than the age from which it accumulates. */
static bool is_bounded(const struct leak_ranker *r, const struct ranked_row *row)
{
    const struct retention *retention = &row->type.retention;
    struct population at = row_population(r, row);
    return retention->accumulates
               ? (double)retention->died > rank_by.size_losses * (double)retention->arrived
               : (double)at.all_left > rank_by.size_losses * (double)at.all_arrived;
}

static bool is_filling(const struct leak_ranker *r, const struct ranked_row *row)
{
    if (!is_by_events(r))
        return false;
    struct population at = row_population(r, row);
    return load_clock_slows(&r->clock, at.arrived);
}

/* Returns the known store above a place with the longest lifetime, or NULL: a cache within
 * a store of sessions retains its entries as long as that. A store with several instances
 * may leak itself. */
static const struct known_store *store_above(const struct leak_ranker *r, path_id head)
{
    const struct full_tree *f = &r->t->full[r->n - 1];
    path_id full = r->t->full_of[head * r->n + r->n - 1];
    const struct known_store *found = NULL;
    for (; full != NO_PATH && full != 0; full = f->parent[full]) {
        const struct label *l = &r->t->labels.all[f->label[full]];
        const struct known_store *s =
            known_store_of(l->full_name != NULL ? l->full_name : l->name);
        if (s != NULL && f->count[full] <= 1 &&
            (found == NULL || s->seconds > found->seconds))
            found = s;
    }
    return found;
}

/* True if the store above a row has room for all its objects. */
static bool has_room(const struct leak_ranker *r, const struct known_store *store,
                     const struct ranked_type *type)
{
    return store != NULL && store->bound > 0 && type->count[r->n - 1] <= store->bound;
}

/* Withdraws the suspicion of a row below the bound of its store, and defers it within the
 * lifetime of its entries. A series without times may be of any length.
 */
static void make_reservations(const struct leak_ranker *r, struct ranked_row *row)
{
    struct ranked_type *type = &row->type;
    if (type->suspicion == HD_SUSPECT_NOT)
        return;
    const struct known_store *store = store_above(r, type->head);
    bool is_young = store != NULL && store->seconds > 0 && r->s->seconds <= store->seconds;
    if (has_room(r, store, type)) {
        type->suspicion = HD_SUSPECT_NOT;
    } else if (is_young || (store != NULL && store->is_per_type)) {
        type->suspicion = HD_SUSPECT_NOT;
        type->reservation = is_young ? HD_RESERVED_LIFETIME : HD_RESERVED_PER_TYPE;
        type->store = store;
    } else if (is_filling(r, row)) {
        type->suspicion = HD_SUSPECT_NOT;
        type->reservation = HD_RESERVED_FILLS;
    }
}

/* Asks something of a series of numbers. */
static bool is_true_of(const struct leak_ranker *r, const uint64_t *at,
                       bool (*ask)(const struct trend *))
{
    double y[SERIES_MAX_SNAPSHOTS];
    for (size_t k = 0; k < r->n; k++)
        y[k] = (double)at[k];
    return ask(&(struct trend){r->n, r->s->x, y, NULL});
}

/* True if it grew in one step only: here in number and in size, and in the whole heap,
 * since paths may change from step to step. */
static bool is_jump(const struct leak_ranker *r, label_id label, const uint64_t *count,
                    const uint64_t *retained)
{
    return is_true_of(r, count, trend_is_jump) && is_true_of(r, retained, trend_is_jump) &&
           is_true_of(r, &r->whole[label * r->n], trend_is_jump);
}

/* True if it grew often: here, or in the whole heap. */
static bool rises_often(const struct leak_ranker *r, const struct ranked_type *type)
{
    bool in_count = ranked_delta(type->count, r->n) > 0;
    return is_true_of(r, in_count ? type->count : type->retained, trend_rises_often) ||
           is_true_of(r, &r->whole[type->label * r->n], trend_rises_often);
}

static enum hd_suspicion suspicion_of(const struct leak_ranker *r, struct ranked_row *row)
{
    bool accumulates = reaches_steady_line(r->line, row->accumulates, r->heap);
    bool steady = reaches_steady_line(r->line, row->steady, r->heap);
    bool turns_over = r->turns_over[row->type.label] && !(steady && is_by_order(r));
    if (!accumulates && (r->queues[row->type.label] || turns_over))
        return HD_SUSPECT_NOT;
    row->type.is_repeated = accumulates || steady || rises_often(r, &row->type);
    if (reaches_line(r->line, row->type.score, r->heap)) {
        bool once = !accumulates &&
                    is_jump(r, row->type.label, row->type.count, row->type.retained);
        bool bounded = is_by_events(r) && is_bounded(r, row);
        return once || bounded ? HD_SUSPECT_NOT : HD_SUSPECT_SIZE;
    }
    return steady ? HD_SUSPECT_STEADY : accumulates ? HD_SUSPECT_AGE : HD_SUSPECT_NOT;
}

static void leak_ranking_decide(struct leak_ranker *r)
{
    for (size_t i = 0; i < r->row_count; i++) {
        struct ranked_row *row = &r->rows[i];
        if (row->type.pooled || row->gone)
            continue;
        row->type.suspicion = suspicion_of(r, row);
        make_reservations(r, row);
        if (row->steady <= 0)
            row->type.step_least = row->type.step_most = 0;
    }
    ranked_sort_rows(r);
}

/* A co-retained type describes a row better than a boxed number. */
static const char *subject_of(const struct leak_ranker *r, const struct ranked_row *row)
{
    const char *title = suspect_title_of(&r->titles, row->type.head, NULL);
    for (size_t i = 0; i < row->type.also_count && names_is_value(title); i++)
        title = ranked_name(r, row->type.also[i]);
    return title;
}

static void ranked_paths_of(struct leak_ranker *r)
{
    collect_heads(r);
    co_retained_join(r->heads, r->head_count, &r->growths, &r->titles);
    make_rows(r);
    name_co_retained(r);
    join_stores(r);
    join_causes(r);
    /* A type that follows its load is not a leak. The place that gained most decides. */
    int64_t *most = arena_array(&r->scratch, int64_t, r->t->labels.len);
    const struct cohorts *b = r->growths.cohorts;
    r->turns_over = arena_array(&r->scratch, bool, r->t->labels.len);
    r->queues = arena_array(&r->scratch, bool, r->t->labels.len);
    r->whole = arena_array(&r->scratch, uint64_t, r->t->labels.len * r->n);
    for (path_id p = 1; p < r->t->len; p++)
        for (size_t k = 0; k < r->n; k++)
            r->whole[r->t->label[p] * r->n + k] += r->t->count[p * r->n + k];
    for (path_id p = 1; b != NULL && p < r->t->len; p++) {
        label_id label = r->t->label[p];
        int64_t more = ranked_delta(&r->t->count[p * r->n], r->n);
        if (more <= most[label])
            continue;
        most[label] = more;
        const struct retention *retention = &r->growths.all[p].retention;
        r->queues[label] = retention->queues;
        r->turns_over[label] = retention->turns_over;
    }
    leak_ranking_decide(r);
    for (size_t i = 0; i < r->row_count; i++)
        r->rows[i].type.title = subject_of(r, &r->rows[i]);
}

/* --- whole types ------------------------------------------------------------- */

/* Returns the paths held by the suspects, and the rows of which they are heads. */
static bool *paths_of_suspects(struct leak_ranker *r, size_t *row_of_path)
{
    bool *taken = arena_array(&r->scratch, bool, r->t->len);
    for (path_id p = 0; p < r->t->len; p++)
        row_of_path[p] = NO_OWNER;
    label_id *merged_into = arena_array(&r->scratch, label_id, r->t->labels.len);
    for (size_t i = 0; i < r->t->labels.len; i++)
        merged_into[i] = NO_LABEL;
    for (size_t i = 0; i < r->row_count; i++)
        if (r->rows[i].gone)
            merged_into[r->rows[i].type.label] = r->rows[i].into;
    for (size_t i = 0; i < r->head_count; i++) {
        /* The row that a head belongs to, or NO_ROW. */
        label_id label =
            r->heads[i].carrier != 0 ? r->t->label[r->heads[i].carrier] : r->heads[i].label;
        label = merged_into[label] != NO_LABEL ? merged_into[label] : label;
        size_t row = r->heads[i].pooled ? NO_ROW : r->row_of[label];
        if (row == NO_ROW || r->rows[row].type.suspicion == HD_SUSPECT_NOT)
            continue;
        taken[r->heads[i].path] = true;
        row_of_path[r->heads[i].path] = row;
    }
    return taken;
}

static void rank_whole_type(struct leak_ranker *r, struct ranked_row *row,
                            const struct type_growths *g)
{
    label_id label = row->type.label;
    const struct grown_type *grown = &g->all[label];
    struct ranked_type *to = &row->type;
    to->basis = HD_BASIS_TYPE;
    to->suspicion =
        reaches_line(r->line, grown->score, r->heap) ? HD_SUSPECT_SIZE : HD_SUSPECT_STEADY;
    to->score = grown->score;
    to->tau = grown->tau;
    to->count = arena_array(r->a, uint64_t, r->n);
    to->retained = arena_array(r->a, uint64_t, r->n);
    memcpy(to->count, &g->count[label * r->n], r->n * sizeof(*to->count));
    memcpy(to->retained, &g->retained[label * r->n], r->n * sizeof(*to->retained));
    to->is_repeated = to->suspicion == HD_SUSPECT_STEADY || rises_often(r, to);
    to->head = r->t->full[r->n - 1].cut[type_growths_topmost(g, label)];
    to->more = ranked_delta(to->retained, r->n);
    to->title = type_growths_title(g, label);
    to->places = arena_array(r->a, struct ranked_place, 1);
    to->places[0] = (struct ranked_place){to->head, to->score};
    to->place_count = 1;
    row->more_objects = ranked_delta(to->count, r->n);
}

/* At the place with the largest gain objects may come and go only because lists are entered
 * elsewhere: an exact number per iteration in the whole heap proves growth. */
static bool may_be_added(const struct leak_ranker *r, const struct type_growths *g,
                         label_id label)
{
    double score = g->all[label].score;
    size_t at = r->row_of[label];
    if (score <= 0 ||
        (at != NO_ROW && (r->rows[at].type.suspicion != HD_SUSPECT_NOT ||
                          r->rows[at].type.reservation != HD_RESERVED_NOT)) ||
        type_growths_topmost(g, label) == NO_PATH)
        return false;
    bool once = is_jump(r, label, &g->count[label * r->n], &g->retained[label * r->n]);
    if (reaches_line(r->line, score, r->heap) && !once && !r->turns_over[label] &&
        !r->queues[label])
        return true;
    bool accumulates =
        is_by_events(r) && type_cohorts_accumulate(&r->by_type, label) &&
        !load_clock_slows(&r->clock, &r->by_type.arrived[label * r->by_type.steps]);
    return reaches_steady_line(r->line, score, r->heap) &&
           (accumulates || type_growths_are_exact(g, label));
}

/* True if a store has room for all that a type gained in the heap. */
static bool is_bounded_growth(const struct leak_ranker *r, const struct type_growths *g,
                              label_id label)
{
    size_t at = r->row_of[label];
    if (at == NO_ROW || ranked_delta(&g->count[label * r->n], r->n) >
                            ranked_delta(r->rows[at].type.count, r->n))
        return false;
    const struct ranked_type *type = &r->rows[at].type;
    return has_room(r, store_above(r, type->head), type);
}

/* Adds types that grow as a whole outside of the suspects. */
static void add_types(struct leak_ranker *r, const struct type_growths *g)
{
    for (label_id label = 0; label < r->t->labels.len; label++) {
        size_t at = r->row_of[label];
        if (!may_be_added(r, g, label) || is_bounded_growth(r, g, label))
            continue;
        struct ranked_row row = {.name = ranked_name(r, label), .type = {.label = label}};
        rank_whole_type(r, &row, g);
        make_reservations(r, &row);
        if (at != NO_ROW)
            r->rows[at] = row;
        else
            r->rows[r->row_count++] = row;
    }
}

/* A place may hold a suspect in some snapshots only, and the type grows far more. */
static void raise_types(struct leak_ranker *r, const struct type_growths *g)
{
    for (size_t i = 0; i < r->row_count; i++) {
        struct ranked_row *row = &r->rows[i];
        double score = g->all[row->type.label].score;
        if (row->gone || row->type.suspicion == HD_SUSPECT_NOT || score <= 0 ||
            row->type.basis == HD_BASIS_TYPE ||
            score < rank_by.whole_type * row->type.score || row->type.retention.accumulates)
            continue;
        rank_whole_type(r, row, g);
    }
}

static bool has_suspects(const struct leak_ranker *r)
{
    for (size_t i = 0; i < r->row_count; i++)
        if (r->rows[i].type.suspicion != HD_SUSPECT_NOT)
            return true;
    return false;
}

/* --- causes of the growth ----------------------------------------------------- */

/* The origin of its class is unknown. */
static bool has_pool_by_name(const struct ownership_tree *t)
{
    for (size_t i = 0; i < t->labels.len; i++) {
        const struct label *l = &t->labels.all[i];
        if (l->origin == ORIGIN_UNKNOWN && is_buffer_pool(l->name, l->origin))
            return true;
    }
    return false;
}

static struct ranked_growth share_growth(const struct leak_ranker *r,
                                         const struct unexplained *left)
{
    size_t n = r->n;
    struct ranked_growth g = {.suspects = left->bytes[PART_SUSPECTS],
                              .pools = arena_array(r->a, uint64_t, n),
                              .rest = arena_array(r->a, uint64_t, n),
                              .pools_by_name = has_pool_by_name(r->t),
                              .explained = NAN};
    for (size_t k = 0; k < n; k++) {
        g.pools[k] = left->bytes[PART_POOLS][k] + left->bytes[PART_THREADS][k];
        g.rest[k] = left->bytes[PART_REST][k] + left->bytes[PART_LISTENER][k];
    }
    int64_t whole = ranked_delta(r->t->retained, n), suspects = ranked_delta(g.suspects, n);
    if (whole > 0) {
        double share = (double)suspects / (double)whole;
        g.explained = share < 0 ? 0 : share > 1 ? 1 : share;
    }
    return g;
}

/* Divides the suspects' part among them. */
static void share_suspects(struct leak_ranker *r, const struct unexplained *left,
                           const size_t *row_of_path)
{
    size_t labels = r->t->labels.len;
    size_t *row_of_label = arena_array(&r->scratch, size_t, labels);
    uint64_t *own = arena_array(r->a, uint64_t, r->row_count * r->n);
    for (size_t i = 0; i < labels; i++)
        row_of_label[i] = NO_OWNER;
    for (size_t i = 0; i < r->row_count; i++) {
        if (r->rows[i].type.basis == HD_BASIS_TYPE)
            row_of_label[r->rows[i].type.label] = i;
        if (r->rows[i].type.suspicion != HD_SUSPECT_NOT)
            r->rows[i].type.own = &own[i * r->n];
    }
    unexplained_share(left, row_of_path, row_of_label, own);
}

/* The rest, and the arrays of thread statics per thread, since more threads have more.
 * Memory caused by measuring appears with the first snapshot: it counts only if it keeps
 * growing. */
static struct rest_growth open_growth(const struct leak_ranker *r,
                                      const struct unexplained *left, double leveled_off)
{
    double all[SERIES_MAX_SNAPSHOTS], own[SERIES_MAX_SNAPSHOTS];
    double first = (double)left->threads[0];
    for (size_t k = 0; k < r->n; k++) {
        double threads = (double)left->threads[k];
        double same = threads > first ? (first > 0 ? first : 1) / threads : 1;
        own[k] =
            (double)left->bytes[PART_REST][k] + same * (double)left->bytes[PART_THREADS][k];
        all[k] = own[k] + (double)left->bytes[PART_LISTENER][k];
    }
    struct trend rest = {r->n, r->s->x, own, NULL}, both = {r->n, r->s->x, all, NULL};
    double goes_on = path_sustained_growth(&both, trend_half(r->n));
    if (trend_grows(&both) && goes_on >= rank_by.open_share * r->heap)
        rest.y = all;
    return rest_growth_of(&rest, r->heap, leveled_off);
}

static int by_growth(const void *a, const void *b)
{
    const struct ranked_leveled_off *x = a, *y = b;
    if (x->growth != y->growth)
        return x->growth < y->growth ? 1 : -1;
    int order = strcmp(x->title, y->title);
    return order != 0 ? order : strcmp(x->name, y->name);
}

/* Sums the bytes of all types in the rest that leveled off, however small: no two explain
 * the same bytes. */
static double find_leveled_off(struct leak_ranker *r, const struct type_growths *g,
                               struct leak_ranking *to)
{
    size_t labels = r->t->labels.len;
    double all = 0;
    to->leveled_off = arena_array(r->a, struct ranked_leveled_off, labels);
    for (label_id label = 0; label < labels; label++) {
        double growth = g->all[label].score;
        path_id place = growth > 0 ? type_growths_topmost(g, label) : NO_PATH;
        if (place == NO_PATH)
            continue;
        if (g->unexplained->part[r->n - 1][place] == PART_REST)
            all += growth;
        if (growth < rank_by.leveled_off_share * r->heap)
            continue;
        to->leveled_off[to->leveled_off_count++] =
            (struct ranked_leveled_off){.label = label,
                                        .name = ranked_name(r, label),
                                        .title = type_growths_title(g, label),
                                        .count = &g->count[label * r->n],
                                        .retained = &g->retained[label * r->n],
                                        .growth = growth,
                                        .head = r->t->full[r->n - 1].cut[place]};
    }
    qsort(to->leveled_off, to->leveled_off_count, sizeof(*to->leveled_off), by_growth);
    return all;
}

/* Adds rows by type, then computes the growth left without all suspects. */
static void look_at_types(struct leak_ranker *r, struct leak_ranking *to)
{
    double leveled_off = 0;
    struct arena *a = &r->scratch;
    size_t *row_of_path = arena_array(a, size_t, r->t->len);
    bool *heads = paths_of_suspects(r, row_of_path);
    bool *labels = arena_array(a, bool, r->t->labels.len);
    struct path_order order = {0};
    struct unexplained by_paths = unexplained_of(r->t, heads, NULL, a);
    struct type_growths growing =
        type_growths_of(&by_paths, r->s, TYPES_GROWING, &order, a);
    add_types(r, &growing);
    if (has_suspects(r)) {
        bool *none = arena_array(a, bool, r->t->len);
        struct unexplained all = unexplained_of(r->t, none, NULL, a);
        growing = type_growths_of(&all, r->s, TYPES_GROWING, &order, a);
        raise_types(r, &growing);
    }
    for (size_t i = 0; i < r->row_count; i++)
        labels[r->rows[i].type.label] |= r->rows[i].type.basis == HD_BASIS_TYPE;
    struct unexplained *left = arena_alloc(a, sizeof(*left));
    *left = unexplained_of(r->t, heads, labels, r->a);
    to->growth = share_growth(r, left);
    share_suspects(r, left, row_of_path);
    if (r->n >= rank_by.enough_snapshots) {
        struct type_growths g =
            type_growths_of(left, r->s, TYPES_LEVELED_OFF, &order, r->a);
        leveled_off = find_leveled_off(r, &g, to);
    }
    to->growth.open = open_growth(r, left, leveled_off);
    free(order.all);
}

/* --- undecided --------------------------------------------------------------- */

/* By counts, as if identity were unknown. */
static bool grows_unmatched(const struct leak_ranker *r, const struct ranked_type *row)
{
    return row->retention.is_unmatched && is_true_of(r, row->count, trend_grows) &&
           reaches_line(r->line, (double)ranked_delta(row->retained, r->n), r->heap);
}

/* A leak may hide in a store that turns over, if its size rises in every step and it has
 * survivors of each interval; and matching by order may mistake a moved batch for a dead
 * one. */
static bool may_leak(const struct leak_ranker *r, const struct ranked_type *row)
{
    const struct cohorts *b = r->growths.cohorts;
    if (row->reservation != HD_RESERVED_NOT || b == NULL)
        return row->reservation != HD_RESERVED_NOT;
    /* A queue with few losses may have a leak next to it. */
    bool leaves = r->turns_over[row->label] && !row->retention.has_of_each;
    bool queues =
        r->queues[row->label] &&
        (double)row->retention.died >= rank_by.turnover * (double)row->retention.arrived;
    bool acquitted = (queues || leaves) && b->source == HD_SAME_BY_EVENTS;
    if (row->suspicion != HD_SUSPECT_NOT || acquitted ||
        ranked_delta(row->count, r->n) < rank_by.fewest_undecided)
        return false;
    double more = (double)ranked_delta(row->retained, r->n);
    bool grows = grows_unmatched(r, row) || (trend_rises_always(row->count, r->n) &&
                                             reaches_steady_line(r->line, more, r->heap));
    return grows && !has_room(r, store_above(r, row->head), row);
}

/* Counts that rise in each of several steps are not chance; with ages a fast leak would
 * have shown, and so would turnover. */
static size_t find_undecided(const struct leak_ranker *r, const struct leak_ranking *h)
{
    for (size_t i = 0; i < h->len && r->n >= rank_by.enough_snapshots; i++)
        if (may_leak(r, &h->all[i]))
            return i;
    return SIZE_MAX;
}

/* --- the whole ranking ----------------------------------------------------- */

struct leak_ranking leak_ranking_of(const struct ownership_tree *t, const struct series *s,
                                    const struct cohorts *cohorts,
                                    const struct suspect_line *line, struct arena *a)
{
    size_t n = t->snapshots;
    struct leak_ranker r = {.t = t,
                            .s = s,
                            .line = line,
                            .n = n,
                            .heap = (double)t->retained[n - 1],
                            .growths = path_growths_of(t, s, cohorts),
                            .a = a};
    if (cohorts != NULL) {
        r.by_type = type_cohorts_of(cohorts, &r.scratch);
        r.clock = load_clock_of(cohorts, &r.by_type);
    }
    bool *grows = arena_array(&r.scratch, bool, t->len);
    for (path_id p = 1; p < t->len; p++)
        grows[p] = r.growths.all[p].kind == GROWS_IN_COUNT && r.growths.all[p].growth > 0;
    r.titles = title_tree_of(t, grows, &r.scratch);
    ranked_paths_of(&r);
    struct leak_ranking result = {.len = 0};
    look_at_types(&r, &result);
    ranked_sort_rows(&r);
    result.all = arena_array(a, struct ranked_type, r.row_count);
    for (size_t i = 0; i < r.row_count; i++) {
        if (r.rows[i].gone)
            continue;
        result.all[result.len + result.pooled] = r.rows[i].type;
        if (r.rows[i].type.pooled)
            result.pooled++;
        else
            result.len++;
    }
    result.undecided = find_undecided(&r, &result);
    path_growths_free(&r.growths);
    pair_table_free(&r.also);
    arena_free(&r.scratch);
    return result;
}

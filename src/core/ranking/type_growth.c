#include "ranking/type_growth.h"

#include "base/arrays.h"
#include "ranking/path_growth.h"
#include "ranking/suspect_title.h"
#include "series/ranking_constants.h"
#include "series/runtime_names.h"
#include "series/trend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- unexplained growth ----------------------------------------------------------- */

/* The part given by a label alone. Names are compared once per label, not once per path. */
static enum unexplained_part *parts_of(const struct labels *l, struct arena *scratch)
{
    enum unexplained_part *parts = arena_array(scratch, enum unexplained_part, l->len);
    for (size_t i = 0; i < l->len; i++)
        parts[i] = is_buffer_pool(l->all[i].name, l->all[i].origin) ? PART_POOLS
                   : strcmp(l->all[i].name, RUNTIME_LISTENER) == 0  ? PART_LISTENER
                                                                    : PART_REST;
    return parts;
}

struct partition {
    const struct ownership_tree *t;
    const bool *heads, *labels;
    const enum unexplained_part *parts;
};

static enum unexplained_part part_of(const struct partition *by, const struct full_tree *f,
                                     path_id p, enum unexplained_part above)
{
    if (above == PART_SUSPECTS || by->heads[f->cut[p]])
        return PART_SUSPECTS;
    if (above != PART_REST)
        return above;
    if (by->parts[f->label[p]] != PART_REST)
        return by->parts[f->label[p]];
    if (path_is_thread_statics(&by->t->labels, f, p))
        return PART_THREADS;
    return by->labels != NULL && by->labels[f->label[p]] ? PART_SUSPECTS : PART_REST;
}

static void part_snapshot(struct unexplained *r, size_t k, const struct partition *by,
                          struct arena *a)
{
    const struct full_tree *f = &r->t->full[k];
    unsigned char *part = r->part[k] = arena_array(a, unsigned char, f->len);
    uint64_t *left = r->left[k] = arena_array(a, uint64_t, f->len);
    for (path_id p = 1; p < f->len; p++) {
        part[p] = (unsigned char)part_of(by, f, p, part[f->parent[p]]);
        r->bytes[part[p]][k] += f->bytes[p];
        if (part[p] == PART_THREADS && part[f->parent[p]] != PART_THREADS)
            r->threads[k] += f->count[p];
        left[p] = unexplained_is_left(part[p]) ? f->bytes[p] : 0;
    }
    for (path_id p = (path_id)f->len; p-- > 1;)
        left[f->parent[p]] += left[p];
}

struct unexplained unexplained_of(const struct ownership_tree *t, const bool *heads,
                                  const bool *labels, struct arena *a)
{
    struct arena scratch = {0};
    struct partition by = {t, heads, labels, parts_of(&t->labels, &scratch)};
    struct unexplained r = {.t = t,
                            .threads = arena_array(a, uint64_t, t->snapshots),
                            .part = arena_array(a, unsigned char *, t->snapshots),
                            .left = arena_array(a, uint64_t *, t->snapshots)};
    for (int i = 0; i < PART_COUNT; i++)
        r.bytes[i] = arena_array(a, uint64_t, t->snapshots);
    for (size_t k = 0; k < t->snapshots; k++)
        part_snapshot(&r, k, &by, a);
    arena_free(&scratch);
    return r;
}

void unexplained_share(const struct unexplained *r, const size_t *of_head,
                       const size_t *of_label, uint64_t *own)
{
    struct arena scratch = {0};
    for (size_t k = 0; k < r->t->snapshots; k++) {
        const struct full_tree *f = &r->t->full[k];
        size_t *owner = arena_array(&scratch, size_t, f->len);
        for (path_id p = 0; p < f->len; p++) {
            owner[p] = NO_OWNER;
            if (p == 0 || r->part[k][p] != PART_SUSPECTS)
                continue;
            owner[p] = of_head[f->cut[p]];
            if (owner[p] == NO_OWNER)
                owner[p] = owner[f->parent[p]];
            if (owner[p] == NO_OWNER)
                owner[p] = of_label[f->label[p]];
            own[owner[p] * r->t->snapshots + k] += f->bytes[p];
        }
    }
    arena_free(&scratch);
}

static const struct full_tree *full_of(const struct type_growths *g, size_t k)
{
    return &g->unexplained->t->full[k];
}

static bool is_left(const struct type_growths *g, size_t k, path_id p)
{
    return unexplained_is_left(g->unexplained->part[k][p]);
}

/* --- counts and bytes ------------------------------------------------------------ */

/* Adds objects of every type; bytes of the outermost ones, which include those below. One
 * walk in preorder, with the number of occurrences of each label on the way down. */
static void add_snapshot(struct type_growths *g, size_t k, struct arena *scratch)
{
    const struct full_tree *f = full_of(g, k);
    const uint64_t *left = g->unexplained->left[k];
    path_id *in_preorder = arena_array(scratch, path_id, f->len);
    path_id *open = arena_array(scratch, path_id, f->len); /* on the way down */
    uint32_t *times = arena_array(scratch, uint32_t, g->unexplained->t->labels.len);
    size_t depth = 0;
    for (path_id p = 0; p < f->len; p++)
        in_preorder[f->position[p]] = p;
    for (size_t i = 1; i < f->len; i++) {
        path_id p = in_preorder[i];
        label_id label = f->label[p];
        if (!is_left(g, k, p))
            continue;
        while (depth > 0 && f->position[p] >= f->end[open[depth - 1]])
            times[f->label[open[--depth]]]--;
        g->count[label * g->n + k] += f->count[p];
        if (times[label]++ == 0)
            g->retained[label * g->n + k] += left[p];
        open[depth++] = p;
    }
}

/* The first of two full paths of the last snapshot, bytewise by the names along them. */
static bool stands_before(const struct type_growths *g, path_id a, path_id b)
{
    if (g->order->all == NULL)
        g->order->all = full_tree_order(g->unexplained->t, g->n - 1);
    return g->order->all[a] < g->order->all[b];
}

path_id type_growths_topmost(const struct type_growths *g, label_id label)
{
    const struct full_tree *f = full_of(g, g->n - 1);
    const uint64_t *left = g->unexplained->left[g->n - 1];
    path_id best = NO_PATH;
    uint32_t end = 0; /* of the last outermost one */
    for (uint32_t i = f->label_begin[label]; i < f->label_begin[label + 1]; i++) {
        path_id p = f->by_label[i];
        if (!is_left(g, g->n - 1, p) || f->position[p] < end)
            continue;
        end = f->end[p];
        if (best == NO_PATH || left[p] > left[best] ||
            (left[p] == left[best] && stands_before(g, p, best)))
            best = p;
    }
    return best;
}

/* --- growth ---------------------------------------------------------------------- */

/* True if it rose, then kept that level to the end; never much larger in between. */
static bool has_leveled_off(const uint64_t *y, size_t n)
{
    size_t half = trend_half(n);
    uint64_t most = 0, late_most = 0, late_least = UINT64_MAX;
    for (size_t k = 0; k < n; k++) {
        most = y[k] > most ? y[k] : most;
        if (k + half >= n) {
            late_most = y[k] > late_most ? y[k] : late_most;
            late_least = y[k] < late_least ? y[k] : late_least;
        }
    }
    uint64_t part = y[n - 1] > y[0] ? (y[n - 1] - y[0]) / rank_by.settled_part : 0;
    return y[n - 1] > y[0] && late_most - late_least <= part && most - late_most <= part;
}

static void measure(struct type_growths *g, label_id label)
{
    struct path_points counts, sizes;
    struct grown_type *type = &g->all[label];
    const uint64_t *c = &g->count[label * g->n], *r = &g->retained[label * g->n];
    for (size_t k = 0; k < g->n; k++)
        type->several |= c[k] > 1;
    if (g->unexplained->t->labels.all[label].kind != TYPE_OBJECT)
        return;
    struct trend count = path_trend(g->unexplained->t, g->s, label, c, c, &counts);
    struct trend size = path_trend(g->unexplained->t, g->s, label, c, r, &sizes);
    type->tau = trend_tau(&count);
    if (g->question == TYPES_LEVELED_OFF) {
        if (type->several && has_leveled_off(c, g->n) && has_leveled_off(r, g->n))
            type->growth = (double)(r[g->n - 1] - r[0]);
    } else if (type->several && trend_grows(&count)) {
        type->growth = path_sustained_growth(&size, trend_half(g->n));
    }
}

/* --- owners ---------------------------------------------------------------------- */

/* For each path the nearest wanted one above it; and, as types do not own themselves, the
 * nearest above that with another label. */
struct type_growth_nearest {
    path_id *above, *other;
};

static struct type_growth_nearest nearest_begin(const struct type_growths *g,
                                                struct arena *scratch)
{
    size_t most = 0;
    for (size_t k = 0; k < g->n; k++)
        most = full_of(g, k)->len > most ? full_of(g, k)->len : most;
    return (struct type_growth_nearest){arena_array(scratch, path_id, most),
                                        arena_array(scratch, path_id, most)};
}

static void nearest_find(struct type_growth_nearest *near, const struct full_tree *f,
                         const bool *wanted)
{
    for (path_id p = 1; p < f->len; p++) {
        path_id up = f->parent[p];
        near->above[p] = up != 0 && wanted[f->label[up]] ? up : near->above[up];
        path_id q = near->above[p];
        near->other[p] = q == 0 || f->label[q] != f->label[p] ? q : near->other[q];
    }
}

/* Returns the nearest wanted label above a path of another label; or NO_LABEL. */
static label_id nearest_owner(const struct type_growth_nearest *near,
                              const struct full_tree *f, path_id p)
{
    return near->other[p] != 0 ? f->label[near->other[p]] : NO_LABEL;
}

/* Growth of a type owned by another. */
struct type_growth_ownership {
    label_id owned, owner;
    int64_t more;
};

struct ownerships {
    struct type_growth_ownership *all;
    size_t len, cap;
    struct pair_table numbers;
};

static void add_owned(struct ownerships *o, label_id owned, label_id owner, int64_t more)
{
    uint32_t next = (uint32_t)o->len;
    uint32_t number = pair_table_put(&o->numbers, owned, owner, next);
    if (number == next) {
        o->all = grow(o->all, o->len, &o->cap, sizeof(*o->all));
        o->all[o->len++] = (struct type_growth_ownership){owned, owner, 0};
    }
    o->all[number].more += more;
}

/* Strings and arrays of numbers may be owned by types that do not grow: they are not a
 * separate finding while a type with more than one object holds them. */
static void gather_owners(const struct type_growths *g, size_t k, int sign,
                          struct ownerships *o, struct type_growth_nearest *near,
                          const bool *wanted, bool leaves)
{
    const struct full_tree *f = full_of(g, k);
    nearest_find(near, f, wanted);
    for (path_id p = 1; p < f->len; p++) {
        label_id label = f->label[p];
        if (f->count[p] > 0 && is_left(g, k, p) && g->all[label].growth > 0 &&
            g->is_leaf[label] == leaves)
            add_owned(o, label, nearest_owner(near, f, p), sign * (int64_t)f->count[p]);
    }
}

/* qsort has no context argument. */
struct named_ownership {
    const char *owned, *owner;
    struct type_growth_ownership it;
};

static int by_names(const void *a, const void *b)
{
    const struct named_ownership *x = a, *y = b;
    int order = strcmp(x->owned, y->owned);
    return order != 0 ? order : strcmp(x->owner, y->owner);
}

/* Sorts by names, so that the last digit of a sum does not depend on the order of a
 * file. */
static void sort_ownerships(const struct type_growths *g, struct ownerships *o)
{
    struct arena scratch = {0};
    const struct label *all = g->unexplained->t->labels.all;
    struct named_ownership *named = arena_array(&scratch, struct named_ownership, o->len);
    for (size_t i = 0; i < o->len; i++) {
        label_id owner = o->all[i].owner;
        named[i] = (struct named_ownership){
            all[o->all[i].owned].name, owner != NO_LABEL ? all[owner].name : "", o->all[i]};
    }
    qsort(named, o->len, sizeof(*named), by_names);
    for (size_t i = 0; i < o->len; i++)
        o->all[i] = named[i].it;
    arena_free(&scratch);
}

static void find_owners(const struct type_growths *g, struct ownerships *o)
{
    struct arena scratch = {0};
    const struct labels *l = &g->unexplained->t->labels;
    bool *grows = arena_array(&scratch, bool, l->len);
    bool *holds = arena_array(&scratch, bool, l->len);
    for (label_id i = 0; i < l->len; i++) {
        grows[i] = g->all[i].growth > 0;
        holds[i] = grows[i] || (g->all[i].several && l->all[i].kind != TYPE_PSEUDO);
    }
    struct type_growth_nearest near = nearest_begin(g, &scratch);
    for (int leaves = 0; leaves < 2; leaves++) {
        const bool *wanted = leaves ? holds : grows;
        gather_owners(g, 0, -1, o, &near, wanted, leaves);
        gather_owners(g, g->n - 1, 1, o, &near, wanted, leaves);
    }
    sort_ownerships(g, o);
    arena_free(&scratch);
}

static double share_of(const struct type_growths *g, const struct type_growth_ownership *o)
{
    if (o->owner == NO_LABEL)
        return 0;
    if (g->all[o->owner].growth <= 0)
        return 1;
    return path_explained_share(&g->count[o->owner * g->n], &g->count[o->owned * g->n],
                                g->n);
}

/* Weighted by the growth below each owner: objects that were there before are
 * irrelevant. */
static void type_growth_explain(struct type_growths *g, const struct ownerships *o)
{
    struct arena scratch = {0};
    size_t labels = g->unexplained->t->labels.len;
    double *whole = arena_array(&scratch, double, labels);
    double *explained = arena_array(&scratch, double, labels);
    for (size_t i = 0; i < o->len; i++)
        whole[o->all[i].owned] += o->all[i].more > 0 ? (double)o->all[i].more : 0;
    for (size_t i = 0; i < o->len; i++) {
        const struct type_growth_ownership *own = &o->all[i];
        if (own->more <= 0)
            continue;
        double weight = (double)own->more / whole[own->owned];
        explained[own->owned] += weight * share_of(g, own);
        if (2 * weight > 1)
            g->all[own->owned].owner = own->owner;
    }
    for (label_id i = 0; i < labels; i++)
        if (g->all[i].growth > 0 && explained[i] <= rank_by.most_explained)
            g->all[i].own = (1 - explained[i]) * g->all[i].growth;
    arena_free(&scratch);
}

/* Titles search the types owned by a type; types may own each other in a cycle. */
static void link_owned(struct type_growths *g, struct arena *a)
{
    const struct labels *l = &g->unexplained->t->labels;
    bool *grows = arena_array(a, bool, l->len);
    g->titles = (struct title_graph){.labels = l,
                                     .grows = grows,
                                     .count = g->count,
                                     .retained = g->retained,
                                     .len = l->len,
                                     .snapshots = g->n,
                                     .first = arena_array(a, label_id, l->len),
                                     .next = arena_array(a, label_id, l->len),
                                     .has_circles = true};
    for (label_id i = 0; i < l->len; i++)
        g->titles.first[i] = g->titles.next[i] = NO_TITLE;
    for (label_id i = 0; i < l->len; i++) {
        label_id owner = g->all[i].owner;
        grows[i] = g->all[i].growth > 0;
        if (owner == NO_LABEL)
            continue;
        g->titles.next[i] = g->titles.first[owner];
        g->titles.first[owner] = i;
    }
}

/* Own growth without that of growing types below. */
static void give_credit(struct type_growths *g)
{
    struct arena scratch = {0};
    const struct full_tree *f = full_of(g, g->n - 1);
    size_t labels = g->unexplained->t->labels.len;
    struct ownerships o = {0};
    bool *owns = arena_array(&scratch, bool, labels);
    for (label_id i = 0; i < labels; i++) {
        owns[i] = g->all[i].own > 0;
        g->all[i].credit = g->all[i].own;
    }
    struct type_growth_nearest near = nearest_begin(g, &scratch);
    nearest_find(&near, f, owns);
    for (path_id p = 1; p < f->len; p++)
        if (owns[f->label[p]] && near.other[p] != 0 && is_left(g, g->n - 1, p))
            add_owned(&o, f->label[p], nearest_owner(&near, f, p), (int64_t)f->count[p]);
    sort_ownerships(g, &o);
    for (size_t i = 0; i < o.len; i++) {
        double objects = (double)g->count[o.all[i].owned * g->n + g->n - 1];
        g->all[o.all[i].owner].credit -=
            g->all[o.all[i].owned].own * (double)o.all[i].more / objects;
    }
    for (label_id i = 0; i < labels; i++) {
        struct grown_type *type = &g->all[i];
        double steadiness = g->question == TYPES_GROWING ? type->tau * type->tau : 1;
        type->score = type->credit > 0 ? type->credit * steadiness : 0;
    }
    free(o.all);
    pair_table_free(&o.numbers);
    arena_free(&scratch);
}

/* --- all types ------------------------------------------------------------------- */

static bool is_leaf(const char *name)
{
    static const char *const numbers[] = {
        "Boolean", "Byte",   "SByte",  "Char",    "Int16",  "Int32",  "Int64",  "UInt16",
        "UInt32",  "UInt64", "IntPtr", "UIntPtr", "Single", "Double", "Decimal"};
    static const char prefix[] = "System.";
    if (strcmp(name, "System.String") == 0)
        return true;
    size_t len = strlen(name);
    if (strncmp(name, prefix, sizeof(prefix) - 1) != 0 || len < sizeof(prefix) + 1 ||
        strcmp(name + len - 2, "[]") != 0)
        return false;
    name += sizeof(prefix) - 1;
    len -= sizeof(prefix) - 1 + 2;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        if (strlen(numbers[i]) == len && memcmp(name, numbers[i], len) == 0)
            return true;
    return false;
}

struct type_growths type_growths_of(const struct unexplained *unexplained,
                                    const struct series *s, enum type_question question,
                                    struct path_order *order, struct arena *a)
{
    const struct ownership_tree *t = unexplained->t;
    size_t n = t->snapshots, labels = t->labels.len, cells = array_bytes(labels, n);
    struct type_growths g = {.unexplained = unexplained,
                             .s = s,
                             .question = question,
                             .n = n,
                             .all = arena_array(a, struct grown_type, labels),
                             .count = arena_array(a, uint64_t, cells),
                             .retained = arena_array(a, uint64_t, cells),
                             .is_leaf = arena_array(a, bool, labels),
                             .order = order};
    struct arena scratch = {0};
    for (label_id i = 0; i < labels; i++) {
        g.all[i].owner = NO_LABEL;
        g.is_leaf[i] = is_leaf(t->labels.all[i].name);
    }
    for (size_t k = 0; k < n; k++) {
        add_snapshot(&g, k, &scratch);
        arena_free(&scratch);
        scratch = (struct arena){0};
    }
    for (label_id i = 0; i < labels; i++)
        measure(&g, i);
    struct ownerships o = {0};
    find_owners(&g, &o);
    type_growth_explain(&g, &o);
    free(o.all);
    pair_table_free(&o.numbers);
    link_owned(&g, a);
    give_credit(&g);
    return g;
}

static bool gains_exactly(const struct type_growths *g, label_id label)
{
    const struct series *s = g->s;
    const uint64_t *c = &g->count[label * g->n];
    double each = (double)(c[g->n - 1] - c[0]) / (s->x[g->n - 1] - s->x[0]);
    if (c[g->n - 1] < c[0] + rank_by.fewest_steady || each < 1 || floor(each) != each)
        return false;
    for (size_t k = 1; k < g->n; k++)
        if (c[k] < c[k - 1] || (double)(c[k] - c[k - 1]) != each * (s->x[k] - s->x[k - 1]))
            return false;
    return true;
}

bool type_growths_are_exact(const struct type_growths *g, label_id label)
{
    if (!g->s->by_iterations || g->n < rank_by.enough_snapshots)
        return false;
    uint32_t title = title_search(&g->titles, label);
    return gains_exactly(g, label) || (title != NO_TITLE && gains_exactly(g, title));
}

const char *type_growths_title(const struct type_growths *g, label_id label)
{
    const struct labels *l = &g->unexplained->t->labels;
    uint32_t found = title_search(&g->titles, label);
    if (found != NO_TITLE)
        return l->all[found].name;
    const char *above =
        suspect_title_above(l, full_of(g, g->n - 1), type_growths_topmost(g, label));
    return above != NULL ? above : l->all[label].name;
}

/* --- types of the whole heap --------------------------------------------------------- */

struct type_cohorts type_cohorts_of(const struct cohorts *b, struct arena *a)
{
    const struct ownership_tree *t = b->t;
    size_t steps = b->n - 1, cells = array_bytes(t->labels.len, steps);
    struct type_cohorts all = {steps, arena_array(a, uint64_t, cells),
                               arena_array(a, uint64_t, cells)};
    for (path_id p = 1; p < t->len; p++) {
        const uint64_t *count = &t->count[p * b->n];
        for (size_t k = 0; k < steps; k++)
            all.died[t->label[p] * steps + k] += count[k] - count[k + 1];
    }
    for (label_id l = 0; l < t->labels.len; l++)
        for (size_t k = 0; k < steps; k++) {
            uint64_t arrived = b->fresh[l * b->n + k + 1];
            int64_t died = (int64_t)(all.died[l * steps + k] + arrived);
            all.arrived[l * steps + k] = arrived;
            /* An object that becomes reachable is not a birth. */
            all.died[l * steps + k] = died > 0 ? (uint64_t)died : 0;
        }
    return all;
}

static size_t steps_without(const uint64_t *arrived, size_t from, size_t to)
{
    size_t without = 0;
    for (size_t i = from; i < to; i++)
        without += arrived[i] == 0;
    return without;
}

bool type_cohorts_accumulate(const struct type_cohorts *t, label_id label)
{
    const uint64_t *arrived = &t->arrived[label * t->steps],
                   *died = &t->died[label * t->steps];
    size_t half = t->steps / 2;
    uint64_t all = trend_sum(arrived, 0, t->steps),
             late = trend_sum(arrived, t->steps - half, t->steps);
    return all >= rank_by.fewest_that_keep &&
           (double)trend_sum(died, 0, t->steps) <= rank_by.kept_losses * (double)all &&
           steps_without(arrived, 0, t->steps) <= 1 &&
           steps_without(arrived, half, t->steps) == 0 &&
           (double)late >= rank_by.goes_on * (double)trend_sum(arrived, 0, half);
}

/* --- the clock ----------------------------------------------------------------------- */

static bool lives_on_turnover(const struct type_cohorts *t, label_id label)
{
    const uint64_t *arrived = &t->arrived[label * t->steps],
                   *died = &t->died[label * t->steps];
    uint64_t all = trend_sum(arrived, 0, t->steps);
    return all >= rank_by.clock_arrivals * t->steps &&
           steps_without(arrived, 0, t->steps) == 0 &&
           (double)trend_sum(died, 0, t->steps) >= rank_by.clock_turnover * (double)all;
}

/* Weighs each type by the precision of its rate: the standard error of a Poisson count is
 * its square root. */
struct load_clock load_clock_of(const struct cohorts *b, const struct type_cohorts *t)
{
    struct load_clock clock = {.steps = 0};
    for (label_id l = 0; l < b->t->labels.len; l++) {
        if (!lives_on_turnover(t, l))
            continue;
        const uint64_t *arrived = &t->arrived[l * t->steps];
        double weight = 1 / sqrt((double)trend_sum(arrived, 0, t->steps));
        clock.steps = t->steps;
        for (size_t k = 0; k < t->steps; k++)
            clock.at[k] += weight * (double)arrived[k];
    }
    return clock;
}

/* Fits arrived[k] ~ Poisson(load[k] exp(level + slope x_k)), x from -1 to 1, by Newton's
 * method: a concave likelihood, so it converges. */
struct slope_fit {
    double level, slope;
    double score[2], information[3]; /* gradient; Hessian: 00, 01, 11 */
    double misfit;                   /* Pearson's chi square */
};

static void evaluate(struct slope_fit *f, const struct load_clock *clock,
                     const uint64_t *arrived)
{
    memset(f->score, 0, sizeof(f->score));
    memset(f->information, 0, sizeof(f->information));
    f->misfit = 0;
    for (size_t k = 0; k < clock->steps; k++) {
        double x = 2 * (double)k / (double)(clock->steps - 1) - 1;
        double expected = clock->at[k] * exp(f->level + f->slope * x);
        double more = (double)arrived[k] - expected;
        f->score[0] += more;
        f->score[1] += more * x;
        f->information[0] += expected;
        f->information[1] += expected * x;
        f->information[2] += expected * x * x;
        f->misfit += more * more / expected;
    }
}

static double determinant(const struct slope_fit *f)
{
    return f->information[0] * f->information[2] - f->information[1] * f->information[1];
}

static bool falls(const struct load_clock *clock, const uint64_t *arrived)
{
    enum { ROUNDS = 50 };
    double load = 0;
    for (size_t k = 0; k < clock->steps; k++)
        load += clock->at[k];
    struct slope_fit f = {.level = log((double)trend_sum(arrived, 0, clock->steps) / load)};
    for (int i = 0; i < ROUNDS; i++) {
        evaluate(&f, clock, arrived);
        double det = determinant(&f);
        double level =
            (f.information[2] * f.score[0] - f.information[1] * f.score[1]) / det;
        double slope =
            (f.information[0] * f.score[1] - f.information[1] * f.score[0]) / det;
        if (!isfinite(level) || !isfinite(slope))
            break;
        f.level += level;
        f.slope += slope;
        if (fabs(level) + fabs(slope) < 1e-9)
            break;
    }
    /* Bursts scatter more than a Poisson process. */
    double scatter = fmax(1, f.misfit / (double)(clock->steps - 2));
    double error = sqrt(f.information[0] / determinant(&f) * scatter);
    return f.slope <= -rank_by.slows_sigma * error && exp(2 * f.slope) <= rank_by.slows_to;
}

bool load_clock_slows(const struct load_clock *clock, const uint64_t *arrived)
{
    struct load_clock even = {.steps = clock->steps};
    for (size_t k = 0; k < clock->steps; k++)
        even.at[k] = 1;
    return clock->steps + 1 >= rank_by.enough_snapshots &&
           trend_sum(arrived, 0, clock->steps) >= rank_by.fewest_that_keep &&
           falls(clock, arrived) && falls(&even, arrived);
}

#include "ranking/type_growth.h"

#include "base/pair_table.h"
#include "ranking/suspect_title.h"
#include "series/ranking_constants.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct full_tree *full_of(const struct type_growths *g, size_t k)
{
    return &g->unexplained->t->full[k];
}

static bool is_left(const struct type_growths *g, size_t k, path_id p)
{
    return unexplained_is_left(g->unexplained->part[k][p]);
}

/* --- counts and bytes ------------------------------------------------------------ */

/* Objects of every type; bytes of the outermost, which hold those below. One walk in
 * preorder, with the number of times that each label is on the way down. */
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
    uint32_t end = 0; /* of the outermost one that was met last */
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

/* Up, then as large to the end; never much larger in between. */
static bool has_stayed(const uint64_t *y, size_t n)
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
    if (g->question == TYPES_STAYED) {
        if (type->several && has_stayed(c, g->n) && has_stayed(r, g->n))
            type->growth = (double)(r[g->n - 1] - r[0]);
    } else if (type->several && trend_grows(&count)) {
        type->growth = path_sustained_growth(&size, trend_half(g->n));
    }
}

/* --- owners ---------------------------------------------------------------------- */

/* For each path the nearest one above it that is wanted; and, as types do not own
 * themselves, the nearest above that of another label. */
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

/* Above a path of a label, the nearest wanted one of another; or NO_LABEL. */
static label_id nearest_owner(const struct type_growth_nearest *near,
                              const struct full_tree *f, path_id p)
{
    return near->other[p] != 0 ? f->label[near->other[p]] : NO_LABEL;
}

/* Growth of what one type owns of another. */
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

/* Strings and arrays of numbers may be owned by what does not grow: they are never a
 * finding of their own while something of more than one object holds them. */
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

/* qsort knows no context. */
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

/* By names, so that the last digit of a sum does not depend on the order of a file. */
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
    if (o->len > 0)
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

/* Weighed by the growth below each owner: what is there since long says nothing. */
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

/* Titles look for what a type owns; types may own each other in a circle. */
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

/* Own growth without that of the types below that have some. */
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

/* --- all of it ------------------------------------------------------------------- */

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

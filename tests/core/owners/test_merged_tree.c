/* Ownership trees of random series compared with their definition, in which every object
 * has its list of labels, and every sum is over all objects. */
#include "owners/merged_tree.h"

#include "owners/random_heap.h"
#include "support/large.h"

#include <stdlib.h>

enum { SERIES = 600, MAX_SNAPSHOTS = 4, MAX_OBJECTS = 24, LONGEST = 40, MAX_PATTERNS = 3 };

/* --- random series and questions ----------------------------------------------------- */

static struct ranked make_series(struct random *r)
{
    struct ranked made = {0};
    bool generations = random_below(r, 4) == 0;
    made.selection = generations && random_below(r, 2) == 0 ? SELECT_GEN2 : SELECT_ALL;
    for (uint32_t k = 1 + random_below(r, MAX_SNAPSHOTS); k > 0; k--)
        aligned_add(&made.a, random_small_heap(r, MAX_OBJECTS, false, generations));
    fold_series(&made);
    return made;
}

struct question {
    struct merged_tree_question ask;
    bool matches[MAX_PATTERNS][LONGEST];
    const bool *patterns[MAX_PATTERNS];
    path_id wanted;
};

static void make_question(struct question *q, struct random *r,
                          const struct ownership_tree *t)
{
    const struct full_tree *last = &t->full[t->snapshots - 1];
    *q = (struct question){0};
    cr_assert_leq(t->labels.len, LONGEST);
    q->ask.least = random_below(r, 4) == 0 ? 0 : random_below(r, 300);
    q->ask.depth = random_below(r, 3) == 0 ? 1 + random_below(r, 4) : 0;
    q->ask.pattern_count = random_below(r, 2) == 0 ? random_below(r, MAX_PATTERNS + 1) : 0;
    q->ask.holders = q->ask.pattern_count > 0 && random_below(r, 2) == 0;
    q->ask.patterns = q->patterns;
    for (size_t i = 0; i < q->ask.pattern_count; i++) {
        q->patterns[i] = q->matches[i];
        for (size_t l = 0; l < t->labels.len; l++)
            q->matches[i][l] = random_below(r, 3) == 0;
    }
    if (last->len > 1 && random_below(r, 2) == 0) {
        q->wanted = 1 + random_below(r, (uint32_t)last->len - 1);
        q->ask.wanted = &q->wanted;
        q->ask.wanted_count = 1;
    }
}

/* --- by definition ---------------------------------------------------------------------
 */

/* Labels from below a top node. */
struct way {
    size_t len;
    label_id labels[LONGEST];
};

/* False if the objects at this path are not below that top. */
static bool way_of(struct way *to, const struct full_tree *f, path_id p,
                   const struct question *q, size_t top)
{
    struct way up = {0};
    for (path_id at = p; at != 0; at = f->parent[at])
        up.labels[up.len++] = f->label[at];
    size_t from = up.len;
    *to = (struct way){0};
    if (q->ask.pattern_count > 0 && q->ask.holders) {
        *to = up;
        return p != 0 && f->count[p] > 0 && q->matches[top][up.labels[0]];
    }
    if (q->ask.pattern_count > 0)
        while (from > 0 && !q->matches[top][up.labels[from - 1]])
            from--;
    while (from > 0)
        to->labels[to->len++] = up.labels[--from];
    return to->len > 0;
}

static bool begins_with(const struct way *w, const struct way *start)
{
    return w->len >= start->len &&
           memcmp(w->labels, start->labels, start->len * sizeof(*start->labels)) == 0;
}

static bool is_same(const struct way *a, const struct way *b)
{
    return a->len == b->len && begins_with(a, b);
}

/* Objects of snapshot k at a place; or at and below it. */
static struct hd_tally objects_of(const struct ranked *r, size_t k,
                                  const struct question *q, size_t top,
                                  const struct way *place, bool below)
{
    const struct hd_snapshot *snap = r->a.snaps[k];
    const struct full_tree *f = &r->tree.full[k];
    struct hd_tally sum = {0};
    for (node_id n = 0; n < snap->graph->node_count; n++) {
        struct way w;
        const struct type *type = &snap->types[snap->graph->type[n]];
        bool counts = f->at_node[n] != NO_PATH && type->kind == TYPE_OBJECT &&
                      (r->selection == SELECT_ALL ||
                       graph_address(snap->graph, n) == forge_address(HD_GEN2, n));
        if (!counts || !way_of(&w, f, f->at_node[n], q, top))
            continue;
        if (below ? !begins_with(&w, place) : !is_same(&w, place))
            continue;
        sum.count++;
        sum.bytes += graph_size(snap->graph, n);
    }
    return sum;
}

struct place {
    struct way way;
    uint64_t first, last; /* bytes owned */
    bool stays;
};

struct places {
    struct place *all;
    size_t len, cap;
};

static struct place *find_place(struct places *all, const struct way *w)
{
    for (size_t i = 0; i < all->len; i++)
        if (is_same(&all->all[i].way, w))
            return &all->all[i];
    return NULL;
}

/* All places below a top, with their ancestors. */
static struct places places_of(const struct ranked *r, const struct question *q, size_t top)
{
    struct places all = {0};
    const size_t last = r->tree.snapshots - 1;
    for (size_t k = 0; k <= last; k++)
        for (path_id p = 1; p < r->tree.full[k].len; p++) {
            struct way w;
            if (!way_of(&w, &r->tree.full[k], p, q, top))
                continue;
            for (; w.len > 0 && find_place(&all, &w) == NULL; w.len--) {
                all.all = grow(all.all, all.len, &all.cap, sizeof(*all.all));
                all.all[all.len++] =
                    (struct place){.way = w,
                                   .first = objects_of(r, 0, q, top, &w, true).bytes,
                                   .last = objects_of(r, last, q, top, &w, true).bytes};
            }
        }
    return all;
}

static bool is_above(const struct place *above, const struct place *p)
{
    return p->way.len == above->way.len + 1 && begins_with(&p->way, &above->way);
}

static bool is_large(const struct question *q, const struct place *p)
{
    uint64_t change = p->first > p->last ? p->first - p->last : p->last - p->first;
    return p->last >= q->ask.least || change >= q->ask.least;
}

static bool is_wanted(const struct ranked *r, const struct question *q, size_t top,
                      const struct place *p)
{
    struct way w;
    return q->ask.wanted_count > 0 && !q->ask.holders &&
           way_of(&w, &r->tree.full[r->tree.snapshots - 1], q->wanted, q, top) &&
           is_same(&w, &p->way);
}

/* Number of children of a place; the top is {0}. */
static size_t siblings_that(const struct places *all, const struct place *above, bool stay)
{
    size_t count = 0;
    for (size_t i = 0; i < all->len; i++)
        count += is_above(above, &all->all[i]) && all->all[i].stays == stay;
    return count;
}

static void decide(const struct ranked *r, const struct question *q, size_t top,
                   struct places *all)
{
    for (size_t i = 0; i < all->len; i++)
        for (size_t d = 0; d < all->len; d++) {
            const struct place *below = &all->all[d];
            all->all[i].stays |= begins_with(&below->way, &all->all[i].way) &&
                                 (q->ask.depth == 0 || below->way.len <= q->ask.depth) &&
                                 (is_large(q, below) || is_wanted(r, q, top, below));
        }
    struct place heap = {0};
    const struct way none = {0};
    heap.first = objects_of(r, 0, q, top, &none, true).bytes;
    heap.last = objects_of(r, r->tree.snapshots - 1, q, top, &none, true).bytes;
    bool *named = alloc_zeroed(all->len);
    for (size_t i = 0; i < all->len; i++) {
        const struct place *p = &all->all[i], *above = &heap;
        for (size_t d = 0; d < all->len; d++)
            above = is_above(&all->all[d], p) ? &all->all[d] : above;
        named[i] = !p->stays && (q->ask.depth == 0 || p->way.len <= q->ask.depth) &&
                   (above == &heap || above->stays) &&
                   siblings_that(all, above, true) > 0 &&
                   siblings_that(all, above, false) == 1 &&
                   (p->last > above->last / 10 || p->first > above->first / 10);
    }
    for (size_t i = 0; i < all->len; i++)
        all->all[i].stays |= named[i];
    free(named);
}

/* --- comparing -------------------------------------------------------------------------
 */

static struct way way_in(const struct merged_tree *t, size_t i)
{
    struct way w = {.len = t->nodes[i].depth};
    for (size_t at = w.len; at-- > 0; i = t->nodes[i].parent)
        w.labels[at] = t->nodes[i].label;
    return w;
}

static void expect_shape(const struct merged_tree *t, uint32_t series)
{
    for (size_t i = 0; i < t->len; i++) {
        const struct owner_node *n = &t->nodes[i];
        cr_assert_gt(n->end, i, "series %u", series);
        if (n->parent == HD_NO_NODE) {
            cr_assert_eq(n->depth, 0u, "series %u", series);
            continue;
        }
        const struct owner_node *above = &t->nodes[n->parent];
        cr_assert(n->parent < i && n->end <= above->end, "series %u", series);
        cr_assert_eq(n->depth, above->depth + 1, "series %u", series);
        if (n->others > 0)
            cr_assert_eq(n->end, above->end, "series %u: others are last", series);
    }
}

static void expect_order(const struct ranked *r, const struct merged_tree *t,
                         uint32_t series)
{
    const size_t n = t->snapshots;
    for (size_t i = 0; i < t->len; i++)
        for (size_t a = i + 1, b; a < t->nodes[i].end; a = b) {
            b = t->nodes[a].end;
            if (b >= t->nodes[i].end || t->nodes[b].others > 0)
                continue;
            const struct hd_tally *x = &t->owned[a * n], *y = &t->owned[b * n];
            int64_t dx = (int64_t)(x[n - 1].bytes - x[0].bytes),
                    dy = (int64_t)(y[n - 1].bytes - y[0].bytes);
            int names = strcmp(r->tree.labels.all[t->nodes[a].label].name,
                               r->tree.labels.all[t->nodes[b].label].name);
            cr_assert(dx > dy ||
                          (dx == dy && (x[n - 1].bytes > y[n - 1].bytes ||
                                        (x[n - 1].bytes == y[n - 1].bytes && names <= 0))),
                      "series %u: %zu before %zu", series, a, b);
        }
}

static void expect_tallies(const struct hd_tally *got, struct hd_tally wanted,
                           uint32_t series, size_t node)
{
    cr_assert_eq(got->count, wanted.count, "series %u, node %zu", series, node);
    cr_assert_eq(got->bytes, wanted.bytes, "series %u, node %zu", series, node);
}

static void expect_node(const struct ranked *r, const struct question *q,
                        const struct merged_tree *t, size_t i, size_t top, uint32_t series)
{
    const size_t n = t->snapshots;
    const struct owner_node *node = &t->nodes[i];
    struct way w = way_in(t, i);
    for (size_t k = 0; k < n; k++) {
        struct hd_tally rest = t->owned[i * n + k];
        if (node->others == 0) {
            expect_tallies(&t->at[i * n + k], objects_of(r, k, q, top, &w, false), series,
                           i);
            expect_tallies(&rest, objects_of(r, k, q, top, &w, true), series, i);
        }
        rest.count -= t->at[i * n + k].count;
        rest.bytes -= t->at[i * n + k].bytes;
        for (size_t c = i + 1; c < node->end; c = t->nodes[c].end) {
            rest.count -= t->owned[c * n + k].count;
            rest.bytes -= t->owned[c * n + k].bytes;
        }
        expect_tallies(&rest, (struct hd_tally){0}, series, i);
    }
}

static void expect_kept(struct places *all, const struct merged_tree *t, size_t from,
                        uint32_t series)
{
    size_t kept = 0, stay = 0;
    for (size_t i = from + 1; i < t->nodes[from].end; i++) {
        struct way w = way_in(t, i);
        if (t->nodes[i].others > 0) {
            struct place above = {.way = way_in(t, t->nodes[i].parent)};
            cr_assert_eq(t->nodes[i].others, siblings_that(all, &above, false),
                         "series %u, node %zu", series, i);
            continue;
        }
        const struct place *p = find_place(all, &w);
        cr_assert(p != NULL && p->stays, "series %u: node %zu is not to stay", series, i);
        kept++;
    }
    for (size_t i = 0; i < all->len; i++)
        stay += all->all[i].stays;
    cr_assert_eq(kept, stay, "series %u", series);
}

static void expect_tree(const struct ranked *r, const struct question *q,
                        const struct merged_tree *t, uint32_t series)
{
    size_t top = 0;
    expect_shape(t, series);
    expect_order(r, t, series);
    for (size_t from = 0; from < t->len; from = t->nodes[from].end, top++) {
        struct places all = places_of(r, q, top);
        decide(r, q, top, &all);
        expect_kept(&all, t, from, series);
        for (size_t i = from; i < t->nodes[from].end; i++)
            expect_node(r, q, t, i, top, series);
        free(all.all);
    }
    cr_assert_eq(top, q->ask.pattern_count > 0 ? q->ask.pattern_count : 1);
}

Test(merged_tree, matches_the_definition)
{
    struct random random = random_from(21);
    for (uint32_t series = 0; series < SERIES; series++) {
        struct ranked r = make_series(&random);
        struct question q;
        make_question(&q, &random, &r.tree);
        struct merged_tree t = merged_tree_of(&r.tree, &q.ask, &r.a.arena);
        expect_tree(&r, &q, &t, series);
        ranked_free(&r);
    }
}

/* The share is relative to the tree, not the heap. */
Test(merged_tree, small_is_what_is_small_in_the_largest_tree)
{
    struct ranked r = {0};
    struct forge f = {0};
    node_id statics = heap_group(&f, heap_root(&f), "[static vars]");
    heap_object(&f, statics, "App.Large", 100000);
    node_id small = heap_object(&f, statics, "App.Small", 10);
    heap_object(&f, small, "App.Half", 90);
    heap_object(&f, small, "App.Tiny", 1);
    heap_object(&f, small, "App.Speck", 1);
    aligned_add(&r.a, forge_finish(&f));
    fold_series(&r);
    bool *matches = alloc_zeroed(r.tree.labels.len);
    const bool *patterns[] = {matches};
    struct merged_tree_question ask = {
        .patterns = patterns, .pattern_count = 1, .least_share = 0.05};
    for (label_id l = 0; l < r.tree.labels.len; l++)
        matches[l] = strcmp(r.tree.labels.all[l].name, "App.Small") == 0;
    struct merged_tree t = merged_tree_of(&r.tree, &ask, &r.a.arena);
    cr_expect_eq(t.least, 5u);
    cr_expect_eq(t.len, 4u, "pattern, Small, Half, others");
    ask.least = 1;
    t = merged_tree_of(&r.tree, &ask, &r.a.arena);
    cr_expect_eq(t.least, 1u);
    cr_expect_eq(t.len, 5u);
    free(matches);
    ranked_free(&r);
}

/* Every byte of the matches has a holder. */
Test(merged_tree, holders_of_a_type_sum_to_it)
{
    struct random random = random_from(22);
    for (uint32_t series = 0; series < SERIES; series++) {
        struct ranked r = make_series(&random);
        const size_t n = r.tree.snapshots;
        bool *matches = alloc_zeroed(r.tree.labels.len);
        const bool *patterns[] = {matches};
        label_id l = random_below(&random, (uint32_t)r.tree.labels.len);
        matches[l] = true;
        struct merged_tree_question ask = {
            .patterns = patterns, .pattern_count = 1, .holders = true, .least = 100};
        struct merged_tree t = merged_tree_of(&r.tree, &ask, &r.a.arena);
        for (size_t k = 0; k < n; k++) {
            uint64_t bytes = 0;
            for (path_id p = 1; p < r.tree.full[k].len; p++)
                bytes += r.tree.full[k].label[p] == l && r.tree.full[k].count[p] > 0
                             ? r.tree.full[k].bytes[p]
                             : 0;
            cr_assert_eq(t.owned[k].bytes, bytes, "series %u", series);
        }
        free(matches);
        ranked_free(&r);
    }
}

/* --- large -----------------------------------------------------------------------------
 */

/* A chain of `deep` different types, with `wide` siblings at its end. */
static struct ranked deep_and_wide(uint32_t deep, uint32_t wide)
{
    struct ranked r = {0};
    for (int k = 0; k < 2; k++) {
        struct forge f = {0};
        node_id at = heap_group(&f, heap_root(&f), "[static vars]");
        for (uint32_t i = 0; i < deep + wide; i++) {
            char name[32];
            snprintf(name, sizeof(name), "App.T%u", i);
            node_id n = heap_object(&f, at, name, 24);
            at = i < deep ? n : at;
        }
        aligned_add(&r.a, forge_finish(&f));
    }
    fold_series(&r);
    return r;
}

/* Quadratic time would be minutes. */
Test(merged_tree, deep_and_wide_heaps_take_linear_time, .timeout = 60)
{
    enum { MANY = MILLION / 20 };
    struct ranked r = deep_and_wide(MANY, MANY);
    struct merged_tree_question ask = {0};
    struct merged_tree t = merged_tree_of(&r.tree, &ask, &r.a.arena);
    cr_expect_eq(t.len, 2 + 2 * (size_t)MANY);
    cr_expect_eq(t.nodes[t.len - 1].depth, 2u + MANY);
    ask.least = 24 * (uint64_t)MANY + 24 * 10;
    t = merged_tree_of(&r.tree, &ask, &r.a.arena);
    /* the top, the group, the nodes that own enough, and a row for the children of the last
     */
    cr_expect_eq(t.owned[0].bytes, 48 * (uint64_t)MANY);
    cr_expect_lt(t.len, (size_t)MANY + 3);
    cr_expect_eq(t.nodes[t.len - 1].others, 1u);
    ranked_free(&r);
}

/* Ways are limited to this length; bytes of more distant matches are included. */
Test(merged_tree, long_ways_up_are_cut)
{
    enum { DEEP = 3 * OWNER_TREE_MAX_HOLDERS };
    struct ranked r = deep_and_wide(DEEP, 0);
    bool *matches = alloc_zeroed(r.tree.labels.len);
    const bool *patterns[] = {matches};
    struct merged_tree_question ask = {
        .patterns = patterns, .pattern_count = 1, .holders = true};
    uint64_t wanted = 0;
    for (label_id l = 0; l < r.tree.labels.len; l++)
        matches[l] = strcmp(r.tree.labels.all[l].name, "App.T5") == 0 ||
                     strcmp(r.tree.labels.all[l].name, "App.T190") == 0;
    for (label_id l = 0; l < r.tree.labels.len; l++)
        wanted += matches[l] ? 24 : 0;
    struct merged_tree t = merged_tree_of(&r.tree, &ask, &r.a.arena);
    unsigned deepest = 0;
    for (size_t i = 0; i < t.len; i++)
        deepest = t.nodes[i].depth > deepest ? t.nodes[i].depth : deepest;
    cr_expect_eq(wanted, 48u);
    cr_expect_eq(t.owned[0].bytes, wanted);
    cr_expect_eq(deepest, 1u + OWNER_TREE_MAX_HOLDERS);
    free(matches);
    ranked_free(&r);
}

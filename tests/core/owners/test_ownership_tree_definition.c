/* Tries of random series compared with their definition: a path is a list of labels,
 * written down for every object. */
#include "owners/random_heap.h"
#include "owners/tree_paths.h"

#include <stdlib.h>

enum { SERIES = 3000, MAX_SNAPSHOTS = 4, MAX_OBJECTS = 28, LONGEST = 40, FOLDED = 8 };

/* --- random series ------------------------------------------------------------------ */

static struct ranked make_series(struct random *r)
{
    struct ranked made = {0};
    bool generations = random_below(r, 4) == 0;
    made.selection = generations && random_below(r, 2) == 0 ? SELECT_GEN2 : SELECT_ALL;
    for (uint32_t k = 1 + random_below(r, MAX_SNAPSHOTS); k > 0; k--)
        aligned_add(&made.a, random_small_heap(r, MAX_OBJECTS, true, generations));
    fold_series(&made);
    return made;
}

/* --- by definition -------------------------------------------------------------------- */

/* The labels from below the root down to a node. Types of different snapshots have the same
 * label if kind and name are equal. */
struct written_path {
    size_t len;
    const struct type *labels[LONGEST];
};

/* By node; len 0: the root, or unreachable. */
struct written {
    struct written_path full[LONGEST], cut[LONGEST];
};

static bool same_label(const struct type *a, const struct type *b)
{
    return a->kind == b->kind && strcmp(a->name, b->name) == 0;
}

static void write_fold(struct written_path *p, const struct type *label)
{
    for (size_t up = 1; up <= FOLDED && up <= p->len; up++)
        if (same_label(p->labels[p->len - up], label)) {
            p->len -= up - 1;
            return;
        }
    p->labels[p->len++] = label;
}

static void write_full(struct written *w, const struct ranked *r, size_t k)
{
    const struct hd_snapshot *snap = r->a.snaps[k];
    struct dominators d = dominators_find(snap, DOMINATORS_OF_OWNERS);
    for (uint32_t i = 1; i < d.count; i++) {
        struct written_path *p = &w->full[d.node[i]];
        *p = w->full[d.node[d.idom[i]]];
        write_fold(p, &snap->types[snap->graph->type[d.node[i]]]);
    }
    dominators_free(&d);
}

static bool is_anchor(const struct ranked *r, const struct type *label)
{
    for (size_t k = 0; k < r->a.count; k++) {
        const struct hd_snapshot *snap = r->a.snaps[k];
        size_t nodes = 0;
        for (node_id n = 0; n < snap->graph->node_count; n++)
            nodes += n != snap->graph->root && graph_reachable(snap->graph, n) &&
                     same_label(&snap->types[snap->graph->type[n]], label);
        if (nodes > 1)
            return false;
    }
    return true;
}

static void write_cut(struct written *w, const struct ranked *r, size_t k)
{
    for (node_id n = 0; n < r->a.snaps[k]->graph->node_count; n++) {
        const struct written_path *full = &w->full[n];
        size_t start = full->len > 0 ? full->len - 1 : 0;
        while (start > 0 && !is_anchor(r, full->labels[start]))
            start--;
        w->cut[n].len = full->len - start;
        memcpy(w->cut[n].labels, full->labels + start,
               w->cut[n].len * sizeof(*full->labels));
    }
}

static struct written *write_down(const struct ranked *r)
{
    struct written *all = alloc_zeroed(array_bytes(r->a.count, sizeof(*all)));
    for (size_t k = 0; k < r->a.count; k++)
        write_full(&all[k], r, k);
    for (size_t k = 0; k < r->a.count; k++)
        write_cut(&all[k], r, k);
    return all;
}

/* --- comparing ------------------------------------------------------------------------ */

/* True if the labels from p up to the root are these. */
static bool is_written(const struct ownership_tree *t, const path_id *parent,
                       const label_id *label, path_id p, const struct written_path *wanted)
{
    size_t len = wanted->len;
    for (; p != 0 && len > 0; p = parent[p], len--) {
        const struct label *l = &t->labels.all[label[p]];
        if (!same_label(&(struct type){.kind = l->kind, .name = l->name},
                        wanted->labels[len - 1]))
            return false;
    }
    return p == 0 && len == 0;
}

static bool is_counted(const struct ranked *r, size_t k, node_id n)
{
    const struct hd_snapshot *snap = r->a.snaps[k];
    if (snap->types[snap->graph->type[n]].kind == TYPE_PSEUDO)
        return true;
    return snap->types[snap->graph->type[n]].kind == TYPE_OBJECT &&
           (r->selection == SELECT_ALL ||
            graph_address(snap->graph, n) == forge_address(HD_GEN2, n));
}

static void expect_nodes(const struct ranked *r, const struct written *w, size_t k,
                         uint32_t series)
{
    const struct ownership_tree *t = &r->tree;
    const struct full_tree *full = &t->full[k];
    const struct graph *g = r->a.snaps[k]->graph;
    for (node_id n = 0; n < g->node_count; n++) {
        if (n == g->root || !graph_reachable(g, n)) {
            cr_assert_eq(full->at_node[n], NO_PATH, "series %u, node %u", series, n);
            continue;
        }
        path_id at = full->at_node[n], cut = full->cut[at];
        cr_assert(is_written(t, full->parent, full->label, at, &w[k].full[n]),
                  "series %u, snapshot %zu: whole path of %u", series, k, n);
        cr_assert(is_written(t, t->parent, t->label, cut, &w[k].cut[n]),
                  "series %u, snapshot %zu: cut path of %u", series, k, n);
        cr_assert_eq(t->full_of[cut * t->snapshots + k], at, "series %u, node %u", series,
                     n);
    }
}

/* True if `low` is p or below it. */
static bool is_below(const path_id *parent, path_id low, path_id p)
{
    while (low != p && low != 0)
        low = parent[low];
    return low == p;
}

static void expect_sums(const struct ranked *r, size_t k, path_id p, uint32_t series)
{
    const struct ownership_tree *t = &r->tree;
    const struct graph *g = r->a.snaps[k]->graph;
    uint64_t count = 0, bytes = 0, retained = 0;
    for (node_id n = 0; n < g->node_count; n++) {
        if (t->full[k].at_node[n] == NO_PATH || !is_counted(r, k, n))
            continue;
        path_id at = t->full[k].cut[t->full[k].at_node[n]];
        count += at == p;
        bytes += at == p ? graph_size(g, n) : 0;
        retained += is_below(t->parent, at, p) ? graph_size(g, n) : 0;
    }
    size_t cell = p * t->snapshots + k;
    cr_assert_eq(t->count[cell], count, "series %u, path %u", series, p);
    cr_assert_eq(t->bytes[cell], bytes, "series %u, path %u", series, p);
    cr_assert_eq(t->retained[cell], retained, "series %u, path %u", series, p);
}

Test(ownership_tree_definition, every_object_is_at_the_path_of_the_definition)
{
    struct random random = random_from(11);
    for (uint32_t series = 0; series < SERIES; series++) {
        struct ranked r = make_series(&random);
        struct written *w = write_down(&r);
        for (size_t k = 0; k < r.a.count; k++) {
            expect_nodes(&r, w, k, series);
            for (path_id p = 1; p < r.tree.len; p++)
                expect_sums(&r, k, p, series);
        }
        free(w);
        ranked_free(&r);
    }
}

Test(ownership_tree_definition, no_two_paths_have_the_same_labels)
{
    struct random random = random_from(12);
    for (uint32_t series = 0; series < SERIES / 10; series++) {
        struct ranked r = make_series(&random);
        const struct ownership_tree *t = &r.tree;
        for (path_id p = 1; p < t->len; p++)
            for (path_id q = 1; q < p; q++)
                cr_assert(t->parent[p] != t->parent[q] || t->label[p] != t->label[q],
                          "series %u: %u and %u", series, p, q);
        ranked_free(&r);
    }
}

Test(ownership_tree_definition, paths_of_length_one_retain_the_reachable_heap)
{
    struct random random = random_from(13);
    for (uint32_t series = 0; series < SERIES; series++) {
        struct ranked r = make_series(&random);
        for (size_t k = 0; k < r.a.count; k++) {
            uint64_t sum = 0;
            for (path_id p = 1; p < r.tree.len; p++)
                if (tree_depth(&r.tree, p) == 1)
                    sum += r.tree.retained[p * r.tree.snapshots + k];
            cr_assert_eq(sum, r.tree.retained[k], "series %u", series);
            if (r.selection == SELECT_ALL)
                cr_assert_eq(sum, r.a.snaps[k]->info.reachable_bytes, "series %u", series);
        }
        ranked_free(&r);
    }
}

static uint64_t count_below(const struct ranked *r, size_t k, path_id path, label_id label)
{
    const struct full_tree *f = &r->tree.full[k];
    uint64_t count = 0;
    for (node_id n = 0; n < r->a.snaps[k]->graph->node_count; n++) {
        path_id at = f->at_node[n];
        count += at != NO_PATH && at != path && f->label[at] == label &&
                 is_below(f->parent, at, path) && is_counted(r, k, n);
    }
    return count;
}

Test(ownership_tree_definition, objects_of_a_label_below_a_path_are_counted_right)
{
    struct random random = random_from(14);
    for (uint32_t series = 0; series < SERIES / 3; series++) {
        struct ranked r = make_series(&random);
        for (size_t k = 0; k < r.a.count; k++)
            for (path_id p = 0; p < r.tree.full[k].len; p++)
                for (label_id l = 0; l < r.tree.labels.len; l++)
                    cr_assert_eq(full_tree_below(&r.tree.full[k], p, l),
                                 count_below(&r, k, p, l), "series %u, path %u, label %u",
                                 series, p, l);
        ranked_free(&r);
    }
}

/* --- order ---------------------------------------------------------------------------- */

/* The labels from below the root down to p. */
static size_t labels_of(const struct ownership_tree *t, path_id p, label_id *labels)
{
    size_t len = tree_depth(t, p);
    for (size_t i = len; i-- > 0; p = t->parent[p])
        labels[i] = t->label[p];
    return len;
}

/* 0: they differ in an object and a pseudo-node of the same name. */
static int compare_names(const struct ownership_tree *t, path_id p, path_id q)
{
    label_id a[LONGEST], b[LONGEST];
    size_t a_len = labels_of(t, p, a), b_len = labels_of(t, q, b);
    for (size_t i = 0; i < a_len && i < b_len; i++)
        if (a[i] != b[i])
            return strcmp(t->labels.all[a[i]].name, t->labels.all[b[i]].name);
    return a_len < b_len ? -1 : 1;
}

/* Paths with equal names may be in either order, but have different positions. */
Test(ownership_tree_definition, the_order_of_paths_is_that_of_their_names)
{
    struct random random = random_from(15);
    for (uint32_t series = 0; series < SERIES / 10; series++) {
        struct ranked r = make_series(&random);
        uint32_t *order = ownership_tree_order(&r.tree);
        for (path_id p = 0; p < r.tree.len; p++)
            for (path_id q = 0; q < p; q++) {
                int wanted = compare_names(&r.tree, p, q);
                cr_assert_neq(order[p], order[q], "series %u", series);
                if (wanted != 0)
                    cr_assert_eq(order[p] < order[q], wanted < 0, "series %u, %u and %u",
                                 series, p, q);
            }
        free(order);
        ranked_free(&r);
    }
}

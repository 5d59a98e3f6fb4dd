/* planted.h - lookups for tests of made series: paths of an ownership tree by the labels of
 * the truth, rows of type tables, equality of graphs. */
#ifndef PLANTED_H
#define PLANTED_H

#include "owners/aligned.h"
#include "owners/tree_paths.h"
#include "ranking/leak_ranking.h"

/* A type that occurs in no snapshot has no row. */
static inline struct hd_tally table_tally(const struct aligned *a, const char *type,
                                          size_t k)
{
    const struct type *row = forge_type(a->snaps[k], TYPE_OBJECT, type);
    return row != NULL ? row->tally[SELECT_ALL] : (struct hd_tally){0};
}

static inline struct ownership_tree ownership_tree_of(const struct aligned *a)
{
    struct ownership_tree t;
    ownership_tree_begin(&t, a->count);
    for (size_t k = 0; k < a->count; k++)
        ownership_tree_add(&t, k, a->snaps[k], SELECT_ALL);
    ownership_tree_align(&t);
    return t;
}

static inline path_id child_of(const struct ownership_tree *t, path_id parent,
                               const char *label)
{
    for (path_id p = 1; p < t->len; p++)
        if (t->parent[p] == parent && strcmp(t->labels.all[t->label[p]].name, label) == 0)
            return p;
    return NO_PATH;
}

static inline bool is_anchor(const struct ownership_tree *t, const char *label)
{
    for (label_id l = 0; l < t->labels.len; l++)
        if (strcmp(t->labels.all[l].name, label) == 0)
            return t->labels.all[l].is_anchor;
    return false;
}

/* The truth has full paths; the aligned ownership tree restarts at every anchor. */
static inline path_id find_culprit(const struct ownership_tree *t, const char *series,
                                   const char *const *path)
{
    path_id at = 0;
    for (size_t i = 0; path[i] != NULL; i++) {
        at = child_of(t, is_anchor(t, path[i]) ? 0 : at, path[i]);
        cr_assert_neq(at, NO_PATH, "%s: no %s", series, path[i]);
    }
    return at;
}

/* Expects the truth's labels in the full ownership tree of snapshot k, from the root to a
 * path. */
static inline void expect_full_path(const struct ownership_tree *t, path_id p, size_t k,
                                    const char *series, const char *const *path)
{
    struct arena scratch = {0};
    const label_id *labels;
    size_t len = tree_full_path(t, p, k, &labels, &scratch), i = 0;
    for (; i < len && path[i] != NULL; i++)
        cr_expect_str_eq(t->labels.all[labels[i]].name, path[i], "%s", series);
    cr_expect(i == len && path[i] == NULL, "%s: %zu labels", series, len);
    arena_free(&scratch);
}

static inline void expect_in_path(const struct ownership_tree *t, path_id p, size_t k,
                                  const char *series, uint64_t count, uint64_t retained)
{
    uint64_t got = t->count[p * t->snapshots + k], kept = t->retained[p * t->snapshots + k];
    cr_expect_eq(got, count, "%s, snapshot %zu: %llu", series, k, (unsigned long long)got);
    cr_expect_eq(kept, retained, "%s, snapshot %zu: %llu bytes", series, k,
                 (unsigned long long)kept);
}

/* True if all numbers of the graphs are equal. */
static inline bool same_graphs(const struct hd_snapshot *a, const struct hd_snapshot *b)
{
    const struct graph *x = a->graph, *y = b->graph;
    bool same = a->type_count == b->type_count && x->node_count == y->node_count &&
                x->edge_count == y->edge_count && x->root == y->root;
    for (type_id t = 0; same && t < a->type_count; t++)
        same = strcmp(a->types[t].name, b->types[t].name) == 0;
    for (node_id n = 0; same && n < x->node_count; n++)
        same = x->type[n] == y->type[n] && x->small_size[n] == y->small_size[n] &&
               x->edge_begin[n + 1] == y->edge_begin[n + 1];
    for (uint32_t e = 0; same && e < x->edge_count; e++)
        same = x->edge_to[e] == y->edge_to[e];
    return same;
}

#endif

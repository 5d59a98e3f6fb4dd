/* ranked.h - a short series of made heaps, aligned, folded into an ownership tree and
 * ranked.
 *
 *     struct ranked r = {0};
 *     for (uint32_t k = 0; k < 3; k++) {
 *         struct forge f = {0};
 *         node_id statics = heap_group(&f, heap_root(&f), "[static vars]");
 *         node_id bus = heap_object(&f, statics, "App.EventBus", 24);
 *         ...
 *         aligned_add(&r.a, forge_finish(&f));
 *     }
 *     rank(&r);
 *     ... r.ownership tree, r.headed, ranked_path(&r, "App.EventBus > App.Order") ...
 *     ranked_free(&r); */
#ifndef RANKED_H
#define RANKED_H

#include "owners/aligned.h"
#include "owners/tree_paths.h"
#include "ranking/leak_ranking.h"

#include <math.h>

/* --- heaps --------------------------------------------------------------------- */

/* The root of all roots. */
static inline node_id heap_root(struct forge *f)
{
    node_id root = forge_pseudo(f, "[.NET Roots]");
    forge_start(f, root);
    return root;
}

/* A pseudo-node below another one; an object referred to by another node. */
static inline node_id heap_group(struct forge *f, node_id above, const char *name)
{
    node_id n = forge_pseudo(f, name);
    forge_reference(f, above, n);
    return n;
}

static inline node_id heap_object(struct forge *f, node_id holder, const char *type,
                                  uint64_t size)
{
    node_id n = forge_object(f, type, size);
    forge_reference(f, holder, n);
    return n;
}

/* Makes count objects held by holder, with consecutive ids; returns the first. */
static inline node_id heap_objects(struct forge *f, node_id holder, const char *type,
                                   uint64_t size, uint32_t count)
{
    node_id first = forge_objects(f, type, size, count);
    for (uint32_t i = 0; i < count; i++)
        forge_reference(f, holder, first + i);
    return first;
}

/* --- series --------------------------------------------------------------------- */

struct ranked {
    struct aligned a;
    enum selection selection;
    const uint64_t *iterations; /* NULL: 1, 2, 3, ... */
    struct ownership_tree tree;
    struct leak_ranking ranking;
};

/* Makes only the ownership tree. */
static inline void fold_series(struct ranked *r)
{
    ownership_tree_begin(&r->tree, r->a.count);
    for (size_t k = 0; k < r->a.count; k++)
        ownership_tree_add(&r->tree, k, r->a.snaps[k], r->selection);
    ownership_tree_align(&r->tree);
}

static inline void rank(struct ranked *r)
{
    struct series_question ask = {.selection = r->selection, .iterations = r->iterations};
    align(&r->a, &ask);
    cr_assert_eq(r->a.series.usable_count, r->a.count, "all snapshots are fit");
    fold_series(r);
    r->ranking = leak_ranking_of(&r->tree, &r->a.series, NULL, &usual_line, &r->a.arena);
}

static inline void ranked_free(struct ranked *r)
{
    ownership_tree_free(&r->tree);
    aligned_free(&r->a);
    *r = (struct ranked){0};
}

/* --- paths ---------------------------------------------------------------------- */

/* "A > B" for an aligned path; allocated in a. */
static inline const char *path_name(const struct ownership_tree *t, path_id p,
                                    struct arena *a)
{
    const char *name = t->labels.all[t->label[p]].name;
    if (t->parent[p] == 0)
        return name;
    return arena_printf(a, "%s > %s", path_name(t, t->parent[p], a), name);
}

/* The path with this name, or NO_PATH. */
static inline path_id find_path(struct ranked *r, const char *name)
{
    for (path_id p = 1; p < r->tree.len; p++)
        if (strcmp(path_name(&r->tree, p, &r->a.arena), name) == 0)
            return p;
    return NO_PATH;
}

static inline path_id ranked_path(struct ranked *r, const char *name)
{
    path_id p = find_path(r, name);
    cr_assert_neq(p, NO_PATH, "no path %s", name);
    return p;
}

/* Expects objects at a path, and bytes at and below it, in all snapshots. */
static inline void expect_path(struct ranked *r, const char *name, const uint64_t *count,
                               const uint64_t *retained)
{
    path_id p = ranked_path(r, name);
    for (size_t k = 0; k < r->a.count; k++) {
        size_t cell = p * r->a.count + k;
        cr_expect_eq(r->tree.count[cell], count[k], "%s, snapshot %zu: %llu objects", name,
                     k, (unsigned long long)r->tree.count[cell]);
        cr_expect_eq(r->tree.retained[cell], retained[k], "%s, snapshot %zu: %llu bytes",
                     name, k, (unsigned long long)r->tree.retained[cell]);
    }
}

/* --- rankings ------------------------------------------------------------------- */

struct expected_type {
    const char *name;
    double score;
};

static inline void expect_types(const struct ranked *r, const struct ranked_type *got,
                                size_t len, const struct expected_type *wanted,
                                size_t wanted_len)
{
    cr_expect_eq(len, wanted_len, "%zu types are ranked, not %zu", len, wanted_len);
    for (size_t i = 0; i < len; i++) {
        const char *name = r->tree.labels.all[got[i].label].name;
        cr_assert_lt(i, wanted_len, "%s, %.6f, is not wanted", name, got[i].score);
        cr_expect_str_eq(name, wanted[i].name, "%zu. is %s", i + 1, name);
        cr_expect(fabs(got[i].score - wanted[i].score) <= 1e-9 * wanted[i].score,
                  "%s scores %.9f and not %.9f", name, got[i].score, wanted[i].score);
    }
}

/* expect_ranking(&r, {"App.Order", 960}, {"System.String", 12}): exactly these. */
#define expect_ranking(r, ...)                                         \
    expect_types((r), (r)->ranking.all, (r)->ranking.len,              \
                 (const struct expected_type[]){__VA_ARGS__},          \
                 sizeof((const struct expected_type[]){__VA_ARGS__}) / \
                     sizeof(struct expected_type))

/* The same for objects in pools. */
#define expect_pooled(r, ...)                                                   \
    expect_types((r), (r)->ranking.all + (r)->ranking.len, (r)->ranking.pooled, \
                 (const struct expected_type[]){__VA_ARGS__},                   \
                 sizeof((const struct expected_type[]){__VA_ARGS__}) /          \
                     sizeof(struct expected_type))

static inline void expect_empty_ranking(const struct ranked *r)
{
    expect_types(r, r->ranking.all, r->ranking.len, NULL, 0);
}

/* The ranked or pooled type with this name. */
static inline const struct ranked_type *ranked_type(const struct ranked *r,
                                                    const char *name)
{
    for (size_t i = 0; i < r->ranking.len + r->ranking.pooled; i++)
        if (strcmp(r->tree.labels.all[r->ranking.all[i].label].name, name) == 0)
            return &r->ranking.all[i];
    cr_assert(false, "%s is not ranked", name);
    return NULL;
}

/* --- suspects -------------------------------------------------------------------- */

static inline void expect_names_along(const struct ranked *r, const char *type,
                                      const char *const *wanted, size_t wanted_len)
{
    const struct ranked_type *row = ranked_type(r, type);
    cr_assert_eq(row->also_count, wanted_len, "%zu types go with %s", row->also_count,
                 type);
    for (size_t i = 0; i < wanted_len; i++)
        cr_expect_str_eq(r->tree.labels.all[row->also[i]].name, wanted[i], "%s", type);
}

/* expect_along(&r, "App.Order", "System.String", ...): the types co-retained with a row, in
 * order. */
#define expect_along(r, type, ...)                                      \
    expect_names_along((r), (type), (const char *const[]){__VA_ARGS__}, \
                       sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

#define expect_suspect(r, type, wanted) \
    cr_expect_eq(ranked_type((r), (type))->suspicion, (wanted), "%s", (type))

/* "[static vars] > App.Cache": the nodes above the head of a type in the last snapshot. */
static inline const char *holder_of(struct ranked *r, const char *type)
{
    const label_id *labels;
    size_t len = tree_full_path(&r->tree, ranked_type(r, type)->head, r->a.count - 1,
                                &labels, &r->a.arena);
    const char *path = "";
    for (size_t i = 0; i + 1 < len; i++)
        path = arena_printf(&r->a.arena, "%s%s%s", path, i > 0 ? " > " : "",
                            r->tree.labels.all[labels[i]].name);
    return path;
}

#endif

#include "chains/walk.h"

#include "support/forge.h"
#include "support/random.h"

#include <criterion/criterion.h>

/* A heap and its walk. */
struct walked {
    struct hd_snapshot *snap;
    struct arena arena;
    node_id *parent;
};

static struct walked walk(struct forge *f)
{
    struct walked w = {.snap = forge_finish(f)};
    w.parent = walk_graph(w.snap, &w.arena).parent;
    return w;
}

static void walked_free(struct walked *w)
{
    hd_snapshot_close(w->snap);
    arena_free(&w->arena);
}

static const char *type_of(const struct walked *w, node_id n)
{
    return w->snap->types[w->snap->graph->type[n]].name;
}

static void expect_parent(const struct walked *w, node_id n, node_id parent)
{
    cr_expect_eq(w->parent[n], parent, "%s %u hangs below %u, not %u", type_of(w, n), n,
                 w->parent[n], parent);
}

static void expect_group(const struct walked *w, node_id n, const char *group)
{
    cr_assert_neq(w->parent[n], NO_NODE, "%u", n);
    cr_expect_str_eq(type_of(w, w->parent[n]), group, "%u hangs below %s", n,
                     type_of(w, w->parent[n]));
}

/* --- classes -------------------------------------------------------------------- */

Test(walk, a_long_chain_from_a_static_beats_a_short_one_from_the_stack)
{
    struct forge f = {0};
    node_id first = forge_objects(&f, "App.Node", 24, 5);
    for (node_id i = 0; i < 4; i++)
        forge_reference(&f, first + i, first + i + 1);
    forge_root(&f, HD_ROOT_STACK, NULL, first + 4);
    forge_root(&f, HD_ROOT_STATIC, "App.s_first", first);
    struct walked w = walk(&f);
    expect_group(&w, first, "[static var App.s_first]");
    for (node_id i = 0; i < 4; i++)
        expect_parent(&w, first + i + 1, first + i);
    walked_free(&w);
}

Test(walk, classes_are_in_the_documented_order)
{
    static const struct {
        enum hd_root_kind kind;
        const char *group;
    } strongest_first[] = {
        {HD_ROOT_THREAD_STATIC, "[thread static vars]"},
        {HD_ROOT_STRONG_HANDLE, "[strong Handles]"},
        {HD_ROOT_REF_COUNTED_HANDLE, "[COM/WinRT Objects]"},
        {HD_ROOT_DEPENDENT_HANDLE, "[Dependent Handles]"},
        {HD_ROOT_STACK, "[local vars]"},
        {HD_ROOT_FINALIZER, "[finalizer Handles]"},
        {HD_ROOT_OTHER, "[other roots]"},
    };
    size_t count = sizeof(strongest_first) / sizeof(*strongest_first);
    for (size_t strongest = 0; strongest < count; strongest++) {
        struct forge f = {0};
        node_id object = forge_object(&f, "App.Order", 24);
        for (size_t i = count; i-- > strongest;)
            forge_root(&f, strongest_first[i].kind, NULL, object);
        struct walked w = walk(&f);
        expect_group(&w, object, strongest_first[strongest].group);
        walked_free(&w);
    }
}

Test(walk, the_first_root_of_a_class_in_the_file_wins)
{
    struct forge f = {0};
    node_id root = forge_pseudo(&f, "[.NET Roots]");
    node_id pinned = forge_pseudo(&f, "[pinning Handles]");
    node_id strong = forge_pseudo(&f, "[strong Handles]");
    node_id object = forge_object(&f, "App.Order", 24);
    forge_reference(&f, root, pinned);
    forge_reference(&f, root, strong);
    forge_reference(&f, strong, object);
    forge_reference(&f, pinned, object);
    forge_start(&f, root);
    struct walked w = walk(&f);
    expect_parent(&w, object, pinned);
    walked_free(&w);
}

/* Root of all roots -> [other roots] -> [strong Handles]; and the stack. */
Test(walk, a_group_counts_by_its_own_name_wherever_it_hangs)
{
    struct forge f = {0};
    node_id root = forge_pseudo(&f, "[.NET Roots]");
    node_id other = forge_pseudo(&f, "[other roots]");
    node_id strong = forge_pseudo(&f, "[strong Handles]");
    node_id stack = forge_pseudo(&f, "[local vars]");
    node_id object = forge_object(&f, "App.Order", 24);
    node_id below = forge_object(&f, "App.Line", 24);
    forge_reference(&f, root, stack);
    forge_reference(&f, root, other);
    forge_reference(&f, other, strong);
    forge_reference(&f, other, below);
    forge_reference(&f, strong, object);
    forge_reference(&f, stack, object);
    forge_reference(&f, stack, below);
    forge_start(&f, root);
    struct walked w = walk(&f);
    expect_parent(&w, root, NO_NODE);
    expect_parent(&w, strong, other);
    expect_parent(&w, object, strong);
    expect_parent(&w, below, stack);
    walked_free(&w);
}

Test(walk, a_group_without_a_class_takes_that_of_its_parent)
{
    struct forge f = {0};
    node_id root = forge_pseudo(&f, "[.NET Roots]");
    node_id stack = forge_pseudo(&f, "[local vars]");
    node_id statics = forge_pseudo(&f, "[static vars]");
    node_id library = forge_pseudo(&f, "[statics of App.dll]");
    node_id object = forge_object(&f, "App.Order", 24);
    forge_reference(&f, root, stack);
    forge_reference(&f, root, statics);
    forge_reference(&f, statics, library);
    forge_reference(&f, stack, object);
    forge_reference(&f, library, object);
    forge_start(&f, root);
    struct walked w = walk(&f);
    expect_parent(&w, object, library);
    walked_free(&w);
}

/* --- shortest chains ---------------------------------------------------------------- */

Test(walk, inside_a_class_the_chain_is_a_shortest_one)
{
    struct forge f = {0};
    node_id far = forge_objects(&f, "App.Far", 24, 3);
    node_id near = forge_object(&f, "App.Near", 24);
    node_id order = forge_object(&f, "App.Order", 24);
    forge_reference(&f, far, far + 1);
    forge_reference(&f, far + 1, far + 2);
    forge_reference(&f, far + 2, order);
    forge_reference(&f, near, order);
    forge_root(&f, HD_ROOT_STATIC, "App.s_far", far);
    forge_root(&f, HD_ROOT_STATIC, "App.s_near", near);
    struct walked w = walk(&f);
    expect_parent(&w, order, near);
    walked_free(&w);
}

Test(walk, self_references_and_cycles_to_the_root_are_not_chains)
{
    struct forge f = {0};
    node_id a = forge_object(&f, "App.A", 24), b = forge_object(&f, "App.B", 24);
    forge_reference(&f, a, a);
    forge_reference(&f, a, b);
    forge_reference(&f, b, a);
    forge_reference(&f, b, b);
    forge_root(&f, HD_ROOT_STATIC, "App.s_a", a);
    struct walked w = walk(&f);
    expect_group(&w, a, "[static var App.s_a]");
    expect_parent(&w, b, a);
    walked_free(&w);
}

Test(walk, a_list_of_a_million_is_an_ordinary_heap)
{
    enum { LONG = 1000000 };
    struct forge f = {0};
    node_id first = forge_objects(&f, "App.Node", 24, LONG);
    for (node_id i = 0; i + 1 < LONG; i++) {
        forge_reference(&f, first + i, first + i + 1);
        forge_reference(&f, first + i + 1, first + i);
    }
    forge_root(&f, HD_ROOT_STATIC, "App.s_list", first);
    struct walked w = walk(&f);
    for (node_id i = 0; i + 1 < LONG; i++)
        cr_assert_eq(w.parent[first + i + 1], first + i);
    walked_free(&w);
}

/* --- what no root reaches --------------------------------------------------------------
 */

Test(walk, garbage_without_referrers_is_an_entry)
{
    struct forge f = {0};
    node_id held = forge_object(&f, "App.Held", 24);
    node_id late = forge_object(&f, "App.Leaf", 24);
    node_id entry = forge_object(&f, "App.Entry", 24),
            self = forge_object(&f, "App.Self", 24);
    forge_reference(&f, entry, late);
    forge_reference(&f, entry, held); /* does not make held unreachable */
    forge_reference(&f, self, self);  /* its own reference does not count */
    forge_root(&f, HD_ROOT_STACK, NULL, held);
    struct walked w = walk(&f);
    expect_group(&w, held, "[local vars]");
    expect_parent(&w, entry, NO_NODE);
    expect_parent(&w, self, NO_NODE);
    expect_parent(&w, late, entry);
    walked_free(&w);
}

Test(walk, an_unreachable_cycle_is_entered_at_its_lowest_node)
{
    struct forge f = {0};
    node_id ring = forge_objects(&f, "App.Ring", 24, 3);
    node_id other = forge_objects(&f, "App.Other", 24, 2);
    node_id held = forge_object(&f, "App.Held", 24);
    forge_reference(&f, ring, ring + 2);
    forge_reference(&f, ring + 2, ring + 1);
    forge_reference(&f, ring + 1, ring);
    forge_reference(&f, other, other + 1);
    forge_reference(&f, other + 1, other);
    forge_root(&f, HD_ROOT_STACK, NULL, held);
    struct walked w = walk(&f);
    expect_parent(&w, ring, NO_NODE);
    expect_parent(&w, ring + 2, ring);
    expect_parent(&w, ring + 1, ring + 2);
    expect_parent(&w, other, NO_NODE);
    expect_parent(&w, other + 1, other);
    walked_free(&w);
}

Test(walk, a_cycle_that_an_entry_reaches_hangs_below_the_entry)
{
    struct forge f = {0};
    node_id ring = forge_objects(&f, "App.Ring", 24, 2);
    node_id entry = forge_object(&f, "App.Entry", 24);
    forge_reference(&f, ring, ring + 1);
    forge_reference(&f, ring + 1, ring);
    forge_reference(&f, entry, ring + 1);
    forge_root(&f, HD_ROOT_STACK, NULL, forge_object(&f, "App.Held", 24));
    struct walked w = walk(&f);
    expect_parent(&w, entry, NO_NODE);
    expect_parent(&w, ring + 1, entry);
    expect_parent(&w, ring, ring + 1);
    walked_free(&w);
}

/* --- by definition
 * ------------------------------------------------------------------------ */

enum { MAX_NODES = 24, GROUPS = 5, FAR = 1000, UNREACHED = ROOT_CLASSES - 1 };

static const struct {
    const char *name;
    int class;
} groups[GROUPS] = {{"[local vars]", 4},
                    {"[strong Handles]", 1},
                    {"[static vars]", 0},
                    {"[pinning Handles]", 1},
                    {"[finalizer Handles]", 5}};

/* The definition for each node, computed by iterating until stable. */
struct definition {
    const struct graph *g;
    int class[MAX_NODES], depth[MAX_NODES];
};

static bool refers(const struct graph *g, node_id from, node_id to)
{
    for (uint32_t e = g->edge_begin[from]; e < g->edge_begin[from + 1]; e++)
        if (g->edge_to[e] == to)
            return true;
    return false;
}

/* The strongest class that reaches a node, and its distance then. Groups have a fixed
 * class. */
static void relax(struct definition *d)
{
    const struct graph *g = d->g;
    for (bool changed = true; changed;) {
        changed = false;
        for (node_id from = 1; from < g->node_count; from++) {
            for (node_id to = GROUPS + 1; to < g->node_count; to++) {
                bool closer =
                    d->class[from] < d->class[to] ||
                    (d->class[from] == d->class[to] && d->depth[from] + 1 < d->depth[to]);
                if (d->class[from] == UNREACHED || !refers(g, from, to) || !closer)
                    continue;
                d->class[to] = d->class[from];
                d->depth[to] = d->depth[from] + 1;
                changed = true;
            }
        }
    }
}

static struct definition define(const struct hd_snapshot *snap)
{
    struct definition d = {.g = snap->graph};
    for (node_id n = 0; n < d.g->node_count; n++) {
        bool group = n >= 1 && n <= GROUPS;
        d.class[n] = group ? groups[n - 1].class : UNREACHED;
        d.depth[n] = group ? 0 : FAR;
    }
    relax(&d);
    return d;
}

/* The group, then the numbers of the references from it to n. */
static size_t chain_key(const struct walked *w, node_id n, uint32_t *key)
{
    const struct graph *g = w->snap->graph;
    node_id chain[MAX_NODES];
    size_t length = 0, len = 0;
    for (; n > GROUPS; n = w->parent[n])
        chain[length++] = n;
    key[len++] = n;
    for (node_id from = n; length > 0; from = chain[length]) {
        uint32_t e = g->edge_begin[from];
        for (length--; g->edge_to[e] != chain[length]; e++)
            cr_assert_lt(e, g->edge_begin[from + 1], "%u refers to %u", from,
                         chain[length]);
        key[len++] = e - g->edge_begin[from];
    }
    return len;
}

/* Chains of equal length are queued in the order of their keys. */
static int compare_chains(const struct walked *w, node_id a, node_id b)
{
    uint32_t x[MAX_NODES + 1], y[MAX_NODES + 1];
    size_t len = chain_key(w, a, x);
    cr_assert_eq(chain_key(w, b, y), len);
    for (size_t i = 0; i < len; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

static void expect_reached(const struct walked *w, const struct definition *d, node_id n)
{
    node_id parent = w->parent[n];
    cr_assert_lt(parent, d->g->node_count, "%u", n);
    cr_assert(refers(d->g, parent, n), "%u does not refer to %u", parent, n);
    cr_assert_eq(d->class[parent], d -> class[n], "%u", n);
    cr_assert_eq(d->depth[parent] + 1, d->depth[n], "%u", n);
    for (node_id other = 1; other < d->g->node_count; other++)
        if (other != parent && d->class[other] == d->class[n] &&
            d->depth[other] + 1 == d->depth[n] && refers(d->g, other, n))
            cr_assert_lt(compare_chains(w, parent, other), 0, "%u: %u before %u", n, other,
                         parent);
}

/* Marks all nodes reachable from n. */
static void reach(const struct graph *g, node_id n, bool *seen)
{
    seen[n] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (node_id from = 0; from < g->node_count; from++)
            for (uint32_t e = g->edge_begin[from]; e < g->edge_begin[from + 1]; e++)
                if (seen[from] && !seen[g->edge_to[e]])
                    seen[g->edge_to[e]] = changed = true;
    }
}

static void expect_unreachable(const struct walked *w, const struct definition *d)
{
    const struct graph *g = d->g;
    bool entry[MAX_NODES] = {false}, seen[MAX_NODES] = {false};
    for (node_id n = 0; n < g->node_count; n++)
        seen[n] = n <= GROUPS || d->class[n] != UNREACHED;
    for (node_id n = GROUPS + 1; n < g->node_count; n++) {
        entry[n] = d->class[n] == UNREACHED;
        for (node_id from = GROUPS + 1; from < g->node_count; from++)
            entry[n] &= from == n || d->class[from] != UNREACHED || !refers(g, from, n);
    }
    for (node_id n = 0; n < g->node_count; n++)
        if (entry[n])
            reach(g, n, seen);
    for (node_id n = 0; n < g->node_count; n++) {
        if (seen[n])
            continue;
        entry[n] = true;
        reach(g, n, seen);
    }
    for (node_id n = GROUPS + 1; n < g->node_count; n++) {
        if (d->class[n] != UNREACHED)
            continue;
        cr_assert_eq(w->parent[n] == NO_NODE, entry[n], "%u", n);
        cr_assert(entry[n] || refers(g, w->parent[n], n), "%u", n);
        cr_assert(entry[n] || d->class[w->parent[n]] == UNREACHED, "%u", n);
    }
}

Test(walk, random_heaps_are_walked_as_defined)
{
    struct random r = random_from(4);
    for (int round = 0; round < 3000; round++) {
        struct forge f = {0};
        node_id root = forge_pseudo(&f, "[.NET Roots]");
        for (node_id i = 0; i < GROUPS; i++)
            forge_reference(&f, root, forge_pseudo(&f, groups[i].name));
        uint32_t objects = 1 + random_below(&r, MAX_NODES - GROUPS - 1);
        node_id first = forge_objects(&f, "App.Node", 24, objects);
        for (uint32_t i = random_below(&r, 4); i > 0; i--)
            forge_reference(&f, 1 + random_below(&r, GROUPS),
                            first + random_below(&r, objects));
        for (uint32_t i = random_below(&r, 2 * objects + 1); i > 0; i--)
            forge_reference(&f, first + random_below(&r, objects),
                            first + random_below(&r, objects));
        forge_start(&f, root);
        struct walked w = walk(&f);
        struct definition d = define(w.snap);
        for (node_id n = first; n < first + objects; n++)
            if (d.class[n] != UNREACHED)
                expect_reached(&w, &d, n);
        expect_unreachable(&w, &d);
        walked_free(&w);
    }
}

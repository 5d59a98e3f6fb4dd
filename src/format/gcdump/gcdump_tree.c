#include "format/gcdump/gcdump_tree.h"

#include "heap/place.h"

#include <string.h>

enum group {
    ALL,
    STATIC,
    THREAD_STATIC,
    LOCAL,
    OTHER,
    REF_COUNTED,
    FINALIZER,
    PINNED,
    STRONG,
    OTHER_HANDLES,
    DEPENDENT,
    COM,
    GROUPS
};

static const struct {
    const char *name;
    enum group parent;
    bool always;
} groups[GROUPS] = {
    [ALL] = {"[.NET Roots]", ALL, true},
    [STATIC] = {"[static vars]", ALL, true},
    [THREAD_STATIC] = {"[thread static vars]", ALL, false},
    [LOCAL] = {"[local vars]", ALL, false},
    [OTHER] = {"[other roots]", ALL, false},
    [REF_COUNTED] = {"[COM/WinRT Objects]", OTHER, false},
    [FINALIZER] = {"[finalizer Handles]", OTHER, false},
    [PINNED] = {"[pinning Handles]", OTHER, false},
    [STRONG] = {"[strong Handles]", OTHER, false},
    [OTHER_HANDLES] = {"[other Handles]", OTHER, false},
    [DEPENDENT] = {"[Dependent Handles]", OTHER, false},
    [COM] = {"[COM/WinRT Objects]", ALL, true},
};

static const enum group of_kind[HD_ROOT_KIND_COUNT + 1] = {
    [HD_ROOT_STATIC] = STATIC,
    [HD_ROOT_THREAD_STATIC] = THREAD_STATIC,
    [HD_ROOT_STRONG_HANDLE] = STRONG,
    [HD_ROOT_PINNED_HANDLE] = PINNED,
    [HD_ROOT_REF_COUNTED_HANDLE] = REF_COUNTED,
    [HD_ROOT_DEPENDENT_HANDLE] = DEPENDENT,
    [HD_ROOT_STACK] = LOCAL,
    [HD_ROOT_FINALIZER] = FINALIZER,
    [HD_ROOT_OTHER] = OTHER_HANDLES,
    [HD_ROOT_UNREACHABLE] = OTHER_HANDLES,
    [HD_ROOT_KIND_COUNT] = OTHER_HANDLES,
};

/* --- whether it is a tree of root_set.h ----------------------------------- */

static const struct type *type_of(const struct hd_snapshot *snap, node_id n)
{
    return &snap->types[snap->graph->type[n]];
}

/* The first of the pseudo-nodes that stand behind everything else. */
static node_id first_pseudo(const struct hd_snapshot *snap)
{
    node_id first = snap->graph->node_count;
    while (first > 0 && type_of(snap, first - 1)->kind == TYPE_PSEUDO)
        first--;
    return first;
}

/* No reference leads from an object back to a pseudo-node, and the root refers to
 * nothing else. */
static bool is_plain(const struct hd_snapshot *snap, node_id kept)
{
    const struct graph *g = snap->graph;
    for (uint32_t e = 0; e < g->edge_begin[kept]; e++)
        if (g->edge_to[e] >= kept)
            return false;
    for (uint32_t e = g->edge_begin[g->root]; e < g->edge_begin[g->root + 1]; e++)
        if (g->edge_to[e] < kept)
            return false;
    return true;
}

static bool is_ours(const struct hd_snapshot *snap, node_id kept)
{
    const struct graph *g = snap->graph;
    /* A gcdump may call its root so, and has its records in an order of its own. */
    return !snap->source->is_gcdump && g->root >= kept &&
           strcmp(type_of(snap, g->root)->name, "[roots]") == 0 && is_plain(snap, kept);
}

/* --- the tree -------------------------------------------------------------- */

/* Which node of the model each group takes its members from. False if a group would
 * need two. */
static bool find_members(const struct hd_snapshot *snap, node_id kept, node_id *members,
                         size_t *variables)
{
    const struct graph *g = snap->graph;
    for (node_id n = kept; n < g->node_count; n++) {
        const char *name = type_of(snap, n)->name;
        if (n == g->root)
            continue;
        if (place_names_variable(name)) {
            ++*variables;
            continue;
        }
        enum group group = of_kind[root_kind_of(name)];
        if (members[group] != NO_NODE)
            return false;
        members[group] = n;
    }
    return true;
}

/* The variables of one group, as groups of their own. */
static void add_variables(struct gcdump_tree *t, const struct hd_snapshot *snap,
                          node_id group_node, uint32_t parent)
{
    const struct graph *g = snap->graph;
    if (group_node == NO_NODE)
        return;
    for (uint32_t e = g->edge_begin[group_node]; e < g->edge_begin[group_node + 1]; e++) {
        node_id n = g->edge_to[e];
        if (n >= t->kept && place_names_variable(type_of(snap, n)->name))
            t->groups[t->count++] = (struct tree_group){type_of(snap, n)->name, parent, n};
    }
}

struct gcdump_tree gcdump_tree_plan(const struct hd_snapshot *snap, struct arena *a)
{
    struct gcdump_tree t = {.kept = first_pseudo(snap)};
    struct gcdump_tree as_it_is = {.kept = snap->graph->node_count};
    node_id members[GROUPS];
    size_t variables = 0;
    for (size_t g = 0; g < GROUPS; g++)
        members[g] = NO_NODE;
    if (!is_ours(snap, t.kept) || !find_members(snap, t.kept, members, &variables))
        return as_it_is;

    bool used[GROUPS] = {false};
    uint32_t number[GROUPS];
    for (size_t g = 0; g < GROUPS; g++)
        if (groups[g].always || members[g] != NO_NODE)
            used[g] = used[groups[g].parent] = true;
    t.groups = arena_array(a, struct tree_group, GROUPS + variables);
    for (size_t g = 0; g < GROUPS; g++) {
        if (!used[g])
            continue;
        number[g] = t.count;
        t.groups[t.count++] =
            (struct tree_group){groups[g].name, number[groups[g].parent], members[g]};
    }
    t.parents = t.count;
    add_variables(&t, snap, members[STATIC], number[STATIC]);
    if (used[THREAD_STATIC])
        add_variables(&t, snap, members[THREAD_STATIC], number[THREAD_STATIC]);
    /* A variable that no group or more than one refers to is none of root_set's. */
    return t.count == t.parents + variables ? t : as_it_is;
}

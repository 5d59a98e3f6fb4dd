/* gcdump_tree.h - the roots of any snapshot as the tree that dotnet-gcdump makes.
 *
 *     [.NET Roots]
 *       [static vars]                            always
 *         [static var T.f] ...
 *       [thread static vars]
 *         [static var T.f] ...
 *       [local vars]
 *       [other roots]
 *         [COM/WinRT Objects] [finalizer Handles] [pinning Handles]
 *         [strong Handles] [other Handles] [Dependent Handles]
 *       [COM/WinRT Objects]                      always
 *
 * root_set.h makes a flatter one behind all objects; that one is rebuilt here. Every
 * other tree is a file's own and stays as it is. */
#ifndef GCDUMP_TREE_H
#define GCDUMP_TREE_H

#include "heap/snapshot.h"

/* A pseudo-node to be written behind all objects. Its references are first its
 * child groups, then those of the node `members` of the model. */
struct tree_group {
    const char *name;
    uint32_t parent; /* number of a group; the root's is its own */
    node_id members; /* NO_NODE: none */
};

struct gcdump_tree {
    struct tree_group *groups; /* groups[0] is the root; parents of any stand first */
    uint32_t count;            /* 0: the tree stays as it is */
    uint32_t parents;          /* only groups below this number have child groups */
    node_id kept;              /* nodes of the model from here on are replaced */
};

/* Lives in a. O(nodes + references). */
struct gcdump_tree gcdump_tree_plan(const struct hd_snapshot *snap, struct arena *a);

#endif

/* root_tree.h - roots as the pseudo-nodes of a gcdump.
 *
 * The same tree with the same names that dotnet-gcdump makes, for formats that tell what
 * holds objects one by one, so that root chains of all line up:
 *     [.NET Roots] -> [static vars] -> [static var T.f] -> object
 *                  -> [other roots] -> [strong Handles] -> object
 * in the same order. [static vars] and [COM/WinRT Objects] are always there, other groups
 * if they hold something. A {0} is empty. */
#ifndef ROOT_TREE_H
#define ROOT_TREE_H

#include "heap/root_set.h"

enum root_group {
    GROUP_STATICS,
    GROUP_THREAD_STATICS,
    GROUP_STACK,
    GROUP_WRAPPERS, /* one node for each, as for statics */
    GROUP_REF_COUNTED,
    GROUP_FINALIZER,
    GROUP_PINNING,
    GROUP_STRONG,
    GROUP_OTHER,
    GROUP_DEPENDENT,
    GROUP_COUNT
};

struct root_tree {
    struct root_place *all; /* enum root_group, or GROUP_COUNT + number of a variable */
    size_t len, cap;
    struct root_variable *variables; /* by group and name */
    uint32_t variable_count;
    struct arena names;
};

/* object is a node of the graph being built. name is the pseudo-node's in between, for
 * the groups that have one each; else NULL. */
void root_tree_add(struct root_tree *r, enum root_group group, const char *name, size_t len,
                   node_id object);

/* The same where people know the pseudo-node by another name (builder_full_name), which
 * has to live as long as the snapshot; NULL: they do not. */
void root_tree_add_variable(struct root_tree *r, enum root_group group, const char *name,
                            size_t len, const char *full_name, node_id object);

/* Make the pseudo-nodes and the root of all roots, which is there in any case. Call it
 * when all objects are nodes and have their references. If the source is kept it learns
 * in which order dotnet-gcdump would have met the nodes. */
void root_tree_emit(struct root_tree *r, struct builder *b);
void root_tree_free(struct root_tree *r);

#endif

/* root_set.h - pseudo-nodes for formats that list their roots one by one.
 *
 * Collects roots and writes them as the last nodes of the graph. A {0} set is empty. There
 * are two trees of them, so that root chains of all formats line up; a set is of one. */
#ifndef ROOT_SET_H
#define ROOT_SET_H

#include "heap/builder.h"

struct root_set {
    struct root_place *all; /* in the order in which they came */
    size_t len, cap;
    struct root_variable *variables; /* by group and name */
    uint32_t variable_count;
    struct arena names;
};

void root_set_free(struct root_set *s);

/* --- a flat tree ---------------------------------------------------------- */

/* The groups of a gcdump ("[static vars]", "[local vars]", ...), one node per static
 * variable, and the root of all roots behind them. */

/* object is a node of the graph being built. For HD_ROOT_STATIC name is what stands
 * behind "static var" ("App.Cache"); for other kinds NULL. */
void root_set_add(struct root_set *s, enum hd_root_kind kind, const char *name, size_t len,
                  node_id object);

/* Make the pseudo-nodes, in the order of enum hd_root_kind and of first use, and
 * the root. Call it when all objects are nodes; does nothing without roots. */
void root_set_emit(struct root_set *s, struct builder *b);

/* --- the tree of dotnet-gcdump -------------------------------------------- */

/* The same tree with the same names, for formats that tell what holds objects one by one:
 *     [.NET Roots] -> [static vars] -> [static var T.f] -> object
 *                  -> [other roots] -> [strong Handles] -> object
 * in the same order. [static vars] and [COM/WinRT Objects] are always there, other groups
 * if they hold something. */

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

/* object is a node of the graph being built. name is the pseudo-node's in between, for
 * the groups that have one each; else NULL. */
void root_tree_add(struct root_set *s, enum root_group group, const char *name, size_t len,
                   node_id object);

/* The same where people know the pseudo-node by another name (builder_full_name), which
 * has to live as long as the snapshot; NULL: they do not. */
void root_tree_add_variable(struct root_set *s, enum root_group group, const char *name,
                            size_t len, const char *full_name, node_id object);

/* Make the pseudo-nodes and the root of all roots, which is there in any case. Call it
 * when all objects are nodes and have their references. If the source is kept it learns
 * in which order dotnet-gcdump would have met the nodes. */
void root_tree_emit(struct root_set *s, struct builder *b);

#endif

/* root_set.h - pseudo-nodes for formats that list their roots one by one.
 *
 * Collects roots and writes them as the last nodes of the graph. A {0} set is empty. A set
 * builds one of two trees, so that root chains of all formats line up. */
#ifndef ROOT_SET_H
#define ROOT_SET_H

#include "heap/builder.h"

struct root_set {
    struct root_place *all; /* in order of addition */
    size_t len, cap;
    struct root_variable *variables; /* by group and name */
    uint32_t variable_count;
    struct arena names;
};

void root_set_free(struct root_set *s);

/* --- a flat tree ---------------------------------------------------------- */

/* The groups of a gcdump ("[static vars]", "[local vars]", ...), one node per static
 * variable, followed by the root of all roots. */

/* Adds a root. object is a node of the graph being built. For HD_ROOT_STATIC name is the
 * text after "static var" ("App.Cache"); for other kinds NULL. */
void root_set_add(struct root_set *s, enum hd_root_kind kind, const char *name, size_t len,
                  node_id object);

/* If there are roots, appends the pseudo-nodes, in the order of enum hd_root_kind and of
 * first use, and the root. Must be called when all objects are nodes. */
void root_set_emit(struct root_set *s, struct builder *b);

/* --- the tree of dotnet-gcdump -------------------------------------------- */

/* The tree of dotnet-gcdump, names and order included, for formats that list each root with
 * its
 * object:
 *     [.NET Roots] -> [static vars] -> [static var T.f] -> object
 *                  -> [other roots] -> [strong Handles] -> object
 * [static vars] and [COM/WinRT Objects] are always present, other groups if they are not
 * empty. */

enum root_group {
    GROUP_STATICS,
    GROUP_THREAD_STATICS,
    GROUP_STACK,
    GROUP_WRAPPERS, /* one node per root, as for statics */
    GROUP_REF_COUNTED,
    GROUP_FINALIZER,
    GROUP_PINNING,
    GROUP_STRONG,
    GROUP_OTHER,
    GROUP_DEPENDENT,
    GROUP_COUNT
};

/* Adds a root. object is a node of the graph being built. name is the pseudo-node in
 * between, for groups that have one per root; else NULL. */
void root_tree_add(struct root_set *s, enum root_group group, const char *name, size_t len,
                   node_id object);

/* Does the same with a different name for display (builder_full_name), which must outlive
 * the snapshot; may be NULL. */
void root_tree_add_variable(struct root_set *s, enum root_group group, const char *name,
                            size_t len, const char *full_name, node_id object);

/* Appends the pseudo-nodes and the root of all roots, which always exists. Must be called
 * when all objects are nodes and have their references. If the source is stored, it gets
 * the order in which dotnet-gcdump would have visited the nodes. */
void root_tree_emit(struct root_set *s, struct builder *b);

#endif

/* root_set.h - pseudo-nodes for formats that list their roots one by one.
 *
 * Collects roots and writes them as the last nodes of the graph: the groups of
 * a gcdump ("[static vars]", "[local vars]", ...), one node per static variable,
 * and the root of all roots. A {0} set is empty. */
#ifndef ROOT_SET_H
#define ROOT_SET_H

#include "heap/builder.h"

struct root_set {
    struct root_record *all;
    size_t len, cap;
    struct root_static *statics; /* by name */
    uint32_t static_count;
    struct arena names;
};

/* object is a node of the graph being built. For ROOT_STATIC name is what stands
 * behind "static var" ("App.Cache"); for other kinds NULL. */
void root_set_add(struct root_set *s, enum root_kind kind, const char *name, size_t len,
                  node_id object);

/* Make the pseudo-nodes, in the order of enum root_kind and of first use, and
 * the root. Call it when all objects are nodes; does nothing without roots. */
void root_set_emit(struct root_set *s, struct builder *b);
void root_set_free(struct root_set *s);

#endif

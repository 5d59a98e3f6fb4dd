/* root_set.h - pseudo-nodes for formats that list their roots one by one.
 *
 * Collects roots and writes them as the last nodes of the graph: the groups of
 * a gcdump ("[static vars]", "[local vars]", ...), one node per static variable,
 * and the root of all roots. A {0} set is empty. */
#ifndef ROOT_SET_H
#define ROOT_SET_H

#include "heap/builder.h"

/* An object that a root holds, and the number of the pseudo-node in between. */
struct root_place {
    uint32_t place;
    node_id object;
};

/* Roots by place, those of one place in the order in which they came. In a scratch arena.
 */
struct root_places {
    size_t *begin; /* of places, and one more */
    node_id *objects;
};

struct root_places root_places_sort(const struct root_place *all, size_t len, size_t places,
                                    struct arena *a);

/* References from the node that b made last to the objects of a place. */
void root_places_refer(const struct root_places *p, size_t place, struct builder *b);

struct root_set {
    struct root_place
        *all; /* enum hd_root_kind, or HD_ROOT_KIND_COUNT + number of a static */
    size_t len, cap;
    struct root_static *statics; /* by name */
    uint32_t static_count;
    struct arena names;
};

/* object is a node of the graph being built. For HD_ROOT_STATIC name is what stands
 * behind "static var" ("App.Cache"); for other kinds NULL. */
void root_set_add(struct root_set *s, enum hd_root_kind kind, const char *name, size_t len,
                  node_id object);

/* Make the pseudo-nodes, in the order of enum hd_root_kind and of first use, and
 * the root. Call it when all objects are nodes; does nothing without roots. */
void root_set_emit(struct root_set *s, struct builder *b);
void root_set_free(struct root_set *s);

#endif

/* walk.h - find a shortest reference chain from the roots to every object.
 *
 * Strong roots first: an object that a static variable and a stack frame both keep alive is
 * shown below the static (classes: root_kind.h). Inside a class the chain is a shortest
 * one, the first in the order of the file. Every node gets a parent: unreachable nodes are
 * below entries of their own. The order is (class, depth, order of the parent, order of its
 * references), so it is the same on every machine. */
#ifndef WALK_H
#define WALK_H

#include "base/arena.h"
#include "base/workers.h"
#include "heap/graph.h"
#include "heap/snapshot.h"

struct walk {
    /* The node before it on its chain; NO_NODE for the root of all roots and for
     * the entries of the unreachable part. */
    node_id *parent;
};

/* Breadth first, O(nodes + edges), 12 bytes per node while it runs, of which the 4 of
 * parent remain, in a. snap must have a graph. */
struct walk walk_graph(const struct hd_snapshot *snap, struct arena *a);

/* The same with progress and cancellation. False: stopped, and *walk is unusable. */
bool walk_graph_watched(const struct hd_snapshot *snap, struct arena *a, struct walk *walk,
                        struct watch *watch);

/* Returns for each node the kind of the roots that its chain begins with;
 * HD_ROOT_UNREACHABLE without roots. malloc'd, 1 byte per node. O(nodes). */
unsigned char *walk_root_kinds(const struct hd_snapshot *snap, const struct walk *walk);

/* Sets the bits of a node and its ancestors, up to the first that is set. */
static inline void walk_mark_chain(const struct walk *walk, node_id node, uint64_t *bits)
{
    while (node != NO_NODE && bits_add(bits, node))
        node = walk->parent[node];
}

/* --- by which field ------------------------------------------------------------------ */

/* Find the field through which the parent of each object refers to it: the parent on its
 * chain (walk.h), or its owner.
 *
 * An input with fields returns those of all references of an object in one call
 * (heap/graph.h). So each parent is queried once, however many of its children are wanted:
 * an array of ten million elements is read once, not once per element. */

/* parent[n] is the parent of n or NO_NODE; it need not refer to n. Returns the field for
 * each node whose bit is set in wanted, or for all if NULL: NO_FIELD if it is not known, as
 * below roots, and if the parent does not refer to n. NULL if the graph has no fields. In
 * a, 4 bytes per node; O(references of the parents). */
field_id *walk_fields(const struct graph *g, const node_id *parent, const uint64_t *wanted,
                      struct arena *a);

#endif

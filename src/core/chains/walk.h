/* walk.h - a shortest reference chain from the roots to every object.
 *
 * Strong roots come first: an object that a static variable and a stack frame
 * both hold is shown below the static (classes: root_kind.h). Inside a class
 * the chain is a shortest one, and of several the first in the order of the file.
 * Every node gets a parent: what no root reaches hangs below entries of its own.
 * The order is (class, depth, order of the parent, order of its references), so it
 * is the same on every machine. */
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

/* Breadth first, O(nodes + edges), 12 bytes per node while it runs, of which the
 * 4 of parent stay, in a. snap must have a graph. */
struct walk walk_graph(const struct hd_snapshot *snap, struct arena *a);

/* The same while somebody watches. False: stopped, and *walk is of no use. */
bool walk_graph_watched(const struct hd_snapshot *snap, struct arena *a, struct walk *walk,
                        struct watch *watch);

/* Of each node the kind of the roots that its chain begins with: HD_ROOT_UNREACHABLE below
 * none. malloc'd, 1 byte per node. O(nodes). */
unsigned char *walk_root_kinds(const struct hd_snapshot *snap, const struct walk *walk);

/* Set the bits of a node and of those above it; where one is set, so are those above. */
static inline void walk_mark_chain(const struct walk *walk, node_id node, uint64_t *bits)
{
    while (node != NO_NODE && bits_add(bits, node))
        node = walk->parent[node];
}

/* --- by which field ------------------------------------------------------------------ */

/* By which field each object hangs below its parent: that on its chain
 * (walk.h), or its owner.
 *
 * An input that knows fields tells those of all references of an object at once
 * (heap/graph.h). So parents are asked, each once, however many children of it are wanted:
 * an array of ten million elements is gone through once, not once per element. */

/* parent[n] is what n hangs below, NO_NODE for none; it need not refer to n. Of each node
 * whose bit is set in wanted, or of all for NULL: NO_FIELD where none is
 * known, as below roots, and where the parent does not refer to it. NULL if the graph knows
 * no fields. In a, 4 bytes per node; takes as long as the parents have references. */
field_id *walk_fields(const struct graph *g, const node_id *parent, const uint64_t *wanted,
                      struct arena *a);

#endif

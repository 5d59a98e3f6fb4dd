/* dominators.h - which object keeps which other objects alive.
 *
 * Object d dominates w if every chain from the roots to w passes d: if d died, so would w.
 * The immediate dominators form a tree; an object retains the bytes below it in this tree.
 *
 * Nodes are identified by their depth-first number here, so that an immediate dominator
 * always has a smaller number than the nodes it dominates. Number 0 is the root. */
#ifndef DOMINATORS_H
#define DOMINATORS_H

#include "base/arrays.h"
#include "heap/snapshot.h"
#include <stddef.h>
#include <stdint.h>

struct dominators {
    uint32_t count;  /* nodes on a chain from a root */
    node_id *node;   /* number -> node */
    uint32_t *idom;  /* number -> number; idom[0] = 0 */
    uint32_t *plain; /* DOMINATORS_OF_BOTH: the immediate dominators by all references; else
                        NULL */
    struct buffer_pool
        buffers; /* buffers of the search, for reuse by the next computation */
};

enum dominator_kind {
    /* All references count. */
    DOMINATORS_PLAIN,

    /* A reference from an object of a weaker class of roots to one of a stronger class does
     * not count, so that a stack frame cannot take objects away from the static variable
     * that owns them (docs/ranking.md). */
    DOMINATORS_OF_OWNERS,

    /* Owners, and the plain ones from the same walk: 8 bytes per node and a tenth more
     * time. Nested groups of roots are children of the root in both. */
    DOMINATORS_OF_BOTH
};

/* Finds dominators by Semi-NCA; O(m log n) at worst, for every graph. snap must have a
 * graph. Uses up to 24 bytes per node and 12 per back or cross edge; the result, 8 per
 * node, lives until dominators_free(). */
struct dominators dominators_find(const struct hd_snapshot *snap, enum dominator_kind kind);

/* Does the same in the memory of earlier dominators of the snapshot, which become
 * invalid. */
struct dominators dominators_find_next(struct dominators *done,
                                       const struct hd_snapshot *snap,
                                       enum dominator_kind kind);
void dominators_free(struct dominators *d);

/* Computes the preorder of a tree without lists of children. Parents have smaller numbers;
 * 0 is the root. at[position]: the numbers in preorder. size[i]: number of nodes at or
 * below i, which are adjacent. next is overwritten. All arrays have capacity for count >=
 * 1. O(count). */
void preorder(const uint32_t *parent, size_t count, uint32_t *at, uint32_t *size,
              uint32_t *next);

#endif

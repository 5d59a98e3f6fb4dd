/* dominators.h - which object keeps which other objects alive.
 *
 * Object d dominates w if every chain from the roots to w passes d: if d went, so
 * would w. The immediate dominators form a tree; the bytes below an object in it are
 * what the object retains.
 *
 * Nodes are named by their depth-first number here, so that an immediate dominator
 * always has a smaller number than what it dominates. Number 0 is the root. */
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
    uint32_t *plain; /* DOMINATORS_OF_BOTH: the same of all references; else NULL */
    struct buffer_pool
        buffers; /* arrays that finding them took, for what is computed next */
};

enum dominator_kind {
    /* All references count. */
    DOMINATORS_PLAIN,

    /* A reference from an object that belongs to a weaker class of roots to one of a
     * stronger class does not count, so that a stack frame cannot take objects away
     * from the static variable that owns them (docs/ranking.md). */
    DOMINATORS_OF_OWNERS,

    /* Owners, and the plain ones from the same walk: 8 bytes per node and a tenth of the
     * time more. Nested groups of roots are children of the root in both. */
    DOMINATORS_OF_BOTH
};

/* Semi-NCA; O(m log n) at worst, for every graph. snap must have a graph. Takes up to 24
 * bytes per node and 12 per edge that goes back or across; 8 per node, the result, stay
 * until dominators_free(). */
struct dominators dominators_find(const struct hd_snapshot *snap, enum dominator_kind kind);

/* The same where others of the snapshot were found before and are not needed any more: in
 * their memory. */
struct dominators dominators_find_next(struct dominators *done,
                                       const struct hd_snapshot *snap,
                                       enum dominator_kind kind);
void dominators_free(struct dominators *d);

/* Any tree in preorder, without lists of children. Numbers stand behind their parents, 0 is
 * above all. at[position]: the numbers in preorder. size[i]: so many are at or below i,
 * side by side. next is written over. All have room for count, of which there is one at
 * least. O(count). */
void preorder(const uint32_t *parent, size_t count, uint32_t *at, uint32_t *size,
              uint32_t *next);

#endif

/* remade.h - entries that were made anew around the same things.
 *
 * A ConcurrentDictionary that grows makes a new node for each entry it has, and drops the
 * old ones. To the collector these are other objects; to whoever asks since when an entry
 * has been there they are the same. So an object that went and one that came count as one
 * if they are alike and hold the same: type, size and, in the same order, all that they
 * refer to, which stayed; their like does not count (the next node of a chain). If several
 * went that hold the same, or several came, it is not told which is which.
 *
 * It asks the referents. Who refers to an object is no evidence: a slot that is filled
 * again looks the same. */
#ifndef REMADE_H
#define REMADE_H

#include "identity/same.h"

/* A hash of what an object is and of what it holds. */
struct content_hash {
    uint64_t hash;
    uint32_t of; /* a node, or whatever the owner of the list numbers */
};

struct holdings {
    struct content_hash *all; /* malloc'd */
    size_t len, cap;
};

/* Of the objects that are wanted (a bit per node; NULL: all), in the order of nodes: of
 * type, size and what they hold by number, which is per node and the same in both snapshots
 * for what stayed; NO_NODE: it has none. Who holds nothing, or something without a number,
 * is not among them. O(nodes + references). */
struct holdings holdings_of(const struct hd_snapshot *snap, const uint32_t *number,
                            const uint64_t *wanted);

/* Pair those whose hash is there once on either side. Sorts both; O(n log n). */
typedef void remade_pair(void *context, uint32_t older, uint32_t newer);
void holdings_join(struct holdings *older, struct holdings *newer, remade_pair *pair,
                   void *context);

void holdings_free(struct holdings *h); /* {0} is fine */

/* Add what was made anew to s. 4 bytes per node of the newer one, and 16 for each that went
 * or came, while it runs. */
void same_add_remade(struct same *s, const struct hd_snapshot *older,
                     const struct hd_snapshot *newer);

#endif

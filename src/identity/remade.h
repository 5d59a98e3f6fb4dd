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

/* A hash of type, size and what it holds for each object of a snapshot: by number, which is
 * per node and the same of both snapshots for what stayed; NO_NODE: it has none. 0 for who
 * holds nothing, or something without a number; and for those not wanted (a bit per node;
 * NULL: all are). malloc'd, per node. O(nodes + references). */
uint64_t *holdings_of(const struct hd_snapshot *snap, const uint32_t *number,
                      const uint64_t *wanted);

/* Pair what is there once on either side: pair(context, i, j) for older[i] == newer[j],
 * which is not 0. O(n log n), 12 bytes for each that is not 0. */
typedef void remade_pair(void *context, uint32_t older, uint32_t newer);
void holdings_join(const uint64_t *older, size_t older_len, const uint64_t *newer,
                   size_t newer_len, remade_pair *pair, void *context);

/* Add what was made anew to s. 12 bytes per node of both, while it runs. */
void same_add_remade(struct same *s, const struct hd_snapshot *older,
                     const struct hd_snapshot *newer);

#endif

/* same.h - which object of one snapshot is which of the next.
 *
 * Counts tell that there are more of a type; only identity tells who stayed. It comes from
 * one of three sources, best first: what the collector said while both snapshots were
 * taken (every move, exact), the order in which it leaves survivors, with the contents of
 * objects or without. What is not certain is unknown: an object is never old by a guess,
 * so what a source misses is taken for one that came.
 *
 * It knows two snapshots and nothing of series, owners or verdicts. */
#ifndef SAME_H
#define SAME_H

#include "heap/snapshot.h"

struct same {
    enum hd_identity_source source; /* HD_SAME_UNKNOWN: nothing is known, next is NULL */
    uint32_t count;                 /* nodes of the older snapshot */
    node_id *next; /* of each of them: the node of the newer that it is. NO_NODE: it went,
                      or nobody knows; also of pseudo-nodes. No node stands here twice.
                      malloc'd */
};

/* Find it by the best source that both have, on at most that many threads; the answer is
 * the same for any number. Both need their graphs; what has no addresses, is a sample or
 * has no object gives HD_SAME_UNKNOWN. */
void same_find(struct same *s, const struct hd_snapshot *older,
               const struct hd_snapshot *newer, unsigned threads);

void same_free(struct same *s); /* {0} is fine */

/* --- as the snapshots tell ----------------------------------------------------- */

/* Which object is which, as the collector told it while both snapshots were taken. */

/* Fill in s; false, and s as it was, if the newer was not told of the older, or what it
 * was told cannot be. */
bool same_told(struct same *s, const struct hd_snapshot *older,
               const struct hd_snapshot *newer);

/* --- by order (align.c) -------------------------------------------------------- */

/* The objects of two snapshots lined up in the order of addresses. The collector slides
 * survivors together and keeps their order, so both snapshots are sequences of types and
 * sizes of which parts are common. */

/* Fill in s, whose source stays HD_SAME_UNKNOWN where there are no addresses. Gives the
 * inner steps that it took, which are O(objects + references) (for tests). */
uint64_t same_align(struct same *s, const struct hd_snapshot *older,
                    const struct hd_snapshot *newer, unsigned threads);

/* --- recreated ------------------------------------------------------------------ */

/* Entries that were made anew around the same things.
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

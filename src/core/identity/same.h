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

#endif

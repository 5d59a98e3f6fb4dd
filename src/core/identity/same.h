/* same.h - matches the objects of a snapshot with those of the next.
 *
 * Counts show that a type has more objects; only identity shows which ones survived. It has
 * three sources, best first: GC events traced between the snapshots (every move, exact),
 * the order in which the collector leaves survivors, with the contents of objects or
 * without. An uncertain match is unknown: no object is declared old by a guess, so a missed
 * match counts as a new object.
 *
 * Must not depend on series, owners or verdicts; only on two snapshots. */
#ifndef SAME_H
#define SAME_H

#include "heap/snapshot.h"

struct same {
    enum hd_identity_source source; /* HD_SAME_UNKNOWN: no match is known, next is NULL */
    uint32_t count;                 /* nodes of the older snapshot */
    node_id *next; /* per node of the older: its node in the newer; NO_NODE if it died, is
                      unknown or is a pseudo-node. No node occurs twice. malloc'd */
};

/* Matches by the best source that both have, on at most this many threads; the result does
 * not depend on their number. Both need their graphs; HD_SAME_UNKNOWN if one has no
 * addresses, is a sample or has no objects. */
void same_find(struct same *s, const struct hd_snapshot *older,
               const struct hd_snapshot *newer, unsigned threads);

void same_free(struct same *s); /* {0} is fine */

/* --- by GC events -------------------------------------------------------------- */

/* Matches by the survivor map of the newer snapshot. */

/* Fills in s. False, and s unchanged, if the newer snapshot has no map from the older, or
 * the map is invalid. */
bool same_by_events(struct same *s, const struct hd_snapshot *older,
                    const struct hd_snapshot *newer);

/* --- by order (align.c) -------------------------------------------------------- */

/* The objects of two snapshots aligned in the order of addresses. The collector slides
 * survivors together and preserves their order, so both snapshots are sequences of types
 * and sizes with common parts. */

/* Fills in s; its source is HD_SAME_UNKNOWN without addresses. Returns the number of inner
 * steps, which is O(objects + references) (for tests). */
uint64_t same_align(struct same *s, const struct hd_snapshot *older,
                    const struct hd_snapshot *newer, unsigned threads);

/* --- recreated ------------------------------------------------------------------ */

/* Entries that were recreated around the same objects.
 *
 * A ConcurrentDictionary that grows allocates a new node for each of its entries, and drops
 * the old ones. For the collector these are other objects; for the age of an entry they are
 * the same. So a dead and a new object count as one if they have the same type and size and
 * refer, in the same order, to the same survivors; references to their own type are ignored
 * (the next node of a chain). If several dead or several new objects have the same
 * references, they are not matched.
 *
 * Only the referents count, not the referrers: a slot that is filled again looks the
 * same. */

/* A hash of an object's type, size and referents. */
struct content_hash {
    uint64_t hash;
    uint32_t of; /* a node, or a number of the owner's choice */
};

struct holdings {
    struct content_hash *all; /* malloc'd */
    size_t len, cap;
};

/* Returns the wanted objects (a bit per node; NULL: all), in the order of nodes. The hash
 * covers type, size and the numbers of the referents; number is per node, equal for the
 * same survivor in both snapshots, or NO_NODE. Objects without referents, or with one
 * without a number, are left out. O(nodes + references). */
struct holdings holdings_of(const struct hd_snapshot *snap, const uint32_t *number,
                            const uint64_t *wanted);

/* Pairs those whose hash is unique on both sides. Sorts both; O(n log n). */
typedef void recreated_pair(void *context, uint32_t older, uint32_t newer);
void holdings_join(struct holdings *older, struct holdings *newer, recreated_pair *pair,
                   void *context);

void holdings_free(struct holdings *h); /* {0} is fine */

/* Adds recreated objects to s. 4 bytes per node of the newer one, and 16 per dead or new
 * object, while it runs. */
void same_add_recreated(struct same *s, const struct hd_snapshot *older,
                        const struct hd_snapshot *newer);

#endif

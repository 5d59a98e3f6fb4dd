/* unexplained_growth.h - what is left of the heap when suspects and pools are taken out of
 * it; and whether that has grown, and since when.
 *
 * In the full ownership tree of every snapshot a path belongs to the suspects (at or below
 * one of their heads), else to the pools (at or below a pool of buffers) or to the arrays
 * of thread statics, which follow the load, or to what measuring made the runtime keep,
 * else to the rest. Each byte belongs to one. */
#ifndef UNEXPLAINED_GROWTH_H
#define UNEXPLAINED_GROWTH_H

#include "owners/ownership_tree.h"
#include "series/trend.h"

enum unexplained_part {
    PART_REST,
    PART_SUSPECTS,
    PART_POOLS,
    PART_THREADS,
    PART_LISTENER,
    PART_COUNT
};

struct unexplained {
    const struct ownership_tree *t;
    unsigned char **part;        /* [snapshot][full path]: enum unexplained_part */
    uint64_t **left;             /* [snapshot][full path]: bytes of the rest at or below */
    uint64_t *bytes[PART_COUNT]; /* per snapshot; they add up to what is reachable */
    uint64_t *threads;           /* per snapshot: arrays of thread statics */
};

/* Whether it is ranked by type: what measuring made the runtime keep is growth too. */
static inline bool unexplained_is_left(unsigned char part)
{
    return part == PART_REST || part == PART_LISTENER;
}

/* heads: per aligned path, what belongs to suspects. labels: per label, types that do
 * wherever they are left, or NULL. In a. O(paths) per snapshot. */
struct unexplained unexplained_of(const struct ownership_tree *t, const bool *heads,
                                  const bool *labels, struct arena *a);

/* Whose each byte of the suspects is: the owner of the nearest head at or above it, else
 * that of its label, so that suspects within others share nothing with them. of_head: per
 * aligned path, of_label: per label, or NO_OWNER. Added to own, of owner i in snapshot k at
 * [i * snapshots + k]. O(paths) per snapshot. */
#define NO_OWNER SIZE_MAX
void unexplained_share(const struct unexplained *r, const size_t *of_head,
                       const size_t *of_label, uint64_t *own);

/* --- has it grown? ------------------------------------------------------------------- */

/* Of any numbers that no finding holds. It wants no reason to believe in a leak, as the
 * ranking does, but one to deny it; so any shape counts that ends higher than it began, and
 * three explanations only: it stayed where it was after it grew, it has swung as far and
 * back before, it is too little. docs/ranking.md, "Unexplained growth". */
struct rest_growth {
    bool grew;    /* and nothing explains it */
    bool stayed;  /* it grew, and then stayed as large: not `grew` */
    double share; /* of the heap: by how much it did either; 0: it did not */
    size_t since; /* the last point at which it was no larger yet than where it began */
};

/* rest: what no finding holds, 2 points or more, in the unit of `heap`, which is all of the
 * last point. stopped: what is known to have grown and stayed within it. O(n^3) of at most
 * TREND_MAX_POINTS points. */
struct rest_growth rest_growth_of(const struct trend *rest, double heap, double stopped);

#endif

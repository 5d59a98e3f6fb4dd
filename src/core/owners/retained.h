/* retained.h - the bytes that all instances of each type retain together.
 *
 * If all instances of a type died, so would all objects that an instance dominates. An
 * object counts once, also if instances retain each other. */
#ifndef RETAINED_H
#define RETAINED_H

#include "base/arena.h"
#include "owners/dominators.h"

/* Returns bytes by type, in a; scaled if sampled. d: of all references (DOMINATORS_PLAIN,
 * or _OF_BOTH unless sampled, since the bytes of a sample are distributed in the order of
 * d). O(nodes); uses up to 24 bytes per node in the buffers of d, and 10 more. */
uint64_t *retained_by_type(struct dominators *d, const struct hd_snapshot *snap,
                           struct arena *a);

/* Sizes retained by some objects, unscaled. */
struct retained_sizes {
    uint64_t *each;    /* by number of d, for every object; malloc'd */
    uint64_t *of_type; /* by type: retained by its chosen objects together; in an arena */
    uint64_t all;      /* retained by all chosen objects together */
};

/* chosen: a bit per node. d as above. O(nodes); uses 28 bytes per node, 8 of which (`each`)
 * are the result. */
struct retained_sizes retained_by_objects(struct dominators *d,
                                          const struct hd_snapshot *snap,
                                          const uint64_t *chosen, struct arena *a);

#endif

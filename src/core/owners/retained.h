/* retained.h - what the instances of each type keep alive together.
 *
 * If all instances of a type went, so would all objects that one of them dominates. An
 * object counts once, also where instances retain each other. */
#ifndef RETAINED_H
#define RETAINED_H

#include "base/arena.h"
#include "owners/dominators.h"

/* Bytes by type, in a; of a sample, what they stand for. d: of all references
 * (DOMINATORS_PLAIN, or _OF_BOTH unless it is a sample, whose bytes are dealt out in the
 * order of d). O(nodes); takes up to 24 bytes per node, as finding d did, and 10
 * beside them. */
uint64_t *retained_by_type(struct dominators *d, const struct hd_snapshot *snap,
                           struct arena *a);

/* What some objects keep alive, as the file has them: no sample is scaled up. */
struct retained_sizes {
    uint64_t *each;    /* by number of d, of all objects; malloc'd */
    uint64_t *of_type; /* by type: all of them that are of it together; in an arena */
    uint64_t all;      /* all of them together */
};

/* Those whose bits are set, by node. d as above. O(nodes); beside d it takes 28 bytes per
 * node, of which the 8 of each stay. */
struct retained_sizes retained_by_objects(struct dominators *d,
                                          const struct hd_snapshot *snap,
                                          const uint64_t *chosen, struct arena *a);

#endif

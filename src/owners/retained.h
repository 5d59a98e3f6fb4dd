/* retained.h - what the instances of each type keep alive together.
 *
 * If all instances of a type went, so would all objects that one of them dominates. An
 * object counts once, also where instances retain each other. */
#ifndef RETAINED_H
#define RETAINED_H

#include "base/arena.h"
#include "owners/dominators.h"

/* Bytes by type, in a; of a sample, what they stand for. d: of all references
 * (DOMINATORS_PLAIN). O(nodes); takes up to 24 bytes per node, as finding d did, and 10
 * beside them. */
uint64_t *retained_by_type(struct dominators *d, const struct hd_snapshot *snap,
                           struct arena *a);

#endif

/* live_part.h - a snapshot without what no root reaches, for those that hold garbage.
 *
 * Other formats have no way to say that an object is none of anybody's: in them it would
 * look alive. */
#ifndef LIVE_PART_H
#define LIVE_PART_H

#include "heap/snapshot.h"

/* A view of snap, whose graph is there and whose reachable objects are known: nodes keep
 * their order. Its graph is the caller's to free (graph_free); the rest lives in a or is
 * snap's, and as long as that. 4 bytes per node of snap while it works. */
struct hd_snapshot live_part_of(const struct hd_snapshot *snap, struct arena *a);

#endif

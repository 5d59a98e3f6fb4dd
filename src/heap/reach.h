/* reach.h - what the roots keep alive: objects and bytes, by type and in all.
 *
 * Whoever walks a graph from its root finds this on the way, so it need not be looked for
 * while a file is read (hd_read_options.reach_later): a walk of its own costs as much as
 * reading most of the file does. */
#ifndef REACH_H
#define REACH_H

#include "heap/snapshot.h"

bool reach_is_known(const struct hd_snapshot *snap);

/* Fill in info.reachable_*, the tallies of SELECT_REACHABLE and graph->reachable, and warn
 * if most objects are garbage; nothing happens if it is known already. snap must have a
 * graph. O(nodes + references), 4 bytes per node while it runs. */
void reach_find(struct hd_snapshot *snap);

/* The same after a walk: nodes are all those that are on a chain from the root, each
 * once. */
void reach_given(struct hd_snapshot *snap, const node_id *nodes, uint32_t count);

#endif

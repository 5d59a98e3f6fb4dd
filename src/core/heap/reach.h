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

/* The same from a digest's sums, if it has any; its warnings are those of the file. */
void reach_from_digest(struct hd_snapshot *snap);

/* What no root reaches, by type and generation: [type * HD_GENERATION_COUNT + generation],
 * in a; what is reachable must be known. NULL: neither a graph nor a digest tells. */
struct hd_tally *reach_lost(const struct hd_snapshot *snap, struct arena *a);

#endif

/* graph_counts.h - what a snapshot says about its graph: references and roots. It is asked
 * once, when the graph has been built. */
#ifndef GRAPH_COUNTS_H
#define GRAPH_COUNTS_H

#include "heap/snapshot.h"

/* Fill in info.references, from object to object, info.roots and info.has_roots. On at
 * most that many threads; 0 is 1. */
void graph_counts_references(struct hd_snapshot *snap, unsigned threads);

/* Fill in roots_by_kind. */
void graph_counts_roots(struct hd_snapshot *snap);

#endif

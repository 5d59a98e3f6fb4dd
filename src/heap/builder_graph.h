/* builder_graph.h - the graph of a builder, between its first node and the snapshot.
 *
 * For builder.c; what readers call of it stands in builder.h. It knows nothing of rows but
 * their numbers. */
#ifndef BUILDER_GRAPH_H
#define BUILDER_GRAPH_H

#include "heap/builder.h"
#include "heap/snapshot.h"

/* Arrays of the right size, with rows in the place of the types of the file: row_of[i] for
 * type i. False if there was no room for all of it. */
bool builder_settle_graph(struct builder *b, const type_id *row_of, struct hd_error *err);

/* --- counts -------------------------------------------------------------------- */

/* What a snapshot says about its graph: references and roots. It is asked once, when the
 * graph has been built. */

/* Fill in info.references, from object to object, info.roots and info.has_roots. On at
 * most that many threads; 0 is 1. */
void graph_counts_references(struct hd_snapshot *snap, unsigned threads);

/* Fill in roots_by_kind. */
void graph_counts_roots(struct hd_snapshot *snap);

#endif

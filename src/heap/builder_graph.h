/* builder_graph.h - the graph of a builder, between its first node and the snapshot.
 *
 * For builder.c; what readers call of it stands in builder.h. It knows nothing of rows but
 * their numbers. */
#ifndef BUILDER_GRAPH_H
#define BUILDER_GRAPH_H

#include "heap/builder.h"

/* Arrays of the right size, with rows in the place of the types of the file: row_of[i] for
 * type i. False if there was no room for all of it. */
bool builder_settle_graph(struct builder *b, const type_id *row_of, struct hd_error *err);

#endif

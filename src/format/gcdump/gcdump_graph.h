/* gcdump_graph.h - all nodes of a .gcdump as the arrays of a graph, by several threads.
 *
 * Any range of nodes can be read alone, since records are found by a table of offsets;
 * references of ranges are put behind each other. It does not know the builder, nor what is
 * wrong with a record: only that something is. */
#ifndef GCDUMP_GRAPH_H
#define GCDUMP_GRAPH_H

#include "base/input.h"
#include "format/gcdump/gcdump_tables.h"
#include "heap/graph.h"

struct gcdump_pseudo {
    node_id node;
    uint32_t type; /* of the file */
};

struct gcdump_graph {
    /* What the caller has: room for node_count of each, and which type of the graph is to
     * stand for each of the file. */
    uint32_t *type, *size, *edge_begin;
    const uint32_t *type_of;
    uint64_t most_edges; /* for which there may be memory */

    /* What is given, to be freed with free(). Types of pseudo-nodes are left to the caller:
     * they stand here in the order of nodes. */
    node_id *edge_to;
    uint32_t edge_count;
    struct gcdump_pseudo *pseudo;
    size_t pseudo_count;
    struct node_counts counts; /* node_counts_free() */
};

/* False, and nothing to free, if a record is damaged, if there is no memory for so many
 * references, or if there are too many pseudo-nodes for a list. What is read is the same
 * for any number of threads. */
bool gcdump_graph_read(struct gcdump_graph *g, const struct gcdump *d,
                       const unsigned char *undefined, unsigned threads, struct input *in);

#endif

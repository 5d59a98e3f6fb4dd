/* trace_edges.h - the references of a walk, read behind everything else.
 *
 * They come as addresses in the order of the objects that have them, in events of some
 * thousand. What is kept of an event is where it lies in the file, so that several threads
 * can look addresses up when all objects are known: each event has its place in the result,
 * whoever does it. */
#ifndef TRACE_EDGES_H
#define TRACE_EDGES_H

#include "base/input.h"
#include "format/nettrace/trace_nodes.h"

struct edge_event {
    uint64_t at;     /* of its first record, in the file */
    uint64_t before; /* references in the events before it */
    uint32_t count;
};

/* A record is an address of pointer_size bytes, and what is of no use here. */
struct edge_layout {
    unsigned pointer_size;
    size_t size;
};

struct trace_edges {
    struct edge_event *events;
    size_t len, cap;
    uint64_t count;            /* of all references */
    struct edge_layout layout; /* for the caller to set */
};

/* One more event, whose records begin there; account is charged. */
void trace_edges_add(struct trace_edges *e, uint64_t at, uint32_t count,
                     struct account *account);

/* Put the node of each reference, or NO_NODE, to to[0 .. count - 1], on that many threads.
 * False if the file cannot be read. */
bool trace_edges_find(const struct trace_edges *e, const struct input *in,
                      const struct trace_nodes *nodes, unsigned threads, node_id *to);

void trace_edges_free(struct trace_edges *e);

#endif

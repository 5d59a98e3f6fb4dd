/* trace_nodes.h - which node of the graph lies at an address.
 *
 * Nodes get numbers in the order in which a walk tells them, and references name them by
 * address. Where two have one address, which no good trace has, the first is meant. Costs 8
 * bytes per node and what ids.h says. A {0} is empty. */
#ifndef TRACE_NODES_H
#define TRACE_NODES_H

#include "base/little_endian.h"
#include "heap/ids.h"

struct trace_nodes {
    struct ids ids;
    unsigned char *addresses; /* 8 bytes each, little-endian, by node */
    size_t room;              /* for so many */
    node_id *repeats;         /* nodes with the address of an earlier one */
    size_t repeat_count, repeat_cap;
};

/* For at most that many objects of a process with such pointers; account is charged. */
void trace_nodes_init(struct trace_nodes *n, size_t objects, unsigned pointer_size,
                      struct account *account);

/* Room for that many objects in all, where that is not known from the start. */
void trace_nodes_reserve(struct trace_nodes *n, size_t objects);

/* The next node, from 0. */
void trace_nodes_add(struct trace_nodes *n, node_id id, uint64_t address);

/* Done with adding; from here on trace_nodes_find() works. */
void trace_nodes_freeze(struct trace_nodes *n);

static inline uint64_t trace_nodes_address(const struct trace_nodes *n, node_id id)
{
    return le_u64(n->addresses + 8 * (size_t)id);
}

/* The node of a position among those that repeat no other: where there are repeats. */
node_id trace_nodes_at_position(const struct trace_nodes *n, uint32_t position);

/* NO_NODE if no object lies there. */
static inline node_id trace_nodes_find(const struct trace_nodes *n, uint64_t address)
{
    uint32_t position = ids_find(&n->ids, address);
    if (position == NO_ID || n->repeat_count == 0)
        return position == NO_ID ? NO_NODE : position;
    return trace_nodes_at_position(n, position);
}

/* The addresses of the first count nodes, and 0 for as many as all then need; malloc'd, the
 * caller's from now on. */
unsigned char *trace_nodes_take_addresses(struct trace_nodes *n, node_id count,
                                          node_id all);
void trace_nodes_free(struct trace_nodes *n);

#endif

/* graph.h - objects and references, as flat arrays.
 *
 * Nodes are numbered from 0. One of them, root, is the root of all roots; below
 * it hang the pseudo-nodes that group the GC roots ("[static vars]"), then the
 * objects. The references out of node n are
 *     edge_to[edge_begin[n]] ... edge_to[edge_begin[n + 1] - 1]
 * in the order of the file, duplicates and self references included. A graph
 * never changes once built, so an analysis keeps its own arrays, indexed by
 * node_id, instead of adding fields here.
 *
 * Memory: 12 bytes per node, 4 per reference, 1 bit for reachability. */
#ifndef GRAPH_H
#define GRAPH_H

#include "base/bits.h"
#include "base/little_endian.h"

typedef uint32_t node_id;
typedef uint32_t type_id;
#define NO_NODE UINT32_MAX
#define NO_TYPE UINT32_MAX

/* Sizes that do not fit 32 bits stand in a list of their own. */
#define BIG_SIZE UINT32_MAX

struct big_size {
    node_id node;
    uint64_t bytes;
};

struct fields;

struct graph {
    uint32_t node_count, edge_count;
    node_id root;
    type_id *type;        /* indexes the snapshot's types */
    uint32_t *small_size; /* shallow bytes, or BIG_SIZE; see graph_size() */
    struct big_size *big; /* ascending by node */
    size_t big_count, big_cap;
    uint32_t *edge_begin; /* node_count + 1 offsets into edge_to */
    node_id *edge_to;
    uint64_t *reachable; /* a bit per node: on a chain from root; NULL: not known yet */

    /* node_count unaligned little-endian 64-bit addresses, as a rule inside the input,
     * or NULL. Touching them costs page faults: only when one is printed. */
    const unsigned char *addresses;

    /* Which struct source_type each node has; NULL unless hd_read_options.to_write. */
    uint32_t *source_type;
    unsigned char *own_addresses; /* the same, malloc'd, if no input holds them */
    struct fields *fields;        /* of references (fields.h); owned; NULL: not known */
};

/* What the arrays of g take, in bytes. */
uint64_t graph_bytes(const struct graph *g);

uint64_t graph_big_size(const struct graph *g, node_id n);

/* Shallow size in bytes. */
static inline uint64_t graph_size(const struct graph *g, node_id n)
{
    return g->small_size[n] != BIG_SIZE ? g->small_size[n] : graph_big_size(g, n);
}

static inline bool graph_reachable(const struct graph *g, node_id n)
{
    return bits_have(g->reachable, n);
}

/* For walks through a queue: fetch what the nodes behind head will need, in two steps, as
 * their references are found through edge_begin. Halves the time of a walk. */
static inline void graph_prefetch(const struct graph *g, const node_id *queue,
                                  uint32_t head, uint32_t tail)
{
    enum { FAR = 24, NEAR = 12 };
    if (tail - head > FAR)
        __builtin_prefetch(&g->edge_begin[queue[head + FAR]]);
    if (tail - head > NEAR)
        __builtin_prefetch(&g->edge_to[g->edge_begin[queue[head + NEAR]]]);
}

/* 0 when unknown or a pseudo-node. */
static inline uint64_t graph_address(const struct graph *g, node_id n)
{
    return g->addresses != NULL ? le_u64(g->addresses + 8 * (size_t)n) : 0;
}

/* Fill in g->reachable by a breadth-first walk from g->root. O(nodes + edges),
 * 4 bytes per node while it runs. */
void graph_mark_reachable(struct graph *g);

/* The same for somebody who walked already: nodes are all that the root reaches. */
void graph_set_reachable(struct graph *g, const node_id *nodes, uint32_t count);

void graph_free(struct graph *g); /* NULL is fine */

#endif

/* object_order.h - objects by size or by address.
 *
 * A radix sort of 32-bit keys, which leaves out digits that are the same for all; keys that
 * do not fit are cut, and what is equal then is put in order afterwards. So a million
 * objects take some 20 ms, and nothing is quadratic. */
#ifndef OBJECT_ORDER_H
#define OBJECT_ORDER_H

#include "heap/graph.h"

/* nodes ascend: afterwards the largest stand first, equal ones still ascend. */
void order_by_size(const struct graph *g, node_id *nodes, size_t count);

/* nodes ascend: afterwards by address, equal ones still ascend. */
void order_by_address(const struct graph *g, node_id *nodes, size_t count);

/* nodes in any order: ascending. */
void order_by_number(node_id *nodes, size_t count);

/* The bytes that sorting so many takes meanwhile. */
static inline uint64_t order_work(uint64_t count)
{
    return 3 * sizeof(uint64_t) * count;
}

#endif

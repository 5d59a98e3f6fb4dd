/* gcdump_numbers.h - which number a node gets in a .gcdump.
 *
 * Mostly its own. dotnet-gcdump numbers nodes as the events of a trace name them first, as
 * a root or in a reference, so a trace that is converted gets the same numbers: its root
 * is node 0, and what is referred to stands close by. */
#ifndef GCDUMP_NUMBERS_H
#define GCDUMP_NUMBERS_H

#include "heap/snapshot.h"

struct gcdump_numbers {
    uint32_t *number; /* by node; NULL: its own */
    node_id *node;    /* by number; NULL until gcdump_numbers_turn() */
};

/* 4 bytes per node if they change, until gcdump_numbers_free(). O(nodes + references). */
struct gcdump_numbers gcdump_numbers_plan(const struct hd_snapshot *snap);

/* From here on gcdump_numbered() works: 4 bytes more. */
void gcdump_numbers_turn(struct gcdump_numbers *numbers, node_id count);
void gcdump_numbers_free(struct gcdump_numbers *numbers);

static inline uint32_t gcdump_number(const struct gcdump_numbers *numbers, node_id n)
{
    return numbers->number != NULL ? numbers->number[n] : n;
}

static inline node_id gcdump_numbered(const struct gcdump_numbers *numbers, uint32_t number)
{
    return numbers->node != NULL ? numbers->node[number] : number;
}

#endif

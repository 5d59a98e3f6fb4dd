#include "format/gcdump/gcdump_numbers.h"

#include "base/alloc.h"
#include "heap/source.h"

#include <stdlib.h>
#include <string.h>

/* Give n the next number, unless it has one. */
static void meet(const struct gcdump_numbers *numbers, uint32_t *next, node_id n)
{
    if (numbers->number[n] == NO_NODE)
        numbers->number[n] = (*next)++;
}

struct gcdump_numbers gcdump_numbers_plan(const struct hd_snapshot *snap)
{
    const struct source *s = snap->source;
    const struct graph *g = snap->graph;
    struct gcdump_numbers numbers = {NULL, NULL};
    if (s->met == NULL)
        return numbers;
    uint32_t next = 0;
    numbers.number = alloc_resize(NULL, array_bytes(g->node_count, sizeof(uint32_t)));
    for (node_id n = 0; n < g->node_count; n++)
        numbers.number[n] = NO_NODE;
    for (size_t i = 0; i < s->met_count; i++)
        meet(&numbers, &next, s->met[i]);
    for (node_id n = 0; n < g->node_count; n++) {
        meet(&numbers, &next, n);
        for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++)
            meet(&numbers, &next, g->edge_to[e]);
    }
    return numbers;
}

void gcdump_numbers_turn(struct gcdump_numbers *numbers, node_id count)
{
    if (numbers->number == NULL)
        return;
    numbers->node = alloc_resize(NULL, array_bytes(count, sizeof(node_id)));
    for (node_id n = 0; n < count; n++)
        numbers->node[numbers->number[n]] = n;
}

void gcdump_numbers_free(struct gcdump_numbers *numbers)
{
    free(numbers->number);
    free(numbers->node);
    *numbers = (struct gcdump_numbers){NULL, NULL};
}

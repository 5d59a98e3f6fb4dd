#include "heap/live_part.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static node_id *number_live(const struct graph *g, node_id *count)
{
    node_id *numbers = alloc_resize(NULL, array_bytes((size_t)g->node_count + 1, 4));
    *count = 0;
    for (node_id n = 0; n < g->node_count; n++)
        numbers[n] = graph_reachable(g, n) ? (*count)++ : NO_NODE;
    return numbers;
}

static void *array_of(size_t count, size_t size)
{
    return alloc_resize(NULL, array_bytes(count + 1, size));
}

static void take_node(struct graph *to, const struct graph *g, node_id n,
                      const node_id *numbers)
{
    node_id m = numbers[n];
    to->type[m] = g->type[n];
    to->small_size[m] = g->small_size[n];
    to->edge_begin[m] = to->edge_count;
    if (g->source_type != NULL)
        to->source_type[m] = g->source_type[n];
    if (g->addresses != NULL)
        memcpy(to->own_addresses + 8 * (size_t)m, g->addresses + 8 * (size_t)n, 8);
    /* What a reachable node refers to is reachable. */
    for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++)
        to->edge_to[to->edge_count++] = numbers[g->edge_to[e]];
}

static void take_big_sizes(struct graph *to, const struct graph *g, const node_id *numbers)
{
    to->big_cap = g->big_count;
    to->big = array_of(g->big_count, sizeof(*to->big));
    for (size_t i = 0; i < g->big_count; i++)
        if (numbers[g->big[i].node] != NO_NODE)
            to->big[to->big_count++] =
                (struct big_size){numbers[g->big[i].node], g->big[i].bytes};
}

static uint32_t live_edges(const struct graph *g)
{
    uint32_t edges = 0;
    for (node_id n = 0; n < g->node_count; n++)
        if (graph_reachable(g, n))
            edges += g->edge_begin[n + 1] - g->edge_begin[n];
    return edges;
}

static struct graph *live_graph(const struct graph *g, const node_id *numbers,
                                node_id count)
{
    struct graph *to = alloc_zeroed(sizeof(*to));
    to->type = array_of(count, sizeof(*to->type));
    to->small_size = array_of(count, sizeof(*to->small_size));
    to->edge_begin = array_of(count, sizeof(*to->edge_begin));
    to->edge_to = array_of(live_edges(g), sizeof(*to->edge_to));
    if (g->source_type != NULL)
        to->source_type = array_of(count, sizeof(*to->source_type));
    if (g->addresses != NULL)
        to->addresses = to->own_addresses = array_of(count, 8);
    for (node_id n = 0; n < g->node_count; n++)
        if (numbers[n] != NO_NODE)
            take_node(to, g, n, numbers);
    to->node_count = count;
    to->edge_begin[count] = to->edge_count;
    to->root = numbers[g->root];
    take_big_sizes(to, g, numbers);
    graph_mark_reachable(to);
    return to;
}

/* Which nodes come first names them by number; roots and what they hold are reachable. */
static struct source *live_source(const struct source *source, const node_id *numbers,
                                  struct arena *a)
{
    struct source *to = arena_alloc(a, sizeof(*to));
    *to = *source;
    to->described = NULL;
    to->described_count = 0;
    if (source->met != NULL)
        to->met = arena_array(a, node_id, source->met_count);
    for (size_t i = 0; i < source->met_count; i++)
        to->met[i] = numbers[source->met[i]];
    return to;
}

struct hd_snapshot live_part_of(const struct hd_snapshot *snap, struct arena *a)
{
    struct hd_snapshot part = *snap;
    node_id count, *numbers = number_live(snap->graph, &count);
    part.graph = live_graph(snap->graph, numbers, count);
    part.node_count = count;
    part.edge_count = part.graph->edge_count;
    if (snap->source != NULL)
        part.source = live_source(snap->source, numbers, a);
    part.types = arena_array(a, struct type, snap->type_count);
    for (type_id t = 0; t < snap->type_count; t++) {
        part.types[t] = snap->types[t];
        part.types[t].raw = part.types[t].tally[SELECT_ALL] =
            snap->types[t].tally[SELECT_REACHABLE];
    }
    part.info.objects = snap->info.reachable_objects;
    part.info.bytes = snap->info.reachable_bytes;
    part.info.holds_garbage = false;
    free(numbers);
    return part;
}

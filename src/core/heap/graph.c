#include "heap/graph.h"

#include "base/search.h"

#include <stdlib.h>

uint64_t graph_bytes(const struct graph *g)
{
    uint64_t per_node = sizeof(*g->type) + sizeof(*g->small_size) + sizeof(*g->edge_begin);
    if (g->own_addresses != NULL)
        per_node += sizeof(uint64_t);
    if (g->source_type != NULL)
        per_node += sizeof(*g->source_type);
    return g->node_count * per_node + (uint64_t)g->edge_count * sizeof(*g->edge_to) +
           g->big_cap * sizeof(*g->big) + g->node_count / 8;
}

static bool is_of_earlier(const void *all, size_t i, const void *node)
{
    const struct big_size *big = all;
    return big[i].node < *(const node_id *)node;
}

uint64_t graph_big_size(const struct graph *g, node_id n)
{
    size_t at = search_first(g->big, 0, g->big_count, is_of_earlier, &n);
    return at < g->big_count && g->big[at].node == n ? g->big[at].bytes : BIG_SIZE;
}

static void begin_marks(struct graph *g)
{
    free(g->reachable);
    g->reachable = bits_new(g->node_count);
}

void graph_mark_reachable(struct graph *g)
{
    begin_marks(g);
    node_id *queue = alloc_resize(NULL, array_bytes(g->node_count, sizeof(*queue)));
    uint32_t head = 0, tail = 0;
    if (g->node_count > 0) {
        bits_set(g->reachable, g->root);
        queue[tail++] = g->root;
    }
    while (head < tail) {
        graph_prefetch(g, queue, head, tail);
        node_id n = queue[head++];
        for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++)
            if (bits_add(g->reachable, g->edge_to[e]))
                queue[tail++] = g->edge_to[e];
    }
    free(queue);
}

void graph_set_reachable(struct graph *g, const node_id *nodes, uint32_t count)
{
    begin_marks(g);
    for (uint32_t i = 0; i < count; i++)
        bits_set(g->reachable, nodes[i]);
}

void graph_free(struct graph *g)
{
    if (g == NULL)
        return;
    free(g->type);
    free(g->small_size);
    free(g->big);
    free(g->edge_begin);
    free(g->edge_to);
    free(g->reachable);
    free(g->source_type);
    free(g->own_addresses);
    fields_free(g->fields);
    free(g);
}

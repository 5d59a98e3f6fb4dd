#include "browse/object_index.h"

#include "base/arrays.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* --- objects by size or by address --------------------------------------------------- */

/* Keys of nodes, followed by scratch for sorting. */
static uint64_t *new_keys(size_t count)
{
    return alloc_resize(NULL,
                        array_bytes(count + 1, 2 * sizeof(uint64_t) + sizeof(node_id)));
}

/* Nodes in the order of their keys, which are freed; equal ones stay as they are. */
static void sort_by(uint64_t *keys, node_id *nodes, size_t count)
{
    uint64_t *spare = keys + count;
    radix_sort(keys, nodes, count, spare, (uint32_t *)(spare + count));
    free(keys);
}

void order_by_size(const struct graph *g, node_id *nodes, size_t count)
{
    uint64_t *keys = new_keys(count);
    for (size_t i = 0; i < count; i++)
        keys[i] = UINT64_MAX - graph_size(g, nodes[i]);
    sort_by(keys, nodes, count);
}

void order_by_address(const struct graph *g, node_id *nodes, size_t count)
{
    uint64_t *keys = new_keys(count);
    for (size_t i = 0; i < count; i++)
        keys[i] = graph_address(g, nodes[i]);
    sort_by(keys, nodes, count);
}

void order_by_number(node_id *nodes, size_t count)
{
    uint64_t *keys = new_keys(count);
    for (size_t i = 0; i < count; i++)
        keys[i] = nodes[i];
    sort_by(keys, nodes, count);
}

/* --- indexes ------------------------------------------------------------------------- */

static uint32_t *new_offsets(size_t count)
{
    return alloc_zeroed(array_bytes(count + 1, sizeof(uint32_t)));
}

static node_id *new_nodes(size_t count)
{
    return alloc_resize(NULL, array_bytes(count + 1, sizeof(node_id)));
}

/* Turns counts into offsets, one place too far right: filling moves every offset to its
 * place. */
static void add_up(uint32_t *begin, size_t count)
{
    uint32_t sum = 0;
    for (size_t i = 0; i <= count; i++) {
        uint32_t here = begin[i];
        begin[i] = sum;
        sum += here;
    }
}

/* After filling, begin[i] is the end of i. */
static void move_back(uint32_t *begin, size_t count)
{
    memmove(begin + 1, begin, count * sizeof(*begin));
    begin[0] = 0;
}

/* --- by type --------------------------------------------------------------------- */

bool type_index_has(const struct type_index *index, const struct graph *g, node_id n)
{
    return !index->omits_garbage || graph_reachable(g, n);
}

static bool fill_types(struct type_index *index, const struct hd_snapshot *snap,
                       struct watch *watch)
{
    const struct graph *g = snap->graph;
    for (node_id n = 0; n < g->node_count; n++) {
        if (n % WATCH_EVERY == 0 && !watch_goes_on(watch, n / 2, g->node_count))
            return false;
        if (type_index_has(index, g, n))
            index->node[index->begin[g->type[n]]++] = n;
    }
    return true;
}

static bool sort_types(struct type_index *index, const struct hd_snapshot *snap,
                       struct watch *watch)
{
    const struct graph *g = snap->graph;
    for (type_id t = 0; t < snap->type_count; t++) {
        uint32_t first = index->begin[t], end = index->begin[t + 1];
        if (!watch_goes_on(watch, g->node_count / 2 + first / 2, g->node_count))
            return false;
        if (index->by_address != NULL) {
            memcpy(index->by_address + first, index->node + first,
                   (end - first) * sizeof(node_id));
            order_by_address(g, index->by_address + first, end - first);
        }
        order_by_size(g, index->node + first, end - first);
    }
    return true;
}

bool type_index_make(struct type_index *index, const struct hd_snapshot *snap,
                     bool omits_garbage, struct watch *watch)
{
    const struct graph *g = snap->graph;
    index->omits_garbage = omits_garbage && g->reachable != NULL;
    index->begin = new_offsets(snap->type_count);
    index->node = new_nodes(g->node_count);
    index->by_address = g->addresses != NULL ? new_nodes(g->node_count) : NULL;
    for (node_id n = 0; n < g->node_count; n++)
        index->begin[g->type[n]] += type_index_has(index, g, n);
    add_up(index->begin, snap->type_count);
    bool ok = fill_types(index, snap, watch);
    move_back(index->begin, snap->type_count);
    ok = ok && sort_types(index, snap, watch);
    if (!ok)
        type_index_free(index);
    return ok;
}

uint64_t type_index_bytes(const struct hd_snapshot *snap)
{
    return (uint64_t)snap->node_count * sizeof(node_id) *
           (snap->graph->addresses != NULL ? 2 : 1);
}

/* One type is sorted at a time. */
uint64_t type_index_work(const struct hd_snapshot *snap)
{
    uint64_t most = 0;
    for (type_id t = 0; t < snap->type_count; t++)
        most = snap->types[t].raw.count > most ? snap->types[t].raw.count : most;
    return order_work(most < snap->node_count ? most : snap->node_count);
}

void type_index_free(struct type_index *index)
{
    free(index->begin);
    free(index->node);
    free(index->by_address);
    *index = (struct type_index){0};
}

/* --- by what is referred to ------------------------------------------------------ */

static bool count_referrers(const struct referrer_index *index, const struct graph *g,
                            struct watch *watch)
{
    for (uint32_t e = 0; e < g->edge_count; e++) {
        if (e % WATCH_EVERY == 0 && !watch_goes_on(watch, e / 2, g->edge_count))
            return false;
        index->begin[g->edge_to[e]]++;
    }
    return true;
}

/* Prefetches the next targets: they are all over the heap. */
static bool fill_referrers(struct referrer_index *index, const struct graph *g,
                           struct watch *watch)
{
    enum { AHEAD = 24 };
    uint32_t e = 0;
    for (node_id n = 0; n < g->node_count; n++)
        for (; e < g->edge_begin[n + 1]; e++) {
            if (e % WATCH_EVERY == 0 &&
                !watch_goes_on(watch, g->edge_count / 2 + e / 2, g->edge_count))
                return false;
            if (e + AHEAD < g->edge_count)
                __builtin_prefetch(&index->begin[g->edge_to[e + AHEAD]], 1);
            index->from[index->begin[g->edge_to[e]]++] = n;
        }
    return true;
}

bool referrer_index_make(struct referrer_index *index, const struct graph *g,
                         struct watch *watch)
{
    index->begin = new_offsets(g->node_count);
    index->from = new_nodes(g->edge_count);
    bool ok = count_referrers(index, g, watch);
    add_up(index->begin, g->node_count);
    ok = ok && fill_referrers(index, g, watch);
    move_back(index->begin, g->node_count);
    if (!ok)
        referrer_index_free(index);
    return ok;
}

uint64_t referrer_index_bytes(const struct hd_snapshot *snap)
{
    return ((uint64_t)snap->node_count + snap->edge_count) * sizeof(node_id);
}

void referrer_index_free(struct referrer_index *index)
{
    free(index->begin);
    free(index->from);
    *index = (struct referrer_index){0};
}

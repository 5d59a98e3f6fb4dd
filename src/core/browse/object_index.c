#include "browse/object_index.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* --- objects by size or by address --------------------------------------------------- */

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, KEY_SHIFT = 32 };

/* --- radix sort ------------------------------------------------------------------ */

/* One digit of all keys, stable. */
static void sort_digit(const uint64_t *from, uint64_t *to, size_t count, unsigned shift)
{
    size_t begin[DIGITS] = {0}, sum = 0;
    for (size_t i = 0; i < count; i++)
        begin[from[i] >> shift & (DIGITS - 1)]++;
    for (size_t d = 0; d < DIGITS; d++) {
        size_t here = begin[d];
        begin[d] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++)
        to[begin[from[i] >> shift & (DIGITS - 1)]++] = from[i];
}

/* By the upper half, in which only the bits of differ are not the same for all. Gives that
 * of the two arrays which has the result. */
static uint64_t *sort_keys(uint64_t *keys, uint64_t *room, size_t count, uint64_t differ)
{
    for (unsigned shift = KEY_SHIFT; shift < 64; shift += DIGIT_BITS) {
        if ((differ >> shift & (DIGITS - 1)) == 0)
            continue;
        sort_digit(keys, room, count, shift);
        uint64_t *sorted = room;
        room = keys;
        keys = sorted;
    }
    return keys;
}

/* What is sorted: a key of 32 bits each, beside the place among nodes; and, where keys were
 * cut to that, what they were cut from. */
struct object_order {
    node_id *nodes;
    size_t count;
    uint64_t *keys;        /* count of them, and as much room behind */
    const uint64_t *whole; /* per place; NULL: nothing was cut */
};

struct whole_key {
    uint64_t key;
    node_id node;
};

static int by_whole_key(const void *a, const void *b)
{
    const struct whole_key *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* Places first .. end - 1 of the sorted keys have the same cut key. */
static void sort_equals(const struct object_order *o, uint64_t *sorted, size_t first,
                        size_t end)
{
    struct whole_key *run = alloc_resize(NULL, array_bytes(end - first, sizeof(*run)));
    for (size_t i = first; i < end; i++)
        run[i - first] =
            (struct whole_key){o->whole[(uint32_t)sorted[i]], (uint32_t)sorted[i]};
    qsort(run, end - first, sizeof(*run), by_whole_key);
    for (size_t i = first; i < end; i++)
        sorted[i] = run[i - first].node;
    free(run);
}

static void sort_runs(const struct object_order *o, uint64_t *sorted)
{
    for (size_t i = 0, end; i < o->count; i = end) {
        uint64_t key = sorted[i] >> KEY_SHIFT;
        for (end = i + 1; end < o->count && sorted[end] >> KEY_SHIFT == key; end++)
            continue;
        if (end - i > 1)
            sort_equals(o, sorted, i, end);
    }
}

static bool is_sorted(const struct object_order *o, uint64_t *differ)
{
    bool sorted = true;
    *differ = 0;
    for (size_t i = 1; i < o->count; i++) {
        *differ |= o->keys[i] ^ o->keys[0];
        sorted = sorted && o->keys[i - 1] <= o->keys[i];
    }
    return sorted;
}

/* Nodes go to the places that their keys have in order. Places are in the lower half of the
 * keys, so that those which are equal stay as they are. */
static void put_in_order(struct object_order *o)
{
    uint64_t differ, *sorted = o->keys;
    if (is_sorted(o, &differ) && o->whole == NULL)
        return;
    sorted = sort_keys(o->keys, o->keys + o->count, o->count, differ);
    if (o->whole != NULL)
        sort_runs(o, sorted);
    uint64_t *room = sorted == o->keys ? o->keys + o->count : o->keys;
    node_id *from = (node_id *)room;
    memcpy(from, o->nodes, o->count * sizeof(*from));
    for (size_t i = 0; i < o->count; i++)
        o->nodes[i] = from[(uint32_t)sorted[i]];
}

static struct object_order ordering_of(node_id *nodes, size_t count)
{
    return (struct object_order){
        nodes, count, alloc_resize(NULL, array_bytes(count + 1, 2 * sizeof(uint64_t))),
        NULL};
}

static uint64_t key_of(uint32_t key, size_t place)
{
    return (uint64_t)key << KEY_SHIFT | (uint32_t)place;
}

/* --- by size --------------------------------------------------------------------- */

/* Descending: what does not fit 32 bits is 0, and told apart by its whole size. */
void order_by_size(const struct graph *g, node_id *nodes, size_t count)
{
    struct object_order o = ordering_of(nodes, count);
    uint64_t *whole = NULL;
    if (g->big_count > 0) {
        whole = alloc_resize(NULL, array_bytes(count + 1, sizeof(*whole)));
        for (size_t i = 0; i < count; i++)
            whole[i] = UINT64_MAX - graph_size(g, nodes[i]);
        o.whole = whole;
    }
    for (size_t i = 0; i < count; i++)
        o.keys[i] = key_of(BIG_SIZE - g->small_size[nodes[i]], i);
    put_in_order(&o);
    free(o.keys);
    free(whole);
}

/* --- by address ------------------------------------------------------------------ */

/* Addresses that are further than 2^32 from each other are cut. */
void order_by_address(const struct graph *g, node_id *nodes, size_t count)
{
    struct object_order o = ordering_of(nodes, count);
    uint64_t *whole = alloc_resize(NULL, array_bytes(count + 1, sizeof(*whole)));
    uint64_t least = UINT64_MAX, most = 0;
    unsigned cut = 0;
    for (size_t i = 0; i < count; i++) {
        whole[i] = graph_address(g, nodes[i]);
        least = whole[i] < least ? whole[i] : least;
        most = whole[i] > most ? whole[i] : most;
    }
    while (count > 0 && (most - least) >> cut > UINT32_MAX)
        cut++;
    for (size_t i = 0; i < count; i++)
        o.keys[i] = key_of((uint32_t)((whole[i] - least) >> cut), i);
    o.whole = cut > 0 ? whole : NULL;
    put_in_order(&o);
    free(o.keys);
    free(whole);
}

/* --- by number ------------------------------------------------------------------- */

void order_by_number(node_id *nodes, size_t count)
{
    struct object_order o = ordering_of(nodes, count);
    for (size_t i = 0; i < count; i++)
        o.keys[i] = key_of(nodes[i], i);
    put_in_order(&o);
    free(o.keys);
}

static uint32_t *new_offsets(size_t count)
{
    return alloc_zeroed(array_bytes(count + 1, sizeof(uint32_t)));
}

static node_id *new_nodes(size_t count)
{
    return alloc_resize(NULL, array_bytes(count + 1, sizeof(node_id)));
}

/* What was counted behind each becomes where each begins, one place too far right: filling
 * moves every beginning to where it belongs. */
static void add_up(uint32_t *begin, size_t count)
{
    uint32_t sum = 0;
    for (size_t i = 0; i <= count; i++) {
        uint32_t here = begin[i];
        begin[i] = sum;
        sum += here;
    }
}

/* After filling, begin[i] is where i ends. */
static void move_back(uint32_t *begin, size_t count)
{
    memmove(begin + 1, begin, count * sizeof(*begin));
    begin[0] = 0;
}

/* --- by type --------------------------------------------------------------------- */

static bool fill_types(struct type_index *index, const struct hd_snapshot *snap,
                       struct watch *watch)
{
    const struct graph *g = snap->graph;
    for (node_id n = 0; n < g->node_count; n++) {
        if (n % WATCH_EVERY == 0 && !watch_goes_on(watch, n / 2, g->node_count))
            return false;
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
                     struct watch *watch)
{
    const struct graph *g = snap->graph;
    index->begin = new_offsets(snap->type_count);
    index->node = new_nodes(g->node_count);
    index->by_address = g->addresses != NULL ? new_nodes(g->node_count) : NULL;
    for (node_id n = 0; n < g->node_count; n++)
        index->begin[g->type[n]]++;
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

/* Those of one type are sorted at a time. */
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

/* Where the next ones go is fetched ahead: they are all over the heap. */
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

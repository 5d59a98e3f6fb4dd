#include "browse/object_order.h"

#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, KEY_SHIFT = 32 };

/* --- radix sort ---------------------------------------------------------------- */

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

struct ordering {
    const struct graph *g;
    uint32_t (*key)(const struct ordering *o, node_id n);
    uint64_t (*whole)(const struct ordering *o, node_id n);
    uint64_t base; /* of addresses: the lowest */
    unsigned cut;  /* and how many bits of them do not fit */
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

static void sort_equals(const struct ordering *o, node_id *nodes, size_t count)
{
    struct whole_key *keys = alloc_resize(NULL, array_bytes(count, sizeof(*keys)));
    for (size_t i = 0; i < count; i++)
        keys[i] = (struct whole_key){o->whole(o, nodes[i]), nodes[i]};
    qsort(keys, count, sizeof(*keys), by_whole_key);
    for (size_t i = 0; i < count; i++)
        nodes[i] = keys[i].node;
    free(keys);
}

/* Runs of a key that was cut. */
static void sort_runs(const struct ordering *o, node_id *nodes, size_t count)
{
    for (size_t i = 0, end; i < count; i = end) {
        uint32_t key = o->key(o, nodes[i]);
        for (end = i + 1; end < count && o->key(o, nodes[end]) == key; end++)
            continue;
        if (end - i > 1 && (o->cut > 0 || key == 0))
            sort_equals(o, nodes + i, end - i);
    }
}

static void sort_by(const struct ordering *o, node_id *nodes, size_t count, bool exact)
{
    uint64_t first = count > 0 ? (uint64_t)o->key(o, nodes[0]) << KEY_SHIFT : 0;
    uint64_t differ = 0,
             *keys = alloc_resize(NULL, array_bytes(count + 1, 2 * sizeof(*keys)));
    bool sorted = true;
    uint64_t last = first;
    for (size_t i = 0; i < count; i++) {
        uint64_t key = (uint64_t)o->key(o, nodes[i]) << KEY_SHIFT;
        differ |= key ^ first;
        sorted = sorted && key >= last;
        last = key;
        keys[i] = key | nodes[i];
    }
    if (!sorted) {
        const uint64_t *result = sort_keys(keys, keys + count, count, differ);
        for (size_t i = 0; i < count; i++)
            nodes[i] = (node_id)result[i];
    }
    free(keys);
    if (!exact)
        sort_runs(o, nodes, count);
}

/* --- by size --------------------------------------------------------------------- */

/* Descending: the largest that fits is 1, what does not fit is 0. */
static uint32_t size_key(const struct ordering *o, node_id n)
{
    return BIG_SIZE - o->g->small_size[n];
}

static uint64_t size_whole(const struct ordering *o, node_id n)
{
    return UINT64_MAX - graph_size(o->g, n);
}

void order_by_size(const struct graph *g, node_id *nodes, size_t count)
{
    struct ordering o = {.g = g, .key = size_key, .whole = size_whole};
    sort_by(&o, nodes, count, g->big_count == 0);
}

/* --- by address ---------------------------------------------------------------------- */

static uint32_t address_key(const struct ordering *o, node_id n)
{
    return (uint32_t)((graph_address(o->g, n) - o->base) >> o->cut);
}

static uint64_t address_whole(const struct ordering *o, node_id n)
{
    return graph_address(o->g, n);
}

void order_by_address(const struct graph *g, node_id *nodes, size_t count)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t address = graph_address(g, nodes[i]);
        least = address < least ? address : least;
        most = address > most ? address : most;
    }
    struct ordering o = {.g = g, .key = address_key, .whole = address_whole, .base = least};
    while (count > 0 && (most - least) >> o.cut > UINT32_MAX)
        o.cut++;
    sort_by(&o, nodes, count, o.cut == 0);
}

/* --- by number -------------------------------------------------------------------------
 */

static uint32_t number_key(const struct ordering *o, node_id n)
{
    (void)o;
    return n;
}

void order_by_number(node_id *nodes, size_t count)
{
    struct ordering o = {.key = number_key};
    sort_by(&o, nodes, count, true);
}

/* The two heaps as sequences.
 *
 * An object whose address another one has, or none, cannot be told from others by its
 * place: it stays outside, and unknown. What is here depends on addresses, types, sizes
 * alone, never on the numbers of nodes. */
#include "identity/align_parts.h"

#include "base/hash.h"
#include "base/radix_sort.h"
#include "base/workers.h"

#include <stdlib.h>
#include <string.h>

enum { SHARE_OBJECTS = 1 << 13 };

/* --- in the order of addresses ---------------------------------------------------- */

/* The system clears every page that it hands out: what sorting needs beside the addresses
 * is where keys and mates stand afterwards. */
static void sort_by_address(struct side *s)
{
    uint64_t *buffers = alloc_resize(NULL, array_bytes(s->len, sizeof(*buffers)));
    node_id *node = alloc_resize(NULL, array_bytes(s->len, sizeof(*node)));
    radix_sort(s->address, s->node, s->len, buffers, node);
    free(node);
    s->key = (uint32_t *)buffers;
    s->mate = s->key + s->len;
}

static void leave_out_repeated(struct side *s)
{
    uint32_t len = 0;
    for (uint32_t i = 0, end; i < s->len; i = end) {
        for (end = i + 1; end < s->len && s->address[end] == s->address[i];)
            end++;
        if (end > i + 1)
            continue;
        s->address[len] = s->address[i];
        s->node[len++] = s->node[i];
    }
    s->len = len;
}

static bool has_place(const struct side *s, node_id n)
{
    return s->snap->types[s->graph->type[n]].kind == TYPE_OBJECT &&
           graph_address(s->graph, n) != 0;
}

static void make_keys(struct side *s)
{
    uint64_t *name =
        alloc_zeroed(array_bytes((size_t)s->snap->type_count + 1, sizeof(*name)));
    for (type_id t = 0; t < s->snap->type_count; t++)
        name[t] = XXH3_64bits(s->snap->types[t].name, strlen(s->snap->types[t].name));
    for (uint32_t i = 0; i < s->len; i++) {
        uint64_t size = graph_size(s->graph, s->node[i]);
        s->key[i] = (uint32_t)(stir(name[s->graph->type[s->node[i]]] + size) >> 32);
    }
    free(name);
}

static bool make_side(void *context, size_t i)
{
    struct alignment *al = context;
    struct side *s = i == 0 ? &al->a : &al->b;
    const struct graph *g = s->graph;
    s->address =
        alloc_resize(NULL, array_bytes((size_t)g->node_count + 1, sizeof(*s->address)));
    s->node = alloc_resize(NULL, array_bytes((size_t)g->node_count + 1, sizeof(*s->node)));
    for (node_id n = 0; n < g->node_count; n++) {
        if (!has_place(s, n))
            continue;
        s->address[s->len] = graph_address(g, n);
        s->node[s->len++] = n;
    }
    if (s->len == 0)
        return true;
    sort_by_address(s);
    leave_out_repeated(s);
    memset(s->mate, 0xFF, array_bytes(s->len, sizeof(*s->mate)));
    make_keys(s);
    if (al->by_contents)
        add_contents(s);
    return true;
}

/* --- shares
 * ------------------------------------------------------------------------------- */

static void cut_shares(struct alignment *al)
{
    const struct side *b = &al->b;
    al->shares = alloc_zeroed(array_bytes(b->len / SHARE_OBJECTS + 1, sizeof(*al->shares)));
    for (uint32_t begin = 0, end; begin < b->len; begin = end) {
        end = b->len - begin > SHARE_OBJECTS ? begin + SHARE_OBJECTS : b->len;
        while (end < b->len && region_of(b->address[end]) == region_of(b->address[end - 1]))
            end++;
        al->shares[al->share_count++] = (struct share){begin, end};
    }
}

struct sharing {
    struct alignment *al;
    void (*work)(struct alignment *, struct share);
};

static bool work_on_share(void *context, size_t i)
{
    struct sharing *s = context;
    s->work(s->al, s->al->shares[i]);
    return true;
}

void for_each_share(struct alignment *al, void (*work)(struct alignment *, struct share))
{
    struct sharing s = {al, work};
    workers_run(al->share_count, al->threads, work_on_share, &s);
}

/* --- all of it -------------------------------------------------------------------- */

bool alignment_begin(struct alignment *al, const struct hd_snapshot *older,
                     const struct hd_snapshot *newer, unsigned threads)
{
    *al = (struct alignment){.a = {.snap = older, .graph = older->graph},
                             .b = {.snap = newer, .graph = newer->graph},
                             .threads = threads};
    al->by_contents = has_contents(older->graph) && has_contents(newer->graph);
    workers_run(2, threads, make_side, al);
    if (al->a.len == 0 || al->b.len == 0)
        return false;
    measure(al);
    cut_shares(al);
    return true;
}

static void side_free(struct side *s)
{
    free(s->address);
    free(s->key);
    free(s->kind);
    free(s->node);
}

void alignment_end(struct alignment *al)
{
    side_free(&al->a);
    side_free(&al->b);
    free(al->bits);
    free(al->seen);
    free(al->shares);
    *al = (struct alignment){0};
}

/* --- runs
 * --------------------------------------------------------------------------------- */

static inline bool agree(const struct alignment *al, uint32_t x, uint32_t y,
                         uint64_t distance)
{
    const struct side *a = &al->a, *b = &al->b;
    return a->mate[x] == FREE && b->mate[y] == FREE && a->key[x] == b->key[y] &&
           b->address[y] - a->address[x] == distance;
}

struct run run_around(struct alignment *al, uint32_t x, uint32_t y,
                      const struct run *within, uint32_t b_len)
{
    uint64_t distance = al->b.address[y] - al->a.address[x];
    uint32_t x_end = within->x + within->len, y_end = within->y + b_len, before = 0,
             len = 0;
    while (x + len < x_end && y + len < y_end && agree(al, x + len, y + len, distance))
        len++;
    while (len > 0 && x - before > within->x && y - before > within->y &&
           agree(al, x - before - 1, y - before - 1, distance))
        before++;
    return (struct run){x - before, y - before, before + len};
}

uint32_t run_bits(const struct alignment *al, const struct run *r)
{
    uint32_t sum = 0;
    for (uint32_t i = 1; i < r->len && sum < UINT32_MAX / 2; i++)
        sum += al->bits[r->x + i];
    return sum;
}

#include "identity/places.h"

#include "base/alloc.h"
#include "base/hash.h"

#include <string.h>

/* --- keys ---------------------------------------------------------------------------- */

struct places places_of(const struct hd_snapshot *snap)
{
    const struct graph *g = snap->graph;
    struct places p = {0};
    if (g == NULL)
        return p;
    /* By type name: ids of types differ from one snapshot to the next. */
    uint32_t *types =
        alloc_zeroed(array_bytes((size_t)snap->type_count + 1, sizeof(*types)));
    for (type_id t = 0; t < snap->type_count; t++) {
        const char *name = snap->types[t].name;
        types[t] = (uint32_t)XXH3_64bits(name, strlen(name));
    }
    p.all = alloc_zeroed(array_bytes((size_t)g->node_count + 1, sizeof(*p.all)));
    for (node_id n = 0; n < g->node_count; n++) {
        uint64_t address = graph_address(g, n);
        if (address == 0 || snap->types[g->type[n]].kind != TYPE_OBJECT)
            continue;
        p.all[p.len++] = (struct place){
            address, n,
            types[g->type[n]] ^
                (uint32_t)(graph_size(g, n) * UINT64_C(0x9E3779B97F4A7C15) >> 32)};
    }
    free(types);
    places_sort(p.all, p.len);
    return p;
}

/* --- order --------------------------------------------------------------------------- */

/* Returns the end of the run that begins there. */
static size_t end_of_run(const struct place *all, size_t begin, size_t len)
{
    while (begin + 1 < len && all[begin].address <= all[begin + 1].address)
        begin++;
    return begin + 1 < len ? begin + 1 : len;
}

static void places_merge(const struct place *a, size_t a_len, const struct place *b,
                         size_t b_len, struct place *to)
{
    while (a_len > 0 && b_len > 0) {
        bool first = a->address <= b->address;
        *to++ = first ? *a++ : *b++;
        a_len -= first;
        b_len -= !first;
    }
    if (a_len > 0)
        memcpy(to, a, a_len * sizeof(*a));
    if (b_len > 0)
        memcpy(to, b, b_len * sizeof(*b));
}

/* Merges every two adjacent runs; returns how many are left. */
static size_t merge_runs(const struct place *from, struct place *to, size_t len)
{
    size_t runs = 0;
    for (size_t begin = 0; begin < len; runs++) {
        size_t middle = end_of_run(from, begin, len);
        size_t end = middle < len ? end_of_run(from, middle, len) : len;
        places_merge(from + begin, middle - begin, from + middle, end - middle, to + begin);
        begin = end;
    }
    return runs;
}

void places_sort(struct place *all, size_t len)
{
    if (len == 0 || end_of_run(all, 0, len) == len)
        return;
    struct place *buffers = alloc_resize(NULL, array_bytes(len, sizeof(*buffers)));
    size_t runs;
    do {
        runs = merge_runs(all, buffers, len);
        memcpy(all, buffers, len * sizeof(*all));
    } while (runs > 1);
    free(buffers);
}

/* --- tokens -------------------------------------------------------------------------- */

uint64_t places_token(const struct places *p)
{
    enum { AT_ONCE = 1024 };
    unsigned char block[8 * AT_ONCE];
    uint64_t token = p->len;
    for (size_t begin = 0; begin < p->len; begin += AT_ONCE) {
        size_t count = p->len - begin < AT_ONCE ? p->len - begin : AT_ONCE;
        for (size_t i = 0; i < count; i++)
            le_put(block + 8 * i, p->all[begin + i].address, 8);
        token = XXH3_64bits_withSeed(block, 8 * count, token);
    }
    return token;
}

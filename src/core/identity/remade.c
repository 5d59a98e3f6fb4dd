#include "identity/remade.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

/* --- what an object holds --------------------------------------------------------- */

static uint64_t holding_of(const struct graph *g, node_id n, const uint32_t *number,
                           uint64_t type)
{
    uint64_t hash = 0;
    for (uint32_t i = g->edge_begin[n]; i < g->edge_begin[n + 1]; i++) {
        node_id to = g->edge_to[i];
        if (g->type[to] == g->type[n])
            continue;
        if (number[to] == NO_NODE)
            return 0;
        hash = stir(hash + number[to] + 1);
    }
    return hash != 0 ? stir(hash ^ type ^ graph_size(g, n)) : 0;
}

struct holdings holdings_of(const struct hd_snapshot *snap, const uint32_t *number,
                            const uint64_t *wanted)
{
    const struct graph *g = snap->graph;
    struct holdings h = {0};
    uint64_t *name = alloc_zeroed(array_bytes((size_t)snap->type_count + 1, sizeof(*name)));
    for (type_id t = 0; t < snap->type_count; t++)
        if (snap->types[t].kind == TYPE_OBJECT)
            name[t] = XXH3_64bits(snap->types[t].name, strlen(snap->types[t].name)) | 1;
    for (node_id n = 0; n < g->node_count; n++) {
        bool asked = wanted == NULL || bits_have(wanted, n);
        uint64_t hash =
            asked && name[g->type[n]] != 0 ? holding_of(g, n, number, name[g->type[n]]) : 0;
        if (hash == 0)
            continue;
        h.all = grow(h.all, h.len, &h.cap, sizeof(*h.all));
        h.all[h.len++] = (struct content_hash){hash, n};
    }
    free(name);
    return h;
}

void holdings_free(struct holdings *h)
{
    free(h->all);
    *h = (struct holdings){0};
}

/* --- the same on either side ------------------------------------------------------- */

static int by_hash(const void *a, const void *b)
{
    const struct content_hash *x = a, *y = b;
    return (x->hash > y->hash) - (x->hash < y->hash);
}

/* Sorted, without those that are there more than once. */
static void keep_single(struct holdings *h)
{
    size_t kept = 0;
    if (h->len > 0)
        qsort(h->all, h->len, sizeof(*h->all), by_hash);
    for (size_t i = 0, end; i < h->len; i = end) {
        for (end = i + 1; end < h->len && h->all[end].hash == h->all[i].hash;)
            end++;
        if (end == i + 1)
            h->all[kept++] = h->all[i];
    }
    h->len = kept;
}

void holdings_join(struct holdings *older, struct holdings *newer, remade_pair *pair,
                   void *context)
{
    keep_single(older);
    keep_single(newer);
    for (size_t i = 0, j = 0; i < older->len && j < newer->len;) {
        const struct content_hash *a = &older->all[i], *b = &newer->all[j];
        if (a->hash == b->hash)
            pair(context, a->of, b->of);
        if (a->hash <= b->hash)
            i++;
        else
            j++;
    }
}

/* --- two snapshots ------------------------------------------------------------------ */

static void add_pair(void *context, uint32_t older, uint32_t newer)
{
    struct same *s = context;
    s->next[older] = newer;
}

/* What stayed has the number of its node in the newer one. */
void same_add_remade(struct same *s, const struct hd_snapshot *older,
                     const struct hd_snapshot *newer)
{
    uint32_t count = newer->graph->node_count;
    if (s->source == HD_SAME_UNKNOWN)
        return;
    uint64_t *went = bits_new(s->count), *came = bits_new(count);
    uint32_t *number = alloc_unknown(count);
    for (node_id n = 0; n < s->count; n++)
        if (s->next[n] == NO_NODE)
            bits_set(went, n);
        else
            number[s->next[n]] = s->next[n];
    for (node_id n = 0; n < count; n++)
        if (number[n] == NO_NODE)
            bits_set(came, n);
    struct holdings before = holdings_of(older, s->next, went);
    struct holdings now = holdings_of(newer, number, came);
    holdings_join(&before, &now, add_pair, s);
    holdings_free(&before);
    holdings_free(&now);
    free(number);
    free(went);
    free(came);
}

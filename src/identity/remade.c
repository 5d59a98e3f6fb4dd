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

uint64_t *holdings_of(const struct hd_snapshot *snap, const uint32_t *number,
                      const uint64_t *wanted)
{
    const struct graph *g = snap->graph;
    uint64_t *all = alloc_zeroed(array_bytes((size_t)g->node_count + 1, sizeof(*all)));
    uint64_t *name = alloc_zeroed(array_bytes((size_t)snap->type_count + 1, sizeof(*name)));
    for (type_id t = 0; t < snap->type_count; t++)
        if (snap->types[t].kind == TYPE_OBJECT)
            name[t] = XXH3_64bits(snap->types[t].name, strlen(snap->types[t].name)) | 1;
    for (node_id n = 0; n < g->node_count; n++)
        if ((wanted == NULL || bits_have(wanted, n)) && name[g->type[n]] != 0)
            all[n] = holding_of(g, n, number, name[g->type[n]]);
    free(name);
    return all;
}

/* --- the same on either side ------------------------------------------------------- */

struct holding {
    uint64_t hash;
    uint32_t of;
};

static int by_hash(const void *a, const void *b)
{
    const struct holding *x = a, *y = b;
    return (x->hash > y->hash) - (x->hash < y->hash);
}

/* Those that are there once, ascending. */
static struct holding *single_holdings(const uint64_t *hash, size_t len, size_t *count)
{
    size_t some = 0, kept = 0;
    for (size_t i = 0; i < len; i++)
        some += hash[i] != 0;
    struct holding *all = alloc_zeroed(array_bytes(some + 1, sizeof(*all)));
    some = 0;
    for (size_t i = 0; i < len; i++)
        if (hash[i] != 0)
            all[some++] = (struct holding){hash[i], (uint32_t)i};
    if (some > 0)
        qsort(all, some, sizeof(*all), by_hash);
    for (size_t i = 0, end; i < some; i = end) {
        for (end = i + 1; end < some && all[end].hash == all[i].hash;)
            end++;
        if (end == i + 1)
            all[kept++] = all[i];
    }
    *count = kept;
    return all;
}

void holdings_join(const uint64_t *older, size_t older_len, const uint64_t *newer,
                   size_t newer_len, remade_pair *pair, void *context)
{
    size_t a_len, b_len;
    struct holding *a = single_holdings(older, older_len, &a_len);
    struct holding *b = single_holdings(newer, newer_len, &b_len);
    for (size_t i = 0, j = 0; i < a_len && j < b_len;) {
        if (a[i].hash == b[j].hash)
            pair(context, a[i].of, b[j].of);
        if (a[i].hash <= b[j].hash)
            i++;
        else
            j++;
    }
    free(a);
    free(b);
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
    uint32_t *number = alloc_resize(NULL, array_bytes((size_t)count + 1, sizeof(*number)));
    memset(number, 0xFF, count * sizeof(*number)); /* NO_NODE */
    for (node_id n = 0; n < s->count; n++)
        if (s->next[n] == NO_NODE)
            bits_set(went, n);
        else
            number[s->next[n]] = s->next[n];
    for (node_id n = 0; n < count; n++)
        if (number[n] == NO_NODE)
            bits_set(came, n);
    uint64_t *before = holdings_of(older, s->next, went);
    uint64_t *now = holdings_of(newer, number, came);
    holdings_join(before, s->count, now, count, add_pair, s);
    free(before);
    free(now);
    free(number);
    free(went);
    free(came);
}

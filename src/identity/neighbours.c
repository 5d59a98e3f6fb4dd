/* Objects known by those beside them: who refers to them and in which field, and to whom
 * they refer, as far as it is known who these are. Of a few survivors among many that died
 * young this tells most: a dictionary that stayed knows its entries by their places.
 *
 * By itself it is no evidence, since a field or a slot of an array that is filled again
 * looks the same. So it is a source of seeds (young.c), whose order has to fit, too. */
#include "identity/young.h"

#include "base/workers.h"

#include <stdlib.h>

/* In which field says nothing in a long array, whose elements move; and an object that
 * refers to very many is not told by them. */
enum { FIELDS_TOLD = 8, MOST_REFERENCES = 16 };

/* By numbers of nodes, since references are. */
struct knowledge {
    const struct alignment *al;
    node_id *identity[2]; /* of what is matched: its number in a; NO_NODE of all else */
    uint64_t *free[2];    /* a bit each: to be found, still */
    uint32_t *around[2];  /* of what is free: a sum of hashes, 0 if nobody is known */
};

static const struct side *side_of(const struct knowledge *k, size_t i)
{
    return i == 0 ? &k->al->a : &k->al->b;
}

/* Sums do not depend on who was met first. */
static inline void add(uint32_t *around, uint64_t identity, bool is_referrer,
                       uint32_t field)
{
    *around += (uint32_t)(stir(identity << 10 | (uint64_t)is_referrer << 9 | field) >> 32);
}

static void look_around(struct knowledge *k, size_t side, node_id n)
{
    const struct graph *g = side_of(k, side)->graph;
    const node_id *to = g->edge_to + g->edge_begin[n], *identity = k->identity[side];
    uint32_t len = g->edge_begin[n + 1] - g->edge_begin[n];
    if (identity[n] != NO_NODE) {
        for (uint32_t i = 0; i < len; i++)
            if (bits_have(k->free[side], to[i]))
                add(&k->around[side][to[i]], identity[n], true,
                    len <= FIELDS_TOLD ? i : FIELDS_TOLD);
    } else if (len <= MOST_REFERENCES && bits_have(k->free[side], n)) {
        for (uint32_t i = 0; i < len; i++)
            if (identity[to[i]] != NO_NODE)
                add(&k->around[side][n], identity[to[i]], false, i);
    }
}

static bool know_side(void *context, size_t i)
{
    struct knowledge *k = context;
    const struct side *s = side_of(k, i);
    size_t nodes = s->graph->node_count;
    k->identity[i] = alloc_resize(NULL, array_bytes(nodes + 1, sizeof(node_id)));
    k->around[i] = alloc_zeroed(array_bytes(nodes + 1, sizeof(uint32_t)));
    k->free[i] = bits_new(nodes);
    for (size_t n = 0; n < nodes; n++)
        k->identity[i][n] = NO_NODE;
    for (uint32_t p = 0; p < s->len; p++) {
        if (s->mate[p] == FREE)
            bits_set(k->free[i], s->node[p]);
        else if (s->mate[p] != DEAD)
            k->identity[i][s->node[p]] = i == 0 ? s->node[p] : k->al->a.node[s->mate[p]];
    }
    for (node_id n = 0; n < nodes; n++)
        look_around(k, i, n);
    return true;
}

static void known_by_others(void *context, size_t side, struct gram_sink *sink)
{
    const struct knowledge *k = context;
    const struct side *s = side_of(k, side);
    for (uint32_t p = 0; p < s->len; p++) {
        uint32_t around = s->mate[p] == FREE ? k->around[side][s->node[p]] : 0;
        if (around != 0)
            gram_add(sink, (uint32_t)stir((uint64_t)around << 32 | s->key[p]), p);
    }
}

struct gram_pairs join_by_neighbours(const struct alignment *al)
{
    struct knowledge k = {.al = al};
    workers_run(2, al->threads, know_side, &k);
    struct gram_pairs pairs = grams_join(known_by_others, &k, al->threads);
    for (int i = 0; i < 2; i++) {
        free(k.identity[i]);
        free(k.free[i]);
        free(k.around[i]);
    }
    return pairs;
}

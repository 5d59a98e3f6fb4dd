/* Survivors among objects that mostly died lie thin: short runs of which none says much,
 * but many, in one order. Seeds are rows of three keys that are unique, and objects that
 * are known by their neighbours. They are chained as minimap2 chains its seeds: a link
 * costs the logarithm of what it jumps over on either side. */
#include "identity/grams.h"

#include "base/radix_sort.h"
#include "base/workers.h"

#include <stdlib.h>

/* --- neighbours ---------------------------------------------------------------- */

/* Objects known by those beside them: who refers to them and in which field, and to whom
 * they refer, as far as it is known who these are. Of a few survivors among many that died
 * young this tells most: a dictionary that stayed knows its entries by their places.
 *
 * By itself it is no evidence, since a field or a slot of an array that is filled again
 * looks the same. So it is a source of seeds (young.c), whose order has to fit, too. */

/* In which field says nothing in a long array, whose elements move; and an object that
 * refers to very many is not told by them. */
enum { FIELDS_TOLD = 8, MAX_REFERENCES = 16 };

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
static inline void young_add(uint32_t *around, uint64_t identity, bool is_referrer,
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
                young_add(&k->around[side][to[i]], identity[n], true,
                          len <= FIELDS_TOLD ? i : FIELDS_TOLD);
    } else if (len <= MAX_REFERENCES && bits_have(k->free[side], n)) {
        for (uint32_t i = 0; i < len; i++)
            if (identity[to[i]] != NO_NODE)
                young_add(&k->around[side][n], identity[to[i]], false, i);
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

/* Free objects that alone have these neighbours, and a key, on both sides. Two hashes may
 * be equal by chance, for one pair in 2^32. O(objects + references); 4 bytes per node and
 * 2 bits, and the memory of grams_join(). */
static struct gram_pairs join_by_neighbours(const struct alignment *al)
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

/* --- young objects ------------------------------------------------------------- */

enum { KEYS_IN_A_ROW = 3, LEAST = 40 * BIT };
enum { BY_NEIGHBOURS = 14 * BIT }; /* what it says at least that these are the same */

/* A run looks for the one before it among so many, and so far away. That many around an
 * object that is known by its neighbours may go along: the row may be all alike, and
 * every one of it known. */
enum { LOOK_BACK = 40, FAR_IN_A = 8000, FAR_IN_B = 2000, BESIDE = 32 };
static const uint32_t NO_LINK = UINT32_MAX;

struct young_link {
    struct run run;
    uint32_t back;
    int64_t bits, score;
};

struct young_chains {
    struct alignment *al;
    struct young_link *link; /* by y */
    size_t len, cap;
};

/* --- runs ---------------------------------------------------------------------- */

/* Of pairs on one diagonal those within a run are left out: it is found once. */
static void add_runs(struct young_chains *c, const struct gram_pairs *pairs,
                     bool by_neighbours)
{
    struct alignment *al = c->al;
    struct run last = {0, 0, 0};
    for (size_t i = 0; i < pairs->len; i++) {
        uint32_t x = gram_x(pairs->all[i]), y = gram_y(pairs->all[i]);
        struct run within = {0, 0, al->a.len};
        uint32_t b_end = al->b.len;
        if (x - last.x < last.len && y - last.y == x - last.x)
            continue;
        if (by_neighbours) {
            within.x = x > BESIDE ? x - BESIDE : 0;
            within.y = y > BESIDE ? y - BESIDE : 0;
            within.len = (al->a.len - x > BESIDE ? x + BESIDE : al->a.len) - within.x;
            b_end = b_end - y > BESIDE ? y + BESIDE : b_end;
        }
        struct run r = run_around(al, x, y, &within, b_end - within.y);
        al->work += r.len;
        if (r.len == 0)
            continue;
        last = r;
        int64_t bits = (int64_t)alone(al, al->a.key[r.x]) + run_bits(al, &r);
        if (by_neighbours && bits < BY_NEIGHBOURS)
            bits = BY_NEIGHBOURS;
        c->link = grow(c->link, c->len, &c->cap, sizeof(*c->link));
        c->link[c->len++] = (struct young_link){r, NO_LINK, bits, 0};
    }
}

static void sort_runs(struct young_chains *c)
{
    size_t bytes = array_bytes(c->len, sizeof(uint64_t));
    uint64_t *key = alloc_resize(NULL, bytes), *spare_key = alloc_resize(NULL, bytes);
    uint32_t *value = alloc_resize(NULL, bytes / 2),
             *buffers = alloc_resize(NULL, bytes / 2);
    for (size_t i = 0; i < c->len; i++) {
        key[i] = (uint64_t)c->link[i].run.y << 32 | c->link[i].run.x;
        value[i] = (uint32_t)i;
    }
    radix_sort(key, value, c->len, spare_key, buffers);
    struct young_link *sorted = alloc_resize(NULL, array_bytes(c->len, sizeof(*sorted)));
    for (size_t i = 0; i < c->len; i++)
        sorted[i] = c->link[value[i]];
    free(c->link);
    c->link = sorted;
    free(key);
    free(spare_key);
    free(value);
    free(buffers);
}

/* --- chains -------------------------------------------------------------------- */

/* What it costs to come from one run to the other; false: no chain has both. */
static bool can_follow(const struct alignment *al, const struct run *from,
                       const struct run *to, int64_t *cost)
{
    const uint64_t *a = al->a.address, *b = al->b.address;
    if (to->y < from->y + from->len || to->x < from->x + from->len)
        return false;
    uint32_t in_a = to->x - from->x - from->len, in_b = to->y - from->y - from->len;
    if (in_a < in_b || in_a > FAR_IN_A || region_of(a[to->x]) != region_of(a[from->x]) ||
        a[to->x] - a[from->x] < b[to->y] - b[from->y])
        return false;
    *cost = (int64_t)eighths(in_a + 1) + eighths(in_b + 1) + in_b * BIT / 5;
    return true;
}

static void link_back(struct young_chains *c, size_t begin, size_t i)
{
    const struct alignment *al = c->al;
    struct young_link *to = &c->link[i];
    uint64_t region = region_of(al->b.address[to->run.y]);
    to->score = to->bits;
    for (size_t k = i; k > begin && i - k < LOOK_BACK; k--) {
        const struct young_link *from = &c->link[k - 1];
        int64_t cost;
        if (region_of(al->b.address[from->run.y]) != region ||
            to->run.y - from->run.y > FAR_IN_B + from->run.len)
            break;
        if (!can_follow(al, &from->run, &to->run, &cost) ||
            from->score + to->bits - cost <= to->score)
            continue;
        to->score = from->score + to->bits - cost;
        to->back = (uint32_t)(k - 1);
    }
}

/* Links never leave a region of b, so a share is all that one thread needs. */
static bool link_share(void *context, size_t i)
{
    struct young_chains *c = context;
    const struct share *s = &c->al->shares[i];
    size_t begin = 0, end = c->len, at;
    while (begin < end) {
        size_t middle = (begin + end) / 2;
        if (c->link[middle].run.y < s->begin)
            begin = middle + 1;
        else
            end = middle;
    }
    for (at = begin; at < c->len && c->link[at].run.y < s->end; at++)
        link_back(c, begin, at);
    count_work(c->al, (at - begin) * LOOK_BACK);
    return true;
}

static void take_chain(struct young_chains *c, uint32_t last)
{
    struct alignment *al = c->al;
    int64_t base = 0;
    uint32_t end = last;
    while (end != NO_LINK && c->link[end].score >= 0)
        end = c->link[end].back;
    if (end != NO_LINK)
        base = ~c->link[end].score;
    if (c->link[last].score - base < LEAST)
        return;
    for (uint32_t i = last; i != end; i = c->link[i].back) {
        const struct run *r = &c->link[i].run;
        for (uint32_t k = 0; k < r->len; k++)
            if (al->a.mate[r->x + k] == FREE && al->b.mate[r->y + k] == FREE)
                take(al, &(struct run){r->x + k, r->y + k, 1});
        c->link[i].score = ~c->link[i].score; /* used */
    }
}

/* The best first. A chain that runs into one that is taken counts from there on. */
static void take_chains(struct young_chains *c)
{
    size_t bytes = array_bytes(c->len, sizeof(uint64_t)), len = 0;
    uint64_t *key = alloc_resize(NULL, bytes), *spare_key = alloc_resize(NULL, bytes);
    uint32_t *value = alloc_resize(NULL, bytes / 2),
             *buffers = alloc_resize(NULL, bytes / 2);
    for (size_t i = 0; i < c->len; i++) {
        if (c->link[i].score < LEAST)
            continue;
        key[len] = ~(uint64_t)c->link[i].score;
        value[len++] = (uint32_t)i;
    }
    radix_sort(key, value, len, spare_key, buffers);
    for (size_t i = 0; i < len; i++)
        if (c->link[value[i]].score >= 0)
            take_chain(c, value[i]);
    free(key);
    free(spare_key);
    free(value);
    free(buffers);
}

static bool has_free(const struct side *s)
{
    for (uint32_t p = 0; p < s->len; p++)
        if (s->mate[p] == FREE)
            return true;
    return false;
}

void find_young(struct alignment *al)
{
    struct young_chains c = {.al = al};
    struct gram_rows rows = {al, KEYS_IN_A_ROW, 0};
    if (!has_free(&al->a) || !has_free(&al->b))
        return;
    struct gram_pairs pairs = grams_join(grams_in_rows, &rows, al->threads);
    add_runs(&c, &pairs, false);
    free(pairs.all);
    pairs = join_by_neighbours(al);
    add_runs(&c, &pairs, true);
    free(pairs.all);
    if (c.len > 0) {
        sort_runs(&c);
        workers_run(al->share_count, al->threads, link_share, &c);
        take_chains(&c);
    }
    free(c.link);
}

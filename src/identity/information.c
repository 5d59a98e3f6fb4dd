/* How much information is in the two heaps: how often a key follows another one.
 *
 * With contents most keys of strings are unique, and what follows a unique key follows it
 * always: that would say nothing. So there it counts behind what kind of object something
 * comes, too, and what says less is believed, but for keys that came so rarely that they
 * tell nothing of what follows. A header that comes with the same texts a thousand times
 * says little by that, a name that nobody else has much. */
#include "identity/align_parts.h"

#include "base/workers.h"

#include <stdlib.h>

/* Counters of keys and of pairs of keys: about as many as there are objects, but so few
 * that they stay in the cache; of contents there are more than would. What is counted
 * together by chance looks more frequent than it is, which makes matches harder to believe,
 * not easier. */
enum {
    FEWEST_SLOTS = 1 << 12,
    MOST_KEY_SLOTS = 1 << 18,
    MOST_CONTENT_SLOTS = 1 << 21,
    MOST_PAIR_SLOTS = 1 << 21
};

/* Once on either side, or twice: that tells nothing of what follows. */
enum { RARE = 4 };

enum { SHARE = 1 << 16 }; /* positions of a that are measured at a time */

/* What comes behind what: keys behind keys, or behind kinds. */
struct counting {
    const uint32_t *before[2];
    uint32_t *pairs[2], *keys[2]; /* counters, per side */
};

struct measuring {
    struct alignment *al;
    struct counting behind_keys, behind_kinds;
    uint32_t pair_mask, key_mask;
};

static uint32_t slots_for(uint64_t objects, uint32_t most)
{
    uint32_t slots = FEWEST_SLOTS;
    while (slots < objects && slots < most)
        slots *= 2;
    return slots;
}

static inline uint32_t pair_of(uint32_t before, uint32_t key)
{
    return (uint32_t)((((uint64_t)before << 32 | key) * 0x9E3779B97F4A7C15U) >> 32);
}

static void count(const struct measuring *m, struct counting *c, size_t i)
{
    const struct side *s = i == 0 ? &m->al->a : &m->al->b;
    const uint32_t *before = c->before[i];
    if (before == NULL)
        return;
    c->pairs[i] = alloc_zeroed(array_bytes((size_t)m->pair_mask + 1, sizeof(uint32_t)));
    c->keys[i] = alloc_zeroed(array_bytes((size_t)m->key_mask + 1, sizeof(uint32_t)));
    for (uint32_t p = 0; p < s->len; p++) {
        c->keys[i][before[p] & m->key_mask]++;
        if (p > 0)
            c->pairs[i][pair_of(before[p - 1], s->key[p]) & m->pair_mask]++;
    }
}

static bool count_side(void *context, size_t i)
{
    struct measuring *m = context;
    count(m, &m->behind_keys, i);
    count(m, &m->behind_kinds, i);
    return true;
}

/* -log2 of the chance that this key follows that one. A pair that came once says as much
 * as if it had come half a time. */
static uint32_t information(const struct measuring *m, const struct counting *c, uint32_t p)
{
    uint32_t before = c->before[0][p - 1];
    uint32_t slot = pair_of(before, m->al->a.key[p]) & m->pair_mask;
    uint32_t n = c->pairs[0][slot] + c->pairs[1][slot];
    uint32_t all = eighths(c->keys[0][before & m->key_mask]) + BIT;
    uint32_t twice = n > 1 ? eighths(n - 1) + BIT : 0;
    return all > twice ? all - twice : 0;
}

static uint32_t bits_at(const struct measuring *m, uint32_t p)
{
    const struct counting *keys = &m->behind_keys, *kinds = &m->behind_kinds;
    if (p == 0)
        return 8 * BIT;
    uint32_t bits = information(m, keys, p);
    if (kinds->before[0] == NULL)
        return bits;
    uint32_t of_kinds = information(m, kinds, p);
    bool is_rare = keys->keys[0][keys->before[0][p - 1] & m->key_mask] <= RARE;
    return is_rare || of_kinds < bits ? of_kinds : bits;
}

static bool measure_share(void *context, size_t i)
{
    const struct measuring *m = context;
    uint32_t begin = (uint32_t)i * SHARE, end = begin + SHARE;
    for (uint32_t p = begin; p < m->al->a.len && p < end; p++) {
        uint32_t bits = bits_at(m, p);
        m->al->bits[p] = (uint8_t)(bits < UINT8_MAX ? bits : UINT8_MAX);
    }
    return true;
}

/* Those of the first side become those of both. */
static void add_up(const struct measuring *m, struct counting *c)
{
    for (uint32_t i = 0; c->keys[0] != NULL && i <= m->key_mask; i++)
        c->keys[0][i] += c->keys[1][i];
    free(c->keys[1]);
}

static void free_pairs(struct counting *c)
{
    free(c->pairs[0]);
    free(c->pairs[1]);
}

void measure(struct alignment *al)
{
    uint64_t objects = (uint64_t)al->a.len + al->b.len;
    struct measuring m = {
        .al = al,
        .behind_keys.before = {al->a.key, al->b.key},
        .behind_kinds.before = {al->a.kind, al->b.kind},
        .pair_mask = slots_for(objects, MOST_PAIR_SLOTS) - 1,
        .key_mask =
            slots_for(objects / 2, al->by_contents ? MOST_CONTENT_SLOTS : MOST_KEY_SLOTS) -
            1,
    };
    workers_run(2, al->threads, count_side, &m);
    add_up(&m, &m.behind_keys);
    add_up(&m, &m.behind_kinds);
    free(al->seen);
    al->seen = m.behind_keys.keys[0];
    al->seen_mask = m.key_mask;
    al->bits = alloc_resize(al->bits, al->a.len);
    workers_run(al->a.len / SHARE + 1, al->threads, measure_share, &m);
    free_pairs(&m.behind_keys);
    free_pairs(&m.behind_kinds);
    free(m.behind_kinds.keys[0]);
}

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

/* What comes behind what: keys behind keys, or behind kinds. One after the other, since
 * counters take room. */
struct counting {
    struct alignment *al;
    const uint32_t *before[2];    /* per side, keys or kinds by position */
    uint32_t *pairs[2], *keys[2]; /* counters */
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

static bool count_side(void *context, size_t i)
{
    struct counting *c = context;
    const struct side *s = i == 0 ? &c->al->a : &c->al->b;
    const uint32_t *before = c->before[i];
    for (uint32_t p = 0; p < s->len; p++) {
        c->keys[i][before[p] & c->key_mask]++;
        if (p > 0)
            c->pairs[i][pair_of(before[p - 1], s->key[p]) & c->pair_mask]++;
    }
    return true;
}

/* Counters of keys are those of both sides then. */
static void count(struct counting *c, uint32_t most_keys)
{
    uint64_t objects = (uint64_t)c->al->a.len + c->al->b.len;
    uint32_t pairs = slots_for(objects, MOST_PAIR_SLOTS);
    uint32_t keys = slots_for(objects / 2, most_keys);
    c->pair_mask = pairs - 1;
    c->key_mask = keys - 1;
    for (size_t i = 0; i < 2; i++) {
        c->pairs[i] = alloc_zeroed(array_bytes(pairs, sizeof(**c->pairs)));
        c->keys[i] = alloc_zeroed(array_bytes(keys, sizeof(**c->keys)));
    }
    workers_run(2, c->al->threads, count_side, c);
    for (uint32_t i = 0; i < keys; i++)
        c->keys[0][i] += c->keys[1][i];
    free(c->keys[1]);
}

/* -log2 of the chance that this key follows that one. A pair that came once says as much
 * as if it had come half a time. */
static uint32_t information(const struct counting *c, uint32_t p)
{
    uint32_t before = c->before[0][p - 1];
    uint32_t slot = pair_of(before, c->al->a.key[p]) & c->pair_mask;
    uint32_t n = c->pairs[0][slot] + c->pairs[1][slot];
    uint32_t all = eighths(c->keys[0][before & c->key_mask]) + BIT;
    uint32_t twice = n > 1 ? eighths(n - 1) + BIT : 0;
    uint32_t bits = all > twice ? all - twice : 0;
    return bits < UINT8_MAX ? bits : UINT8_MAX;
}

static bool measure_keys(void *context, size_t i)
{
    const struct counting *c = context;
    struct alignment *al = c->al;
    uint32_t begin = (uint32_t)i * SHARE, end = begin + SHARE;
    for (uint32_t p = begin; p < al->a.len && p < end; p++)
        al->bits[p] = (uint8_t)(p > 0 ? information(c, p) : 8 * BIT);
    return true;
}

static bool measure_kinds(void *context, size_t i)
{
    const struct counting *c = context;
    struct alignment *al = c->al;
    uint32_t begin = (uint32_t)i * SHARE, end = begin + SHARE;
    for (uint32_t p = begin > 0 ? begin : 1; p < al->a.len && p < end; p++) {
        uint32_t bits = information(c, p);
        if (al->seen[al->a.key[p - 1] & al->seen_mask] <= RARE || bits < al->bits[p])
            al->bits[p] = (uint8_t)bits;
    }
    return true;
}

void measure(struct alignment *al)
{
    size_t shares = al->a.len / SHARE + 1;
    struct counting c = {.al = al, .before = {al->a.key, al->b.key}};
    free(al->seen);
    count(&c, al->by_contents ? MOST_CONTENT_SLOTS : MOST_KEY_SLOTS);
    al->bits = alloc_resize(al->bits, al->a.len);
    workers_run(shares, al->threads, measure_keys, &c);
    free(c.pairs[0]);
    free(c.pairs[1]);
    al->seen = c.keys[0];
    al->seen_mask = c.key_mask;
    if (!al->by_contents)
        return;
    c = (struct counting){.al = al, .before = {al->a.kind, al->b.kind}};
    count(&c, MOST_KEY_SLOTS);
    workers_run(shares, al->threads, measure_kinds, &c);
    free(c.pairs[0]);
    free(c.pairs[1]);
    free(c.keys[0]);
}

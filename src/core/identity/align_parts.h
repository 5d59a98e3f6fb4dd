/* align_parts.h - data shared by the steps of the alignment: two heaps in the order of
 * their addresses, and the matches so far.
 *
 * A position is the index of an object in that order. The older snapshot is a, the newer b;
 * x and y are positions in them. The key of an object is a hash of the canonical name of
 * its type and its size (its kind), and of its contents where both snapshots have them.
 * Keys that are equal by chance cost a match at most: the pipeline compares types and sizes
 * themselves in the end.
 *
 * Memory: 21 bytes per object of both while it runs, 35 at the most: hashes of unmatched
 * objects (seeds.c), and the answer. With contents 4 more. */
#ifndef ALIGN_PARTS_H
#define ALIGN_PARTS_H

#include "base/hash.h"
#include "heap/address_index.h"
#include "heap/snapshot.h"

/* Instead of a mate. */
#define FREE UINT32_MAX
#define DEAD (UINT32_MAX - 1) /* of a: died, no mate exists */
#define IS_MATE(position) ((position) < DEAD)

/* Amounts of information are in eighths of a bit, so that they fit a byte. */
enum { BIT = 8 };

struct side {
    const struct hd_snapshot *snap;
    const struct graph *graph;
    uint32_t len;
    uint64_t *address; /* ascending, no two alike */
    node_id *node;
    uint32_t *key;
    uint32_t *mate; /* position on the other side, FREE or DEAD; in the block of key */
    uint32_t *kind; /* the keys without contents; NULL if equal to key */
};

/* A key with contents that stay the same as long as the object lives. */
#define FIXED UINT32_C(0x80000000)

/* The part of a key that stays the same as long as the object lives. */
static inline uint32_t key_for_life(const struct side *s, uint32_t position)
{
    bool may_change = s->kind != NULL && (s->key[position] & FIXED) == 0;
    return may_change ? s->kind[position] : s->key[position];
}

/* Positions of b, whole regions: the unit of work of a thread. */
struct share {
    uint32_t begin, end;
};

struct alignment {
    struct side a, b;
    uint8_t *bits;  /* per position of a: information in this key after the one before it */
    uint32_t *seen; /* number of objects of both with a key, by its lower bits */
    uint32_t seen_mask;
    struct share *shares; /* the same for any number of threads */
    size_t share_count;
    unsigned threads;
    bool by_contents; /* both have contents */
    uint64_t work;    /* inner steps so far: the tests check that they are bounded */
};

/* --- numbers ------------------------------------------------------------------- */

/* log2(n) in eighths, n > 0: exponent and first bits of the mantissa of a float, at most
 * 0.09 bits too low. */
static inline uint32_t eighths(uint32_t n)
{
    union {
        float value;
        uint32_t bits;
    } f = {(float)n};
    return (f.bits >> 20) - 127 * 8;
}

/* Returns the information in a key without its context, at most 12 bits. */
static inline uint32_t alone(const struct alignment *al, uint32_t key)
{
    uint32_t all = eighths(al->a.len / 2 + al->b.len / 2 + 1) + BIT;
    uint32_t n = al->seen[key & al->seen_mask];
    uint32_t b = n > 0 && eighths(n) < all ? all - eighths(n) : 0;
    return b < 12 * BIT ? b : 12 * BIT;
}

/* Adds up counters of both heaps, which may have more objects together than fit one. */
static inline uint32_t counter_sum(uint32_t a, uint32_t b)
{
    return b <= UINT32_MAX - a ? a + b : UINT32_MAX;
}

/* Returns the positions of part i of all, `size` each; the last may have fewer. */
static inline struct share part_of(size_t i, uint32_t size, uint32_t all)
{
    uint64_t begin = (uint64_t)i * size, end = begin + size;
    return (struct share){(uint32_t)(begin < all ? begin : all),
                          (uint32_t)(end < all ? end : all)};
}

/* Called by threads after each share; a sum does not depend on the order. */
static inline void count_work(struct alignment *al, uint64_t steps)
{
    __atomic_fetch_add(&al->work, steps, __ATOMIC_RELAXED);
}

/* --- matches ------------------------------------------------------------------- */

struct run {
    uint32_t x, y, len;
};

static inline void take(struct alignment *al, const struct run *r)
{
    for (uint32_t i = 0; i < r->len; i++) {
        al->a.mate[r->x + i] = r->y + i;
        al->b.mate[r->y + i] = r->x + i;
    }
}

static inline void part(struct alignment *al, uint32_t y)
{
    al->a.mate[al->b.mate[y]] = FREE;
    al->b.mate[y] = FREE;
}

/* Returns the free objects around a free pair with equal keys and distances. Within a and
 * b; len is 0 if the pair itself does not agree. */
struct run run_around(struct alignment *al, uint32_t x, uint32_t y,
                      const struct run *within, uint32_t b_len);

/* Returns the information in a run, without its first object. */
uint32_t run_bits(const struct alignment *al, const struct run *r);

/* --- steps --------------------------------------------------------------------------- */

/* Calls work for each share. */
void for_each_share(struct alignment *al, void (*work)(struct alignment *, struct share));

/* seeds.c */
uint32_t count_free(const struct side *s);
void find_in_place(struct alignment *al);
void find_anchors(struct alignment *al);
void sweep_regions(struct alignment *al);
void find_young(struct alignment *al);

#endif

/* grams.h - what is alike on both sides: hashes of positions, joined.
 *
 * For keys in a row ("n-grams") and for whatever else positions are known by. All hashes
 * are dealt out to parts by their highest bits; a part is sorted, and then the groups of
 * equal hashes of both sides stand beside each other. Parts are worked on by several
 * threads. Equal hashes may be different things: who takes a pair compares it itself. */
#ifndef GRAMS_H
#define GRAMS_H

#include "identity/align_parts.h"

/* Hash and position. */
static inline uint64_t gram_entry(uint32_t hash, uint32_t position)
{
    return (uint64_t)hash << 32 | position;
}

static inline uint32_t gram_hash(uint64_t entry)
{
    return (uint32_t)(entry >> 32);
}

static inline uint32_t gram_position(uint64_t entry)
{
    return (uint32_t)entry;
}

/* Gives the entries of one side, in the order of positions, to gram_add(). Called twice. */
struct gram_sink;
typedef void gram_source(void *context, size_t side, struct gram_sink *sink);
void gram_add(struct gram_sink *sink, uint32_t hash, uint32_t position);

/* A pair by the difference of its positions: those that are one run stand together, in
 * order. */
static inline uint64_t gram_pair(uint32_t x, uint32_t y)
{
    return (uint64_t)(x - y) << 32 | x;
}

static inline uint32_t gram_x(uint64_t pair)
{
    return (uint32_t)pair;
}

static inline uint32_t gram_y(uint64_t pair)
{
    return (uint32_t)pair - (uint32_t)(pair >> 32);
}

/* The pairs of positions whose hash is unique on either side, sorted; malloc'd. O(entries);
 * 8 bytes per entry and pair, and as much again for the largest part. */
struct gram_pairs {
    uint64_t *all;
    size_t len;
};

struct gram_pairs grams_join(gram_source *source, void *context, unsigned threads);

/* The source of `width` free keys in a row; context is a struct gram_rows. Of all rows only
 * those whose hash has none of the bits `without`: the same on both sides. */
struct gram_rows {
    const struct alignment *al;
    uint32_t width, without;
};
gram_source grams_in_rows;

#endif

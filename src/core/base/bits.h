/* bits.h - a set of small numbers, a bit each.
 *
 * Eight words fill a line of the cache, so a set of nodes often stays where a byte each
 * would not. It does not know how many there are: that is its owner's. */
#ifndef BITS_H
#define BITS_H

#include "base/alloc.h"

#include <stdbool.h>
#include <stdint.h>

/* How many words numbers below count need. */
static inline size_t bits_words(size_t count)
{
    return count / 64 + 1;
}

/* An empty set of numbers below count; malloc'd. */
static inline uint64_t *bits_new(size_t count)
{
    return alloc_zeroed(bits_words(count) * sizeof(uint64_t));
}

static inline bool bits_have(const uint64_t *bits, uint32_t n)
{
    return bits[n / 64] >> (n % 64) & 1;
}

static inline void bits_set(uint64_t *bits, uint32_t n)
{
    bits[n / 64] |= UINT64_C(1) << (n % 64);
}

/* False if it is there already. For walks, which mostly meet what they have seen: then
 * nothing is written. */
static inline bool bits_add(uint64_t *bits, uint32_t n)
{
    uint64_t bit = UINT64_C(1) << (n % 64);
    if (bits[n / 64] & bit)
        return false;
    bits[n / 64] |= bit;
    return true;
}

#endif

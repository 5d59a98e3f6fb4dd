/* address_index.h - the position of an object in the order of addresses.
 *
 * Objects are at multiples of four or eight bytes in regions that are mostly full. So each
 * such spot of a region with objects gets a bit, and the position of an object is the
 * number of bits before its own: a lookup in a table of regions, a word and a sum. Unusual
 * addresses are sorted and searched instead. */
#ifndef ADDRESS_INDEX_H
#define ADDRESS_INDEX_H

#include "base/arrays.h"

/* The collector plans and sweeps region by region: 4 MiB since .NET 7. Older runtimes have
 * larger segments, of which these are parts. */
enum { REGION_BITS = 22 };

static inline uint64_t region_of(uint64_t address)
{
    return address >> REGION_BITS;
}

struct address_word {
    uint64_t bits;
    uint32_t before; /* bits in all words before this one */
};

struct address_index {
    uint64_t first;   /* region */
    size_t span;      /* regions from the first to the last */
    uint32_t *number; /* per region: 1 + its number among the non-empty ones; or 0 */
    unsigned shift;   /* a spot has 2^shift bytes */
    struct address_word *words; /* 16 bytes per 64 spots; NULL: addresses are strange */
    uint64_t *sorted;           /* all addresses then */
    size_t len;
};

/* Makes one of len > 0 addresses in any order. False, with *x empty, if two are equal, not
 * multiples of four, or so far apart that it would take more than 16 bytes for each object.
 * O(len). */
bool address_index_make(struct address_index *x, const uint64_t *address, size_t len);

/* The same of any addresses; frees `address` or keeps it. */
void address_index_make_any(struct address_index *x, uint64_t *address, size_t len);
void address_index_free(struct address_index *x); /* {0} is fine */

/* The position of an address, that of the first if several are equal; UINT32_MAX if it is
 * not there. */
uint32_t address_index_search(const struct address_index *x, uint64_t address);

/* The number of the spot of an address in a region that has objects. */
static inline uint64_t address_index_spot(const struct address_index *x, uint64_t address)
{
    unsigned region_spots = REGION_BITS - x->shift;
    uint64_t region = x->number[region_of(address) - x->first] - 1;
    return region << region_spots |
           (address >> x->shift & ((UINT64_C(1) << region_spots) - 1));
}

static inline uint32_t address_index_find(const struct address_index *x, uint64_t address)
{
    uint64_t region = region_of(address) - x->first;
    if (x->words == NULL)
        return address_index_search(x, address);
    if (region >= x->span || x->number[region] == 0)
        return UINT32_MAX;
    uint64_t spot = address_index_spot(x, address);
    const struct address_word *word = &x->words[spot / 64];
    uint64_t bit = UINT64_C(1) << spot % 64;
    if ((word->bits & bit) == 0 || address & ((1U << x->shift) - 1))
        return UINT32_MAX;
    return word->before + (uint32_t)__builtin_popcountll(word->bits & (bit - 1));
}

#endif

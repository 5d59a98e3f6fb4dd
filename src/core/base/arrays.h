/* arrays.h - flat arrays of numbers: sets of bits, searching, sorting, a table of pairs,
 * and arrays that are used again. */
#ifndef ARRAYS_H
#define ARRAYS_H

#include "base/alloc.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- bits ------------------------------------------------------------------------- */

/* A set of small numbers, a bit each.
 *
 * Eight words fill a line of the cache, so a set of nodes often stays where a byte each
 * would not. It does not know how many there are: that is its owner's. */

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

/* --- search ----------------------------------------------------------------------- */

/* Where in a sorted array something is, or would be.
 *
 * One binary search for all orders: who calls says what stands before the place. Inlined
 * with that question, so that it costs what a loop written out would. */

/* The first i of begin .. end - 1 for which is_before(all, i, wanted) is false; end if it
 * is true for all. It must be true for none behind that one. O(log(end - begin)) questions.
 */
static inline __attribute__((always_inline)) size_t
search_first(const void *all, size_t begin, size_t end,
             bool (*is_before)(const void *all, size_t i, const void *wanted),
             const void *wanted)
{
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (is_before(all, middle, wanted))
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/* --- order ------------------------------------------------------------------------ */

/* For qsort(): elements that are or begin with a uint64_t, ascending by it. */
int by_first_number(const void *a, const void *b);

/* --- radix sort ------------------------------------------------------------------- */

/* Numbers in ascending order, with what belongs to them.
 *
 * For millions of addresses, hashes and positions, where qsort() would call a function for
 * each of 22 comparisons. It looks only at digits in which the numbers differ, and at none
 * if they ascend already. O(count), whatever they are. */

/* Sort keys; values, unless NULL, go with them. Those of equal keys stay in their order.
 * The spare arrays have room for as many; what is in them afterwards means nothing. */
void radix_sort(uint64_t *keys, uint32_t *values, size_t count, uint64_t *spare_keys,
                uint32_t *spare_values);

/* --- pair table ------------------------------------------------------------------- */

/* A number for every pair of two 32-bit numbers.
 *
 * Open addressing, for the inner loops over all objects, where uthash would cost a
 * cache miss and 56 bytes each. Keys come from our own counters, never straight from a
 * file. A {0} table is empty. */

#define NO_PAIR UINT32_MAX

struct pair_table {
    uint64_t *keys; /* 0: free; else the pair plus 1 */
    uint32_t *values;
    size_t len, cap; /* cap is a power of two, at most half used */
};

/* The value of a pair; value is stored, and returned, if it has none. NO_PAIR only looks.
 */
uint32_t pair_table_put(struct pair_table *t, uint32_t a, uint32_t b, uint32_t value);
void pair_table_free(struct pair_table *t);

/* --- buffer pool ------------------------------------------------------------------ */

/* Large arrays that are used again instead of being given back.
 *
 * The system clears every page that it hands out, which for a heap of ten million objects
 * costs as much as a walk through it. A computation of several steps, whose arrays all
 * have about one size, therefore keeps those that a step is done with for the next one. A
 * {0} list is empty. */

struct buffer_pool {
    struct buffer_pool_block {
        void *p;
        size_t size;
    } all[8];
    size_t len;
};

/* An array of count items: the smallest spare block that is large enough, or new memory.
 * Not cleared; to be given back with buffer_pool_give(), or to free(). */
void *buffer_pool_take(struct buffer_pool *s, size_t count, size_t item_size);

/* Keep an array of that many items for buffer_pool_take(). NULL is fine. */
void buffer_pool_give(struct buffer_pool *s, void *p, size_t count, size_t item_size);

void buffer_pool_free(struct buffer_pool *s);

#endif

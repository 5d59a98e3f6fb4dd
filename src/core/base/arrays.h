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

/* Returns the words needed for numbers below count. */
static inline size_t bits_words(size_t count)
{
    return count / 64 + 1;
}

/* Returns an empty set of numbers below count; malloc'd. */
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

/* Adds n. False if it was already there, without a write, as most walks mostly meet numbers
 * that they have seen. */
static inline bool bits_add(uint64_t *bits, uint32_t n)
{
    uint64_t bit = UINT64_C(1) << (n % 64);
    if (bits[n / 64] & bit)
        return false;
    bits[n / 64] |= bit;
    return true;
}

/* --- search ----------------------------------------------------------------------- */

/* Binary search with a caller-supplied predicate, inlined so that it costs no more than a
 * hand-written loop. */

/* Returns the first i of begin .. end - 1 for which is_before(all, i, wanted) is false; end
 * if it is true for all. is_before must be monotonic: false for all i after the first
 * false. O(log(end - begin)) calls. */
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

/* Sort numbers in ascending order, along with their values. For millions of addresses,
 * hashes and positions, where qsort() would call a function for each of 22 comparisons.
 * Only digits in which the numbers differ are sorted by; ascending numbers are left as they
 * are. O(count) for all inputs. */

/* Sorts keys, and values along with them unless NULL. Stable. The spare arrays need the
 * same capacity; their content afterwards is undefined. */
void radix_sort(uint64_t *keys, uint32_t *values, size_t count, uint64_t *spare_keys,
                uint32_t *spare_values);

/* --- pair table ------------------------------------------------------------------- */

/* Numbers all pairs of two 32-bit numbers. Open addressing, for the inner loops over all
 * objects, where uthash would cost a cache miss and 56 bytes each. Keys must be our own
 * counters, never straight from a file. A {0} table is empty. */

#define NO_PAIR UINT32_MAX

struct pair_table {
    uint64_t *keys; /* 0: free; else the pair plus 1 */
    uint32_t *values;
    size_t len, cap; /* cap is a power of two, at most half used */
};

/* Returns the value of a pair; a new pair is stored with `value`. NO_PAIR only looks. */
uint32_t pair_table_put(struct pair_table *t, uint32_t a, uint32_t b, uint32_t value);
void pair_table_free(struct pair_table *t);

/* --- buffer pool ------------------------------------------------------------------ */

/* Reuses large arrays.
 *
 * The system clears every page that it hands out, which for a heap of ten million objects
 * costs the same as a walk through it. A computation of several steps, whose arrays all
 * have about one size, therefore passes on those that a step no longer needs. A {0} list is
 * empty. */

struct buffer_pool {
    struct buffer_pool_block {
        void *p;
        size_t size;
    } all[8];
    size_t len;
};

/* Returns an array of count items: the smallest spare block that is large enough, or new
 * memory. Not cleared. The caller passes it to buffer_pool_give() or free(). */
void *buffer_pool_take(struct buffer_pool *s, size_t count, size_t item_size);

/* Adds an array of count items to the pool. NULL is allowed. */
void buffer_pool_give(struct buffer_pool *s, void *p, size_t count, size_t item_size);

void buffer_pool_free(struct buffer_pool *s);

#endif

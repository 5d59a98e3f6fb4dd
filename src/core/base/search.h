/* search.h - where in a sorted array something is, or would be.
 *
 * One binary search for all orders: who calls says what stands before the place. Inlined
 * with that question, so that it costs what a loop written out would. */
#ifndef SEARCH_H
#define SEARCH_H

#include <stdbool.h>
#include <stddef.h>

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

#endif

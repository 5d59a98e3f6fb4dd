/* radix_sort.h - numbers in ascending order, with what belongs to them.
 *
 * For millions of addresses, hashes and positions, where qsort() would call a function for
 * each of 22 comparisons. It looks only at digits in which the numbers differ, and at none
 * if they ascend already. O(count), whatever they are. */
#ifndef RADIX_SORT_H
#define RADIX_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Sort keys; values, unless NULL, go with them. Those of equal keys stay in their order.
 * The spare arrays have room for as many; what is in them afterwards means nothing. */
void radix_sort(uint64_t *keys, uint32_t *values, size_t count, uint64_t *spare_keys,
                uint32_t *spare_values);

#endif

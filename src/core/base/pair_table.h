/* pair_table.h - a number for every pair of two 32-bit numbers.
 *
 * Open addressing, for the inner loops over all objects, where uthash would cost a
 * cache miss and 56 bytes each. Keys come from our own counters, never straight from a
 * file. A {0} table is empty. */
#ifndef PAIR_TABLE_H
#define PAIR_TABLE_H

#include <stddef.h>
#include <stdint.h>

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

#endif

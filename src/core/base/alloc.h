/* alloc.h - memory that is there, or the caller's handler decides (hd_set_out_of_memory).
 *
 * Sizes read from a file are checked against the file before they get here
 * (see cursor_count), so running out is the machine's problem, not the
 * input's, and no function between has to handle it.
 *
 * Libraries below fail in their own ways; each has one place that asks: jansson
 * base/json.c and format/table/type_tables.c, libarchive base/input.c, libyaml
 * budget/config.c, zstd base/packed.c and fleet/store/base.c. */
#ifndef ALLOC_H
#define ALLOC_H

#include <stddef.h>
#include <stdint.h>

/* Memory ran out: calls the handler. wanted is 0 if the size is not known. */
_Noreturn void out_of_memory(size_t wanted);

/* After a failure of another library whose cause is not clear: calls out_of_memory() if it
 * was that. malloc() reports it in errno, which must be 0 before the library is called. */
void alloc_blame(void);

/* Before calling a library that crashes or ends the process when memory runs out: checks
 * that size bytes can be allocated, and frees them for the library. */
void alloc_check(size_t size);

void *alloc_zeroed(size_t size);

/* Returns count unknown numbers: UINT32_MAX, as NO_NODE and similar. Capacity for at least
 * one. */
uint32_t *alloc_unknown(size_t count);

/* realloc(); new bytes are not cleared. */
void *alloc_resize(void *p, size_t size);

/* Makes room for one more item in a malloc'd array, doubling when full:
 *     t->all = grow(t->all, t->len, &t->cap, sizeof(*t->all)); */
void *grow(void *items, size_t len, size_t *cap, size_t item_size);

/* A pointer to a new last item, after grow(): *APPEND(t->all, t->len, t->cap) = item; */
#define APPEND(items, len, cap) \
    ((items) = grow((items), (len), &(cap), sizeof(*(items))), &(items)[(len)++])

/* Returns count * item_size; out of memory on overflow. */
size_t array_bytes(size_t count, size_t item_size);

#endif

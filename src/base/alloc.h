/* alloc.h - memory that is there, or the program ends.
 *
 * Sizes read from a file are checked against the file before they get here
 * (see cursor_count), so running out is the machine's problem, not the
 * input's, and no caller has to handle it. */
#ifndef ALLOC_H
#define ALLOC_H

#include <stddef.h>

void *alloc_zeroed(size_t size);

/* realloc; what is new is not cleared. */
void *alloc_resize(void *p, size_t size);

/* Make room for one more item in a malloc'd array, doubling when full:
 *     t->all = grow(t->all, t->len, &t->cap, sizeof(*t->all)); */
void *grow(void *items, size_t len, size_t *cap, size_t item_size);

/* count * item_size, ending the program on overflow. */
size_t array_bytes(size_t count, size_t item_size);

#endif

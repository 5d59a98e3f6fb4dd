/* allocate.h - allocate memory of the program, and end it with a line and status 2 if that
 * fails.
 *
 * Without memory popt ends the process with status 1, which means "over budget", or
 * crashes: check that there is some before it is called. */
#ifndef ALLOCATE_H
#define ALLOCATE_H

#include <stddef.h>

/* The handler for hd_set_out_of_memory(). wanted 0: size not known. */
_Noreturn void no_memory(size_t wanted);

/* realloc(), and calloc() if the bytes are counted. */
void *more(void *items, size_t size);
void *zeroed(size_t count, size_t size);

/* Checks that size bytes can be allocated, for a library that does not. */
void check_memory(size_t size);

#endif

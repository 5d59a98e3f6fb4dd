/* allocate.h - memory of the program's own, and the end when there is none: a line,
 * status 2.
 *
 * popt ends the process with status 1, which means "over budget", or crashes when memory
 * fails it: see that there is some before it is called. */
#ifndef ALLOCATE_H
#define ALLOCATE_H

#include <stddef.h>

/* What main() gives hd_set_out_of_memory(). wanted 0: nobody knows. */
_Noreturn void no_memory(size_t wanted);

/* realloc(), and calloc() where the bytes are counted. */
void *more(void *items, size_t size);
void *zeroed(size_t count, size_t size);

/* So many bytes are there, for a library that does not ask. */
void see_room(size_t size);

#endif

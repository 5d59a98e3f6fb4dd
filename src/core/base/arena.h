/* arena.h - memory that is freed all at once.
 *
 * A snapshot is built once, read many times and dropped whole, so its
 * strings and tables come from an arena: no frees on the error paths, and
 * nothing to leak. A {0} arena is empty and ready to use. */
#ifndef ARENA_H
#define ARENA_H

#include "base/account.h"
#include "base/alloc.h"

struct arena {
    struct arena_block *blocks; /* newest first */
    unsigned char *next, *end;  /* free space in the newest block */
    struct account *account;    /* charged for blocks; NULL: nobody counts */
    size_t size;                /* of all blocks */
};

/* Zeroed and aligned for any type. */
void *arena_alloc(struct arena *a, size_t size);

/* A copy of len bytes with a NUL behind it. */
char *arena_strdup(struct arena *a, const char *s, size_t len);
char *arena_printf(struct arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void arena_free(struct arena *a);

#define arena_array(a, type, count) \
    ((type *)arena_alloc((a), array_bytes((count), sizeof(type))))

#endif

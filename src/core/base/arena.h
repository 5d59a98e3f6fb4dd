/* arena.h - allocate memory that is freed in one call, and account for memory that a file
 * makes grow.
 *
 * A snapshot is built once, read many times and dropped whole, so its strings and tables
 * are in an arena: error paths need not free them, and cannot leak them. A {0} arena is
 * empty and ready to use. */
#ifndef ARENA_H
#define ARENA_H

#include "base/alloc.h"
#include "heapdrift.h"

#include <stddef.h>

/* --- account ---------------------------------------------------------------------- */

/* Memory built from a file, and its limit.
 *
 * A few kilobytes can unpack to gigabytes of records, each of which becomes a larger
 * struct. So memory whose size a file decides is charged to its reader's account, and the
 * caller that makes it grow checks the limit at places where it can stop and report the
 * failure. Allocation itself does not fail: between two checks an account can exceed its
 * limit by one block of the input, or one step of doubling.
 *
 * NULL: no accounting. Not thread-safe. */

struct account {
    uint64_t limit; /* bytes; 0: no limit */
    uint64_t used;
    uint64_t most; /* that was used at a time */
};

static inline void account_charge(struct account *a, uint64_t bytes)
{
    if (a == NULL)
        return;
    a->used += bytes;
    a->most = a->used > a->most ? a->used : a->most;
}

static inline void account_release(struct account *a, uint64_t bytes)
{
    if (a != NULL)
        a->used -= bytes < a->used ? bytes : a->used;
}

static inline bool account_is_over(const struct account *a)
{
    return a != NULL && a->limit > 0 && a->used > a->limit;
}

/* Reports that the limit is exceeded. Always false. */
bool account_fail(const struct account *a, struct hd_error *err);

/* grow() and free() that charge and release the size of the array. */
void *account_grow(struct account *a, void *items, size_t len, size_t *cap,
                   size_t item_size);
void account_free(struct account *a, void *items, size_t cap, size_t item_size);
#define ACCOUNT_APPEND(account, items, len, cap)                                  \
    ((items) = account_grow((account), (items), (len), &(cap), sizeof(*(items))), \
     &(items)[(len)++])

/* --- arena ------------------------------------------------------------------------ */

struct arena {
    struct arena_block *blocks; /* newest first */
    unsigned char *next, *end;  /* free space in the newest block */
    struct account *account;    /* charged for blocks; NULL: no accounting */
    size_t size;                /* of all blocks */
};

/* Returns bytes that are zeroed and aligned for any type. */
void *arena_alloc(struct arena *a, size_t size);

/* Returns a copy of len bytes, with a NUL appended. */
char *arena_strdup(struct arena *a, const char *s, size_t len);
char *arena_printf(struct arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void arena_free(struct arena *a);

#define arena_array(a, type, count) \
    ((type *)arena_alloc((a), array_bytes((count), sizeof(type))))

#endif

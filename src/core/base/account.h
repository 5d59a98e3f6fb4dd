/* account.h - what is built from a file, against what it may take.
 *
 * A few kilobytes can unpack to gigabytes of records, each of which becomes a larger
 * struct. So whatever grows with what a file says is charged to its reader's account, and
 * who makes it grow looks whether that is over, at places where it can stop and say so.
 * Allocation itself goes on: until somebody looks, an account is over by what one block of
 * the input, or one step of doubling, makes.
 *
 * NULL is an account that nobody keeps. One thread at a time may use it. */
#ifndef ACCOUNT_H
#define ACCOUNT_H

#include "heapdrift.h"

#include <stddef.h>

struct account {
    uint64_t limit; /* bytes; 0: none */
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

/* Say that it is over. Always false. */
bool account_fail(const struct account *a, struct hd_error *err);

/* grow(), charged; and free(), with what it was charged. */
void *account_grow(struct account *a, void *items, size_t len, size_t *cap,
                   size_t item_size);
void account_free(struct account *a, void *items, size_t cap, size_t item_size);

#endif

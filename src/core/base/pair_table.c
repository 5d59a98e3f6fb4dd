#include "base/pair_table.h"

#include "base/alloc.h"

#include <stdlib.h>

static size_t slot_of(const struct pair_table *t, uint64_t key)
{
    /* Fibonacci hashing: only the highest bits depend on both numbers. */
    unsigned bits = (unsigned)__builtin_ctzll((unsigned long long)t->cap);
    size_t i = (size_t)((key * 0x9E3779B97F4A7C15U) >> (64 - bits));
    while (t->keys[i] != 0 && t->keys[i] != key)
        i = (i + 1) & (t->cap - 1);
    return i;
}

static void enlarge(struct pair_table *t)
{
    enum { FIRST_SLOTS = 1024 };
    struct pair_table old = *t;
    t->cap = old.cap > 0 ? old.cap * 2 : FIRST_SLOTS;
    t->keys = alloc_zeroed(array_bytes(t->cap, sizeof(*t->keys)));
    t->values = alloc_zeroed(array_bytes(t->cap, sizeof(*t->values)));
    for (size_t i = 0; i < old.cap; i++) {
        if (old.keys[i] == 0)
            continue;
        size_t to = slot_of(t, old.keys[i]);
        t->keys[to] = old.keys[i];
        t->values[to] = old.values[i];
    }
    free(old.keys);
    free(old.values);
}

uint32_t pair_table_put(struct pair_table *t, uint32_t a, uint32_t b, uint32_t value)
{
    if (2 * (t->len + 1) > t->cap)
        enlarge(t);
    uint64_t key = ((uint64_t)a << 32 | b) + 1;
    size_t i = slot_of(t, key);
    if (t->keys[i] != 0)
        return t->values[i];
    if (value != NO_PAIR) {
        t->keys[i] = key;
        t->values[i] = value;
        t->len++;
    }
    return value;
}

void pair_table_free(struct pair_table *t)
{
    free(t->keys);
    free(t->values);
    *t = (struct pair_table){0};
}

#include "base/arrays.h"

#include "base/alloc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* --- radix sort ------------------------------------------------------------------- */

/* A digit has up to 2048 values, whose counters fit the first level of the cache. For few
 * numbers, clearing and summing up that many counters costs more than a smaller digit. */
enum { DIGIT_BITS = 9, SMALL_DIGIT_BITS = 8, SMALL_COUNT = 4096, INSERTED = 24 };

/* Moves all keys and values to the places of their digits. */
static void distribute(const uint64_t *keys, const uint32_t *values, size_t count,
                       unsigned shift, unsigned bits, uint64_t *to_keys,
                       uint32_t *to_values)
{
    size_t at[1 << DIGIT_BITS], sum = 0, digits = (size_t)1 << bits;
    memset(at, 0, digits * sizeof(*at));
    for (size_t i = 0; i < count; i++)
        at[keys[i] >> shift & (digits - 1)]++;
    for (size_t d = 0; d < digits; d++) {
        size_t of_digit = at[d];
        at[d] = sum;
        sum += of_digit;
    }
    for (size_t i = 0; i < count; i++) {
        size_t to = at[keys[i] >> shift & (digits - 1)]++;
        to_keys[to] = keys[i];
        if (values != NULL)
            to_values[to] = values[i];
    }
}

static void sort_by_insertion(uint64_t *keys, uint32_t *values, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint64_t key = keys[i];
        uint32_t value = values != NULL ? values[i] : 0;
        size_t to = i;
        for (; to > 0 && keys[to - 1] > key; to--) {
            keys[to] = keys[to - 1];
            if (values != NULL)
                values[to] = values[to - 1];
        }
        keys[to] = key;
        if (values != NULL)
            values[to] = value;
    }
}

void radix_sort(uint64_t *keys, uint32_t *values, size_t count, uint64_t *spare_keys,
                uint32_t *spare_values)
{
    uint64_t differ = 0, *k = keys, *k2 = spare_keys;
    uint32_t *v = values, *v2 = spare_values;
    bool ascend = true;
    if (count <= INSERTED) {
        sort_by_insertion(keys, values, count);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        differ |= keys[i] ^ keys[0];
        ascend &= keys[i - 1] <= keys[i];
    }
    if (ascend)
        return;
    unsigned bits = count < SMALL_COUNT ? SMALL_DIGIT_BITS : DIGIT_BITS;
    for (unsigned shift = 0; shift < 64 && differ >> shift != 0; shift += bits) {
        shift += (unsigned)__builtin_ctzll((unsigned long long)(differ >> shift));
        distribute(k, v, count, shift, bits, k2, v2);
        uint64_t *keys_there = k;
        uint32_t *values_there = v;
        k = k2, v = v2;
        k2 = keys_there, v2 = values_there;
    }
    if (k == keys)
        return;
    memcpy(keys, k, count * sizeof(*keys));
    if (values != NULL)
        memcpy(values, v, count * sizeof(*values));
}

/* --- order ------------------------------------------------------------------------ */

int by_first_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* --- pair table ------------------------------------------------------------------- */

static size_t pair_table_slot(const struct pair_table *t, uint64_t key)
{
    /* Fibonacci hashing: only the highest bits depend on both numbers. */
    unsigned bits = (unsigned)__builtin_ctzll((unsigned long long)t->cap);
    size_t i = (size_t)((key * 0x9E3779B97F4A7C15U) >> (64 - bits));
    while (t->keys[i] != 0 && t->keys[i] != key)
        i = (i + 1) & (t->cap - 1);
    return i;
}

static void pair_table_enlarge(struct pair_table *t)
{
    enum { FIRST_SLOTS = 1024 };
    struct pair_table old = *t;
    t->cap = old.cap > 0 ? old.cap * 2 : FIRST_SLOTS;
    t->keys = alloc_zeroed(array_bytes(t->cap, sizeof(*t->keys)));
    t->values = alloc_zeroed(array_bytes(t->cap, sizeof(*t->values)));
    for (size_t i = 0; i < old.cap; i++) {
        if (old.keys[i] == 0)
            continue;
        size_t to = pair_table_slot(t, old.keys[i]);
        t->keys[to] = old.keys[i];
        t->values[to] = old.values[i];
    }
    free(old.keys);
    free(old.values);
}

uint32_t pair_table_put(struct pair_table *t, uint32_t a, uint32_t b, uint32_t value)
{
    if (2 * (t->len + 1) > t->cap)
        pair_table_enlarge(t);
    uint64_t key = ((uint64_t)a << 32 | b) + 1;
    size_t i = pair_table_slot(t, key);
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

/* --- buffer pool ------------------------------------------------------------------ */

void *buffer_pool_take(struct buffer_pool *s, size_t count, size_t item_size)
{
    size_t size = array_bytes(count, item_size), best = s->len;
    for (size_t i = 0; i < s->len; i++)
        if (s->all[i].size >= size &&
            (best == s->len || s->all[i].size < s->all[best].size))
            best = i;
    if (best == s->len)
        return alloc_resize(NULL, size);
    void *p = s->all[best].p;
    s->all[best] = s->all[--s->len];
    return p;
}

void buffer_pool_give(struct buffer_pool *s, void *p, size_t count, size_t item_size)
{
    if (s->len == sizeof(s->all) / sizeof(s->all[0]))
        free(p);
    else if (p != NULL)
        s->all[s->len++] = (struct buffer_pool_block){p, array_bytes(count, item_size)};
}

void buffer_pool_free(struct buffer_pool *s)
{
    for (size_t i = 0; i < s->len; i++)
        free(s->all[i].p);
    *s = (struct buffer_pool){0};
}

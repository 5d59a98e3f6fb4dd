#include "base/radix_sort.h"

#include <stdbool.h>
#include <string.h>

/* A digit has up to 2048 values, whose counters stay in the first level of the cache. Few
 * numbers are not worth clearing and adding up so many. */
enum { DIGIT_BITS = 9, SMALL_DIGIT_BITS = 8, SMALL_COUNT = 4096, INSERTED = 24 };

static void insert(uint64_t *keys, uint32_t *values, size_t count)
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

/* Move everything to where its digit belongs. */
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

void radix_sort(uint64_t *keys, uint32_t *values, size_t count, uint64_t *spare_keys,
                uint32_t *spare_values)
{
    uint64_t differ = 0, *k = keys, *k2 = spare_keys;
    uint32_t *v = values, *v2 = spare_values;
    bool ascend = true;
    if (count <= INSERTED) {
        insert(keys, values, count);
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

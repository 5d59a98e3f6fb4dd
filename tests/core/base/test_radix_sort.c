#include "base/alloc.h"
#include "base/arrays.h"

#include "support/random.h"

#include <criterion/criterion.h>
#include <stdlib.h>

struct keyed {
    uint64_t key;
    uint32_t value;
};

static int by_key_and_value(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

/* Values count up, to show that equal keys keep their order. */
static void expect_sorted(const uint64_t *keys, size_t count)
{
    struct keyed *wanted = alloc_zeroed(array_bytes(count + 1, sizeof(*wanted)));
    uint64_t *with = alloc_zeroed(array_bytes(count + 1, 8)),
             *alone = alloc_zeroed(8 * (count + 1));
    uint64_t *buffers = alloc_zeroed(array_bytes(count + 1, 8));
    uint32_t *values = alloc_zeroed(array_bytes(count + 1, 4)),
             *spare_values = alloc_zeroed(4 * (count + 1));
    for (size_t i = 0; i < count; i++) {
        wanted[i] = (struct keyed){keys[i], (uint32_t)i};
        with[i] = alone[i] = keys[i];
        values[i] = (uint32_t)i;
    }
    qsort(wanted, count, sizeof(*wanted), by_key_and_value);
    radix_sort(with, values, count, buffers, spare_values);
    radix_sort(alone, NULL, count, buffers, NULL);
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(with[i], wanted[i].key, "%zu of %zu", i, count);
        cr_assert_eq(values[i], wanted[i].value, "%zu of %zu", i, count);
        cr_assert_eq(alone[i], wanted[i].key, "%zu of %zu", i, count);
    }
    free(wanted);
    free(with);
    free(alone);
    free(buffers);
    free(values);
    free(spare_values);
}

Test(radix_sort, sorts_as_qsort_and_keeps_the_order_of_equals)
{
    const uint64_t masks[] = {
        UINT64_MAX,           0, 7, 0xFF00FF00, UINT64_C(0xF) << 60, 0x3FFFFFF8,
        UINT64_C(1) << 63 | 1};
    const size_t counts[] = {0, 1, 2, 24, 25, 300, 5000};
    struct random r = random_from(1);
    uint64_t keys[5000];
    for (size_t m = 0; m < sizeof(masks) / sizeof(masks[0]); m++)
        for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
            for (size_t i = 0; i < counts[c]; i++)
                keys[i] = (random_u64(&r) & masks[m]) + UINT64_C(0x7f0000000000);
            expect_sorted(keys, counts[c]);
        }
}

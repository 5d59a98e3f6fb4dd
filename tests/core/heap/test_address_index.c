#include "heap/address_index.h"

#include "support/random.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 1 << 16 };

static void shuffle(struct random *r, uint64_t *all, uint32_t len)
{
    for (uint32_t i = len; i > 1; i--) {
        uint32_t k = random_below(r, i);
        uint64_t swapped = all[k];
        all[k] = all[i - 1];
        all[i - 1] = swapped;
    }
}

/* sorted: ascending, without duplicates. */
static void expect_positions(const struct address_index *x, const uint64_t *sorted,
                             uint32_t len)
{
    for (uint32_t i = 0; i < len; i++) {
        cr_assert_eq(address_index_find(x, sorted[i]), i, "position of number %u", i);
        cr_assert_eq(address_index_find(x, sorted[i] + 1), UINT32_MAX);
        if (i + 1 < len && sorted[i + 1] > sorted[i] + 8)
            cr_assert_eq(address_index_find(x, sorted[i] + 8), UINT32_MAX);
    }
    cr_expect_eq(address_index_find(x, sorted[0] - 8), UINT32_MAX);
    cr_expect_eq(address_index_find(x, sorted[len - 1] + 8), UINT32_MAX);
    cr_expect_eq(address_index_find(x, 0), UINT32_MAX);
    cr_expect_eq(address_index_find(x, UINT64_MAX), UINT32_MAX);
}

/* Both constructors, with addresses in any order. */
static void expect_index(const uint64_t *sorted, uint32_t len, bool sane)
{
    struct random r = random_from(len);
    struct address_index x;
    uint64_t *address = alloc_resize(NULL, array_bytes(len, sizeof(*address)));
    memcpy(address, sorted, len * sizeof(*address));
    shuffle(&r, address, len);
    cr_assert_eq(address_index_make(&x, address, len), sane);
    if (sane)
        expect_positions(&x, sorted, len);
    address_index_free(&x);
    address_index_make_any(&x, address, len);
    cr_expect_eq(x.words != NULL, sane);
    expect_positions(&x, sorted, len);
    address_index_free(&x);
}

static void expect_steps(uint64_t first, uint64_t step, uint64_t gap, bool sane)
{
    struct random r = random_from(step);
    uint64_t *sorted = alloc_resize(NULL, array_bytes(MANY, sizeof(*sorted)));
    for (uint32_t i = 0; i < MANY; i++) {
        sorted[i] = first;
        first += step * (1 + random_below(&r, 3)) + (i == MANY / 2 ? gap : 0);
    }
    expect_index(sorted, MANY, sane);
    free(sorted);
}

Test(address_index, counts_the_objects_before)
{
    expect_steps(0x7f0000000000, 24, 0, true);
    expect_steps(0x7f0000000000, 8, 0, true);
    expect_steps(0x7f00003ffff8, 56, 1 << 30, true);
    expect_steps(0xFFFFFF0000000000, 32, 0, true);
}

Test(address_index, for_32_bits_has_entries_of_four_bytes)
{
    expect_steps(0x10004, 12, 0, true);
    expect_steps(0x80000004, 20, 1 << 28, true);
}

Test(address_index, for_unusual_addresses_is_sorted)
{
    expect_steps(0x7f0000000001, 24, 0, false);
    expect_steps(0x7f0000000000, 24, UINT64_C(1) << 41, false);
    expect_steps(0x1000, 1 << 20, 0, false);
    expect_index((const uint64_t[]){8, 16}, 2, false);
    expect_index((const uint64_t[]){UINT64_MAX - 23}, 1, false);
}

Test(address_index, for_a_hundred_thousand_regions_needs_no_more_memory_than_objects)
{
    enum { REGIONS = 100000, EACH = 64 };
    uint32_t len = REGIONS * EACH;
    uint64_t *sorted = alloc_resize(NULL, array_bytes(len, sizeof(*sorted)));
    for (uint32_t i = 0; i < len; i++)
        sorted[i] = 0x7000000000 + ((uint64_t)(i / EACH) << REGION_BITS) + i % EACH * 4096;
    struct address_index x;
    cr_expect_not(address_index_make(&x, sorted, len), "nearly empty");
    address_index_free(&x);
    cr_expect_not(address_index_make(&x, sorted, MANY / 2));
    address_index_free(&x);
    free(sorted);
}

Test(address_index, finds_the_first_of_equal_addresses)
{
    uint64_t twice[] = {0x20, 0x10, 0x20, 0x30};
    struct address_index x;
    cr_expect_not(address_index_make(&x, twice, 4));
    uint64_t *address = alloc_resize(NULL, sizeof(twice));
    address_index_make_any(&x, memcpy(address, twice, sizeof(twice)), 4);
    cr_expect_eq(address_index_find(&x, 0x10), 0);
    cr_expect_eq(address_index_find(&x, 0x20), 1);
    cr_expect_eq(address_index_find(&x, 0x30), 3);
    address_index_free(&x);
}

Test(address_index, without_addresses_is_empty)
{
    struct address_index x;
    address_index_make_any(&x, alloc_zeroed(0), 0);
    cr_expect_eq(address_index_find(&x, 8), UINT32_MAX);
    address_index_free(&x);
}

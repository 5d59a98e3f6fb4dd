#include "clr/process/memory.h"

#include <criterion/criterion.h>

static const unsigned char bytes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

Test(memory, is_empty_without_pieces)
{
    bool ok = true;
    struct memory m = {0};
    cr_expect_eq(memory_from(&m, 0).size, 0);
    cr_expect_eq(memory_at(&m, 1, 1), NULL);
    cr_expect_eq(memory_u64(&m, UINT64_MAX, &ok), 0);
    cr_expect_not(ok);
}

Test(memory, joins_pieces_that_follow_on)
{
    struct arena a = {0};
    struct memory_piece pieces[] = {{0x1008, 8, bytes + 8}, {0x1000, 8, bytes}};
    struct memory m = memory_of(pieces, 2, &a);
    cr_expect_eq(m.len, 1);
    cr_expect_eq(memory_at(&m, 0x1000, 16), bytes);
    cr_expect_eq(memory_at(&m, 0x1000, 17), NULL);
    cr_expect_eq(memory_from(&m, 0x100f).size, 1);
    cr_expect_eq(memory_from(&m, 0x1010).size, 0);
    cr_expect_eq(memory_from(&m, 0xfff).size, 0);
    arena_free(&a);
}

Test(memory, reads_across_pieces_that_are_separate_in_the_file)
{
    struct arena a = {0};
    struct memory_piece pieces[] = {{0x1000, 4, bytes + 8}, {0x1004, 4, bytes}};
    struct memory m = memory_of(pieces, 2, &a);
    unsigned char copy[8];
    bool ok = true;
    cr_expect_eq(m.len, 2);
    cr_expect_eq(memory_at(&m, 0x1002, 4), NULL);
    cr_expect_eq(memory_u32(&m, 0x1002, &ok), 0x01000b0a);
    cr_expect_eq(memory_u16(&m, 0x1003, &ok), 0x000b);
    cr_expect_eq(memory_u8(&m, 0x1000, &ok), 8);
    cr_expect(ok);
    cr_expect(memory_copy(&m, 0x1000, copy, 8));
    cr_expect_not(memory_copy(&m, 0x1001, copy, 8));
    cr_expect_eq(memory_u64(&m, 0x1001, &ok), 0);
    cr_expect_not(ok);
    arena_free(&a);
}

/* The definition: an address belongs to the first piece that contains it. */
static const unsigned char *slowly(const struct memory_piece *all, size_t count,
                                   uint64_t address)
{
    for (size_t i = 0; i < count; i++)
        if (address >= all[i].address && address - all[i].address < all[i].size)
            return all[i].bytes + (address - all[i].address);
    return NULL;
}

Test(memory, lets_the_first_of_overlapping_pieces_win)
{
    uint32_t seed = 7;
    for (int round = 0; round < 500; round++) {
        struct arena a = {0};
        struct memory_piece pieces[12];
        size_t count = (size_t)round % 12 + 1;
        for (size_t i = 0; i < count; i++) {
            seed = seed * 1664525 + 1013904223;
            pieces[i] = (struct memory_piece){seed >> 8 & 31, seed >> 16 & 15,
                                              bytes + (seed >> 24 & 1)};
        }
        struct memory m = memory_of(pieces, count, &a);
        for (uint64_t at = 0; at < 64; at++)
            cr_assert_eq(memory_at(&m, at, 1), slowly(pieces, count, at));
        arena_free(&a);
    }
}

Test(memory, ends_where_addresses_end)
{
    struct arena a = {0};
    struct memory_piece pieces[] = {{UINT64_MAX - 3, 16, bytes}};
    struct memory m = memory_of(pieces, 1, &a);
    bool ok = true;
    cr_expect_eq(memory_from(&m, UINT64_MAX - 3).size, 3);
    cr_expect_eq(memory_u64(&m, UINT64_MAX - 2, &ok), 0);
    cr_expect_not(ok);
    arena_free(&a);
}

#include "base/arena.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdalign.h>
#include <stdint.h>
#include <string.h>

Test(arena, memory_is_zeroed_and_aligned_for_any_type)
{
    struct arena a = {0};
    for (size_t size = 0; size < 300; size++) {
        unsigned char *p = arena_alloc(&a, size);
        cr_assert_eq((uintptr_t)p % alignof(max_align_t), 0, "%zu bytes", size);
        for (size_t i = 0; i < size; i++)
            cr_assert_eq(p[i], 0);
        memset(p, 0xFF, size);
    }
    arena_free(&a);
}

/* Blocks are 64 KiB; a piece larger than a quarter has its own block. */
Test(arena, pieces_do_not_overlap)
{
    static const size_t sizes[] = {1, 8, 24, 1000, 16384, 16385, 65536, 1000000, 3};
    enum { SIZES = sizeof(sizes) / sizeof(sizes[0]), ROUNDS = 20 };
    struct arena a = {0};
    unsigned char *all[SIZES * ROUNDS];
    for (size_t i = 0; i < SIZES * ROUNDS; i++) {
        all[i] = arena_alloc(&a, sizes[i % SIZES]);
        memset(all[i], (int)(i % 251), sizes[i % SIZES]);
    }
    for (size_t i = 0; i < SIZES * ROUNDS; i++)
        for (size_t k = 0; k < sizes[i % SIZES]; k += 1 + k / 2)
            cr_assert_eq(all[i][k], i % 251, "piece %zu", i);
    arena_free(&a);
}

Test(arena, a_large_array_leaves_the_rest_of_the_block_in_use)
{
    struct arena a = {0};
    arena_alloc(&a, 16);
    const unsigned char *next = a.next;
    cr_expect_not_null(arena_alloc(&a, 1 << 20));
    cr_expect_eq(a.next, next);
    cr_expect_eq((const unsigned char *)arena_alloc(&a, 16), next);
    arena_free(&a);
}

Test(arena, copies_strings_and_appends_a_nul)
{
    struct arena a = {0};
    char *copy = arena_strdup(&a, "gen0, gen1", 4);
    cr_expect_str_eq(copy, "gen0");
    cr_expect_str_eq(arena_strdup(&a, "", 0), "");
    cr_expect_str_eq(arena_strdup(&a, NULL, 0), "");
    cr_expect_eq(memcmp(arena_strdup(&a, "a\0b", 3), "a\0b", 4), 0);
    arena_free(&a);
}

Test(arena, prints_strings_of_any_length)
{
    struct arena a = {0};
    cr_expect_str_eq(arena_printf(&a, "%s has %d", "Order", 3), "Order has 3");
    cr_expect_str_eq(arena_printf(&a, "%s", ""), "");
    const char *wide = arena_printf(&a, "%100000d", 7);
    cr_expect_eq(strlen(wide), 100000);
    cr_expect_eq(wide[99999], '7');
    arena_free(&a);
}

Test(arena, is_empty_and_usable_again_after_it_was_freed)
{
    struct arena a = {0};
    arena_free(&a);
    arena_alloc(&a, 100);
    arena_free(&a);
    cr_expect_null(a.blocks);
    uint64_t *again = arena_array(&a, uint64_t, 4);
    cr_expect_eq(again[3], 0);
    arena_free(&a);
}

/* No handler is set, so the failure ends the process. */
Test(arena, an_array_larger_than_memory_is_out_of_memory, .signal = SIGABRT)
{
    struct arena a = {0};
    arena_array(&a, uint64_t, SIZE_MAX / 4);
}

Test(arena, a_piece_larger_than_memory_is_out_of_memory, .signal = SIGABRT)
{
    struct arena a = {0};
    arena_alloc(&a, SIZE_MAX - 3);
}

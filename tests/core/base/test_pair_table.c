#include "base/arrays.h"

#include "support/random.h"

#include <criterion/criterion.h>
#include <stdlib.h>

Test(pair_table, an_empty_table_has_no_pair)
{
    struct pair_table t = {0};
    cr_expect_eq(pair_table_put(&t, 0, 0, NO_PAIR), NO_PAIR);
    cr_expect_eq(pair_table_put(&t, 0, 0, NO_PAIR), NO_PAIR, "looking stores nothing");
    cr_expect_eq(t.len, 0);
    pair_table_free(&t);
    cr_expect_eq(t.cap, 0);
    pair_table_free(&t);
}

Test(pair_table, the_first_value_of_a_pair_stays)
{
    struct pair_table t = {0};
    cr_expect_eq(pair_table_put(&t, 3, 4, 10), 10);
    cr_expect_eq(pair_table_put(&t, 3, 4, 11), 10);
    cr_expect_eq(pair_table_put(&t, 3, 4, NO_PAIR), 10);
    cr_expect_eq(t.len, 1);
    pair_table_free(&t);
}

Test(pair_table, the_order_inside_a_pair_counts)
{
    struct pair_table t = {0};
    pair_table_put(&t, 1, 2, 12);
    cr_expect_eq(pair_table_put(&t, 2, 1, NO_PAIR), NO_PAIR);
    pair_table_put(&t, 2, 1, 21);
    cr_expect_eq(pair_table_put(&t, 1, 2, NO_PAIR), 12);
    cr_expect_eq(pair_table_put(&t, 2, 1, NO_PAIR), 21);
    pair_table_free(&t);
}

/* A free slot has key 0, so the pair of zeros must not be stored as that; chains begin with
 * the pair of 0 and the largest number (the unreachable part). */
Test(pair_table, the_smallest_and_large_numbers_are_pairs_like_others)
{
    static const uint32_t edges[][2] = {{0, 0},          {0, UINT32_MAX},
                                        {1, 0},          {UINT32_MAX, 0},
                                        {0, 1},          {UINT32_MAX - 1, UINT32_MAX},
                                        {1, UINT32_MAX}, {UINT32_MAX, UINT32_MAX - 1}};
    enum { EDGES = sizeof(edges) / sizeof(*edges) };
    struct pair_table t = {0};
    for (uint32_t i = 0; i < EDGES; i++)
        cr_expect_eq(pair_table_put(&t, edges[i][0], edges[i][1], i), i, "%u", i);
    for (uint32_t i = 0; i < EDGES; i++)
        cr_expect_eq(pair_table_put(&t, edges[i][0], edges[i][1], NO_PAIR), i, "%u", i);
    cr_expect_eq(t.len, EDGES);
    pair_table_free(&t);
}

Test(pair_table, zero_is_a_value)
{
    struct pair_table t = {0};
    pair_table_put(&t, 7, 7, 0);
    cr_expect_eq(pair_table_put(&t, 7, 7, 5), 0);
    pair_table_free(&t);
}

static void expect_half_free(const struct pair_table *t)
{
    cr_assert_eq(t->cap & (t->cap - 1), 0, "a power of two");
    cr_assert_leq(2 * t->len, t->cap);
}

Test(pair_table, it_keeps_all_pairs_while_it_grows)
{
    enum { SIDE = 400 };
    struct pair_table t = {0};
    for (uint32_t a = 0; a < SIDE; a++) {
        for (uint32_t b = 0; b < SIDE; b++)
            cr_assert_eq(pair_table_put(&t, a, b, a * SIDE + b), a * SIDE + b);
        expect_half_free(&t);
    }
    cr_expect_eq(t.len, SIDE * SIDE);
    for (uint32_t a = 0; a < SIDE; a++)
        for (uint32_t b = 0; b < SIDE; b++)
            cr_assert_eq(pair_table_put(&t, a, b, NO_PAIR), a * SIDE + b);
    cr_expect_eq(pair_table_put(&t, SIDE, 0, NO_PAIR), NO_PAIR);
    cr_expect_eq(pair_table_put(&t, 0, SIDE, NO_PAIR), NO_PAIR);
    pair_table_free(&t);
}

/* The definition: a linear search through all earlier pairs. */
Test(pair_table, agrees_with_a_list_of_random_pairs)
{
    enum { ROUNDS = 2000, RANGE = 60 };
    struct random r = random_from(8);
    uint32_t *wanted = malloc(sizeof(*wanted) * RANGE * RANGE);
    for (uint32_t i = 0; i < RANGE * RANGE; i++)
        wanted[i] = NO_PAIR;
    struct pair_table t = {0};
    for (uint32_t i = 0; i < 5 * ROUNDS; i++) {
        uint32_t a = random_below(&r, RANGE), b = random_below(&r, RANGE);
        uint32_t value = random_below(&r, 3) == 0 ? NO_PAIR : i;
        uint32_t *w = &wanted[a * RANGE + b];
        *w = *w != NO_PAIR ? *w : value;
        /* Numbers far apart, as the counters of large heaps. */
        cr_assert_eq(pair_table_put(&t, a << 25, b * 0x01000193U, value), *w);
    }
    pair_table_free(&t);
    free(wanted);
}

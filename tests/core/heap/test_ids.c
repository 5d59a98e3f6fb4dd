#include "heap/ids.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { MANY = 20000 };

/* xorshift64: the same ids in every run. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void expect_positions(unsigned shift, const uint64_t *ids, uint32_t count)
{
    struct ids s;
    ids_init(&s, shift);
    for (uint32_t i = 0; i < count; i++)
        cr_assert(ids_add(&s, ids[i]), "id %u is new", i);
    cr_assert_eq(s.len, count);
    for (uint32_t i = 0; i < count; i++)
        cr_assert_not(ids_add(&s, ids[i]), "id %u is there", i);
    cr_assert_eq(s.len, count);
    ids_freeze(&s);
    for (uint32_t i = 0; i < count; i++)
        cr_assert_eq(ids_find(&s, ids[i]), i, "position of id %u", i);
    ids_free(&s);
}

Test(id_numbers, count_from_zero_in_order_of_first_use)
{
    struct id_numbers n = {0};
    cr_expect_eq(id_numbers_find(&n, 7), NO_ID);
    cr_expect_eq(id_numbers_add(&n, 7), 0);
    cr_expect_eq(id_numbers_add(&n, UINT64_MAX), 1);
    cr_expect_eq(id_numbers_add(&n, 0), 2);
    cr_expect_eq(id_numbers_add(&n, UINT64_MAX), 1);
    cr_expect_eq(id_numbers_find(&n, 0), 2);
    cr_expect_eq(id_numbers_find(&n, 8), NO_ID);
    cr_expect_eq(n.len, 3);
    id_numbers_free(&n);
}

Test(id_numbers, stay_the_same_while_the_table_grows)
{
    struct id_numbers n = {0};
    for (uint32_t i = 0; i < MANY; i++)
        cr_assert_eq(id_numbers_add(&n, (uint64_t)i << 40), i);
    for (uint32_t i = 0; i < MANY; i++)
        cr_assert_eq(id_numbers_find(&n, (uint64_t)i << 40), i);
    cr_expect_eq(id_numbers_find(&n, 1), NO_ID);
    id_numbers_free(&n);
}

Test(ids, finds_nothing_in_an_empty_set)
{
    struct ids s;
    ids_init(&s, 0);
    ids_freeze(&s);
    cr_expect_eq(ids_find(&s, 0), NO_ID);
    cr_expect_eq(ids_find(&s, UINT64_MAX), NO_ID);
    ids_free(&s);
}

Test(ids, takes_the_smallest_and_the_largest_id)
{
    static const uint64_t ids[] = {UINT64_MAX, 0, 1, UINT64_MAX - 1, 1ULL << 63};
    expect_positions(0, ids, sizeof(ids) / sizeof(ids[0]));
    expect_positions(3, ids, sizeof(ids) / sizeof(ids[0]));
    expect_positions(63, ids, sizeof(ids) / sizeof(ids[0]));
}

Test(ids, finds_every_bit_of_a_full_block)
{
    uint64_t ids[1536];
    for (uint32_t i = 0; i < 1536; i++)
        ids[i] = 1000 + i;
    expect_positions(0, ids, 1536);
}

Test(ids, keeps_the_order_of_adding_when_ids_descend)
{
    uint64_t *ids = calloc(MANY, sizeof(*ids));
    for (uint32_t i = 0; i < MANY; i++)
        ids[i] = 3ULL * (MANY - i);
    expect_positions(0, ids, MANY);
    free(ids);
}

Test(ids, keeps_the_order_of_adding_when_it_stops_ascending_halfway)
{
    uint64_t *ids = calloc(MANY, sizeof(*ids));
    for (uint32_t i = 0; i < MANY; i++)
        ids[i] = i < MANY / 2 ? 100000 + 5ULL * i : 4ULL * (MANY - i);
    expect_positions(0, ids, MANY);
    free(ids);
}

Test(ids, agrees_with_the_list_for_random_ids)
{
    uint64_t state = 42, *ids = calloc(MANY, sizeof(*ids));
    for (uint32_t i = 0; i < MANY; i++)
        ids[i] = next_random(&state);
    expect_positions(0, ids, MANY);
    for (uint32_t i = 0; i < MANY; i++)
        ids[i] &= ~7ULL;
    expect_positions(3, ids, MANY);
    free(ids);
}

Test(ids, does_not_find_neighbors_of_ids)
{
    struct ids s;
    ids_init(&s, 3);
    for (uint64_t i = 0; i < 1000; i++)
        cr_assert(ids_add(&s, 0x7f0000000000 + i * 24));
    ids_freeze(&s);
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t id = 0x7f0000000000 + i * 24;
        cr_assert_eq(ids_find(&s, id), i);
        cr_assert_eq(ids_find(&s, id + 8), NO_ID);
        cr_assert_eq(ids_find(&s, id + 1), NO_ID, "not a multiple of 8");
        cr_assert_eq(ids_find(&s, id + (1ULL << 60)), NO_ID);
    }
    ids_free(&s);
}

Test(ids, needs_two_bytes_for_an_id_where_every_tenth_is_used)
{
    struct ids s;
    ids_init(&s, 0);
    for (uint64_t i = 0; i < 100 * MANY; i++)
        ids_add(&s, i * 10);
    cr_expect_null(s.places, "ascending ids need no list");
    cr_expect_leq(s.keys.len, 100 * MANY * 10 / 512 + 1);
    ids_freeze(&s);
    cr_expect_null(s.position);
    ids_free(&s);
}

/* Pages of a heap, one far below and one far above. */
Test(ids, finds_dense_ids_by_directory_and_others_by_search)
{
    enum { IDS = 200000, STEP = 96 };
    const uint64_t heap = 0x7f0000000000, far[] = {0x10000, heap + (1ULL << 45)};
    struct account account = {0};
    struct ids s;
    ids_init(&s, 3);
    ids_charge_to(&s, &account);
    for (uint64_t i = 0; i < IDS; i++)
        cr_assert(ids_add(&s, heap + i * STEP));
    for (uint32_t i = 0; i < 2; i++)
        cr_assert(ids_add(&s, far[i]));
    ids_freeze(&s);
    cr_expect_not_null(s.directory);
    for (uint64_t i = 0; i < IDS; i++) {
        cr_assert_eq(ids_find(&s, heap + i * STEP), i);
        cr_assert_eq(ids_find(&s, heap + i * STEP + 8), NO_ID);
    }
    for (uint32_t i = 0; i < 2; i++) {
        cr_expect_eq(ids_find(&s, far[i]), IDS + i);
        cr_expect_eq(ids_find(&s, far[i] + 4096), NO_ID);
    }
    cr_expect_eq(ids_find(&s, heap - 4096), NO_ID, "a page without an id");
    cr_expect_eq(ids_find(&s, heap + 1 + IDS * (uint64_t)STEP), NO_ID);
    ids_free(&s);
    cr_expect_eq(account.used, 0);
}

Test(ids, have_no_directory_if_they_are_sparse)
{
    enum { IDS = 10000 };
    struct ids s;
    ids_init(&s, 3);
    for (uint64_t i = 0; i < IDS; i++)
        cr_assert(ids_add(&s, 0x7f0000000000 + (i << 22)));
    ids_freeze(&s);
    cr_expect_null(s.directory);
    for (uint64_t i = 0; i < IDS; i++)
        cr_assert_eq(ids_find(&s, 0x7f0000000000 + (i << 22)), i);
    ids_free(&s);
}

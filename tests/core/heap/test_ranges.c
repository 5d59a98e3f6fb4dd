#include "heap/graph.h"
#include "support/random.h"

#include <criterion/criterion.h>
#include <string.h>

/* The definition: the first part that contains the address decides. */
static enum hd_generation first_that_holds(const struct range *parts, size_t count,
                                           uint64_t address)
{
    for (size_t i = 0; i < count; i++)
        if (address >= parts[i].start && address < parts[i].end)
            return parts[i].generation;
    return HD_GEN_UNKNOWN;
}

static void expect_disjoint_and_ascending(const struct ranges *r)
{
    for (size_t i = 0; i < r->len; i++) {
        cr_assert_lt(r->all[i].start, r->all[i].end, "range %zu is not empty", i);
        if (i > 0)
            cr_assert_leq(r->all[i - 1].end, r->all[i].start, "range %zu", i);
    }
}

Test(ranges, without_parts_generations_are_unknown)
{
    struct arena a = {0};
    struct ranges r = ranges_build(NULL, 0, &a);
    cr_expect_eq(r.len, 0);
    cr_expect_eq(ranges_find(&r, 0), HD_GEN_UNKNOWN);
    cr_expect_eq(ranges_find(&r, UINT64_MAX), HD_GEN_UNKNOWN);
    arena_free(&a);
}

Test(ranges, a_generation_stays_the_same_up_to_the_end_of_its_range_or_gap)
{
    static const struct range parts[] = {{100, 200, HD_GEN2}, {300, 400, HD_GEN0}};
    static const struct range around[] = {{0, 100, HD_GEN_UNKNOWN},
                                          {100, 200, HD_GEN2},
                                          {200, 300, HD_GEN_UNKNOWN},
                                          {300, 400, HD_GEN0},
                                          {400, UINT64_MAX, HD_GEN_UNKNOWN}};
    struct arena a = {0};
    struct ranges r = ranges_build(parts, 2, &a);
    for (size_t i = 0; i < sizeof(around) / sizeof(*around); i++) {
        const uint64_t at[] = {around[i].start, around[i].end - 1};
        for (int k = 0; k < 2; k++) {
            struct range found = ranges_around(&r, at[k]);
            cr_expect_eq(found.start, around[i].start, "%zu", i);
            cr_expect_eq(found.end, around[i].end, "%zu", i);
            cr_expect_eq(found.generation, around[i].generation, "%zu", i);
        }
    }
    cr_expect_eq(ranges_around(&r, UINT64_MAX).generation, HD_GEN_UNKNOWN);
    arena_free(&a);
}

Test(ranges, the_start_is_inside_and_the_end_is_not)
{
    static const struct range parts[] = {{100, 200, HD_GEN2}};
    struct arena a = {0};
    struct ranges r = ranges_build(parts, 1, &a);
    cr_expect_eq(ranges_find(&r, 99), HD_GEN_UNKNOWN);
    cr_expect_eq(ranges_find(&r, 100), HD_GEN2);
    cr_expect_eq(ranges_find(&r, 199), HD_GEN2);
    cr_expect_eq(ranges_find(&r, 200), HD_GEN_UNKNOWN);
    arena_free(&a);
}

Test(ranges, the_first_part_wins_where_parts_overlap)
{
    static const struct range parts[] = {{100, 200, HD_GEN0},
                                         {50, 150, HD_GEN1},
                                         {0, 300, HD_GEN_LOH},
                                         {290, 400, HD_GEN_POH}};
    static const struct {
        uint64_t address;
        enum hd_generation generation;
    } wanted[] = {{0, HD_GEN_LOH},   {49, HD_GEN_LOH},     {50, HD_GEN1},
                  {99, HD_GEN1},     {100, HD_GEN0},       {199, HD_GEN0},
                  {200, HD_GEN_LOH}, {299, HD_GEN_LOH},    {300, HD_GEN_POH},
                  {399, HD_GEN_POH}, {400, HD_GEN_UNKNOWN}};
    struct arena a = {0};
    struct ranges r = ranges_build(parts, 4, &a);
    expect_disjoint_and_ascending(&r);
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        cr_expect_eq(ranges_find(&r, wanted[i].address), wanted[i].generation, "at %u",
                     (unsigned)wanted[i].address);
    arena_free(&a);
}

Test(ranges, an_unknown_part_keeps_later_ones_out)
{
    static const struct range parts[] = {{10, 20, HD_GEN_UNKNOWN}, {0, 30, HD_GEN2}};
    struct arena a = {0};
    struct ranges r = ranges_build(parts, 2, &a);
    cr_expect_eq(ranges_find(&r, 9), HD_GEN2);
    cr_expect_eq(ranges_find(&r, 10), HD_GEN_UNKNOWN);
    cr_expect_eq(ranges_find(&r, 20), HD_GEN2);
    arena_free(&a);
}

Test(ranges, parts_that_are_empty_or_end_before_they_begin_are_ignored)
{
    static const struct range parts[] = {
        {5, 5, HD_GEN0}, {9, 3, HD_GEN1}, {0, 10, HD_GEN2}};
    struct arena a = {0};
    struct ranges r = ranges_build(parts, 3, &a);
    for (uint64_t address = 0; address < 10; address++)
        cr_expect_eq(ranges_find(&r, address), HD_GEN2, "at %u", (unsigned)address);
    arena_free(&a);
}

Test(ranges, neighbors_of_one_generation_are_merged)
{
    static const struct range parts[] = {
        {20, 30, HD_GEN2}, {10, 20, HD_GEN2}, {30, 40, HD_GEN_LOH}};
    struct arena a = {0};
    struct ranges r = ranges_build(parts, 3, &a);
    cr_assert_eq(r.len, 2);
    cr_expect_eq(r.all[0].start, 10);
    cr_expect_eq(r.all[0].end, 30);
    arena_free(&a);
}

Test(ranges, reach_to_both_ends_of_the_address_space)
{
    static const struct range parts[] = {{0, 1, HD_GEN0},
                                         {UINT64_MAX - 1, UINT64_MAX, HD_GEN_FROZEN}};
    struct arena a = {0};
    struct ranges r = ranges_build(parts, 2, &a);
    cr_expect_eq(ranges_find(&r, 0), HD_GEN0);
    cr_expect_eq(ranges_find(&r, 1), HD_GEN_UNKNOWN);
    cr_expect_eq(ranges_find(&r, UINT64_MAX - 1), HD_GEN_FROZEN);
    cr_expect_eq(ranges_find(&r, UINT64_MAX), HD_GEN_UNKNOWN);
    arena_free(&a);
}

Test(ranges, match_the_definition)
{
    enum { ROUNDS = 5000, MAX_PARTS = 12, SPACE = 40 };
    struct random random = random_from(1);
    for (int round = 0; round < ROUNDS; round++) {
        struct range parts[MAX_PARTS];
        size_t count = random_below(&random, MAX_PARTS + 1);
        for (size_t i = 0; i < count; i++) {
            uint32_t start = random_below(&random, SPACE);
            uint32_t len = random_below(&random, SPACE / 2);
            parts[i] = (struct range){
                start, start + len,
                (enum hd_generation)random_below(&random, HD_GENERATION_COUNT)};
        }
        struct arena a = {0};
        struct ranges r = ranges_build(parts, count, &a);
        expect_disjoint_and_ascending(&r);
        for (uint64_t address = 0; address < 2 * SPACE; address++)
            cr_assert_eq(ranges_find(&r, address), first_that_holds(parts, count, address),
                         "round %d, address %u", round, (unsigned)address);
        arena_free(&a);
    }
}

/* Quadratic time would be minutes. */
Test(ranges, a_hundred_thousand_nested_parts_take_no_time, .timeout = 20)
{
    enum { MANY = 100000 };
    struct arena a = {0};
    struct range *parts = arena_array(&a, struct range, MANY);
    for (uint64_t i = 0; i < MANY; i++)
        parts[i] = (struct range){MANY - i, MANY + 1 + i,
                                  (enum hd_generation)(i % HD_GEN_UNKNOWN)};
    struct ranges r = ranges_build(parts, MANY, &a);
    for (uint64_t address = 0; address < 2 * MANY + 2; address += 997)
        cr_assert_eq(ranges_find(&r, address), first_that_holds(parts, MANY, address));
    arena_free(&a);
}

Test(ranges, every_generation_has_a_name)
{
    static const char *const names[] = {"gen0", "gen1",   "gen2",   "loh",
                                        "poh",  "frozen", "unknown"};
    for (size_t g = 0; g < HD_GENERATION_COUNT; g++)
        cr_expect_str_eq(generation_names[g], names[g]);
}

Test(ranges, old_objects_are_gen2_and_those_collected_with_it)
{
    static const bool old[HD_GENERATION_COUNT] = {
        [HD_GEN2] = true, [HD_GEN_LOH] = true, [HD_GEN_POH] = true, [HD_GEN_FROZEN] = true};
    for (int g = 0; g < HD_GENERATION_COUNT; g++)
        cr_expect_eq(generation_is_old((enum hd_generation)g), old[g], "%s",
                     generation_names[g]);
}

/* Suspects of --by=holder that represent others, and their remaining growth. */
#include "questions/report_suspects.h"

#include "base/arena.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { SNAPSHOTS = 2 };

/* Every row of at least 10 is a suspect. */
static const struct suspect_line line = {.bytes = 10};

/* A row of a ranking: its numbers in the last snapshot; 0 in the first. */
struct place {
    const char *name;
    double score;
    int64_t delta;
    uint64_t count, bytes;
};

static struct ranking ranking_of(const struct place *places, size_t len, struct arena *a)
{
    struct ranking t = {arena_array(a, struct suspect, len), len};
    for (size_t i = 0; i < len; i++) {
        struct series_row *row = arena_alloc(a, sizeof(*row));
        *row = (struct series_row){.name = places[i].name,
                                   .at = arena_array(a, struct hd_tally, SNAPSHOTS),
                                   .survivors = 3};
        row->at[1] = (struct hd_tally){places[i].count, places[i].bytes};
        t.all[i] = (struct suspect){.row = row,
                                    .score = places[i].score,
                                    .count_delta = places[i].delta,
                                    .per_iteration = 2};
    }
    return t;
}

#define RANKED(places, a) ranking_of(places, sizeof(places) / sizeof((places)[0]), a)

Test(nested_holders, a_number_unknown_for_one_is_unknown_for_all)
{
    static const struct place places[] = {
        {"A", 50, 1, 2, 100},
        {"A → B", 40, 1, HD_UNKNOWN, 30},
        {"C", 30, 1, 5, HD_UNKNOWN},
        {"C → D", 20, 1, 7, 30},
    };
    struct arena a = {0};
    struct ranking t = RANKED(places, &a);
    struct joined_holder *joined = nested_holders_join(&t, SNAPSHOTS, &line, 1000, &a);
    cr_assert_eq(t.len, 2);
    cr_expect_str_eq(t.all[0].row->name, "A");
    cr_expect_eq(t.all[0].row->at[1].count, HD_UNKNOWN);
    cr_expect_eq(t.all[0].row->at[1].bytes, 130);
    cr_expect_eq(t.all[1].row->at[1].count, 12);
    cr_expect_eq(t.all[1].row->at[1].bytes, HD_UNKNOWN);
    cr_expect_eq(t.all[0].row->survivors, HD_UNKNOWN);
    cr_expect_eq(t.all[0].count_delta, 2);
    cr_expect_eq(joined[1].len, 1);
    cr_expect_str_eq(joined[1].below[0], "C → D");
    arena_free(&a);
}

/* By score, then by growth in count, then by name. */
Test(nested_holders, rows_with_equal_scores_have_a_fixed_order)
{
    static const struct place places[] = {
        {"Zoo", 40, 3, 1, 1}, {"Bee", 40, 3, 1, 1}, {"Ape", 40, 2, 1, 1},
        {"Cat", 40, 9, 1, 1}, {"Dog", 90, 0, 1, 1}, {"Elk", 2, 3, 1, 1},
    };
    static const char *const order[] = {"Dog", "Cat", "Bee", "Zoo", "Ape", "Elk"};
    struct arena a = {0};
    struct ranking t = RANKED(places, &a);
    nested_holders_join(&t, SNAPSHOTS, &line, 1000, &a);
    cr_assert_eq(t.len, 6);
    for (size_t i = 0; i < t.len; i++)
        cr_expect_str_eq(t.all[i].row->name, order[i]);
    arena_free(&a);
}

Test(nested_holders, a_ranking_without_rows_stays_one)
{
    struct arena a = {0};
    struct ranking t = {0};
    nested_holders_join(&t, SNAPSHOTS, &line, 1000, &a);
    cr_expect_eq(t.len, 0);
    arena_free(&a);
}

/* Thousands of places below thousands of others. */
Test(nested_holders, thousands_represent_thousands)
{
    enum { MANY = 3000 };
    static char names[2 * MANY][32];
    static struct place places[2 * MANY];
    for (unsigned i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof(names[i]), "Top%u → List", i);
        snprintf(names[MANY + i], sizeof(names[i]), "Top%u → List → Item", i);
        places[i] = (struct place){names[i], 1000.0 + i, 1, 1, 1};
        places[MANY + i] = (struct place){names[MANY + i], 20, 1, 1, 1};
    }
    struct arena a = {0};
    struct ranking t = RANKED(places, &a);
    struct joined_holder *joined = nested_holders_join(&t, SNAPSHOTS, &line, 1000, &a);
    cr_assert_eq(t.len, MANY);
    for (unsigned i = 0; i < MANY; i++) {
        cr_assert_str_eq(t.all[i].row->name, names[MANY - 1 - i]);
        cr_assert_eq(joined[i].len, 1);
        cr_assert_str_eq(joined[i].below[0], names[2 * MANY - 1 - i]);
        cr_assert_eq(t.all[i].count_delta, 2);
    }
    arena_free(&a);
}

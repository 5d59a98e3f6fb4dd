#include "ranking/table_ranking.h"

#include "owners/aligned.h"

#include <criterion/criterion.h>
#include <math.h>

/* --- by hand, with docs/ranking.md ------------------------------------ */

/* An owner held by a static variable, its array, and count items in the array. */
static node_id plant(struct forge *f, const char *owner, const char *array,
                     uint64_t array_bytes, const char *item, uint64_t item_bytes,
                     uint32_t count)
{
    node_id top = forge_object(f, owner, strcmp(owner, "RuntimeTypeCache") == 0 ? 64 : 24);
    node_id slots = forge_object(f, array, array_bytes);
    node_id first = forge_objects(f, item, item_bytes, count);
    forge_root(f, HD_ROOT_STATIC, owner, top);
    forge_reference(f, top, slots);
    for (uint32_t i = 0; i < count; i++)
        forge_reference(f, slots, first + i);
    return first;
}

/* Adds a child to each of count parents. */
static node_id hang(struct forge *f, node_id parent, uint32_t count, const char *type,
                    uint64_t bytes)
{
    node_id first = forge_objects(f, type, bytes, count);
    for (uint32_t i = 0; i < count; i++)
        forge_reference(f, parent + i, first + i);
    return first;
}

static struct hd_snapshot *worked_example(uint32_t n, uint32_t c, uint32_t w)
{
    struct forge f = {0};
    node_id handlers = plant(&f, "App.EventBus", "System.Object[]", 24 + 8 * n,
                             "System.EventHandler", 64, n);
    node_id orders = hang(&f, handlers, n, "App.Order", 96);
    for (int i = 0; i < 3; i++)
        hang(&f, orders, n, "System.String", 50);
    hang(&f, orders, n, "System.Byte[]", 2000);
    node_id items = plant(&f, "App.Cache", "Entry[]", 24 + 24 * c, "App.CacheItem", 48, c);
    hang(&f, items, c, "System.Byte[]", 1000);
    plant(&f, "App.Names", "System.String[]", 64, "System.String", 40, 5);
    plant(&f, "RuntimeTypeCache", "RuntimeMethodInfo[]", 24 + 8 * w, "RuntimeMethodInfo",
          104, w);
    return forge_finish(&f);
}

struct expected {
    const char *type;
    double score;
    int64_t count_delta;
};

static struct ranking rank(struct aligned *a, const uint64_t *iterations)
{
    struct series_question ask = {.iterations = iterations};
    align(a, &ask);
    return growth_rank(&a->series, iterations, &a->arena);
}

static void expect_ranking(const struct ranking *r, const struct expected *e, size_t count)
{
    cr_expect_eq(r->len, count, "%zu are ranked", r->len);
    for (size_t i = 0; i < r->len && i < count; i++) {
        const struct suspect *s = &r->all[i];
        cr_expect_str_eq(s->row->name, e[i].type, "%zu. is %s", i + 1, s->row->name);
        cr_expect(fabs(s->score - e[i].score) <= 1e-9 * e[i].score, "%s scores %f",
                  e[i].type, s->score);
        cr_expect_eq(s->count_delta, e[i].count_delta, "%s: %lld", e[i].type,
                     (long long)s->count_delta);
    }
}

#define EXPECT_RANKING(r, e) expect_ranking((r), (e), sizeof(e) / sizeof(*(e)))

Test(growth, the_worked_example_of_three_snapshots)
{
    struct aligned a = {0};
    aligned_add(&a, worked_example(10, 100, 200));
    aligned_add(&a, worked_example(20, 120, 1500));
    aligned_add(&a, worked_example(30, 100, 1600));
    struct ranking r = rank(&a, NULL);
    /* Byte[] grows in size, but not in the second half. */
    static const struct expected wanted[] = {
        {"RuntimeMethodInfo", 20800, 1400},
        {"System.String", 3000, 60},
        {"App.Order", 1920, 20},
        {"RuntimeMethodInfo[]", 1600, 0},
        {"System.EventHandler", 1280, 20},
        {"System.Object[]", 160, 0},
    };
    EXPECT_RANKING(&r, wanted);
    cr_expect_eq(a.series.totals[0].bytes, 153252);
    cr_expect_eq(a.series.totals[1].bytes, 343472);
    cr_expect_eq(a.series.totals[2].bytes, 356412);
    cr_expect_eq(aligned_row(&a, "System.Byte[]")->growth, GROWS_IN_SIZE);
    cr_expect_eq(aligned_row(&a, "App.CacheItem")->growth, GROWS_NOT);
    aligned_free(&a);
}

Test(growth, the_worked_example_of_two_snapshots)
{
    struct aligned a = {0};
    aligned_add(&a, worked_example(10, 100, 200));
    aligned_add(&a, worked_example(20, 120, 1500));
    struct ranking r = rank(&a, NULL);
    static const struct expected wanted[] = {
        {"RuntimeMethodInfo", 135200, 1300}, {"System.Byte[]", 40000, 30},
        {"RuntimeMethodInfo[]", 10400, 0},   {"System.String", 1500, 30},
        {"App.CacheItem", 960, 20},          {"App.Order", 960, 10},
        {"System.EventHandler", 640, 10},    {"Entry[]", 480, 0},
        {"System.Object[]", 80, 0},
    };
    EXPECT_RANKING(&r, wanted);
    aligned_free(&a);
}

/* --- scores ---------------------------------------------------------------------- */

#define ROWS(rows) (rows), sizeof(rows) / sizeof(*(rows))

/* The score of the first row, 0 if it is not ranked. */
static double score_of(const struct made_row *rows, size_t count, size_t snapshots)
{
    struct aligned a = {0};
    aligned_add_tables(&a, rows, count, snapshots);
    struct ranking r = rank(&a, NULL);
    double score = 0;
    for (size_t i = 0; i < r.len; i++)
        if (strcmp(r.all[i].row->name, rows[0].type) == 0)
            score = r.all[i].score;
    aligned_free(&a);
    return score;
}

static void expect_score(const struct made_row *row, size_t snapshots, double wanted)
{
    double score = score_of(row, 1, snapshots);
    cr_expect(fabs(score - wanted) <= 1e-9 * wanted, "%s: %f", row->type, score);
}

Test(growth, a_dip_weakens_the_score)
{
    /* sigma 7.5 * 3 steps, tau 4/6. Both halves grow alike, without a slowdown. */
    expect_score(&(struct made_row){"T", {10, 30, 20, 40}, {10, 30, 20, 40}}, 4, 10);
}

Test(growth, slowing_growth_counts_less)
{
    /* sigma 250 in the second half, a quarter of the first. */
    expect_score(&(struct made_row){"T", {1, 11, 16, 18}, {1000, 2000, 2500, 2750}}, 4,
                 250 * 3 * 0.25);
}

Test(growth, a_doubling_buffer_is_judged_by_its_longer_half)
{
    /* 2,457,600 * (5/6)^2; the last three grow by 819,200 a step, the first three by
     * 1,228,800. */
    expect_score(
        &(struct made_row){"T[]", {1, 1, 1, 1}, {819224, 1638424, 3276824, 3276824}}, 4,
        2457600 * 25.0 / 36 * 2 / 3);
}

Test(growth, warm_up_that_ended_is_not_ranked)
{
    expect_score(
        &(struct made_row){"T", {200, 1500, 1600, 1600, 1600}, {2, 15, 16, 16, 16}}, 5, 0);
}

Test(growth, more_but_smaller_objects_are_not_ranked)
{
    expect_score(&(struct made_row){"T", {10, 20, 30}, {900, 800, 700}}, 3, 0);
}

Test(growth, tau_is_that_of_the_growing_number)
{
    static const struct made_row rows[] = {
        {"InCount", {10, 30, 20, 40}, {100, 200, 300, 400}},
        {"InSize", {5, 5, 4, 5}, {100, 200, 300, 400}},
    };
    struct aligned a = {0};
    aligned_add_tables(&a, ROWS(rows), 4);
    struct ranking r = rank(&a, NULL);
    cr_assert_eq(r.len, 2);
    cr_expect_str_eq(r.all[0].row->name, "InSize");
    cr_expect_float_eq(r.all[0].tau, 1, 1e-12);
    cr_expect_float_eq(r.all[0].score, 300, 1e-9);
    cr_expect_float_eq(r.all[1].tau, 4.0 / 6, 1e-12);
    cr_expect_float_eq(r.all[1].score, 300 * 16.0 / 36, 1e-9);
    aligned_free(&a);
}

Test(growth, the_axis_is_that_of_the_iterations)
{
    static const uint64_t iterations[] = {0, 10, 40};
    static const struct made_row rows[] = {{"T", {1, 2, 3}, {0, 100, 200}}};
    struct aligned a = {0};
    aligned_add_tables(&a, ROWS(rows), 3);
    struct ranking r = rank(&a, iterations);
    cr_assert_eq(r.len, 1);
    /* Slopes 10, 5 and 100/30: 100/30 remains in the second half. */
    cr_expect_float_eq(r.all[0].score, 40 * 100.0 / 30, 1e-9);
    aligned_free(&a);
}

Test(growth, without_bytes_the_score_is_in_objects)
{
    static const struct made_row rows[] = {
        {"T", {10, 20, 30}, {HD_UNKNOWN, HD_UNKNOWN, HD_UNKNOWN}},
        {"Bigger", {5, 5, 5}, {100, 200, 300}}, /* its size is unreliable */
        {"U", {10, 15, 20}, {100, 200, 300}},
    };
    struct aligned a = {0};
    aligned_add_tables(&a, ROWS(rows), 3);
    struct ranking r = rank(&a, NULL);
    static const struct expected wanted[] = {{"T", 20, 20}, {"U", 10, 10}};
    EXPECT_RANKING(&r, wanted);
    cr_expect_not(a.series.bytes_known);
    aligned_free(&a);
}

/* --- order --------------------------------------------------------------------- */

Test(growth, equal_scores_are_ordered_by_growth_in_count_then_by_name)
{
    static const struct made_row rows[] = {
        {"b", {1, 2, 3}, {100, 200, 300}}, {"a", {1, 2, 3}, {100, 200, 300}},
        {"B", {1, 2, 3}, {100, 200, 300}}, {"c", {1, 3, 5}, {100, 200, 300}},
        {"d", {1, 1, 1}, {100, 200, 300}},
    };
    struct aligned a = {0};
    aligned_add_tables(&a, ROWS(rows), 3);
    struct ranking r = rank(&a, NULL);
    static const struct expected wanted[] = {
        {"c", 200, 4}, {"B", 200, 2}, {"a", 200, 2}, {"b", 200, 2}, {"d", 200, 0}};
    EXPECT_RANKING(&r, wanted);
    aligned_free(&a);
}

Test(growth, free_space_is_never_ranked)
{
    static const struct made_row rows[] = {
        {"Free", {1, 20, 300}, {1000, 20000, 300000}},
        {"System.Freezable", {1, 2, 3}, {100, 200, 300}},
    };
    struct aligned a = {0};
    aligned_add_tables(&a, ROWS(rows), 3);
    struct ranking r = rank(&a, NULL);
    static const struct expected wanted[] = {{"System.Freezable", 200, 2}};
    EXPECT_RANKING(&r, wanted);
    cr_expect_eq(a.series.row_count, 1);
    aligned_free(&a);
}

Test(growth, fewer_than_two_fit_snapshots_rank_nothing)
{
    static const struct made_row rows[] = {{"T", {1, 2, 3}, {100, 200, 300}}};
    struct aligned a = {0};
    aligned_add_tables(&a, ROWS(rows), 3);
    a.snaps[0]->info.complete = a.snaps[2]->info.complete = false;
    cr_expect_eq(rank(&a, NULL).len, 0);
    aligned_free(&a);
}

/* --- exactly q per iteration ------------------------------------------------------ */

static uint64_t per_iteration(const uint64_t *counts, size_t n, const uint64_t *iterations,
                              bool sampled, size_t unfit)
{
    struct made_row row = {.type = "T"};
    for (size_t k = 0; k < n; k++) {
        row.count[k] = counts[k];
        row.bytes[k] = 100 * counts[k];
    }
    struct aligned a = {0};
    aligned_add_tables(&a, &row, 1, n);
    for (size_t k = 0; k < n; k++) {
        a.snaps[k]->info.sampled = sampled;
        a.snaps[k]->info.complete = k != unfit;
    }
    struct ranking r = rank(&a, iterations);
    cr_assert_eq(r.len, 1);
    uint64_t q = r.all[0].per_iteration;
    aligned_free(&a);
    return q;
}

enum { ALL_FIT = 99 };
static const uint64_t rounds[] = {0, 10, 40};

Test(growth, the_same_number_per_iteration_is_noticed)
{
    cr_expect_eq(per_iteration((const uint64_t[]){5, 25, 85}, 3, rounds, false, ALL_FIT),
                 2);
    cr_expect_eq(per_iteration((const uint64_t[]){1, 11, 41}, 3, rounds, false, ALL_FIT),
                 1);
}

Test(growth, an_approximate_number_per_iteration_is_not_exact)
{
    static const uint64_t no[][3] = {
        {5, 25, 86}, {5, 25, 115}, {5, 25, 26}, {0, 5, 20}, {5, 10, 70}};
    for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
        cr_expect_eq(per_iteration(no[i], 3, rounds, false, ALL_FIT), HD_UNKNOWN, "%zu", i);
}

Test(growth, without_iterations_no_number_is_per_iteration)
{
    cr_expect_eq(per_iteration((const uint64_t[]){5, 25, 85}, 3, NULL, false, ALL_FIT),
                 HD_UNKNOWN);
}

Test(growth, estimates_are_never_exact)
{
    cr_expect_eq(
        per_iteration((const uint64_t[]){500, 2500, 8500}, 3, rounds, true, ALL_FIT),
        HD_UNKNOWN);
}

Test(growth, unfit_snapshots_do_not_spoil_what_is_exact)
{
    static const uint64_t four[] = {0, 10, 20, 40};
    cr_expect_eq(per_iteration((const uint64_t[]){5, 25, 30, 85}, 4, four, false, 2), 2);
}

/* --- what no suspect has ---------------------------------------------------------------
 */

/* From 1000, 1300, 1600 bytes and changing free space. */
Test(growth, the_rest_of_a_table_is_without_suspects_and_free_space)
{
    static const uint32_t unused[] = {900, 0, 500};
    struct aligned a = {0};
    for (uint32_t k = 0; k < 3; k++) {
        struct forge f = {0};
        forge_root(&f, HD_ROOT_STATIC, "App.Store", forge_object(&f, "App.Store", 1000));
        forge_objects(&f, "App.Item", 30, 10 * k);
        forge_objects(&f, "Free", 1, unused[k]);
        aligned_add(&a, forge_finish(&f));
    }
    align(&a, NULL);
    const struct hd_tally *item = NULL;
    for (size_t i = 0; i < a.series.row_count; i++)
        if (strcmp(a.series.rows[i].name, "App.Item") == 0)
            item = a.series.rows[i].at;
    struct rest_growth without = table_rest_growth(&a.series, NULL, 0, 1600);
    cr_expect(without.grew && without.share == 600.0 / 1600);
    cr_expect_not(table_rest_growth(&a.series, &item, 1, 1600).grew);
    aligned_free(&a);
}

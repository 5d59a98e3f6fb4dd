/* Objects and tables that a series counts: --gen2, --reachable, the origin of a table, and
 * samples. The rest of series.c is in test_series.c. */
#include "owners/aligned.h"

#include <criterion/criterion.h>

/* --- tables and how they were made ----------------------------------- */

static void add_table_of(struct aligned *a, struct hd_table_origin origin)
{
    aligned_add(a, any_table(10));
    a->snaps[a->count - 1]->origin = origin;
}

static void expect_refused(struct hd_table_origin one, struct hd_table_origin other)
{
    for (size_t same = 1; same <= 2; same++) {
        struct aligned a = {0};
        for (size_t i = 0; i < same; i++)
            add_table_of(&a, one);
        add_table_of(&a, other);
        cr_expect_not(try_align(&a, NULL));
        cr_expect_eq(a.error.status, HD_USAGE);
        cr_expect_eq(a.error.snapshot, same + 1);
        cr_expect_neq(a.error.message[0], '\0');
        aligned_free(&a);
    }
}

Test(series_selection, tables_of_different_making_are_refused)
{
    expect_refused((struct hd_table_origin){.generation = "gen2"},
                   (struct hd_table_origin){.generation = "gen1"});
    expect_refused((struct hd_table_origin){.liveness = "all"},
                   (struct hd_table_origin){.liveness = "live"});
    expect_refused((struct hd_table_origin){.filters = ""},
                   (struct hd_table_origin){.filters = "-type App"});
}

Test(series_selection, tables_of_unknown_making_are_warned_about)
{
    struct aligned a = {0};
    add_table_of(&a, (struct hd_table_origin){.generation = "gen2", .filters = ""});
    add_table_of(&a, (struct hd_table_origin){.generation = "gen2", .filters = ""});
    add_table_of(&a, (struct hd_table_origin){.generation = "gen2"});
    align(&a, NULL);
    cr_expect_eq(a.warnings.len, 1);
    cr_expect_eq(aligned_warnings(&a, WARN_FILTERS_DIFFER, 2), 1);
    aligned_free(&a);
}

/* --- selections ------------------------------------------------------ */

/* Two orders in gen2, one in gen0, a big unreachable array in the LOH. */
static struct hd_snapshot *with_generations(void)
{
    struct forge f = {0};
    node_id orders = forge_objects(&f, "App.Order", 10, 3);
    forge_generation(&f, orders, HD_GEN2);
    forge_generation(&f, orders + 1, HD_GEN2);
    forge_generation(&f, orders + 2, HD_GEN0);
    node_id array = forge_object(&f, "System.Byte[]", 100000);
    forge_generation(&f, array, HD_GEN_LOH);
    for (node_id i = 1; i < 3; i++)
        forge_root(&f, HD_ROOT_STACK, NULL, orders + i);
    return forge_finish(&f);
}

Test(series_selection, gen2_counts_old_objects_of_a_graph)
{
    struct aligned a = {0};
    aligned_add(&a, with_generations());
    align(&a, &(struct series_question){.selection = SELECT_GEN2});
    expect_tally(&a, "App.Order", 0, 2, 20);
    expect_tally(&a, "System.Byte[]", 0, 1, 100000);
    cr_expect_eq(a.series.totals[0].bytes, 100020);
    aligned_free(&a);
}

Test(series_selection, reachable_counts_what_a_root_holds)
{
    struct aligned a = {0};
    aligned_add(&a, with_generations());
    align(&a, &(struct series_question){.selection = SELECT_REACHABLE});
    cr_expect_eq(a.series.row_count, 1);
    expect_tally(&a, "App.Order", 0, 2, 20);
    aligned_free(&a);
}

Test(series_selection, gen2_and_reachable_may_be_asked_for_together)
{
    struct aligned a = {0};
    aligned_add(&a, with_generations());
    align(&a, &(struct series_question){.selection = SELECT_GEN2 | SELECT_REACHABLE});
    cr_expect_eq(a.series.row_count, 1);
    expect_tally(&a, "App.Order", 0, 1, 10);
    aligned_free(&a);
}

Test(series_selection, gen2_uses_a_table_of_one_generation_entirely_or_not_at_all)
{
    static const char *const generations[] = {"gen0", "gen1", "gen2",
                                              "loh",  "poh",  "frozen"};
    for (size_t i = 0; i < sizeof(generations) / sizeof(*generations); i++) {
        struct aligned a = {0};
        add_table_of(&a, (struct hd_table_origin){.generation = generations[i]});
        align(&a, &(struct series_question){.selection = SELECT_GEN2});
        cr_expect_eq(a.series.totals[0].count, i < 2 ? 0 : 40, "%s", generations[i]);
        cr_expect_eq(a.series.totals[0].bytes, i < 2 ? 0 : 400, "%s", generations[i]);
        aligned_free(&a);
    }
}

static void expect_impossible(struct hd_snapshot *snap, enum selection selection)
{
    struct aligned a = {0};
    aligned_add(&a, with_generations());
    aligned_add(&a, snap);
    cr_expect_not(try_align(&a, &(struct series_question){.selection = selection}));
    cr_expect_eq(a.error.status, HD_USAGE);
    cr_expect_eq(a.error.snapshot, 2);
    aligned_free(&a);
}

Test(series_selection, selections_that_a_snapshot_lacks_data_for_are_refused)
{
    struct forge f = {0};
    forge_object(&f, "App.Order", 10);
    struct hd_snapshot *without_roots = forge_finish(&f);
    expect_impossible(without_roots, SELECT_REACHABLE);
    expect_impossible(any_table(1), SELECT_REACHABLE);
    expect_impossible(any_table(1), SELECT_GEN2);
    expect_impossible(any_table(1), SELECT_GEN2 | SELECT_REACHABLE);
    forge_root(&f, HD_ROOT_STACK, NULL, forge_object(&f, "App.Order", 10));
    expect_impossible(forge_finish(&f), SELECT_GEN2);
}

/* --- samples --------------------------------------------------------- */

/* One in ten of 100 objects: 1000, give or take 2 * 10 * sqrt(100). */
static struct hd_snapshot *sample(uint32_t count)
{
    struct forge f = {0};
    forge_objects(&f, "App.Order", 8, count);
    forge_multiplier(&f, "App.Order", 10);
    return forge_finish(&f);
}

Test(series_selection, counts_of_a_sample_have_a_noise_band)
{
    struct aligned a = {0};
    aligned_add(&a, sample(100));
    aligned_add(&a, sample(400));
    align(&a, NULL);
    const struct series_row *row = aligned_row(&a, "App.Order");
    expect_tally(&a, "App.Order", 0, 1000, 8000);
    cr_assert_not_null(row->noise_share);
    double y[SERIES_MAX_SNAPSHOTS], noise[SERIES_MAX_SNAPSHOTS];
    struct trend t = series_trend(&a.series, row, false, y, noise);
    cr_assert_not_null(t.noise);
    cr_expect_float_eq(t.noise[0], 200, 1e-9);
    cr_expect_float_eq(t.noise[1], 400, 1e-9);
    t = series_trend(&a.series, row, true, y, noise);
    cr_expect_float_eq(t.noise[0], 1600, 1e-9, "the same share of the bytes");
    aligned_free(&a);
}

Test(series_selection, growth_within_the_noise_is_ignored)
{
    struct aligned a = {0};
    aligned_add(&a, sample(100));
    aligned_add(&a, sample(120));
    align(&a, NULL);
    cr_expect_eq(aligned_row(&a, "App.Order")->growth, GROWS_NOT);
    aligned_free(&a);
    aligned_add(&a, sample(100));
    aligned_add(&a, sample(125)); /* 250 more, band 2 * 10 * sqrt(125) = 224 */
    align(&a, NULL);
    cr_expect_eq(aligned_row(&a, "App.Order")->growth, GROWS_IN_COUNT);
    aligned_free(&a);
}

#include "owners/aligned.h"

#include <criterion/criterion.h>
#include <math.h>

#define ROWS(rows) (rows), sizeof(rows) / sizeof(*(rows))

static void add_any_tables(struct aligned *a, size_t count)
{
    for (size_t k = 0; k < count; k++)
        aligned_add(a, any_table(10 + k));
}

/* --- alignment ------------------------------------------------------------------ */

Test(series, rows_are_types_by_canonical_name_in_order_of_first_use)
{
    struct aligned a = {0};
    struct forge f = {0};
    forge_row(&f, "System.String (Bytes > 1K)", 1, 2000);
    forge_row(&f, "App.Order", 3, 96);
    forge_row(&f, "System.String", 10, 500);
    aligned_add(&a, forge_finish(&f));
    forge_row(&f, "App.New", 7, 70);
    forge_row(&f, "System.String", 20, 1000);
    aligned_add(&a, forge_finish(&f));
    align(&a, NULL);
    cr_assert_eq(a.series.row_count, 3);
    static const char *const names[] = {"System.String", "App.Order", "App.New"};
    static const struct hd_tally at[][2] = {
        {{11, 2500}, {20, 1000}}, {{3, 96}, {0, 0}}, {{0, 0}, {7, 70}}};
    for (size_t i = 0; i < 3; i++) {
        cr_expect_str_eq(a.series.rows[i].name, names[i]);
        for (size_t k = 0; k < 2; k++) {
            cr_expect_eq(a.series.rows[i].at[k].count, at[i][k].count, "%s", names[i]);
            cr_expect_eq(a.series.rows[i].at[k].bytes, at[i][k].bytes, "%s", names[i]);
        }
    }
    aligned_free(&a);
}

Test(series, totals_are_the_sums_of_all_rows)
{
    struct aligned a = {0};
    struct forge f = {0};
    node_id cache = forge_object(&f, "App.Cache", 24);
    forge_reference(&f, cache, forge_object(&f, "App.Order", 96));
    forge_reference(&f, cache, forge_undefined(&f));
    forge_object(&f, "App.Lost", 40);
    forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_cache", cache);
    aligned_add(&a, forge_finish(&f));
    align(&a, NULL);
    cr_expect_eq(a.series.row_count, 3, "groups of roots are no types");
    cr_expect_eq(a.series.totals[0].count, 3);
    cr_expect_eq(a.series.totals[0].bytes, 160);
    aligned_free(&a);
}

Test(series, one_unknown_makes_the_sum_unknown)
{
    struct aligned a = {0};
    static const struct made_row rows[] = {{"A", {1, 2}, {HD_UNKNOWN, 20}},
                                           {"B", {1, 2}, {10, 20}}};
    aligned_add_tables(&a, ROWS(rows), 2);
    align(&a, NULL);
    cr_expect_eq(a.series.totals[0].count, 2);
    cr_expect_eq(a.series.totals[0].bytes, HD_UNKNOWN);
    cr_expect_eq(a.series.totals[1].bytes, 40);
    cr_expect_not(a.series.bytes_known);
    aligned_free(&a);
}

static struct hd_snapshot *with_modules(void)
{
    struct forge f = {0};
    forge_objects(&f, "App.Order", 10, 2);
    forge_object(&f, "App.Sales.Line", 20);
    forge_object(&f, "App.Item", 30);
    forge_object(&f, "Program", 40);
    forge_module(&f, "App.Order", "/app/App.dll");
    forge_module(&f, "App.Sales.Line", "C:\\app\\App.dll");
    forge_module(&f, "App.Item", "/app/Other.dll");
    return forge_finish(&f);
}

Test(series, rows_may_be_namespaces)
{
    struct aligned a = {0};
    aligned_add(&a, with_modules());
    align(&a, &(struct series_question){.by = HD_BY_NAMESPACE});
    cr_expect_eq(a.series.row_count, 3);
    expect_tally(&a, "App", 0, 3, 50);
    expect_tally(&a, "App.Sales", 0, 1, 20);
    expect_tally(&a, "(global)", 0, 1, 40);
    cr_expect_eq(a.series.totals[0].bytes, 110);
    aligned_free(&a);
}

Test(series, rows_may_be_modules)
{
    struct aligned a = {0};
    aligned_add(&a, with_modules());
    align(&a, &(struct series_question){.by = HD_BY_MODULE});
    cr_expect_eq(a.series.row_count, 3);
    expect_tally(&a, "App.dll", 0, 3, 40);
    expect_tally(&a, "Other.dll", 0, 1, 30);
    expect_tally(&a, "(unknown)", 0, 1, 40);
    aligned_free(&a);
}

/* --- statuses --------------------------------------------------------------------- */

static void expect_status(enum hd_series_status wanted, const struct made_row *row,
                          size_t count)
{
    struct aligned a = {0};
    struct made_row rows[] = {*row, {"Rest", {0}, {0}}};
    for (size_t k = 0; k < count; k++)
        rows[1].count[k] = rows[1].bytes[k] = 1000000; /* no total shrinks */
    aligned_add_tables(&a, ROWS(rows), count);
    align(&a, NULL);
    enum hd_series_status got = aligned_row(&a, row->type)->status;
    cr_expect_eq(got, wanted, "%s: %s and not %s", row->type, series_status_names[got],
                 series_status_names[wanted]);
    aligned_free(&a);
}

#define ROW(...) (&(struct made_row){__VA_ARGS__})

Test(series, a_type_without_instances_is_gone)
{
    expect_status(HD_SERIES_GONE, ROW("Falls", {3, 2, 0}, {30, 20, 0}), 3);
    expect_status(HD_SERIES_GONE, ROW("Came and went", {0, 5, 0}, {0, 50, 0}), 3);
}

Test(series, a_type_that_keeps_rising_is_growing)
{
    expect_status(HD_SERIES_GROWING, ROW("In count", {1, 2, 3}, {30, 20, 10}), 3);
    expect_status(HD_SERIES_GROWING, ROW("In size", {1, 1, 1}, {10, 20, 30}), 3);
    expect_status(HD_SERIES_GROWING, ROW("New and growing", {0, 0, 9}, {0, 0, 90}), 3);
    expect_status(HD_SERIES_GROWING, ROW("Fewer, but larger", {3, 2, 1}, {30, 40, 50}), 3);
}

Test(series, a_late_type_that_does_not_grow_is_new)
{
    expect_status(HD_SERIES_NEW, ROW("Last", {0, 0, 0, 9}, {0, 0, 0, 90}), 4);
    expect_status(HD_SERIES_NEW, ROW("Spike", {0, 9, 1}, {0, 90, 10}), 3);
}

Test(series, a_type_that_keeps_falling_is_shrinking)
{
    expect_status(HD_SERIES_SHRINKING, ROW("Steadily", {3, 2, 1}, {30, 20, 10}), 3);
    expect_status(HD_SERIES_SHRINKING, ROW("One rise", {4, 2, 3, 1}, {40, 20, 30, 10}), 4);
    expect_status(HD_SERIES_VARYING, ROW("Two rises", {4, 2, 5, 1, 3}, {4, 2, 5, 1, 3}), 5);
    expect_status(HD_SERIES_VARYING, ROW("Dip", {3, 1, 2}, {30, 10, 20}), 3);
}

Test(series, a_type_that_never_changes_is_steady)
{
    expect_status(HD_SERIES_STEADY, ROW("Still", {5, 5, 5}, {50, 50, 50}), 3);
    expect_status(HD_SERIES_VARYING, ROW("Smaller", {5, 5, 5}, {50, 50, 40}), 3);
    expect_status(HD_SERIES_VARYING, ROW("Back again", {5, 6, 5}, {50, 60, 50}), 3);
}

Test(series, without_bytes_counts_alone_decide)
{
    struct aligned a = {0};
    static const struct made_row rows[] = {
        {"Still", {5, 5}, {HD_UNKNOWN, HD_UNKNOWN}},
        {"Larger", {5, 5}, {10, 20}},
        {"More", {5, 6}, {10, 20}},
    };
    aligned_add_tables(&a, ROWS(rows), 2);
    align(&a, NULL);
    cr_expect_eq(aligned_row(&a, "Still")->status, HD_SERIES_STEADY);
    cr_expect_eq(aligned_row(&a, "Larger")->status, HD_SERIES_VARYING);
    cr_expect_eq(aligned_row(&a, "More")->status, HD_SERIES_GROWING);
    aligned_free(&a);
}

/* --- usable snapshots ----------------------------------------------------------------- */

static void expect_usable(const struct aligned *a, const size_t *usable, size_t count)
{
    cr_assert_eq(a->series.usable_count, count, "%zu are fit", a->series.usable_count);
    for (size_t i = 0; i < count; i++)
        cr_expect_eq(a->series.usable[i], usable[i], "%zu. is %zu", i, a->series.usable[i]);
}

Test(series, incomplete_snapshots_stay_in_the_rows_but_not_in_the_trend)
{
    struct aligned a = {0};
    static const struct made_row rows[] = {{"A", {10, 5, 20, 30}, {10, 5, 20, 30}}};
    aligned_add_tables(&a, ROWS(rows), 4);
    a.snaps[1]->info.complete = false;
    align(&a, NULL);
    expect_usable(&a, (const size_t[]){0, 2, 3}, 3);
    const struct series_row *row = aligned_row(&a, "A");
    cr_expect_eq(row->at[1].count, 5);
    cr_expect_eq(row->growth, GROWS_IN_COUNT);
    double y[SERIES_MAX_SNAPSHOTS], noise[SERIES_MAX_SNAPSHOTS];
    struct trend t = series_trend(&a.series, row, false, y, noise);
    cr_expect_eq(t.n, 3);
    cr_expect(y[0] == 10 && y[1] == 20 && y[2] == 30);
    cr_expect_null(t.noise);
    aligned_free(&a);
}

static void expect_drop(const uint64_t *totals, size_t count, size_t drop)
{
    struct aligned a = {0};
    for (size_t k = 0; k < count; k++) {
        struct forge f = {0};
        forge_row(&f, "A", 1, totals[k]);
        aligned_add(&a, forge_finish(&f));
    }
    align(&a, NULL);
    for (size_t k = 0; k < count; k++)
        cr_expect_eq(aligned_warnings(&a, WARN_TOTAL_DROPS, k), k == drop,
                     "snapshot %zu, %llu bytes", k, (unsigned long long)totals[k]);
    cr_expect_eq(a.series.usable_count, drop < count ? count - 1 : count);
    aligned_free(&a);
}

enum { NO_DROP = 99 };

Test(series, less_than_half_of_both_neighbours_is_unfit)
{
    expect_drop((const uint64_t[]){100, 49, 100}, 3, 1);
    expect_drop((const uint64_t[]){100, 200, 99, 300}, 4, 2);
    expect_drop((const uint64_t[]){100, 50, 100}, 3, NO_DROP);
    expect_drop((const uint64_t[]){100, 49, 98}, 3, NO_DROP);
    expect_drop((const uint64_t[]){100, 40, 50}, 3, NO_DROP);
    expect_drop((const uint64_t[]){10, 100, 10}, 3, NO_DROP);
}

Test(series, less_than_half_of_an_odd_total_is_unfit)
{
    expect_drop((const uint64_t[]){101, 50, 101}, 3, 1);
}

Test(series, the_first_and_the_last_never_drop)
{
    expect_drop((const uint64_t[]){1, 100, 100}, 3, NO_DROP);
    expect_drop((const uint64_t[]){100, 100, 1}, 3, NO_DROP);
}

Test(series, without_bytes_the_objects_drop)
{
    struct aligned a = {0};
    static const struct made_row rows[] = {
        {"A", {100, 40, 100}, {HD_UNKNOWN, HD_UNKNOWN, HD_UNKNOWN}}};
    aligned_add_tables(&a, ROWS(rows), 3);
    align(&a, NULL);
    cr_expect_eq(aligned_warnings(&a, WARN_TOTAL_DROPS, 1), 1);
    aligned_free(&a);
}

/* --- order and origin ---------------------------------------------------------------- */

static void set_clock(struct hd_snapshot *snap, double clock, bool is_date)
{
    snap->clock = clock;
    snap->clock_is_date = is_date;
}

Test(series, one_process_in_order_has_no_warning)
{
    struct aligned a = {0};
    add_any_tables(&a, 4);
    for (size_t k = 0; k < 4; k++) {
        a.snaps[k]->info.pid = 7;
        a.snaps[k]->info.process = "shop";
        set_clock(a.snaps[k], 60.0 * (double)k, true);
    }
    a.snaps[2]->info.pid = HD_UNKNOWN;
    a.snaps[2]->info.process = NULL;
    align(&a, NULL);
    cr_expect_eq(a.warnings.len, 0);
    cr_expect_not(a.series.restarted);
    aligned_free(&a);
}

Test(series, another_pid_is_another_process)
{
    struct aligned a = {0};
    add_any_tables(&a, 4);
    for (size_t k = 0; k < 4; k++)
        a.snaps[k]->info.pid = k < 2 ? 7 : 8;
    align(&a, NULL);
    cr_expect_eq(a.warnings.len, 1);
    cr_expect_eq(aligned_warnings(&a, WARN_DIFFERENT_PROCESS, 2), 1);
    cr_expect(a.series.restarted);
    cr_expect_eq(a.series.confidence, HD_CONFIDENCE_MEDIUM);
    aligned_free(&a);
}

Test(series, another_process_name_is_another_process)
{
    struct aligned a = {0};
    add_any_tables(&a, 2);
    a.snaps[0]->info.process = "shop";
    a.snaps[1]->info.process = "bank";
    align(&a, NULL);
    cr_expect_eq(a.warnings.len, 1);
    cr_expect_eq(aligned_warnings(&a, WARN_DIFFERENT_PROCESS, 1), 1);
    aligned_free(&a);
}

Test(series, times_that_fall_are_out_of_order_and_lower_the_confidence)
{
    struct aligned a = {0};
    add_any_tables(&a, 4);
    static const double times[] = {60, 180, 120, 240};
    for (size_t k = 0; k < 4; k++)
        set_clock(a.snaps[k], times[k], true);
    align(&a, NULL);
    cr_expect_eq(a.warnings.len, 1);
    cr_expect_eq(aligned_warnings(&a, WARN_OUT_OF_ORDER, 2), 1);
    cr_expect(a.series.restarted);
    cr_expect_eq(a.series.confidence, HD_CONFIDENCE_MEDIUM);
    cr_expect_eq(a.series.x[2], 3, "clocks that fall are no axis");
    aligned_free(&a);
}

Test(series, equal_times_are_warned_about_only)
{
    struct aligned a = {0};
    add_any_tables(&a, 4);
    for (size_t k = 0; k < 4; k++)
        set_clock(a.snaps[k], k < 2 ? 60 : 60.0 * (double)k, true);
    align(&a, NULL);
    cr_expect_eq(aligned_warnings(&a, WARN_OUT_OF_ORDER, 1), 1);
    cr_expect_not(a.series.restarted);
    cr_expect_eq(a.series.confidence, HD_CONFIDENCE_HIGH);
    aligned_free(&a);
}

static struct hd_snapshot *program(const char *const *types, size_t count)
{
    struct forge f = {0};
    for (size_t i = 0; i < count; i++)
        forge_row(&f, types[i], 100, 1000);
    return forge_finish(&f);
}

static bool is_another_program(const char *const *one, const char *const *other,
                               size_t count)
{
    struct aligned a = {0};
    aligned_add(&a, program(one, count));
    aligned_add(&a, program(other, count));
    align(&a, NULL);
    bool warned = aligned_warnings(&a, WARN_DIFFERENT_PROGRAM, 1) > 0;
    cr_expect_eq(a.series.restarted, warned);
    aligned_free(&a);
    return warned;
}

Test(series, programs_that_share_only_the_framework_are_different)
{
    static const char *const shop[] = {"Shop.A", "Shop.B", "Shop.C", "System.String"};
    static const char *const bank[] = {"Bank.A", "Bank.B", "Bank.C", "System.String"};
    static const char *const both[] = {"Bank.A", "Bank.B", "Shop.C", "System.String"};
    cr_expect(is_another_program(shop, bank, 4));
    cr_expect_not(is_another_program(shop, both, 4));
    cr_expect_not(is_another_program(shop, bank, 2), "too few types to tell");
}

/* --- confidence ------------------------------------------------------------------------
 */

static enum hd_confidence confidence_of(size_t count, bool sampled, bool restarted,
                                        size_t unfit)
{
    struct aligned a = {0};
    add_any_tables(&a, count);
    a.snaps[0]->info.sampled = sampled;
    for (size_t k = 0; restarted && k < count; k++)
        a.snaps[k]->info.pid = k;
    for (size_t k = 0; k < unfit; k++)
        a.snaps[k]->info.complete = false;
    align(&a, NULL);
    enum hd_confidence c = a.series.confidence;
    aligned_free(&a);
    return c;
}

Test(series, confidence_rises_with_the_number_of_fit_snapshots)
{
    cr_expect_eq(confidence_of(2, false, false, 0), HD_CONFIDENCE_LOW);
    cr_expect_eq(confidence_of(3, false, false, 0), HD_CONFIDENCE_MEDIUM);
    cr_expect_eq(confidence_of(4, false, false, 0), HD_CONFIDENCE_HIGH);
    cr_expect_eq(confidence_of(5, false, false, 1), HD_CONFIDENCE_HIGH);
    cr_expect_eq(confidence_of(5, false, false, 2), HD_CONFIDENCE_MEDIUM);
    cr_expect_eq(confidence_of(4, false, false, 3), HD_CONFIDENCE_LOW);
}

Test(series, confidence_is_one_step_lower_for_samples_and_restarts)
{
    cr_expect_eq(confidence_of(4, true, false, 0), HD_CONFIDENCE_MEDIUM);
    cr_expect_eq(confidence_of(4, false, true, 0), HD_CONFIDENCE_MEDIUM);
    cr_expect_eq(confidence_of(4, true, true, 0), HD_CONFIDENCE_MEDIUM);
    cr_expect_eq(confidence_of(3, true, false, 0), HD_CONFIDENCE_LOW);
    cr_expect_eq(confidence_of(2, true, true, 0), HD_CONFIDENCE_LOW);
}

/* --- axis
 * --------------------------------------------------------------------------------- */

static void expect_axis(const struct aligned *a, const double *x, size_t count)
{
    cr_assert_eq(a->series.usable_count, count);
    for (size_t i = 0; i < count; i++)
        cr_expect_float_eq(a->series.x[i], x[i], 1e-9, "%zu. at %f", i, a->series.x[i]);
}

Test(series, the_axis_is_the_iterations_if_they_are_given)
{
    static const uint64_t iterations[] = {0, 10, 50, 60};
    struct aligned a = {0};
    add_any_tables(&a, 4);
    for (size_t k = 0; k < 4; k++)
        set_clock(a.snaps[k], 60.0 * (double)k, true);
    a.snaps[1]->info.complete = false;
    align(&a, &(struct series_question){.iterations = iterations});
    expect_axis(&a, (const double[]){0, 50, 60}, 3);
    cr_expect(isnan(a.series.seconds));
    cr_expect_float_eq(a.series.clock_seconds, 180, 1e-9);
    aligned_free(&a);
}

Test(series, the_axis_is_the_clock_if_all_have_one_that_rises)
{
    struct aligned a = {0};
    add_any_tables(&a, 3);
    set_clock(a.snaps[0], 10, false);
    set_clock(a.snaps[1], 20, false);
    set_clock(a.snaps[2], 90, false);
    align(&a, NULL);
    expect_axis(&a, (const double[]){10, 20, 90}, 3);
    aligned_free(&a);
}

Test(series, the_axis_is_one_two_three_without_clocks)
{
    struct aligned a = {0};
    add_any_tables(&a, 3);
    set_clock(a.snaps[0], 10, true);
    set_clock(a.snaps[2], 90, true);
    align(&a, NULL);
    expect_axis(&a, (const double[]){1, 2, 3}, 3);
    aligned_free(&a);
}

Test(series, a_snapshot_that_is_left_out_leaves_its_gap_on_the_axis)
{
    struct aligned a = {0};
    add_any_tables(&a, 4);
    a.snaps[1]->info.complete = false;
    align(&a, NULL);
    expect_axis(&a, (const double[]){1, 3, 4}, 3);
    aligned_free(&a);
}

/* Seconds since the device was started, then since 1970: not an axis. */
Test(series, clocks_of_two_kinds_are_not_an_axis)
{
    struct aligned a = {0};
    add_any_tables(&a, 3);
    set_clock(a.snaps[0], 1000, false);
    set_clock(a.snaps[1], 1700000000, true);
    set_clock(a.snaps[2], 1700000060, true);
    align(&a, NULL);
    expect_axis(&a, (const double[]){1, 2, 3}, 3);
    aligned_free(&a);
}

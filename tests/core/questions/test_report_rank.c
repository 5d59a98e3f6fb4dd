#include "report/report.h"

#include "render/written.h"

#include <criterion/criterion.h>
#include <string.h>

/* --- helpers ------------------------------------------------------------------------- */

/* [static var App.Cache.s_all] -> one object of each type of chain, except the last, which
 * has count objects of 100 bytes. chain ends with NULL. */
static struct hd_snapshot *chain_heap(const char *const *chain, uint32_t count)
{
    struct forge f = {0};
    node_id at = forge_object(&f, chain[0], 24);
    forge_root(&f, HD_ROOT_STATIC, "App.Cache.s_all", at);
    size_t i = 1;
    for (; chain[i + 1] != NULL; i++, at++)
        forge_reference(&f, at, forge_object(&f, chain[i], 24));
    node_id first = forge_objects(&f, chain[i], 100, count);
    for (uint32_t n = 0; n < count; n++)
        forge_reference(&f, at, first + n);
    return forge_finish(&f);
}

/* 10, 20, 30, 40 of the last type. */
static struct hd_report *chain_diff(const char *const *chain, const struct hd_options *opt)
{
    struct hd_snapshot *snaps[SHOPS];
    for (uint32_t k = 0; k < SHOPS; k++)
        snaps[k] = chain_heap(chain, 10 * (k + 1));
    return diff_of(snaps, SHOPS, opt);
}

static bool warns_of(const struct hd_report *r, const char *code)
{
    size_t count;
    const struct hd_warning *all = hd_report_warnings(r, &count);
    bool found = false;
    for (size_t i = 0; i < count; i++)
        found |= strcmp(all[i].code, code) == 0;
    return found;
}

/* --- by graphs or by tables ---------------------------------------------------------- */

Test(report_rank, graphs_count_if_every_snapshot_that_is_fit_has_one_with_roots)
{
    for (int odd = 0; odd < 3; odd++) {
        struct hd_snapshot *snaps[SHOPS];
        open_shops(snaps);
        if (odd == 1)
            snaps[1]->info.has_roots = false;
        if (odd == 2)
            snaps[2]->read.tables_only = true;
        struct hd_report *r = diff_of(snaps, SHOPS, NULL);
        cr_expect_eq(r->diff.by_graph, odd == 0, "case %d", odd);
        cr_assert_gt(r->diff.suspect_count, 0);
        for (size_t i = 0; i < r->diff.suspect_count; i++) {
            const struct hd_suspect *s = &r->diff.suspects[i];
            cr_expect_eq(s->basis == HD_BASIS_GRAPH, r->diff.by_graph);
            cr_expect_eq(s->retained != NULL, r->diff.by_graph);
            cr_expect_eq(s->holder != NULL, r->diff.by_graph);
            cr_expect_eq(s->rank, i + 1);
        }
        hd_report_free(r);
    }
}

Test(report_rank, a_table_that_is_not_fit_does_not_keep_graphs_from_counting)
{
    struct hd_snapshot *snaps[] = {shop(10), shop(20), shop_table(25), shop(30), shop(40)};
    snaps[2]->info.complete = false;
    struct hd_report *r = diff_of(snaps, 5, NULL);
    cr_expect(r->diff.by_graph);
    cr_expect_eq(r->diff.usable_count, 4);
    hd_report_free(r);
}

Test(report_rank, other_units_than_types_are_ranked_by_tables)
{
    static const enum hd_unit units[] = {HD_BY_NAMESPACE, HD_BY_MODULE, HD_BY_HOLDER};
    for (size_t i = 0; i < 3; i++) {
        struct hd_options opt = hd_default_options();
        opt.by = units[i];
        struct hd_report *r = shop_diff(&opt);
        cr_expect_not(r->diff.by_graph, "unit %zu", i);
        hd_report_free(r);
    }
}

Test(report_rank, an_unfit_snapshot_has_no_retained_size)
{
    struct hd_snapshot *snaps[] = {shop(10), shop(20), shop(5), shop(30), shop(40)};
    snaps[2]->info.complete = false;
    struct hd_report *r = diff_of(snaps, 5, NULL);
    cr_assert(r->diff.by_graph);
    cr_assert_eq(r->diff.suspect_count, 1);
    static const uint64_t orders[] = {10, 20, 5, 30, 40};
    for (size_t k = 0; k < 5; k++) {
        cr_expect_eq(r->diff.suspects[0].retained[k],
                     k == 2 ? HD_UNKNOWN : orders[k] * (96 + 40), "snapshot %zu", k);
        cr_expect_eq(r->diff.suspects[0].at[k].count, orders[k], "snapshot %zu", k);
    }
    hd_report_free(r);
}

Test(report_rank, exact_chains_have_no_instances_where_a_snapshot_is_not_fit)
{
    struct hd_snapshot *snaps[] = {shop(10), shop(20), shop(5), shop(30), shop(40)};
    snaps[2]->info.complete = false;
    struct hd_options opt = hd_default_options();
    opt.exact = true;
    struct hd_report *r = diff_of(snaps, 5, &opt);
    cr_assert_eq(r->diff.suspects[0].chains.len, 1);
    const uint64_t *instances = r->diff.suspects[0].chains.all[0].instances;
    cr_assert_not_null(instances);
    static const uint64_t orders[] = {10, 20, HD_UNKNOWN, 30, 40};
    for (size_t k = 0; k < 5; k++)
        cr_expect_eq(instances[k], orders[k], "snapshot %zu", k);
    hd_report_free(r);
}

/* --- suspects and the rest -------------------------------------------------------------
 */

Test(report_rank, suspects_have_at_least_the_minimum_share)
{
    struct hd_options opt = hd_default_options();
    opt.min_share = 30.0 * (96 + 40) / 5840;
    struct hd_report *r = shop_diff(&opt);
    cr_expect_eq(r->diff.suspect_count, 1, "as much as the minimum is enough");
    cr_expect_eq(r->diff.suspects[0].suspicion, HD_SUSPECT_SIZE);
    hd_report_free(r);
    opt.min_share += 1e-9;
    opt.min_steady_share = 0;
    r = shop_diff(&opt);
    cr_expect_eq(r->diff.suspect_count, 0);
    cr_assert_geq(r->diff.below_threshold_count, 1);
    cr_expect_str_eq(r->diff.below_threshold[0].type, "App.Order");
    cr_expect_eq(r->diff.below_threshold[0].rank, 1, "ranks are those without a minimum");
    cr_expect_eq(r->diff.below_threshold[0].chains.len, 0);
    hd_report_free(r);
}

Test(report_rank, even_growth_is_a_suspect_above_a_lower_threshold)
{
    struct hd_options opt = hd_default_options();
    opt.min_share = 0.9;
    opt.min_steady_bytes = 30 * (96 + 40);
    struct hd_report *r = shop_diff(&opt);
    cr_assert_eq(r->diff.suspect_count, 1);
    cr_expect_eq(r->diff.suspects[0].suspicion, HD_SUSPECT_STEADY);
    cr_expect_eq(r->diff.suspects[0].step_least, 10);
    cr_expect_eq(r->diff.suspects[0].step_most, 10);
    hd_report_free(r);
    opt.min_steady_bytes++;
    r = shop_diff(&opt);
    cr_expect_eq(r->diff.suspect_count, 0, "of bytes that are given the share is unused");
    hd_report_free(r);
}

Test(report_rank, buffers_that_a_pool_holds_have_no_rank)
{
    static const char *const pool[] = {"System.Buffers.SharedArrayPool<System.Byte>",
                                       "System.Byte[]", NULL};
    static const char *const cache[] = {"App.Cache", "System.Byte[]", NULL};
    struct hd_report *r = chain_diff(pool, NULL);
    cr_expect_eq(r->diff.suspect_count + r->diff.below_threshold_count, 0);
    cr_assert_eq(r->diff.pooled_count, 1);
    cr_expect_str_eq(r->diff.pooled[0].type, "System.Byte[]");
    cr_expect_eq(r->diff.pooled[0].rank, 0);
    cr_expect_eq(r->diff.pooled[0].retained[SHOPS - 1], 4000);
    cr_expect_eq(hd_report_suspects(r), 0);
    hd_report_free(r);
    r = chain_diff(cache, NULL);
    cr_expect_eq(r->diff.pooled_count, 0);
    cr_expect_eq(r->diff.suspect_count, 1);
    hd_report_free(r);
}

Test(report_rank, the_holder_is_the_path_in_the_last_snapshot_without_the_suspect)
{
    static const char *const chain[] = {"App.Cache", "App.Page", "App.Item", NULL};
    static const char *const holder[] = {"[static vars]", "[static var App.Cache.s_all]",
                                         "App.Cache", "App.Page"};
    struct hd_report *r = chain_diff(chain, NULL);
    cr_assert_eq(r->diff.suspect_count, 1);
    const struct hd_suspect *s = r->diff.suspects;
    cr_expect_str_eq(s->type, "App.Item");
    cr_assert_eq(s->holder_len, 4);
    for (size_t i = 0; i < 4; i++)
        cr_expect_str_eq(s->holder[i], holder[i], "%zu. is %s", i + 1, s->holder[i]);
    hd_report_free(r);
}

/* --- filters ---------------------------------------------------------------------------
 */

static void expect_excluded(const char *pattern, bool hidden)
{
    static const char *const chain[] = {"App.Cache", "System.Object[]", "System.String",
                                        NULL};
    struct hd_options opt = hd_default_options();
    opt.excludes = &pattern;
    opt.exclude_count = 1;
    struct hd_report *r = chain_diff(chain, &opt);
    cr_expect_eq(r->diff.suspect_count, !hidden, "%s", pattern);
    if (!hidden) {
        cr_expect_str_eq(r->diff.suspects[0].type, "System.String");
        cr_expect_str_eq(r->diff.suspects[0].title, "App.Cache", "%s",
                         r->diff.suspects[0].title);
    }
    hd_report_free(r);
}

Test(report_rank, excluding_the_type_or_the_class_of_the_title_hides_a_suspect)
{
    expect_excluded("System.String", true);
    expect_excluded("App.Cache", true);
    expect_excluded("App.Other", false);
    expect_excluded("System.Object[]", false);
}

Test(report_rank, a_type_of_the_framework_shows_if_its_title_is_of_the_program)
{
    static const char *const chain[] = {"App.Cache", "System.Object[]", "System.String",
                                        NULL};
    static const char *const cache[] = {"App.Cache"}, *const other[] = {"App.Other"};
    struct hd_options opt = hd_default_options();
    opt.app_only = true;
    struct hd_report *r = chain_diff(chain, &opt);
    cr_expect_eq(r->diff.suspect_count, 1);
    hd_report_free(r);
    opt = hd_default_options();
    opt.type_count = 1;
    opt.types = cache;
    r = chain_diff(chain, &opt);
    cr_expect_eq(r->diff.suspect_count, 1);
    hd_report_free(r);
    opt.types = other;
    r = chain_diff(chain, &opt);
    cr_expect_eq(r->diff.suspect_count, 0);
    hd_report_free(r);
}

/* --- survivors
 * ---------------------------------------------------------------------------- */

/* Old objects on the stack; those of the previous snapshot have the same addresses. */
static struct hd_snapshot *old_heap(uint32_t count, double multiplier)
{
    struct forge f = {0};
    for (uint32_t i = 0; i < count; i++) {
        node_id n = forge_object(&f, "App.Order", 96);
        forge_generation(&f, n, HD_GEN2);
        forge_root(&f, HD_ROOT_STACK, NULL, n);
    }
    if (multiplier > 1)
        forge_multiplier(&f, "App.Order", multiplier);
    struct hd_snapshot *snap = forge_finish(&f);
    snap->input = input_over("", 0); /* as all that have addresses, which are in it */
    return snap;
}

static void expect_survivors(struct hd_snapshot **snaps, uint64_t wanted)
{
    struct hd_report *r = diff_of(snaps, SHOPS, NULL);
    cr_assert(r->diff.by_graph);
    cr_assert_eq(r->diff.suspect_count, 1);
    cr_expect_eq(r->diff.suspects[0].survivors, wanted, "%llu",
                 (unsigned long long)r->diff.suspects[0].survivors);
    cr_assert_eq(r->diff.types.len, 1);
    cr_expect_eq(r->diff.types.rows[0].survivors, wanted);
    hd_report_free(r);
}

Test(report_rank, survivors_are_those_of_the_first_snapshot_that_are_in_the_last)
{
    struct hd_snapshot *snaps[] = {old_heap(10, 1), old_heap(20, 1), old_heap(30, 1),
                                   old_heap(40, 1)};
    expect_survivors(snaps, 10);
}

Test(report_rank, survivors_of_a_sample_are_unknown)
{
    for (size_t sampled = 0; sampled < SHOPS; sampled += SHOPS - 1) {
        struct hd_snapshot *snaps[SHOPS];
        for (size_t k = 0; k < SHOPS; k++)
            snaps[k] = old_heap(10 * ((uint32_t)k + 1), k == sampled ? 1.001 : 1);
        expect_survivors(snaps, HD_UNKNOWN);
    }
}

Test(report_rank, survivors_of_a_restarted_program_are_unknown)
{
    struct hd_snapshot *snaps[SHOPS];
    for (size_t k = 0; k < SHOPS; k++) {
        snaps[k] = old_heap(10 * ((uint32_t)k + 1), 1);
        snaps[k]->info.pid = k < 2 ? 7 : 8;
    }
    expect_survivors(snaps, HD_UNKNOWN);
}

/* App.Order, of which only some are held; the others are garbage. */
static struct hd_snapshot *half_held(uint32_t held, uint32_t all)
{
    struct forge f = {0};
    for (uint32_t i = 0; i < all; i++) {
        node_id n = forge_object(&f, "App.Order", 96);
        forge_generation(&f, n, HD_GEN2);
        if (i < held)
            forge_root(&f, HD_ROOT_STACK, NULL, n);
    }
    struct hd_snapshot *snap = forge_finish(&f);
    snap->input = input_over("", 0);
    return snap;
}

Test(report_rank, survivors_are_among_the_objects_that_are_counted)
{
    struct hd_snapshot *snaps[] = {half_held(1, 30), half_held(20, 30), half_held(30, 40),
                                   half_held(40, 40)};
    struct hd_options opt = hd_default_options();
    opt.reachable = true;
    struct hd_report *r = diff_of(snaps, SHOPS, &opt);
    cr_assert_eq(r->diff.types.len, 1);
    cr_expect_eq(r->diff.types.rows[0].at[0].count, 1);
    cr_expect_eq(r->diff.types.rows[0].survivors, 1);
    char *text = written(r, "text");
    expect_part(text, "≥ 100 %");
    free(text);
    hd_report_free(r);
}

Test(report_rank, survivors_of_a_first_snapshot_that_is_unfit_are_unknown)
{
    struct hd_snapshot *snaps[] = {old_heap(1, 1), old_heap(20, 1), old_heap(30, 1),
                                   old_heap(40, 1)};
    snaps[0]->info.complete = false;
    expect_survivors(snaps, HD_UNKNOWN);
}

Test(report_rank, without_addresses_survivors_are_unknown)
{
    struct hd_report *r = shop_diff(NULL);
    cr_expect_eq(r->diff.suspects[0].survivors, HD_UNKNOWN);
    hd_report_free(r);
}

/* --- memory outside the heap -----------------------------------------------------------
 */

/* Expects a warning, or none, for tables with these counts of a type. */
static void expect_native(const char *type, const uint64_t *counts, size_t len, bool warned)
{
    struct hd_snapshot *snaps[SHOPS];
    for (size_t k = 0; k < len; k++)
        snaps[k] = table_of(type, counts[k], 72 * counts[k]);
    struct hd_report *r = diff_of(snaps, len, NULL);
    cr_expect_eq(warns_of(r, "native-memory"), warned, "%s, %zu snapshots", type, len);
    hd_report_free(r);
}

Test(report_rank,
     holders_of_native_memory_are_reported_if_they_grow_in_all_of_three_or_more)
{
    static const uint64_t grows[] = {1, 2, 3, 4}, dips[] = {1, 3, 2, 4},
                          stays[] = {4, 4, 4, 4};
    static const char thread[] = "System.Threading.Thread";
    expect_native(thread, grows, 2, false);
    expect_native(thread, grows, 3, true);
    expect_native(thread, grows, 4, true);
    expect_native(thread, dips, 4, false);
    expect_native(thread, stays, 4, false);
    expect_native("App.MySafeHandle", grows, 3, true);
    expect_native("App.Order", grows, 4, false);
}

Test(report_rank, snapshots_that_are_not_fit_do_not_make_three)
{
    struct hd_snapshot *snaps[3];
    for (uint64_t k = 0; k < 3; k++)
        snaps[k] = table_of("System.Threading.Thread", k + 1, 72 * (k + 1));
    snaps[1]->info.complete = false;
    struct hd_report *r = diff_of(snaps, 3, NULL);
    cr_expect_eq(r->diff.usable_count, 2);
    cr_expect_not(warns_of(r, "native-memory"));
    hd_report_free(r);
}

/* --- real files
 * --------------------------------------------------------------------------- */

/* Files of an old writer and a new one: every report must terminate and be writable. */
static void expect_written_diff(const char *const *paths, const struct hd_options *opt)
{
    struct hd_snapshot *snaps[2];
    struct hd_error err = {0};
    for (size_t k = 0; k < 2; k++) {
        snaps[k] = hd_snapshot_open(paths[k], NULL, &err);
        cr_assert_not_null(snaps[k], "%s: %s", paths[k], err.message);
    }
    struct hd_report *r = diff_of(snaps, 2, opt);
    static const char *const formats[] = {"text", "json", "csv"};
    for (size_t i = 0; i < 3; i++)
        free(written(r, formats[i]));
    hd_report_free(r);
}

Test(report_rank, files_of_other_writers_are_compared)
{
    static const char *const pairs[][2] = {
        {"fixtures/gcdump-made/v5.gcdump", "fixtures/gcdump-made/ms_full.gcdump"},
        {"fixtures/gcdump-made/ms_full.gcdump", "fixtures/gcdump-made/v5.gcdump"},
        {"fixtures/gcdump-made/sampled.gcdump", "fixtures/gcdump-made/ms_full.gcdump"},
        {"fixtures/gcdump-made/tiny.gcdump", "fixtures/gcdump-made/sampled.gcdump"}};
    for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
        for (int exact = 0; exact < 2; exact++) {
            struct hd_options opt = hd_default_options();
            opt.exact = exact;
            opt.min_share = 0;
            expect_written_diff(pairs[i], &opt);
        }
}

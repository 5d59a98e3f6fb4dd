#include "render/written.h"
#include "support/asked.h"

#include <criterion/criterion.h>
#include <math.h>

static const struct hd_type_row *row_of(const struct hd_report *r, const char *type)
{
    for (size_t i = 0; i < r->diff.types.len; i++)
        if (strcmp(r->diff.types.rows[i].type, type) == 0)
            return &r->diff.types.rows[i];
    return NULL;
}

static const char *const framework[] = {"System.String"};
static const char *const orders[] = {"Order", "Order[]"};

/* --- rows ------------------------------------------------------------------------ */

Test(report_diff, rows_add_up_to_the_totals_of_every_snapshot)
{
    struct hd_report *r = shop_diff(NULL);
    cr_assert_eq(r->snapshot_count, SHOPS);
    for (size_t k = 0; k < SHOPS; k++) {
        struct hd_tally sum = {0};
        for (size_t i = 0; i < r->diff.types.len; i++) {
            sum.count += r->diff.types.rows[i].at[k].count;
            sum.bytes += r->diff.types.rows[i].at[k].bytes;
        }
        cr_expect_eq(sum.count, r->diff.types.totals[k].count);
        cr_expect_eq(sum.bytes, r->diff.types.totals[k].bytes);
        cr_expect_eq(r->diff.types.totals[k].count, r->snapshots[k].info.objects);
        cr_expect_eq(r->diff.types.totals[k].bytes, r->snapshots[k].info.bytes);
    }
    hd_report_free(r);
}

Test(report_diff, deltas_add_up_to_the_difference_of_the_totals)
{
    struct hd_snapshot *snaps[] = {shop(30), shop(10)}; /* some fall */
    struct hd_report *r = diff_of(snaps, 2, NULL);
    int64_t delta = 0;
    for (size_t i = 0; i < r->diff.types.len; i++)
        delta += (int64_t)r->diff.types.rows[i].at[1].bytes -
                 (int64_t)r->diff.types.rows[i].at[0].bytes;
    cr_expect_eq(delta, (int64_t)r->diff.types.totals[1].bytes -
                            (int64_t)r->diff.types.totals[0].bytes);
    cr_expect_lt(delta, 0);
    hd_report_free(r);
}

static void expect_order(enum hd_sort sort, const char *const *types, size_t count)
{
    struct hd_snapshot *snaps[2];
    struct forge f = {0};
    forge_row(&f, "Few", 1, 10);
    forge_row(&f, "Falls", 50, 5000);
    forge_row(&f, "Same", 5, 500);
    snaps[0] = forge_finish(&f);
    forge_row(&f, "Few", 2, 90010);
    forge_row(&f, "Falls", 10, 1000);
    forge_row(&f, "Same", 5, 500);
    forge_row(&f, "Large", 10, 200);
    forge_row(&f, "Many", 10, 100);
    forge_row(&f, "Also", 10, 100);
    snaps[1] = forge_finish(&f);
    struct hd_options opt = hd_default_options();
    opt.sort = sort;
    struct hd_report *r = diff_of(snaps, 2, &opt);
    cr_assert_eq(r->diff.types.len, count);
    for (size_t i = 0; i < count; i++)
        cr_expect_str_eq(r->diff.types.rows[i].type, types[i], "%d: %zu. is %s", sort,
                         i + 1, r->diff.types.rows[i].type);
    hd_report_free(r);
}

Test(report_diff, types_are_sorted_by_growth_then_bytes_then_name)
{
    static const char *const by_count[] = {"Large", "Also", "Many", "Few", "Same", "Falls"};
    static const char *const by_bytes[] = {"Few", "Large", "Also", "Many", "Same", "Falls"};
    static const char *const by_name[] = {"Also", "Falls", "Few", "Large", "Many", "Same"};
    expect_order(HD_SORT_DEFAULT, by_count, 6);
    expect_order(HD_SORT_COUNT, by_count, 6);
    expect_order(HD_SORT_BYTES, by_bytes, 6);
    expect_order(HD_SORT_NAME, by_name, 6);
}

Test(report_diff, without_bytes_counts_sort)
{
    struct hd_snapshot *snaps[2];
    struct forge f = {0};
    for (int k = 0; k < 2; k++) {
        forge_row(&f, "B", 1, HD_UNKNOWN);
        forge_row(&f, "A", 1 + 5 * (uint64_t)k, HD_UNKNOWN);
        snaps[k] = forge_finish(&f);
    }
    struct hd_options opt = hd_default_options();
    opt.sort = HD_SORT_BYTES;
    struct hd_report *r = diff_of(snaps, 2, &opt);
    cr_expect_str_eq(r->diff.types.rows[0].type, "A");
    cr_expect_not(r->diff.types.bytes_known);
    cr_expect_eq(r->diff.types.totals[0].bytes, HD_UNKNOWN);
    cr_assert_eq(r->diff.suspect_count, 1);
    cr_expect_float_eq(r->diff.suspects[0].score, 5, 1e-9);
    cr_expect_float_eq(r->diff.suspects[0].score_share, 5.0 / 7, 1e-9, "of all objects");
    hd_report_free(r);
}

/* --- suspects ------------------------------------------------------------------------ */

Test(report_diff, suspects_score_at_least_the_minimum_and_ranks_continue_below)
{
    struct hd_options opt = hd_default_options();
    opt.min_share = 0.2;
    struct hd_report *r = shop_table_diff(&opt);
    cr_assert_eq(r->diff.suspect_count, 2); /* 2880 and 1200 of 5840 bytes */
    cr_expect_str_eq(r->diff.suspects[0].type, "App.Order");
    cr_expect_float_eq(r->diff.suspects[0].score, 30 * 96, 1e-9);
    cr_expect_float_eq(r->diff.suspects[0].score_share, 30.0 * 96 / 5840, 1e-9, "%f",
                       r->diff.suspects[0].score_share);
    cr_expect_str_eq(r->diff.suspects[1].type, "System.String");
    cr_assert_eq(r->diff.below_threshold_count, 1);
    cr_expect_str_eq(r->diff.below_threshold[0].type, "App.Order[]");
    cr_expect_eq(r->diff.below_threshold[0].rank, 3);
    cr_expect_eq(hd_report_suspects(r), 2);
    hd_report_free(r);
}

Test(report_diff, a_minimum_in_bytes_counts_instead_of_the_share)
{
    struct hd_options opt = hd_default_options();
    opt.min_bytes = 2880;
    struct hd_report *r = shop_table_diff(&opt);
    cr_expect_eq(r->diff.suspect_count, 1, "as much as the minimum is enough");
    hd_report_free(r);
    opt.min_bytes = 2881;
    r = shop_table_diff(&opt);
    cr_expect_eq(r->diff.suspect_count, 0);
    cr_expect_eq(r->diff.below_threshold_count, 3);
    hd_report_free(r);
}

Test(report_diff, graphs_give_retained_size_and_holder_of_a_suspect)
{
    struct hd_report *r = shop_diff(NULL);
    cr_assert(r->diff.by_graph);
    cr_assert_eq(r->diff.suspect_count, 1, "strings and array are explained by the orders");
    const struct hd_suspect *s = r->diff.suspects;
    cr_expect_str_eq(s->type, "App.Order");
    cr_expect_float_eq(s->score, 30 * (96 + 40), 1e-9, "%f", s->score);
    cr_expect_float_eq(s->score_share, 30.0 * (96 + 40) / 5840, 1e-9);
    for (size_t k = 0; k < SHOPS; k++)
        cr_expect_eq(s->retained[k], 10 * (k + 1) * (96 + 40));
    cr_assert_gt(s->holder_len, 0);
    cr_expect_str_eq(s->holder[s->holder_len - 1], "App.Order[]");
    hd_report_free(r);
}

Test(report_diff, one_table_makes_it_a_ranking_of_tables)
{
    struct hd_snapshot *snaps[] = {shop(10), shop(20), shop_table(30), shop(40)};
    struct hd_report *r = diff_of(snaps, SHOPS, NULL);
    cr_expect_not(r->diff.by_graph);
    cr_assert_eq(r->diff.suspect_count, 3);
    cr_expect_float_eq(r->diff.suspects[0].score, 30 * 96, 1e-9);
    cr_expect_null(r->diff.suspects[0].retained);
    cr_expect_eq(r->diff.suspects[0].chains.len, 1, "the last one has its graph");
    hd_report_free(r);
}

Test(report_diff, suspects_have_chains_from_the_last_snapshot)
{
    struct hd_report *r = shop_diff(NULL);
    const struct hd_chains *chains = &r->diff.suspects[0].chains;
    cr_assert_eq(chains->len, 1);
    cr_expect_eq(chains->instances, 40);
    const struct hd_chain *c = &chains->all[0].chain;
    cr_expect_eq(c->kind, HD_ROOT_STATIC);
    cr_expect_str_eq(c->frames[c->frame_count - 1].types[0], "App.Order");
    hd_report_free(r);
    struct hd_options opt = hd_default_options();
    opt.chains = 0;
    r = shop_diff(&opt);
    cr_expect_eq(r->diff.suspects[0].chains.len, 0);
    hd_report_free(r);
}

/* --- filters ---------------------------------------------------------------------------
 */

static void expect_same_suspects(const struct hd_report *all, const struct hd_report *some)
{
    for (size_t i = 0; i < some->diff.suspect_count; i++) {
        const struct hd_suspect *s = &some->diff.suspects[i];
        const struct hd_suspect *of = &all->diff.suspects[s->rank - 1];
        cr_expect_str_eq(s->type, of->type);
        cr_expect(s->score == of->score && s->score_share == of->score_share);
    }
}

static void expect_filtered(const struct hd_options *opt, size_t types, size_t suspects)
{
    struct hd_report *all = shop_table_diff(NULL), *some = shop_table_diff(opt);
    cr_expect_eq(some->diff.types.len, types, "%zu types", some->diff.types.len);
    cr_expect_eq(some->diff.suspect_count, suspects, "%zu suspects",
                 some->diff.suspect_count);
    expect_same_suspects(all, some);
    for (size_t k = 0; k < SHOPS; k++) {
        cr_expect_eq(some->diff.types.totals[k].bytes, all->diff.types.totals[k].bytes);
        cr_expect_eq(some->diff.reachable[k].bytes, all->diff.reachable[k].bytes);
    }
    hd_report_free(all);
    hd_report_free(some);
}

Test(report_diff, filters_choose_rows_and_change_neither_ranks_nor_scores_nor_totals)
{
    struct hd_options opt = hd_default_options();
    opt.types = framework;
    opt.type_count = 1;
    expect_filtered(&opt, 1, 1);
    opt.types = orders;
    opt.type_count = 2;
    expect_filtered(&opt, 2, 2);
    opt.excludes = orders;
    opt.exclude_count = 1;
    expect_filtered(&opt, 1, 1);
    opt = hd_default_options();
    opt.app_only = true;
    expect_filtered(&opt, 3, 2);
    opt.types = framework;
    opt.type_count = 1;
    expect_filtered(&opt, 0, 0);
}

Test(report_diff, reachable_is_chosen_before_the_analysis)
{
    struct hd_snapshot *snaps[SHOPS];
    open_shops(snaps);
    struct hd_options opt = hd_default_options();
    opt.reachable = true;
    struct hd_report *r = diff_of(snaps, SHOPS, &opt);
    for (size_t k = 0; k < SHOPS; k++) {
        cr_expect_eq(r->diff.types.totals[k].bytes, r->snapshots[k].info.reachable_bytes);
        cr_expect_eq(r->diff.reachable[k].count, r->snapshots[k].info.reachable_objects);
    }
    hd_report_free(r);
}

Test(report_diff, rows_may_be_namespaces_with_chains)
{
    struct hd_options opt = hd_default_options();
    opt.by = HD_BY_NAMESPACE;
    struct hd_report *r = shop_diff(&opt);
    cr_expect_eq(r->diff.types.len, 2);
    const struct hd_type_row *app = row_of(r, "App");
    cr_assert_not_null(app);
    cr_expect_eq(app->at[0].count, 12);
    cr_assert_geq(r->diff.suspect_count, 1);
    cr_expect_str_eq(r->diff.suspects[0].type, "App");
    cr_expect_eq(r->diff.suspects[0].chains.instances, 42);
    hd_report_free(r);
}

/* --- judgement
 * ------------------------------------------------------------------------------ */

static bool warns(const struct hd_report *r, const char *code)
{
    size_t count;
    const struct hd_warning *all = hd_report_warnings(r, &count);
    bool found = false;
    for (size_t i = 0; i < count; i++)
        found |= strcmp(all[i].code, code) == 0;
    return found;
}

Test(report_diff, four_complete_snapshots_are_conclusive)
{
    struct hd_report *r = shop_diff(NULL);
    cr_expect(hd_report_conclusive(r));
    cr_expect_eq(r->diff.confidence, HD_CONFIDENCE_HIGH);
    cr_expect_not(warns(r, "few-snapshots"));
    hd_report_free(r);
}

Test(report_diff, three_are_not_enough_and_the_report_states_it)
{
    struct hd_snapshot *snaps[] = {shop(1), shop(2), shop(3)};
    struct hd_report *r = diff_of(snaps, 3, NULL);
    cr_expect_not(hd_report_conclusive(r));
    cr_expect(warns(r, "few-snapshots"));
    hd_report_free(r);
}

Test(report_diff, incomplete_and_sampled_snapshots_are_not)
{
    for (int sampled = 0; sampled < 2; sampled++) {
        struct hd_snapshot *snaps[SHOPS];
        open_shops(snaps);
        if (sampled)
            snaps[0]->info.sampled = true;
        else
            snaps[0]->info.complete = false;
        struct hd_report *r = diff_of(snaps, SHOPS, NULL);
        cr_expect_not(hd_report_conclusive(r));
        hd_report_free(r);
    }
}

Test(report_diff, warnings_name_their_snapshot)
{
    struct hd_snapshot *snaps[SHOPS];
    open_shops(snaps);
    warnings_add(&snaps[2]->warnings, WARN_INCOMPLETE, 7);
    struct hd_report *r = diff_of(snaps, SHOPS, NULL);
    size_t count;
    const struct hd_warning *w = hd_report_warnings(r, &count);
    cr_assert_eq(count, 1);
    cr_expect_str_eq(w->code, "incomplete");
    cr_expect_eq(w->snapshot, 2);
    cr_expect_str_eq(w->path, "forged");
    cr_expect_eq(w->count, 1);
    cr_expect_eq(w->line, 7);
    hd_report_free(r);
}

/* --- questions that cannot be answered
 * -------------------------------------------------------- */

static void expect_refused(size_t count, const struct hd_options *opt, unsigned snapshot)
{
    struct hd_snapshot *snaps[HD_MAX_SNAPSHOTS + 1] = {0};
    for (size_t k = 0; k < count; k++)
        snaps[k] = table_of("A", k + 1, 10);
    struct hd_error err = {0};
    cr_expect_null(ask_diff(snaps, count, opt, &err));
    cr_expect_eq(err.status, HD_USAGE);
    cr_expect_eq(err.snapshot, snapshot);
    cr_expect_null(ask_diff(snaps, count, opt, NULL));
    close_all(snaps, count);
}

Test(report_diff, one_or_more_than_fifty_snapshots_are_refused)
{
    expect_refused(1, NULL, 0);
    expect_refused(HD_MAX_SNAPSHOTS + 1, NULL, 0);
}

Test(report_diff, fifty_snapshots_are_compared)
{
    struct hd_snapshot *snaps[HD_MAX_SNAPSHOTS];
    for (uint64_t k = 0; k < HD_MAX_SNAPSHOTS; k++)
        snaps[k] = table_of("A", k + 1, 10 * (k + 1));
    struct hd_report *r = diff_of(snaps, HD_MAX_SNAPSHOTS, NULL);
    cr_assert_eq(r->diff.suspect_count, 1);
    cr_expect_float_eq(r->diff.suspects[0].score, 490, 1e-9);
    hd_report_free(r);
}

Test(report_diff, iterations_must_rise)
{
    struct hd_options opt = hd_default_options();
    opt.iterations = (const uint64_t[]){0, 20, 20};
    expect_refused(3, &opt, 0);
}

Test(report_diff, generations_that_are_unknown_are_refused)
{
    struct hd_options opt = hd_default_options();
    opt.gen2 = true;
    expect_refused(2, &opt, 1);
}

Test(report_diff, the_same_number_per_iteration_is_exact)
{
    struct hd_options opt = hd_default_options();
    opt.iterations = (const uint64_t[]){0, 5, 10, 15};
    struct hd_report *r = shop_diff(&opt);
    cr_expect_eq(r->diff.suspects[0].per_iteration, 2);
    cr_expect_eq(r->diff.iterations[3], 15);
    hd_report_free(r);
}

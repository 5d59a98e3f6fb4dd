/* The model of a report, through the public header only, as for users of the library. */
#include "support/asked.h"

#include <heapdrift.h>

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { MAX_FILES = 16 };

static size_t open_folder(const char *folder, struct hd_snapshot **snaps)
{
    struct hd_inputs inputs = {0};
    struct hd_error err = {0};
    size_t count = 0;
    cr_assert(hd_inputs_add(&inputs, folder, &err), "%s", err.message);
    for (size_t i = 0; i < inputs.count && count < MAX_FILES; i++) {
        struct hd_error not_one = {0};
        snaps[count] = hd_snapshot_open(inputs.all[i].path, NULL, &not_one);
        count += snaps[count] != NULL;
    }
    hd_inputs_free(&inputs);
    return count;
}

static void close_all(struct hd_snapshot **snaps, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hd_snapshot_close(snaps[i]);
}

/* --- what has to be so of any model ---------------------------------------- */

static void expect_parts(const struct hd_model *m)
{
    bool check = m->kind == HD_REPORT_CHECK, diff = check || m->kind == HD_REPORT_DIFF;
    cr_expect_eq(m->diff != NULL, diff);
    cr_expect_eq(m->check != NULL, check);
    cr_expect_eq(m->top != NULL, m->kind == HD_REPORT_TOP);
    cr_expect_eq(m->roots != NULL, m->kind == HD_REPORT_ROOTS);
    cr_expect_eq(m->processes != NULL, m->kind == HD_REPORT_PROCESSES);
    for (size_t i = 0; i < m->warning_count; i++)
        cr_expect_gt(strlen(m->warnings[i].code), 0);
}

static void expect_sums(const struct hd_model *m, const struct hd_type_table *t, bool whole)
{
    cr_assert_leq(t->shown, t->len);
    cr_expect_eq(t->others.rows, t->len - t->shown);
    cr_expect_eq(t->sum.rows, t->len);
    cr_expect_eq(t->is_whole, whole);
    for (size_t k = 0; k < m->snapshot_count; k++) {
        uint64_t count = t->others.at[k].count, bytes = t->others.at[k].bytes;
        for (size_t i = 0; i < t->shown; i++) {
            count += t->rows[i].at[k].count;
            bytes += t->rows[i].at[k].bytes;
        }
        cr_expect_eq(count, t->sum.at[k].count);
        cr_expect_eq(bytes, t->sum.at[k].bytes);
        cr_expect(!whole || count == t->totals[k].count);
        cr_expect(!whole || bytes == t->totals[k].bytes);
    }
    for (size_t i = 0; i < t->len; i++)
        cr_expect_not_null(hd_series_status_name(t->rows[i].status));
}

static void expect_chains(const struct hd_chains *all)
{
    for (size_t i = 0; i < all->len; i++) {
        const struct hd_chain_row *row = &all->all[i];
        const struct hd_chain *c = &row->chain;
        cr_expect_not_null(hd_root_kind_name(c->kind));
        cr_expect_eq(hd_chain_status_name(row->status) == NULL,
                     row->status == HD_CHAIN_UNKNOWN);
        cr_expect_eq(hd_service_name(c->service) == NULL, c->service == HD_SERVICE_NONE);
        cr_expect(c->low <= c->share && c->share <= c->high);
        cr_expect(c->owner_frame == HD_NO_OWNER || c->owner_frame < c->frame_count);
        for (size_t f = 0; f < c->frame_count; f++)
            cr_expect(c->frames[f].type_count >= 1 &&
                      c->frames[f].type_count <= HD_MAX_FRAME_TYPES);
    }
}

static void expect_diff(const struct hd_model *m, bool whole)
{
    const struct hd_diff *d = m->diff;
    expect_sums(m, &d->types, whole);
    cr_expect_not_null(hd_confidence_name(d->confidence));
    cr_expect_leq(d->usable_count, m->snapshot_count);
    cr_expect_leq(d->suspects_shown, d->suspect_count);
    for (size_t i = 0; i < d->suspect_count; i++) {
        const struct hd_suspect *s = &d->suspects[i];
        double sum = 0;
        for (size_t h = 0; h < s->head_count; h++)
            sum += s->heads[h].score;
        cr_expect(s->head_count == 0 || fabs(sum - s->score) <= 1e-6 * s->score);
        cr_expect_not_null(hd_basis_name(s->basis));
        cr_expect_not_null(hd_suspicion_name(s->suspicion));
        cr_expect(i == 0 || s->rank > d->suspects[i - 1].rank);
        expect_chains(&s->chains);
    }
    if (d->growth.known)
        cr_expect_eq(d->growth.bytes,
                     d->growth.suspects + d->growth.pools + d->growth.rest);
}

/* --- each kind of report ---------------------------------------------------- */

Test(model, of_a_diff_is_numbers_that_add_up)
{
    static const char *const pattern[] = {"System.*"};
    struct hd_snapshot *snaps[MAX_FILES];
    size_t count = open_folder("fixtures/leaklab/cache", snaps);
    cr_assert_geq(count, 4);
    for (int view = 0; view < 3; view++) {
        struct hd_options opt = hd_default_options();
        opt.types = pattern;
        opt.type_count = view == 1;
        opt.rows = view == 2 ? 3 : HD_DEFAULT_ROWS;
        struct hd_report *r = ask_diff(snaps, count, &opt, NULL);
        cr_assert_not_null(r);
        const struct hd_model *m = hd_report_model(r);
        cr_expect_eq(m->kind, HD_REPORT_DIFF);
        cr_expect_eq(m->snapshot_count, count);
        cr_expect_str_eq(hd_unit_name(m->by), "type");
        expect_parts(m);
        expect_diff(m, view != 1);
        cr_expect(view != 0 || m->diff->suspect_count > 0);
        cr_expect(view != 0 || m->diff->suspects[0].chains.len > 0);
        cr_expect_eq(m->diff->types.shown, view == 2 ? 3 : 20);
        hd_report_free(r);
    }
    close_all(snaps, count);
}

Test(model, of_a_check_has_the_diff_and_findings_with_reasons)
{
    struct hd_snapshot *snaps[MAX_FILES];
    size_t count = open_folder("fixtures/leaklab/cache", snaps);
    struct hd_budgets *b = hd_budgets_new();
    cr_assert(hd_budgets_add_option(b, "max-growth", "1%", NULL));
    cr_assert(hd_budgets_add_option(b, "budget", "No.Such.Type=5", NULL));
    struct hd_report *r = ask_check(snaps, count, NULL, b, NULL);
    cr_assert_not_null(r);
    const struct hd_model *m = hd_report_model(r);
    expect_parts(m);
    expect_diff(m, true);
    cr_assert_eq(m->check->rule_count, 2);
    const struct hd_finding *total = &m->check->rules[0], *type = &m->check->rules[1];
    cr_expect_eq(total->kind, HD_RULE_TOTAL);
    cr_expect_eq(total->status, HD_FOUND_FAIL);
    cr_expect_str_eq(hd_finding_status_name(total->status), "fail");
    cr_expect(total->limit.relative && total->limit.percent == 1);
    cr_expect(total->is_in_bytes);
    cr_expect_gt(total->observed_value, total->limit_value);
    cr_expect_eq(type->kind, HD_RULE_TYPE);
    cr_expect_str_eq(type->pattern, "No.Such.Type");
    cr_expect_eq(type->reason.code, HD_REASON_NO_MATCH);
    cr_expect_null(m->check->accepted);
    cr_expect_str_eq(hd_verdict_name(m->check->verdict), "fail");
    hd_report_free(r);
    hd_budgets_free(b);
    close_all(snaps, count);
}

Test(model, of_accepted_growth_is_data_too)
{
    struct hd_snapshot *snaps[MAX_FILES];
    size_t count = open_folder("fixtures/leaklab/cache", snaps);
    struct hd_budgets *b = hd_budgets_new();
    hd_budgets_accept(b);
    struct hd_report *r = ask_check(snaps, count, NULL, b, NULL);
    cr_assert_not_null(r);
    const struct hd_accepted_growth *g = hd_report_model(r)->check->accepted;
    cr_assert_not_null(g);
    cr_expect_eq(g->snapshots, count);
    cr_assert_gt(g->count, 2);
    cr_expect_eq(g->all[0].kind, HD_ACCEPTED_TOTAL);
    hd_budgets_free(b);
    cr_expect_str_eq(g->all[0].name, "bytes", "it does not need the budgets");
    hd_report_free(r);
    close_all(snaps, count);
}

Test(model, of_top_roots_and_info_has_no_other_kind)
{
    static const char *const type[] = {"System.String"};
    struct hd_snapshot *snaps[MAX_FILES];
    size_t count = open_folder("fixtures/leaklab/cache", snaps);
    struct hd_options opt = hd_default_options();
    struct hd_report *r = ask_top(snaps[0], &opt, NULL);
    cr_assert_not_null(r);
    const struct hd_model *m = hd_report_model(r);
    expect_parts(m);
    expect_sums(m, &m->top->types, true);
    cr_expect(m->top->types.rows[0].at[0].bytes >= m->top->types.rows[1].at[0].bytes);
    hd_report_free(r);
    opt.types = type;
    opt.type_count = 1;
    r = ask_roots(snaps, count, &opt, NULL);
    cr_assert_not_null(r);
    m = hd_report_model(r);
    expect_parts(m);
    cr_assert_eq(m->roots->matched_count, 1);
    cr_expect_str_eq(m->roots->matched[0], "System.String");
    cr_expect_str_eq(hd_report_shown(r, "System.String"), "System.String");
    cr_expect_gt(m->roots->chains.len, 0);
    expect_chains(&m->roots->chains);
    hd_report_free(r);
    struct hd_info_entry entries[] = {{.path = "a", .snap = snaps[0]},
                                      {.path = "b", .error = {.status = HD_IO}}};
    r = ask_info(entries, 2);
    m = hd_report_model(r);
    expect_parts(m);
    cr_assert_eq(m->snapshot_count, 2);
    cr_expect_eq(m->snapshots[0].error.status, HD_OK);
    cr_expect_eq(m->snapshots[1].error.status, HD_IO);
    hd_report_free(r);
    struct hd_processes none = {0};
    r = hd_report_processes(&none);
    expect_parts(hd_report_model(r));
    cr_expect_eq(hd_report_model(r)->processes->count, 0);
    hd_report_free(r);
    close_all(snaps, count);
}

Test(model, has_a_word_for_every_number_and_none_for_others)
{
    for (int i = 0; i <= HD_ROOT_KIND_COUNT; i++)
        cr_expect_eq(hd_root_kind_name((enum hd_root_kind)i) != NULL,
                     i < HD_ROOT_KIND_COUNT);
    for (int i = 0; i <= HD_GENERATION_COUNT; i++)
        cr_expect_eq(hd_generation_name((enum hd_generation)i) != NULL,
                     i < HD_GENERATION_COUNT);
    for (int i = 0; i <= HD_SERIES_STATUS_COUNT; i++)
        cr_expect_eq(hd_series_status_name((enum hd_series_status)i) != NULL,
                     i < HD_SERIES_STATUS_COUNT);
    for (int i = 0; i <= HD_FINDING_STATUS_COUNT; i++)
        cr_expect_eq(hd_finding_status_name((enum hd_finding_status)i) != NULL,
                     i < HD_FINDING_STATUS_COUNT);
    cr_expect_str_eq(hd_basis_name(HD_BASIS_TYPE), "type");
    cr_expect_null(hd_basis_name((enum hd_basis)3));
    cr_expect_null(hd_suspicion_name(HD_SUSPECT_NOT));
    cr_expect_str_eq(hd_unit_name(HD_BY_HOLDER), "holder");
    cr_expect_null(hd_unit_name((enum hd_unit)4));
    cr_expect_null(hd_verdict_name((enum hd_verdict)3));
    cr_expect_null(hd_confidence_name((enum hd_confidence)3));
}

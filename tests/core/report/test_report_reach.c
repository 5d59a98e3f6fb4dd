/* Results do not depend on when reachability is computed: while reading or for the report.
 */
#include "render/written.h"

#include <criterion/criterion.h>

enum { SNAPSHOTS = 3 };

/* A growing list; all except the last snapshot are mostly garbage. */
static struct hd_snapshot *list_with_garbage(uint32_t k, bool later)
{
    struct forge f = {.reach_later = later};
    uint32_t items = 10 * (k + 1);
    node_id list = forge_object(&f, "App.List", 24);
    node_id item = forge_objects(&f, "App.Item", 48, items);
    forge_objects(&f, "App.Garbage", 16, k + 1 < SNAPSHOTS ? 100 : 5);
    for (uint32_t i = 0; i < items; i++)
        forge_reference(&f, list, item + i);
    forge_root(&f, HD_ROOT_STATIC, "App.Program.s_list", list);
    return forge_finish(&f);
}

static void open_all(struct hd_snapshot **snaps, bool later)
{
    for (uint32_t k = 0; k < SNAPSHOTS; k++)
        snaps[k] = list_with_garbage(k, later);
}

static void expect_same(struct hd_report *early, struct hd_report *late)
{
    char *wanted = written(early, "json");
    cr_expect(strstr(wanted, "mostly-unreachable") != NULL, "%s", wanted);
    expect_written(late, "json", wanted);
    free(wanted);
    hd_report_free(early);
    hd_report_free(late);
}

static void expect_same_diff(const struct hd_options *opt)
{
    struct hd_snapshot *early[SNAPSHOTS], *late[SNAPSHOTS];
    open_all(early, false);
    open_all(late, true);
    struct hd_read_options how = {.threads = 2};
    struct hd_comparison *side_by_side = hd_comparison_of(late, SNAPSHOTS, &how);
    char *wanted = NULL;
    struct hd_report *r = hd_report_diff(side_by_side, opt, NULL);
    hd_comparison_free(side_by_side);
    struct hd_report *one = ask_diff(early, SNAPSHOTS, opt, NULL);
    wanted = written(one, "json");
    expect_written(r, "json", wanted);
    free(wanted);
    hd_report_free(r);
    hd_report_free(one);
    close_all(late, SNAPSHOTS);
    open_all(late, true);
    expect_same(diff_of(early, SNAPSHOTS, opt), diff_of(late, SNAPSHOTS, opt));
}

Test(report_reach, of_a_diff_is_the_same_whenever_it_is_computed)
{
    struct hd_options opt = hd_default_options();
    expect_same_diff(&opt);
    opt.reachable = true;
    expect_same_diff(&opt);
}

Test(report_reach, of_groups_of_types_and_holders_too)
{
    struct hd_options opt = hd_default_options();
    opt.by = HD_BY_NAMESPACE;
    expect_same_diff(&opt);
    opt.by = HD_BY_HOLDER;
    expect_same_diff(&opt);
}

Test(report_reach, of_one_snapshot_too)
{
    static const enum hd_unit units[] = {HD_BY_TYPE, HD_BY_NAMESPACE, HD_BY_HOLDER};
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        for (int reachable = 0; reachable < 2; reachable++) {
            struct hd_options opt = hd_default_options();
            opt.by = units[i];
            opt.reachable = reachable;
            expect_same(top_of(list_with_garbage(0, false), &opt),
                        top_of(list_with_garbage(0, true), &opt));
        }
}

Test(report_reach, of_a_check_too)
{
    struct hd_snapshot *early[SNAPSHOTS], *late[SNAPSHOTS];
    struct hd_options opt = hd_default_options();
    struct hd_budgets *of_early = hd_budgets_new(), *of_late = hd_budgets_new();
    open_all(early, false);
    open_all(late, true);
    expect_same(check_of(early, SNAPSHOTS, &opt, of_early),
                check_of(late, SNAPSHOTS, &opt, of_late));
}

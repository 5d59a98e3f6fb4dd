#include "render/written.h"
#include "support/asked.h"

#include <criterion/criterion.h>

static struct hd_snapshot *some_types(void)
{
    struct forge f = {0};
    forge_row(&f, "Many", 100, 1000);
    forge_row(&f, "Large", 1, 5000);
    forge_row(&f, "B", 3, 300);
    forge_row(&f, "A", 3, 300);
    forge_row(&f, "More", 4, 300);
    return forge_finish(&f);
}

static void expect_order(struct hd_snapshot *snap, enum hd_sort sort,
                         const char *const *types)
{
    struct hd_options opt = hd_default_options();
    opt.sort = sort;
    struct hd_report *r = top_of(snap, &opt);
    for (size_t i = 0; i < r->top.types.len; i++)
        cr_expect_str_eq(r->top.types.rows[i].type, types[i], "%zu. is %s", i + 1,
                         r->top.types.rows[i].type);
    hd_report_free(r);
}

Test(report_top, rows_are_sorted_by_bytes_then_count_then_name)
{
    static const char *const by_bytes[] = {"Large", "Many", "More", "A", "B"};
    static const char *const by_count[] = {"Many", "More", "A", "B", "Large"};
    static const char *const by_name[] = {"A", "B", "Large", "Many", "More"};
    expect_order(some_types(), HD_SORT_DEFAULT, by_bytes);
    expect_order(some_types(), HD_SORT_BYTES, by_bytes);
    expect_order(some_types(), HD_SORT_COUNT, by_count);
    expect_order(some_types(), HD_SORT_NAME, by_name);
}

Test(report_top, rows_without_bytes_follow_the_others_by_count)
{
    struct forge f = {0};
    forge_row(&f, "Unknown few", 1, HD_UNKNOWN);
    forge_row(&f, "Unknown many", 10, HD_UNKNOWN);
    forge_row(&f, "Known", 1, 5);
    static const char *const wanted[] = {"Known", "Unknown many", "Unknown few"};
    expect_order(forge_finish(&f), HD_SORT_DEFAULT, wanted);
}

Test(report_top, rows_add_up_to_the_heap)
{
    struct hd_report *r = top_of(shop(5), NULL);
    struct hd_tally sum = {0};
    for (size_t i = 0; i < r->top.types.len; i++) {
        sum.count += r->top.types.rows[i].at->count;
        sum.bytes += r->top.types.rows[i].at->bytes;
    }
    cr_expect_eq(sum.count, r->top.types.totals[0].count);
    cr_expect_eq(sum.bytes, r->top.types.totals[0].bytes);
    cr_expect_eq(sum.bytes, r->snapshots[0].info.bytes);
    cr_expect(hd_report_conclusive(r), "one complete snapshot is enough");
    hd_report_free(r);
}

/* Arrays of 1,000 bytes represent a hundred each; objects below them represent themselves.
 */
static struct hd_snapshot *sampled_arrays(int arrays)
{
    struct forge f = {.sampled = true};
    node_id cache = forge_object(&f, "App.Cache", 24);
    for (int i = 0; i < arrays; i++) {
        node_id array = forge_object(&f, "System.Byte[]", 1000);
        forge_reference(&f, cache, array);
        forge_reference(&f, array, forge_object(&f, "App.Tail", 40));
    }
    forge_multiplier(&f, "System.Byte[]", 100.1);
    forge_root(&f, HD_ROOT_STATIC, "App.s_cache", cache);
    return forge_finish(&f);
}

Test(report_top, the_retained_size_of_a_sample_is_scaled_like_its_own_size)
{
    struct hd_report *r = top_of(sampled_arrays(10), NULL);
    for (size_t i = 0; i < r->top.types.len; i++) {
        const struct hd_type_row *row = &r->top.types.rows[i];
        uint64_t wanted = strcmp(row->type, "App.Tail") == 0        ? 400
                          : strcmp(row->type, "System.Byte[]") == 0 ? 1001000 + 400
                                                                    : 1001000 + 400 + 24;
        cr_expect_eq(row->retained, wanted, "%s: %llu", row->type,
                     (unsigned long long)row->retained);
        cr_expect_geq(row->retained, row->at->bytes, "%s", row->type);
    }
    hd_report_free(r);
}

Test(report_top, the_retained_size_of_a_sample_is_the_same_in_diff)
{
    struct hd_snapshot *snaps[] = {sampled_arrays(10), sampled_arrays(20),
                                   sampled_arrays(30), sampled_arrays(40)};
    struct hd_report *top = top_of(sampled_arrays(40), NULL);
    struct hd_report *diff = diff_of(snaps, 4, NULL);
    cr_assert_geq(diff->diff.suspect_count, 1);
    cr_expect_str_eq(diff->diff.suspects[0].type, "System.Byte[]");
    for (size_t i = 0; i < top->top.types.len; i++)
        if (strcmp(top->top.types.rows[i].type, "System.Byte[]") == 0)
            cr_expect_eq(top->top.types.rows[i].retained,
                         diff->diff.suspects[0].retained[3]);
    hd_report_free(diff);
    hd_report_free(top);
}

Test(report_top, filters_choose_rows_only)
{
    static const char *const pattern[] = {"App.*"};
    struct hd_options opt = hd_default_options();
    opt.types = pattern;
    opt.type_count = 1;
    struct hd_report *r = top_of(shop(5), &opt);
    cr_expect_eq(r->top.types.len, 3);
    cr_expect_eq(r->top.types.totals[0].bytes, r->snapshots[0].info.bytes);
    hd_report_free(r);
}

Test(report_top, objects_without_a_root_can_be_left_out)
{
    struct forge f = {0};
    forge_object(&f, "App.Lost", 24);
    forge_root(&f, HD_ROOT_STACK, NULL, forge_object(&f, "App.Held", 40));
    struct hd_options opt = hd_default_options();
    opt.reachable = true;
    struct hd_report *r = top_of(forge_finish(&f), &opt);
    cr_assert_eq(r->top.types.len, 1);
    cr_expect_str_eq(r->top.types.rows[0].type, "App.Held");
    cr_expect_eq(r->top.types.totals[0].bytes, 40);
    hd_report_free(r);
}

Test(report_top, options_that_the_snapshot_lacks_data_for_are_refused)
{
    struct hd_snapshot *snap = some_types();
    struct hd_options opt = hd_default_options();
    struct hd_error err = {0};
    opt.reachable = true;
    cr_expect_null(ask_top(snap, &opt, &err));
    cr_expect_eq(err.status, HD_USAGE);
    cr_expect_eq(err.snapshot, 1);
    hd_snapshot_close(snap);
}

Test(report_top, an_empty_heap_has_no_rows)
{
    struct forge f = {0};
    struct hd_report *r = top_of(forge_finish(&f), NULL);
    cr_expect_eq(r->top.types.len, 0);
    cr_expect_eq(r->top.types.totals[0].count, 0);
    static const char *const formats[] = {"text", "json", "csv", "tsv", "md"};
    for (size_t i = 0; i < 5; i++)
        free(written(r, formats[i]));
    hd_report_free(r);
}

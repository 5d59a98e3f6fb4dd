/* Reports in which a thousand types leak, each with its own chain: every writer prints each
 * of them once. */
#include "render/written.h"

enum { MANY = 1000, SNAPSHOTS = 3 };

/* [static var App.Type7.s_all] -> App.Type7[] -> App.Type7; `each` objects of
 * every type. */
static struct hd_snapshot *heap_of(uint32_t each)
{
    struct forge f = {0};
    char name[64];
    for (uint32_t i = 0; i < MANY; i++) {
        snprintf(name, sizeof(name), "App.Type%u[]", i);
        node_id array = forge_object(&f, name, 16 + 8 * (uint64_t)each);
        snprintf(name, sizeof(name), "App.Type%u", i);
        node_id first = forge_objects(&f, name, 24 + 8 * (uint64_t)i, each);
        for (uint32_t n = 0; n < each; n++)
            forge_reference(&f, array, first + n);
        snprintf(name, sizeof(name), "App.Type%u.s_all", i);
        forge_root(&f, HD_ROOT_STATIC, name, array);
    }
    return forge_finish(&f);
}

static void open_heaps(struct hd_snapshot *snaps[SNAPSHOTS])
{
    for (uint32_t k = 0; k < SNAPSHOTS; k++)
        snaps[k] = heap_of(1 + k);
}

static struct hd_options all_of_them(void)
{
    struct hd_options opt = hd_default_options();
    opt.rows = 0;
    opt.min_share = 0;
    return opt;
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part))
        count++;
    return count;
}

Test(many_types, are_sorted_by_retained_size_and_written)
{
    struct hd_snapshot *snaps[SNAPSHOTS];
    struct hd_options opt = all_of_them();
    opt.sort = HD_SORT_RETAINED;
    open_heaps(snaps);
    struct hd_report *r = diff_of(snaps, SNAPSHOTS, &opt);
    const struct hd_diff *d = &r->diff;
    cr_assert_eq(d->suspect_count, MANY);
    cr_assert_eq(d->suspects_shown, MANY);
    cr_assert_geq(d->types.len, MANY);
    for (uint32_t i = 0; i < MANY; i++) { /* elements grow in the same way as the array */
        char name[64];
        snprintf(name, sizeof(name), "App.Type%u", MANY - 1 - i);
        cr_assert_eq(strncmp(d->types.rows[i].type, name, strlen(name)), 0, "%u: %s", i,
                     d->types.rows[i].type);
    }
    char *md = written(r, "md");
    cr_expect_eq(count_of(md, ".s_all]"), MANY, "a chain each");
    expect_part(md, "App.Type0.s_all]");
    expect_part(md, "App.Type999.s_all]");
    free(md);
    hd_report_free(r);
}

Test(many_types, that_fail_a_rule_are_listed_with_their_chains_below)
{
    struct hd_snapshot *snaps[SNAPSHOTS];
    struct hd_options opt = all_of_them();
    struct hd_budgets *b = hd_budgets_new();
    cr_assert(hd_budgets_add_option(b, "budget", "App.Type*=0", NULL));
    open_heaps(snaps);
    struct hd_report *r = check_of(snaps, SNAPSHOTS, &opt, b);
    const struct hd_check *check = &r->check;
    cr_assert_eq(check->verdict, HD_FAIL);
    cr_assert_eq(check->rule_count, MANY);
    char *text = written(r, "text");
    cr_expect_eq(count_of(text, "type App.Type*: App.Type"), MANY);
    free(text);
    char *md = written(r, "md");
    cr_expect_eq(count_of(md, "as above"), 0);
    free(md);
    hd_report_free(r);
}

Test(many_types, in_one_snapshot_are_rows_of_a_table)
{
    struct hd_options opt = all_of_them();
    struct hd_report *r = top_of(heap_of(2), &opt);
    char *csv = written(r, "csv");
    cr_expect_eq(count_of(csv, "\n"), 2 * MANY + 1, "a head, arrays and elements");
    free(csv);
    hd_report_free(r);
}

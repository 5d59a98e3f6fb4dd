/* Objects that count when snapshots contain garbage, and chains separated by fields, for
 * each combination of snapshots. */
#include "report/report.h"
#include "support/forge.h"

#include <criterion/criterion.h>
#include <string.h>

enum kind { LIVE, DUMP, DUMP_WITHOUT_ROOTS, TABLE };

enum { HELD = 6, LOST = 4 };

/* Orders in a static list, and unreachable ones, except in a gcdump. */
static struct hd_snapshot *snapshot_of(enum kind kind, uint32_t more)
{
    struct forge f = {0};
    if (kind == TABLE) {
        forge_row(&f, "App.Order", HELD + LOST + more, 32 * (HELD + LOST + more));
        return forge_finish(&f);
    }
    node_id list = forge_object(&f, "App.Order[]", 64);
    node_id orders =
        forge_objects(&f, "App.Order", 32, HELD + more + (kind == LIVE ? 0 : LOST));
    for (node_id i = 0; i < HELD + more; i++) {
        if (kind == LIVE)
            forge_reference(&f, list, orders + i);
        else
            forge_reference_by(&f, list, "[]", orders + i);
    }
    if (kind != DUMP_WITHOUT_ROOTS)
        forge_root(&f, HD_ROOT_STATIC, "App.s_all", list);
    struct hd_snapshot *snap = forge_finish(&f);
    snap->info.holds_garbage = kind != LIVE;
    return snap;
}

static bool is_warned(const struct hd_report *r, const char *code)
{
    size_t count;
    const struct hd_warning *all = hd_report_warnings(r, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i].code, code) == 0)
            return true;
    return false;
}

static uint64_t orders_in(const struct hd_type_table *t, size_t k)
{
    for (size_t i = 0; i < t->len; i++)
        if (strcmp(t->rows[i].type, "App.Order") == 0)
            return t->rows[i].at[k].count;
    return 0;
}

static const struct combination {
    enum kind first, last;
    bool reachable;  /* only reachable objects count */
    bool warned;     /* about counting garbage */
    bool fields;     /* chains are separated by fields */
    uint64_t orders; /* in the first */
} combinations[] = {
    {LIVE, LIVE, false, false, false, HELD},
    {LIVE, DUMP, true, false, false, HELD},
    {LIVE, DUMP_WITHOUT_ROOTS, false, true, false, HELD},
    {LIVE, TABLE, false, false, false, HELD},
    {DUMP, LIVE, true, false, false, HELD},
    {DUMP, DUMP, true, false, true, HELD},
    {DUMP, DUMP_WITHOUT_ROOTS, false, true, true, HELD + LOST},
    {DUMP, TABLE, false, true, false, HELD + LOST},
    {DUMP_WITHOUT_ROOTS, DUMP, false, true, true, HELD + LOST},
    {DUMP_WITHOUT_ROOTS, DUMP_WITHOUT_ROOTS, false, true, true, HELD + LOST},
    {TABLE, DUMP, false, true, false, HELD + LOST},
    {TABLE, TABLE, false, false, false, HELD + LOST},
};

Test(report_garbage, each_combination_counts_what_all_its_snapshots_have)
{
    for (size_t i = 0; i < sizeof(combinations) / sizeof(*combinations); i++) {
        const struct combination *c = &combinations[i];
        struct hd_snapshot *snaps[] = {snapshot_of(c->first, 0), snapshot_of(c->last, 2)};
        struct hd_comparison *pair = hd_comparison_of(snaps, 2, NULL);
        struct hd_options opt = hd_default_options();
        opt.fields = true;
        struct hd_report *r = hd_report_diff(pair, &opt, NULL);
        cr_assert_not_null(r);
        const struct hd_model *m = hd_report_model(r);
        cr_expect_eq(m->counts_reachable, c->reachable, "%zu", i);
        cr_expect_eq(orders_in(&m->diff->types, 0), c->orders, "%zu", i);
        cr_expect_eq(is_warned(r, "garbage-counted"), c->warned, "%zu", i);
        cr_expect_eq(is_warned(r, "fields-unknown"), !c->fields, "%zu", i);
        cr_expect_eq(r->options.fields, c->fields, "%zu", i);
        hd_report_free(r);
        hd_comparison_free(pair);
        for (size_t k = 0; k < 2; k++)
            hd_snapshot_close(snaps[k]);
    }
}

/* A question to one dump, with the given selection. */
static struct hd_report *ask(struct hd_snapshot **snap, struct hd_comparison **one,
                             struct hd_report *(*question)(struct hd_comparison *,
                                                           const struct hd_options *,
                                                           struct hd_error *))
{
    static const char *const order[] = {"App.Order"};
    struct hd_options opt = hd_default_options();
    opt.types = order;
    opt.type_count = 1;
    *snap = snapshot_of(DUMP, 0);
    *one = hd_comparison_of(snap, 1, NULL);
    struct hd_report *r = question(*one, &opt, NULL);
    cr_assert_not_null(r);
    return r;
}

Test(report_garbage, top_roots_and_tree_leave_garbage_out)
{
    struct hd_snapshot *snap;
    struct hd_comparison *one;
    struct hd_report *r = ask(&snap, &one, hd_report_top);
    cr_expect_eq(orders_in(&hd_report_model(r)->top->types, 0), HELD);
    cr_expect(hd_report_model(r)->counts_reachable);
    cr_expect_eq(hd_report_model(r)->snapshots[0].info.objects, 1 + HELD + LOST);
    hd_report_free(r);
    hd_comparison_free(one);
    hd_snapshot_close(snap);

    r = ask(&snap, &one, hd_report_roots);
    cr_expect_eq(hd_report_model(r)->roots->instances[0].count, HELD);
    cr_expect_eq(hd_report_model(r)->roots->chains.len, 1);
    hd_report_free(r);
    hd_comparison_free(one);
    hd_snapshot_close(snap);

    r = ask(&snap, &one, hd_report_tree);
    cr_expect(hd_report_model(r)->counts_reachable);
    cr_expect_eq(hd_report_model(r)->tree->nodes[1].owned[0].count, HELD);
    hd_report_free(r);
    hd_comparison_free(one);
    hd_snapshot_close(snap);
}

/* --- fields in trees ------------------------------------------------------------- */

enum { SESSIONS = 10 };

/* Sessions with an order each in one field, and every second with another in the second. */
static struct hd_snapshot *shop(void)
{
    struct forge f = {0};
    node_id all = forge_object(&f, "App.Session[]", 96);
    node_id sessions = forge_objects(&f, "App.Session", 40, SESSIONS);
    forge_root(&f, HD_ROOT_STATIC, "App.Store.s_all", all);
    for (node_id i = 0; i < SESSIONS; i++) {
        forge_reference_by(&f, all, "[]", sessions + i);
        node_id order = forge_object(&f, "App.Order", 400);
        forge_reference_by(&f, sessions + i, "Current", order);
        if (i % 2 == 0)
            forge_reference_by(&f, sessions + i, "Extra.Item2",
                               forge_object(&f, "App.Order", 400));
    }
    return forge_finish(&f);
}

static const struct hd_tree_node *node_named(const struct hd_tree *t, const char *type,
                                             size_t number)
{
    for (size_t i = 0; i < t->len; i++)
        if (t->nodes[i].type != NULL && strcmp(t->nodes[i].type, type) == 0 &&
            number-- == 0)
            return &t->nodes[i];
    return NULL;
}

Test(report_garbage,
     a_place_has_the_field_of_most_objects_and_is_separated_by_fields_on_request)
{
    for (int parts = 0; parts < 2; parts++) {
        struct hd_snapshot *snap = shop();
        struct hd_comparison *one = hd_comparison_of(&snap, 1, NULL);
        struct hd_options opt = hd_default_options();
        opt.fields = parts;
        struct hd_report *r = hd_report_tree(one, &opt, NULL);
        cr_assert_not_null(r);
        const struct hd_tree *t = hd_report_model(r)->tree;
        const struct hd_tree_node *first = node_named(t, "App.Order", 0);
        const struct hd_tree_node *second = node_named(t, "App.Order", 1);
        cr_assert_not_null(first);
        cr_expect_str_eq(node_named(t, "App.Session", 0)->field, "[]");
        cr_expect_str_eq(first->field, "Current");
        cr_expect_float_eq(first->field_share, parts ? 1 : 2.0 / 3, 1e-9);
        cr_expect_eq(second != NULL, parts);
        if (second != NULL)
            cr_expect_str_eq(second->field, "Extra.Item2");
        hd_report_free(r);
        hd_comparison_free(one);
        hd_snapshot_close(snap);
    }
}

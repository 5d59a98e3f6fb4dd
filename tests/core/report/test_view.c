/* Views of one answer: selection, order and number of rows, and their sums including
 * others. */
#include "render/written.h"
#include "report/phrases.h"
#include "report/view.h"

#include <criterion/criterion.h>

enum { TYPES = 6, POINTS = 2 };

static struct hd_tally numbers[TYPES][POINTS] = {
    {{10, 100}, {30, 300}},   /* App.Order */
    {{5, 50}, {5, 60}},       /* App.Shop */
    {{7, 70}, {2, 20}},       /* App.Basket */
    {{100, 900}, {150, 990}}, /* System.String */
    {{0, 0}, {40, 10}},       /* System.Int32[] */
    {{1, 1}, {1, 1}},         /* Zebra */
};
static struct hd_tally totals[POINTS] = {{123, 1121}, {228, 1381}};
static struct hd_type_row rows[TYPES] = {
    {.type = "App.Order", .at = numbers[0], .retained = 5},
    {.type = "App.Shop", .at = numbers[1], .retained = 900},
    {.type = "App.Basket", .at = numbers[2], .retained = 1},
    {.type = "System.String", .at = numbers[3], .retained = HD_UNKNOWN},
    {.type = "System.Int32[]", .at = numbers[4], .retained = 7},
    {.type = "Zebra", .at = numbers[5], .retained = 2},
};
static struct hd_suspect suspects[] = {
    {.rank = 1,
     .type = "System.String",
     .title = "App.Order",
     .suspicion = HD_SUSPECT_SIZE},
    {.rank = 3, .type = "Zebra", .title = "Zebra", .suspicion = HD_SUSPECT_STEADY},
};
static struct hd_suspect below_threshold[] = {
    {.rank = 2, .type = "App.Shop", .title = "App.Shop"},
};
static struct hd_suspect pooled[] = {
    {.type = "System.Byte[]", .title = "System.Byte[]", .suspicion = HD_SUSPECT_SIZE},
};
static struct hd_leveled_off leveled_off[] = {
    {.type = "App.Basket", .title = "App.Basket"},
    {.type = "System.Char[]", .title = "System.Char[]"},
    {.type = "A", .title = "A"},
    {.type = "B", .title = "B"},
};

static const struct hd_diff found = {
    .suspects = suspects,
    .suspect_count = 2,
    .below_threshold = below_threshold,
    .below_threshold_count = 1,
    .pooled = pooled,
    .pooled_count = 1,
    .leveled_off = leveled_off,
    .leveled_off_count = 4,
    .types = {.rows = rows, .len = TYPES, .totals = totals, .bytes_known = true},
};

static struct hd_report model_of(struct hd_diff diff)
{
    return (struct hd_report){.kind = HD_REPORT_DIFF,
                              .snapshot_count = POINTS,
                              .found.diff = found,
                              .diff = diff};
}

static struct hd_report seen(const struct view *v, uint32_t most, struct arena *a)
{
    struct hd_report r = model_of((struct hd_diff){0});
    r.diff = view_diff(&r.found.diff, v, &r, a);
    view_cut(&r, most, a);
    return r;
}

static void expect_order(const struct hd_type_table *t, const char *wanted)
{
    struct text got = {0};
    for (size_t i = 0; i < t->len; i++) {
        text_add_string(&got, i > 0 ? " " : "");
        text_add_string(&got, t->rows[i].type);
    }
    cr_expect_str_eq(text_string(&got), wanted, "%s", text_string(&got));
    text_free(&got);
}

Test(view, shows_rows_in_the_order_that_is_asked_for)
{
    static const char *const of_diff[] = {
        [HD_SORT_DEFAULT] =
            "System.String System.Int32[] App.Order App.Shop Zebra App.Basket",
        [HD_SORT_COUNT] =
            "System.String System.Int32[] App.Order App.Shop Zebra App.Basket",
        [HD_SORT_BYTES] =
            "App.Order System.String System.Int32[] App.Shop Zebra App.Basket",
        [HD_SORT_NAME] =
            "App.Basket App.Order App.Shop System.Int32[] System.String Zebra"};
    static const enum hd_sort asked[] = {HD_SORT_DEFAULT, HD_SORT_COUNT, HD_SORT_BYTES,
                                         HD_SORT_NAME};
    struct arena a = {0};
    for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
        struct hd_report r = seen(&(struct view){.sort = asked[i]}, 0, &a);
        expect_order(&r.diff.types, of_diff[asked[i]]);
    }
    struct hd_report r = model_of(found);
    struct hd_top all = {.types = found.types};
    struct hd_top top = view_top(&all, &(struct view){.sort = HD_SORT_RETAINED}, &r, &a);
    expect_order(&top.types,
                 "App.Shop System.Int32[] App.Order Zebra App.Basket System.String");
    expect_order(&found.types,
                 "App.Order App.Shop App.Basket System.String System.Int32[] Zebra");
    arena_free(&a);
}

Test(view, hides_suspects_by_type_and_title_and_counts_them)
{
    static const char *const orders[] = {"App.Order"}, *const strings[] = {"System.*"};
    static const struct {
        struct view view;
        size_t suspects, below_threshold, pooled, hidden, leveled_off;
    } cases[] = {
        {{.app_only = false}, 2, 1, 1, 0, 4},
        {{.app_only = true}, 2, 1, 0, 1, 3},
        {{.types = orders, .type_count = 1}, 1, 0, 0, 2, 0},
        {{.types = strings, .type_count = 1}, 1, 0, 1, 1, 1},
        {{.excludes = strings, .exclude_count = 1}, 1, 1, 0, 2, 3},
        {{.excludes = orders, .exclude_count = 1}, 1, 1, 1, 1, 4},
    };
    struct arena a = {0};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct hd_report r = seen(&cases[i].view, 0, &a);
        cr_expect_eq(r.diff.suspect_count, cases[i].suspects, "view %zu", i);
        cr_expect_eq(r.diff.below_threshold_count, cases[i].below_threshold, "view %zu", i);
        cr_expect_eq(r.diff.pooled_count, cases[i].pooled, "view %zu", i);
        cr_expect_eq(r.diff.hidden_count, cases[i].hidden, "view %zu", i);
        cr_expect_eq(r.diff.leveled_off_count, cases[i].leveled_off, "view %zu", i);
        cr_expect_eq(r.found.diff.suspect_count, 2, "all are kept");
    }
    arena_free(&a);
}

static struct hd_tally plus(struct hd_tally x, struct hd_tally y)
{
    return (struct hd_tally){x.count + y.count, x.bytes + y.bytes};
}

Test(view, rows_and_others_sum_to_the_total_wherever_it_is_cut)
{
    struct arena a = {0};
    for (uint32_t most = 0; most < TYPES + 2; most++) {
        struct hd_report r = seen(&(struct view){.app_only = false}, most, &a);
        const struct hd_type_table *t = &r.diff.types;
        cr_expect_eq(t->shown, most == 0 || most > TYPES ? TYPES : most);
        cr_expect_eq(t->shown + t->others.rows, t->len);
        for (size_t k = 0; k < POINTS; k++) {
            struct hd_tally sum = t->others.at[k];
            for (size_t i = 0; i < t->shown; i++)
                sum = plus(sum, t->rows[i].at[k]);
            cr_expect_eq(sum.count, totals[k].count, "%u rows", most);
            cr_expect_eq(sum.bytes, totals[k].bytes, "%u rows", most);
            cr_expect_eq(t->sum.at[k].count, totals[k].count);
        }
        cr_expect(t->is_whole);
    }
    struct hd_report r = seen(&(struct view){.app_only = true}, 2, &a);
    cr_expect_not(r.diff.types.is_whole, "rows are hidden");
    cr_expect_eq(r.diff.types.sum.at[0].count, 23);
    cr_expect_eq(r.diff.types.others.rows, 2);
    arena_free(&a);
}

Test(view, a_sum_with_an_unknown_number_is_unknown)
{
    struct hd_tally at[2] = {{1, HD_UNKNOWN}, {2, 5}}, whole[1] = {{3, HD_UNKNOWN}};
    struct hd_type_row some[2] = {{.type = "A", .at = &at[0]}, {.type = "B", .at = &at[1]}};
    struct hd_report r = {.kind = HD_REPORT_TOP,
                          .snapshot_count = 1,
                          .top.types = {.rows = some, .len = 2, .totals = whole}};
    struct arena a = {0};
    view_cut(&r, 0, &a);
    cr_expect_eq(r.top.types.sum.at->count, 3);
    cr_expect_eq(r.top.types.sum.at->bytes, HD_UNKNOWN);
    cr_expect(r.top.types.is_whole);
    arena_free(&a);
}

Test(view, leveled_off_types_are_limited_like_suspects)
{
    struct arena a = {0};
    struct view v = {.app_only = false};
    cr_expect_eq(seen(&v, HD_DEFAULT_ROWS, &a).diff.leveled_off_shown, 4);
    cr_expect_eq(seen(&v, 1, &a).diff.leveled_off_shown, 1);
    cr_expect_eq(seen(&v, 1, &a).diff.suspects_shown, 1);
    arena_free(&a);
}

Test(view, patterns_without_a_match_are_reported_with_similar_names)
{
    static const char *const types[] = {"app.order", "Zebra", "Nothing.Like.It"};
    struct arena a = {0};
    struct hd_report r = seen(&(struct view){.types = types, .type_count = 3}, 0, &a);
    cr_assert_eq(r.diff.unmatched_count, 2);
    cr_expect_str_eq(r.diff.unmatched[0].pattern, "app.order");
    cr_expect_str_eq(r.diff.unmatched[0].nearest, "App.Order");
    cr_expect_null(r.diff.unmatched[1].nearest);
    cr_expect_null(r.diff.no_match, "one of them matches");
    r = seen(&(struct view){.types = types, .type_count = 1}, 0, &a);
    cr_assert_not_null(r.diff.no_match);
    cr_expect_str_eq(r.diff.no_match->pattern, "app.order");
    arena_free(&a);
}

/* Text of a view equals text of a new report with these options. */
static void expect_same(const struct hd_options *of_view)
{
    struct hd_options plain = hd_default_options();
    struct arena a = {0};
    struct hd_report *one = shop_diff(&plain);
    struct hd_report *other = shop_diff(of_view);
    struct hd_report again = *one;
    struct view v = view_of(of_view);
    again.options = other->options;
    again.diff = view_diff(&one->found.diff, &v, one, &a);
    view_cut(&again, of_view->rows, &a);
    again.arena = (struct arena){0};
    report_summarize(&again);
    char *x = written(&again, "json"), *y = written(other, "json");
    cr_expect_str_eq(x, y);
    free(x);
    free(y);
    arena_free(&again.arena);
    arena_free(&a);
    hd_report_free(one);
    hd_report_free(other);
}

Test(view, of_an_answer_equals_a_new_answer_with_these_options)
{
    static const char *const order[] = {"App.Order"};
    struct hd_options opt = hd_default_options();
    expect_same(&opt);
    opt.types = order;
    opt.type_count = 1;
    expect_same(&opt);
    opt = hd_default_options();
    opt.excludes = order;
    opt.exclude_count = 1;
    expect_same(&opt);
    opt = hd_default_options();
    opt.app_only = true;
    opt.sort = HD_SORT_NAME;
    opt.rows = 2;
    expect_same(&opt);
}

/* Layout of a diff in every width, and parts that a screen omits. */
#include "document/build.h"
#include "questions/report_suspects.h"
#include "render/written.h"

/* --- widths --------------------------------------------------------------------------- */

/* Types with long names, in namespaces, with a long holder; the last one shrinks. */
static struct hd_snapshot *long_names(uint32_t orders)
{
    struct forge f = {0};
    node_id cache = forge_object(&f, "Contoso.Orders.Caching.CacheOfOrders", 24);
    node_id array = forge_object(&f, "Contoso.Orders.Model.OrderClassifier[]", 800);
    node_id order =
        forge_objects(&f, "Contoso.Orders.Classification.CategoryClassifier", 4000, orders);
    forge_objects(&f, "Contoso.Orders.Steady", 400, 3);
    node_id less = forge_objects(&f, "System.Text.StringBuilder", 40, 100 - orders);
    forge_reference(&f, cache, array);
    for (uint32_t i = 0; i < orders; i++)
        forge_reference(&f, array, order + i);
    for (uint32_t i = 0; i < 100 - orders; i++)
        forge_root(&f, HD_ROOT_STACK, NULL, less + i);
    forge_root(&f, HD_ROOT_STATIC, "Contoso.Orders.Caching.CacheOfOrders.s_theOnlyOne",
               cache);
    return forge_finish(&f);
}

static struct hd_report *long_diff(size_t count, const struct hd_options *opt)
{
    struct hd_snapshot *snaps[SERIES_MAX_SNAPSHOTS];
    for (size_t k = 0; k < count; k++)
        snaps[k] = long_names(10 + (uint32_t)(k * 80 / count));
    return diff_of(snaps, count, opt);
}

/* Columns of a line without escape sequences. */
static size_t line_columns(const char *line, size_t len)
{
    struct text bare = {0};
    for (size_t i = 0; i < len; i++) {
        if (line[i] == '\033')
            i += strcspn(line + i, "m");
        else
            text_add_char(&bare, line[i]);
    }
    size_t columns = bare.len > 0 ? utf8_columns(bare.data, bare.len) : 0;
    text_free(&bare);
    return columns;
}

/* Except commands and links, which are to be copied. */
static void expect_fits(const char *text, unsigned width)
{
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1) {
        size_t len = strcspn(line, "\n");
        const char *link = strstr(line, "docs/");
        bool copied =
            strncmp(line, "next: ", 6) == 0 || (link != NULL && link < line + len);
        cr_expect(copied || line_columns(line, len) <= width, "width %u: %.*s", width,
                  (int)len, line);
    }
}

Test(screen, every_line_fits_every_width)
{
    static const unsigned widths[] = {40, 60, 80, 100, 118, 120, 160, 200};
    static const size_t counts[] = {2, 6, 50};
    for (size_t n = 0; n < 3; n++) {
        struct hd_report *r = long_diff(counts[n], NULL);
        for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++)
            for (int how = 0; how < 4; how++) {
                struct hd_write_options opt = {
                    .width = widths[i], .color = how % 2 > 0, .details = how / 2 > 0};
                char *text = written_with(r, "text", &opt);
                expect_fits(text, widths[i]);
                free(text);
            }
        hd_report_free(r);
    }
}

Test(screen, a_title_is_never_cut_while_something_else_can_give_way)
{
    struct hd_report *r = long_diff(6, NULL);
    for (unsigned width = 40; width <= 200; width++) {
        struct hd_write_options opt = {.width = width, .details = true};
        char *text = written_with(r, "text", &opt);
        char *table = strstr(text, "SUSPECTS"), *types = strstr(text, "TYPES");
        cr_assert(table != NULL && types != NULL);
        *types = '\0';
        expect_part(table, "CategoryClassifier\n");
        free(text);
    }
    hd_report_free(r);
}

Test(screen, numbers_of_the_heading_are_never_cut)
{
    struct hd_report *r = long_diff(50, NULL);
    const struct hd_type_table *t = &hd_report_model(r)->diff->types;
    struct text first = {0}, last = {0};
    format_size(&first, t->totals[0].bytes);
    format_size(&last, t->totals[49].bytes);
    for (unsigned width = 40; width <= 200; width += 5) {
        struct hd_write_options opt = {.width = width};
        char *text = written_with(r, "text", &opt);
        expect_line(text, "heap  ", text_string(&first));
        expect_line(text, "heap  ", text_string(&last));
        free(text);
    }
    text_free(&first);
    text_free(&last);
    hd_report_free(r);
}

Test(screen, in_a_pipe_chains_and_sentences_are_folded_but_not_truncated)
{
    struct hd_report *r = long_diff(6, NULL);
    char *text = written(r, "text");
    expect_no_part(text, "…C");
    expect_part(text, "[static var Contoso.Orders.Caching.CacheOfOrders.s_theOnlyOne]");
    char *held = strstr(text, "held by  ");
    cr_assert_not_null(held);
    for (const char *line = held; strncmp(line, "\nTYPES", 6) != 0 && *line != '\0';
         line += strcspn(line, "\n") + 1)
        cr_expect_leq(line_columns(line, strcspn(line, "\n")), 120, "%s", line);
    free(text);
    hd_report_free(r);
}

/* --- what a screen is spared -----------------------------------------------------------
 */

static char *text_of(struct hd_report *r, bool details)
{
    struct hd_write_options opt = {.details = details};
    char *text = written_with(r, "text", &opt);
    hd_report_free(r);
    return text;
}

static struct hd_snapshot *many_types(uint32_t k)
{
    struct forge f = {0};
    for (uint32_t i = 0; i < 30; i++) {
        char name[32];
        snprintf(name, sizeof(name), "App.Type%02u", i);
        forge_row(&f, name, 10 + (uint64_t)k * (30 - i), 1000);
    }
    return forge_finish(&f);
}

/* By default only verdict lines; tables with details or rows. */
Test(screen, tables_are_shown_on_request)
{
    static const char *const pattern[] = {"App.Type0?"};
    for (int asked = 0; asked < 7; asked++) {
        struct hd_snapshot *snaps[] = {many_types(0), many_types(1), many_types(2),
                                       many_types(3)};
        struct hd_options opt = hd_default_options();
        opt.rows = asked == 1 ? 8 : opt.rows;
        opt.sort = asked == 2 ? HD_SORT_NAME : opt.sort;
        opt.types = asked == 3 ? pattern : NULL;
        opt.type_count = asked == 3;
        opt.app_only = asked == 4;
        opt.by = asked == 5 ? HD_BY_NAMESPACE : opt.by;
        char *text = text_of(diff_of(snaps, 4, &opt), asked == 6);
        cr_expect_eq(strstr(text, "[total") != NULL, asked > 0, "%d: %s", asked, text);
        free(text);
    }
}

Test(screen, a_truncated_table_is_marked)
{
    static const struct {
        uint32_t rows;
        enum hd_sort sort;
        const char *note, *others;
    } asked[] = {
        {HD_DEFAULT_ROWS, HD_SORT_DEFAULT, "by growth; top 20 of 30, -n 0 shows all\n",
         "[10 others]\n"},
        {8, HD_SORT_DEFAULT, "by growth; top 8 of 30, -n 0 shows all\n", "[22 others]\n"},
        {HD_DEFAULT_ROWS, HD_SORT_NAME, "by name; top 20 of 30, -n 0 shows all\n",
         "[10 others]\n"}};
    for (size_t i = 0; i < 3; i++) {
        struct hd_snapshot *snaps[] = {many_types(0), many_types(1), many_types(2),
                                       many_types(3)};
        struct hd_options opt = hd_default_options();
        opt.rows = asked[i].rows;
        opt.sort = asked[i].sort;
        struct hd_report *r = diff_of(snaps, 4, &opt);
        char *text = written(r, "text");
        expect_part(text, asked[i].note);
        expect_part(text, asked[i].others);
        free(text);
        text = written(r, "md");
        expect_part(text, i == 1 ? "8 of 30" : "20 of 30");
        free(text);
        hd_report_free(r);
    }
}

/* A large growing App.Cache, and small types that grow slightly. */
static struct hd_snapshot *with_noise(uint32_t k)
{
    struct forge f = {0};
    node_id cache = forge_object(&f, "App.Cache", 24);
    node_id page = forge_objects(&f, "App.Page", 10000, 10 + 10 * k);
    for (uint32_t i = 0; i < 10 + 10 * k; i++)
        forge_reference(&f, cache, page + i);
    forge_root(&f, HD_ROOT_STATIC, "App.Cache.s_all", cache);
    for (uint32_t i = 0; i < 3; i++) {
        char name[32], root[32];
        snprintf(name, sizeof(name), "App.Little%u", i);
        snprintf(root, sizeof(root), "App.Holder.s_%u", i);
        node_id holder = forge_object(&f, "App.Holder", 24);
        node_id little = forge_objects(&f, name, 24, 1 + k * k / 2);
        for (uint32_t j = 0; j < 1 + k * k / 2; j++)
            forge_reference(&f, holder, little + j);
        forge_root(&f, HD_ROOT_STATIC, root, holder);
    }
    return forge_finish(&f);
}

static struct hd_report *noisy(uint32_t rows)
{
    struct hd_snapshot *snaps[5];
    struct hd_options opt = hd_default_options();
    opt.rows = rows;
    for (uint32_t k = 0; k < 5; k++)
        snaps[k] = with_noise(k);
    return diff_of(snaps, 5, &opt);
}

Test(screen, rows_below_the_threshold_are_counted_and_listed_with_details)
{
    char *text = text_of(noisy(HD_DEFAULT_ROWS), false);
    expect_part(text, "also        3 smaller; see -v\n");
    expect_no_part(text, "App.Little0");
    free(text);
    text = text_of(noisy(HD_DEFAULT_ROWS), true);
    expect_part(text, "— below 2 % of the heap at the current rate —\n");
    expect_part(text, "  App.Little0");
    expect_part(text, "  App.Little2");
    free(text);
}

/* --- colours ---------------------------------------------------------------------------
 */

Test(screen, colors_add_no_information_to_words)
{
    struct hd_report *r = long_diff(6, NULL);
    for (unsigned width = 40; width <= 200; width += 40) {
        struct hd_write_options opt = {.width = width, .color = true};
        char *painted = written_with(r, "text", &opt);
        opt.color = false;
        char *plain = written_with(r, "text", &opt);
        char *to = painted;
        for (const char *at = painted; *at != '\0'; at++) {
            if (*at == '\033')
                at += strcspn(at, "m");
            else
                *to++ = *at;
        }
        *to = '\0';
        cr_expect_str_eq(painted, plain);
        free(painted);
        free(plain);
    }
    hd_report_free(r);
}

Test(screen, growth_is_red_decrease_is_green_and_foreign_types_are_dim)
{
    struct hd_report *r = long_diff(6, NULL);
    struct hd_write_options opt = {.width = 200, .color = true, .details = true};
    char *text = written_with(r, "text", &opt);
    expect_part(text, "\033[1m\033[31mLEAK\033[0m  ");
    expect_part(text, "\033[1mContoso.Orders.Classification.CategoryClassifier\033[0m");
    expect_line(text, "\033[2mSystem.Text.StringBuilder\033[0m", "\033[32m-66\033[0m");
    expect_part(text, "\033[31m+66\033[0m");
    free(text);
    hd_report_free(r);
}

/* --- one leak, one row -----------------------------------------------------------------
 */

Test(screen, a_holder_represents_those_below_it)
{
    struct hd_options opt = hd_default_options();
    opt.by = HD_BY_HOLDER;
    opt.min_share = 0.01;
    struct hd_report *r = shop_diff(&opt);
    const struct hd_diff *d = hd_report_model(r)->diff;
    cr_assert_eq(d->suspect_count, 1);
    cr_expect_eq(d->suspects[0].also_count, 2);
    /* The array, orders, and their strings; all rows still sum to the heap. */
    cr_expect_eq(d->suspects[0].at[3].count, 81);
    cr_expect_eq(d->types.sum.at[3].count, d->types.totals[3].count);
    cr_expect(d->types.is_whole);
    char *text = written(r, "text");
    cr_expect_eq(strncmp(text, "LEAK  static s_orders: 21 → 81 objects", 38), 0, "%s",
                 text);
    expect_part(text, "(with 2 holders below it)");
    free(text);
    hd_report_free(r);
}

static struct suspect row_of(struct series_row *row, const char *name, double score)
{
    static struct hd_tally at[2] = {{1, 10}, {3, 30}};
    *row = (struct series_row){.name = name, .at = at, .survivors = 1};
    return (struct suspect){
        .row = row, .score = score, .count_delta = 2, .per_iteration = 2};
}

Test(screen, only_what_is_below_a_suspect_is_joined)
{
    static const char *const names[] = {"A → B → C", "A → Bee", "A → B", "A → B → C → D",
                                        "A"};
    static const double scores[] = {50, 40, 30, 20, 1};
    const struct suspect_line line = {.share = 0.1};
    struct arena a = {0};
    struct series_row rows[5];
    struct suspect all[5];
    for (size_t i = 0; i < 5; i++)
        all[i] = row_of(&rows[i], names[i], scores[i]);
    struct ranking t = {all, 5};
    struct joined_holder *joined = nested_holders_join(&t, 2, &line, 100, &a);
    cr_assert_eq(t.len, 3);
    cr_expect_str_eq(t.all[0].row->name, "A → B");
    cr_expect_eq(t.all[0].score, 100);
    cr_expect_eq(t.all[0].row->at[1].count, 9);
    cr_expect_eq(t.all[0].per_iteration, HD_UNKNOWN);
    cr_assert_eq(joined[0].len, 2);
    cr_expect_str_eq(joined[0].below[0], "A → B → C");
    cr_expect_str_eq(joined[0].below[1], "A → B → C → D");
    cr_expect_str_eq(t.all[1].row->name, "A → Bee");
    cr_expect_str_eq(t.all[2].row->name, "A", "which is no suspect");
    arena_free(&a);
}

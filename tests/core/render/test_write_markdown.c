#include "render/written.h"

#include <criterion/criterion.h>

Test(write_markdown, the_first_line_is_a_mark_for_bots)
{
    struct hd_report *r = shop_diff(NULL);
    char *got = written(r, "md");
    cr_expect(strncmp(got, "<!-- heapdrift -->\n", 19) == 0);
    free(got);
    hd_report_free(r);
}

/* --- names ------------------------------------------------------------------------ */

static void expect_code(const char *type, const char *code)
{
    struct hd_report *r = top_of(table_of(type, 2, 30), NULL);
    char *got = written(r, "md");
    struct text row = {0};
    text_add_string(&row, "| 2 | 30 B | 100 % | - | ");
    text_add_string(&row, code);
    text_add_string(&row, " |\n");
    expect_part(got, text_string(&row));
    text_free(&row);
    free(got);
    hd_report_free(r);
}

Test(write_markdown, names_are_code)
{
    expect_code("App.Order", "`App.Order`");
    expect_code("List<App.Order>[]", "`List<App.Order>[]`");
    expect_code("*a*_b_<b>&amp;", "`*a*_b_<b>&amp;`");
}

Test(write_markdown, a_bar_does_not_end_the_cell)
{
    expect_code("a|b", "`a\\|b`");
    expect_code("||", "`\\|\\|`");
}

Test(write_markdown, backticks_do_not_end_the_code)
{
    expect_code("List`1", "``List`1``");
    expect_code("`a", "`` `a ``");
    expect_code("a`", "`` a` ``");
}

Test(write_markdown, runs_of_backticks_do_not_end_the_code_either)
{
    expect_code("Run``2", "```Run``2```");
}

Test(write_markdown, control_characters_and_bad_utf_8_are_visible)
{
    expect_code("a\nb\tc\x1b", "`a\\nb\\tc\\x1b`");
    expect_code("a\xff"
                "b",
                "`a\xef\xbf\xbd"
                "b`");
}

/* --- tables ------------------------------------------------------------------------- */

Test(write_markdown, omitted_rows_are_summed)
{
    struct hd_options opt = hd_default_options();
    opt.rows = 2;
    struct hd_report *r = shop_diff(&opt);
    char *got = written(r, "md");
    expect_part(got, "| +30 | 10 → 40 | ▁▃▆█ | +2.81 KiB | growing | `App.Order` |\n");
    expect_part(got, "| +30 | 11 → 41 | ▁▃▆█ | +1.17 KiB | growing | `System.String` |\n");
    expect_part(got, "| 0 | 2 → 2 | | +240 B | | [2 others] |\n");
    expect_part(got, "| +60 | 23 → 83 | | +4.22 KiB | | [total] |");
    free(got);
    hd_report_free(r);
    r = top_of(shop(10), &opt);
    got = written(r, "md");
    expect_part(got, "| 10 | 960 B | 63 % | 1.33 KiB | `App.Order` |\n");
    expect_part(got, "| 2 | 120 B | 7.9 % | - | [2 others] |\n");
    free(got);
    hd_report_free(r);
}

Test(write_markdown, unknown_values_are_dashes)
{
    struct hd_snapshot *snaps[] = {table_of("A", 1, HD_UNKNOWN),
                                   table_of("A", 2, HD_UNKNOWN)};
    struct hd_report *r = diff_of(snaps, 2, NULL);
    char *got = written(r, "md");
    expect_part(got, "| +1 | 1 → 2 | ▁█ | - | growing | `A` |");
    expect_part(got, "- **heap**: - → -\n");
    free(got);
    hd_report_free(r);
}

/* Every line of a table has the same number of cells as its head. */
static size_t cells_of(const char *line, size_t len)
{
    size_t cells = 0;
    for (size_t i = 0; i < len; i++)
        cells += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
    return cells;
}

static void expect_even_tables(struct hd_report *r)
{
    char *got = written(r, "md");
    size_t wanted = 0;
    for (const char *line = got; *line != '\0';) {
        size_t len = strcspn(line, "\n");
        size_t cells = line[0] == '|' ? cells_of(line, len) : 0;
        cr_expect(wanted == 0 || cells == 0 || cells == wanted, "%.*s", (int)len, line);
        wanted = cells;
        line += len + 1;
    }
    free(got);
    hd_report_free(r);
}

Test(write_markdown, tables_are_even)
{
    expect_even_tables(shop_diff(NULL));
    expect_even_tables(top_of(table_of("a|`|``b", 1, 2), NULL));
    expect_even_tables(info_of_two());
}

/* --- chains --------------------------------------------------------------------------- */

Test(write_markdown, chains_are_in_code_blocks)
{
    struct hd_report *r = roots_of(shop(1), "Order", hd_default_options());
    char *got = written(r, "md");
    expect_part(got, "**1.** 100 %, static, 1\n\n```\n    [static vars]\n"
                     "  → [static var App.Shop.s_orders]\n  → App.Shop\n  → App.Order[]\n"
                     "  → App.Order\n```\n");
    free(got);
    hd_report_free(r);
}

Test(write_markdown, omitted_frames_of_a_chain_are_counted)
{
    struct hd_options opt = hd_default_options();
    opt.depth = 2;
    struct hd_report *r = roots_of(shop(1), "Order", opt);
    char *got = written(r, "md");
    expect_part(got, "    [static vars]\n  … 3 more\n  → App.Order\n");
    free(got);
    hd_report_free(r);
}

/* --- sentences
 * ---------------------------------------------------------------------------- */

static void expect_sentence(struct hd_snapshot **snaps, size_t count, const char *sentence)
{
    struct hd_report *r = diff_of(snaps, count, NULL);
    char *got = written(r, "md");
    expect_part(got, sentence);
    free(got);
    hd_report_free(r);
}

Test(write_markdown, without_growth_there_is_one_sentence)
{
    struct hd_snapshot *still[] = {shop(3), shop(3)};
    expect_sentence(still, 2, "keeps growing");
    struct hd_snapshot *unfit[] = {shop(3), shop(4)};
    unfit[0]->info.complete = false;
    expect_sentence(unfit, 2, "Inconclusive");
}

Test(write_markdown, warnings_name_their_file)
{
    struct hd_snapshot *snaps[] = {shop(3), shop(4)};
    warnings_add(&snaps[1]->warnings, WARN_INCOMPLETE, 0);
    expect_sentence(snaps, 2, "**incomplete** `forged`: objects may be missing");
}

/* A name in a warning must not become a heading, a picture or a mention. */
Test(write_markdown, warnings_are_one_line_of_plain_text)
{
    struct hd_report *r = top_of(table_of("A", 1, 10), NULL);
    report_warn_detail(r, WARN_NATIVE_MEMORY, (size_t)-1,
                       "A\n# head\n![x](http://x) @team <b> grows");
    char *got = written(r, "md");
    expect_part(got, "> **native-memory** A\\\\n# head\\\\n!\\[x\\](http:<!-- -->//x) "
                     "@<!-- -->team &lt;b> grows\n");
    expect_no_part(got, "\n# head");
    free(got);
    hd_report_free(r);
}

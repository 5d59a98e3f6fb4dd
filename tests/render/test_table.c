#include "render/table.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct column columns[] = {{"n", ALIGN_RIGHT, false},
                                        {"type", ALIGN_LEFT, true}};

static void add_cell(struct table *t, const char *s)
{
    text_add_string(&t->content, s);
    table_end_cell(t, (struct cell_style){0});
}

/* Frees the table. */
static void expect_printed(struct table *t, unsigned width, bool color, const char *wanted)
{
    struct hd_memory got = {0};
    struct out o = {.to = hd_sink_memory(&got)};
    table_print(t, &o, width, color);
    cr_expect(out_finish(&o, NULL));
    cr_expect_str_eq(got.bytes, wanted, "%s", got.bytes);
    hd_memory_free(&got);
    table_free(t);
}

Test(table, columns_are_as_wide_as_their_widest_cell)
{
    struct table t = TABLE_OF(columns);
    add_cell(&t, "1");
    add_cell(&t, "App.Order");
    add_cell(&t, "1,000");
    add_cell(&t, "A");
    expect_printed(&t, 0, false, "    n  type\n    1  App.Order\n1,000  A\n");
}

Test(table, wide_and_combining_characters_are_aligned)
{
    static const struct column three[] = {
        {"a", ALIGN_LEFT, false}, {"b", ALIGN_RIGHT, false}, {"c", ALIGN_LEFT, false}};
    struct table t = TABLE_OF(three);
    add_cell(&t, "日本");
    add_cell(&t, "1");
    add_cell(&t, "x");
    add_cell(&t, "e\u0301");
    add_cell(&t, "Δ22");
    add_cell(&t, "y");
    expect_printed(&t, 0, false, "a       b  c\n日本    1  x\ne\u0301     Δ22  y\n");
}

Test(table, one_column_gives_way_to_the_terminal)
{
    struct table t = TABLE_OF(columns);
    add_cell(&t, "1");
    add_cell(&t, "abcdefghijklmnopqrstuvwxyz");
    add_cell(&t, "2");
    add_cell(&t, "short");
    expect_printed(&t, 18, false, "n  type\n1  abcde…rstuvwxyz\n2  short\n");
}

Test(table, of_several_columns_the_last_gives_way_first)
{
    static const struct column two[] = {{"type", ALIGN_LEFT, true},
                                        {"n", ALIGN_RIGHT, false},
                                        {"command", ALIGN_LEFT, true}};
    const char *cells[] = {"abcdefghijklmnopqrstuvwxyz", "1", "abcdefghijklmnopqrstuvwxyz"};
    const struct {
        unsigned width;
        const char *line;
    } wanted[] = {
        {57, "type                        n  command\n"
             "abcdefghijklmnopqrstuvwxyz  1  abcdefghijklmnopqrstuvwxyz\n"},
        {47, "type                        n  command\n"
             "abcdefghijklmnopqrstuvwxyz  1  abcdef…rstuvwxyz\n"},
        {39, "type                    n  command\n"
             "abcdefgh…nopqrstuvwxyz  1  abcd…tuvwxyz\n"},
    };
    for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
        struct table t = TABLE_OF(two);
        for (size_t c = 0; c < sizeof(cells) / sizeof(*cells); c++)
            add_cell(&t, cells[c]);
        expect_printed(&t, wanted[i].width, false, wanted[i].line);
    }
}

Test(table, one_column_too_many_is_too_wide)
{
    struct table t = TABLE_OF(columns);
    add_cell(&t, "1");
    add_cell(&t, "abcdefghijklmnopqrstuvwxyz");
    expect_printed(&t, 28, false, "n  type\n1  abcdefghi…lmnopqrstuvwxyz\n");
}

Test(table, a_cell_keeps_some_width_however_narrow_the_terminal_is)
{
    struct table t = TABLE_OF(columns);
    add_cell(&t, "1");
    add_cell(&t, "abcdefghijklmnopqrstuvwxyz");
    expect_printed(&t, 1, false, "n  type\n1  abcd…tuvwxyz\n");
}

Test(table, giving_way_makes_no_column_wider)
{
    static const struct column two[] = {{"a", ALIGN_LEFT, true}, {"b", ALIGN_LEFT, false}};
    struct table t = TABLE_OF(two);
    add_cell(&t, "x");
    add_cell(&t, "0123456789");
    expect_printed(&t, 8, false, "a  b\nx  0123456789\n");
}

Test(table, notes_stand_below_their_row_as_they_are)
{
    struct table t = TABLE_OF(columns);
    add_cell(&t, "1");
    add_cell(&t, "A");
    table_note(&t, "  held by a very long note", 26);
    table_note(&t, "", 0);
    add_cell(&t, "2");
    add_cell(&t, "B");
    expect_printed(&t, 10, false, "n  type\n1  A\n  held by a very long note\n\n2  B\n");
}

static void add_row_with_remark(struct table *t, const char *type, const char *remark)
{
    add_cell(t, "1");
    add_cell(t, type);
    table_remark(t, remark, strlen(remark));
}

Test(table, a_remark_stands_behind_its_row_where_both_fit)
{
    struct table t = TABLE_OF(columns);
    add_row_with_remark(&t, "A", "(B)");
    add_row_with_remark(&t, "App.Order", "");
    table_note(&t, "  note", 6);
    expect_printed(&t, 0, false, "n  type\n1  A  (B)\n1  App.Order\n  note\n");
}

Test(table, a_remark_takes_no_room_from_a_cell)
{
    struct table t = TABLE_OF(columns);
    add_row_with_remark(&t, "App.Orders.Order", "(Timer)  steady");
    add_row_with_remark(&t, "A", "(Timer)");
    expect_printed(&t, 19, false,
                   "n  type\n1  App.Orders.Order\n    (Timer)  steady\n1  A  (Timer)\n");
}

Test(table, a_remark_that_is_too_wide_by_itself_is_wrapped)
{
    struct table t = TABLE_OF(columns);
    add_row_with_remark(&t, "App.Orders.Order", "(with Timer and String)  steady");
    table_note(&t, "  note", 6);
    expect_printed(
        &t, 20, false,
        "n  type\n1  App.Orders.Order\n    (with Timer and\n    String)  steady\n"
        "  note\n");
}

Test(table, names_lose_their_namespace_first)
{
    struct table t = TABLE_OF(columns);
    add_cell(&t, "1");
    add_cell(&t, "Contoso.Orders.OrderNotifier");
    expect_printed(&t, 21, false, "n  type\n1  …OrderNotifier\n");
}

Test(table, without_titles_there_is_no_line_of_them)
{
    static const struct column bare[] = {{NULL, ALIGN_LEFT, false},
                                         {NULL, ALIGN_LEFT, false}};
    struct table t = TABLE_OF(bare);
    add_cell(&t, "  format");
    add_cell(&t, "gcdump");
    expect_printed(&t, 0, false, "  format  gcdump\n");
}

Test(table, titles_are_dim_on_a_terminal)
{
    struct table t = TABLE_OF(columns);
    add_cell(&t, "1");
    add_cell(&t, "A");
    expect_printed(&t, 0, true, "\033[2mn  type\033[0m\n1  A\n");
}

Test(table, no_line_ends_with_a_blank)
{
    struct table t = TABLE_OF(columns);
    add_cell(&t, "1");
    add_cell(&t, "");
    add_cell(&t, "");
    add_cell(&t, "long");
    expect_printed(&t, 0, false, "n  type\n1\n   long\n");
}

Test(table, cells_are_written_in_pieces)
{
    struct table t = TABLE_OF(columns);
    text_add_string(&t.content, "1");
    text_add_string(&t.content, "2");
    table_end_cell(&t, (struct cell_style){0});
    table_end_cell(&t, (struct cell_style){0}); /* empty */
    expect_printed(&t, 0, false, " n  type\n12\n");
}

Test(table, an_empty_table_has_its_titles)
{
    struct table t = TABLE_OF(columns);
    expect_printed(&t, 0, false, "n  type\n");
}

/* --- titles ----------------------------------------------------------------------- */

static const struct column titled[] = {{"n", ALIGN_RIGHT, GIVES_NOTHING},
                                       {"type", ALIGN_LEFT, GIVES_WAY_BY_LINE}};

Test(table, a_title_loses_its_namespaces_then_goes_to_a_line_of_its_own_then_is_cut)
{
    static const char *const wanted[] = {
        "  n  type\n100  Contoso.Orders.CategoryClassifier\n",
        "  n  type\n100  …CategoryClassifier\n",
        "  n  type\n100\n    …CategoryClassifier\n"};
    static const unsigned widths[] = {0, 24, 23};
    for (size_t i = 0; i < 3; i++) {
        struct table t = TABLE_OF(titled);
        add_cell(&t, "100");
        add_cell(&t, "Contoso.Orders.CategoryClassifier");
        expect_printed(&t, widths[i], false, wanted[i]);
    }
}

Test(table, a_colour_takes_no_column)
{
    struct table t = TABLE_OF(titled);
    text_add_string(&t.content, "1");
    table_end_cell(&t, (struct cell_style){.color = "\033[31m"});
    add_cell(&t, "A");
    add_cell(&t, "100");
    add_cell(&t, "B");
    table_remark(&t, "(C)", 3);
    expect_printed(&t, 11, true,
                   "\033[2m  n  type\033[0m\n  \033[31m1\033[0m  A\n"
                   "100  B  \033[2m(C)\033[0m\n");
}

Test(table, words_are_no_names_of_types)
{
    struct table t = TABLE_OF(titled);
    add_cell(&t, "1");
    text_add_string(&t.content, "some/where/a.b.c.gcdump");
    table_end_cell(&t, (struct cell_style){.is_words = true});
    expect_printed(&t, 16, false, "n  type\n1\n    some….gcdump\n");
}

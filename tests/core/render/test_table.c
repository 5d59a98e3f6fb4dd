/* Tables of a document in the columns of a terminal. */
#include "document/build.h"
#include "render/writer.h"

#include <criterion/criterion.h>

static const struct doc_column plain[] = {{.title = "n", .align = DOC_RIGHT},
                                          {.title = "type", .is_subject = true}};
static const struct doc_column titled[] = {
    {.title = "n", .align = DOC_RIGHT},
    {.title = "type", .is_subject = true, .is_title = true}};

static const struct hd_report nothing;

static struct build begin(const struct doc_column *columns, size_t count,
                          struct doc_table **t)
{
    struct build b = {.r = &nothing, .doc = document_new("test")};
    *t = build_table(&b, doc_section(b.doc, DOC_PLAIN), columns, count);
    return b;
}

static void add_row(struct build *b, struct doc_table *t, const char *n, const char *type)
{
    build_row(b, t, DOC_ROW);
    CELL(b, n);
    CELL(b, type);
}

/* Frees the document. */
static void expect_printed(struct build *b, unsigned width, bool color, const char *wanted)
{
    struct hd_write_options opt = {.width = width, .color = color};
    struct hd_memory got = {0};
    struct out o = {.to = hd_sink_memory(&got)};
    write_text.render(b->doc, &opt, &o);
    cr_expect(out_finish(&o, NULL));
    cr_expect_str_eq(got.bytes, wanted, "%s", got.bytes);
    hd_memory_free(&got);
    text_free(&b->words);
    document_free(b->doc);
}

/* Expects a table of one row. */
static void expect_row(const struct doc_column *columns, unsigned width, const char *n,
                       const char *type, const char *wanted)
{
    struct doc_table *t;
    struct build b = begin(columns, 2, &t);
    add_row(&b, t, n, type);
    expect_printed(&b, width, false, wanted);
}

Test(table, columns_are_as_wide_as_their_widest_cell)
{
    struct doc_table *t;
    struct build b = begin(plain, 2, &t);
    add_row(&b, t, "1", "App.Order");
    add_row(&b, t, "1,000", "A");
    expect_printed(&b, 0, false, "    n  type\n    1  App.Order\n1,000  A\n");
}

Test(table, wide_and_combining_characters_are_aligned)
{
    static const struct doc_column three[] = {
        {.title = "a"}, {.title = "b", .align = DOC_RIGHT}, {.title = "c"}};
    struct doc_table *t;
    struct build b = begin(three, 3, &t);
    add_row(&b, t, "日本", "1");
    CELL(&b, "x");
    add_row(&b, t, "e\u0301", "Δ22");
    CELL(&b, "y");
    expect_printed(&b, 0, false, "a       b  c\n日本    1  x\ne\u0301     Δ22  y\n");
}

Test(table, a_column_gives_way_to_the_terminal_and_keeps_some_width)
{
    static const char name[] = "abcdefghijklmnopqrstuvwxyz";
    expect_row(plain, 18, "1", name, "n  type\n1  abcde…rstuvwxyz\n");
    expect_row(plain, 28, "1", name, "n  type\n1  abcdefghi…lmnopqrstuvwxyz\n");
    expect_row(plain, 1, "1", name, "n  type\n1  abcd…tuvwxyz\n");
}

Test(table, the_last_of_several_columns_shrinks_first)
{
    static const struct doc_column three[] = {{.title = "type", .gives_way = true},
                                              {.title = "n", .align = DOC_RIGHT},
                                              {.title = "command", .gives_way = true}};
    static const struct {
        unsigned width;
        const char *lines;
    } wanted[] = {
        {57, "type                        n  command\n"
             "abcdefghijklmnopqrstuvwxyz  1  abcdefghijklmnopqrstuvwxyz\n"},
        {47, "type                        n  command\n"
             "abcdefghijklmnopqrstuvwxyz  1  abcdef…rstuvwxyz\n"},
        {39, "type                    n  command\n"
             "abcdefgh…nopqrstuvwxyz  1  abcd…tuvwxyz\n"},
    };
    for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
        struct doc_table *t;
        struct build b = begin(three, 3, &t);
        add_row(&b, t, "abcdefghijklmnopqrstuvwxyz", "1");
        CELL(&b, "abcdefghijklmnopqrstuvwxyz");
        expect_printed(&b, wanted[i].width, false, wanted[i].lines);
    }
}

Test(table, giving_way_makes_no_column_wider)
{
    static const struct doc_column two[] = {{.title = "a", .gives_way = true},
                                            {.title = "b"}};
    expect_row(two, 8, "x", "0123456789", "a  b\nx  0123456789\n");
}

Test(table, a_remark_follows_its_row_if_both_fit)
{
    struct doc_table *t;
    struct build b = begin(plain, 2, &t);
    add_row(&b, t, "1", "App.Orders.Order");
    REMARK(&b, "(Timer)");
    REMARK(&b, "steady");
    add_row(&b, t, "1", "A");
    REMARK(&b, "(Timer)");
    expect_printed(&b, 19, false,
                   "n  type\n1  App.Orders.Order\n    (Timer)  steady\n1  A  (Timer)\n");
}

Test(table, a_remark_wider_than_the_line_is_wrapped)
{
    struct doc_table *t;
    struct build b = begin(plain, 2, &t);
    add_row(&b, t, "1", "App.Orders.Order");
    REMARK(&b, "(with Timer and String)");
    REMARK(&b, "steady");
    ATTACHED(&b, NULL, "note");
    expect_printed(
        &b, 20, false,
        "n  type\n1  App.Orders.Order\n    (with Timer and\n    String)  steady\n"
        "    note\n");
}

Test(table, names_lose_their_namespace_first)
{
    expect_row(plain, 21, "1", "Contoso.Orders.OrderNotifier",
               "n  type\n1  …OrderNotifier\n");
}

Test(table, without_titles_there_is_no_line_for_titles)
{
    static const struct doc_column bare[] = {{.title = ""}, {.title = ""}};
    expect_row(bare, 0, "  format", "gcdump", "  format  gcdump\n");
}

Test(table, no_line_ends_with_a_blank)
{
    struct doc_table *t;
    struct build b = begin(plain, 2, &t);
    add_row(&b, t, "1", "");
    add_row(&b, t, "", "long");
    expect_printed(&b, 0, false, "n  type\n1\n   long\n");
}

Test(table, columns_that_are_absent_have_no_cells)
{
    static const struct doc_column three[] = {
        {.title = "a"}, {.title = "b", .is_absent = true}, {.title = "c"}};
    struct doc_table *t;
    struct build b = begin(three, 3, &t);
    add_row(&b, t, "1", "2");
    CELL(&b, "3");
    build_others(&b, t, 2);
    expect_printed(&b, 0, false, "a  c\n1  3\n    [2 others]\n");
}

Test(table, a_title_loses_its_namespaces_then_gets_its_own_line_then_is_truncated)
{
    static const char name[] = "Contoso.Orders.CategoryClassifier";
    expect_row(titled, 0, "100", name,
               "  n  type\n100  Contoso.Orders.CategoryClassifier\n");
    expect_row(titled, 24, "100", name, "  n  type\n100  …CategoryClassifier\n");
    expect_row(titled, 23, "100", name, "  n  type\n100\n    …CategoryClassifier\n");
}

Test(table, a_colour_takes_no_column)
{
    struct doc_table *t;
    struct build b = begin(titled, 2, &t);
    build_row(&b, t, DOC_ROW);
    CELL_AS(&b, DOC_MORE, "1");
    CELL(&b, "A");
    add_row(&b, t, "100", "B");
    REMARK(&b, "(C)");
    expect_printed(&b, 11, true,
                   "\033[2m  n  type\033[0m\n  \033[31m1\033[0m  A\n"
                   "100  B  \033[2m(C)\033[0m\n");
}

Test(table, words_are_not_names_of_types)
{
    struct doc_table *t;
    struct build b = begin(titled, 2, &t);
    build_row(&b, t, DOC_ROW);
    CELL(&b, "1");
    CELL(&b, run_quoted("some/where/a.b.c.gcdump"));
    expect_printed(&b, 16, false, "n  type\n1\n    some….gcdump\n");
}

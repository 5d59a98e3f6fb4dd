#include "render/written.h"

#include <criterion/criterion.h>

static struct hd_report *top_named(const char *type)
{
    return top_of(table_of(type, 2, 30), NULL);
}

static void expect_cell(const char *type, const char *csv, const char *tsv)
{
    struct hd_report *r = top_named(type);
    struct text t = {0};
    text_add_string(&t, "type,count,bytes,retained\n");
    text_add_string(&t, csv);
    text_add_string(&t, ",2,30,\n");
    expect_written(r, "csv", text_string(&t));
    text_clear(&t);
    text_add_string(&t, "type\tcount\tbytes\tretained\n");
    text_add_string(&t, tsv);
    text_add_string(&t, "\t2\t30\t\n");
    expect_written(r, "tsv", text_string(&t));
    text_free(&t);
    hd_report_free(r);
}

Test(write_csv, ordinary_names_are_unchanged)
{
    expect_cell("App.Order", "App.Order", "App.Order");
    expect_cell("App.Größe[]", "App.Größe[]", "App.Größe[]");
    expect_cell("a b|c`1", "a b|c`1", "a b|c`1");
}

Test(write_csv, characters_that_end_a_cell_are_quoted_or_escaped)
{
    expect_cell("Pair<A,B>", "\"Pair<A,B>\"", "Pair<A,B>");
    expect_cell("a\"b", "\"a\"\"b\"", "a\"b");
    expect_cell("a\nb\rc", "\"a\nb\rc\"", "a\\nb\\rc");
    expect_cell("a\tb", "a\tb", "a\\tb");
}

Test(write_csv, no_cell_is_a_formula_for_a_spreadsheet)
{
    expect_cell("=1+1", "'=1+1", "'=1+1");
    expect_cell("+A", "'+A", "'+A");
    expect_cell("-A", "'-A", "'-A");
    expect_cell("@SUM(A1,B1)", "\"'@SUM(A1,B1)\"", "'@SUM(A1,B1)");
    expect_cell("A=1+1", "A=1+1", "A=1+1");
}

Test(write_csv, invalid_utf_8_is_replaced)
{
    expect_cell("a\xff"
                "b",
                "a\xef\xbf\xbd"
                "b",
                "a\xef\xbf\xbd"
                "b");
}

Test(write_csv, unknown_values_are_empty)
{
    struct hd_report *r = top_of(table_of("A", 2, HD_UNKNOWN), NULL);
    expect_written(r, "csv", "type,count,bytes,retained\nA,2,,\n");
    hd_report_free(r);
}

Test(write_csv, integers_are_exact)
{
    struct hd_report *r = top_of(table_of("A", 1, 9007199254740993), NULL);
    expect_written(r, "csv", "type,count,bytes,retained\nA,1,9007199254740993,\n");
    hd_report_free(r);
}

Test(write_csv, a_diff_has_two_columns_per_snapshot)
{
    struct hd_snapshot *snaps[] = {table_of("A", 1, HD_UNKNOWN), table_of("A", 3, 30),
                                   table_of("B", 1, 5)};
    struct hd_report *r = diff_of(snaps, 3, NULL);
    expect_written(r, "csv",
                   "type,status,count_1,bytes_1,count_2,bytes_2,count_3,bytes_3\n"
                   "B,growing,0,0,0,0,1,5\n"
                   "A,gone,1,,3,30,0,0\n");
    hd_report_free(r);
}

static struct hd_report *many_types(uint32_t rows)
{
    struct forge f = {0};
    for (int i = 0; i < 30; i++) {
        char name[16];
        snprintf(name, sizeof(name), "T%02d", i);
        forge_row(&f, name, 1, 10);
    }
    struct hd_options opt = hd_default_options();
    opt.rows = rows;
    return top_of(forge_finish(&f), &opt);
}

static size_t lines_of(struct hd_report *r)
{
    char *got = written(r, "csv");
    size_t lines = 0;
    for (const char *c = got; *c != '\0'; c++)
        lines += *c == '\n';
    free(got);
    hd_report_free(r);
    return lines;
}

Test(write_csv, rows_are_cut_only_on_request_and_then_without_a_sum)
{
    cr_expect_eq(lines_of(many_types(HD_DEFAULT_ROWS)), 31);
    cr_expect_eq(lines_of(many_types(0)), 31);
    cr_expect_eq(lines_of(many_types(5)), 6);
}

Test(write_csv, the_first_column_has_the_kind_of_the_row)
{
    struct hd_options opt = hd_default_options();
    opt.by = HD_BY_NAMESPACE;
    struct hd_report *r = top_of(table_of("App.Order", 2, 30), &opt);
    expect_written(r, "csv", "namespace,count,bytes,retained\nApp,2,30,\n");
    hd_report_free(r);
    opt.by = HD_BY_MODULE;
    r = top_of(table_of("App.Order", 2, 30), &opt);
    expect_written(r, "tsv", "module\tcount\tbytes\tretained\n(unknown)\t2\t30\t\n");
    hd_report_free(r);
}

/* The output of top is an input format: the names are read back. */
Test(write_csv, the_table_of_top_can_be_read_again)
{
    static const char *const names[] = {"=1+1", "Pair<A,B>", "a\"b", "-A", "App.Order"};
    struct forge f = {0};
    for (uint64_t i = 0; i < 5; i++)
        forge_row(&f, names[i], i + 1, 100 * i);
    struct hd_report *r = top_of(forge_finish(&f), NULL);
    char *csv = written(r, "csv");
    struct hd_error err = {0};
    struct hd_snapshot *snap = hd_snapshot_from_memory(csv, strlen(csv), NULL, &err);
    cr_assert_not_null(snap, "%s", err.message);
    for (uint64_t i = 0; i < 5; i++) {
        const struct type *t = forge_type(snap, TYPE_OBJECT, names[i]);
        cr_assert_not_null(t, "%s", names[i]);
        cr_expect_eq(t->raw.count, i + 1);
        cr_expect_eq(t->raw.bytes, 100 * i);
    }
    hd_snapshot_close(snap);
    free(csv);
    hd_report_free(r);
}

Test(write_csv, names_that_begin_with_apostrophes_are_read_back_too)
{
    static const char *const names[] = {"'=A", "''=A", "=A", "'A",
                                        "'",   "''",   "'-", "::error::x"};
    static const char *const cells[] = {"''=A", "'''=A", "'=A", "'A",
                                        "'",    "''",    "''-", "'::error::x"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct hd_report *r = top_of(table_of(names[i], 2, 30), NULL);
        char *csv = written(r, "csv"), wanted[64];
        snprintf(wanted, sizeof(wanted), "type,count,bytes,retained\n%s,2,30,\n", cells[i]);
        cr_expect_str_eq(csv, wanted);
        struct hd_snapshot *snap = hd_snapshot_from_memory(csv, strlen(csv), NULL, NULL);
        cr_assert_not_null(snap, "%s", names[i]);
        cr_expect_not_null(forge_type(snap, TYPE_OBJECT, names[i]), "%s", names[i]);
        hd_snapshot_close(snap);
        free(csv);
        hd_report_free(r);
    }
}

/* U+009B and U+202E. Backslashes of TSV's own escapes are not doubled. */
Test(write_csv, no_cell_commands_a_terminal_or_a_build_server)
{
    expect_cell("a\x1b[2J\a\x7f", "a\\x1b[2J\\x07\\x7f", "a\\x1b[2J\\x07\\x7f");
    expect_cell("a\xc2\x9b"
                "b\xe2\x80\xae",
                "a\\x9bb\\u202e", "a\\x9bb\\u202e");
    expect_cell("a\\\x1b", "a\\\\x1b", "a\\\\\\x1b");
    expect_cell("A##vso[x]", "A#\\x23vso[x]", "A#\\x23vso[x]");
    expect_cell("A\n::error::x", "\"A\n\\x3a:error::x\"", "A\\n::error::x");
}

Test(write_csv, chains_are_one_cell)
{
    struct hd_report *r = roots_of(shop(1), "Order", hd_default_options());
    expect_written(
        r, "csv",
        "root_kind,share,share_low,share_high,chain\n"
        "static,1,1,1,[static vars] → [static var App.Shop.s_orders] → App.Shop → "
        "App.Order[] → App.Order\n");
    hd_report_free(r);
}

Test(write_csv, a_file_that_is_not_a_snapshot_has_only_its_error)
{
    struct hd_report *r = info_of_two();
    char *got = written(r, "csv");
    expect_part(got, "\nforged,forged,,,,,23,21,2,4,1520,23,1520,false,true,\n");
    expect_part(got, "\nbroken.gcdump,,,,,,,,,,,,,,,it is | broken\n");
    free(got);
    hd_report_free(r);
}

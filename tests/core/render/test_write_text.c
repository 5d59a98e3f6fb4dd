#include "render/written.h"
#include "support/asked.h"

#include <criterion/criterion.h>

/* --- diff ------------------------------------------------------------------------- */

static struct hd_report *shop_diff_of(uint32_t rows, double min_share)
{
    struct hd_options opt = hd_default_options();
    opt.rows = rows;
    opt.min_share = min_share;
    return shop_diff(&opt);
}

Test(write_text, a_total_without_removed_types_is_that_of_the_shown_rows)
{
    static const char *const gone[] = {"App.Gone"};
    struct hd_snapshot *snaps[2];
    struct forge f = {0};
    for (int k = 0; k < 2; k++) {
        if (k == 0)
            forge_row(&f, "App.Gone", 7, 700);
        forge_row(&f, "App.Order", 10, 1000);
        snaps[k] = forge_finish(&f);
    }
    struct hd_options opt = hd_default_options();
    opt.excludes = gone;
    opt.exclude_count = 1;
    opt.rows = 20;
    struct hd_report *r = diff_of(snaps, 2, &opt);
    char *text = written(r, "text");
    expect_part(text, "[total shown]");
    free(text);
    hd_report_free(r);
}

Test(write_text, a_diff_has_its_snapshots_confidence_and_growth)
{
    struct hd_report *r = shop_diff_of(2, 0.2);
    char *got = written(r, "text");
    expect_part(got, "4 snapshots");
    expect_part(got,
                "\nconfidence  high: 4 snapshots, +10 objects in every step; no times: "
                "long-lived objects are not ruled out\n");
    expect_part(got, "1.48 KiB → 2.89 KiB → 4.30 KiB → 5.70 KiB   +4.22 KiB");
    expect_part(got, "23 → 43 → 63 → 83   +60");
    expect_line(got, "  App.Order\n", "3.98 KiB");
    expect_line(got, "  App.Order\n", "70 %");
    expect_line(got, "  App.Order\n", "10 → 40  ▁▃▆█");
    expect_part(got, "[static var App.Shop.s_orders] → Shop → Order[] → Order\n");
    free(got);
    hd_report_free(r);
}

Test(write_text, omitted_rows_are_summed_and_all_rows_sum_to_the_heap)
{
    struct hd_report *r = shop_diff_of(2, 0.02);
    char *got = written(r, "text");
    char *types = strstr(got, "TYPES");
    cr_assert_not_null(types);
    static const char *const rows[][4] = {
        {"  App.Order\n", "+30 ", " 10 → 40 ", " +2.81 KiB "},
        {"  System.String\n", "+30 ", " 11 → 41 ", " +1.17 KiB "},
        {"[2 others]", " 0 ", " 2 → 2 ", " +240 B "},
        {"[total]", "+60 ", " 23 → 83 ", " +4.22 KiB "},
    };
    for (size_t i = 0; i < 4; i++)
        for (size_t value = 1; value < 4; value++)
            expect_line(types, rows[i][0], rows[i][value]);
    free(got);
    hd_report_free(r);
}

Test(write_text, all_rows_need_no_sum_of_others)
{
    struct hd_report *r = shop_diff_of(0, 0.02);
    char *got = written(r, "text");
    expect_no_part(got, "others]");
    expect_part(got, "[total]");
    free(got);
    hd_report_free(r);
}

Test(write_text, unknown_values_are_dashes)
{
    struct hd_snapshot *snaps[] = {table_of("A", 1, HD_UNKNOWN),
                                   table_of("A", 2, HD_UNKNOWN)};
    struct hd_report *r = diff_of(snaps, 2, NULL);
    char *got = written(r, "text");
    expect_part(got, "heap       - → -");
    expect_part(got, "bytes and owners are unknown");
    expect_no_part(got, "18446744073709551615");
    expect_no_part(got, "18,446,744,073,709,551,615");
    expect_no_part(got, "reachable");
    free(got);
    hd_report_free(r);
}

Test(write_text, one_unknown_makes_a_sum_unknown)
{
    struct forge f = {0};
    forge_row(&f, "A", 3, 30);
    forge_row(&f, "B", 2, HD_UNKNOWN);
    forge_row(&f, "C", 1, 10);
    struct hd_options opt = hd_default_options();
    opt.rows = 1;
    struct hd_report *r = top_of(forge_finish(&f), &opt);
    char *got = written(r, "text");
    expect_line(got, "  A\n", "30 B");
    expect_line(got, "[2 others]", " 3      - ");
    expect_line(got, "[total]", " 6      - ");
    free(got);
    hd_report_free(r);
}

static void expect_sentence(struct hd_snapshot **snaps, size_t count, const char *sentence)
{
    struct hd_report *r = diff_of(snaps, count, NULL);
    char *got = written(r, "text");
    expect_part(got, sentence);
    free(got);
    hd_report_free(r);
}

Test(write_text, without_growth_there_is_one_sentence)
{
    struct hd_snapshot *still[] = {shop(3), shop(3)};
    expect_sentence(
        still, 2,
        "UNSURE  No leak found between 2 snapshots, but one cannot be ruled out\n");
    struct hd_snapshot *unfit[] = {shop(3), shop(4)};
    unfit[0]->info.complete = false;
    expect_sentence(unfit, 2, "UNSURE  Fewer than two of the snapshots can be compared.");
}

/* --- the next command ------------------------------------------------------------------
 */

static struct hd_snapshot *held(const char *type, uint32_t count)
{
    struct forge f = {0};
    node_id first = forge_objects(&f, type, 100, count);
    for (uint32_t i = 0; i < count; i++)
        forge_root(&f, HD_ROOT_STACK, NULL, first + i);
    return forge_finish(&f);
}

static char *diff_text(const char *type)
{
    struct hd_snapshot *snaps[] = {held(type, 1), held(type, 2)};
    snaps[1]->info.path = "my app/2.gcdump";
    struct hd_report *r = diff_of(snaps, 2, NULL);
    char *got = written(r, "text");
    hd_report_free(r);
    return got;
}

Test(write_text, the_next_command_can_be_pasted_into_a_shell)
{
    char *got = diff_text("App.Order");
    expect_line(got, "next: ", " heapdrift explore ");
    expect_line(got, "next: ", " 'my app/2.gcdump'");
    free(got);
}

Test(write_text, no_name_commands_the_terminal)
{
    char *got = diff_text("App.\x1b[2JOrder\r");
    size_t commands = 0;
    for (const char *c = got; *c != '\0'; c++)
        commands += (unsigned char)*c < 0x20 && *c != '\n';
    cr_expect_eq(commands, 0, "%zu control characters in:\n%s", commands, got);
    free(got);
}

Test(write_text, text_is_valid_utf_8_whatever_the_names_are)
{
    char *got = diff_text("App.\xffOrder");
    struct text valid = {0};
    text_add_utf8(&valid, got, strlen(got));
    cr_expect_str_eq(got, text_string(&valid));
    text_free(&valid);
    free(got);
}

/* --- terminals
 * ------------------------------------------------------------------------------ */

Test(write_text, without_a_terminal_nothing_is_truncated_or_colored)
{
    char name[300] = "App.";
    memset(name + 4, 'x', sizeof(name) - 5);
    struct hd_report *r = top_of(table_of(name, 1, 10), NULL);
    char *got = written(r, "text");
    expect_part(got, name);
    expect_no_part(got, "\033");
    free(got);
    hd_report_free(r);
}

/* Width of the widest line that contains the part. */
static size_t width_of(const char *text, const char *part)
{
    size_t widest = 0;
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1) {
        size_t len = strcspn(line, "\n"), columns = utf8_columns(line, len);
        const char *found = strstr(line, part);
        if (found != NULL && found < line + len && columns > widest)
            widest = columns;
    }
    return widest;
}

Test(write_text, on_a_terminal_names_are_shortened_to_its_width)
{
    char name[300] = "App.";
    memset(name + 4, 'x', sizeof(name) - 5);
    struct hd_report *r = top_of(table_of(name, 1, 10), NULL);
    struct hd_write_options opt = {.width = 60, .color = true};
    char *got = written_with(r, "text", &opt);
    cr_expect_eq(width_of(strstr(got, "forged"), "…"), 60, "%s", got);
    expect_part(got, "\033[");
    free(got);
    hd_report_free(r);
}

Test(write_text, on_a_terminal_chains_are_broken_at_their_arrows)
{
    struct hd_report *r = shop_diff_of(0, 0.02);
    struct hd_write_options opt = {.width = 62, .details = true};
    char *got = written_with(r, "text", &opt);
    cr_expect_leq(width_of(got, "held by"), 62, "%s", got);
    cr_expect_leq(width_of(got, "→ Order"), 62, "%s", got);
    expect_part(got, "\n             [static var App.Shop.s_orders] → Shop → Order[]"
                     "\n             → Order\n");
    free(got);
    hd_report_free(r);
}

/* --- top, roots, info
 * -------------------------------------------------------------------------- */

Test(write_text, top_shows_shares_and_sums_what_is_cut)
{
    struct hd_options opt = hd_default_options();
    opt.rows = 2;
    struct hd_report *r = top_of(shop(10), &opt);
    char *got = written(r, "text");
    expect_part(got, "forged  23 objects, 1.48 KiB, 100 % of the objects reachable\n");
    static const char *const rows[][4] = {
        {"  App.Order\n", " 10 ", " 960 B ", " 63 % "},
        {"  System.String\n", " 11 ", " 440 B ", " 29 % "},
        {"[2 others]", " 2 ", " 120 B ", " 7.9 % "},
        {"[total]", " 23 ", " 1.48 KiB ", " 100 % "},
    };
    for (size_t i = 0; i < 4; i++)
        for (size_t value = 1; value < 4; value++)
            expect_line(got, rows[i][0], rows[i][value]);
    free(got);
    hd_report_free(r);
}

Test(write_text, top_without_bytes_has_dashes)
{
    struct hd_report *r = top_of(table_of("A", 3, HD_UNKNOWN), NULL);
    char *got = written(r, "text");
    expect_part(got, "forged  3 objects, -\n");
    expect_line(got, "  A\n", " 3      -        - ");
    free(got);
    hd_report_free(r);
}

Test(write_text, roots_show_shares_and_whole_chains)
{
    struct hd_report *r = roots_of(shop(10), "System.String", hd_default_options());
    char *got = written(r, "text");
    expect_part(got, "System.String  11 instances, 440 B\n");
    expect_line(got, "1.  ", "91 %  static");
    expect_part(got, "\n      [static vars]\n"
                     "    → [static var App.Shop.s_orders]\n    → App.Shop\n");
    expect_line(got, "2.  ", "9.1 %  stack");
    expect_part(got, "\n      [local vars]\n    → System.String\n");
    expect_no_part(got, "sampled");
    free(got);
    hd_report_free(r);
}

Test(write_text, samples_and_omissions_are_mentioned)
{
    struct hd_options opt = hd_default_options();
    opt.samples = 5;
    opt.chains = 1;
    opt.depth = 2;
    struct hd_report *r = roots_of(shop(50), "System.String", opt);
    char *got = written(r, "text");
    expect_part(got, "5 sampled instances");
    expect_part(got, "(57–100 %)");
    expect_part(got, "      [static vars]\n      … 4 more\n    → System.String\n");
    free(got);
    hd_report_free(r);
}

Test(write_text, other_chains_are_summed)
{
    struct hd_options opt = hd_default_options();
    opt.chains = 1;
    struct hd_report *r = roots_of(shop(1), "System.String", opt);
    char *got = written(r, "text");
    expect_line(got, "1 other chain", "50 %; --chains=2 shows all");
    free(got);
    hd_report_free(r);
}

Test(write_text, info_shows_each_file_and_its_faults)
{
    struct hd_report *r = info_of_two();
    char *got = written(r, "text");
    expect_part(got,
                "forged\n  format      forged\n  objects     23, 1.48 KiB (1,520 bytes)\n");
    expect_part(got, "  references  21\n");
    expect_part(got, "    static    1\n    stack     1\n");
    expect_part(got, "broken.gcdump\n  cannot be used: ");
    expect_part(got, "it is | broken\n");
    free(got);
    hd_report_free(r);
}

Test(write_text, info_is_silent_about_what_is_unknown)
{
    struct hd_snapshot *snap = table_of("A", 3, HD_UNKNOWN);
    struct hd_info_entry entry = {.path = "forged", .snap = snap};
    struct hd_report *r = ask_info(&entry, 1);
    char *got = written(r, "text");
    expect_no_part(got, "references");
    expect_no_part(got, "reachable");
    expect_no_part(got, "pid");
    expect_part(got, "objects");
    free(got);
    hd_report_free(r);
    hd_snapshot_close(snap);
}

/* The browser without a terminal: keys in, lines of text out. */
#include "cli/browsed.h"
#include "render/written.h"
#include "support/large.h"
#include "support/made_fields.h"
#include "support/scratch.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <utf8proc.h>

/* Four shops, each with ten sessions more than the previous. */
static void begin_shops(struct browser *b)
{
    *b = (struct browser){.count = SHOPS};
    open_shops(b->snaps);
    begin(b);
    settle(b);
}

/* --- the way down and back ------------------------------------------------------- */

Test(explore, opens_on_the_suspects)
{
    struct browser b;
    begin_shops(&b);
    const struct hd_diff *d = hd_report_model(b.report)->diff;
    cr_assert_gt(d->suspect_count, 0);
    shows(&b, "[1 Suspects");
    cr_expect_not_null(strstr(chosen(&b), d->suspects[0].title));
    shows(&b, "held by");
    end(&b);
}

Test(explore, leads_from_a_suspect_to_its_place_to_its_objects_to_one)
{
    struct browser b;
    begin_shops(&b);
    press(&b, PRESS_ENTER);
    shows(&b, "[2 Tree]");
    cr_expect_not_null(strstr(chosen(&b), "◀ suspect 1"), "%s", chosen(&b));
    press(&b, PRESS_ENTER);
    shows(&b, "Tree › ");
    shows(&b, "snapshot 4 of 4");
    press(&b, PRESS_ENTER);
    shows(&b, "chain from the root");
    shows(&b, "[static vars]");
    shows(&b, "refers to");
    shows(&b, "referred to by");
    press(&b, PRESS_BACK);
    shows(&b, "snapshot 4 of 4");
    press(&b, PRESS_LEFT);
    shows(&b, "[2 Tree]");
    press(&b, PRESS_BACK);
    shows(&b, "[1 Suspects");
    press(&b, PRESS_BACK);
    cr_expect_not(b.e.quit, "only q quits");
    press(&b, 'q');
    cr_expect(b.e.quit);
    end(&b);
}

Test(explore, follows_references_both_ways)
{
    struct browser b;
    begin_shops(&b);
    press(&b, PRESS_ENTER);
    press(&b, PRESS_ENTER);
    press(&b, PRESS_ENTER);
    char first[256];
    snprintf(first, sizeof(first), "%s", strstr(screen(&b), "Tree › "));
    press(&b, PRESS_END); /* its referrers */
    press(&b, PRESS_ENTER);
    cr_expect_null(strstr(screen(&b), first), "another object");
    press(&b, PRESS_ESCAPE);
    shows(&b, "Tree › ");
    end(&b);
}

Test(explore, shows_fields_where_they_are_known_and_text_when_asked)
{
    struct browser b = {.count = 1, .snaps = {made_fields()}};
    begin(&b);
    settle(&b);
    press(&b, '3');
    press(&b, '/');
    type(&b, "Shop.Customer");
    press(&b, PRESS_ENTER);
    press(&b, PRESS_ENTER);
    press(&b, '/');
    type(&b, "#1");
    press(&b, PRESS_ENTER);
    press(&b, PRESS_ENTER);
    shows(&b, "[].value → Customer");
    shows(&b, "_name → String");
    shows(&b, "_id = -4711");
    shows(&b, "_state = Blocked (2)");
    shows(&b, "_grade = not shown");
    shows(&b, "evil\\x1b[31m|<b>");
    shows(&b, "_born = 2026-11-24 15:04:05.1234567Z");
    shows(&b, "_left = null");
    lacks(&b, "hunter2");
    press(&b, PRESS_END);
    shows(&b, "[].value of Entry[]");
    press(&b, PRESS_HOME);
    press(&b, 'v');
    shows(&b, "_name = \"hunter2\\x1b[31m\"");
    press(&b, 'v');
    lacks(&b, "hunter2");
    end(&b);
}

Test(explore, changing_the_snapshot_closes_views_of_objects)
{
    struct browser b;
    begin_shops(&b);
    press(&b, PRESS_ENTER);
    press(&b, PRESS_ENTER);
    press(&b, '<');
    settle(&b);
    shows(&b, "snapshot 3 of 4");
    press(&b, PRESS_ENTER);
    shows(&b, "chain from the root");
    press(&b, PRESS_BACK);
    press(&b, '>');
    press(&b, '>');
    shows(&b, "snapshot 4 of 4");
    end(&b);
}

/* --- another look at the same numbers -------------------------------------------- */

Test(explore, another_order_changes_no_row)
{
    struct browser b;
    begin_shops(&b);
    press(&b, '3');
    size_t rows = b.e.panes[PANE_TYPES]->rows;
    char by_growth[512];
    snprintf(by_growth, sizeof(by_growth), "%s", chosen(&b));
    const char *name = strrchr(by_growth, ' ') + 1;
    for (int i = 0; i < 4; i++) {
        press(&b, 's');
        cr_expect_eq(b.e.panes[PANE_TYPES]->rows, rows);
        type(&b, "g/");
        type(&b, name);
        press(&b, PRESS_ENTER);
        for (int tries = 0; strcmp(chosen(&b), by_growth) != 0 && tries < 20; tries++)
            press(&b, 'n');
        cr_expect_str_eq(chosen(&b), by_growth);
    }
    end(&b);
}

Test(explore, shows_what_changed_or_the_last)
{
    struct browser b;
    begin_shops(&b);
    shows(&b, "Δretained");
    press(&b, 'd');
    lacks(&b, "Δretained");
    press(&b, PRESS_TAB);
    shows(&b, "[2 Tree]");
    shows(&b, "share");
    press(&b, PRESS_TAB);
    lacks(&b, "Δcount");
    press(&b, 'd');
    shows(&b, "Δcount");
    end(&b);
}

Test(explore, hides_the_framework)
{
    struct browser b;
    begin_shops(&b);
    press(&b, '3');
    shows(&b, "System.");
    press(&b, 'a');
    lacks(&b, "System.String\n");
    shows(&b, "app only");
    press(&b, 'a');
    shows(&b, "System.");
    end(&b);
}

/* --- searching, marking ---------------------------------------------------------- */

Test(explore, searches_in_any_case_and_wraps_around)
{
    struct browser b;
    begin_shops(&b);
    press(&b, '3');
    type(&b, "/sTRIng");
    shows(&b, "/sTRIng_");
    press(&b, PRESS_ENTER);
    cr_expect_not_null(strstr(chosen(&b), "String"), "%s", chosen(&b));
    press(&b, PRESS_END);
    press(&b, 'n');
    cr_expect_not_null(strstr(chosen(&b), "String"));
    type(&b, "/no such type");
    press(&b, PRESS_ENTER);
    shows(&b, "Not found.");
    end(&b);
}

Test(explore, finds_what_is_in_a_closed_branch)
{
    struct browser b;
    begin_shops(&b);
    press(&b, '2');
    press(&b, PRESS_HOME);
    press(&b, '-');
    lacks(&b, "suspect 1");
    type(&b, "/");
    type(&b, hd_report_model(b.report)->diff->suspects[0].type);
    press(&b, PRESS_ENTER);
    for (int i = 0; strstr(chosen(&b), "◀ suspect 1") == NULL && i < 3; i++)
        press(&b, 'n');
    cr_expect_not_null(strstr(chosen(&b), "◀ suspect 1"), "%s", chosen(&b));
    end(&b);
}

Test(explore, compares_with_a_mark)
{
    struct browser b;
    begin_shops(&b);
    press(&b, '3');
    press(&b, 'm');
    shows(&b, "* ");
    press(&b, PRESS_DOWN);
    shows(&b, "is marked; this one has");
    press(&b, PRESS_UP);
    press(&b, 'm');
    lacks(&b, "is marked");
    end(&b);
}

/* --- files ----------------------------------------------------------------------- */

static bool keeps_all(const struct settings *s, const char *path, char *why)
{
    (void)s;
    strcpy(why, "is one of the snapshots");
    return strstr(path, "kept") != NULL;
}

Test(explore, exports_over_no_file_that_is_read)
{
    struct scratch scratch = {0};
    struct browser b;
    scratch_open(&scratch);
    begin_shops(&b);
    press(&b, '3');
    b.e.keeps = keeps_all;
    const char *kept = scratch_file(&scratch, "kept.csv", "type,count", 10);
    export(&b, kept);
    shows(&b, "is one of the snapshots");
    press(&b, 'y');
    cr_expect_str_eq(contents(kept), "type,count");
    export(&b, scratch_path(&scratch, "kept-new.csv"));
    shows(&b, "rows");
    end(&b);
    scratch_remove(&scratch);
}

Test(explore, exports_the_list_and_replaces_files_only_on_request)
{
    struct scratch scratch = {0};
    struct browser b;
    scratch_open(&scratch);
    begin_shops(&b);
    press(&b, '3');
    const char *csv = scratch_path(&scratch, "types.csv"),
               *md = scratch_path(&scratch, "types.md");
    export(&b, csv);
    shows(&b, "rows");
    char *text = contents(csv);
    cr_expect_eq(strncmp(text, "delta_count,count,delta_bytes,type\n", 35), 0, "%s", text);
    cr_expect_null(strstr(text, "MiB"), "exact numbers");
    export(&b, md);
    cr_expect_not_null(strstr(contents(md), "| ---: |"));

    press(&b, 'd');
    export(&b, csv);
    shows(&b, "Replace it?");
    press(&b, 'n');
    cr_expect_eq(strncmp(contents(csv), "delta_count", 11), 0);
    export(&b, csv);
    press(&b, 'y');
    cr_expect_eq(strncmp(contents(csv), "count,bytes,type", 16), 0);
    export(&b, scratch_path(&scratch, "types.txt"));
    shows(&b, "must end in .md or .csv");
    export(&b, scratch_path(&scratch, "none/types.md"));
    shows(&b, "No such file");
    end(&b);
    scratch_remove(&scratch);
}

/* --- few snapshots, no references ------------------------------------------------ */

Test(explore, one_snapshot_begins_with_its_types)
{
    struct browser b = {.count = 1};
    b.snaps[0] = shop(20);
    begin(&b);
    settle(&b);
    shows(&b, "[3 Types");
    press(&b, '1');
    shows(&b, "Nothing to compare: one snapshot");
    press(&b, 'd');
    shows(&b, "nothing has changed");
    press(&b, '2');
    shows(&b, "heap");
    press(&b, '3');
    press(&b, PRESS_ENTER);
    press(&b, PRESS_ENTER);
    shows(&b, "chain from the root");
    end(&b);
}

Test(explore, tables_have_types_and_suspects_only)
{
    struct browser b = {.count = 4};
    for (uint32_t k = 0; k < 4; k++) {
        struct forge f = {0};
        forge_row(&f, "App.Order", 100 * (k + 1), 4000 * (k + 1));
        forge_row(&f, "System.String", 50, 1000);
        b.snaps[k] = forge_finish(&f);
    }
    begin(&b);
    settle(&b);
    shows(&b, "App.Order");
    press(&b, PRESS_ENTER);
    shows(&b, "no single objects");
    press(&b, PRESS_BACK);
    press(&b, '2');
    shows(&b, "No ownership tree");
    end(&b);
}

/* --- the process -------------------------------------------------------------------- */

/* Shops with a process that gains 10 MiB of native memory in each step. */
static void begin_processes(struct browser *b)
{
    *b = (struct browser){.count = SHOPS};
    open_shops(b->snaps);
    for (uint64_t k = 0; k < SHOPS; k++) {
        hd_fact_set(&b->snaps[k]->facts, HD_FACT_RESIDENT, (100 + 10 * k) << 20);
        hd_fact_set(&b->snaps[k]->facts, HD_FACT_OF_GC, UINT64_C(20) << 20);
        hd_fact_set(&b->snaps[k]->facts, HD_FACT_OF_BRK, (10 + 10 * k) << 20);
        hd_fact_set(&b->snaps[k]->facts, HD_FACT_THREADS, 7 + k);
    }
    begin(b);
    settle(b);
}

Test(explore, the_fourth_pane_has_the_parts_of_the_process)
{
    struct browser b;
    begin_processes(&b);
    shows(&b, " 4 Process ");
    press(&b, '4');
    shows(&b, "[4 Process]");
    shows(&b, "100 MiB     130 MiB    +30.0 MiB  ▁▃▆█   process");
    shows(&b, "80.0 MiB     110 MiB    +30.0 MiB  ▁▃▆█     native memory");
    shows(&b, "10.0 MiB    40.0 MiB    +30.0 MiB  ▁▃▆█       [heap] of malloc");
    shows(&b, "values   100 MiB  110 MiB  120 MiB  130 MiB");
    press(&b, PRESS_END);
    shows(&b, "values   7  8  9  10");
    lacks(&b, "mapped files");
    press(&b, 'd');
    shows(&b, "    10           threads");
    shows(&b, "110 MiB     85 %    native memory");
    press(&b, PRESS_TAB);
    shows(&b, "[1 Suspects");
    press(&b, PRESS_BACK_TAB);
    shows(&b, "[4 Process]");
    end(&b);
}

Test(explore, files_without_facts_have_three_panes)
{
    struct browser b;
    begin_shops(&b);
    lacks(&b, "Process");
    press(&b, '4');
    shows(&b, "[1 Suspects");
    shows(&b, "The files have no facts of the process.");
    press(&b, PRESS_BACK_TAB);
    shows(&b, "[3 Types");
    press(&b, PRESS_TAB);
    shows(&b, "[1 Suspects");
    end(&b);
}

static void expect_counts(const uint64_t *counts, size_t count, unsigned columns,
                          const char *expected)
{
    struct hd_tally at[8] = {0};
    struct hd_memory text = {0};
    for (size_t k = 0; k < count; k++)
        at[k].count = counts[k];
    print_counts(at, count, columns, hd_sink_memory(&text));
    cr_expect_str_eq(text.bytes, expected);
    hd_memory_free(&text);
}

Test(explore, counts_of_many_snapshots_take_one_line)
{
    static const uint64_t counts[] = {0, 10, 200, 3000, 40000, 500000};
    expect_counts(counts, 6, 80, "0  10  200  3,000  40,000  500,000");
    expect_counts(counts, 6, 33, "0  …  200  3,000  40,000  500,000");
    expect_counts(counts, 6, 28, "0  …  3,000  40,000  500,000");
    expect_counts(counts, 6, 5, "0  …  500,000");
    expect_counts(counts, 2, 3, "0  10");
    expect_counts(counts, 1, 1, "0");
}

/* Without blanks and line ends, which depend on the width. */
static char *squeezed(const char *text)
{
    char *to = malloc(strlen(text) + 1), *end = to;
    for (; *text != '\0'; text++)
        if (*text != ' ' && *text != '\n')
            *end++ = *text;
    *end = '\0';
    return to;
}

Test(explore, every_screen_shows_the_whole_verdict)
{
    struct browser b;
    begin_shops(&b);
    const struct hd_summary *s = hd_report_model(b.report)->summary;
    char *verdict = squeezed(s->verdict[0].text);
    for (unsigned width = 40; width < 200; width += 9)
        for (unsigned height = 12; height < 60; height += 6) {
            char *text = squeezed(screen_of(&b, width, height));
            cr_expect_not_null(strstr(text, verdict), "%u x %u:\n%s", width, height,
                               screen_of(&b, width, height));
            free(text);
        }
    free(verdict);
    end(&b);
}

Test(explore, trends_are_seen_at_80_columns_whatever_the_number_of_snapshots)
{
    for (size_t count = 2; count <= MAX_FILES; count += 16) {
        struct browser b = {.count = count};
        for (uint32_t k = 0; k < count; k++)
            b.snaps[k] = shop_table(10 * (k + 1));
        begin(&b);
        settle(&b);
        const char *text = screen_of(&b, 80, 24);
        cr_expect(strstr(text, "trend") != NULL && strstr(text, "█") != NULL, "%s", text);
        end(&b);
    }
}

/* --- any screen, any name -------------------------------------------------------- */

Test(explore, fits_every_screen)
{
    struct browser b;
    begin_shops(&b);
    for (uint32_t pane = '1'; pane <= '3'; pane++) {
        press(&b, pane);
        for (unsigned width = 1; width < 210; width += width < 50 ? 1 : 17)
            for (unsigned height = 1; height < 70; height += height < 30 ? 1 : 13) {
                explore_draw(&b.e, &b.grid, width, height);
                expect_sound(&b.grid);
            }
    }
    cr_expect_not_null(strstr(screen_of(&b, 20, 24), "too small"));
    end(&b);
}

Test(explore, bears_any_names)
{
    enum { LONG = MILLION };
    static char huge[LONG + 1];
    memset(huge, 'x', LONG);
    const char *names[] = {"App.\033[31mRed\007",
                           "App.\xE2\x80\xAEgnp.exe",
                           "App.\xFF\xFE",
                           "App.類型の名前類型の名前類型の名前類型の名前類型の名前",
                           "App.e\xCC\x81\xCC\x81",
                           "App.Line\nBreak\tTab",
                           "=cmd|' /C calc'!A0",
                           "App.<script>&amp;",
                           huge};
    enum { COUNT = sizeof(names) / sizeof(names[0]) };
    struct browser b = {.count = 2};
    for (uint32_t k = 0; k < 2; k++) {
        struct forge f = {0};
        node_id last = forge_object(&f, "App.Top", 24);
        forge_root(&f, HD_ROOT_STATIC, "App.\033[2J.s_all", last);
        for (size_t i = 0; i < COUNT; i++) {
            node_id first = forge_objects(&f, names[i], 4096 * (k + 1), 4 * (k + 1));
            for (uint32_t n = 0; n < 4 * (k + 1); n++)
                forge_reference(&f, last, first + n);
            last = first;
        }
        b.snaps[k] = forge_finish(&f);
    }
    begin(&b);
    settle(&b);
    static const char keys[] = "1\r\r\r2*jjjjjj\r\r3jjjj\r3jjjjjjjj\r\r";
    for (const char *c = keys; *c != '\0'; c++) {
        press(&b, *c == '\r' ? PRESS_ENTER : (unsigned char)*c);
        explore_draw(&b.e, &b.grid, 80, 24);
        expect_sound(&b.grid);
    }
    struct scratch scratch = {0};
    scratch_open(&scratch);
    press(&b, '3');
    export(&b, scratch_path(&scratch, "hostile.csv"));
    shows(&b, "rows");
    FILE *f = fopen(scratch_path(&scratch, "hostile.csv"), "r");
    bool formula = false;
    for (int c, before = ','; (c = fgetc(f)) != EOF; before = c) {
        cr_assert(c >= ' ' || c == '\n', "a control character");
        formula = formula || (before == ',' && c == '=');
    }
    fclose(f);
    cr_expect_not(formula, "a spreadsheet would run it");
    export(&b, scratch_path(&scratch, "hostile.md"));
    shows(&b, "rows");
    const char *md = contents(scratch_path(&scratch, "hostile.md"));
    cr_expect_not_null(strstr(md, "App.&lt;script>&amp;amp;"), "HTML in Markdown");
    cr_expect_not_null(strstr(md, "=cmd\\|' "), "a bar would end the cell");
    scratch_remove(&scratch);
    end(&b);
}

/* --- the mouse ------------------------------------------------------------------- */

Test(explore, a_click_chooses_and_a_second_one_opens)
{
    struct browser b;
    begin_shops(&b);
    screen(&b);
    struct press tab = {PRESS_CLICK, b.e.tab_at[PANE_TYPES] + 1, b.e.tabs_line},
                 row = {PRESS_CLICK, 10, 7};
    explore_press(&b.e, tab);
    shows(&b, "[3 Types");
    explore_press(&b.e, row);
    cr_expect_eq(b.e.panes[PANE_TYPES]->cursor, 3);
    explore_press(&b.e, row);
    settle(&b);
    shows(&b, "Types › ");
    end(&b);
}

/* --- the grid -------------------------------------------------------------------- */

Test(explore, a_piece_takes_exactly_its_columns)
{
    struct grid g = {0};
    struct hd_memory text = {0};
    grid_begin(&g, 20, 2);
    grid_put(&g, LOOK_PLAIN, "名前名前", 5, ALIGN_LEFT);
    grid_put(&g, LOOK_PLAIN, "abc", 5, ALIGN_RIGHT);
    grid_put(&g, LOOK_PLAIN, "abcdefghijklmnop", 100, ALIGN_LEFT);
    grid_put(&g, LOOK_PLAIN, "gone", 4, ALIGN_LEFT);
    grid_line(&g, 5, false);
    grid_put(&g, LOOK_PLAIN, "below", 5, ALIGN_LEFT);
    grid_print(&g, &text);
    cr_expect_str_eq(text.bytes, "名前…  abcabcdefghi…\n\n");
    expect_sound(&g);
    hd_memory_free(&text);
    grid_free(&g);
}

/* The parts of a process in all formats: known ones only. */
#include "report/process_account.h"

#include "heap/process_facts.h"
#include "render/written.h"

#include <jansson.h>

enum { SERIES = 4 };

/* A small heap whose process has the facts of a line; "": without facts. */
static struct hd_snapshot *snapshot_with(const char *line)
{
    struct hd_snapshot *snap = shop(10);
    process_facts_parse(&snap->facts, line, strlen(line));
    return snap;
}

static struct hd_report *series_of(const char *const *lines)
{
    struct hd_snapshot *snaps[SERIES];
    for (size_t k = 0; k < SERIES; k++)
        snaps[k] = snapshot_with(lines[k]);
    return diff_of(snaps, SERIES, NULL);
}

/* 100 MiB at first; native memory gains 10 MiB in each step. */
static const char *const grows[SERIES] = {
    "resident=104857600 swapped=0 of_gc=20971520 of_brk=10485760 of_large=31457280 "
    "of_code=10485760 of_stacks=10485760 of_files=20971520 threads=7 sockets=2",
    "resident=115343360 swapped=0 of_gc=20971520 of_brk=20971520 of_large=31457280 "
    "of_code=10485760 of_stacks=10485760 of_files=20971520 threads=7 sockets=2",
    "resident=125829120 swapped=0 of_gc=20971520 of_brk=31457280 of_large=31457280 "
    "of_code=10485760 of_stacks=10485760 of_files=20971520 threads=8 sockets=2",
    "resident=136314880 swapped=0 of_gc=20971520 of_brk=41943040 of_large=31457280 "
    "of_code=10485760 of_stacks=10485760 of_files=20971520 threads=9 sockets=2"};

static json_t *process_of(const struct hd_report *r)
{
    char *text = written(r, "json");
    json_t *document = json_loads(text, 0, NULL), *process;
    cr_assert_not_null(document, "%s", text);
    process = json_incref(json_object_get(document, "process"));
    json_decref(document);
    free(text);
    return process;
}

/* --- a series ---------------------------------------------------------------------- */

Test(process_account, the_details_of_a_diff_have_a_row_per_part_and_class)
{
    struct hd_report *r = series_of(grows);
    char *text = written(r, "text");
    expect_part(text, "\nPROCESS  memory that is resident or swapped out\n");
    expect_line(text, "  process\n", " 100 MiB   130 MiB  +30.0 MiB  ▁▃▆█");
    expect_line(text, "├─ compiled code\n", "10.0 MiB  10.0 MiB        0 B  ▁▁▁▁");
    expect_line(text, "└─ native memory   keeps growing\n",
                "40.0 MiB  70.0 MiB  +30.0 MiB");
    expect_line(text, "   ├─ [heap] of malloc\n", "10.0 MiB  40.0 MiB  +30.0 MiB");
    expect_line(text, "   └─ blocks of 1 MiB and more\n", "30.0 MiB  30.0 MiB");
    expect_line(text, "  threads\n", "       7         9         +2  ▁▁▅█");
    free(text);
    hd_report_free(r);
}

Test(process_account, a_part_unknown_in_all_snapshots_has_no_row)
{
    static const char *const lines[SERIES] = {"resident=104857600", "resident=104857600",
                                              "resident=104857600", "resident=104857600"};
    struct hd_report *r = series_of(lines);
    char *text = written(r, "text");
    expect_line(text, "  process\n", "100 MiB   100 MiB");
    expect_line(text, "├─ objects\n", "KiB");
    expect_part(text, "└─ native memory\n");
    static const char *const absent[] = {
        "kept by the collector", "free between objects", "compiled code",
        "stacks of threads",     "mapped files",         "arenas of malloc",
        "  threads\n",           "  sockets\n",          "native memory   keeps growing"};
    for (size_t i = 0; i < sizeof(absent) / sizeof(*absent); i++)
        expect_no_part(text, absent[i]);
    free(text);
    hd_report_free(r);
}

Test(process_account, one_size_is_not_a_series)
{
    static const char *const lines[SERIES] = {"resident=104857600 threads=7", "threads=8",
                                              "", "of_brk=10485760"};
    struct hd_report *r = series_of(lines);
    char *text = written(r, "text"), *page = written(r, "html");
    expect_no_part(text, "\nPROCESS");
    expect_no_part(page, "<section id=\"process\">");
    cr_expect_eq(hd_report_model(r)->account_len, 0);
    json_t *process = process_of(r);
    cr_expect(json_is_null(process), "null, and there");
    json_decref(process);
    free(text);
    free(page);
    hd_report_free(r);
}

Test(process_account, a_snapshot_without_a_size_is_a_gap_in_all_rows)
{
    const char *lines[SERIES] = {"threads=7", grows[1], "of_brk=10485760 threads=8",
                                 grows[3]};
    struct hd_report *r = series_of(lines);
    char *text = written(r, "text");
    expect_line(text, "  process\n", " 110 MiB   130 MiB  +20.0 MiB  ▁█  ");
    expect_line(text, "  threads\n", "  7         9         +2  ▁█  ");
    const struct hd_model *m = hd_report_model(r);
    for (size_t i = 0; i < m->account_len; i++) {
        cr_expect_eq(m->account[i].at[0], HD_UNKNOWN, "%s", m->account[i].name);
        cr_expect_eq(m->account[i].at[2], HD_UNKNOWN, "%s", m->account[i].name);
    }
    free(text);
    hd_report_free(r);
}

Test(process_account, the_first_screen_has_no_table)
{
    struct hd_report *r = series_of(grows);
    char *text = written_with(r, "text", NULL);
    expect_part(text, "process     100 MiB → 130 MiB");
    expect_no_part(text, "PROCESS");
    free(text);
    hd_report_free(r);
}

Test(process_account, a_check_has_it_with_details_too)
{
    struct hd_snapshot *snaps[SERIES];
    for (size_t k = 0; k < SERIES; k++)
        snaps[k] = snapshot_with(grows[k]);
    struct hd_report *r = check_of(snaps, SERIES, NULL, hd_budgets_new());
    char *text = written(r, "text");
    expect_part(text, "\nPROCESS  memory");
    json_t *process = process_of(r);
    cr_expect(json_is_object(process));
    json_decref(process);
    free(text);
    hd_report_free(r);
}

/* --- JSON -------------------------------------------------------------------------- */

Test(process_account, json_has_sizes_parts_and_the_part_that_grows)
{
    const char *lines[SERIES] = {grows[0], grows[1], "threads=8", grows[3]};
    struct hd_report *r = series_of(grows), *gap = series_of(lines);
    json_t *p = process_of(r), *g = process_of(gap);
    json_t *native_memory = json_object_get(json_object_get(p, "parts"), "native");
    cr_expect_eq(json_integer_value(json_array_get(json_object_get(p, "size"), 3)),
                 136314880);
    cr_expect_eq(json_integer_value(json_array_get(native_memory, 0)), 41943040);
    cr_expect_eq(json_integer_value(json_array_get(json_object_get(p, "threads"), 3)), 9);
    cr_expect_eq(json_integer_value(json_object_get(p, "growth")), 31457280);
    cr_expect_str_eq(json_string_value(json_object_get(p, "where")), "native");
    cr_expect_str_eq(json_string_value(json_object_get(p, "within")), "of_brk");
    cr_expect(json_is_true(json_object_get(p, "outside")));
    cr_expect_str_eq(json_string_value(json_object_get(p, "hint")), "native-memory-grows");
    cr_expect(json_is_null(json_object_get(p, "holder")));
    cr_expect(json_is_null(json_array_get(json_object_get(g, "size"), 2)));
    cr_expect(json_is_null(json_array_get(json_object_get(g, "threads"), 2)));
    cr_expect(json_is_null(
        json_array_get(json_object_get(json_object_get(p, "parts"), "free"), 0)));
    json_decref(p);
    json_decref(g);
    hd_report_free(r);
    hd_report_free(gap);
}

/* --- one snapshot ------------------------------------------------------------------- */

/* The text of info on a snapshot with these facts. */
static char *info_of(const char *line)
{
    struct hd_snapshot *snap = snapshot_with(line);
    struct hd_info_entry entry = {.path = "forged", .snap = snap};
    struct hd_report *r = ask_info(&entry, 1);
    char *text = written(r, "text");
    hd_snapshot_close(snap);
    hd_report_free(r);
    return text;
}

Test(process_account, info_lists_all_facts_of_a_snapshot)
{
    char *text = info_of("resident=104857600 private=62914560 files=41943040 shared=0 "
                         "swapped=0 limit=209715200 limit_used=115343360 of_gc=20971520 "
                         "of_brk=10485760 of_files=41943040 gc_committed=20971520 "
                         "gc_free=1048576 fragmented=2048 fragmented_gen2=2048 gc_heaps=2 "
                         "pinned_objects=1 threads=12 thread=9:.NET%20TP%20Worker "
                         "thread=3:a%1b[2Jb sockets=2 open_files=5 pipes=1 "
                         "gc_pause_ppm=34000 since_gen2_seconds=135");
    expect_line(text, "  memory ", "100 MiB (104,857,600 bytes)\n");
    expect_line(text, "    mapped files ", "40.0 MiB, 40 %\n");
    expect_line(text, "    native memory ", "40.0 MiB, 40 %: [heap] of malloc 10.0 MiB\n");
    expect_line(text, "  by kind ",
                "60.0 MiB private, 40.0 MiB of files, 0 B shared, 0 B swapped out\n");
    expect_line(text, "  control group ", "110 MiB used, 200 MiB limit, 55 % of it\n");
    expect_line(text, "  threads ", "12, 9 .NET TP Worker, 3 a\\x1b[2Jb\n");
    expect_line(text, "  descriptors ", "2 sockets, 5 open files, 1 pipe\n");
    expect_line(text, "  collector ",
                "20.0 MiB committed, 1.00 MiB in free regions, 2 heaps, 1 pinned object\n");
    expect_line(text, "  fragmented ", "2.00 KiB, gen2 2.00 KiB\n");
    expect_line(text, "  collections ",
                "program paused for 3.4 % of the time, last gen2 2 min 15 s earlier\n");
    free(text);
}

Test(process_account, info_lists_only_what_is_known)
{
    static const char *const names[] = {
        "\n  memory ",      "\n  by kind ",   "\n  control group ", "\n  threads ",
        "\n  descriptors ", "\n  collector ", "\n  fragmented ",    "\n  collections "};
    static const struct {
        const char *line;
        int has; /* index in names; -1: none */
    } cases[] = {{"", -1},
                 {"resident=1024", 0},
                 {"private=1024", 1},
                 {"limit=1024", 2},
                 {"thread=1:main", 3},
                 {"pipes=1", 4},
                 {"gc_heaps=1", 5},
                 {"fragmented_loh=0", 6},
                 {"uptime_seconds=5", -1},
                 {"gc_pause_ppm=0", 7}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char *text = info_of(cases[i].line);
        for (int k = 0; k < (int)(sizeof(names) / sizeof(*names)); k++)
            cr_expect_eq(strstr(text, names[k]) != NULL, k == cases[i].has, "%s: %s\n%s",
                         cases[i].line, names[k], text);
        free(text);
    }
}

Test(process_account, a_group_without_a_size_and_a_limit_of_zero_have_no_share)
{
    char *text = info_of("resident=0 limit=0 limit_used=1024");
    expect_line(text, "  memory ", "0 B (0 bytes)\n");
    expect_line(text, "    native memory ", "0 B\n");
    expect_line(text, "  control group ", "1.00 KiB used, 0 B limit\n");
    free(text);
}

/* --- lists --------------------------------------------------------------------------- */

Test(process_account, a_list_of_one_snapshot_has_shares_of_the_size)
{
    struct hd_report *r = top_of(snapshot_with(grows[0]), NULL);
    const struct hd_model *m = hd_report_model(r);
    struct hd_column columns[HD_MAX_COLUMNS];
    size_t n = hd_list_columns(m, HD_LIST_LAST_PROCESS, columns);
    cr_assert_eq(n, 3);
    cr_assert_gt(m->account_len, 0);
    for (size_t i = 0; i < m->account_len; i++) {
        const struct hd_process_row *row = &m->account[i];
        struct hd_cell share = columns[1].cell(m, row);
        cr_expect_eq(columns[0].cell(m, row).a, row->at[0]);
        cr_expect_eq(share.kind, row->is_count ? HD_CELL_NONE : HD_CELL_SHARE, "%s",
                     row->name);
        if (strcmp(row->name, "native memory") == 0)
            cr_expect_float_eq(share.share, 0.4, 1e-9);
    }
    hd_report_free(r);
}

Test(process_account, facts_without_a_row_have_no_name)
{
    cr_expect_str_eq(process_account_name(HD_FACT_PIPES), "pipes");
    cr_expect_null(process_account_name(HD_FACT_RESIDENT));
    cr_expect_null(process_account_name(HD_FACT_COUNT));
}

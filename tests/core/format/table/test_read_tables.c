#include "format/expected_table.h"

#include "base/text.h"

Test(tables, reads_and_refuses_every_fixture_as_the_other_reader_did)
{
    cr_assert_eq(expect_folder("fixtures/type-tables"), 13);
}

static struct hd_snapshot *must_read(const char *text)
{
    struct hd_error err;
    struct hd_snapshot *snap = read_text(text, &err);
    cr_assert(snap != NULL, "%s\n%s", err.message, text);
    return snap;
}

static void expect_format(const char *text, const char *format)
{
    struct hd_snapshot *snap = must_read(text);
    expect_string(text, "format", snap->info.format, format);
    hd_snapshot_close(snap);
}

Test(tables, are_recognised_by_their_first_line)
{
    expect_format("\n\ntype,count,bytes\n", "table-csv");
    expect_format("type,count,bytes\nDumpHeapCommand,1,24\n", "table-csv");
    expect_format("\"type\",\"count\",\"bytes\"\n\"DumpGen\",1,24\n", "table-csv");
    expect_format("\xEF\xBB\xBF\n \t[]", "datadog-histogram");
    expect_format("[[\"TotalSize\",1,24]]", "datadog-histogram");
    expect_format("\r\n {\"format\":\"heapdrift-table\",\"version\":1,\"types\":[]}",
                  "table-json");
    expect_format("\n1 GC Heap bytes\nObject Bytes Count Type\n", "gcdump-report");
}

/* --- CSV ------------------------------------------------------------------------ */

#define CSV "type,count,bytes\n"

Test(table_csv, reads_quoted_fields_with_anything_in_them)
{
    struct hd_snapshot *snap =
        must_read("\"type\",count,bytes\r\n\"A, \"\"B\"\"\nC\",\"1\",24\r\n\"D\",2,48");
    expect_type("quoted", snap, "A, \"B\"\nC", 1, 24);
    expect_type("quoted", snap, "D", 2, 48);
    hd_snapshot_close(snap);
}

Test(table_csv, ignores_further_columns_and_empty_lines)
{
    expect_read("\n\ntype,count,bytes,retained\n\nA,1,24,\n\r\nB,2,48,\"x\ny\"\n\n", 3, 72);
    expect_read(CSV "A,1,24\r", 1, 24);
    expect_read("type,count,bytes", 0, 0);
}

Test(table_csv, warns_once_when_bytes_are_unknown)
{
    struct hd_snapshot *snap = must_read(CSV "A,1,\nB,2,\nC,3,72\n");
    const struct warning *w = warnings_find(&snap->warnings, WARN_BYTES_UNKNOWN);
    cr_assert(w != NULL && w->count == 1 && w->line == 0);
    cr_assert_eq(snap->info.bytes, HD_UNKNOWN);
    expect_type("known", snap, "C", 3, 72);
    hd_snapshot_close(snap);
}

Test(table_csv, refuses_records_at_the_line_where_they_begin)
{
    expect_refused("type,count\n", "bad-header", 1);
    expect_refused("type,bytes,count\n", "bad-header", 1);
    expect_refused("type,count,bytes \n", "bad-header", 1);
    expect_refused(CSV "A,1\n", "bad-row", 2);
    expect_refused(CSV "A,1,24,\n", "bad-row", 2);
    expect_refused(CSV ",1,24\n", "bad-row", 2);
    expect_refused(CSV " \n", "bad-row", 2);
    expect_refused(CSV "\"A\nB\",1,24\nC,1,24,9\n", "bad-row", 4);
    expect_refused(CSV "A,,24\n", "bad-number", 2);
    expect_refused(CSV "A,-1,24\n", "bad-number", 2);
    expect_refused(CSV "A,1, 24\n", "bad-number", 2);
    expect_refused(CSV "A,1,1.5\n", "bad-number", 2);
    expect_refused(CSV "A,1,18446744073709551616\n", "bad-number", 2);
    expect_refused(CSV "\"A\" ,1,24\n", "bad-quote", 2);
    expect_refused(CSV "A\"B\",1,24\n", "bad-quote", 2);
    expect_refused(CSV "A,1,24\n\"B\n\n\n", "bad-quote", 3);
    expect_refused(CSV "A,1,24\nA,1,18446744073709551615\n", "size-overflow", 3);
}

Test(table_csv, refuses_a_nul_byte)
{
    static const char text[] = CSV "A\0B,1,24\n";
    struct hd_error err = {0};
    cr_assert_null(hd_snapshot_from_memory(text, sizeof(text) - 1, NULL, &err));
    cr_assert_str_eq(err.kind, "nul-byte");
    cr_assert_eq(err.at, 2);
}

/* --- JSON ----------------------------------------------------------------------- */

#define TABLE(types) "{\"format\":\"heapdrift-table\",\"version\":1,\"types\":[" types "]}"

Test(table_json, ignores_other_members)
{
    expect_read(TABLE("{\"x\":[],\"bytes\":24,\"count\":1,\"type\":\"A\"}"), 1, 24);
    expect_read(TABLE("{\"type\":\"A\",\"count\":1}"), 1, HD_UNKNOWN);
    expect_read(TABLE(""), 0, 0);
}

Test(table_json, refuses_rows_with_a_wrong_member)
{
    expect_refused(TABLE("{\"type\":\"\",\"count\":1}"), "bad-row", 0);
    expect_refused(TABLE("{\"type\":1,\"count\":1}"), "bad-row", 0);
    expect_refused(TABLE("{\"count\":1,\"bytes\":1}"), "bad-row", 0);
    expect_refused(TABLE("{\"type\":\"A\",\"bytes\":1}"), "bad-row", 0);
    expect_refused(TABLE("{\"type\":\"A\",\"count\":null}"), "bad-row", 0);
    expect_refused(TABLE("{\"type\":\"A\",\"count\":1.0}"), "bad-row", 0);
    expect_refused(TABLE("{\"type\":\"A\",\"count\":-1}"), "bad-row", 0);
    expect_refused(TABLE("{\"type\":\"A\",\"count\":1,\"bytes\":\"1\"}"), "bad-row", 0);
    expect_refused(TABLE("{\"type\":\"A\",\"count\":1,\"bytes\":-1}"), "bad-row", 0);
    expect_refused(TABLE("null"), "bad-row", 0);
    expect_refused(TABLE("[\"A\",1,24]"), "bad-row", 0);
    expect_refused(TABLE("{\"type\":\"A\",\"count\":9223372036854775807},"
                         "{\"type\":\"B\",\"count\":9223372036854775807},"
                         "{\"type\":\"C\",\"count\":9}"),
                   "size-overflow", 0);
}

Test(table_json, refuses_other_heads)
{
    expect_refused("{\"format\":\"heapdrift-table\",\"version\":1}", "bad-header", 0);
    expect_refused("{\"format\":\"heapdrift-table\",\"version\":1,\"types\":{}}",
                   "bad-header", 0);
    expect_refused("{\"format\":\"heapdrift-table\",\"version\":\"1\",\"types\":[]}",
                   "unknown-version", 0);
    expect_refused("{\"format\":\"heapdrift-table\",\"types\":[]}", "unknown-version", 0);
    expect_refused("{\"schema\":\"heapdrift-top\",\"schema_version\":2,\"types\":[]}",
                   "unknown-version", 0);
    expect_refused("{\"types\":[]}", "bad-header", 0);
    expect_refused("{\"schema\":\"heapdrift-diff\",\"types\":[]}", "bad-header", 0);
    expect_refused("{\"format\":1}", "bad-header", 0);
}

/* In a folder of snapshots other JSON is skipped; a broken table is an error. */
Test(table_json, tells_other_json_from_a_broken_table)
{
    struct hd_error err;
    cr_assert_null(read_text("{\"name\": \"package\"}", &err));
    cr_assert_eq(err.status, HD_NOT_A_SNAPSHOT);
    cr_assert_null(read_text("{\"format\":\"heapdrift-table\",\"version\":1}", &err));
    cr_assert_eq(err.status, HD_BAD_FORMAT);
}

Test(table_json, reports_the_line_of_a_mistake)
{
    expect_refused("{\n\"format\": nonsense\n}", "bad-json", 2);
    expect_refused("{\"format\":\n", "bad-json", 1);
    expect_refused("{", "bad-json", 1);
    expect_refused("[]\n]", "bad-json", 2);
    expect_refused("[[\"A\",1,99999999999999999999]]", "bad-json", 1);
    expect_refused("[[\"A\xFF\",1,1]]", "bad-json", 1);
    expect_refused("[[\"A\\u0000\",1,1]]", "bad-json", 1);
}

Test(table_json, does_not_follow_nesting_without_end)
{
    struct text t = {0};
    for (int i = 0; i < 1000000; i++)
        text_add_char(&t, '[');
    expect_refused(text_string(&t), "bad-json", 1);
    text_free(&t);
}

/* --- the result of `top` ---------------------------------------------------------- */

#define TOP(snapshot, omitted)                                                   \
    "{\"schema\":\"heapdrift-top\",\"schema_version\":1,\"tool_version\":\"9\"," \
    "\"snapshot\":" snapshot ",\"types\":["                                      \
    "{\"type\":\"A\",\"count\":2,\"bytes\":48,\"retained\":96},"                 \
    "{\"type\":\"B\",\"count\":1,\"bytes\":null,\"retained\":null}],"            \
    "\"types_omitted\":" omitted ",\"warnings\":[]}"

Test(table_json, reads_the_result_of_top)
{
    struct hd_snapshot *snap = must_read(
        TOP("{\"process\":\"orchard\",\"pid\":4711,\"time\":\"2026-08-01T12:30:15\","
            "\"complete\":true,\"sampled\":false}",
            "0"));
    const struct hd_info *info = &snap->info;
    expect_type("top", snap, "A", 2, 48);
    expect_type("top", snap, "B", 1, HD_UNKNOWN);
    expect_string("top", "format", info->format, "table-json");
    expect_string("top", "process", info->process, "orchard");
    expect_string("top", "time", info->time, "2026-08-01T12:30:15");
    cr_assert_eq(info->pid, 4711);
    cr_assert(info->complete && !info->sampled);
    cr_assert(snap->clock_is_date);
    /* date -u -d 2026-08-01T12:30:15 +%s */
    cr_assert_eq((int64_t)snap->clock, 1785587415);
    hd_snapshot_close(snap);
}

Test(table_json, keeps_unknown_what_top_did_not_know)
{
    struct hd_snapshot *snap =
        must_read(TOP("{\"process\":null,\"pid\":null,\"time\":null}", "0"));
    cr_assert_null(snap->info.process);
    cr_assert_null(snap->info.time);
    cr_assert_eq(snap->info.pid, HD_UNKNOWN);
    cr_assert(!snap->clock_is_date);
    hd_snapshot_close(snap);
}

Test(table_json, is_incomplete_when_types_were_omitted)
{
    struct hd_snapshot *snap = must_read(TOP("{}", "3"));
    cr_assert(!snap->info.complete);
    const struct warning *w = warnings_find(&snap->warnings, WARN_INCOMPLETE);
    cr_assert(w != NULL && w->count == 1 && w->detail != NULL);
    hd_snapshot_close(snap);
}

Test(table_json, is_as_incomplete_as_its_snapshot_was)
{
    struct hd_snapshot *snap = must_read(TOP("{\"complete\":false,\"sampled\":true}", "0"));
    cr_assert(!snap->info.complete);
    cr_assert(snap->info.sampled);
    cr_assert_not_null(warnings_find(&snap->warnings, WARN_INCOMPLETE));
    cr_assert_not_null(warnings_find(&snap->warnings, WARN_SAMPLED));
    expect_type("sampled", snap, "A", 2, 48);
    hd_snapshot_close(snap);
}

static void expect_time(const char *in_json, const char *time, int64_t clock)
{
    char text[512];
    snprintf(text, sizeof(text), TOP("{\"time\":\"%s\"}", "0"), in_json);
    struct hd_snapshot *snap = must_read(text);
    expect_string(in_json, "time", snap->info.time, time);
    if (time != NULL)
        cr_expect_eq((int64_t)snap->clock, clock, "%s", in_json);
    hd_snapshot_close(snap);
}

Test(table_json, takes_dates_of_the_calendar_only)
{
    expect_time("1970-01-01T00:00:00", "1970-01-01T00:00:00", 0);
    expect_time("2000-02-29T23:59:59.5Z", "2000-02-29T23:59:59", 951868799);
    expect_time("2100-03-01T00:00:00", "2100-03-01T00:00:00", 4107542400);
    expect_time("1969-12-31T23:59:59", "1969-12-31T23:59:59", -1);
    expect_time("2026-13-01T00:00:00", NULL, 0);
    expect_time("2026-00-01T00:00:00", NULL, 0);
    expect_time("2026-01-01 00:00:00", NULL, 0);
    expect_time("2026-01-01T00:00", NULL, 0);
    expect_time("yesterday", NULL, 0);
    expect_time("", NULL, 0);
}

/* --- Datadog ---------------------------------------------------------------------- */

Test(datadog, refuses_everything_but_triples)
{
    expect_refused("[[\"A\",1]]", "bad-row", 0);
    expect_refused("[[\"A\",1,24,0]]", "bad-row", 0);
    expect_refused("[[1,1,24]]", "bad-row", 0);
    expect_refused("[[\"A\",1.0,24]]", "bad-row", 0);
    expect_refused("[[\"A\",1,null]]", "bad-row", 0);
    expect_refused("[{\"type\":\"A\"}]", "bad-row", 0);
    expect_refused("[\"A\",1,24]", "bad-row", 0);
}

Test(datadog, counts_rows_without_a_name)
{
    struct hd_snapshot *snap = must_read("[[\"\",1,24],[\"A\",1,24]]");
    expect_type("nameless", snap, "<unknown type>", 1, 24);
    cr_assert_not_null(warnings_find(&snap->warnings, WARN_UNKNOWN_TYPE));
    hd_snapshot_close(snap);
}

/* --- report ----------------------------------------------------------------------- */

#define REPORT "  10  GC Heap bytes\n  2  GC Heap objects\n\n  Object Bytes  Count  Type\n"

Test(gcdump_report, keeps_the_module_when_all_rows_agree)
{
    struct hd_snapshot *snap =
        must_read(REPORT "24  1  A  [a.dll]\n24  2  A  [a.dll]\n8  1  B  [a.dll]\n8  1  B\n"
                         "8  1  C[][,]  [my [odd] name.dll]\n8 1  D E  \n");
    expect_type("report", snap, "A", 3, HD_UNKNOWN);
    expect_type("report", snap, "B", 2, HD_UNKNOWN);
    expect_type("report", snap, "C[][,]", 1, HD_UNKNOWN);
    expect_type("report", snap, "D E", 1, HD_UNKNOWN);
    expect_string("A", "module", find_type(snap, "A")->module, "a.dll");
    expect_string("B", "module", find_type(snap, "B")->module, NULL);
    expect_string("C", "module", find_type(snap, "C[][,]")->module, "my [odd] name.dll");
    hd_snapshot_close(snap);
}

Test(gcdump_report, passes_over_the_line_of_references)
{
    expect_read("10  GC Heap bytes\r\n2  GC Heap objects\r\n3  Total references\r\n\r\n"
                "Object Bytes  Count  Type\r\n24  1.000  A\r\n",
                1000, HD_UNKNOWN);
}

Test(gcdump_report, refuses_lines_that_are_not_rows)
{
    expect_refused(REPORT "24  1\n", "bad-row", 5);
    expect_refused(REPORT "24  1 A\n", "bad-row", 5);
    expect_refused(REPORT "\n...\n", "bad-row", 6);
    expect_refused(REPORT "x  1  A\n", "bad-number", 5);
    expect_refused(REPORT "24  1,00  A\n", "bad-number", 5);
    expect_refused("1O  GC Heap bytes\n", "bad-number", 1);
    expect_refused("10  GC Heap bytes\n2  GC Heap objects\n\n", "no-table", 3);
    expect_refused(REPORT "24  18446744073709551615  A\n", "size-overflow", 5);
}

/* --- all of them --------------------------------------------------------------------- */

/* Any prefix of any fixture: a snapshot or an error, never a crash. */
Test(tables, survive_being_cut_anywhere)
{
    static const char *const files[] = {
        "fixtures/type-tables/table.csv",
        "fixtures/type-tables/table.json",
        "fixtures/type-tables/histogram.json",
        "fixtures/type-tables/gcdump-report.txt",
        "fixtures/dumpheap-stat/managed.txt",
        "fixtures/dumpheap-stat/native-x64.txt",
        "fixtures/dumpheap-stat/managed-powershell-utf16.txt",
    };
    for (size_t f = 0; f < sizeof(files) / sizeof(files[0]); f++) {
        struct hd_error err = {0};
        struct input *in = input_open(files[f], NULL, &err);
        struct bytes all;
        cr_assert(in != NULL && input_all(in, &all, &err), "%s: %s", files[f], err.message);
        for (size_t n = 0; n <= all.size; n++) {
            err = (struct hd_error){0};
            struct hd_snapshot *snap = hd_snapshot_from_memory(all.data, n, NULL, &err);
            cr_assert((snap == NULL) == (err.status != HD_OK), "%s at %zu", files[f], n);
            hd_snapshot_close(snap);
        }
        input_close(in);
    }
}

#include "format/expected_table.h"

#include "base/text.h"

/* Files of fixtures/text-forms. */
enum { FORMS = 30 };

#define HEADER "          MT  Count TotalSize Class Name\n"
#define STRINGS "7f21c0a02fd8 66,412 4,217,344 System.String\n"
#define STRINGS_TOTAL "Total 66,412 objects, 4,217,344 bytes\n"

Test(dumpheap, reads_and_refuses_every_fixture_as_the_other_reader_did)
{
    cr_assert_eq(expect_folder("fixtures/dumpheap-stat"), 24);
}

Test(dumpheap, reads_and_refuses_what_people_paste)
{
    cr_assert_eq(expect_folder("fixtures/text-forms"), FORMS);
}

static void expect_excerpt(const char *text, uint64_t objects, const char *detail)
{
    struct hd_error err;
    struct hd_snapshot *snap = read_text(text, &err);
    cr_assert(snap != NULL, "%s\n%s", err.message, text);
    const struct warning *w = warnings_find(&snap->warnings, WARN_INCOMPLETE);
    expect_number(text, "objects", snap->info.objects, objects);
    cr_expect_not(snap->info.complete);
    expect_string(text, "detail", w != NULL ? w->detail : NULL, detail);
    hd_snapshot_close(snap);
}

/* --- what the command line tells ------------------------------------------------ */

static struct hd_snapshot *read_after(const char *echo)
{
    struct text t = {0};
    struct hd_error err;
    text_add_string(&t, echo);
    text_add_string(&t, "\n" HEADER STRINGS STRINGS_TOTAL);
    /* The caller's snapshot borrows the text but no longer needs it. */
    struct hd_snapshot *snap = read_text(text_string(&t), &err);
    cr_assert(snap != NULL, "%s: %s", echo, err.message);
    text_free(&t);
    return snap;
}

static void expect_echo(const char *echo, const char *command, const char *generation,
                        const char *liveness, const char *filters)
{
    struct hd_snapshot *snap = read_after(echo);
    expect_string(echo, "command", snap->origin.command, command);
    expect_string(echo, "generation", snap->origin.generation, generation);
    expect_string(echo, "liveness", snap->origin.liveness, liveness);
    expect_string(echo, "filters", snap->origin.filters, filters);
    bool filtered = filters != NULL && filters[0] != '\0';
    cr_expect_eq(warnings_find(&snap->warnings, WARN_FILTERED) != NULL, filtered, "%s",
                 echo);
    cr_expect_eq(warnings_find(&snap->warnings, WARN_DEAD_OBJECTS_ONLY) != NULL,
                 same_string(liveness, "dead"), "%s", echo);
    hd_snapshot_close(snap);
}

Test(dumpheap, reads_the_command_after_the_prompt_of_any_debugger)
{
    static const char *const echoes[] = {
        "> dumpheap -stat",
        ">dumpheap  -stat   ",
        "0:000> !dumpheap -stat",
        "0:012:x86> !sos.dumpheap -stat",
        "0: kd> !dumpheap -stat",
        "0:kd:x86> !dumpheap -stat",
        "(lldb) sos dumpheap -stat",
        "(lldb) dumpheap\t-stat",
        "0:000> ext dumpheap -stat",
        "dumpheap -stat",
        "!C:\\sos\\sos.dumpheap -stat",
    };
    for (size_t i = 0; i < sizeof(echoes) / sizeof(echoes[0]); i++)
        expect_echo(echoes[i], "dumpheap -stat", NULL, "all", "");
}

Test(dumpheap, has_no_facts_about_the_table_without_an_echo)
{
    expect_echo("Statistics:", NULL, NULL, NULL, NULL);
    expect_echo("$ dotnet-dump analyze core.1 -c \"dumpheap -stat -live\"", NULL, NULL,
                NULL, NULL);
    expect_echo("12:> dumpheap -stat", NULL, NULL, NULL, NULL);
    expect_echo("0:000 dumpheap -stat", NULL, NULL, NULL, NULL);
}

Test(dumpheap, understands_options_in_any_case_and_with_slashes)
{
    expect_echo("> DumpHeap /STAT /Live", "DumpHeap /STAT /Live", NULL, "live", "");
    expect_echo("> dumpheap -dead -stat", "dumpheap -dead -stat", NULL, "dead", "");
    expect_echo("> dumpheap -dead -live", "dumpheap -dead -live", NULL, "all", "");
    expect_echo("> dumpheap -gen GEN1", "dumpheap -gen GEN1", "gen1", "all", "");
    expect_echo("> dumpheap -gen large", "dumpheap -gen large", "loh", "all", "");
    expect_echo("> dumpheap -gen pinned", "dumpheap -gen pinned", "poh", "all", "");
    expect_echo("> dumpheap -gen foh", "dumpheap -gen foh", "frozen", "all", "");
    expect_echo("> dumpheap -gen:gen2", "dumpheap -gen:gen2", "gen2", "all", "");
    expect_echo("> dumpheap -gen", "dumpheap -gen", NULL, "all", "");
    expect_echo("0:000> !dumpgen loh -type X", "dumpgen loh -type X", "loh", "all",
                "-type X");
    expect_echo("> dumpgen gen2 7f21 7f22", "dumpgen gen2 7f21 7f22", "gen2", "all",
                "7f21 7f22");
}

Test(dumpheap, collects_every_filter)
{
    expect_echo("> dumpheap -stat -TYPE A -mt 7f21 /min 28 -max ff -heap 0 -segment 1",
                "dumpheap -stat -TYPE A -mt 7f21 /min 28 -max ff -heap 0 -segment 1", NULL,
                "all", "-type A -mt 7f21 -min 28 -max ff -heap 0 -segment 1");
    expect_echo("> dumpheap -stat 7f2134000028 0x7f2140000000",
                "dumpheap -stat 7f2134000028 0x7f2140000000", NULL, "all",
                "7f2134000028 0x7f2140000000");
    expect_echo("> dumpheap -stat 00007f21`34000028 7F21 statistics 7f2G",
                "dumpheap -stat 00007f21`34000028 7F21 statistics 7f2G", NULL, "all",
                "00007f21`34000028 7F21");
    expect_echo("> dumpheap -type \"My App\" -stat", "dumpheap -type \"My App\" -stat",
                NULL, "all", "-type \"My App\"");
    expect_echo("> dumpheap -stat -bycount -noprogress -ignoreGCState",
                "dumpheap -stat -bycount -noprogress -ignoreGCState", NULL, "all", "");
}

Test(dumpheap, believes_the_last_echo_in_front_of_the_table)
{
    expect_echo("> dumpheap -stat -gen gen0\n> dumpheap -stat -live",
                "dumpheap -stat -live", NULL, "live", "");
    expect_echo("> dumpheap -stat -gen gen0\n> ", "dumpheap -stat -gen gen0", "gen0", "all",
                "");
    expect_echo("> dumpheap -stat -gen gen0\n> clrstack", NULL, NULL, NULL, NULL);
}

/* --- tables that are not of the heap ------------------------------------------------- */

Test(dumpheap, refuses_tables_that_count_something_else)
{
#define TABLE HEADER STRINGS STRINGS_TOTAL
    expect_refused("> finalizequeue -stat\n" TABLE, "not-a-heap", 2);
    expect_refused("> objsize -stat\n" TABLE, "not-a-heap", 2);
    expect_refused("> threadpool -wi -stat\n" TABLE, "not-a-heap", 2);
    expect_refused("> notreachableinrange 0 1\n" TABLE, "not-a-heap", 2);
    expect_refused("7f21c0a8b1d0 (App) transitively keep alive:\n" TABLE, "not-a-heap", 2);
    expect_refused("Handle Type  Object  Size Data Type\n" TABLE, "not-a-heap", 2);
    expect_refused("Statistics:\n" TABLE "\nHandles:\n", "not-a-heap", 2);
    expect_refused("> dumpheap -strings\n" TABLE, "strings-table", 2);
    expect_refused("Statistics:\n Count TotalSize String Value\n 1 24 x\n", "strings-table",
                   2);
    expect_refused("> dumpheap -short\n7f2134000028\n", "no-table", 2);
    expect_refused("> dumpheap -stat\nobjects transitively keep alive:\n", "not-a-heap", 2);
}

Test(dumpheap, forgets_the_table_of_an_earlier_command)
{
    expect_read("> gchandles\nHandle Type Object Size\n> dumpheap -stat\n" TABLE, 66412,
                4217344);
    expect_read(TABLE "some text\nHandles:\n", 66412, 4217344);
}

/* --- rows ------------------------------------------------------------ */

static void expect_row(const char *row, const char *kind)
{
    struct text t = {0};
    text_add_string(&t, HEADER);
    text_add_string(&t, row);
    text_add_string(&t, "\nTotal 1 objects\n");
    expect_refused(text_string(&t), kind, 2);
    text_free(&t);
}

Test(dumpheap, refuses_lines_that_are_not_rows)
{
    expect_row("7f21 1 24", "bad-row");
    expect_row("7f21 1 24   ", "bad-row");
    expect_row("xyz 1 24 A", "bad-row");
    expect_row("0x 1 24 A", "bad-row");
    expect_row("11112222333344445 1 24 A", "bad-row");
    expect_row("Total 1 object", "bad-row");
    expect_row("Total 1 objects, 24 bytes, 1 page", "bad-row");
    expect_row("MT Count TotalSize Class Name", "bad-row");
}

Test(dumpheap, refuses_numbers_in_no_culture)
{
    static const char *const wrong[] = {
        "1.5",
        "1,6000,00",
        "1,00",
        ",100",
        "1,,100",
        "1,2,000",
        "1,000.000",
        "-1",
        "1234,567",
        "0x10",
        "1,2",
        "12a",
        "18446744073709551616",
        "+1",
        "1,000,",
        "1 000",
        "1'00'000,000",
        "100000000000000000000",
        "000000000000000000001",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char row[64];
        snprintf(row, sizeof(row), "7f21 1 %s A", wrong[i]);
        /* A number with a blank becomes two, which do not add up. */
        if (strchr(wrong[i], ' ') == NULL)
            expect_row(row, "bad-number");
    }
    expect_row("7f21 1 ...00,000 A", "cut-number");
    expect_row("7f21 ...12 24 A", "cut-number");
}

Test(dumpheap, reads_numbers_of_any_culture)
{
    static const char *const million[] = {
        "1000000",
        "1,000,000",
        "1.000.000",
        "1'000'000",
        "10,00,000",
        u8"1\u2019000\u2019000",
        u8"1\u00A0000\u00A0000",
        u8"1\u202F000\u202F000",
        "00000000000001000000",
    };
    for (size_t i = 0; i < sizeof(million) / sizeof(million[0]); i++) {
        char text[256];
        snprintf(text, sizeof(text), HEADER "7f21 %s %s A\nTotal %s objects, %s bytes\n",
                 million[i], million[i], million[i], million[i]);
        expect_read(text, 1000000, 1000000);
    }
}

Test(dumpheap, keeps_blanks_inside_of_names)
{
    struct hd_error err;
    struct hd_snapshot *snap =
        read_text(HEADER "0X7f21\t1 \t24   My Type  (x)  \r\nTotal 1 objects\r\n", &err);
    cr_assert(snap != NULL, "%s", err.message);
    expect_type("name", snap, "My Type  (x)", 1, 24);
    hd_snapshot_close(snap);
}

Test(dumpheap, counts_rows_without_a_name_in_one)
{
    struct hd_error err;
    struct hd_snapshot *snap = read_text(
        HEADER "1 1 24 A\n2 2 48 UNKNOWN\n3 3 72 <unknown_type_3>\nTotal 6 objects\n",
        &err);
    cr_assert(snap != NULL, "%s", err.message);
    expect_type("unknown", snap, "<unknown type>", 5, 120);
    const struct warning *w = warnings_find(&snap->warnings, WARN_UNKNOWN_TYPE);
    cr_assert(w != NULL && w->count == 2 && w->line == 3);
    hd_snapshot_close(snap);
}

Test(dumpheap, skips_what_debuggers_print_between_the_rows)
{
    expect_read("\n" HEADER "\n*** WARNING: no symbols\n" STRINGS "  \n" STRINGS_TOTAL,
                66412, 4217344);
}

Test(dumpheap, tells_two_rows_of_a_name_from_one_row_twice)
{
    expect_read(HEADER "1 1 24 A\n2 1 24 A\nTotal 2 objects\n", 2, 48);
    expect_refused(HEADER "1 1 24 A\n0001 1 24 B\nTotal 2 objects\n", "duplicate-row", 3);
}

/* --- footer ---------------------------------------------------------- */

Test(dumpheap, accepts_a_footer_that_wrapped_in_32_bits)
{
    expect_read(HEADER "1 4294967301 8 A\nTotal 5 objects\n", 4294967301, 8);
    expect_read(HEADER "1 2147483648 8 A\nTotal -2147483648 objects\n", 2147483648, 8);
    expect_read(HEADER "1 4294967295 8 A\nTotal -1 objects\n", 4294967295, 8);
    expect_refused(HEADER "1 1 8 A\nTotal -1 objects\n", "total-mismatch", 3);
    expect_refused(HEADER "1 4294967301 8 A\nTotal 5 objects, 8 bytes\n", "total-mismatch",
                   3);
    expect_refused(HEADER "1 4294968296 8 A\nTotal 1,000 objects\n", "total-mismatch", 3);
    expect_refused(HEADER "1 5 8 A\nTotal 4294967301 objects\n", "total-mismatch", 3);
}

Test(dumpheap, reports_wrong_sums)
{
    struct hd_error err;
    expect_excerpt(HEADER "1 104,533 8 A\nTotal 104,534 objects\n", 104533,
                   "an excerpt of a table: 1 object of its total is not listed");
    expect_excerpt(HEADER "1 1 8 A\n...\nno\n2 1 8 B\nTotal 9 objects, 99 bytes\n", 2,
                   "an excerpt of a table: 7 objects of its total are not listed; 2 lines "
                   "were left out");
    cr_assert_null(read_text(HEADER "1 104,535 8 A\nTotal 104,534 objects\n", &err));
    cr_assert_str_eq(err.message, "rows add up to 104,535 objects, the footer has 104,534: "
                                  "rows were lost or edited");
    /* Fewer objects with the same bytes: the table was edited. */
    expect_refused(HEADER "1 1 9 A\nTotal 2 objects, 9 bytes\n", "total-mismatch", 3);
    cr_assert_null(read_text(HEADER "1 1 8 A\nTotal 1 objects, 1,009 bytes\n", &err));
    cr_assert_str_eq(
        err.message,
        "rows add up to 8 bytes, the footer has 1,009: rows were lost or edited");
}

Test(dumpheap, refuses_sums_beyond_64_bits)
{
    expect_refused(HEADER "1 1 18446744073709551615 A\nTotal 1 objects\n", "size-overflow",
                   2);
    expect_refused(HEADER "1 1 9223372036854775808 A\n2 1 9223372036854775808 B\n"
                          "Total 2 objects\n",
                   "size-overflow", 3);
    expect_refused(HEADER "1 18446744073709551614 1 A\n2 1 1 B\nTotal 0 objects\n",
                   "size-overflow", 3);
}

Test(dumpheap, wants_exactly_one_table)
{
    expect_refused(HEADER, "truncated", 1);
    expect_refused(HEADER "0:000> \n", "truncated", 2);
    expect_refused(HEADER STRINGS HEADER STRINGS, "several-tables", 3);
    /* Before and after, pasted without their headings. */
    expect_refused("7f21c0a02fd8 1 24 A\nTotal 1 objects\n\n7f21c0a02fd8 2 48 A\n",
                   "several-tables", 4);
    expect_refused(HEADER STRINGS STRINGS_TOTAL "> x\n" HEADER, "several-tables", 5);
    expect_read(HEADER "Total 0 objects\n", 0, 0);
}

Test(dumpheap, does_not_take_the_totals_of_other_lines)
{
    expect_excerpt(HEADER STRINGS "total 66,412 objects\n", 66412,
                   "an excerpt of a table: how many objects are not listed is unknown, it "
                   "has no total");
}

/* --- encodings, recognition ------------------------------------------ */

static struct text utf16(const char *ascii, bool little)
{
    struct text t = {0};
    text_add(&t, little ? "\xFF\xFE" : "\xFE\xFF", 2);
    for (const char *c = ascii; *c != '\0'; c++) {
        const char unit[] = {'\0', *c, '\0'};
        text_add(&t, little ? unit + 1 : unit, 2);
    }
    return t;
}

Test(dumpheap, reads_utf_16_of_either_byte_order)
{
    for (int little = 0; little < 2; little++) {
        struct text t = utf16(HEADER STRINGS STRINGS_TOTAL, little != 0);
        struct hd_error err = {0};
        struct hd_snapshot *snap = hd_snapshot_from_memory(t.data, t.len, NULL, &err);
        cr_assert(snap != NULL, "%s", err.message);
        cr_assert_eq(snap->info.objects, 66412);
        hd_snapshot_close(snap);
        text_free(&t);
    }
}

Test(dumpheap, decodes_surrogate_pairs)
{
    struct text t = utf16(HEADER "1 1 24 ??\nTotal 1 objects\n", true);
    struct hd_error err = {0};
    /* U+1D11E in place of the two question marks. */
    char *name = memchr(t.data, '?', t.len);
    static const char units[] = {'\x34', '\xD8', '\x1E', '\xDD'};
    memcpy(name, units, sizeof(units));
    struct hd_snapshot *snap = hd_snapshot_from_memory(t.data, t.len, NULL, &err);
    cr_assert(snap != NULL, "%s", err.message);
    expect_type("surrogates", snap, "\xF0\x9D\x84\x9E", 1, 24);
    hd_snapshot_close(snap);
    text_free(&t);
}

static void expect_bytes(const void *data, size_t size, enum hd_status status,
                         const char *kind, uint64_t line)
{
    struct hd_error err = {0};
    cr_expect_null(hd_snapshot_from_memory(data, size, NULL, &err));
    cr_expect_eq(err.status, status, "%s", err.message);
    expect_string(err.message, "kind", err.kind, kind);
    expect_number(err.message, "line", err.at, line);
}

Test(dumpheap, refuses_nul_bytes_at_their_line)
{
    static const char text[] = HEADER STRINGS "7f21 1 24 A\0B\n" STRINGS_TOTAL;
    expect_bytes(text, sizeof(text) - 1, HD_BAD_FORMAT, "nul-byte", 3);
}

Test(dumpheap, rejects_other_text_as_not_a_snapshot)
{
    expect_bytes("hello\n", 6, HD_NOT_A_SNAPSHOT, NULL, 0);
    static const char binary[] = "hello TotalSize\n\0dumpheap";
    expect_bytes(binary, sizeof(binary), HD_NOT_A_SNAPSHOT, NULL, 0);
    expect_bytes("\xFF\xFEh\0i\0", 6, HD_NOT_A_SNAPSHOT, NULL, 0);
}

Test(dumpheap, takes_any_of_its_marks_for_a_broken_table)
{
    expect_refused("> DUMPHEAP -stat\n", "no-table", 1);
    expect_refused("x\ndumpgen 2", "no-table", 2);
    expect_refused("MT Count TotalSize Class\n", "no-table", 1);
}

Test(dumpheap, finds_a_table_after_a_long_listing)
{
    struct text t = {0};
    struct hd_error err;
    for (int i = 0; i < 5000; i++)
        text_add_string(&t, "    7f2134000028     55d0f0a1b2c0             24 Free\n");
    text_add_string(&t, HEADER STRINGS STRINGS_TOTAL);
    struct hd_snapshot *snap = read_text(text_string(&t), &err);
    cr_assert(snap != NULL, "%s", err.message);
    hd_snapshot_close(snap);
    text_free(&t);
}

/* Until the footer's objects, a part of a table must not be accepted as a table, nor a part
 * of a row as a row. */
Test(dumpheap, rejects_a_prefix_of_a_table)
{
    static const char text[] = "> dumpheap -stat\n" HEADER "1 1 8 A\n" STRINGS
                               "Total 66,413 objects, 4,217,352 bytes";
    size_t enough = (size_t)(strstr(text, " objects") + strlen(" objects") - text);
    for (size_t n = 0; n <= sizeof(text) - 1; n++) {
        struct hd_error err = {0};
        struct hd_snapshot *snap = hd_snapshot_from_memory(text, n, NULL, &err);
        bool whole = n == enough || n == sizeof(text) - 1;
        cr_expect_eq(snap != NULL && snap->info.complete, whole, "%.*s", (int)n, text);
        cr_expect(snap == NULL || snap->info.objects == 1 || snap->info.objects == 66413,
                  "%.*s", (int)n, text);
        hd_snapshot_close(snap);
    }
}

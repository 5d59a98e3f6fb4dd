/* max_memory bounds the memory that readers build, not only unpacked bytes: records of a
 * few bytes become structs of a hundred. Each file here needs a multiple of its limit. */
#include "base/text.h"
#include "heap/snapshot.h"
#include "support/gcdump_bytes.h"
#include "support/trace_forge.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT = 8 << 20 };

static void expect_refused(const struct text *file, bool tables_only)
{
    struct hd_read_options opt = {.max_memory = LIMIT, .tables_only = tables_only};
    struct hd_error err = {0};
    struct hd_snapshot *snap = hd_snapshot_from_memory(file->data, file->len, &opt, &err);
    cr_expect_null(snap);
    cr_expect_eq(err.status, HD_TOO_BIG, "%s", err.message);
    hd_snapshot_close(snap);
}

static void expect_fine(const struct text *file, uint64_t limit, bool tables_only)
{
    struct hd_read_options opt = {.max_memory = limit, .tables_only = tables_only};
    struct hd_error err = {0};
    struct hd_snapshot *snap = hd_snapshot_from_memory(file->data, file->len, &opt, &err);
    cr_expect_not_null(snap, "%s", err.message);
    hd_snapshot_close(snap);
}

static void expect_bounded(struct text *file)
{
    expect_refused(file, false);
    expect_refused(file, true);
    expect_fine(file, 0, true);
    text_free(file);
}

/* --- tables ---------------------------------------------------------------------- */

Test(memory, rows_of_csv_are_counted)
{
    struct text t = {0};
    text_add_string(&t, "type,count,bytes\n");
    for (unsigned i = 0; i < 60000; i++) {
        char line[64];
        snprintf(line, sizeof(line), "%x,1,1\n", i);
        text_add_string(&t, line);
    }
    expect_bounded(&t);
}

Test(memory, json_is_measured_before_it_is_parsed)
{
    struct text t = {0};
    text_add_string(&t, "[[\"A\",1,1]");
    for (unsigned i = 0; i < 100000; i++)
        text_add_string(&t, ",[]");
    text_add_string(&t, "]");
    expect_refused(&t, true);
    struct hd_error err = {0};
    cr_expect_null(hd_snapshot_from_memory(t.data, t.len, NULL, &err));
    cr_expect_eq(err.status, HD_BAD_FORMAT, "it was parsed: %s", err.message);
    text_free(&t);
}

Test(memory, commas_in_names_of_json_need_no_memory)
{
    struct text t = {0};
    text_add_string(&t, "[[\"A<");
    for (unsigned i = 0; i < 200000; i++)
        text_add_string(&t, i % 2 ? "," : "\\\"");
    text_add_string(&t, ">\",1,1]]");
    expect_fine(&t, LIMIT, true);
    text_free(&t);
}

Test(memory, method_tables_of_dumpheap_are_counted)
{
    struct text t = {0};
    text_add_string(&t, "              MT    Count    TotalSize Class Name\n");
    for (unsigned i = 1; i <= 60000; i++) {
        char line[64];
        snprintf(line, sizeof(line), "%016x 1 24 %x\n", i, i);
        text_add_string(&t, line);
    }
    text_add_string(&t, "Total 60000 objects\n");
    expect_bounded(&t);
}

/* --- heap text ------------------------------------------------------------------- */

static struct text section(void)
{
    struct text t = {0};
    text_add_string(&t, "a 2 x 1\nt 1 A\n");
    return t;
}

Test(memory, types_of_heap_text_are_counted)
{
    struct text t = section();
    for (unsigned i = 2; i < 100000; i++) {
        char line[32];
        snprintf(line, sizeof(line), "t %x A\n", i);
        text_add_string(&t, line);
    }
    text_add_string(&t, "o 1 1 8\nc x 2\n");
    expect_bounded(&t);
}

Test(memory, memory_of_a_section_in_addition_to_the_graph_is_counted)
{
    struct text t = section();
    for (unsigned i = 1; i <= 100000; i++) {
        char line[32];
        snprintf(line, sizeof(line), "o %x 1 8\n", i * 512);
        text_add_string(&t, line);
    }
    text_add_string(&t, "c x 2\n");
    expect_refused(&t, false);
    expect_fine(&t, LIMIT, true);
    text_free(&t);
}

Test(memory, references_of_one_line_are_counted)
{
    struct text t = section();
    text_add_string(&t, "o 1 1 8");
    for (unsigned i = 0; i < 2000000; i++)
        text_add_string(&t, " 1");
    text_add_string(&t, "\nc x 2\n");
    expect_refused(&t, false);
    expect_fine(&t, LIMIT, true);
    text_free(&t);
}

Test(memory, an_endless_name_is_refused)
{
    struct text t = section();
    text_add_string(&t, "t 2 ");
    for (unsigned i = 0; i < 1 << 20; i++)
        text_add(&t, "0123456789abcdef", 16);
    text_add_string(&t, "\no 1 2 8\nc x 2\n");
    expect_bounded(&t);
}

Test(memory, memory_released_by_a_section_is_free_for_the_next)
{
    struct text t = {0};
    for (unsigned i = 0; i < 60; i++) {
        text_add_string(&t, "a 2 x 1\nt 1 A\n");
        for (unsigned k = 1; k <= 2000; k++) {
            char line[32];
            snprintf(line, sizeof(line), "o %x 1 8\n", k * 512);
            text_add_string(&t, line);
        }
        text_add_string(&t, "c x 2\n");
    }
    expect_fine(&t, LIMIT, false);
    text_free(&t);
}

/* --- gcdump ---------------------------------------------------------------------- */

Test(memory, types_of_a_gcdump_are_counted)
{
    enum { TYPES = 200000 };
    struct made_type *types = calloc(TYPES, sizeof(*types));
    types[0].name = "UNDEFINED";
    types[1].name = "[.NET Roots]";
    struct made_node root = {.type = 1};
    struct gcdump_bytes b = gcdump_bytes_make(&(struct made_gcdump){
        .types = types, .type_count = TYPES, .nodes = &root, .node_count = 1});
    expect_refused(&b.data, false);
    expect_refused(&b.data, true);
    expect_fine(&b.data, 0, true);
    gcdump_bytes_free(&b);
    free(types);
}

/* --- traces ---------------------------------------------------------------------- */

enum { THREAD = 11 };

static struct trace_forge walk(void)
{
    struct trace_forge f = {.pointer_size = 8};
    trace_forge_begin(&f);
    trace_forge_types(&f, THREAD, &(struct forged_type){.id = 0x10, .name = "A"}, 1);
    trace_forge_gc(&f, THREAD, true, 1);
    trace_forge_node(&f, 0x7000, 24, 0x10, 0);
    return f;
}

static void expect_bounded_trace(struct trace_forge *f)
{
    trace_forge_walk(f, THREAD);
    trace_forge_gc(f, THREAD, false, 1);
    trace_forge_end(f);
    struct text file = f->bytes;
    expect_refused(&file, false);
    expect_refused(&file, true);
    expect_fine(&file, 0, true);
    trace_forge_free(f);
}

Test(memory, types_of_a_trace_are_counted)
{
    struct trace_forge f = walk();
    for (unsigned i = 0; i < 100000; i++)
        trace_forge_types(&f, THREAD, &(struct forged_type){.id = 0x100 + i, .name = "B"},
                          1);
    expect_bounded_trace(&f);
}

Test(memory, walks_of_a_trace_are_counted)
{
    struct trace_forge f = walk();
    for (unsigned i = 0; i < 40000; i++) {
        trace_forge_node(&f, 0x8000, 24, 0x10, 0);
        trace_forge_walk(&f, THREAD);
        trace_forge_next_walk(&f);
    }
    trace_forge_node(&f, 0x8000, 24, 0x10, 0);
    expect_bounded_trace(&f);
}

Test(memory, an_endless_event_is_refused)
{
    struct trace_forge f = walk();
    char *large = calloc(1, 10 << 20);
    trace_forge_event(&f, THREAD, 15, large, 10 << 20);
    free(large);
    expect_bounded_trace(&f);
}

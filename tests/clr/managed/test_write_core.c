/* Redacted core dumps: no planted byte remains, and every question about objects has the
 * same answer. Tests that read forged ones also redact them (forged_heap.h). */
#include "clr/managed/forged_heap.h"
#include "clr/process/process_image.h"
#include "heap/graph.h"
#include "support/scratch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* --- planted --------------------------------------------------------------------- */

static const char secret[] = "SECRET!!";
enum { SECRET = 8, RUN = 48 };

static void plant(struct core_forge *f, uint64_t at, size_t size)
{
    for (; size >= SECRET; at += SECRET, size -= SECRET)
        forge_core_put_bytes(f, at, secret, SECRET);
}

/* Half a secret counts as one. */
static size_t count(const unsigned char *bytes, size_t size)
{
    static const char twice[] = "SECRET!!SECRET!!";
    size_t found = 0;
    for (size_t at = 0; at + SECRET / 2 <= size; at++)
        for (size_t i = 0; i < SECRET; i++)
            found += memcmp(bytes + at, twice + i, SECRET / 2) == 0;
    return found;
}

static struct hd_memory redact(struct hd_snapshot *snap)
{
    struct hd_memory file = {0};
    struct hd_error err = {0};
    cr_assert(hd_snapshot_write(snap, "core-dump", hd_sink_memory(&file), NULL, &err), "%s",
              err.message);
    return file;
}

/* Plants secrets in all words of objects except references, and outside of objects. */
static uint64_t plant_in_heap(struct core_forge *f)
{
    const struct forged_run one = {16, 1};
    uint64_t type = forge_core_type(f, 48, POINTERS_FLAG),
             text = forge_core_type(f, 22, components_flag | 2),
             bytes = forge_core_type(f, 24, components_flag | 1);
    forge_runs(f, type, 48, &one, 1);
    uint64_t object = forge_core_object(f, 2, type, 48);
    plant(f, object + 8, 8);
    plant(f, object + 24, 24); /* its end is the header of the next one */
    uint64_t string = forge_core_object(f, 2, text, 24 + RUN);
    forge_core_put(f, object + 16, string, 8);
    forge_core_put(f, string + 8, (RUN + 2) / 2, 4);
    plant(f, string + 12, RUN);
    uint64_t array = forge_core_object(f, 2, bytes, 24 + RUN);
    forge_core_put(f, array + 8, RUN, 4);
    plant(f, array + 16, RUN);
    /* Free space; bytes between objects; the allocation context of a thread. */
    uint64_t free_space = forge_core_object(f, 2, f->free_type, 24 + RUN);
    forge_core_put(f, free_space + 8, RUN, 4);
    plant(f, free_space + 16, RUN);
    plant(f, forge_core_object(f, 2, 0, RUN + 8), RUN);
    forge_core_object(f, 2, type, 48);
    /* It looks like an object, but its reference is invalid. */
    uint64_t dead = forge_core_object(f, 2, type, 48);
    plant(f, dead + 8, 40);
    forge_core_object(f, 2, type, 48);
    forge_core_object(f, 2, type, 48);
    uint64_t gap = forge_core_object(f, 2, 0, RUN + 24);
    plant(f, gap, RUN + 24);
    forge_managed_thread(f, 7, gap, gap + RUN);
    forge_core_object(f, 2, type, 48);
    return object;
}

Test(write_core, no_planted_byte_is_in_the_file)
{
    struct core_forge f = {.name = "shop", .pid = 7, .command = "shop --key=SECRET!!"};
    forge_core_runtime(&f, &(struct forged_runtime){0});
    uint64_t object = plant_in_heap(&f);
    forge_handles(&f);
    forge_handle(&f, 2, 0, object, 0);
    plant(&f, FORGED_HANDLE_SEGMENT, 1024);
    plant(&f, FORGED_RUNTIME_BASE + FORGED_SCRATCH_AT, 64);
    forge_core_region(&f, FORGED_STACK, 0x1000);
    forge_core_put(&f, FORGED_STACK + 0x80, object + 16, 8);
    plant(&f, FORGED_STACK + 0x88, 256);
    forge_core_thread(&f, 7, FORGED_STACK + 0x80, FORGED_STACK + 0x800);
    memcpy(&f.threads[0].others, secret, SECRET);
    forge_core_region(&f, UINT64_C(0x7f8000000000), 0x1000);
    plant(&f, UINT64_C(0x7f8000000000), 0x1000);
    struct bytes core = forge_core_bytes(&f);
    cr_assert_gt(count(core.data, core.size), 600);
    struct hd_error err = {0};
    struct hd_snapshot *snap = read_forged(&f, &err);
    cr_assert(snap != NULL, "%s", err.message);
    struct hd_memory file = redact(snap);
    cr_expect_eq(count((unsigned char *)file.bytes, file.size), 0);
    uint32_t on_stack;
    cr_expect(group_holds(snap, "[local vars]", object, &on_stack));
    cr_expect_eq(on_stack, 1);
    hd_memory_free(&file);
    hd_snapshot_close(snap);
    forge_core_free(&f);
}

/* --- what stays ------------------------------------------------------------------ */

/* The file's threads are in order; their stack pointers are not in objects. */
static void expect_registers(const struct hd_memory *file, const uint64_t *wanted,
                             size_t threads)
{
    struct arena a = {0};
    struct process_image p;
    struct bytes bytes = {(const unsigned char *)file->bytes, file->size};
    cr_assert(process_image_open(&p, bytes, &a, NULL));
    cr_assert_eq(p.thread_count, threads);
    for (size_t i = 0; i < threads; i++)
        for (unsigned k = 0; k < p.processor->registers; k++)
            if (k != p.processor->stack_pointer && k != p.processor->thread_pointer)
                cr_expect_eq(p.threads[i].registers[k], wanted[i], "thread %zu", i);
    process_image_close(&p);
    arena_free(&a);
}

/* An object's last word is the header of the next one. */
Test(write_core, a_register_keeps_an_address_only_if_an_object_is_there)
{
    struct core_forge f = {.name = "shop", .pid = 7};
    forge_core_runtime(&f, &(struct forged_runtime){0});
    uint64_t object = forge_core_object(&f, 2, forge_core_type(&f, 40, 0), 40);
    const uint64_t before[] = {object, object + 31, object + 32, object - 1, 4711};
    const uint64_t after[] = {object, object + 31, 0, 0, 0};
    enum { THREADS = sizeof(before) / sizeof(*before) };
    for (size_t i = 0; i < THREADS; i++) {
        forge_core_thread(&f, 7 + (uint32_t)i, FORGED_STACK, 0);
        f.threads[i].others = before[i];
    }
    struct hd_error err = {0};
    struct hd_snapshot *snap = read_forged(&f, &err);
    cr_assert(snap != NULL, "%s", err.message);
    struct hd_memory file = redact(snap);
    expect_registers(&file, after, THREADS);
    hd_memory_free(&file);
    hd_snapshot_close(snap);
    forge_core_free(&f);
}

static struct hd_snapshot *read_again(const struct hd_memory *file, bool tables_only)
{
    const struct hd_read_options how = {.size = sizeof(how),
                                        .to_write = !tables_only,
                                        .redact = !tables_only,
                                        .tables_only = tables_only};
    struct hd_error err = {0};
    struct hd_snapshot *snap = hd_snapshot_from_memory(file->bytes, file->size, &how, &err);
    cr_assert(snap != NULL, "%s", err.message);
    return snap;
}

static void expect_incomplete(const struct hd_snapshot *snap, const char *why)
{
    const struct warning *found = warnings_find(&snap->warnings, WARN_INCOMPLETE);
    cr_expect_not(snap->info.complete);
    cr_assert(found != NULL && found->detail != NULL);
    cr_expect(strstr(found->detail, why) != NULL, "%s", found->detail);
    cr_expect_eq(found->count, 1);
}

Test(write_core, missing_memory_stays_missing)
{
    struct core_forge f = {.name = "shop", .pid = 7};
    forge_core_runtime(&f, &(struct forged_runtime){0});
    uint64_t type = forge_core_type(&f, 40, 0);
    forge_core_object(&f, 2, type, 40);
    /* The rest of its region. */
    forge_core_put(&f, FORGED_SEGMENTS + 0x200, FORGED_HEAP + 3 * FORGED_HEAP_STEP, 8);
    struct hd_error err = {0};
    struct hd_snapshot *snap = read_forged(&f, &err);
    cr_assert(snap != NULL, "%s", err.message);
    expect_incomplete(snap, "bytes of the heap are not in the dump");
    struct hd_memory file = redact(snap);
    for (int tables_only = 0; tables_only < 2; tables_only++) {
        struct hd_snapshot *again = read_again(&file, tables_only);
        expect_incomplete(again, "bytes of the heap are not in the dump");
        hd_snapshot_close(again);
    }
    hd_memory_free(&file);
    hd_snapshot_close(snap);
    forge_core_free(&f);
}

Test(write_core, the_file_records_bytes_outside_of_objects)
{
    struct core_forge f = {.name = "shop", .pid = 7};
    forge_core_runtime(&f, &(struct forged_runtime){0});
    uint64_t type = forge_core_type(&f, 40, 0);
    forge_core_object(&f, 2, type, 40);
    uint64_t none = forge_core_object(&f, 2, 0, 400);
    plant(&f, none, 400);
    forge_core_object(&f, 2, type, 40);
    forge_core_object(&f, 2, type, 40);
    struct hd_error err = {0};
    struct hd_snapshot *snap = read_forged(&f, &err);
    cr_assert(snap != NULL, "%s", err.message);
    struct hd_memory file = redact(snap);
    struct hd_snapshot *again = read_again(&file, false);
    struct hd_memory twice = redact(again);
    cr_expect(file.size == twice.size && memcmp(file.bytes, twice.bytes, file.size) == 0);
    hd_snapshot_close(again);
    char wanted[100];
    snprintf(wanted, sizeof(wanted),
             "400 bytes of the heap contain no readable objects, starting at 0x%" PRIx64,
             none);
    again = read_again(&file, true);
    expect_incomplete(again, wanted);
    hd_snapshot_close(again);
    hd_memory_free(&twice);
    hd_memory_free(&file);
    hd_snapshot_close(snap);
    forge_core_free(&f);
}

/* --- what is refused ------------------------------------------------------------- */

static void expect_refused(const struct hd_read_options *how, const char *path,
                           const char *why)
{
    struct hd_error err = {0};
    struct hd_memory file = {0};
    struct hd_snapshot *snap = hd_snapshot_open(path, how, &err);
    cr_assert(snap != NULL, "%s", err.message);
    cr_expect_not(hd_snapshot_write(snap, "core-dump", hd_sink_memory(&file), NULL, &err));
    cr_expect_eq(err.status, HD_USAGE);
    cr_expect(strstr(err.message, why) != NULL, "%s", err.message);
    cr_expect_eq(file.size, 0);
    hd_memory_free(&file);
    hd_snapshot_close(snap);
}

Test(write_core, is_made_of_core_dumps_that_were_read_for_it_only)
{
    const struct hd_read_options redacts = {
        .size = sizeof(redacts), .to_write = true, .redact = true};
    const struct hd_read_options writes = {.size = sizeof(writes), .to_write = true};
    expect_refused(&redacts, "fixtures/core/net10.gcdump.xz", "not a core dump");
    expect_refused(&writes, "fixtures/core/net10.core.xz", "not read to be redacted");
}

/* --- files on disk --------------------------------------------------------------- */

enum { DESCRIPTOR_AT = 0x3200 }; /* in the library */

static struct scratch folder;

static void open_folder(void)
{
    scratch_open(&folder);
}

static void remove_folder(void)
{
    scratch_remove(&folder);
}

/* A heap of a runtime whose library is also on disk; the dump lacks its descriptor, as
 * createdump's do, or all unmodified pages, as the kernel's. */
static void forge_on_disk(struct core_forge *f, struct forged_runtime *how, bool by_kernel)
{
    struct text library = {0};
    how->own_version = "10.0.700.1";
    forge_core_library(&library, how);
    how->path = scratch_file(&folder, "libcoreclr.so", library.data, library.len);
    text_free(&library);
    *f = (struct core_forge){.name = "shop", .pid = 7};
    forge_core_runtime(f, how);
    forge_core_object(f, 2, forge_core_type(f, 40, 0), 40);
    if (!by_kernel)
        forge_core_put(f, FORGED_RUNTIME_BASE + DESCRIPTOR_AT, 0, 8);
    forge_core_leave_out(f, FORGED_RUNTIME_BASE + (by_kernel ? 0x1000 : 0x2000),
                         FORGED_RUNTIME_BASE + FORGED_LIBRARY_DATA);
}

/* Files on disk must not be read again: it may be another machine. */
Test(write_core, has_what_was_read_from_files, .init = open_folder, .fini = remove_folder)
{
    for (int by_kernel = 0; by_kernel < 2; by_kernel++) {
        struct core_forge f;
        struct hd_error err = {0};
        struct forged_runtime how = {.json = forged_json(10)};
        forge_on_disk(&f, &how, by_kernel);
        struct hd_snapshot *snap = read_forged(&f, &err);
        cr_assert(snap != NULL, "%s", err.message);
        struct hd_memory file = redact(snap);
        cr_assert_eq(remove(how.path), 0);
        struct hd_snapshot *again = read_again(&file, false);
        cr_expect_eq(again->info.objects, 1);
        cr_expect_str_eq(again->info.runtime, "10.0.7");
        hd_snapshot_close(again);
        hd_memory_free(&file);
        hd_snapshot_close(snap);
        forge_core_free(&f);
    }
}

Test(write_core, is_refused_if_the_layout_is_only_in_a_file, .init = open_folder,
     .fini = remove_folder)
{
    struct core_forge f;
    struct hd_error err = {0};
    struct hd_memory file = {0};
    /* This address has no part of a forged heap. */
    char *json = strdup(forged_json(10));
    char *at = strstr(json, "\"Path\":200");
    cr_assert_not_null(at);
    memcpy(at, "\"Path\":208", strlen("\"Path\":208"));
    struct forged_runtime how = {.json = json};
    forge_on_disk(&f, &how, false);
    const struct hd_read_options redacts = {
        .size = sizeof(redacts), .to_write = true, .redact = true};
    struct bytes core = forge_core_bytes(&f);
    struct hd_snapshot *snap =
        hd_snapshot_from_memory(core.data, core.size, &redacts, &err);
    cr_assert(snap != NULL, "%s", err.message);
    cr_expect_not(hd_snapshot_write(snap, "core-dump", hd_sink_memory(&file), NULL, &err));
    cr_expect_eq(err.status, HD_UNSUPPORTED);
    cr_expect(strstr(err.message, "in its files on this machine") != NULL, "%s",
              err.message);
    hd_memory_free(&file);
    hd_snapshot_close(snap);
    forge_core_free(&f);
    free(json);
}

/* --- real ones ------------------------------------------------------------------- */

static const char *name_at(const struct fields *f, field_id id)
{
    return id != NO_FIELD ? f->names[id] : "";
}

/* Compares the field of every reference. */
static void expect_same_fields(const struct hd_snapshot *a, const struct hd_snapshot *b)
{
    const struct graph *g = a->graph, *h = b->graph;
    field_id *ids = calloc(g->edge_count + 1U, sizeof(*ids));
    field_id *others = calloc(g->edge_count + 1U, sizeof(*others));
    cr_assert(ids != NULL && others != NULL);
    for (node_id n = 0; n < g->node_count; n++) {
        uint32_t len = g->edge_begin[n + 1] - g->edge_begin[n];
        if (graph_address(g, n) == 0)
            continue;
        g->fields->of_node(g->fields->context, n, ids);
        h->fields->of_node(h->fields->context, n, others);
        for (uint32_t i = 0; i < len; i++)
            cr_assert_str_eq(name_at(g->fields, ids[i]), name_at(h->fields, others[i]));
    }
    free(ids);
    free(others);
}

/* Names, types and references are kept; other values are marked as redacted. */
static void expect_redacted(const struct hd_field *a, const struct hd_field *b)
{
    cr_assert(rewritten_same_string(a->name, b->name));
    cr_assert(rewritten_same_string(a->type, b->type));
    cr_assert(rewritten_same_string(a->declared_by, b->declared_by));
    cr_assert_eq(a->kind, b->kind);
    if (a->kind == HD_FIELD_REFERENCE) {
        cr_assert(a->number == b->number && a->to == b->to);
        cr_assert(a->text == NULL || b->is_redacted, "%s", a->text);
    } else if (a->kind != HD_FIELD_UNKNOWN) {
        cr_assert(b->is_redacted, "%s", a->name);
        cr_assert_eq(b->number, 0);
        cr_assert_null(b->member);
    }
    cr_assert_null(b->text);
    cr_assert_not(a->is_redacted);
}

static void expect_no_values(const struct hd_snapshot *a, const struct hd_snapshot *b)
{
    enum { MAX_VALUES = 8, TEXT = 20 };
    const struct fields *f = a->graph->fields, *g = b->graph->fields;
    for (node_id n = 0; n < a->graph->node_count; n++) {
        struct arena scratch = {0};
        size_t len, others;
        uint64_t all, other_all, hash;
        if (graph_address(a->graph, n) == 0)
            continue;
        const struct hd_field *x =
            f->values(f->context, n, 0, MAX_VALUES, true, TEXT, &scratch, &len, &all);
        const struct hd_field *y = g->values(g->context, n, 0, MAX_VALUES, true, TEXT,
                                             &scratch, &others, &other_all);
        cr_assert(len == others && all == other_all);
        for (size_t i = 0; i < len; i++)
            expect_redacted(&x[i], &y[i]);
        cr_assert_eq(g->contents(g->context, n, &hash), CONTENTS_UNKNOWN);
        arena_free(&scratch);
    }
}

static void expect_same_gcdump(struct hd_snapshot *a, struct hd_snapshot *b)
{
    struct hd_memory x = {0}, y = {0};
    cr_assert(hd_snapshot_write(a, "gcdump", hd_sink_memory(&x), NULL, NULL));
    cr_assert(hd_snapshot_write(b, "gcdump", hd_sink_memory(&y), NULL, NULL));
    cr_expect(x.size == y.size && memcmp(x.bytes, y.bytes, x.size) == 0);
    hd_memory_free(&x);
    hd_memory_free(&y);
}

static void expect_same_file(const char *path)
{
    const struct hd_read_options how = {
        .size = sizeof(how), .to_write = true, .redact = true};
    struct hd_error err = {0};
    struct hd_snapshot *snap = hd_snapshot_open(path, &how, &err);
    cr_assert(snap != NULL, "%s: %s", path, err.message);
    expect_same_redacted(snap);
    struct hd_memory file = redact(snap);
    struct hd_snapshot *again = read_again(&file, false);
    const char *what = rewritten_gcdump_differs(snap, again);
    cr_expect(what == NULL, "%s: %s", path, what);
    cr_expect_eq(snap->weak_roots, again->weak_roots);
    expect_same_fields(snap, again);
    expect_no_values(snap, again);
    expect_same_gcdump(snap, again);
    struct hd_memory twice = redact(again);
    cr_expect(file.size == twice.size && memcmp(file.bytes, twice.bytes, file.size) == 0,
              "%s: not the same when redacted once more", path);
    hd_memory_free(&twice);
    hd_memory_free(&file);
    hd_snapshot_close(again);
    hd_snapshot_close(snap);
}

Test(write_core, a_redacted_real_dump_has_the_same_answers_except_values)
{
    expect_same_file("fixtures/core/net10.core.xz");
    expect_same_file("fixtures/core/net9-server.core.xz");
}

/* Files by Microsoft's writers must be reproduced; snapshots of other formats must be
 * written as dotnet-gcdump would have. */
#include "base/input.h"
#include "format/gcdump/gcdump_records.h"
#include "format/open.h"
#include "format/usual_gcdump.h"
#include "support/rewritten.h"

#include <dirent.h>

static const struct hd_read_options to_write = {.to_write = true};

static struct hd_snapshot *snap, *again;
static char *data;
static size_t size;
static struct hd_losses lost;

static void finish(void)
{
    hd_snapshot_close(again);
    hd_snapshot_close(snap);
    free(data);
    snap = again = NULL;
}

/* Writes snap and reads it as again, which must succeed. */
static void rewrite(void)
{
    struct hd_error err = {0};
    FILE *to = open_memstream(&data, &size);
    cr_assert(hd_snapshot_write(snap, "gcdump", hd_sink_file(to), &lost, &err), "%s",
              err.message);
    fclose(to);
    again = hd_snapshot_from_memory(data, size, &to_write, &err);
    cr_assert_not_null(again, "byte 0x%llx: %s", (unsigned long long)err.at, err.message);
}

/* --- from gcdump to gcdump ----------------------------------------------------- */

/* Microsoft's writer wrote -1 where a COM interface has no function, and its reader of
 * today overflows there: such an address becomes the largest that it reads. */
static void mend_addresses(unsigned char *bytes, size_t len)
{
    static const unsigned char none[8] = {255, 255, 255, 255, 255, 255, 255, 255};
    static const char name[] = "InteropInfo";
    bool is_table = false;
    for (size_t i = 0; i + sizeof(name) <= len; i++) {
        is_table |= memcmp(bytes + i, name, sizeof(name) - 1) == 0;
        if (is_table && memcmp(bytes + i, none, sizeof(none)) == 0)
            bytes[i + 7] = 0x7f;
    }
}

static void expect_same_bytes(const char *path)
{
    struct hd_error err = {0};
    struct input *in = input_open(path, NULL, &err);
    cr_assert_not_null(in, "%s: %s", path, err.message);
    struct bytes all;
    cr_assert(input_all(in, &all, &err));
    unsigned char *mended = memcpy(malloc(all.size), all.data, all.size);
    all.data = mended;
    mend_addresses(mended, all.size);
    snap = hd_snapshot_from_memory(all.data, all.size, &to_write, &err);
    cr_assert_not_null(snap, "%s: %s", path, err.message);
    rewrite();
    cr_expect_eq(size, all.size, "%s", path);
    cr_expect(size == all.size && memcmp(data, all.data, size) == 0, "%s: other bytes",
              path);
    cr_expect_eq(lost.count, 0);
    finish();
    free(mended);
    input_close(in);
}

static size_t expect_same_folder(const char *folder)
{
    DIR *dir = opendir(folder);
    cr_assert_not_null(dir, "%s", folder);
    size_t count = 0;
    for (const struct dirent *e; (e = readdir(dir)) != NULL;) {
        char path[512];
        snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
        if (strstr(e->d_name, ".gcdump") == NULL)
            continue;
        expect_same_bytes(path);
        count++;
    }
    closedir(dir);
    return count;
}

Test(write_gcdump, files_of_dotnet_gcdump_are_reproduced_byte_for_byte)
{
    static const char *const folders[] = {"cache", "density", "events", "list",
                                          "none",  "timers",  "odd"};
    size_t count = 0;
    for (size_t i = 0; i < COUNT(folders); i++) {
        char path[64];
        snprintf(path, sizeof(path), "fixtures/leaklab/%s", folders[i]);
        count += expect_same_folder(path);
    }
    cr_expect_eq(count, 38);
}

/* Deferred types, modules, segments, COM wrappers, multipliers, all forms of strings. */
Test(write_gcdump, files_by_microsofts_writer_are_reproduced_byte_for_byte)
{
    static const char *const names[] = {"ms_bare",
                                        "ms_def",
                                        "ms_full",
                                        "ms_full_def",
                                        "ms_plain",
                                        "ms_modsize32_def",
                                        "ms_modsize32_full_def",
                                        "sampled",
                                        "tiny"};
    for (size_t i = 0; i < COUNT(names); i++) {
        char path[128];
        snprintf(path, sizeof(path), "fixtures/gcdump-made/%s.gcdump", names[i]);
        expect_same_bytes(path);
    }
}

/* A limit at which the graph is dropped, and with it the file closed. */
Test(write_gcdump, facts_of_a_file_outlive_it)
{
    static const char path[] = "fixtures/gcdump-made/ms_full.gcdump";
    const struct hd_read_options sparing = {.to_write = true, .max_memory = 12000};
    struct hd_error err = {0};
    snap = hd_snapshot_open(path, &to_write, &err);
    cr_assert_not_null(snap, "%s", err.message);
    cr_assert_gt(snap->source->interop_size, 0);
    rewrite();
    char *kept = data;
    size_t kept_size = size;
    data = NULL;
    finish();
    snap = hd_snapshot_open(path, &sparing, &err);
    cr_assert_not_null(snap, "%s", err.message);
    snap->may_drop = true;
    snapshot_release_graph(snap);
    cr_assert_null(snap->input);
    rewrite();
    cr_expect_eq(size, kept_size);
    cr_expect_eq(memcmp(data, kept, kept_size), 0);
    free(kept);
    finish();
}

/* Labels of 8 bytes, counts of 8 bytes, old versions: written in the present layout. */
Test(write_gcdump, other_layouts_are_written_with_the_same_content)
{
    static const char *const names[] = {"ms_eight",
                                        "ms_eight_def",
                                        "ms_eight_full",
                                        "ms_eight_full_def",
                                        "ms_modsize32_eight_def",
                                        "ms_verylarge",
                                        "ms_verylarge_eight_full",
                                        "seg7v0",
                                        "v10",
                                        "v10nointerop",
                                        "v10notool",
                                        "v11future",
                                        "v11min10",
                                        "v4",
                                        "v5",
                                        "v6",
                                        "v7",
                                        "v7min0",
                                        "v9"};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct hd_error err = {0};
        char path[128];
        snprintf(path, sizeof(path), "fixtures/gcdump-made/%s.gcdump", names[i]);
        snap = hd_snapshot_open(path, &to_write, &err);
        cr_assert_not_null(snap, "%s: %s", path, err.message);
        rewrite();
        const char *what = rewritten_gcdump_differs(snap, again);
        cr_expect_null(what, "%s: %s", path, what);
        struct hd_snapshot *first = snap;
        char *first_data = data;
        size_t first_size = size;
        snap = again;
        rewrite();
        cr_expect(size == first_size && memcmp(data, first_data, size) == 0,
                  "%s: a second time", path);
        hd_snapshot_close(first);
        finish();
        free(first_data);
    }
}

Test(write_gcdump, a_lost_end_is_written_again)
{
    struct gcdump_bytes b = gcdump_bytes_make(&usual);
    struct hd_error err = {0};
    snap = hd_snapshot_from_memory(b.data.data, b.graph_end, &to_write, &err);
    cr_assert_not_null(snap);
    cr_expect(warns(snap, WARN_NO_TRAILER));
    rewrite();
    cr_expect_not(warns(again, WARN_NO_TRAILER));
    expect_usual(again);
    finish();
    gcdump_bytes_free(&b);
}

/* --- the tree of roots --------------------------------------------------------- */

static node_id child(node_id parent, const char *name)
{
    const struct graph *g = again->graph;
    for (uint32_t e = g->edge_begin[parent]; e < g->edge_begin[parent + 1]; e++)
        if (strcmp(again->types[g->type[g->edge_to[e]]].name, name) == 0)
            return g->edge_to[e];
    cr_assert_fail("no %s below %s", name, again->types[g->type[parent]].name);
    return NO_NODE;
}

static uint32_t children(node_id n)
{
    return again->graph->edge_begin[n + 1] - again->graph->edge_begin[n];
}

Test(write_gcdump, roots_hang_in_the_tree_of_dotnet_gcdump)
{
    struct forge f = {0};
    node_id first = forge_objects(&f, "App.Held", 24, HD_ROOT_UNREACHABLE);
    for (int kind = 0; kind < HD_ROOT_UNREACHABLE; kind++)
        forge_root(&f, (enum hd_root_kind)kind,
                   kind == HD_ROOT_STATIC ? "App.Cache.s_all" : NULL,
                   first + (node_id)kind);
    forge_root(&f, HD_ROOT_STATIC, "App.List<App.Item[,]>.s_all", first);
    snap = forge_finish(&f);
    rewrite();
    node_id root = again->graph->root;
    cr_expect_str_eq(again->types[again->graph->type[root]].name, "[.NET Roots]");
    cr_expect_eq(children(root), 5);
    node_id statics = child(root, "[static vars]"), other = child(root, "[other roots]");
    cr_expect_eq(children(statics), 2);
    cr_expect_eq(child(child(statics, "[static var App.Cache.s_all]"), "App.Held"), first);
    child(statics, "[static var App.List<App.Item[,]>.s_all]");
    cr_expect_eq(child(child(root, "[thread static vars]"), "App.Held"),
                 first + HD_ROOT_THREAD_STATIC);
    cr_expect_eq(child(child(root, "[local vars]"), "App.Held"), first + HD_ROOT_STACK);
    cr_expect_eq(children(child(root, "[COM/WinRT Objects]")), 0);
    static const struct {
        const char *name;
        enum hd_root_kind kind;
    } handles[] = {{"[COM/WinRT Objects]", HD_ROOT_REF_COUNTED_HANDLE},
                   {"[finalizer Handles]", HD_ROOT_FINALIZER},
                   {"[pinning Handles]", HD_ROOT_PINNED_HANDLE},
                   {"[strong Handles]", HD_ROOT_STRONG_HANDLE},
                   {"[other Handles]", HD_ROOT_OTHER},
                   {"[Dependent Handles]", HD_ROOT_DEPENDENT_HANDLE}};
    cr_expect_eq(children(other), COUNT(handles));
    for (size_t i = 0; i < COUNT(handles); i++)
        cr_expect_eq(child(child(other, handles[i].name), "App.Held"),
                     first + (node_id)handles[i].kind, "%s", handles[i].name);
    cr_expect_arr_eq(again->roots_by_kind, snap->roots_by_kind,
                     sizeof(snap->roots_by_kind));
    finish();
}

Test(write_gcdump, a_heap_without_roots_has_the_groups_that_are_always_there)
{
    struct forge f = {0};
    forge_object(&f, "App.Order", 24);
    node_id lone = forge_pseudo(&f, "[roots]");
    forge_start(&f, lone);
    snap = forge_finish(&f);
    rewrite();
    cr_expect_eq(children(again->graph->root), 2);
    cr_expect_not(again->info.has_roots);
    finish();
}

/* A tree in another form than root_set.h makes is unchanged. */
Test(write_gcdump, other_trees_stay_as_they_are)
{
    struct forge f = {0};
    node_id root = forge_pseudo(&f, "[roots]");
    node_id group = forge_pseudo(&f, "[local vars]");
    node_id object = forge_object(&f, "App.Order", 24);
    node_id undefined = forge_undefined(&f);
    forge_reference(&f, root, group);
    forge_reference(&f, group, object);
    forge_reference(&f, object, undefined);
    forge_reference(&f, object, group);
    forge_start(&f, root);
    snap = forge_finish(&f);
    rewrite();
    cr_expect_null(rewritten_graph_differs(snap, again));
    finish();
}

/* --- numbers that others cannot read ------------------------------------------- */

static void open_to_write(const char *path)
{
    struct hd_error err = {0};
    snap = hd_snapshot_open(path, &to_write, &err);
    cr_assert_not_null(snap, "%s: %s", path, err.message);
}

/* Frozen objects are after the last range, which has no end. */
Test(write_gcdump, no_segment_of_a_trace_ends_above_a_signed_integer)
{
    open_to_write("fixtures/leaklab/nettrace/1.nettrace.zst");
    rewrite();
    const struct source *s = again->source;
    cr_assert_gt(s->segment_count, 1);
    cr_expect_null(rewritten_gcdump_overflows(again));
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < s->segment_count; i++)
        bytes += s->segments[i].end - s->segments[i].start;
    cr_expect_eq(bytes, s->segment_bytes);
    finish();
}

Test(write_gcdump, numbers_above_a_signed_integer_are_cut_or_unknown)
{
    open_to_write("fixtures/gcdump-made/ms_full_def.gcdump");
    struct source *s = (struct source *)snap->source;
    cr_assert_gt(s->segment_count, 0);
    cr_assert_gt(s->module_count, 0);
    s->segments[0].start = INT64_MAX;
    s->segments[0].end = s->segments[0].gen_end[2] = UINT64_MAX;
    s->segment_bytes = UINT64_MAX;
    s->modules[0].base = UINT64_MAX;
    s->modules[0].build_time = INT64_MAX;
    s->ticks = -1;
    struct graph *g = (struct graph *)snap->graph;
    size_t address_bytes = 8 * (size_t)g->node_count;
    unsigned char *own = memcpy(malloc(address_bytes), g->addresses, address_bytes);
    free(g->own_addresses);
    g->own_addresses = own;
    memset(g->own_addresses, 0xff, 8);
    g->addresses = g->own_addresses;
    rewrite();
    cr_expect_null(rewritten_gcdump_overflows(again));
    cr_expect_eq(again->source->segments[0].end, INT64_MAX);
    cr_expect_eq(again->source->modules[0].base, INT64_MAX);
    cr_expect_eq(again->source->modules[0].build_time, 0);
    cr_expect_eq(again->source->ticks, 0);
    cr_expect_eq(graph_address(again->graph, 0), 0);
    finish();
}

/* If Microsoft's reader fails in the table, it rejects the file. */
Test(write_gcdump, a_damaged_table_of_com_wrappers_is_left_out_and_reported)
{
    open_to_write("fixtures/gcdump-made/ms_full.gcdump");
    const struct source *s = snap->source;
    cr_assert_gt(s->interop_size, 0);
    unsigned char *table = (unsigned char *)s->interop;
    mend_addresses(table, s->interop_size);
    enum { FIRST_COUNT = 1 + 2 + 8 + 4 + 11 + 1 + 4, FIRST_ADDRESS = FIRST_COUNT + 16 + 8 };
    static const size_t damages[] = {FIRST_COUNT + 3, FIRST_ADDRESS + 7};
    for (size_t i = 0; i < COUNT(damages); i++) {
        unsigned char was = table[damages[i]];
        table[damages[i]] = 0xff;
        rewrite();
        cr_expect_eq(again->source->interop_size, 0);
        cr_expect_eq(lost.count, 1);
        cr_expect_str_eq(lost.all[0].what, "com-wrappers");
        table[damages[i]] = was;
        hd_snapshot_close(again);
        free(data);
    }
    rewrite();
    cr_expect_eq(again->source->interop_size, s->interop_size);
    cr_expect_eq(lost.count, 0);
    finish();
}

/* --- names and size classes ---------------------------------------------------- */

static void expect_spelling(const char *name, const char *expected)
{
    struct arena a = {0};
    cr_expect_str_eq(gcdump_spelling(name, strlen(name), &a), expected);
    arena_free(&a);
}

Test(write_gcdump, names_are_spelled_as_dotnet_gcdump_does)
{
    expect_spelling("System.String", "System.String");
    expect_spelling("App.Map`2[[System.String, mscorlib],[System.Int32[,], mscorlib]]",
                    "App.Map<System.String,System.Int32<,>>");
    expect_spelling("System.Byte[]", "System.Byte[]");
    expect_spelling("System.Int32[,]", "System.Int32<,>");
    expect_spelling("App.Shop+<>c__DisplayClass3_0", "App.Shop+[]c__DisplayClass3_0");
    expect_spelling("", "<unknown type>");
}

Test(write_gcdump, objects_of_more_than_1000_bytes_have_types_by_size)
{
    static const struct {
        uint64_t size;
        const char *name;
    } cases[] = {{1000, "A"},
                 {1001, "A (Bytes > 1K)"},
                 {9999, "A (Bytes > 1K)"},
                 {10000, "A (Bytes > 10K)"},
                 {100000, "A (Bytes > 100K)"},
                 {1000000, "A (Bytes > 1M)"},
                 {10000000, "A (Bytes > 10M)"},
                 {100000000, "A (Bytes > 100M)"}};
    struct forge f = {0};
    for (size_t i = 0; i < COUNT(cases); i++)
        forge_object(&f, "A", cases[i].size);
    forge_module(&f, "A", "/app.dll");
    forge_root(&f, HD_ROOT_STACK, NULL, 0);
    snap = forge_finish(&f);
    rewrite();
    const struct source *s = again->source;
    for (node_id n = 0; n < COUNT(cases); n++) {
        uint32_t type = s->types[again->graph->source_type[n]].number;
        cr_expect_str_eq(s->gcdump_types[type].name, cases[n].name);
        cr_expect_str_eq(s->gcdump_types[type].module, "/app.dll");
        cr_expect_eq(graph_size(again->graph, n), cases[n].size);
    }
    cr_expect_eq(row(again, TYPE_OBJECT, "A")->raw.count, COUNT(cases));
    cr_expect_eq(s->gcdump_types[1].size, 1000);
    cr_expect_str_eq(s->gcdump_types[0].name, "UNDEFINED");
    cr_expect_eq(s->gcdump_types[0].size, 0);
    finish();
}

/* --- sizes and addresses ------------------------------------------------------- */

Test(write_gcdump, objects_without_size_and_address_stay_objects)
{
    struct forge f = {0};
    forge_object(&f, "A", 0);
    forge_object(&f, "UNDEFINED", 0);
    forge_undefined(&f);
    forge_root(&f, HD_ROOT_STACK, NULL, 0);
    snap = forge_finish(&f);
    rewrite();
    cr_expect_eq(again->info.objects, 2);
    cr_expect_eq(row(again, TYPE_OBJECT, "A")->raw.count, 1);
    cr_expect_eq(row(again, TYPE_OBJECT, "UNDEFINED")->raw.count, 1);
    finish();
}

Test(write_gcdump, sizes_of_2_gib_are_clamped_with_a_warning)
{
    struct forge f = {0};
    forge_object(&f, "A", INT32_MAX);
    forge_object(&f, "A", (uint64_t)INT32_MAX + 1);
    forge_object(&f, "A", 5ULL << 30);
    forge_root(&f, HD_ROOT_STACK, NULL, 0);
    snap = forge_finish(&f);
    rewrite();
    for (node_id n = 0; n < 3; n++)
        cr_expect_eq(graph_size(again->graph, n), INT32_MAX);
    cr_expect_not(warns(again, WARN_SIZE_MISMATCH));
    cr_assert_eq(lost.count, 1);
    cr_expect_str_eq(lost.all[0].what, "sizes");
    cr_expect_not_null(strstr(lost.all[0].message, ": 2"));
    finish();
}

/* Records are sorted by 11 bits of the offset at a time. */
Test(write_gcdump, records_beyond_4_mib_keep_their_order)
{
    struct forge f = {0};
    forge_object(&f, "A", 24);
    forge_objects(&f, "A", 500, 1200000);
    forge_root(&f, HD_ROOT_STACK, NULL, 0);
    snap = forge_finish(&f);
    rewrite();
    const struct source *s = again->source;
    cr_expect_gt(size, 4U << 20);
    cr_assert_eq(s->described_count, again->graph->node_count);
    for (node_id n = 0; n < s->described_count; n++)
        cr_assert_eq(s->described[n], n);
    finish();
}

/* --- generations --------------------------------------------------------------- */

Test(write_gcdump, generations_become_segments)
{
    static const enum hd_generation all[] = {HD_GEN0, HD_GEN1, HD_GEN2, HD_GEN_LOH,
                                             HD_GEN_POH};
    struct forge f = {0};
    node_id first = forge_objects(&f, "A", 24, COUNT(all));
    forge_object(&f, "B", 24);
    for (size_t i = 0; i < COUNT(all); i++)
        forge_generation(&f, first + (node_id)i, all[i]);
    forge_root(&f, HD_ROOT_STACK, NULL, 0);
    snap = forge_finish(&f);
    rewrite();
    cr_expect(again->info.has_generations);
    for (size_t i = 0; i < COUNT(all); i++)
        cr_expect_eq(ranges_find(&again->ranges, graph_address(again->graph, (node_id)i)),
                     all[i]);
    cr_expect_eq(again->by_generation[HD_GEN_UNKNOWN].count, 1);
    finish();
}

/* In a trace, objects outside of all ranges are frozen; the format has only gen2 for them.
 */
Test(write_gcdump, frozen_objects_are_in_ranges_of_gen2)
{
    struct forge f = {0};
    forge_objects(&f, "A", 24, 4);
    forge_generation(&f, 0, HD_GEN1);
    forge_generation(&f, 1, HD_GEN_FROZEN);
    forge_generation(&f, 2, HD_GEN_POH);
    forge_generation(&f, 3, HD_GEN0);
    forge_root(&f, HD_ROOT_STACK, NULL, 0);
    snap = forge_finish(&f);
    size_t kept = 0;
    for (size_t i = 0; i < snap->ranges.len; i++)
        if (snap->ranges.all[i].generation != HD_GEN_FROZEN)
            snap->ranges.all[kept++] = snap->ranges.all[i];
    snap->ranges.len = kept;
    rewrite();
    uint64_t frozen = graph_address(again->graph, 1);
    cr_expect_eq(ranges_find(&again->ranges, frozen), HD_GEN2);
    cr_expect_eq(ranges_find(&again->ranges, frozen + 23), HD_GEN2, "its last byte");
    cr_expect_eq(ranges_find(&again->ranges, frozen + 24), HD_GEN_UNKNOWN);
    cr_expect_eq(again->by_generation[HD_GEN_UNKNOWN].count, 0);
    cr_expect_eq(again->by_generation[HD_GEN2].count, 1);
    cr_expect_eq(again->by_generation[HD_GEN1].count, 1);
    cr_expect_eq(again->by_generation[HD_GEN_POH].count, 1);
    finish();
}

/* --- what is said about the snapshot ------------------------------------------- */

Test(write_gcdump, writes_time_machine_and_tool)
{
    struct forge f = {0};
    forge_object(&f, "A", 24);
    forge_root(&f, HD_ROOT_STACK, NULL, 0);
    snap = forge_finish(&f);
    snap->info.process = "shop";
    snap->info.pid = 4711;
    snap->info.time = "2026-08-01T12:00:00";
    snap->clock = 1785585600;
    snap->clock_is_date = true;
    rewrite();
    cr_expect_str_eq(again->info.process, "shop");
    cr_expect_eq(again->info.pid, 4711);
    cr_expect_str_eq(again->info.time, "2026-08-01T12:00:00");
    cr_expect_str_eq(again->info.producer, "heapdrift");
    cr_expect(again->info.complete);
    finish();
}

/* It has the name of the root of heap text, whose tree is rebuilt. */
Test(write_gcdump, a_gcdump_with_a_root_named_like_ours_keeps_its_own_tree)
{
    static const struct made_type types[] = {{.name = "UNDEFINED"},
                                             {.name = "App.Order", .size = 24},
                                             {.name = "[local vars]"},
                                             {.name = "[roots]"}};
    static const struct made_node nodes[] = {
        {.type = 1, .size = 24, .address = 0x1000},
        {.type = 2, .references = 1, .to = {0}},
        {.type = 3, .references = 1, .to = {1}},
    };
    struct made_gcdump m = with_nodes(nodes, COUNT(nodes));
    m.types = types;
    m.type_count = COUNT(types);
    m.root = 2;
    struct gcdump_bytes b = gcdump_bytes_make(&m);
    struct hd_error err = {0};
    snap = hd_snapshot_from_memory(b.data.data, b.data.len, &to_write, &err);
    cr_assert_not_null(snap, "%s", err.message);
    rewrite();
    cr_expect_eq(again->info.objects, snap->info.objects);
    cr_expect_eq(again->info.reachable_objects, 1);
    cr_expect_str_eq(again->types[again->graph->type[again->graph->root]].name, "[roots]");
    finish();
    gcdump_bytes_free(&b);
}

Test(write_gcdump, the_log_records_that_objects_may_be_missing)
{
    struct forge f = {0};
    forge_object(&f, "A", 24);
    forge_root(&f, HD_ROOT_STACK, NULL, 0);
    snap = forge_finish(&f);
    snap->info.complete = false;
    rewrite();
    cr_expect_not(again->info.complete);
    cr_expect(warns(again, WARN_INCOMPLETE));
    cr_expect_not_null(strstr(again->source->log, "heapdrift: incomplete"));
    finish();
}

Test(write_gcdump, refuses_what_has_no_graph_or_was_not_read_for_it)
{
    struct forge f = {0};
    struct hd_error err = {0};
    forge_row(&f, "A", 1, 24);
    snap = forge_finish(&f);
    cr_expect_not(hd_snapshot_write(snap, "gcdump", hd_sink_file(stdout), NULL, &err));
    cr_expect_eq(err.status, HD_USAGE);
    err = (struct hd_error){0};
    cr_expect_not(hd_snapshot_write(snap, "nettrace", hd_sink_file(stdout), NULL, &err));
    cr_expect_eq(err.status, HD_USAGE);
    snap->source = NULL;
    err = (struct hd_error){0};
    cr_expect_not(hd_snapshot_write(snap, "table-csv", hd_sink_file(stdout), NULL, &err));
    cr_expect_eq(err.status, HD_USAGE);
    hd_snapshot_close(snap);
}

/* Complete traces: objects, types, generations, the choice among several walks, the
 * process. Losses and damage are in test_nettrace_damage.c. */
#include "format/nettrace/forged_walks.h"
#include "heap/borrow.h"
#include "trace/trace_survey.h"

#include <math.h>

static const struct hd_read_options tables = {.tables_only = true};

static uint64_t roots_of(const struct hd_snapshot *snap, enum hd_root_kind kind)
{
    return snap->roots_by_kind[kind];
}

/* --- objects, references, roots -------------------------------------------------- */

static void expect_two(unsigned pointer_size)
{
    struct trace_forge f = begin(pointer_size);
    trace_forge_types(&f, MAIN, &box, 1);
    whole_walk(&f, 0x7000, 1);
    trace_forge_end(&f);
    struct hd_snapshot *snap = open_good(&f);
    cr_expect_eq(snap->info.objects, 2);
    cr_expect_eq(snap->info.bytes, 48);
    cr_expect_eq(snap->info.references, 1);
    cr_expect_eq(snap->info.reachable_objects, 2);
    cr_expect_eq(graph_address(snap->graph, 1), 0x7018);
    cr_expect(snap->info.complete);
    cr_expect_eq(snap->warnings.len, 0);
    cr_expect_eq(snap->info.pid, 4242);
    cr_expect_str_eq(snap->info.time, "2026-01-01T12:00:00");
    hd_snapshot_close(snap);
    trace_forge_free(&f);
}

Test(nettrace, reads_objects_of_64_bits)
{
    expect_two(8);
}

Test(nettrace, reads_objects_of_32_bits)
{
    expect_two(4);
}

Test(nettrace, roots_are_grouped_as_the_converter_groups_them)
{
    struct trace_forge f = begin(8);
    trace_forge_types(&f, MAIN, &box, 1);
    trace_forge_gc(&f, MAIN, true, 1);
    trace_forge_static(&f, MAIN, 0x7000, box.id, 0, "s_box");
    trace_forge_static(&f, MAIN, 0x7000, box.id, 1, "t_box");
    trace_forge_static(&f, MAIN, 0x7000, 0xABC, 0, "s_odd");
    trace_forge_node(&f, 0x7000, 24, box.id, 0);
    trace_forge_root(&f, 0x7000, STACK, 0);
    trace_forge_root(&f, 0x7000, STACK, REF_COUNTED);
    trace_forge_root(&f, 0x7000, FINALIZER, 0);
    trace_forge_root(&f, 0x7000, HANDLE, 0);
    trace_forge_root(&f, 0x7000, HANDLE, PINNING);
    trace_forge_root(&f, 0x7000, HANDLE, PINNING | 4);
    trace_forge_root(&f, 0x7000, HANDLE, REF_COUNTED);
    trace_forge_root(&f, 0x7000, HANDLE, WEAK);
    trace_forge_root(&f, 0x7000, HANDLE, WEAK | REF_COUNTED);
    trace_forge_root(&f, 0x7000, ELSE, 0);
    trace_forge_root(&f, 0, STACK, 0);
    trace_forge_root(&f, 0x9999, HANDLE, 0);
    trace_forge_walk(&f, MAIN);
    trace_forge_gc(&f, MAIN, false, 1);
    trace_forge_end(&f);
    struct hd_snapshot *snap = open_good(&f);
    cr_expect_eq(roots_of(snap, HD_ROOT_STATIC), 2);
    cr_expect_eq(roots_of(snap, HD_ROOT_THREAD_STATIC), 1);
    cr_expect_eq(roots_of(snap, HD_ROOT_STACK), 2);
    cr_expect_eq(roots_of(snap, HD_ROOT_FINALIZER), 1);
    cr_expect_eq(roots_of(snap, HD_ROOT_STRONG_HANDLE), 2);
    cr_expect_eq(roots_of(snap, HD_ROOT_PINNED_HANDLE), 1);
    cr_expect_eq(roots_of(snap, HD_ROOT_REF_COUNTED_HANDLE), 1);
    cr_expect_eq(roots_of(snap, HD_ROOT_OTHER), 1);
    cr_expect_eq(snap->info.roots, 11);
    cr_expect_eq(snap->weak_roots, 2);
    cr_expect_eq(warned(snap, WARN_DANGLING_ROOT), 1, "null is no object");
    cr_expect_not_null(forge_type(snap, TYPE_PSEUDO, "[static var App.Box.s_box]"));
    cr_expect_not_null(forge_type(snap, TYPE_PSEUDO, "[static var Type(0xabc).s_odd]"));
    cr_expect_not_null(forge_type(snap, TYPE_PSEUDO, "[other roots]"));
    hd_snapshot_close(snap);
    trace_forge_free(&f);
}

/* The first and second of three objects are a key and its value; the third is also a value.
 */
Test(nettrace, a_dependent_handle_is_an_edge_from_key_to_value_but_no_reference)
{
    struct trace_forge f = begin(8);
    trace_forge_types(&f, MAIN, &box, 1);
    trace_forge_gc(&f, MAIN, true, 1);
    trace_forge_node(&f, 0x7000, 24, box.id, 1);
    trace_forge_node(&f, 0x7018, 24, box.id, 0);
    trace_forge_node(&f, 0x7030, 24, box.id, 0);
    trace_forge_edge(&f, 0x7000);
    trace_forge_root(&f, 0x7000, HANDLE, 0);
    trace_forge_pair(&f, 0x7000, 0x7018);
    trace_forge_pair(&f, 0x1234, 0x7030); /* the key is not in the walk */
    trace_forge_pair(&f, 0, 0x7030);
    trace_forge_pair(&f, 0x7018, 0);
    trace_forge_walk(&f, MAIN);
    trace_forge_gc(&f, MAIN, false, 1);
    trace_forge_end(&f);
    struct hd_snapshot *snap = open_good(&f);
    const struct graph *g = snap->graph;
    cr_expect_eq(snap->info.references, 1);
    cr_assert_eq(g->edge_begin[1] - g->edge_begin[0], 2);
    cr_expect_eq(g->edge_to[g->edge_begin[0]], 0, "its own reference comes first");
    cr_expect_eq(g->edge_to[g->edge_begin[0] + 1], 1);
    cr_expect_eq(roots_of(snap, HD_ROOT_DEPENDENT_HANDLE), 1);
    cr_expect_eq(snap->info.reachable_objects, 3);
    cr_expect(snap->info.complete);
    hd_snapshot_close(snap);
    trace_forge_free(&f);
}

Test(nettrace, com_objects_are_marked_without_extra_nodes)
{
    static const struct forged_type types[] = {
        {.id = 0x10, .name = "App.Wrapped", .flags = 4},
        {.id = 0x20, .name = "App.Given"},
    };
    struct trace_forge f = begin(8);
    trace_forge_types(&f, MAIN, types, 2);
    trace_forge_gc(&f, MAIN, true, 1);
    trace_forge_node(&f, 0x7000, 24, 0x10, 0);
    trace_forge_node(&f, 0x7018, 24, 0x20, 0);
    trace_forge_walk(&f, MAIN);
    struct text t = {0};
    forge_u32(&t, 2);
    forge_u16(&t, 9);
    for (uint64_t unknown = 0; unknown < 0x200; unknown += 0x100) {
        forge_u64(&t, 0x5000);
        forge_u64(&t, 0x7018);
        forge_u64(&t, 0x20);
        forge_u64(&t, unknown);
        forge_u32(&t, 1);
        forge_u32(&t, 0);
        forge_u32(&t, 0);
    }
    trace_forge_event(&f, MAIN, 36, t.data, t.len);
    text_free(&t);
    trace_forge_gc(&f, MAIN, false, 1);
    trace_forge_end(&f);
    struct hd_snapshot *snap = open_good(&f);
    cr_expect_eq(forge_type(snap, TYPE_OBJECT, "[RCW App.Wrapped]")->raw.bytes, 24);
    cr_expect_not_null(forge_type(snap, TYPE_PSEUDO, "[CCW # for type App.Given]"));
    cr_expect_eq(roots_of(snap, HD_ROOT_REF_COUNTED_HANDLE), 1,
                 "one has no COM object yet");
    cr_expect_eq(snap->info.objects, 2);
    hd_snapshot_close(snap);
    trace_forge_free(&f);
}

/* --- types ----------------------------------------------------------------------- */

static const char *full_name(const struct hd_snapshot *snap, const char *name)
{
    const struct type *t = forge_type(snap, TYPE_OBJECT, name);
    cr_assert_not_null(t, "%s", name);
    return t->full_name;
}

Test(nettrace, outer_classes_are_learned_from_generic_arguments)
{
    static const struct forged_type types[] = {
        {.id = 0x10, .name = "Inner"},
        {.id = 0x20,
         .name = "Inner[]",
         .flags = 8,
         .parameters = {0x10},
         .parameter_count = 1},
        {.id = 0x30,
         .name = "System.Pair`2[System.Int32,App.Outer+Inner]",
         .parameters = {0x99, 0x10},
         .parameter_count = 2},
        {.id = 0x40,
         .name = "Entry[System.String,System.List`1[A,B]]",
         .parameters = {0x98, 0x97},
         .parameter_count = 2},
        {.id = 0x50,
         .name = "App.List`1[App.Map`2+Entry[System.String,System.List`1[A,B]]]",
         .parameters = {0x40},
         .parameter_count = 1},
        {.id = 0x60, .name = "Lonely"},
        {.id = 0x70, .name = "System.Int32[,]", .flags = 0x208},
    };
    struct trace_forge f = begin(8);
    trace_forge_types(&f, MAIN, types, sizeof(types) / sizeof(types[0]));
    trace_forge_gc(&f, MAIN, true, 1);
    for (uint64_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        trace_forge_node(&f, 0x7000 + 24 * i, 24, types[i].id, 0);
    trace_forge_walk(&f, MAIN);
    trace_forge_gc(&f, MAIN, false, 1);
    trace_forge_end(&f);
    struct hd_snapshot *snap = open_good(&f);
    cr_expect_str_eq(full_name(snap, "Inner"), "App.Outer+Inner");
    cr_expect_str_eq(full_name(snap, "Inner[]"), "App.Outer+Inner[]");
    cr_expect_str_eq(full_name(snap, "Entry<System.String,System.List<A,B>>"),
                     "App.Map+Entry<System.String,System.List<A,B>>");
    cr_expect_null(full_name(snap, "Lonely"));
    cr_expect_null(full_name(snap, "System.Int32[,]"));
    hd_snapshot_close(snap);
    trace_forge_free(&f);
}

static struct hd_snapshot *snapshot_of(const struct forged_type *types, uint32_t count,
                                       uint64_t second)
{
    struct trace_forge f = begin(8);
    if (count > 0)
        trace_forge_types(&f, MAIN, types, count);
    trace_forge_gc(&f, MAIN, true, 1);
    trace_forge_static(&f, MAIN, 0x7000, box.id, 0, "s_box");
    trace_forge_node(&f, 0x7000, 24, box.id, 0);
    trace_forge_node(&f, 0x7018, 40, second, 0);
    trace_forge_walk(&f, MAIN);
    trace_forge_gc(&f, MAIN, false, 1);
    trace_forge_end(&f);
    struct hd_snapshot *snap = open_good(&f);
    trace_forge_free(&f);
    return snap;
}

Test(nettrace, types_without_names_are_named_as_in_another_trace_of_the_process)
{
    static const struct forged_type two[] = {{.id = 0x10000, .name = "App.Box"},
                                             {.id = 0x20000, .name = "App.Box"}};
    struct hd_snapshot *snaps[] = {snapshot_of(two, 2, 0x20000),
                                   snapshot_of(two, 0, 0x20000),
                                   snapshot_of(two, 0, 0x30000)};
    cr_expect_eq(warned(snaps[1], WARN_UNKNOWN_TYPE), 2);
    cr_expect_not_null(forge_type(snaps[1], TYPE_OBJECT, "UNKNOWN 0x10000"));
    snapshots_borrow_names(snaps, 3);
    cr_expect_eq(warned(snaps[1], WARN_UNKNOWN_TYPE), 0);
    cr_expect_eq(warned(snaps[1], WARN_NAMES_BORROWED), 2);
    cr_expect_eq(forge_type(snaps[1], TYPE_OBJECT, "App.Box")->raw.count, 2);
    cr_expect_eq(forge_type(snaps[1], TYPE_OBJECT, "App.Box")->raw.bytes, 64);
    cr_expect_eq(snaps[1]->info.types, 1);
    const struct graph *g = snaps[1]->graph;
    cr_expect_eq(g->type[0], g->type[1], "the graph has the rows that are left");
    cr_expect_not_null(forge_type(snaps[1], TYPE_PSEUDO, "[static var App.Box.s_box]"));
    cr_expect_eq(warned(snaps[2], WARN_UNKNOWN_TYPE), 1, "nobody knows the other");
    cr_expect_eq(warned(snaps[2], WARN_NAMES_BORROWED), 1);
    cr_expect_not_null(forge_type(snaps[2], TYPE_OBJECT, "UNKNOWN 0x30000"));
    cr_expect_eq(warned(snaps[0], WARN_NAMES_BORROWED), 0);
    for (size_t k = 0; k < 3; k++)
        hd_snapshot_close(snaps[k]);
}

Test(nettrace, names_of_another_process_are_not_borrowed)
{
    struct hd_snapshot *snaps[] = {snapshot_of(&box, 1, box.id),
                                   snapshot_of(&box, 0, box.id)};
    snaps[0]->info.pid = 77;
    snapshots_borrow_names(snaps, 2);
    cr_expect_not_null(forge_type(snaps[1], TYPE_OBJECT, "UNKNOWN 0x10000"));
    snaps[0]->info.pid = snaps[1]->info.pid;
    snaps[0]->info.process = "a";
    snaps[1]->info.process = "b";
    snapshots_borrow_names(snaps, 2);
    cr_expect_not_null(forge_type(snaps[1], TYPE_OBJECT, "UNKNOWN 0x10000"));
    snaps[1]->info.process = NULL;
    snapshots_borrow_names(snaps, 2);
    cr_expect_not_null(forge_type(snaps[1], TYPE_OBJECT, "App.Box"));
    hd_snapshot_close(snaps[0]);
    hd_snapshot_close(snaps[1]);
}

/* --- generations ----------------------------------------------------------------- */

/* Ranges before the walk have the old addresses. */
static struct trace_forge with_generations(void)
{
    struct trace_forge f = begin(8);
    trace_forge_types(&f, MAIN, &box, 1);
    trace_forge_gc(&f, MAIN, true, 1);
    trace_forge_range(&f, MAIN, 0, 0x7000, 0x1000);
    trace_forge_node(&f, 0x7000, 24, box.id, 0);
    trace_forge_node(&f, 0x8000, 24, box.id, 0);
    trace_forge_node(&f, 0x9000, 24, box.id, 0);
    trace_forge_node(&f, 0xA000, 24, box.id, 0);
    trace_forge_root(&f, 0x7000, HANDLE, 0);
    trace_forge_walk(&f, MAIN);
    trace_forge_range(&f, MAIN, 1, 0x7000, 0x100);
    trace_forge_range(&f, MAIN, 2, 0x8000, 0x100);
    trace_forge_range(&f, MAIN, 4, 0xA000, 0x100);
    trace_forge_gc(&f, MAIN, false, 1);
    trace_forge_range(&f, MAIN, 0, 0x8000, 0x1000); /* of the next collection */
    trace_forge_end(&f);
    return f;
}

static void expect_generations(const struct hd_snapshot *snap)
{
    static const enum hd_generation wanted[] = {HD_GEN1, HD_GEN2, HD_GEN_FROZEN,
                                                HD_GEN_POH};
    cr_expect(snap->info.has_generations);
    for (size_t i = 0; i < 4; i++)
        cr_expect_eq(snap->by_generation[wanted[i]].count, 1, "%s",
                     generation_names[wanted[i]]);
    const struct type *t = forge_type(snap, TYPE_OBJECT, "App.Box");
    cr_expect_eq(t->tally[SELECT_GEN2].count, 3);
    cr_expect_eq(t->by_generation[HD_GEN1].bytes, 24);
}

Test(nettrace, generations_are_those_after_the_walk_and_other_objects_are_frozen)
{
    struct trace_forge f = with_generations();
    struct hd_snapshot *snap = open_good(&f);
    expect_generations(snap);
    cr_expect_eq(ranges_find(&snap->ranges, graph_address(snap->graph, 2)), HD_GEN_FROZEN);
    hd_snapshot_close(snap);
    struct hd_error err;
    snap = open_trace(&f, &tables, &err);
    expect_generations(snap);
    hd_snapshot_close(snap);
    trace_forge_free(&f);
}

Test(nettrace, tens_of_thousands_of_ranges_are_no_problem)
{
    enum { RANGES = 40000 };
    struct trace_forge f = begin(8);
    trace_forge_gc(&f, MAIN, true, 1);
    for (uint64_t i = 0; i < RANGES; i++)
        trace_forge_node(&f, i << 22 | 0x28, 24, box.id, 0);
    trace_forge_walk(&f, MAIN);
    for (uint64_t i = 0; i < RANGES; i++)
        trace_forge_range(&f, MAIN, (unsigned)(i % 3), i << 22 | 0x28, 24);
    trace_forge_gc(&f, MAIN, false, 1);
    trace_forge_end(&f);
    struct hd_snapshot *snap = open_good(&f);
    cr_expect_eq(snap->by_generation[HD_GEN0].count, 13334);
    cr_expect_eq(snap->by_generation[HD_GEN1].count, 13333);
    cr_expect_eq(snap->by_generation[HD_GEN2].count, 13333);
    hd_snapshot_close(snap);
    trace_forge_free(&f);
}

/* --- several walks, order -------------------------------------------------------- */

Test(nettrace, the_last_complete_one_of_several_walks_is_read)
{
    struct trace_forge f = begin(8);
    trace_forge_types(&f, MAIN, &box, 1);
    whole_walk(&f, 0x7000, 1);
    trace_forge_gc(&f, MAIN, true, 2);
    trace_forge_gc(&f, MAIN, false, 2); /* the program's own */
    whole_walk(&f, 0x8000, 3);
    trace_forge_gc(&f, MAIN, true, 4);
    walk_two(&f, 0x9000);
    trace_forge_end(&f);
    struct hd_snapshot *snap = open_good(&f);
    cr_expect_eq(graph_address(snap->graph, 0), 0x8000);
    cr_expect(snap->info.complete);
    cr_expect_eq(warned(snap, WARN_SEVERAL_SNAPSHOTS), 1);
    cr_expect_str_eq(
        warnings_find(&snap->warnings, WARN_SEVERAL_SNAPSHOTS)->detail,
        "3 heap snapshots in one trace; number 2 was read, FILE#1 is the first");
    hd_snapshot_close(snap);
    trace_forge_free(&f);
}

/* Server GC: the thread that starts a collection is stored after the one that walks. */
Test(nettrace, the_start_may_follow_the_end)
{
    struct trace_forge f = begin(8);
    trace_forge_types(&f, MAIN, &box, 1);
    f.time = 5000;
    walk_two(&f, 0x7000);
    trace_forge_gc(&f, MAIN, false, 1);
    uint64_t later = f.time;
    f.time = 4000;
    trace_forge_gc(&f, OTHER, true, 1);
    f.time = later;
    trace_forge_next_walk(&f);
    walk_two(&f, 0x8000);
    trace_forge_gc(&f, MAIN, false, 2);
    f.time = later - 1;
    trace_forge_gc(&f, OTHER, true, 2);
    trace_forge_end(&f);
    struct hd_snapshot *snap = open_good(&f);
    cr_expect(snap->info.complete);
    cr_expect_eq(graph_address(snap->graph, 0), 0x8000);
    cr_expect_eq(snap->info.objects, 2);
    hd_snapshot_close(snap);
    trace_forge_free(&f);
}

/* If another thread announces the collections of a thread, only the numbers of events and
 * the statics separate its walks. */
Test(nettrace, statics_belong_to_the_walk_after_them)
{
    struct trace_forge f = begin(8);
    trace_forge_types(&f, MAIN, &box, 1);
    for (uint32_t gc = 1; gc <= 2; gc++) {
        trace_forge_gc(&f, OTHER, true, gc);
        trace_forge_static(&f, MAIN, 0x7000, box.id, 0, gc == 1 ? "s_old" : "s_new");
        walk_two(&f, 0x7000);
        trace_forge_gc(&f, OTHER, false, gc);
        trace_forge_next_walk(&f);
    }
    trace_forge_end(&f);
    struct hd_snapshot *snap = open_good(&f);
    cr_expect(snap->info.complete);
    cr_expect_null(forge_type(snap, TYPE_PSEUDO, "[static var App.Box.s_old]"));
    cr_expect_not_null(forge_type(snap, TYPE_PSEUDO, "[static var App.Box.s_new]"));
    hd_snapshot_close(snap);
    trace_forge_free(&f);
}

Test(nettrace, a_later_walk_that_lacks_references_is_not_taken)
{
    struct trace_forge f = begin(8);
    whole_walk(&f, 0x7000, 1);
    trace_forge_gc(&f, MAIN, true, 2);
    trace_forge_node(&f, 0x8000, 24, box.id, 1);
    trace_forge_walk(&f, MAIN);
    trace_forge_gc(&f, MAIN, false, 2);
    trace_forge_end(&f);
    struct hd_snapshot *snap = open_good(&f);
    cr_expect_eq(graph_address(snap->graph, 0), 0x7000);
    cr_expect(snap->info.complete);
    hd_snapshot_close(snap);
    trace_forge_free(&f);
}

/* --- who and when ---------------------------------------------------------------- */

static void expect_process(const char *command, const char *name)
{
    struct trace_forge f = begin(8);
    whole_walk(&f, 0x7000, 1);
    struct text t = {0};
    forge_wide(&t, command);
    trace_forge_event(&f, MAIN, FORGED_EVENTPIPE + 1, t.data, t.len);
    trace_forge_end(&f);
    struct hd_snapshot *snap = open_good(&f);
    cr_assert_not_null(snap->info.process, "%s", command);
    cr_expect_str_eq(snap->info.process, name);
    hd_snapshot_close(snap);
    text_free(&t);
    trace_forge_free(&f);
}

Test(nettrace, the_process_is_the_program_of_the_command_line)
{
    expect_process("/opt/shop/Shop --port 80", "Shop");
    expect_process("dotnet /app/Shop.dll --x=1", "Shop");
    expect_process("/usr/bin/dotnet exec Shop.dll", "Shop");
    expect_process("\"C:\\Program Files\\Shop\\Shop.exe\" -v", "Shop");
    expect_process("dotnet run", "dotnet");
}

/* --- from a socket --------------------------------------------------------------- */

/* Bytes in small pieces, as from a pipe. */
struct trickle {
    const char *data;
    size_t left, piece;
};

static ssize_t take_some(void *from, void *to, size_t capacity)
{
    struct trickle *t = from;
    size_t n = t->left < t->piece ? t->left : t->piece;
    n = n < capacity ? n : capacity;
    memcpy(to, t->data, n);
    t->data += n;
    t->left -= n;
    return (ssize_t)n;
}

Test(nettrace, the_end_of_the_walk_is_found_in_a_stream)
{
    struct trace_forge f = begin(8);
    whole_walk(&f, 0x7000, 1);
    size_t whole = f.bytes.len;
    trace_forge_event(&f, MAIN, 4, "", 0);
    trace_forge_end(&f);
    for (size_t piece = 1; piece < 40; piece++) {
        struct trickle from = {f.bytes.data, f.bytes.len, piece};
        struct input *in = input_stream(take_some, &from);
        struct hd_error err = {0};
        struct nettrace *t = nettrace_begin(in, &err);
        struct trace_survey s = {0};
        struct trace_event e = {0};
        while (!trace_survey_done(&s) && nettrace_next(t, &e))
            cr_assert(trace_survey_add(&s, t, &e), "%s", err.message);
        cr_expect(trace_survey_done(&s));
        cr_expect_leq(e.at + e.size, whole, "no byte more than needed");
        cr_expect_eq(s.walks[0].nodes.records, 2);
        while (nettrace_next(t, &e))
            ;
        cr_expect_eq(nettrace_end(t), TRACE_ENDS);
        cr_expect_not(input_rewind(in, &err), "a stream comes once");
        trace_survey_free(&s);
        nettrace_free(t);
        input_close(in);
    }
    trace_forge_free(&f);
}

/* The heap of a core dump: it is read as it was made; errors are rejected, reported, or
 * skipped. */
#include "clr/managed/forged_heap.h"

#define FORGED_GENERATION_AT(i) (FORGED_HEAP + (i) * (uint64_t)FORGED_HEAP_STEP)
#define SEGMENT_AT(i) (FORGED_SEGMENTS + (i)*UINT64_C(0x100))

static struct hd_snapshot *read_it(struct core_forge *f)
{
    struct hd_error err = {0};
    struct hd_snapshot *snap = read_forged(f, &err);
    cr_assert(snap != NULL, "%s", err.message);
    return snap;
}

static void done(struct core_forge *f, struct hd_snapshot *snap)
{
    hd_snapshot_close(snap);
    forge_core_free(f);
}

static struct core_forge begin(void)
{
    struct core_forge f = {.name = "shop", .pid = 7};
    forge_core_runtime(&f, &(struct forged_runtime){0});
    return f;
}

/* An edge between addresses. */
static bool refers(const struct hd_snapshot *snap, uint64_t from, uint64_t to)
{
    const struct graph *g = snap->graph;
    node_id n = node_at(snap, from);
    for (uint32_t e = g->edge_begin[n]; n != NO_NODE && e < g->edge_begin[n + 1]; e++)
        if (graph_address(g, g->edge_to[e]) == to)
            return true;
    return false;
}

static bool warns(const struct hd_snapshot *snap, enum warning_code code)
{
    return warnings_find(&snap->warnings, code) != NULL;
}

/* --- objects ------------------------------------------------------------- */

Test(read_core, free_space_is_a_fact_per_generation)
{
    struct core_forge f = begin();
    uint64_t type = forge_core_type(&f, 24, 0);
    forge_core_object(&f, 2, type, 24);
    forge_core_object(&f, 2, f.free_type, 24);
    forge_core_object(&f, 2, type, 24);
    uint64_t gap = forge_core_object(&f, 3, f.free_type, 24 + 40);
    forge_core_put(&f, gap + 8, 40, 4);
    forge_core_object(&f, 3, type, 24);
    forge_core_thread(&f, 77, 0x7f7000000000, 0x7f7000000000);
    struct hd_snapshot *snap = read_it(&f);
    cr_expect_eq(hd_fact(&snap->facts, HD_FACT_FREE_GEN0), 0);
    cr_expect_eq(hd_fact(&snap->facts, HD_FACT_FREE_GEN2), 24);
    cr_expect_eq(hd_fact(&snap->facts, HD_FACT_FREE_LOH), 64);
    cr_expect_eq(hd_fact(&snap->facts, HD_FACT_FRAGMENTED), 88);
    cr_expect_eq(hd_fact(&snap->facts, HD_FACT_THREADS), 1);
    cr_expect_eq(hd_fact(&snap->facts, HD_FACT_RESIDENT), HD_UNKNOWN);
    done(&f, snap);
}

Test(read_core, takes_objects_of_all_generations_but_no_free_space)
{
    struct core_forge f = begin();
    uint64_t type = forge_core_type(&f, 24, 0), at[5];
    forge_core_object(&f, 2, f.free_type, 24);
    for (unsigned i = 0; i < 5; i++)
        at[i] = forge_core_object(&f, i, type, 24);
    uint64_t gap = forge_core_object(&f, 3, f.free_type, 24 + 40);
    forge_core_put(&f, gap + 8, 40, 4);
    uint64_t after = forge_core_object(&f, 3, type, 24);
    struct hd_snapshot *snap = read_it(&f);
    cr_expect_eq(snap->info.objects, 6);
    cr_expect_eq(snap->info.bytes, 6 * 24);
    for (unsigned i = 0; i < 5; i++)
        cr_expect_eq(ranges_find(&snap->ranges, at[i]), (enum hd_generation)i);
    cr_expect_neq(node_at(snap, after), NO_NODE);
    cr_expect_eq(snap->by_generation[HD_GEN_LOH].count, 2);
    cr_expect(snap->info.complete && snap->info.holds_garbage && snap->info.has_fields);
    cr_expect_str_eq(snap->info.process, "shop");
    cr_expect_str_eq(snap->info.runtime, "10.0.12");
    cr_expect_str_eq(snap->info.processor, "x86-64");
    cr_expect_eq(snap->info.pid, 7);
    done(&f, snap);
}

/* As in gcdumps: a string of 3 has 22 + 2 * 3 bytes, and the next object begins at a
 * multiple of 8. */
Test(read_core, sizes_are_those_before_rounding_up)
{
    struct core_forge f = begin();
    uint64_t string = forge_core_type(&f, 22, components_flag | 2);
    uint64_t empty = forge_core_object(&f, 2, string, 24),
             text = forge_core_object(&f, 2, string, 28);
    forge_core_put(&f, text + 8, 3, 4);
    uint64_t last = forge_core_object(&f, 2, string, 24);
    struct hd_snapshot *snap = read_it(&f);
    cr_expect_eq(graph_size(snap->graph, node_at(snap, empty)), 22);
    cr_expect_eq(graph_size(snap->graph, node_at(snap, text)), 28);
    cr_expect_neq(node_at(snap, last), NO_NODE);
    done(&f, snap);
}

Test(read_core, marks_of_the_collector_in_front_of_objects_do_not_matter)
{
    struct core_forge f = begin();
    uint64_t type = forge_core_type(&f, 24, 0), object = forge_core_object(&f, 2, type, 24);
    forge_core_put(&f, object, type | 1, 8);
    struct hd_snapshot *snap = read_it(&f);
    cr_expect_eq(snap->info.objects, 1);
    done(&f, snap);
}

Test(read_core, objects_of_frozen_segments_are_frozen)
{
    struct core_forge f = begin();
    uint64_t type = forge_core_type(&f, 24, 0);
    forge_core_object(&f, 2, type, 24);
    forge_core_put(&f, SEGMENT_AT(2) + 40, 1, 8);
    struct hd_snapshot *snap = read_it(&f);
    cr_expect_eq(snap->by_generation[HD_GEN_FROZEN].count, 1);
    done(&f, snap);
}

Test(read_core, unused_allocation_space_has_no_objects)
{
    struct core_forge f = begin();
    uint64_t type = forge_core_type(&f, 24, 0);
    forge_core_object(&f, 0, type, 24);
    uint64_t pointer = forge_core_object(&f, 0, type, 64 + 24),
             after = forge_core_object(&f, 0, type, 24);
    forge_core_put(&f, pointer, 0x1234567812345678, 8);      /* the earlier contents */
    forge_core_put(&f, pointer + 64, 0x1234567812345678, 8); /* after the limit */
    forge_managed_thread(&f, 1, pointer, pointer + 64);
    struct hd_snapshot *snap = read_it(&f);
    cr_expect_eq(snap->info.objects, 2);
    cr_expect_neq(node_at(snap, after), NO_NODE);
    cr_expect(snap->info.complete);
    done(&f, snap);
}

Test(read_core, where_the_youngest_objects_end_the_collector_knows_best)
{
    struct core_forge f = begin();
    const uint64_t variable = FORGED_RUNTIME_BASE + FORGED_SCRATCH_AT;
    uint64_t type = forge_core_type(&f, 24, 0);
    forge_core_object(&f, 0, type, 24);
    uint64_t last = forge_core_object(&f, 0, type, 24);
    forge_core_put(&f, SEGMENT_AT(0), last, 8); /* as after the last collection */
    forge_core_put(&f, variable, SEGMENT_AT(0), 8);
    forge_core_put(&f, variable + 8, last + 24, 8);
    forge_global(&f, 80, variable);
    forge_global(&f, 120, variable + 8);
    struct hd_snapshot *snap = read_it(&f);
    cr_expect_neq(node_at(snap, last), NO_NODE);
    cr_expect_eq(snap->info.objects, 2);
    done(&f, snap);
}

Test(read_core, continues_after_zeros_if_no_thread_is_known)
{
    struct core_forge f = begin();
    uint64_t type = forge_core_type(&f, 24, 0);
    forge_core_object(&f, 0, type, 24);
    uint64_t pointer = forge_core_object(&f, 0, 0, 64),
             after = forge_core_object(&f, 0, type, 24);
    forge_core_put(&f, after - 4, 0x08000001, 4); /* its header */
    forge_core_object(&f, 0, 0, 48);
    struct hd_snapshot *snap = read_it(&f);
    cr_expect_eq(snap->info.objects, 2);
    cr_expect_eq(node_at(snap, pointer), NO_NODE);
    cr_expect_neq(node_at(snap, after), NO_NODE);
    cr_expect(snap->info.complete);
    done(&f, snap);
}

/* --- references ---------------------------------------------------------- */

Test(read_core, finds_references_in_every_shape_of_object)
{
    struct core_forge f = begin();
    const struct forged_run runs[] = {{32, 2}, {8, 1}}, parts[] = {{8, 1}, {24, 2}};
    uint64_t leaf = forge_core_type(&f, 24, 0),
             node = forge_core_type(&f, 56, POINTERS_FLAG),
             array = forge_core_type(&f, 24, components_flag | POINTERS_FLAG | 8),
             structs = forge_core_type(&f, 24, components_flag | POINTERS_FLAG | 48);
    forge_runs(&f, node, 56, runs, 2);
    forge_runs(&f, array, 24, &(struct forged_run){16, 0}, 1);
    forge_elements(&f, structs, 48, parts, 2);
    uint64_t a = forge_core_object(&f, 1, leaf, 24), b = forge_core_object(&f, 4, leaf, 24);
    uint64_t n = forge_core_object(&f, 2, node, 56),
             all = forge_core_object(&f, 3, array, 48),
             s = forge_core_object(&f, 3, structs, 24 + 2 * 48);
    forge_core_put(&f, n + 40, a, 8);
    forge_core_put(&f, n + 8, b, 8);
    forge_core_put(&f, n + 16, a, 8); /* a number that looks like a reference */
    forge_core_put(&f, all + 8, 3, 4);
    forge_core_put(&f, all + 16, n, 8);
    forge_core_put(&f, all + 32, all, 8);
    forge_core_put(&f, s + 8, 2, 4);
    forge_core_put(&f, s + 16 + 8, a, 8);
    forge_core_put(&f, s + 16 + 48 + 32, n, 8);
    forge_core_put(&f, s + 16 + 48 + 16, b, 8); /* between the runs */
    struct hd_snapshot *snap = read_it(&f);
    const struct graph *g = snap->graph;
    node_id from = node_at(snap, n);
    cr_assert_eq(g->edge_begin[from + 1] - g->edge_begin[from], 2);
    /* In the collector's order of walking. */
    cr_expect_eq(graph_address(g, g->edge_to[g->edge_begin[from]]), a);
    cr_expect_eq(graph_address(g, g->edge_to[g->edge_begin[from] + 1]), b);
    cr_expect(refers(snap, all, n) && refers(snap, all, all));
    cr_expect(refers(snap, s, a) && refers(snap, s, n) && !refers(snap, s, b));
    cr_expect_eq(snap->info.references, 6);
    cr_expect(snap->info.complete);
    done(&f, snap);
}

Test(read_core, dangling_references_are_reported_and_dropped)
{
    struct core_forge f = begin();
    uint64_t type = forge_pointers(&f, 3), a = forge_core_object(&f, 2, type, 40);
    forge_core_put(&f, a + 8, a + 8, 8);
    forge_core_put(&f, a + 16, 0x1000, 8);
    forge_core_put(&f, a + 24, a, 8);
    struct hd_snapshot *snap = read_it(&f);
    cr_expect_eq(snap->info.references, 1);
    cr_expect_eq(warnings_find(&snap->warnings, WARN_DANGLING_REFERENCE)->count, 2);
    done(&f, snap);
}

Test(read_core, invalid_lists_of_references_are_reported)
{
    static const struct {
        uint64_t count, bytes, offset;
    } bad[] = {{0, 0, 0},
               {1, 0 - UINT64_C(8), 16},  /* beyond the end */
               {1, 0 - UINT64_C(16), 0},  /* the MethodTable itself */
               {2, 0 - UINT64_C(16), 8},  /* the second one is empty */
               {UINT64_C(1) << 60, 0, 8}, /* more than possible */
               {UINT64_C(1) << 63, 0, 8},
               {0 - UINT64_C(1), 0, 16}}; /* for an array */
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct core_forge f = begin();
        uint64_t type = forge_core_type(&f, 24, POINTERS_FLAG);
        forge_core_put(&f, type - 8, bad[i].count, 8);
        forge_core_put(&f, type - 24, bad[i].bytes, 8);
        forge_core_put(&f, type - 16, bad[i].offset, 8);
        forge_core_object(&f, 2, type, 24);
        struct hd_snapshot *snap = read_it(&f);
        cr_expect_not(snap->info.complete, "%zu", i);
        cr_expect(warns(snap, WARN_INCOMPLETE), "%zu", i);
        cr_expect_eq(snap->info.objects, 1, "%zu", i);
        done(&f, snap);
    }
}

/* --- roots --------------------------------------------------------------- */

static void expect_group(const struct hd_snapshot *snap, const char *group, uint64_t object,
                         uint32_t count)
{
    uint32_t found;
    bool holds = group_holds(snap, group, object, &found);
    cr_expect_eq(holds, count > 0, "%s", group);
    cr_expect_eq(found, count, "%s: %u", group, found);
}

Test(read_core, handles_hold_by_kind_and_weak_ones_do_not)
{
    enum { WEAK, WEAK_LONG, STRONG, PINNED, VARIABLE, COUNTED, DEPENDENT, ASYNC, SIZED };
    struct core_forge f = begin();
    uint64_t type = forge_core_type(&f, 24, 0), at[10];
    forge_handles(&f);
    for (unsigned kind = 0; kind < 10; kind++) {
        at[kind] = forge_core_object(&f, 2, type, 24);
        forge_handle(&f, kind, 3 + kind, at[kind], kind == DEPENDENT ? at[WEAK] : 0);
    }
    struct hd_snapshot *snap = read_it(&f);
    expect_group(snap, "[strong Handles]", at[STRONG], 2);
    expect_group(snap, "[strong Handles]", at[SIZED], 2);
    expect_group(snap, "[pinning Handles]", at[PINNED], 2);
    expect_group(snap, "[pinning Handles]", at[ASYNC], 2);
    expect_group(snap, "[COM/WinRT Objects]", at[COUNTED], 1);
    cr_expect_eq(snap->weak_roots, 2);
    cr_expect_eq(snap->info.roots, 5);
    cr_expect_eq(snap->info.reachable_objects, 5);
    /* A dependent handle holds while its key exists. */
    cr_expect(refers(snap, at[DEPENDENT], at[WEAK]));
    cr_expect_eq(snap->info.references, 0);
    done(&f, snap);
}

Test(read_core, only_finalizers_that_are_due_hold)
{
    struct core_forge f = begin();
    uint64_t type = forge_core_type(&f, 24, 0), at[3];
    for (unsigned i = 0; i < 3; i++)
        at[i] = forge_core_object(&f, 2, type, 24);
    forge_finalizers(&f, at);
    struct hd_snapshot *snap = read_it(&f);
    expect_group(snap, "[finalizer Handles]", at[1], 2);
    expect_group(snap, "[finalizer Handles]", at[2], 2);
    cr_expect_eq(snap->info.reachable_objects, 2);
    done(&f, snap);
}

Test(read_core, stacks_hold_what_they_point_into_up_to_where_they_end)
{
    struct core_forge f = begin();
    uint64_t type = forge_core_type(&f, 40, 0), at[5];
    for (unsigned i = 0; i < 5; i++)
        at[i] = forge_core_object(&f, 2, type, 40);
    forge_core_region(&f, FORGED_STACK, 0x1000);
    forge_core_thread(&f, 5, FORGED_STACK + 0x100, FORGED_STACK + 0x800);
    forge_core_put(&f, FORGED_STACK + 0xf8, at[0], 8); /* below: popped */
    forge_core_put(&f, FORGED_STACK + 0x100, at[1], 8);
    forge_core_put(&f, FORGED_STACK + 0x7f8, at[2] + 24, 8); /* one of its fields */
    forge_core_put(&f, FORGED_STACK + 0x600, at[2], 8);
    forge_core_put(&f, FORGED_STACK + 0x500, at[3] + 32, 8); /* the header of at[4] */
    forge_core_put(&f, FORGED_STACK + 0x800, at[4], 8);      /* other memory */
    struct hd_snapshot *snap = read_it(&f);
    expect_group(snap, "[local vars]", at[1], 2);
    expect_group(snap, "[local vars]", at[2], 2);
    done(&f, snap);
    /* The stack of a thread that the runtime does not know is ignored. */
    f = begin();
    at[0] = forge_core_object(&f, 2, forge_core_type(&f, 24, 0), 24);
    forge_core_region(&f, FORGED_STACK, 0x1000);
    forge_core_thread(&f, 5, FORGED_STACK, FORGED_STACK + 0x800);
    forge_core_thread(&f, 6, FORGED_STACK + 0x400, FORGED_STACK + 0x800);
    forge_core_put(&f, FORGED_STACK, at[0], 8);
    forge_managed_thread(&f, 6, 0, 0);
    snap = read_it(&f);
    cr_expect_eq(snap->info.reachable_objects, 0);
    done(&f, snap);
    /* If thread ids differ from the process's own, each thread may be one of the runtime's.
     */
    f = begin();
    at[0] = forge_core_object(&f, 2, forge_core_type(&f, 24, 0), 24);
    forge_core_region(&f, FORGED_STACK, 0x1000);
    forge_core_thread(&f, 5005, FORGED_STACK, FORGED_STACK + 0x800);
    forge_core_put(&f, FORGED_STACK, at[0], 8);
    forge_managed_thread(&f, 5, 0, 0);
    snap = read_it(&f);
    cr_expect_eq(snap->info.reachable_objects, 1);
    done(&f, snap);
}

/* A description of version 2 has Threads in the list, not the addresses of their links: a
 * thread outside the runtime holds nothing. */
Test(read_core, threads_of_either_kind_of_list_are_found)
{
    for (int is_11 = 0; is_11 < 2; is_11++) {
        struct core_forge f = {.name = "shop", .pid = 7};
        struct forged_runtime how = {.path = FORGED_PATH_11, .json = forged_json_11()};
        forge_core_runtime(&f, is_11 ? &how : &(struct forged_runtime){0});
        uint64_t type = forge_core_type(&f, 24, 0), at[2];
        forge_core_region(&f, FORGED_STACK, 0x1000);
        for (unsigned i = 0; i < 2; i++) {
            at[i] = forge_core_object(&f, 2, type, 24);
            forge_core_thread(&f, 5 + i, FORGED_STACK + 0x400 * i,
                              FORGED_STACK + 0x400 * (i + 1));
            forge_core_put(&f, FORGED_STACK + 0x400 * i, at[i], 8);
        }
        forge_managed_thread(&f, 5, 0, 0);
        if (is_11)
            forge_core_put(&f, FORGED_THREADS + 88, FORGED_THREADS + 0x200, 8);
        struct hd_snapshot *snap = read_it(&f);
        cr_expect_str_eq(snap->info.runtime, is_11 ? "11.0.3" : "10.0.12");
        expect_group(snap, "[local vars]", at[0], 1);
        cr_expect(snap->info.complete, "%d", is_11);
        done(&f, snap);
    }
}

/* createdump writes no thread pointer on aarch64; its own is preferred if it exists. */
Test(read_core, a_stack_ends_where_the_runtime_stores_it_if_there_is_no_other_source)
{
    static const struct {
        uint16_t machine;
        uint64_t thread_pointer, base;
        uint32_t found;
    } cases[] = {
        {MACHINE_AARCH64, FORGED_STACK + 0x400, FORGED_STACK + 0x800, 1},
        {MACHINE_AARCH64, FORGED_STACK + 0x900, FORGED_STACK + 0x800, 2},
        {MACHINE_AARCH64, 0, FORGED_STACK + 0x400, 1},
        {MACHINE_AARCH64, 0, FORGED_STACK + 0x800, 2},
        {MACHINE_AARCH64, 0, 0, 3},
        {MACHINE_AARCH64, 0, FORGED_STACK - 8, 3},
        {MACHINE_AARCH64, 0, UINT64_MAX, 3},
        {MACHINE_X86_64, 0, FORGED_STACK + 0x400, 1},
        {MACHINE_X86_64, FORGED_STACK + 0x800, FORGED_STACK + 0x400, 2},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct core_forge f = begin();
        f.machine = cases[i].machine;
        uint64_t type = forge_core_type(&f, 24, 0), at[3];
        forge_core_region(&f, FORGED_STACK, 0x1000);
        forge_core_thread(&f, 6, FORGED_STACK, cases[i].thread_pointer);
        for (unsigned k = 0; k < 3; k++) {
            at[k] = forge_core_object(&f, 2, type, 24);
            forge_core_put(&f, FORGED_STACK + 0x3f8 + k * 0x400, at[k], 8);
        }
        forge_managed_thread(&f, 6, 0, 0);
        forge_core_put(&f,
                       FORGED_THREADS + 0x200 + (f.machine == MACHINE_AARCH64 ? 160 : 120),
                       cases[i].base, 8);
        struct hd_snapshot *snap = read_it(&f);
        cr_expect_eq(snap->info.reachable_objects, cases[i].found, "case %zu", i);
        done(&f, snap);
    }
}

/* --- what cannot be right ------------------------------------------------- */

static void expect_error(struct core_forge *f, const char *why)
{
    struct hd_error err = {0};
    struct hd_snapshot *snap = read_forged(f, &err);
    cr_expect_null(snap, "%s", why);
    cr_expect_eq(err.status, HD_UNSUPPORTED);
    cr_expect(strstr(err.message, why) != NULL, "%s: %s", why, err.message);
    hd_snapshot_close(snap);
    forge_core_free(f);
}

Test(read_core, a_dump_taken_during_a_collection_is_refused)
{
    struct core_forge f = begin();
    forge_core_object(&f, 2, forge_core_type(&f, 24, 0), 24);
    forge_core_put(&f, forged_count_variable(), 1, 4);
    expect_error(&f, "during a garbage collection");
}

Test(read_core, a_collector_that_is_not_known_is_refused)
{
    struct core_forge f = begin();
    forge_core_object(&f, 2, forge_core_type(&f, 24, 0), 24);
    forge_core_put(&f, FORGED_RUNTIME_BASE + FORGED_COLLECTOR_AT, 3, 1);
    expect_error(&f, "interface 3.4");
}

Test(read_core, an_object_in_use_without_its_type_is_missing)
{
    struct core_forge f = begin();
    uint64_t type = forge_core_type(&f, 24, 0);
    forge_handles(&f);
    forge_core_object(&f, 2, type, 24);
    uint64_t broken = forge_core_object(&f, 2, type, 24);
    forge_core_object(&f, 2, type, 24);
    forge_core_object(&f, 3, type, 24);
    forge_core_put(&f, broken, 0x1235, 8);
    forge_handle(&f, 2, 0, broken, 0);
    struct hd_snapshot *snap = read_it(&f);
    cr_expect_eq(snap->info.objects, 3);
    cr_expect_not(snap->info.complete);
    const struct warning *w = warnings_find(&snap->warnings, WARN_INCOMPLETE);
    cr_assert_not_null(w);
    cr_expect_str_eq(w->detail, "roots lead to objects that were not found (1)");
    done(&f, snap);
}

Test(read_core, an_object_longer_than_its_region_is_skipped)
{
    struct core_forge f = begin();
    uint64_t array = forge_core_type(&f, 24, components_flag | 0xffff),
             object = forge_core_object(&f, 2, forge_core_type(&f, 24, 0), 24);
    uint64_t broken = forge_core_object(&f, 2, array, 24);
    forge_core_put(&f, broken + 8, UINT32_MAX, 4);
    forge_handles(&f);
    forge_handle(&f, 2, 0, broken, 0);
    struct hd_snapshot *snap = read_it(&f);
    cr_expect_eq(snap->info.objects, 1);
    cr_expect_neq(node_at(snap, object), NO_NODE);
    cr_expect_not(snap->info.complete);
    done(&f, snap);
}

Test(read_core, memory_that_is_not_in_the_dump_is_missing)
{
    struct core_forge f = begin();
    uint64_t type = forge_core_type(&f, 24, 0);
    for (unsigned i = 0; i < 300; i++)
        forge_core_object(&f, 2, type, 24);
    forge_core_leave_out(&f, FORGED_GENERATION_AT(2) + 0x1000,
                         FORGED_GENERATION_AT(2) + FORGED_HEAP_SIZE);
    struct hd_snapshot *snap = read_it(&f);
    cr_expect_eq(snap->info.objects, (0x1000 - 8) / 24);
    cr_expect_not(snap->info.complete);
    done(&f, snap);
}

/* A byte belongs to one object at most. */
Test(read_core, regions_in_circles_twice_or_in_others_are_counted_once)
{
    struct core_forge f = begin();
    uint64_t type = forge_core_type(&f, 24, 0);
    for (unsigned i = 0; i < 4; i++)
        forge_core_object(&f, 2, type, 24);
    forge_core_object(&f, 1, type, 24);
    forge_core_put(&f, SEGMENT_AT(2) + 48, SEGMENT_AT(1), 8);
    forge_core_put(&f, SEGMENT_AT(1) + 48, SEGMENT_AT(2), 8);
    struct hd_snapshot *snap = read_it(&f);
    cr_expect_eq(snap->info.objects, 5);
    cr_expect(snap->info.complete);
    hd_snapshot_close(snap);
    forge_core_put(&f, SEGMENT_AT(3) + 32, FORGED_GENERATION_AT(2) + 8 + 24, 8);
    forge_core_put(&f, SEGMENT_AT(3), FORGED_GENERATION_AT(2) + 8 + 48, 8);
    snap = read_it(&f);
    cr_expect_eq(snap->info.objects, 5);
    cr_expect_not(snap->info.complete);
    done(&f, snap);
}

Test(read_core, lists_of_handles_and_threads_in_circles_end)
{
    struct core_forge f = begin();
    uint64_t object = forge_core_object(&f, 2, forge_core_type(&f, 24, 0), 24);
    forge_handles(&f);
    forge_handle(&f, 2, 0, object, 0);
    forge_managed_thread(&f, 1, 0, 0);
    forge_core_put(&f, FORGED_HANDLE_SEGMENT + 1920 + 6 * HANDLE_TYPES,
                   FORGED_HANDLE_SEGMENT, 8);
    forge_core_put(&f, FORGED_HANDLES + 8, FORGED_HANDLES, 8);
    forge_core_put(&f, FORGED_HANDLES + 16, UINT32_MAX, 4);
    forge_core_put(&f, FORGED_THREADS + 0x200 + 112, FORGED_THREADS + 0x200 + 112, 8);
    struct hd_snapshot *snap = read_it(&f);
    expect_group(snap, "[strong Handles]", object, 1);
    done(&f, snap);
}

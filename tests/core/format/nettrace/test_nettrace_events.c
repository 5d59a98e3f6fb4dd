/* Events that are short, unusual or repeated: the parts that count, and the messages for
 * the rest. Regular walks are in test_read_nettrace.c. */
#include "format/nettrace/forged_walks.h"
#include "format/nettrace/trace_types.h"

#include <math.h>

enum { TYPES = 15, ROOTS, PAIRS, NODES, EDGES, RANGE = 23, STATICS = 38, MODULE = 152 };
enum { ARRAY = 8 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- events that are too short ------------------------------------------------- */

/* In a walk with other events. */
Test(nettrace_events, that_are_too_short_are_refused)
{
    static const struct {
        unsigned id;
        const char *payload;
        size_t size;
        const char *says;
    } cases[] = {
        {RANGE, "\0\1\2\3", 4, "a generation's range is too short"},
        {MODULE, "\0\1\2\3", 4, "a module's event is too short"},
        {MODULE, "01234567012345670123abcd/\0x\0", 28, "a module's event is too short"},
        {STATICS, "\1\0\0\0DOMAINID\0\0SLOT----OBJECT--TYPE----FLAGx\0", 44,
         "a static variable crosses the end of its event"},
        {STATICS, "\2\0\0\0DOMAINID\0\0", 14, "more records than fit into the event"},
        {TYPES, "\1\0\0\0\0\0ID------MODULE--TOKEFLAGE\0\0\1\0\0\0", 37,
         "a type crosses the end of its event"},
        {NODES, "\0\0\0\0\1\0\0\0\0\0", 10, "more records than fit into the event"},
        {EDGES, "\0\0\0\0\xff\xff\xff\xff\0\0", 10, "more records than fit into the event"},
        {ROOTS, "\0\0\0\0\1\0\0\0\0\0x", 11, "more records than fit into the event"},
        {PAIRS, "\0\0\0", 3, "more records than fit into the event"},
        {1, "\0\0\0", 3, "the event of a collection is too short"},
        {2, "\0\0\0\0\0", 5, "the event of a collection is too short"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct trace_forge f = begin(8);
        trace_forge_gc(&f, MAIN, true, 1);
        bool is_first = cases[i].id == STATICS; /* otherwise it begins another walk */
        if (!is_first)
            walk_two(&f, 0x7000);
        trace_forge_event(&f, MAIN, cases[i].id, cases[i].payload, cases[i].size);
        if (is_first)
            walk_two(&f, 0x7000);
        trace_forge_gc(&f, MAIN, false, 1);
        trace_forge_end(&f);
        expect_refused(&f, HD_BAD_FORMAT, cases[i].says);
    }
}

Test(nettrace_events, numbers_that_no_heap_has_are_refused)
{
    struct trace_forge f = begin(8);
    trace_forge_gc(&f, MAIN, true, 1);
    trace_forge_node(&f, 0x7000, 24, box.id, UINT64_C(1) << 32);
    trace_forge_walk(&f, MAIN);
    expect_refused(&f, HD_BAD_FORMAT, "an object with 2^32 references or more");
    for (unsigned tables_only = 0; tables_only < 2; tables_only++) {
        const struct hd_read_options opt = {.tables_only = tables_only == 1};
        struct hd_error err;
        f = begin(8);
        trace_forge_gc(&f, MAIN, true, 1);
        trace_forge_node(&f, 0x7000, UINT64_MAX - 24, box.id, 0);
        trace_forge_node(&f, 0x8000, 48, box.id, 0);
        trace_forge_walk(&f, MAIN);
        trace_forge_gc(&f, MAIN, false, 1);
        trace_forge_end(&f);
        struct hd_snapshot *snap = open_trace(&f, &opt, &err);
        cr_expect_null(snap);
        cr_expect_eq(err.status, HD_BAD_FORMAT);
        cr_expect_str_eq(err.message, "the sum of all sizes exceeds 2^64 - 1");
        hd_snapshot_close(snap);
        trace_forge_free(&f);
    }
}

/* Events that announce a walk without any record. */
Test(nettrace_events, without_records_are_not_a_walk)
{
    static const char none[10] = "";
    struct trace_forge f = begin(8);
    trace_forge_gc(&f, MAIN, true, 1);
    trace_forge_event(&f, MAIN, NODES, none, sizeof(none));
    trace_forge_event(&f, MAIN, EDGES, none, sizeof(none));
    trace_forge_gc(&f, MAIN, false, 1);
    trace_forge_end(&f);
    expect_refused(&f, HD_UNSUPPORTED, "without a heap snapshot");
}

Test(nettrace_events, references_beyond_those_of_all_objects_are_left_over)
{
    struct trace_forge f = begin(8);
    trace_forge_types(&f, MAIN, &box, 1);
    trace_forge_gc(&f, MAIN, true, 1);
    trace_forge_edge(&f, 0x7000);
    trace_forge_edge(&f, 0x9999); /* target does not exist */
    trace_forge_edge(&f, 0x7000);
    trace_forge_node(&f, 0x7000, 24, box.id, 2);
    trace_forge_walk(&f, MAIN);
    trace_forge_gc(&f, MAIN, false, 1);
    trace_forge_end(&f);
    struct hd_snapshot *snap = open_good(&f);
    const struct warning *w = warnings_find(&snap->warnings, WARN_INCOMPLETE);
    cr_assert_not_null(w);
    cr_expect_str_eq(w->detail, "1 reference is left over");
    cr_expect_eq(snap->info.references, 1);
    cr_expect_eq(warned(snap, WARN_DANGLING_REFERENCE), 1);
    hd_snapshot_close(snap);
    trace_forge_free(&f);
}

/* --- roots --------------------------------------------------------------------- */

Test(nettrace_events, weak_roots_of_all_events_are_counted)
{
    struct trace_forge f = begin(8);
    f.records_per_event = 2;
    trace_forge_gc(&f, MAIN, true, 1);
    trace_forge_node(&f, 0x7000, 24, box.id, 0);
    for (unsigned i = 0; i < 5; i++)
        trace_forge_root(&f, 0x7000, HANDLE, WEAK);
    trace_forge_root(&f, 0, HANDLE, 0);      /* empty */
    trace_forge_root(&f, 0x9999, HANDLE, 0); /* target does not exist */
    trace_forge_walk(&f, MAIN);
    trace_forge_gc(&f, MAIN, false, 1);
    trace_forge_end(&f);
    struct hd_snapshot *snap = open_good(&f);
    cr_expect_eq(snap->weak_roots, 5);
    cr_expect_eq(snap->info.roots, 0);
    cr_expect_eq(warned(snap, WARN_DANGLING_ROOT), 1);
    hd_snapshot_close(snap);
    trace_forge_free(&f);
}

/* Edges of handles have their keys, in the order of the values. */
Test(nettrace_events, dependent_handles_may_be_in_any_order)
{
    static const struct {
        uint64_t key, value;
    } pairs[] = {{0x7048, 0x7000}, {0x7000, 0x7048}, {0x7018, 0x7030}, {0x7000, 0x7018},
                 {0x7000, 0x7030}, {0x7000, 0x7018}, {0x9999, 0x7000}, {0x7000, 0}};
    static const uint32_t degree[] = {4, 1, 0, 1};
    static const node_id to[] = {1, 1, 2, 3, 2, 0};
    struct trace_forge f = begin(8);
    trace_forge_gc(&f, MAIN, true, 1);
    for (uint64_t i = 0; i < 4; i++)
        trace_forge_node(&f, 0x7000 + 24 * i, 24, box.id, 0);
    for (size_t i = 0; i < COUNT(pairs); i++)
        trace_forge_pair(&f, pairs[i].key, pairs[i].value);
    trace_forge_root(&f, 0x7000, HANDLE, 0);
    trace_forge_walk(&f, MAIN);
    trace_forge_gc(&f, MAIN, false, 1);
    trace_forge_end(&f);
    struct hd_snapshot *snap = open_good(&f);
    const struct graph *g = snap->graph;
    for (node_id n = 0; n < 4; n++)
        cr_expect_eq(g->edge_begin[n + 1] - g->edge_begin[n], degree[n], "node %u", n);
    for (size_t i = 0; i < COUNT(to); i++)
        cr_expect_eq(g->edge_to[i], to[i], "edge %zu", i);
    cr_expect_eq(snap->info.references, 0);
    cr_expect_eq(snap->info.reachable_objects, 4);
    hd_snapshot_close(snap);
    trace_forge_free(&f);
}

/* --- types and modules --------------------------------------------------------- */

static void tell_module(struct trace_forge *f, uint64_t id, const char *path)
{
    struct text t = {0};
    forge_u64(&t, id);
    forge_u64(&t, 0);
    forge_u32(&t, 0);
    forge_u32(&t, 0);
    forge_wide(&t, path);
    trace_forge_event(f, MAIN, MODULE, t.data, t.len);
    text_free(&t);
}

static struct hd_snapshot *finish_walk(struct trace_forge *f, const uint64_t *types,
                                       size_t count)
{
    trace_forge_gc(f, MAIN, true, 1);
    for (uint64_t i = 0; i < count; i++)
        trace_forge_node(f, 0x7000 + 24 * i, 24, types[i], 0);
    trace_forge_walk(f, MAIN);
    trace_forge_gc(f, MAIN, false, 1);
    trace_forge_end(f);
    struct hd_snapshot *snap = open_good(f);
    trace_forge_free(f);
    return snap;
}

static const struct type *type_at(const struct hd_snapshot *snap, node_id n)
{
    return &snap->types[snap->graph->type[n]];
}

/* The first path counts; "" is unknown. */
Test(nettrace_events, modules_are_those_of_types_if_they_have_a_path)
{
    static const struct forged_type types[] = {{.id = 1, .name = "App.A", .module = 10},
                                               {.id = 2, .name = "App.B", .module = 20},
                                               {.id = 3, .name = "App.C", .module = 30}};
    static const uint64_t ids[] = {1, 2, 3};
    struct trace_forge f = begin(8);
    tell_module(&f, 10, "/app/a.dll");
    tell_module(&f, 20, "");
    tell_module(&f, 10, "/app/other.dll");
    tell_module(&f, 20, "/app/late.dll");
    trace_forge_types(&f, MAIN, types, COUNT(types));
    struct hd_snapshot *snap = finish_walk(&f, ids, COUNT(ids));
    cr_expect_str_eq(type_at(snap, 0)->module, "/app/a.dll");
    cr_expect_null(type_at(snap, 1)->module);
    cr_expect_null(type_at(snap, 2)->module);
    hd_snapshot_close(snap);
}

/* A native AOT program stores numbers of types only; with the image of each number its
 * program can name them. */
Test(nettrace_events, types_of_an_image_are_written_with_its_address)
{
    enum { IMAGE = 16 };
    static const uint64_t base = 0x560000001000;
    static const struct forged_type types[] = {
        {.id = 1, .name = "", .module = base, .flags = IMAGE},
        {.id = 2, .name = "", .module = base, .flags = IMAGE | ARRAY},
        {.id = 3, .name = "", .module = 7}};
    static const uint64_t ids[] = {1, 2, 3};
    const struct hd_read_options how = {.to_write = true};
    struct hd_error err = {0};
    struct trace_forge f = begin(8);
    trace_forge_types(&f, MAIN, types, COUNT(types));
    trace_forge_node(&f, 0x6000, 20000, 2, 0);
    trace_forge_root(&f, 0x6000, 2, 0);
    trace_forge_gc(&f, MAIN, true, 1);
    for (uint64_t i = 0; i < COUNT(ids); i++)
        trace_forge_node(&f, 0x7000 + 24 * i, 24, ids[i], 0);
    trace_forge_walk(&f, MAIN);
    trace_forge_gc(&f, MAIN, false, 1);
    trace_forge_end(&f);
    struct hd_snapshot *snap = open_trace(&f, &how, &err);
    cr_assert_not_null(snap, "%s", err.message);
    struct hd_memory written = {0};
    cr_assert(hd_snapshot_write(snap, "gcdump", hd_sink_memory(&written), NULL, NULL));
    struct hd_snapshot *again =
        hd_snapshot_from_memory(written.bytes, written.size, &how, &err);
    cr_assert_not_null(again, "%s", err.message);
    const struct hd_snapshot *both[] = {snap, again};
    for (size_t i = 0; i < 2; i++) {
        cr_expect_eq(both[i]->image_base, base);
        for (uint32_t t = 0; t < COUNT(types); t++) {
            char name[32];
            snprintf(name, sizeof(name), "TypeID(0x%x)", 0x2000000 + t);
            const struct type *row = forge_type(both[i], TYPE_OBJECT, name);
            cr_assert_not_null(row, "%s", name);
            cr_expect_eq(row->raw.count, t == 1 ? 2 : 1);
        }
    }
    cr_expect_eq(warned(snap, WARN_UNKNOWN_TYPE), 3);
    cr_expect_eq(warned(again, WARN_UNKNOWN_TYPE), 2, "the third has that for a name");
    const struct warning *unreachable =
        warnings_find(&again->warnings, WARN_MOSTLY_UNREACHABLE);
    cr_assert_not_null(unreachable);
    cr_expect_not_null(strstr(unreachable->detail, "native AOT"));
    const struct source *s = again->source;
    cr_assert_eq(s->module_count, 1);
    cr_expect_eq(s->modules[0].base, base);
    cr_expect_not(s->module_size_is_64_bit, "dotnet-gcdump 10 reads 4 bytes");
    uint32_t large = 0;
    while (large < s->deferred_count && s->deferred[large].suffix == NULL)
        large++;
    cr_assert_lt(large, s->deferred_count);
    cr_expect_null(s->gcdump_types[large].name);
    cr_expect_eq(s->deferred[large].id, 0x2000001);
    cr_expect_str_eq(s->deferred[large].suffix, " (Bytes > 10K)");
    hd_snapshot_close(again);
    hd_snapshot_close(snap);
    hd_memory_free(&written);
    trace_forge_free(&f);
}

/* Each session defines all types again; the last definition of an id counts. */
Test(nettrace_events, types_may_be_defined_again)
{
    static const struct forged_type first[] = {
        {.id = 1, .name = "App.A"},
        {.id = 2, .name = "App.B"},
        {.id = 3, .name = ""},
        {.id = 4, .name = "", .flags = ARRAY},
        {.id = 5, .name = "List`1[App.Outer+A]", .parameters = {9}, .parameter_count = 1}};
    static const struct forged_type second[] = {
        {.id = 1, .name = "App.A"},
        {.id = 2, .name = "App.Z"},
        {.id = 3, .name = ""},
        {.id = 4, .name = "App.Late[]", .flags = ARRAY},
        {.id = 5, .name = "List`1[App.Outer+A]", .parameters = {6}, .parameter_count = 1},
        {.id = 5,
         .name = "List`1[App.Outer+A]",
         .parameters = {6, 7},
         .parameter_count = 2},
        {.id = 6, .name = "A"}};
    static const uint64_t ids[] = {1, 2, 3, 4, 6, 77};
    struct trace_forge f = begin(8);
    trace_forge_types(&f, MAIN, first, COUNT(first));
    trace_forge_types(&f, MAIN, second, COUNT(second));
    struct hd_snapshot *snap = finish_walk(&f, ids, COUNT(ids));
    cr_expect_str_eq(type_at(snap, 0)->name, "App.A");
    cr_expect_str_eq(type_at(snap, 1)->name, "App.Z");
    cr_expect_str_eq(type_at(snap, 2)->name, "TypeID(0x2000002)");
    cr_expect_str_eq(type_at(snap, 3)->name, "App.Late[]");
    cr_expect_str_eq(type_at(snap, 4)->full_name, "App.Outer+A");
    cr_expect_str_eq(type_at(snap, 5)->name, "UNKNOWN 0x4d");
    cr_expect_eq(warned(snap, WARN_UNKNOWN_TYPE), 2);
    hd_snapshot_close(snap);
}

/* Arguments that do not match their names are ignored. */
Test(nettrace_events, outer_classes_are_learned_from_matching_arguments_only)
{
    static const struct {
        struct forged_type type;
        const char *full; /* of type 1, "In" */
    } cases[] = {
        {{.name = "L`1[Out+In]", .parameters = {1}, .parameter_count = 1}, "Out+In"},
        {{.name = "L`1[Out+In", .parameters = {1}, .parameter_count = 1}, NULL},
        {{.name = "L`1[Out.In]", .parameters = {1}, .parameter_count = 1}, NULL},
        {{.name = "L`1[+In]", .parameters = {1}, .parameter_count = 1}, NULL},
        {{.name = "L`1[Out+Ix]", .parameters = {1}, .parameter_count = 1}, NULL},
        {{.name = "L`1[In]", .parameters = {1}, .parameter_count = 1}, NULL},
        {{.name = "L`1[X[A,B],Out+In]", .parameters = {9, 1}, .parameter_count = 2},
         "Out+In"},
        {{.name = "L`1[X]],Out+In]", .parameters = {9, 1}, .parameter_count = 2}, NULL},
        {{.name = "L`1[Out+In,X]", .parameters = {1}, .parameter_count = 1}, "Out+In"},
        {{.name = "L`1[Out+In]", .flags = ARRAY, .parameters = {1}, .parameter_count = 1},
         NULL},
        {{.name = "L`1[Out+In]"}, NULL},
    };
    static const uint64_t ids[] = {1, 2};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct forged_type types[] = {{.id = 1, .name = "In"}, cases[i].type};
        struct trace_forge f = begin(8);
        types[1].id = 2;
        trace_forge_types(&f, MAIN, types, 2);
        struct hd_snapshot *snap = finish_walk(&f, ids, 2);
        const char *full = type_at(snap, 0)->full_name;
        cr_expect_eq(full != NULL, cases[i].full != NULL, "%s: %s", cases[i].type.name,
                     full);
        if (full != NULL)
            cr_expect_str_eq(full, cases[i].full);
        hd_snapshot_close(snap);
    }
}

/* --- the process --------------------------------------------------------------- */

Test(nettrace_events, the_command_line_names_process_and_program)
{
    static const struct {
        const char *line, *process, *program;
    } cases[] = {
        {"/usr/bin/dotnet exec /app/Shop.dll x", "Shop", "/usr/bin/dotnet /app/Shop.dll"},
        {"\"C:\\Program Files\\Shop.exe\" /x", "Shop", "C:\\Program Files\\Shop.exe"},
        {"\"dotnet", "dotnet", "dotnet"},
        {"\"\" x", NULL, NULL},
        {"   ", NULL, NULL},
        {"dotnet", "dotnet", "dotnet"},
        {"dotnet run", "dotnet", "dotnet"},
        {"dotnet exec", "dotnet", "dotnet"},
        {"dotnet --x y.json .dll a.dll", "dotnet", "dotnet a.dll"},
        {".exe", ".exe", ".exe"},
        {"/app/", NULL, "/app/"},
        {"dotneu a.dll", "dotneu", "dotneu"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct forge f = {0};
        struct hd_snapshot *snap = forge_finish(&f);
        struct text payload = {0}, command = {0};
        forge_wide(&payload, cases[i].line);
        /* With the zero at its end, and truncated before it. */
        for (size_t cut = 0; cut < 3; cut += 2) {
            trace_process_parse(
                &command,
                (struct bytes){(const unsigned char *)payload.data, payload.len - cut});
            cr_expect_str_eq(text_string(&command), cases[i].line);
        }
        trace_process_name(snap, &command);
        trace_process_program(snap, &command);
        cr_expect_eq(snap->info.process != NULL, cases[i].process != NULL, "%s",
                     cases[i].line);
        if (cases[i].process != NULL && snap->info.process != NULL)
            cr_expect_str_eq(snap->info.process, cases[i].process);
        cr_expect_eq(snap->info.program != NULL, cases[i].program != NULL, "%s",
                     cases[i].line);
        if (cases[i].program != NULL && snap->info.program != NULL)
            cr_expect_str_eq(snap->info.program, cases[i].program, "%s",
                             snap->info.program);
        text_free(&payload);
        text_free(&command);
        hd_snapshot_close(snap);
    }
}

Test(nettrace_events, times_are_those_of_years_that_a_date_has)
{
    static const struct {
        double sync;
        uint64_t sync_ticks, ticks;
        const char *time;
    } cases[] = {
        {0, 1000, 1000, "1970-01-01T00:00:00"},
        {100, 1000, 500, "1970-01-01T00:00:50"}, /* ten ticks are a second */
        {0, 1000, 1600, "1970-01-01T00:01:00"},
        {1, 1000, 0, NULL},
        {253402300799.0, 0, 0, "9999-12-31T23:59:59"},
        {253402300799.0, 0, 10, NULL},
        {NAN, 0, 0, NULL},
        {0, 0, UINT64_MAX, NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct forge f = {0};
        struct hd_snapshot *snap = forge_finish(&f);
        const struct trace_header h = {
            .frequency = 10, .sync_ticks = cases[i].sync_ticks, .sync_time = cases[i].sync};
        trace_process_time(snap, &h, cases[i].ticks);
        cr_expect_eq(snap->info.time != NULL, cases[i].time != NULL, "case %zu", i);
        if (snap->info.time != NULL)
            cr_expect_str_eq(snap->info.time, cases[i].time);
        cr_expect_eq(snap->clock_is_date, cases[i].time != NULL);
        hd_snapshot_close(snap);
    }
}

#include "heap/builder.h"
#include "support/forge.h"
#include "support/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static uint32_t object_type(struct builder *b, const char *name)
{
    return builder_type(b, TYPE_OBJECT, name, strlen(name));
}

static const struct type *row(const struct hd_snapshot *snap, const char *name)
{
    const struct type *t = forge_type(snap, TYPE_OBJECT, name);
    cr_assert_not_null(t, "row %s", name);
    return t;
}

static void expect_tally(struct hd_tally got, uint64_t count, uint64_t bytes)
{
    cr_expect_eq(got.count, count);
    cr_expect_eq(got.bytes, bytes);
}

static struct hd_snapshot *finish(struct builder *b)
{
    struct hd_error err = {0};
    struct hd_snapshot *snap = builder_finish(b, &err);
    cr_assert_not_null(snap, "%s", err.message);
    return snap;
}

/* --- numbers of info ------------------------------------------------------------- */

Test(builder, a_snapshot_without_objects_has_zero_or_unknown_numbers)
{
    struct builder b = builder_begin(NULL, "a.gcdump");
    struct hd_snapshot *snap = finish(&b);
    const struct hd_info *info = hd_snapshot_info(snap);
    cr_expect_str_eq(info->path, "a.gcdump");
    cr_expect_eq(info->objects, 0);
    cr_expect_eq(info->bytes, 0);
    cr_expect_eq(info->types, 0);
    cr_expect_eq(info->references, HD_UNKNOWN);
    cr_expect_eq(info->roots, HD_UNKNOWN);
    cr_expect_eq(info->reachable_objects, HD_UNKNOWN);
    cr_expect_eq(info->reachable_bytes, HD_UNKNOWN);
    cr_expect_eq(info->pid, HD_UNKNOWN);
    cr_expect_eq(info->xxh3, HD_UNKNOWN);
    cr_expect_eq(snap->weak_roots, HD_UNKNOWN);
    cr_expect(info->complete && !info->sampled);
    cr_expect_null(info->time);
    cr_expect_null(info->process);
    cr_expect_null(info->producer);
    cr_expect(isnan(snap->clock));
    cr_expect_null(snap->graph);
    hd_snapshot_close(snap);
}

Test(builder, pseudo_nodes_and_undefined_ones_are_not_objects)
{
    struct forge f = {0};
    node_id a = forge_object(&f, "A", 24), b = forge_object(&f, "B", 40);
    node_id group = forge_pseudo(&f, "[strong Handles]"), undefined = forge_undefined(&f);
    node_id top = forge_pseudo(&f, "[.NET Roots]");
    forge_reference(&f, top, group);
    forge_reference(&f, group, a);
    forge_reference(&f, group, undefined);
    forge_reference(&f, a, b);
    forge_reference(&f, a, b);
    forge_reference(&f, a, a);
    forge_reference(&f, a, undefined);
    forge_reference(&f, a, group);
    forge_start(&f, top);
    struct hd_snapshot *snap = forge_finish(&f);
    const struct hd_info *info = hd_snapshot_info(snap);
    cr_expect_eq(info->objects, 2);
    cr_expect_eq(info->bytes, 64);
    cr_expect_eq(info->types, 2);
    cr_expect_eq(info->references, 3, "from object to object");
    cr_expect_eq(info->roots, 1, "from a group to an object");
    cr_expect(info->has_roots);
    cr_expect_eq(info->reachable_objects, 2);
    cr_expect_eq(snap->roots_by_kind[HD_ROOT_STRONG_HANDLE], 1);
    cr_expect_eq(snap->graph->node_count, 5);
    hd_snapshot_close(snap);
}

Test(builder, rows_sum_to_the_heap)
{
    struct random random = random_from(3);
    for (int round = 0; round < 300; round++) {
        struct forge f = {0};
        uint32_t objects = random_below(&random, 200);
        for (uint32_t i = 0; i < objects; i++) {
            char name[16];
            snprintf(name, sizeof(name), "T%u", random_below(&random, 20));
            node_id n = forge_object(&f, name, random_below(&random, 1000));
            forge_generation(&f, n,
                             (enum hd_generation)random_below(&random, HD_GEN_UNKNOWN + 1));
            if (random_below(&random, 4) == 0)
                forge_root(&f, HD_ROOT_STACK, NULL, n);
        }
        struct hd_snapshot *snap = forge_finish(&f);
        struct hd_tally sum = {0}, reached = {0}, generations = {0}, old = {0}, both = {0};
        for (type_id t = 0; t < snap->type_count; t++) {
            const struct type *type = &snap->types[t];
            sum.count += type->raw.count, sum.bytes += type->raw.bytes;
            reached.count += type->tally[SELECT_REACHABLE].count;
            reached.bytes += type->tally[SELECT_REACHABLE].bytes;
            old.count += type->tally[SELECT_GEN2].count;
            both.count += type->tally[SELECT_GEN2 | SELECT_REACHABLE].count;
            cr_expect_leq(type->tally[SELECT_GEN2 | SELECT_REACHABLE].bytes,
                          type->tally[SELECT_GEN2].bytes);
        }
        uint64_t in_old = 0;
        for (int g = 0; g < HD_GENERATION_COUNT; g++) {
            generations.count += snap->by_generation[g].count;
            generations.bytes += snap->by_generation[g].bytes;
            if (generation_is_old((enum hd_generation)g))
                in_old += snap->by_generation[g].count;
        }
        cr_assert_eq(sum.count, objects);
        cr_assert_eq(sum.count, snap->info.objects);
        cr_assert_eq(sum.bytes, snap->info.bytes);
        cr_assert_eq(reached.count, snap->info.reachable_objects);
        cr_assert_eq(reached.bytes, snap->info.reachable_bytes);
        cr_assert(objects == 0 || generations.count == objects);
        cr_assert(objects == 0 || generations.bytes == sum.bytes);
        cr_assert_eq(old.count, in_old);
        cr_assert_leq(both.count, old.count);
        cr_assert_leq(both.count, reached.count);
        hd_snapshot_close(snap);
    }
}

Test(builder, the_four_selections_of_one_type)
{
    struct forge f = {0};
    node_id n = forge_objects(&f, "T", 10, 8);
    for (node_id i = 0; i < 8; i++)
        forge_generation(&f, n + i, i < 5 ? HD_GEN_LOH : HD_GEN0);
    for (node_id i = 4; i < 7; i++)
        forge_root(&f, HD_ROOT_STACK, NULL, n + i);
    struct hd_snapshot *snap = forge_finish(&f);
    const struct type *t = row(snap, "T");
    expect_tally(t->raw, 8, 80);
    expect_tally(t->tally[SELECT_ALL], 8, 80);
    expect_tally(t->tally[SELECT_GEN2], 5, 50);
    expect_tally(t->tally[SELECT_REACHABLE], 3, 30);
    expect_tally(t->tally[SELECT_GEN2 | SELECT_REACHABLE], 1, 10);
    expect_tally(snap->by_generation[HD_GEN_LOH], 5, 50);
    expect_tally(snap->by_generation[HD_GEN0], 3, 30);
    hd_snapshot_close(snap);
}

/* --- types and rows -------------------------------------------------------------- */

Test(builder, types_of_one_canonical_name_are_one_row)
{
    struct forge f = {0};
    forge_object(&f, "App.Order", 100);
    forge_object(&f, "App.Order (Bytes > 1K)", 2000);
    forge_object(&f, "List`1[[App.Order, App]]", 32);
    forge_object(&f, "List<App.Order>", 32);
    struct hd_snapshot *snap = forge_finish(&f);
    expect_tally(row(snap, "App.Order")->raw, 2, 2100);
    expect_tally(row(snap, "List<App.Order>")->raw, 2, 64);
    cr_expect_eq(snap->info.types, 2);
    hd_snapshot_close(snap);
}

Test(builder, rows_are_in_order_of_first_use)
{
    struct builder b = builder_begin(NULL, "test");
    static const char *const names[] = {"Z", "A", "M", "A", "Z", "B"};
    for (size_t i = 0; i < 6; i++)
        cr_assert(builder_row(&b, object_type(&b, names[i]), 1, 1));
    struct hd_snapshot *snap = finish(&b);
    static const char *const rows[] = {"Z", "A", "M", "B"};
    cr_assert_eq(snap->type_count, 4);
    for (size_t i = 0; i < 4; i++)
        cr_expect_str_eq(snap->types[i].name, rows[i]);
    hd_snapshot_close(snap);
}

Test(builder, one_name_of_three_kinds_is_three_rows)
{
    struct builder b = builder_begin(NULL, "test");
    for (int kind = TYPE_OBJECT; kind <= TYPE_UNDEFINED; kind++)
        builder_type(&b, (enum type_kind)kind, "[x]", 3);
    struct hd_snapshot *snap = finish(&b);
    cr_assert_eq(snap->type_count, 3);
    for (int kind = TYPE_OBJECT; kind <= TYPE_UNDEFINED; kind++)
        cr_expect_eq(snap->types[kind].kind, (enum type_kind)kind);
    cr_expect_eq(snap->info.types, 0, "none has an object");
    hd_snapshot_close(snap);
}

Test(builder, a_type_may_be_named_later_or_never)
{
    struct builder b = builder_begin(NULL, "test");
    uint32_t later = builder_type(&b, TYPE_OBJECT, NULL, 0);
    uint32_t never = builder_type(&b, TYPE_OBJECT, NULL, 0);
    cr_assert(builder_object(&b, later, 16, HD_GEN_UNKNOWN));
    cr_assert(builder_object(&b, never, 24, HD_GEN_UNKNOWN));
    builder_name_type(&b, later, "App.Late", 8);
    struct hd_snapshot *snap = finish(&b);
    expect_tally(row(snap, "App.Late")->raw, 1, 16);
    expect_tally(row(snap, "<unknown type>")->raw, 1, 24);
    hd_snapshot_close(snap);
}

Test(builder, the_module_of_a_row_is_known_if_all_its_types_agree)
{
    struct forge f = {0};
    static const char *const types[] = {"A", "A (Bytes > 1K)", "B", "B (Bytes > 1K)",
                                        "C", "C (Bytes > 1K)", "D", "D (Bytes > 1K)"};
    static const char *const modules[] = {"x.dll", "x.dll", "x.dll", "y.dll",
                                          "x.dll", NULL,    NULL,    "x.dll"};
    for (size_t i = 0; i < 8; i++) {
        forge_object(&f, types[i], 8);
        if (modules[i] != NULL)
            forge_module(&f, types[i], modules[i]);
    }
    struct hd_snapshot *snap = forge_finish(&f);
    cr_expect_str_eq(row(snap, "A")->module, "x.dll");
    cr_expect_null(row(snap, "B")->module, "two modules");
    cr_expect_null(row(snap, "C")->module, "one known, one not");
    cr_expect_null(row(snap, "D")->module, "one not known, one known");
    hd_snapshot_close(snap);
}

Test(builder, strings_are_copied_and_null_stays_null)
{
    struct builder b = builder_begin(NULL, "test");
    char name[] = "dotnet";
    const char *copy = builder_string(&b, name, 3);
    name[0] = 'x';
    cr_expect_str_eq(copy, "dot");
    cr_expect_null(builder_string(&b, NULL, 0));
    builder_abandon(&b);
}

/* --- tables ---------------------------------------------------------------------- */

Test(builder, a_row_without_bytes_makes_the_bytes_of_the_heap_unknown)
{
    struct forge f = {0};
    forge_row(&f, "A", 3, 72);
    forge_row(&f, "B", 5, HD_UNKNOWN);
    forge_row(&f, "C", 1, 8);
    forge_row(&f, "C (Bytes > 1K)", 1, HD_UNKNOWN);
    forge_row(&f, "C (Bytes > 10K)", 1, 20000);
    struct hd_snapshot *snap = forge_finish(&f);
    expect_tally(row(snap, "A")->raw, 3, 72);
    expect_tally(row(snap, "B")->raw, 5, HD_UNKNOWN);
    expect_tally(row(snap, "B")->tally[SELECT_ALL], 5, HD_UNKNOWN);
    expect_tally(row(snap, "C")->raw, 3, HD_UNKNOWN);
    cr_expect_eq(snap->info.objects, 11);
    cr_expect_eq(snap->info.bytes, HD_UNKNOWN);
    cr_expect_null(snap->graph);
    hd_snapshot_close(snap);
}

Test(builder, sums_of_64_bits_do_not_overflow)
{
    struct builder b = builder_begin(NULL, "test");
    uint32_t t = object_type(&b, "T");
    cr_expect_not(builder_object(&b, t, HD_UNKNOWN, HD_GEN_UNKNOWN));
    cr_expect(builder_object(&b, t, HD_UNKNOWN - 11, HD_GEN_UNKNOWN));
    cr_expect_not(builder_object(&b, t, 11, HD_GEN_UNKNOWN), "that would be HD_UNKNOWN");
    cr_expect(builder_object(&b, t, 10, HD_GEN_UNKNOWN));
    cr_expect_not(builder_row(&b, t, 1, 1), "bytes");
    cr_expect(builder_row(&b, t, HD_UNKNOWN - 4, HD_UNKNOWN));
    cr_expect_not(builder_row(&b, t, 1, HD_UNKNOWN), "objects");
    cr_expect(builder_row(&b, t, 0, 0));
    builder_abandon(&b);
}

/* --- sampling -------------------------------------------------------------------- */

Test(builder, scaled_numbers_are_rounded_half_to_even)
{
    static const struct {
        uint32_t objects;
        double multiplier;
        uint64_t count;
    } cases[] = {
        {1, 0.5, 0}, {3, 0.5, 2}, {5, 0.5, 2}, {7, 0.5, 4}, {1, 2.5, 2},
        {1, 3.5, 4}, {1, 2.4, 2}, {1, 2.6, 3}, {4, 1.0, 4}, {1, 1e30, HD_UNKNOWN - 1}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct forge f = {0};
        forge_objects(&f, "T", 1, cases[i].objects);
        forge_multiplier(&f, "T", cases[i].multiplier);
        struct hd_snapshot *snap = forge_finish(&f);
        const struct type *t = row(snap, "T");
        expect_tally(t->raw, cases[i].objects, cases[i].objects);
        expect_tally(t->tally[SELECT_ALL], cases[i].count, cases[i].count);
        cr_expect_float_eq(t->count_scale / cases[i].multiplier, 1, 1e-12);
        cr_expect_eq(snap->info.objects, cases[i].objects, "info is raw");
        hd_snapshot_close(snap);
    }
}

/* Twice 0.5 is one, not twice zero. */
Test(builder, types_of_different_multipliers_are_rounded_once_as_a_row)
{
    struct forge f = {0};
    forge_object(&f, "T", 100);
    forge_object(&f, "T (Bytes > 1K)", 2000);
    forge_multiplier(&f, "T", 0.5);
    forge_multiplier(&f, "T (Bytes > 1K)", 1.5);
    struct hd_snapshot *snap = forge_finish(&f);
    const struct type *t = row(snap, "T");
    expect_tally(t->raw, 2, 2100);
    expect_tally(t->tally[SELECT_ALL], 2, 3050);
    cr_expect_float_eq(t->count_scale, 1, 1e-12);
    hd_snapshot_close(snap);
}

Test(builder, reachable_and_old_numbers_are_scaled_like_their_row)
{
    struct forge f = {0};
    node_id n = forge_objects(&f, "T", 10, 4);
    forge_object(&f, "U", 8);
    forge_multiplier(&f, "T", 2.5);
    for (node_id i = 0; i < 3; i++) {
        forge_root(&f, HD_ROOT_STACK, NULL, n + i);
        forge_generation(&f, n + i, i == 0 ? HD_GEN0 : HD_GEN2);
    }
    struct hd_snapshot *snap = forge_finish(&f);
    const struct type *t = row(snap, "T");
    expect_tally(t->tally[SELECT_ALL], 10, 100);
    expect_tally(t->tally[SELECT_REACHABLE], 8, 75);
    expect_tally(t->tally[SELECT_GEN2], 5, 50);
    expect_tally(t->tally[SELECT_GEN2 | SELECT_REACHABLE], 5, 50);
    expect_tally(row(snap, "U")->tally[SELECT_ALL], 1, 8);
    expect_tally(snap->by_generation[HD_GEN2], 2, 20);
    cr_expect_eq(snap->info.reachable_objects, 3, "info is raw");
    hd_snapshot_close(snap);
}

/* --- the graph ------------------------------------------------------------------- */

Test(builder, sizes_past_32_bits_are_kept)
{
    static const uint64_t sizes[] = {0,  UINT32_MAX - 1ULL, UINT32_MAX, UINT32_MAX + 1ULL,
                                     24, 1ULL << 40};
    struct forge f = {0};
    uint64_t sum = 0;
    for (size_t i = 0; i < 6; i++) {
        forge_root(&f, HD_ROOT_STACK, NULL, forge_object(&f, "T", sizes[i]));
        sum += sizes[i];
    }
    struct hd_snapshot *snap = forge_finish(&f);
    for (node_id n = 0; n < 6; n++)
        cr_expect_eq(graph_size(snap->graph, n), sizes[n], "node %u", n);
    cr_expect_eq(snap->graph->big_count, 3);
    cr_expect_eq(snap->info.bytes, sum);
    cr_expect_eq(snap->info.reachable_bytes, sum);
    hd_snapshot_close(snap);
}

Test(builder, references_keep_their_order_with_duplicates_and_self_references)
{
    struct forge f = {0};
    forge_objects(&f, "T", 8, 3);
    static const node_id to[] = {2, 1, 1, 0, 2};
    for (size_t i = 0; i < 5; i++)
        forge_reference(&f, 1, to[i]);
    struct hd_snapshot *snap = forge_finish(&f);
    const struct graph *g = snap->graph;
    cr_assert_eq(g->edge_begin[2] - g->edge_begin[1], 5);
    for (uint32_t e = 0; e < 5; e++)
        cr_expect_eq(g->edge_to[g->edge_begin[1] + e], to[e]);
    cr_expect_eq(g->edge_begin[g->node_count], g->edge_count);
    hd_snapshot_close(snap);
}

Test(builder, reserving_less_than_is_added_is_not_a_limit)
{
    struct builder b = builder_begin(NULL, "test");
    uint32_t t = object_type(&b, "T");
    builder_reserve(&b, 0, 0);
    for (node_id n = 0; n < 1000; n++) {
        cr_assert(builder_object(&b, t, n, HD_GEN_UNKNOWN));
        builder_node(&b, t, n);
        for (node_id e = 0; e < 3; e++)
            builder_edge(&b, e);
    }
    builder_root(&b, 999);
    struct hd_snapshot *snap = finish(&b);
    cr_expect_eq(snap->graph->node_count, 1000);
    cr_expect_eq(snap->graph->edge_count, 3000);
    cr_expect_eq(snap->info.reachable_objects, 4);
    hd_snapshot_close(snap);
}

static void expect_too_big(struct builder *b)
{
    struct hd_error err = {0};
    cr_expect_null(builder_finish(b, &err));
    cr_expect_eq(err.status, HD_TOO_BIG);
    cr_expect_gt(strlen(err.message), 0);
}

static struct builder limited(uint64_t max_memory)
{
    struct builder b = builder_begin(NULL, "test");
    b.max_memory = max_memory;
    return b;
}

Test(builder, refuses_a_reservation_beyond_the_memory_limit)
{
    struct builder b = limited(1000);
    uint32_t t = object_type(&b, "T");
    builder_reserve(&b, 100000, 100000);
    for (node_id n = 0; n < 100000; n++) {
        builder_node(&b, t, 8);
        builder_edge(&b, n);
    }
    cr_expect_leq(b.node_cap, 100, "nothing of that size was allocated");
    expect_too_big(&b);
}

Test(builder, refuses_more_memory_than_allowed_for_endless_nodes)
{
    struct builder b = limited(100000);
    uint32_t t = object_type(&b, "T");
    for (node_id n = 0; n < 50000; n++)
        builder_node(&b, t, 8);
    cr_expect_leq(b.node_cap, 100000 / 12);
    expect_too_big(&b);
}

Test(builder, refuses_more_memory_than_allowed_for_endless_references)
{
    struct builder b = limited(100000);
    builder_node(&b, object_type(&b, "T"), 8);
    for (node_id n = 0; n < 50000; n++)
        builder_edge(&b, 0);
    cr_expect_leq(b.edge_cap, 100000 / 4);
    expect_too_big(&b);
}

Test(builder, is_content_with_memory_that_suffices)
{
    struct builder b = limited(1000000);
    uint32_t t = object_type(&b, "T");
    for (node_id n = 0; n < 10000; n++)
        builder_node(&b, t, 8);
    hd_snapshot_close(finish(&b));
}

/* Adds nodes and references one by one, or after reserving. Returns the bytes named in the
 * refusal, or 0. */
static uint64_t refused(uint64_t max_memory, bool reserve)
{
    enum { NODES = 30000, REFERENCES = 50000 };
    struct builder b = limited(max_memory);
    struct hd_error err = {0};
    unsigned long long need = 0, limit;
    uint32_t t = object_type(&b, "T");
    if (reserve)
        builder_reserve(&b, NODES, REFERENCES);
    for (unsigned i = 0; i < NODES; i++) {
        builder_node(&b, t, 8);
        for (unsigned k = 0; i == NODES - 1 && k < REFERENCES; k++)
            builder_edge(&b, 0);
    }
    struct hd_snapshot *snap = builder_finish(&b, &err);
    if (snap == NULL)
        cr_assert_eq(sscanf(err.message,
                            "its graph takes %llu KiB of memory; the limit is %llu", &need,
                            &limit),
                     2, "%s", err.message);
    hd_snapshot_close(snap);
    return 1024 * (uint64_t)need;
}

Test(builder, the_memory_named_in_a_refusal_suffices)
{
    for (int reserve = 0; reserve < 2; reserve++)
        for (uint64_t limit = 1000; limit < 300000; limit *= 2) {
            uint64_t need = refused(limit, reserve);
            cr_assert_gt(need, 0);
            cr_expect_eq(refused(need, reserve), 0, "%d: %lu after %lu", reserve,
                         (unsigned long)need, (unsigned long)limit);
        }
}

/* The number of nodes is faked: 2^32 do not fit a test. */
Test(builder, refuses_more_nodes_than_ids_name)
{
    struct builder b = builder_begin(NULL, "test");
    uint32_t t = object_type(&b, "T");
    builder_node(&b, t, 8);
    b.graph->node_count = UINT32_MAX - 2;
    b.node_cap = UINT32_MAX - 2;
    builder_node(&b, t, 8);
    cr_expect_eq(b.graph->node_count, UINT32_MAX - 2);
    expect_too_big(&b);
}

Test(builder, refuses_more_references_than_offsets_count)
{
    struct builder b = builder_begin(NULL, "test");
    builder_node(&b, object_type(&b, "T"), 8);
    b.graph->edge_count = UINT32_MAX - 2;
    b.edge_cap = UINT32_MAX - 2;
    builder_edge(&b, 0);
    cr_expect_eq(b.graph->edge_count, UINT32_MAX - 2);
    expect_too_big(&b);
}

/* --- warnings about graphs ------------------------------------------------------- */

static bool warns(const struct hd_snapshot *snap, enum warning_code code)
{
    return warnings_find(&snap->warnings, code) != NULL;
}

Test(builder, warns_of_a_heap_without_roots)
{
    struct forge f = {0};
    forge_object(&f, "T", 8);
    struct hd_snapshot *snap = forge_finish(&f);
    cr_expect(warns(snap, WARN_NO_ROOTS));
    cr_expect_not(warns(snap, WARN_MOSTLY_UNREACHABLE));
    cr_expect_not(snap->info.has_roots);
    cr_expect_eq(snap->info.roots, 0);
    cr_expect_eq(snap->info.reachable_objects, 0);
    hd_snapshot_close(snap);
}

Test(builder, warns_when_more_than_half_of_the_objects_are_unreachable)
{
    for (uint32_t unreachable = 0; unreachable <= 4; unreachable++) {
        struct forge f = {0};
        forge_objects(&f, "T", 8, 4);
        for (node_id n = unreachable; n < 4; n++)
            forge_root(&f, HD_ROOT_STACK, NULL, n);
        struct hd_snapshot *snap = forge_finish(&f);
        cr_expect_eq(warns(snap, WARN_MOSTLY_UNREACHABLE), unreachable == 3, "%u of 4",
                     unreachable);
        hd_snapshot_close(snap);
    }
}

Test(builder, roots_are_counted_by_the_kind_of_the_group_above_them)
{
    struct forge f = {0};
    node_id object = forge_object(&f, "T", 8);
    node_id top = forge_pseudo(&f, "[.NET Roots]");
    node_id threads = forge_pseudo(&f, "[thread static vars]");
    node_id variable = forge_pseudo(&f, "[static var T.f]");
    node_id statics = forge_pseudo(&f, "[static vars]");
    node_id other = forge_pseudo(&f, "[other roots]");
    node_id handles = forge_pseudo(&f, "[other Handles]");
    forge_reference(&f, top, threads);
    forge_reference(&f, top, statics);
    forge_reference(&f, top, other);
    forge_reference(&f, threads, variable);
    forge_reference(&f, variable, object);
    forge_reference(&f, statics, object);
    forge_reference(&f, statics, object);
    forge_reference(&f, other, handles);
    forge_reference(&f, handles, object);
    forge_start(&f, top);
    struct hd_snapshot *snap = forge_finish(&f);
    cr_expect_eq(snap->roots_by_kind[HD_ROOT_THREAD_STATIC], 1);
    cr_expect_eq(snap->roots_by_kind[HD_ROOT_STATIC], 2);
    cr_expect_eq(snap->roots_by_kind[HD_ROOT_OTHER], 1);
    cr_expect_eq(snap->info.roots, 4);
    hd_snapshot_close(snap);
}

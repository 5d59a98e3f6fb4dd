/* Nodes counted by several threads, compared with the graph, which is read sequentially:
 * every length of a type and a size, pseudo-nodes, generations, damage. */
#include "format/large_gcdump.h"
#include "support/random.h"

#include <stdio.h>

enum { NODES = 450000, TYPES = 5000, DAMAGED = 333333 };

static struct large_gcdump make(bool generations)
{
    struct large_gcdump m = large_gcdump_begin(TYPES, NODES);
    struct random r = random_from(3);
    for (uint32_t t = 0; t < TYPES; t++)
        m.types[t].size = t > 0 && t % 7 == 0 ? -1 : (int32_t)(t * 8);
    for (uint32_t i = 0; i < NODES; i++) {
        struct made_node *n = &m.nodes[i];
        /* 7, 14 and 21 bits; sizes of up to 31 bits, or without one. */
        n->type = random_below(&r, i % 3 == 0 ? 30 : TYPES);
        n->size = i % 2 == 0 && m.types[n->type].size >= 0
                      ? m.types[n->type].size
                      : (int32_t)(random_u64(&r) >> (33 + random_below(&r, 31)));
        n->address = i % 11 == 0 ? 0 : 0x10000 + (uint64_t)i * 16;
        n->references = 1;
        n->to[0] = i + 1 < NODES ? i + 1 : 0;
    }
    static const struct made_segment segments[] = {
        {0x10000, 0x300000, {0x300000, 0x200000, 0x180000}},
        {0x300000, 0x500000, {0x300000, 0x300000, 0x300000, 0x500000}},
    };
    if (generations) {
        m.all.segments = segments;
        m.all.segment_count = COUNT(segments);
    }
    m.bytes = gcdump_bytes_make(&m.all);
    return m;
}

static struct hd_snapshot *read_tables(const struct large_gcdump *m, unsigned threads,
                                       struct hd_error *err)
{
    const struct hd_read_options opt = {.tables_only = true, .threads = threads};
    return hd_snapshot_from_memory(m->bytes.data.data, m->bytes.data.len, &opt, err);
}

static void expect_same_row(const struct type *a, const struct type *b)
{
    cr_assert_eq(a->raw.count, b->raw.count, "%s", b->name);
    cr_assert_eq(a->raw.bytes, b->raw.bytes, "%s", b->name);
    cr_assert_eq(a->tally[SELECT_GEN2].count, b->tally[SELECT_GEN2].count, "%s", b->name);
    cr_assert_eq(a->by_generation != NULL, b->by_generation != NULL, "%s", b->name);
    if (a->by_generation != NULL)
        cr_assert_arr_eq(a->by_generation, b->by_generation,
                         HD_GENERATION_COUNT * sizeof(*a->by_generation));
}

static void expect_same(const struct hd_snapshot *tables, const struct hd_snapshot *graph)
{
    cr_assert_eq(tables->info.objects, graph->info.objects);
    cr_assert_eq(tables->info.bytes, graph->info.bytes);
    cr_assert_eq(tables->info.types, graph->info.types);
    cr_assert_arr_eq(tables->by_generation, graph->by_generation,
                     sizeof(graph->by_generation));
    cr_expect_eq(warns(tables, WARN_SIZE_MISMATCH), warns(graph, WARN_SIZE_MISMATCH));
    for (type_id t = 0; t < graph->type_count; t++)
        if (graph->types[t].kind == TYPE_OBJECT)
            expect_same_row(row(tables, TYPE_OBJECT, graph->types[t].name),
                            &graph->types[t]);
}

Test(gcdump_tables, are_those_of_the_graph_for_any_number_of_threads, .timeout = 60)
{
    static const unsigned numbers[] = {1, 2, 3, 8};
    for (int generations = 0; generations < 2; generations++) {
        struct large_gcdump m = make(generations);
        struct hd_error err = {0};
        struct hd_snapshot *graph = read_bytes(&m.bytes, false, &err);
        cr_assert_not_null(graph, "%s", err.message);
        cr_assert_eq(graph->info.has_generations, generations);
        for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
            struct hd_snapshot *tables = read_tables(&m, numbers[i], &err);
            cr_assert_not_null(tables, "%s", err.message);
            expect_same(tables, graph);
            hd_snapshot_close(tables);
        }
        hd_snapshot_close(graph);
        large_gcdump_free(&m);
    }
}

/* The first of two damaged records, whichever thread is faster. */
Test(gcdump_tables, name_the_first_damaged_node, .timeout = 60)
{
    struct large_gcdump m = make(false);
    gcdump_bytes_put(&m.bytes, m.bytes.offsets_at + (NODES - 2) * 4, 0xFFFFFFF0);
    gcdump_bytes_put(&m.bytes, m.bytes.offsets_at + DAMAGED * 4, 0xFFFFFFF0);
    for (unsigned threads = 1; threads <= 8; threads *= 2) {
        struct hd_error err = {0};
        cr_expect_null(read_tables(&m, threads, &err));
        cr_expect_eq(err.status, HD_BAD_FORMAT);
        cr_expect_not_null(strstr(err.message, "node 333333:"), "%s", err.message);
    }
    large_gcdump_free(&m);
}

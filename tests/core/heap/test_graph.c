#include "heap/graph.h"
#include "support/forge.h"
#include "support/random.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* A graph over arrays of the test; frees only the result of graph_mark_reachable(). */
static void free_marks(struct graph *g)
{
    free(g->reachable);
    g->reachable = NULL;
}

Test(graph, sizes_of_32_bits_and_more_are_stored)
{
    static uint32_t small[] = {0, 7, BIG_SIZE, BIG_SIZE - 1, BIG_SIZE, 9, BIG_SIZE};
    static struct big_size big[] = {
        {2, BIG_SIZE}, {4, (uint64_t)BIG_SIZE + 1}, {6, UINT64_MAX - 1}};
    struct graph g = {.node_count = 7, .small_size = small, .big = big, .big_count = 3};
    static const uint64_t wanted[] = {
        0, 7, BIG_SIZE, BIG_SIZE - 1, (uint64_t)BIG_SIZE + 1, 9, UINT64_MAX - 1};
    for (node_id n = 0; n < g.node_count; n++)
        cr_expect_eq(graph_size(&g, n), wanted[n], "node %u", n);
}

Test(graph, addresses_are_little_endian_and_unaligned)
{
    static const unsigned char bytes[] = {0xEE, 1, 2, 3, 4, 5, 6, 7,   8,
                                          0,    0, 0, 0, 0, 0, 0, 0x80};
    struct graph g = {.node_count = 2, .addresses = bytes + 1};
    cr_expect_eq(graph_address(&g, 0), 0x0807060504030201);
    cr_expect_eq(graph_address(&g, 1), 0x8000000000000000);
}

Test(graph, unknown_addresses_are_0)
{
    struct graph g = {.node_count = 2};
    cr_expect_eq(graph_address(&g, 0), 0);
    cr_expect_eq(graph_address(&g, 1), 0);
}

Test(graph, an_empty_graph_can_be_marked)
{
    uint32_t begin[] = {0};
    struct graph g = {.edge_begin = begin};
    graph_mark_reachable(&g);
    cr_expect_not_null(g.reachable);
    free_marks(&g);
}

Test(graph, the_root_is_reachable_and_need_not_be_node_0)
{
    uint32_t begin[] = {0, 0, 1, 1};
    node_id to[] = {2};
    struct graph g = {
        .node_count = 3, .edge_count = 1, .root = 1, .edge_begin = begin, .edge_to = to};
    graph_mark_reachable(&g);
    cr_expect_not(graph_reachable(&g, 0));
    cr_expect(graph_reachable(&g, 1));
    cr_expect(graph_reachable(&g, 2));
    free_marks(&g);
}

Test(graph, marking_again_starts_over)
{
    uint32_t begin[] = {0, 0, 0};
    struct graph g = {.node_count = 2, .root = 0, .edge_begin = begin};
    graph_mark_reachable(&g);
    g.root = 1;
    graph_mark_reachable(&g);
    cr_expect_not(graph_reachable(&g, 0));
    cr_expect(graph_reachable(&g, 1));
    free_marks(&g);
}

/* A recursive walk would overflow the stack. */
Test(graph, a_linked_list_of_a_million_objects_is_an_ordinary_heap)
{
    enum { MANY = 1000000 };
    struct forge f = {0};
    node_id first = forge_objects(&f, "App.Node", 24, MANY);
    for (node_id n = 0; n + 1 < MANY; n++)
        forge_reference(&f, first + n, first + n + 1);
    forge_root(&f, HD_ROOT_STACK, NULL, first);
    struct hd_snapshot *snap = forge_finish(&f);
    cr_expect_eq(snap->info.reachable_objects, MANY);
    cr_expect_eq(snap->info.reachable_bytes, 24ULL * MANY);
    hd_snapshot_close(snap);
}

enum { MAX_NODES = 80, MAX_EDGES = 160 };

/* The definition: iterate until stable; references from reachable nodes lead to reachable
 * nodes. */
static void reach_by_definition(const struct graph *g, bool *reached)
{
    reached[g->root] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (node_id n = 0; n < g->node_count; n++)
            for (uint32_t e = g->edge_begin[n]; reached[n] && e < g->edge_begin[n + 1]; e++)
                if (!reached[g->edge_to[e]])
                    changed = reached[g->edge_to[e]] = true;
    }
}

Test(graph, reachability_matches_the_definition)
{
    struct random random = random_from(2);
    for (int round = 0; round < 3000; round++) {
        struct forge f = {0};
        uint32_t nodes = 1 + random_below(&random, MAX_NODES - 1);
        forge_objects(&f, "T", 8, nodes);
        uint32_t edges = random_below(&random, MAX_EDGES);
        for (uint32_t e = 0; e < edges; e++)
            forge_reference(&f, random_below(&random, nodes), random_below(&random, nodes));
        forge_start(&f, random_below(&random, nodes));
        struct hd_snapshot *snap = forge_finish(&f);
        bool reached[MAX_NODES] = {0};
        reach_by_definition(snap->graph, reached);
        for (node_id n = 0; n < nodes; n++)
            cr_assert_eq(graph_reachable(snap->graph, n), reached[n], "round %d, node %u",
                         round, n);
        hd_snapshot_close(snap);
    }
}

Test(graph, freeing_nothing_is_fine)
{
    graph_free(NULL);
}

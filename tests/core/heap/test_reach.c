#include "heap/snapshot.h"
#include "support/forge.h"
#include "support/large.h"
#include "support/random.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { GRAPHS = MILLION / 500 };

/* A few objects of few types in several generations; unreachable ones are garbage. */
static struct hd_snapshot *small_heap(struct random *r, bool later, bool sampled)
{
    static const char *const names[] = {"App.A", "App.B", "App.C"};
    struct forge f = {.reach_later = later};
    uint32_t n = 1 + random_below(r, 150);
    forge_object(&f, "App.A", 24);
    for (uint32_t i = 1; i < n; i++) {
        node_id object = forge_object(&f, names[random_below(r, 3)], random_below(r, 100));
        enum hd_generation g = HD_GEN0 + random_below(r, HD_GENERATION_COUNT - HD_GEN0);
        forge_generation(&f, object, g);
    }
    for (uint32_t i = random_below(r, 2 * n); i > 0; i--)
        forge_reference(&f, random_below(r, n), random_below(r, n));
    for (uint32_t i = random_below(r, 4); i > 0; i--)
        forge_root(&f, HD_ROOT_STACK, NULL, random_below(r, n));
    if (sampled)
        forge_multiplier(&f, "App.A", 2.5);
    return forge_finish(&f);
}

/* The definition in reach.h, node by node. */
static void expect_by_definition(const struct hd_snapshot *snap, uint32_t graph)
{
    const struct graph *g = snap->graph;
    struct hd_tally all = {0}, tally[SELECTIONS][3] = {{{0}}};
    cr_assert_leq(snap->type_count, 64);
    for (node_id n = 0; n < g->node_count; n++) {
        type_id t = g->type[n];
        if (snap->types[t].kind != TYPE_OBJECT || !graph_reachable(g, n))
            continue;
        size_t name = (size_t)(snap->types[t].name[4] - 'A');
        bool old = generation_is_old(ranges_find(&snap->ranges, graph_address(g, n)));
        for (enum selection s = SELECT_REACHABLE; s < SELECTIONS; s++) {
            if ((s & SELECT_GEN2) && !old)
                continue;
            tally[s][name].count++;
            tally[s][name].bytes += graph_size(g, n);
        }
        all.count++;
        all.bytes += graph_size(g, n);
    }
    cr_assert_eq(snap->info.reachable_objects, all.count, "graph %u", graph);
    cr_assert_eq(snap->info.reachable_bytes, all.bytes, "graph %u", graph);
    for (type_id t = 0; t < snap->type_count; t++) {
        const struct type *type = &snap->types[t];
        if (type->kind != TYPE_OBJECT)
            continue;
        for (enum selection s = SELECT_REACHABLE; s < SELECTIONS; s++) {
            const struct hd_tally *wanted = &tally[s][type->name[4] - 'A'];
            cr_assert_eq(type->tally[s].count, wanted->count, "graph %u", graph);
            cr_assert_eq(type->tally[s].bytes, wanted->bytes, "graph %u", graph);
        }
    }
}

Test(reach, is_counted_by_type_and_generation)
{
    struct random r = random_from(11);
    for (uint32_t graph = 0; graph < GRAPHS; graph++) {
        struct hd_snapshot *snap = small_heap(&r, false, false);
        cr_assert(reach_is_known(snap));
        expect_by_definition(snap, graph);
        hd_snapshot_close(snap);
    }
}

Test(reach, is_unknown_until_it_is_requested)
{
    struct random r = random_from(12);
    struct hd_snapshot *snap = small_heap(&r, true, false);
    cr_expect_not(reach_is_known(snap));
    cr_expect_eq(snap->info.reachable_bytes, HD_UNKNOWN);
    reach_find(snap);
    cr_expect(reach_is_known(snap));
    expect_by_definition(snap, 0);
    hd_snapshot_close(snap);
}

/* Everything that a report uses. */
static void expect_same(const struct hd_snapshot *a, const struct hd_snapshot *b)
{
    cr_assert_eq(a->info.reachable_objects, b->info.reachable_objects);
    cr_assert_eq(a->info.reachable_bytes, b->info.reachable_bytes);
    cr_assert_eq(a->type_count, b->type_count);
    for (type_id t = 0; t < a->type_count; t++)
        cr_assert_arr_eq(a->types[t].tally, b->types[t].tally, sizeof(a->types[t].tally));
    cr_assert_arr_eq(a->graph->reachable, b->graph->reachable,
                     (a->graph->node_count / 64 + 1) * sizeof(uint64_t));
    cr_assert_eq(a->warnings.len, b->warnings.len);
    for (size_t i = 0; i < a->warnings.len; i++)
        cr_assert_eq(a->warnings.all[i].code, b->warnings.all[i].code);
}

Test(reach, given_by_a_walk_is_what_is_found_without)
{
    for (uint32_t graph = 0; graph < GRAPHS; graph++) {
        struct random r = random_from(graph), again = random_from(graph);
        bool sampled = graph % 2 == 1;
        struct hd_snapshot *found = small_heap(&r, false, sampled);
        struct hd_snapshot *given = small_heap(&again, true, sampled);
        const struct graph *g = found->graph;
        node_id *nodes = malloc(g->node_count * sizeof(*nodes));
        uint32_t count = 0;
        for (node_id n = g->node_count; n-- > 0;)
            if (graph_reachable(g, n))
                nodes[count++] = n;
        reach_given(given, nodes, count);
        expect_same(found, given);
        free(nodes);
        hd_snapshot_close(found);
        hd_snapshot_close(given);
    }
}

Test(reach, is_found_once)
{
    struct random r = random_from(13);
    struct hd_snapshot *snap = small_heap(&r, false, false);
    uint64_t objects = snap->info.reachable_objects;
    reach_given(snap, NULL, 0);
    reach_find(snap);
    cr_expect_eq(snap->info.reachable_objects, objects);
    hd_snapshot_close(snap);
}

Test(reach, warns_where_most_is_garbage)
{
    struct forge f = {.reach_later = true};
    node_id kept = forge_object(&f, "App.Kept", 24);
    forge_objects(&f, "App.Lost", 24, 2);
    forge_root(&f, HD_ROOT_STACK, NULL, kept);
    struct hd_snapshot *snap = forge_finish(&f);
    cr_expect_null(warnings_find(&snap->warnings, WARN_MOSTLY_UNREACHABLE));
    reach_find(snap);
    cr_expect_not_null(warnings_find(&snap->warnings, WARN_MOSTLY_UNREACHABLE));
    hd_snapshot_close(snap);
}

/* Single objects: their references and referrers, chains, lists; and the thread that builds
 * the indexes for these. */
#include "browse/many_objects.h"
#include "browse/objects.h"
#include "format/open.h"
#include "support/forge.h"
#include "support/random.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A static list of three orders, two of which share a name; one order refers to itself and
 * back to the list; an unreachable pair. */
struct shop {
    node_id list, array, order, name, lost;
    struct hd_snapshot *snap;
    struct hd_comparison *c;
    struct hd_objects *o;
};

static struct shop shop_open(void)
{
    struct forge f = {0};
    struct shop s = {0};
    s.list = forge_object(&f, "App.List", 32);
    s.array = forge_object(&f, "App.Order[]", 64);
    s.order = forge_objects(&f, "App.Order", 40, 3);
    s.name = forge_object(&f, "System.String", 30);
    s.lost = forge_objects(&f, "App.Lost", 24, 2);
    forge_reference(&f, s.list, s.array);
    for (uint32_t i = 0; i < 3; i++)
        forge_reference(&f, s.array, s.order + i);
    forge_reference(&f, s.array, s.order); /* twice */
    forge_reference(&f, s.order, s.name);
    forge_reference(&f, s.order + 1, s.name);
    forge_reference(&f, s.order + 2, s.order + 2);
    forge_reference(&f, s.order + 2, s.list);
    forge_reference(&f, s.lost, s.lost + 1);
    forge_reference(&f, s.lost + 1, s.lost);
    forge_generation(&f, s.order + 1, HD_GEN2);
    forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_all", s.list);
    s.snap = forge_finish(&f);
    s.c = hd_comparison_of(&s.snap, 1, NULL);
    s.o = hd_objects_open(s.c, 0);
    struct hd_error err = {0};
    cr_assert(hd_objects_wait(s.o, &err), "%s", err.message);
    return s;
}

static void shop_close(struct shop *s)
{
    hd_objects_close(s->o);
    hd_comparison_free(s->c);
    hd_snapshot_close(s->snap);
}

static struct hd_object object_of(const struct shop *s, uint32_t number)
{
    struct hd_object object;
    cr_assert(hd_object(s->o, number, &object));
    return object;
}

/* --- one object ------------------------------------------------------------------ */

Test(objects, describes_an_object)
{
    struct shop s = shop_open();
    struct hd_object x = object_of(&s, s.order + 1);
    cr_expect_str_eq(x.type, "App.Order");
    cr_expect_eq(x.kind, HD_OBJECT);
    cr_expect_eq(x.bytes, 40);
    cr_expect_eq(x.instances, 3);
    cr_expect_eq(x.generation, HD_GEN2);
    cr_expect_eq(x.address, forge_address(HD_GEN2, s.order + 1));
    cr_expect_eq(x.references, 1);
    cr_expect_eq(x.referrers, 1);
    cr_expect(x.is_reachable);
    cr_expect_not(object_of(&s, s.lost).is_reachable);
    cr_expect_eq(object_of(&s, s.order).referrers, 2, "duplicates are counted");
    cr_expect_eq(object_of(&s, s.order + 2).referrers, 2, "so is the one to itself");
    struct hd_object none;
    cr_expect_not(hd_object(s.o, s.snap->node_count, &none));
    cr_expect_not(hd_object(s.o, UINT32_MAX, &none));
    shop_close(&s);
}

Test(objects, finds_one_by_its_address)
{
    struct shop s = shop_open();
    uint64_t at = forge_address(HD_GEN2, s.order + 1);
    uint32_t number = 0;
    cr_expect(hd_object_at(s.o, at, &number, NULL));
    cr_expect_eq(number, s.order + 1);
    number = 0;
    cr_expect(hd_object_at(s.o, at + 39, &number, NULL), "its last byte");
    cr_expect_eq(number, s.order + 1);
    struct hd_error err = {0};
    cr_expect_not(hd_object_at(s.o, at - 1, &number, &err));
    cr_expect_eq(err.status, HD_USAGE);
    cr_expect_not(hd_object_at(s.o, at + 40, &number, NULL), "the byte behind it");
    shop_close(&s);
}

/* --- chains ---------------------------------------------------------------------- */

static void expect_chain(const struct shop *s, uint32_t number, const char *const *types,
                         size_t count)
{
    uint32_t numbers[8];
    size_t skipped, at;
    cr_assert_eq(hd_object_chain(s->o, number, numbers, 8, &skipped, &at), count);
    for (size_t i = 0; i < count; i++)
        cr_expect_str_eq(object_of(s, numbers[i]).type, types[i]);
    cr_expect_eq(numbers[count - 1], number);
    cr_expect_eq(skipped, 0);
}

Test(objects, a_chain_leads_from_the_root_group_to_the_object)
{
    struct shop s = shop_open();
    expect_chain(&s, s.name,
                 (const char *[]){"[static vars]", "[static var App.Shop.s_all]",
                                  "App.List", "App.Order[]", "App.Order", "System.String"},
                 6);
    cr_expect_eq(hd_object_root(s.o, s.name), HD_ROOT_STATIC);
    shop_close(&s);
}

Test(objects, a_chain_of_garbage_begins_with_an_object)
{
    struct shop s = shop_open();
    expect_chain(&s, s.lost, (const char *[]){"App.Lost"}, 1);
    expect_chain(&s, s.lost + 1, (const char *[]){"App.Lost", "App.Lost"}, 2);
    cr_expect_eq(hd_object_root(s.o, s.lost + 1), HD_ROOT_UNREACHABLE);
    shop_close(&s);
}

/* A core dump contains garbage, which its table of types does not count. */
Test(objects, of_a_type_in_a_core_dump_omit_garbage)
{
    for (int dump = 0; dump < 2; dump++) {
        struct forge f = {0};
        node_id held = forge_objects(&f, "App.Order", 40, 5);
        for (uint32_t i = 0; i < 3; i++)
            forge_root(&f, HD_ROOT_STACK, NULL, held + i);
        struct hd_snapshot *snap = forge_finish(&f);
        snap->info.holds_garbage = dump == 1;
        struct hd_comparison *c = hd_comparison_of(&snap, 1, NULL);
        struct hd_objects *o = hd_objects_open(c, 0);
        cr_assert(hd_objects_wait(o, NULL));
        for (int order = 0; order < 3; order++) {
            struct hd_object_list *list =
                hd_objects_of_type(o, "App.Order", (enum hd_object_order)order, NULL);
            cr_assert_not_null(list);
            size_t count = hd_object_list_count(list);
            cr_expect_eq(count, dump == 1 ? 3 : 5, "%d", order);
            cr_expect_eq(hd_object_list_bytes(list), 40 * count);
            hd_object_list_free(list);
        }
        hd_objects_close(o);
        hd_comparison_free(c);
        hd_snapshot_close(snap);
    }
}

Test(objects, a_long_chain_loses_its_middle)
{
    enum { LINKS = 100000 };
    struct forge f = {0};
    node_id first = forge_objects(&f, "App.Link", 24, LINKS);
    for (uint32_t i = 0; i + 1 < LINKS; i++)
        forge_reference(&f, first + i, first + i + 1);
    forge_root(&f, HD_ROOT_STACK, NULL, first);
    struct hd_snapshot *snap = forge_finish(&f);
    struct hd_comparison *c = hd_comparison_of(&snap, 1, NULL);
    struct hd_objects *o = hd_objects_open(c, 0);
    cr_assert(hd_objects_wait(o, NULL));
    uint32_t numbers[5];
    size_t skipped, at;
    cr_assert_eq(hd_object_chain(o, first + LINKS - 1, numbers, 5, &skipped, &at), 5);
    cr_expect_eq(at, 3);
    cr_expect_eq(skipped, LINKS + 1 - 5);
    cr_expect_eq(numbers[1], first);
    cr_expect_eq(numbers[2], first + 1);
    cr_expect_eq(numbers[3], first + LINKS - 2);
    cr_expect_eq(numbers[4], first + LINKS - 1);
    cr_assert_eq(hd_object_chain(o, first, numbers, 2, &skipped, &at), 2);
    cr_expect_eq(skipped, 0);
    hd_objects_close(o);
    hd_comparison_free(c);
    hd_snapshot_close(snap);
}

/* --- neighbours ------------------------------------------------------------------ */

Test(objects, groups_what_an_object_refers_to_by_type)
{
    struct shop s = shop_open();
    size_t count;
    struct hd_object_group *groups = hd_object_groups(s.o, s.array, HD_REFERS_TO, &count);
    cr_assert_eq(count, 1);
    cr_expect_str_eq(groups[0].type, "App.Order");
    cr_expect_eq(groups[0].references, 4);
    cr_expect_eq(groups[0].objects, 3);
    cr_expect_eq(groups[0].bytes, 120);
    cr_expect_eq(groups[0].first, s.order);
    free(groups);
    groups = hd_object_groups(s.o, s.order + 2, HD_REFERS_TO, &count);
    cr_assert_eq(count, 2);
    cr_expect_str_eq(groups[0].type, "App.List", "as many: by name");
    cr_expect_str_eq(groups[1].type, "App.Order");
    free(groups);
    cr_expect_null(hd_object_groups(s.o, s.name, HD_REFERS_TO, &count));
    cr_expect_eq(count, 0);
    shop_close(&s);
}

Test(objects, groups_what_refers_to_an_object)
{
    struct shop s = shop_open();
    size_t count;
    struct hd_object_group *groups = hd_object_groups(s.o, s.list, HD_REFERRED_BY, &count);
    cr_assert_eq(count, 2);
    cr_expect_str_eq(groups[0].type, "App.Order");
    cr_expect_str_eq(groups[1].type, "[static var App.Shop.s_all]");
    cr_expect_eq(groups[1].kind, HD_OBJECT_ROOTS);
    free(groups);
    shop_close(&s);
}

Test(objects, lists_neighbours_once_each)
{
    struct shop s = shop_open();
    struct hd_object_list *list =
        hd_object_neighbours(s.o, s.order, HD_REFERRED_BY, NULL, HD_OBJECTS_BY_SIZE);
    cr_assert_eq(hd_object_list_count(list), 1);
    cr_expect_eq(hd_object_list_get(list, 0), s.array);
    hd_object_list_free(list);
    list = hd_object_neighbours(s.o, s.order + 2, HD_REFERS_TO, "App.Order",
                                HD_OBJECTS_BY_NUMBER);
    cr_assert_eq(hd_object_list_count(list), 1);
    cr_expect_eq(hd_object_list_get(list, 0), s.order + 2, "itself");
    hd_object_list_free(list);
    list = hd_object_neighbours(s.o, UINT32_MAX, HD_REFERS_TO, NULL, HD_OBJECTS_BY_NUMBER);
    cr_expect_eq(hd_object_list_count(list), 0);
    hd_object_list_free(list);
    shop_close(&s);
}

/* --- lists ----------------------------------------------------------------------- */

Test(objects, lists_a_type_by_size_by_address_and_by_number)
{
    static const uint64_t sizes[] = {24, 900, 24, (1ULL << 32) + 8, 1ULL << 33, 64};
    enum { COUNT = sizeof(sizes) / sizeof(sizes[0]) };
    static const node_id by_size[] = {4, 3, 1, 5, 0, 2};
    struct forge f = {0};
    for (uint32_t i = 0; i < COUNT; i++) {
        node_id n = forge_object(&f, "App.Blob", sizes[i]);
        forge_generation(&f, n, i % 2 == 0 ? HD_GEN2 : HD_GEN0);
    }
    forge_object(&f, "App.Other", 8);
    struct hd_snapshot *snap = forge_finish(&f);
    struct hd_comparison *c = hd_comparison_of(&snap, 1, NULL);
    struct hd_objects *o = hd_objects_open(c, 0);
    cr_assert(hd_objects_wait(o, NULL));
    for (int order = HD_OBJECTS_BY_SIZE; order <= HD_OBJECTS_BY_NUMBER; order++) {
        struct hd_object_list *list =
            hd_objects_of_type(o, "App.Blob", (enum hd_object_order)order, NULL);
        cr_assert_eq(hd_object_list_count(list), COUNT);
        uint64_t last = 0;
        for (uint32_t i = 0; i < COUNT; i++) {
            node_id n = hd_object_list_get(list, i);
            uint64_t address = graph_address(snap->graph, n);
            cr_expect_eq(hd_object_list_find(list, n), i);
            if (order == HD_OBJECTS_BY_SIZE)
                cr_expect_eq(n, by_size[i]);
            else if (order == HD_OBJECTS_BY_NUMBER)
                cr_expect_eq(n, i);
            else
                cr_expect_gt(address, last);
            last = address;
        }
        cr_expect_eq(hd_object_list_find(list, COUNT), COUNT, "another type's");
        hd_object_list_free(list);
    }
    struct hd_error err = {0};
    cr_expect_null(hd_objects_of_type(o, "App.None", HD_OBJECTS_BY_SIZE, &err));
    cr_expect_eq(err.status, HD_USAGE);
    hd_objects_close(o);
    hd_comparison_free(c);
    hd_snapshot_close(snap);
}

/* --- places ---------------------------------------------------------------------- */

Test(objects, lists_what_is_at_a_place_of_the_tree_of_owners)
{
    struct shop first = shop_open(), last = shop_open();
    struct hd_snapshot *snaps[] = {first.snap, last.snap};
    struct hd_comparison *c = hd_comparison_of(snaps, 2, NULL);
    struct hd_objects *o = hd_objects_open(c, 1);
    cr_assert(hd_objects_wait(o, NULL));
    static const struct hd_place_step steps[] = {
        {"[static vars]", true}, {"[static var App.Shop.s_all]", true},
        {"App.List", false},     {"App.Order[]", false},
        {"App.Order", false},    {"App.None", false}};
    struct hd_error err = {0};
    cr_expect_null(hd_objects_at(o, steps, 5, NULL, HD_OBJECTS_BY_SIZE, &err));
    cr_expect_eq(err.status, HD_USAGE, "nobody asked who owns what");
    hd_report_free(hd_report_diff(c, NULL, NULL));
    err = (struct hd_error){0};
    struct hd_object_list *list =
        hd_objects_at(o, steps, 5, NULL, HD_OBJECTS_BY_SIZE, &err);
    cr_assert_not_null(list, "%s", err.message);
    cr_expect_eq(hd_object_list_count(list), 3);
    cr_expect_eq(hd_object_list_bytes(list), 120);
    cr_expect_eq(hd_object_list_get(list, 0), first.order);
    hd_object_list_free(list);
    list = hd_objects_at(o, steps, 2, NULL, HD_OBJECTS_BY_SIZE, NULL);
    cr_expect_eq(hd_object_list_count(list), 0, "a variable is no object");
    hd_object_list_free(list);
    cr_expect_null(hd_objects_at(o, steps, 6, NULL, HD_OBJECTS_BY_SIZE, NULL));
    hd_objects_close(o);
    hd_comparison_free(c);
    shop_close(&first);
    shop_close(&last);
}

/* Of the three orders only the second has a generation (2) and an address. */
Test(objects, lists_a_place_by_address_and_by_generation)
{
    static const struct hd_place_step orders[] = {{"[static vars]", true},
                                                  {"[static var App.Shop.s_all]", true},
                                                  {"App.List", false},
                                                  {"App.Order[]", false},
                                                  {"App.Order", false}};
    struct shop first = shop_open(), last = shop_open();
    struct hd_snapshot *snaps[] = {first.snap, last.snap};
    struct hd_comparison *c = hd_comparison_of(snaps, 2, NULL);
    struct hd_objects *o = hd_objects_open(c, 1);
    const struct hd_options gen2 = {.gen2 = true};
    cr_assert(hd_objects_wait(o, NULL));
    hd_report_free(hd_report_diff(c, NULL, NULL));
    struct hd_object_list *list =
        hd_objects_at(o, orders, 5, NULL, HD_OBJECTS_BY_ADDRESS, NULL);
    cr_assert_eq(hd_object_list_count(list), 3);
    cr_expect_eq(hd_object_list_get(list, 0), last.order, "without an address");
    cr_expect_eq(hd_object_list_get(list, 1), last.order + 2);
    cr_expect_eq(hd_object_list_get(list, 2), last.order + 1);
    hd_object_list_free(list);
    cr_expect_null(hd_objects_at(o, orders, 5, &gen2, HD_OBJECTS_BY_NUMBER, NULL),
                   "nobody asked who owns what of generation 2");
    hd_report_free(hd_report_diff(c, &gen2, NULL));
    struct hd_error err = {0};
    list = hd_objects_at(o, orders, 5, &gen2, HD_OBJECTS_BY_NUMBER, &err);
    cr_assert_not_null(list, "%s", err.message);
    cr_assert_eq(hd_object_list_count(list), 1);
    cr_expect_eq(hd_object_list_get(list, 0), last.order + 1);
    cr_expect_eq(hd_object_list_bytes(list), 40);
    hd_object_list_free(list);
    hd_objects_close(o);
    hd_comparison_free(c);
    shop_close(&first);
    shop_close(&last);
}

/* --- by definition --------------------------------------------------------------- */

/* References of random graphs, with duplicates and loops, in both directions. */
Test(objects, referrers_are_the_references_turned_round)
{
    struct random r = random_from(20);
    for (int round = 0; round < 50; round++) {
        struct forge f = {0};
        uint32_t nodes = 1 + (uint32_t)random_below(&r, 40);
        uint32_t forward[40][40] = {0};
        forge_objects(&f, "App.A", 24, nodes);
        for (uint32_t e = (uint32_t)random_below(&r, 120); e > 0; e--) {
            uint32_t from = (uint32_t)random_below(&r, nodes),
                     to = (uint32_t)random_below(&r, nodes);
            forge_reference(&f, from, to);
            forward[from][to]++;
        }
        struct hd_snapshot *snap = forge_finish(&f);
        struct hd_comparison *c = hd_comparison_of(&snap, 1, NULL);
        struct hd_objects *o = hd_objects_open(c, 0);
        cr_assert(hd_objects_wait(o, NULL));
        for (uint32_t to = 0; to < nodes; to++) {
            struct neighbours near = neighbours_of(o, to, HD_REFERRED_BY);
            uint32_t back[40] = {0};
            for (uint32_t i = 0; i < near.count; i++)
                back[near.node[i]]++;
            for (uint32_t from = 0; from < nodes; from++)
                cr_assert_eq(back[from], forward[from][to]);
        }
        hd_objects_close(o);
        hd_comparison_free(c);
        hd_snapshot_close(snap);
    }
}

/* --- the thread ------------------------------------------------------------------ */

/* Without a graph every question about objects fails, with the reason. */
static void expect_nothing_of(struct hd_objects *o)
{
    struct hd_error err = {0};
    uint32_t number = 7, numbers[4];
    size_t skipped = 7, skipped_at = 7;
    cr_expect_not(hd_object_at(o, 0x1000, &number, &err));
    cr_expect_str_eq(err.message, "the graph is not there yet");
    cr_expect_eq(number, 7);
    err = (struct hd_error){0};
    const struct hd_place_step step = {"[static vars]", true};
    cr_expect_null(hd_objects_at(o, &step, 1, NULL, HD_OBJECTS_BY_SIZE, &err));
    cr_expect_str_eq(err.message, "the graph is not there yet");
    cr_expect_eq(hd_object_chain(o, 0, numbers, 4, &skipped, &skipped_at), 0);
    cr_expect(skipped == 0 && skipped_at == 0);
    cr_expect_eq(hd_object_root(o, 0), HD_ROOT_UNREACHABLE);
    cr_expect_null(hd_object_field(o, 0, 0));
    struct hd_object_fields fields;
    cr_expect_not(hd_object_fields(o, 0, 0, 1, 1, &fields));
    struct hd_object_list *none =
        hd_object_neighbours(o, 0, HD_REFERS_TO, NULL, HD_OBJECTS_BY_SIZE);
    cr_expect_eq(hd_object_list_count(none), 0);
    hd_object_list_free(none);
}

Test(objects, a_table_has_no_objects)
{
    struct forge f = {0};
    forge_row(&f, "App.Order", 3, 120);
    struct hd_snapshot *snap = forge_finish(&f);
    struct hd_comparison *c = hd_comparison_of(&snap, 1, NULL);
    struct hd_objects *o = hd_objects_open(c, 0);
    struct hd_error err = {0};
    cr_expect_not(hd_objects_wait(o, &err));
    cr_expect_eq(err.status, HD_USAGE);
    cr_expect_eq(hd_objects_progress(o).ready, 0);
    cr_expect_eq(hd_objects_progress(o).making, 0);
    struct hd_object object;
    cr_expect_not(hd_object(o, 0, &object));
    cr_expect_null(hd_objects_of_type(o, "App.Order", HD_OBJECTS_BY_SIZE, NULL));
    expect_nothing_of(o);
    hd_objects_close(o);
    cr_expect_null(hd_objects_open(c, 1), "there is no second one");
    hd_comparison_free(c);
    hd_snapshot_close(snap);
}

Test(objects, memory_is_refused_and_given_back)
{
    struct hd_snapshot *snap = many_objects(100000);
    struct hd_read_options how = {.max_memory = snap->graph_bytes + (1 << 20)};
    struct hd_comparison *c = hd_comparison_of(&snap, 1, &how);
    struct hd_objects *o = hd_objects_open(c, 0);
    struct hd_error err = {0};
    cr_expect_not(hd_objects_wait(o, &err));
    cr_expect_eq(err.status, HD_TOO_BIG);
    cr_expect_eq(err.topic, HD_ABOUT_GRAPH_MEMORY);
    cr_expect_eq(err.snapshot, 1);
    cr_expect_eq(hd_objects_progress(o).ready, HD_OBJECTS_GRAPH, "what fits can be used");
    struct hd_object object;
    cr_expect(hd_object(o, 7, &object));
    cr_expect_eq(object.referrers, HD_UNKNOWN);
    hd_objects_close(o);
    cr_expect_eq(c->reserved, 0);
    cr_expect_eq(snap->pins, 0);
    hd_comparison_free(c);
    hd_snapshot_close(snap);
}

Test(objects, closing_stops_what_is_under_way)
{
    struct hd_snapshot *snap = many_objects(300000);
    struct hd_comparison *c = hd_comparison_of(&snap, 1, NULL);
    for (unsigned pause = 0; pause < 20; pause++) {
        struct hd_objects *o = hd_objects_open(c, 0);
        usleep(pause * 500);
        hd_objects_close(o);
        cr_assert_eq(c->reserved, 0);
        cr_assert_eq(snap->pins, 0);
    }
    hd_comparison_free(c);
    hd_snapshot_close(snap);
}

Test(objects, stopped_indexes_are_empty)
{
    struct hd_snapshot *snap = many_objects(100000);
    struct watch watch = {.stop = true};
    struct type_index types = {0};
    struct referrer_index referrers = {0};
    struct walk walk;
    struct arena a = {0};
    cr_expect_not(type_index_make(&types, snap, false, &watch));
    cr_expect_null(types.node);
    cr_expect_not(referrer_index_make(&referrers, snap->graph, &watch));
    cr_expect_null(referrers.from);
    cr_expect_not(walk_graph_watched(snap, &a, &walk, &watch));
    arena_free(&a);
    hd_snapshot_close(snap);
}

/* Small graphs stay in memory unless the limit is low. */
static void drop(struct hd_snapshot *snap)
{
    snap->may_drop = true;
    snap->read.max_memory = 7 * snap->graph_bytes;
    snapshot_release_graph(snap);
}

Test(objects, a_graph_that_was_dropped_is_read_again_and_stays)
{
    struct hd_input inputs[] = {{.path = "fixtures/leaklab/cache/0.gcdump.gz"},
                                {.path = "fixtures/leaklab/cache/1.gcdump.gz"}};
    struct hd_comparison *c = hd_comparison_open(inputs, 2, NULL);
    struct hd_snapshot *snap = hd_comparison_snapshot(c, 0);
    drop(snap);
    cr_assert_null(snap->graph);
    struct hd_objects *o = hd_objects_open(c, 0);
    struct hd_error err = {0};
    cr_assert(hd_objects_wait(o, &err), "%s", err.message);
    hd_report_free(hd_report_diff(c, NULL, NULL));
    drop(snap);
    cr_expect_not_null(snap->graph, "it is pinned");
    struct hd_object object;
    cr_expect(hd_object(o, snap->node_count / 2, &object));
    hd_objects_close(o);
    drop(snap);
    cr_expect_null(snap->graph);
    hd_comparison_free(c);
}

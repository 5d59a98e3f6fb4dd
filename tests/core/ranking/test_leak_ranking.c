/* Examples worked by hand with docs/ranking.md, to the digit. */
#include "ranking/path_growth.h"
#include "ranking/ranked.h"

enum { STEPS = 3 };

static node_id begin_statics(struct forge *f)
{
    return heap_group(f, heap_root(f), "[static vars]");
}

/* --- events beside a cache and a warm-up -------------------------------------------- */

static void add_bus(struct forge *f, node_id statics, uint32_t orders)
{
    node_id bus = heap_object(f, statics, "App.EventBus", 24);
    node_id array = heap_object(f, bus, "System.Object[]", 24 + 8 * orders);
    for (uint32_t i = 0; i < orders; i++) {
        node_id handler = heap_object(f, array, "System.EventHandler", 64);
        node_id order = heap_object(f, handler, "App.Order", 96);
        heap_objects(f, order, "System.String", 50, 3);
        heap_object(f, order, "System.Byte[]", 2000);
    }
}

static void add_cache(struct forge *f, node_id statics, uint32_t items)
{
    node_id cache = heap_object(f, statics, "App.Cache", 24);
    node_id entries = heap_object(f, cache, "Entry[]", 24 + 24 * items);
    for (uint32_t i = 0; i < items; i++)
        heap_object(f, heap_object(f, entries, "App.CacheItem", 48), "System.Byte[]", 1000);
    node_id names = heap_object(f, statics, "App.Names", 24);
    heap_objects(f, heap_object(f, names, "System.String[]", 64), "System.String", 40, 5);
}

static void add_events(struct ranked *r, uint32_t steps)
{
    static const uint32_t orders[STEPS] = {10, 20, 30}, items[STEPS] = {100, 120, 100};
    static const uint32_t methods[STEPS] = {200, 1500, 1600};
    for (uint32_t k = 0; k < steps; k++) {
        struct forge f = {0};
        node_id root = heap_root(&f), statics = heap_group(&f, root, "[static vars]");
        add_bus(&f, statics, orders[k]);
        add_cache(&f, statics, items[k]);
        node_id handles = heap_group(&f, root, "[strong handles]");
        node_id types = heap_object(&f, handles, "RuntimeTypeCache", 64);
        node_id array = heap_object(&f, types, "RuntimeMethodInfo[]", 24 + 8 * methods[k]);
        heap_objects(&f, array, "RuntimeMethodInfo", 104, methods[k]);
        aligned_add(&r->a, forge_finish(&f));
    }
}

Test(ranking, ranks_the_event_handlers_and_not_what_they_keep)
{
    struct ranked r = {0};
    add_events(&r, STEPS);
    rank(&r);
    expect_ranking(&r, {"System.EventHandler", 46200}, {"RuntimeMethodInfo", 20800});
    cr_expect_eq(r.ranking.pooled, 0);
    cr_expect_str_eq(holder_of(&r, "System.EventHandler"),
                     "[static vars] > App.EventBus > System.Object[]");
    cr_expect_str_eq(holder_of(&r, "RuntimeMethodInfo"),
                     "[strong handles] > RuntimeTypeCache > RuntimeMethodInfo[]");
    const struct ranked_type *handler = ranked_type(&r, "System.EventHandler");
    cr_expect_str_eq(handler->title, "App.Order");
    cr_expect_eq(handler->tau, 1);
    static const uint64_t count[] = {10, 20, 30}, retained[] = {23100, 46200, 69300};
    for (size_t k = 0; k < STEPS; k++) {
        cr_expect_eq(handler->count[k], count[k]);
        cr_expect_eq(handler->retained[k], retained[k]);
    }
    ranked_free(&r);
}

Test(ranking, folds_the_events_into_the_documented_trie)
{
    static const struct {
        const char *path;
        uint64_t count[STEPS], retained[STEPS];
    } table[] = {
        {"System.Object[] > System.EventHandler", {10, 20, 30}, {23100, 46200, 69300}},
        {"System.Object[] > System.EventHandler > App.Order",
         {10, 20, 30},
         {22460, 44920, 67380}},
        {"System.Object[] > System.EventHandler > App.Order > System.Byte[]",
         {10, 20, 30},
         {20000, 40000, 60000}},
        {"System.Object[] > System.EventHandler > App.Order > System.String",
         {30, 60, 90},
         {1500, 3000, 4500}},
        {"Entry[] > App.CacheItem", {100, 120, 100}, {104800, 125760, 104800}},
        {"RuntimeMethodInfo[] > RuntimeMethodInfo",
         {200, 1500, 1600},
         {20800, 156000, 166400}},
    };
    struct ranked r = {0};
    add_events(&r, STEPS);
    rank(&r);
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
        expect_path(&r, table[i].path, table[i].count, table[i].retained);
    static const uint64_t totals[] = {153252, 343472, 356412};
    path_id array = ranked_path(&r, "System.Object[]");
    path_id methods = ranked_path(&r, "RuntimeMethodInfo[]");
    static const uint64_t array_bytes_at[] = {104, 184, 264},
                          methods_bytes_at[] = {1624, 12024, 12824};
    for (size_t k = 0; k < STEPS; k++) {
        cr_expect_eq(r.tree.retained[k], totals[k]);
        cr_expect_eq(r.tree.bytes[array * STEPS + k], array_bytes_at[k]);
        cr_expect_eq(r.tree.bytes[methods * STEPS + k], methods_bytes_at[k]);
    }
    static const char *const anchors[] = {
        "[static vars]", "[strong handles]", "App.EventBus",     "App.Cache",
        "Entry[]",       "App.Names",        "RuntimeTypeCache", "System.String[]"};
    for (size_t i = 0; i < sizeof(anchors) / sizeof(*anchors); i++)
        cr_expect_eq(tree_depth(&r.tree, ranked_path(&r, anchors[i])), 1);
    ranked_free(&r);
}

/* The columns g and o of the table, before containers are subtracted. */
Test(ranking, steady_growth_is_attributed_to_its_owner)
{
    static const struct {
        const char *path;
        double growth, own;
    } table[] = {
        {"System.Object[] > System.EventHandler", 46200, 46200},
        {"System.Object[] > System.EventHandler > App.Order", 44920, 0},
        {"System.Object[] > System.EventHandler > App.Order > System.Byte[]", 40000, 0},
        {"System.Object[] > System.EventHandler > App.Order > System.String", 3000, 0},
        {"RuntimeMethodInfo[] > RuntimeMethodInfo", 20800, 20800},
        {"Entry[] > App.CacheItem", 0, 0},
    };
    struct ranked r = {0};
    add_events(&r, STEPS);
    rank(&r);
    struct path_growths g = path_growths_of(&r.tree, &r.a.series, NULL);
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        const struct path_growth *at = &g.all[ranked_path(&r, table[i].path)];
        cr_expect_float_eq(at->growth, table[i].growth, 1e-9, "%s", table[i].path);
        cr_expect_float_eq(at->own, table[i].own, 1e-9, "%s", table[i].path);
    }
    path_growths_free(&g);
    ranked_free(&r);
}

Test(ranking, with_two_snapshots_ranks_warm_up_and_cache_too)
{
    struct ranked r = {0};
    add_events(&r, 2);
    rank(&r);
    expect_ranking(&r, {"RuntimeMethodInfo", 135200}, {"System.EventHandler", 23100},
                   {"App.CacheItem", 20960});
    ranked_free(&r);
}

/* --- more per owner ------------------------------------------------------------------- */

static void add_density(struct ranked *r)
{
    static const uint32_t sessions[STEPS] = {40, 44, 48}, entries[STEPS] = {5, 17, 29};
    for (uint32_t k = 0; k < STEPS; k++) {
        struct forge f = {0};
        node_id table = heap_object(&f, begin_statics(&f), "App.SessionTable", 80);
        node_id array = heap_object(&f, table, "App.Session[]", 536);
        for (uint32_t m = 0; m < sessions[k]; m++) {
            node_id session = heap_object(&f, array, "App.Session", 72);
            heap_object(&f, session, "System.String", 80);
            node_id list = heap_object(&f, session, "List<App.LogEntry>", 32);
            node_id log = heap_object(&f, list, "App.LogEntry[]", 24 + 8 * entries[k]);
            for (uint32_t l = 0; l < entries[k]; l++)
                heap_object(&f, heap_object(&f, log, "App.LogEntry", 56), "System.String",
                            160);
        }
        aligned_add(&r->a, forge_finish(&f));
    }
}

Test(ranking, tells_more_per_owner_from_more_owners)
{
    struct ranked r = {0};
    add_density(&r);
    rank(&r);
    expect_ranking(&r, {"App.LogEntry", 248832}, {"App.Session", 19840});
    expect_path(&r, "App.Session[] > App.Session", (uint64_t[]){40, 44, 48},
                (uint64_t[]){53120, 176704, 321792});
    expect_path(&r,
                "App.Session[] > App.Session > List<App.LogEntry> > App.LogEntry[] > "
                "App.LogEntry",
                (uint64_t[]){200, 748, 1392}, (uint64_t[]){43200, 161568, 300672});
    static const uint64_t totals[STEPS] = {53736, 177320, 322408};
    for (size_t k = 0; k < STEPS; k++)
        cr_expect_eq(r.tree.retained[k], totals[k]);
    ranked_free(&r);
}

/* --- owners that change ----------------------------------------------------------------
 */

/* A static owns a list; the runtime's array also holds it, and once an enumerator does. */
static void add_weaker_owners(struct ranked *r)
{
    for (uint32_t k = 0; k < STEPS; k++) {
        struct forge f = {0};
        node_id root = heap_root(&f), statics = heap_group(&f, root, "[static vars]");
        node_id list = heap_object(&f, statics, "List", 32);
        node_id array = heap_object(&f, list, "Item[]", 8024);
        heap_objects(&f, array, "Item", 24, 100 + 50 * k);
        node_id pinned = heap_group(&f, root, "[pinning Handles]");
        forge_reference(&f, heap_object(&f, pinned, "System.Object[]", 1024), list);
        if (k == 1) {
            node_id stack = heap_group(&f, root, "[local vars]");
            forge_reference(&f, heap_object(&f, stack, "Enumerator", 40), array);
        }
        aligned_add(&r->a, forge_finish(&f));
    }
}

Test(ranking, weaker_owners_do_not_reduce_growth)
{
    struct ranked r = {0};
    add_weaker_owners(&r);
    rank(&r);
    expect_ranking(&r, {"Item", 2400});
    cr_expect_str_eq(holder_of(&r, "Item"), "[static vars] > List > Item[]");
    ranked_free(&r);
}

/* A stack slot that dies after the second snapshot. */
static void add_moving_owner(struct ranked *r)
{
    for (uint32_t k = 0; k < STEPS; k++) {
        struct forge f = {0};
        node_id stack = heap_group(&f, heap_root(&f), "[local vars]");
        node_id task = heap_object(&f, stack, "Task", 80);
        node_id service = heap_object(&f, task, "Service", 24);
        node_id list = heap_object(&f, service, "List", 32);
        heap_objects(&f, heap_object(&f, list, "Item[]", 8024), "Item", 24, 100 * (k + 1));
        if (k < 2)
            forge_reference(&f, stack, service);
        aligned_add(&r->a, forge_finish(&f));
    }
}

Test(ranking, an_owner_that_changes_above_a_single_service_changes_nothing)
{
    struct ranked r = {0};
    add_moving_owner(&r);
    rank(&r);
    expect_ranking(&r, {"Item", 4800});
    cr_expect_str_eq(holder_of(&r, "Item"),
                     "[local vars] > Task > Service > List > Item[]");
    ranked_free(&r);
}

/* New views share existing orders: the orders move up, and do not grow. */
static void add_migration(struct ranked *r)
{
    for (uint32_t k = 0; k < STEPS; k++) {
        struct forge f = {0};
        node_id statics = begin_statics(&f);
        node_id table = heap_object(&f, statics, "OrderTable", 32);
        node_id array = heap_object(&f, table, "Order[]", 8024);
        node_id order = heap_objects(&f, array, "Order", 40, 100);
        node_id feed = heap_object(&f, statics, "Feed", 24);
        node_id views = heap_object(&f, feed, "View[]", 1024);
        uint32_t count = 10 + 20 * k;
        node_id view = heap_objects(&f, views, "View", 36, count);
        for (uint32_t i = 0; i < count; i++)
            forge_reference(&f, view + i, order + i);
        aligned_add(&r->a, forge_finish(&f));
    }
}

Test(ranking, objects_that_gain_a_second_owner_do_not_grow)
{
    struct ranked r = {0};
    add_migration(&r);
    rank(&r);
    expect_ranking(&r, {"View", 1440});
    expect_path(&r, "[static vars] > Order", (uint64_t[]){10, 30, 50},
                (uint64_t[]){400, 1200, 2000});
    ranked_free(&r);
}

/* --- owners that appear late
 * ---------------------------------------------------------------- */

/* The only order of the first snapshot has no lines; all later ones have. */
static void add_few_owners(struct ranked *r)
{
    static const uint32_t orders[STEPS] = {1, 100, 200};
    for (uint32_t k = 0; k < STEPS; k++) {
        struct forge f = {0};
        node_id feed = heap_object(&f, begin_statics(&f), "Feed", 24);
        node_id array = heap_object(&f, feed, "Order[]", 8024);
        node_id order = heap_objects(&f, array, "Order", 40, orders[k]);
        for (uint32_t i = 1; i < orders[k]; i++)
            heap_object(&f, heap_object(&f, order + i, "Line[]", 32), "System.String", 4);
        aligned_add(&r->a, forge_finish(&f));
    }
}

Test(ranking, few_untypical_owners_at_the_start_do_not_hide_the_rest)
{
    struct ranked r = {0};
    add_few_owners(&r);
    rank(&r);
    expect_ranking(&r, {"Order", 15124});
    ranked_free(&r);
}

Test(ranking, a_cache_that_appears_does_not_hide_what_fills_it)
{
    struct ranked r = {0};
    for (uint32_t k = 0; k < STEPS; k++) {
        struct forge f = {0};
        node_id statics = begin_statics(&f);
        heap_object(&f, heap_object(&f, statics, "Empty", 24), "Item[]", 24);
        if (k > 0) {
            node_id cache = heap_object(&f, statics, "Cache", 32);
            node_id array = heap_object(&f, cache, "Item[]", 8024);
            heap_objects(&f, array, "Item", 24, 100 * k);
        }
        aligned_add(&r.a, forge_finish(&f));
    }
    rank(&r);
    expect_path(&r, "Cache > Item[]", (uint64_t[]){0, 1, 1}, (uint64_t[]){0, 10424, 12824});
    expect_ranking(&r, {"Item", 4800});
    ranked_free(&r);
}

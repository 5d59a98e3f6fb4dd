/* The rules for objects that are handed over, move up, are co-retained with others, or are
 * added steadily: examples worked by hand with docs/ranking.md, to the digit. */
#include "ranking/ranked.h"

static node_id begin_statics(struct forge *f)
{
    return heap_group(f, heap_root(f), "[static vars]");
}

/* Makes a series and ranks it. */
static struct ranked ranked_series(void (*add)(struct ranked *r))
{
    struct ranked r = {0};
    add(&r);
    rank(&r);
    return r;
}

/* The same without its first snapshots. */
static struct ranked ranked_end(void (*add)(struct ranked *r), size_t snapshots)
{
    struct ranked all = {0}, r = {0};
    add(&all);
    for (size_t k = 0; k < all.a.count; k++)
        if (k + snapshots < all.a.count)
            hd_snapshot_close(all.a.snaps[k]);
        else
            aligned_add(&r.a, all.a.snaps[k]);
    rank(&r);
    return r;
}

static void expect_reachable(const struct ranked *r, const uint64_t *bytes)
{
    for (size_t k = 0; k < r->a.count; k++)
        cr_expect_eq(r->tree.retained[k], bytes[k], "snapshot %zu: %llu", k,
                     (unsigned long long)r->tree.retained[k]);
}

/* --- what moves up with its owner --------------------------------------------------- */

/* New views share old orders, which have lists. */
static void add_children(struct ranked *r)
{
    for (uint32_t n = 10; n <= 50; n += 20) {
        enum { ORDERS = 100 };
        struct forge f = {0};
        node_id statics = begin_statics(&f);
        node_id table = heap_object(&f, statics, "OrderTable", 32);
        node_id array = heap_object(&f, table, "Order[]", 8024);
        node_id order = heap_objects(&f, array, "Order", 40, ORDERS);
        for (uint32_t i = 0; i < ORDERS; i++)
            heap_object(&f, heap_object(&f, order + i, "List", 32), "Line[]", 56);
        node_id feed = heap_object(&f, statics, "Feed", 24);
        node_id view =
            heap_objects(&f, heap_object(&f, feed, "View[]", 1024), "View", 36, n);
        for (uint32_t i = 0; i < n; i++)
            forge_reference(&f, view + i, order + i);
        aligned_add(&r->a, forge_finish(&f));
    }
}

Test(leak_ranking_changes, objects_below_shared_ones_are_judged_at_their_earlier_path)
{
    struct ranked r = ranked_series(add_children);
    expect_ranking(&r, {"View", 1440});
    ranked_free(&r);
}

/* From snapshot 2 on there is a second holder of the growing queue. */
static void add_growing_children(struct ranked *r)
{
    for (uint32_t k = 0; k < 3; k++) {
        struct forge f = {0};
        node_id statics = begin_statics(&f);
        node_id queues = heap_object(&f, statics, "Queue[]", 40);
        node_id queue = heap_objects(&f, queues, "Queue", 32, 2);
        forge_reference(&f, statics, queue);
        if (k > 0)
            forge_reference(&f, statics, queue + 1);
        heap_objects(&f, queue, "Item", 24, 100 + 30 * k);
        aligned_add(&r->a, forge_finish(&f));
    }
}

Test(leak_ranking_changes, owners_that_moved_up_do_not_explain_what_is_more)
{
    struct ranked r = ranked_series(add_growing_children);
    expect_ranking(&r, {"Item", 1440});
    ranked_free(&r);
}

/* --- two holders -------------------------------------------------------------------- */

static void add_widgets(struct ranked *r)
{
    for (uint32_t n = 100; n <= 300; n += 100) {
        struct forge f = {0};
        node_id app = heap_object(&f, begin_statics(&f), "App", 24);
        node_id dictionary = heap_object(&f, app, "Dictionary", 48);
        node_id entries = heap_object(&f, dictionary, "Entry[]", 24 + 24 * n);
        node_id list = heap_object(&f, app, "List", 32);
        node_id array = heap_object(&f, list, "Widget[]", 24 + 8 * n);
        node_id widget = heap_objects(&f, array, "Widget", 40, n);
        node_id key = heap_objects(&f, entries, "System.String", 60, n);
        for (uint32_t i = 0; i < n; i++) {
            forge_reference(&f, entries, widget + i);
            forge_reference(&f, widget + i, key + i);
        }
        aligned_add(&r->a, forge_finish(&f));
    }
}

Test(leak_ranking_changes, referents_of_a_finding_are_co_retained)
{
    struct ranked r = ranked_series(add_widgets);
    expect_ranking(&r, {"Widget", 20000});
    expect_along(&r, "Widget", "System.String");
    const struct ranked_type *widget = ranked_type(&r, "Widget");
    for (size_t k = 0; k < 3; k++) {
        cr_expect_eq(widget->count[k], 100 * (k + 1), "its own heads only");
        cr_expect_eq(widget->retained[k], 4000 * (k + 1));
    }
    ranked_free(&r);
}

Test(leak_ranking_changes, two_snapshots_are_enough_for_companions)
{
    struct ranked r = ranked_end(add_widgets, 2);
    expect_ranking(&r, {"Widget", 10000});
    expect_along(&r, "Widget", "System.String");
    ranked_free(&r);
}

/* --- handed over -------------------------------------------------------------------- */

static void add_archive(struct ranked *r)
{
    for (uint32_t k = 0; k < 3; k++) {
        struct forge f = {0};
        node_id statics = begin_statics(&f);
        node_id active = heap_object(&f, statics, "Active", 24);
        heap_objects(&f, heap_object(&f, active, "Order[]", 8024), "Order", 40,
                     300 - 100 * k);
        node_id archive = heap_object(&f, statics, "Archive", 24);
        heap_objects(&f, heap_object(&f, archive, "Order[]", 8024), "Order", 40,
                     10 + 100 * k);
        aligned_add(&r->a, forge_finish(&f));
    }
}

Test(leak_ranking_changes, objects_that_change_hands_do_not_grow)
{
    struct ranked r = ranked_series(add_archive);
    expect_reachable(&r, (uint64_t[]){28496, 28496, 28496});
    expect_empty_ranking(&r);
    ranked_free(&r);
}

Test(leak_ranking_changes, two_snapshots_do_not_show_a_handover)
{
    struct ranked r = ranked_end(add_archive, 2);
    expect_ranking(&r, {"Order", 4000});
    ranked_free(&r);
}

/* --- one store ---------------------------------------------------------------------- */

static const char *const events[] = {"App.E0", "App.E1", "App.E2", "App.E3", "App.E4",
                                     "App.E5", "App.E6", "App.E7", "App.E8", "App.E9"};
enum { EVENTS = 10 };

static void add_events(struct ranked *r)
{
    for (uint32_t n = 10; n <= 30; n += 10) {
        struct forge f = {0};
        node_id statics = begin_statics(&f);
        heap_object(&f, statics, "Bulk", 70000);
        node_id journal = heap_object(&f, statics, "Journal", 24);
        node_id array = heap_object(&f, journal, "Event[]", 8024);
        for (size_t e = 0; e < EVENTS; e++)
            heap_objects(&f, array, events[e], 50, n);
        aligned_add(&r->a, forge_finish(&f));
    }
}

Test(leak_ranking_changes, objects_of_one_store_are_one_finding)
{
    struct ranked r = ranked_series(add_events);
    expect_ranking(&r, {"App.E0", 10000});
    expect_along(&r, "App.E0", "App.E1", "App.E2", "App.E3", "App.E4", "App.E5", "App.E6",
                 "App.E7", "App.E8", "App.E9");
    expect_suspect(&r, "App.E0", HD_SUSPECT_SIZE);
    ranked_free(&r);
}

/* --- steady ------------------------------------------------------------------------- */

static void add_store(struct forge *f, node_id statics, const char *store,
                      const char *array, const char *type, uint32_t count)
{
    node_id held = heap_object(f, heap_object(f, statics, store, 24), array, 8024);
    heap_objects(f, held, type, 24, count);
}

static void add_steady(struct ranked *r)
{
    static const uint32_t items[] = {100, 130, 160, 190}, hits[] = {100, 101, 158, 190},
                          visits[] = {100, 148, 186, 214};
    for (size_t k = 0; k < 4; k++) {
        struct forge f = {0};
        node_id statics = begin_statics(&f);
        heap_object(&f, statics, "Bulk", 150000);
        add_store(&f, statics, "App.Items", "App.Item[]", "App.Item", items[k]);
        add_store(&f, statics, "App.Hits", "App.Hit[]", "App.Hit", hits[k]);
        add_store(&f, statics, "App.Visits", "App.Visit[]", "App.Visit", visits[k]);
        aligned_add(&r->a, forge_finish(&f));
    }
}

Test(leak_ranking_changes, growth_in_even_steps_is_the_first_suspect)
{
    struct ranked r = ranked_series(add_steady);
    expect_ranking(&r, {"App.Item", 2160}, {"App.Hit", 2232}, {"App.Visit", 1176});
    expect_suspect(&r, "App.Item", HD_SUSPECT_STEADY);
    expect_suspect(&r, "App.Hit", HD_SUSPECT_NOT);
    expect_suspect(&r, "App.Visit", HD_SUSPECT_NOT);
    ranked_free(&r);
}

/* Slopes of the last two: 32, 30 and 28 objects of 24 bytes, twice. */
Test(leak_ranking_changes, three_snapshots_do_not_show_steady_growth)
{
    struct ranked r = ranked_end(add_steady, 3);
    expect_ranking(&r, {"App.Hit", 1536}, {"App.Item", 1440}, {"App.Visit", 1344});
    expect_suspect(&r, "App.Item", HD_SUSPECT_NOT);
    ranked_free(&r);
}

/* --- one cause ------------------------------------------------------------------------ */

/* Each type has its own size and place; the second is added `times` as often as the first,
 * the third in other steps. */
static void add_alike(struct ranked *r, const uint64_t sizes[3], size_t snapshots,
                      uint32_t times, bool even)
{
    static const uint32_t uneven[] = {0, 7, 12, 21, 33}, evenly[] = {0, 7, 14, 21, 28},
                          others[] = {0, 7, 13, 21, 33};
    const uint32_t *steps = even ? evenly : uneven;
    static const char *const names[] = {"App.First", "App.Second", "App.Third"};
    for (size_t k = 0; k < snapshots; k++) {
        struct forge f = {0};
        node_id statics = begin_statics(&f);
        heap_object(&f, statics, "App.Table", 100000);
        for (size_t i = 0; i < 3; i++) {
            node_id store = heap_object(&f, statics,
                                        i == 0   ? "App.A"
                                        : i == 1 ? "App.B"
                                                 : "App.C",
                                        24);
            heap_objects(&f, store, names[i], sizes[i],
                         40 + (i == 0   ? steps[k]
                               : i == 1 ? times * steps[k]
                                        : others[k]));
        }
        aligned_add(&r->a, forge_finish(&f));
    }
}

Test(leak_ranking_changes,
     types_growing_in_the_same_steps_are_one_finding_except_large_ones)
{
    static const struct {
        uint64_t sizes[3];
        size_t snapshots, also;
        uint32_t times;
        bool even;
    } all[] = {
        {{1000, 30, 30}, 5, 1, 1, false},  /* a large one, and a small one in its steps */
        {{60, 50, 20}, 5, 1, 1, false},    /* both small */
        {{1000, 900, 30}, 5, 0, 1, false}, /* both large: two findings */
        {{1000, 30, 30}, 3, 0, 1, false},  /* two steps may be alike by chance */
        {{1000, 30, 30}, 5, 1, 3, false},  /* three of the second for each */
        {{1000, 30, 30}, 5, 1, 1, true},   /* the same number by an even load */
        {{1000, 30, 30}, 5, 0, 3, true},   /* only the same load */
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        struct ranked r = {0};
        add_alike(&r, all[i].sizes, all[i].snapshots, all[i].times, all[i].even);
        rank(&r);
        const struct ranked_type *first = &r.ranking.all[0];
        cr_assert_str_eq(r.tree.labels.all[first->label].name, "App.First", "case %zu", i);
        cr_assert_eq(first->also_count, all[i].also, "case %zu", i);
        if (first->also_count > 0)
            cr_expect_str_eq(r.tree.labels.all[first->also[0]].name, "App.Second");
        cr_expect_eq(r.ranking.len, 3 - all[i].also, "case %zu", i);
        ranked_free(&r);
    }
}

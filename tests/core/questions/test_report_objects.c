#include "ages/followed.h"
#include "base/arrays.h"
#include "render/written.h"
#include "support/asked.h"
#include "support/forge.h"
#include "support/random.h"

#include <criterion/criterion.h>

static const struct hd_object_set *set_of(const struct hd_report *r)
{
    return hd_report_model(r)->objects;
}

static void expect_held(const struct hd_object_sum *sum, enum hd_root_kind kind,
                        uint64_t wanted)
{
    cr_expect_eq(sum->held[kind], wanted, "%s: %d, not %d", hd_root_kind_name(kind),
                 (int)sum->held[kind], (int)wanted);
}

/* --- what holds them ------------------------------------------------------------- */

/* One order each held by a variable, a variable and a frame, a frame, a handle, the
 * finalizer queue, and none; variables refer to a list. */
static struct hd_snapshot *held_orders(void)
{
    struct forge f = {0};
    node_id list = forge_object(&f, "App.Store", 40);
    node_id orders = forge_objects(&f, "App.Order", 100, 6);
    forge_reference(&f, list, orders);
    forge_reference(&f, list, orders + 1);
    forge_root(&f, HD_ROOT_STACK, NULL, orders + 1);
    forge_root(&f, HD_ROOT_STACK, NULL, orders + 2);
    forge_root(&f, HD_ROOT_STRONG_HANDLE, NULL, orders + 3);
    forge_root(&f, HD_ROOT_FINALIZER, NULL, orders + 4);
    forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_all", list);
    return forge_finish(&f);
}

Test(report_objects, the_strongest_root_that_reaches_an_object_holds_it)
{
    struct hd_report *r = objects_of(held_orders(), "Order", hd_default_options());
    const struct hd_object_set *set = set_of(r);
    cr_expect_eq(set->all.count, 6);
    cr_expect_eq(set->all.bytes, 600);
    expect_held(&set->all, HD_ROOT_STATIC, 2);
    expect_held(&set->all, HD_ROOT_STACK, 1);
    expect_held(&set->all, HD_ROOT_STRONG_HANDLE, 1);
    expect_held(&set->all, HD_ROOT_FINALIZER, 1);
    expect_held(&set->all, HD_ROOT_UNREACHABLE, 1);
    uint64_t sum = 0;
    for (int kind = 0; kind < HD_ROOT_KIND_COUNT; kind++)
        sum += set->all.held[kind];
    cr_expect_eq(sum, set->all.count);
    /* The variable does not retain an order that a frame also holds; garbage has no owner.
     */
    cr_expect_eq(set->all.retained, 500);
    cr_assert_eq(set->len, 6);
    cr_expect_eq(set->rows[5].root, HD_ROOT_UNREACHABLE);
    cr_expect_eq(set->rows[5].retained, HD_UNKNOWN);
    cr_expect_eq(set->omitted, 0);
    hd_report_free(r);
}

Test(report_objects, rows_have_their_owner)
{
    struct hd_report *r = objects_of(held_orders(), "Order", hd_default_options());
    const struct hd_object_set *set = set_of(r);
    for (size_t i = 0; i < set->len; i++) {
        const struct hd_object_row *row = &set->rows[i];
        bool by_store = row->root == HD_ROOT_STATIC;
        cr_expect_eq(row->held_by != NULL, by_store);
        if (by_store)
            cr_expect_str_eq(row->held_by, "Store");
        cr_expect_eq(row->since, (size_t)-1);
    }
    hd_report_free(r);
    struct forge f = {0};
    forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_last", forge_object(&f, "App.Order", 24));
    r = objects_of(forge_finish(&f), "Order", hd_default_options());
    cr_expect_str_eq(set_of(r)->rows[0].held_by, "static s_last");
    hd_report_free(r);
}

/* Random objects below random groups, variables, and objects. */
static struct hd_snapshot *any_roots(struct random *r)
{
    enum { OBJECTS_BELOW = 20 };
    static const char *const groups[] = {"[static vars]",       "[local vars]",
                                         "[strong Handles]",    "[other roots]",
                                         "[finalizer Handles]", "[thread static vars]"};
    struct forge f = {0};
    node_id top = forge_pseudo(&f, "[.NET Roots]");
    node_id first = forge_objects(&f, "App.Any", 24, OBJECTS_BELOW);
    for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++) {
        node_id group = forge_pseudo(&f, groups[i]), below = group;
        forge_reference(&f, top, group);
        if (random_below(r, 2) == 0) {
            below = forge_pseudo(&f, "[static var App.Shop.s_any]");
            forge_reference(&f, group, below);
        }
        forge_reference(&f, below, first + random_below(r, OBJECTS_BELOW));
    }
    for (uint32_t i = random_below(r, 2 * OBJECTS_BELOW); i > 0; i--)
        forge_reference(&f, first + random_below(r, OBJECTS_BELOW),
                        first + random_below(r, OBJECTS_BELOW));
    forge_start(&f, top);
    return forge_finish(&f);
}

Test(report_objects, the_root_of_each_is_that_of_its_chain)
{
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct random r = random_from(seed), again = r;
        struct hd_snapshot *snap = any_roots(&r);
        struct hd_report *report = objects_of(any_roots(&again), "*", hd_default_options());
        struct hd_comparison *c = hd_comparison_of(&snap, 1, NULL);
        struct hd_objects *o = hd_objects_open(c, 0);
        cr_assert(hd_objects_wait(o, NULL));
        const struct hd_object_set *set = set_of(report);
        for (size_t i = 0; i < set->len; i++)
            cr_expect_eq(set->rows[i].root, hd_object_root(o, set->rows[i].object.number),
                         "seed %d, object %u", (int)seed, set->rows[i].object.number);
        hd_objects_close(o);
        hd_comparison_free(c);
        hd_snapshot_close(snap);
        hd_report_free(report);
    }
}

Test(report_objects, without_roots_retained_sizes_are_unknown)
{
    struct forge f = {0};
    forge_objects(&f, "App.Order", 24, 3);
    struct hd_report *r = objects_of(forge_finish(&f), "Order", hd_default_options());
    const struct hd_object_set *set = set_of(r);
    cr_expect_not(set->has_roots);
    cr_expect_eq(set->all.retained, HD_UNKNOWN);
    cr_expect_eq(set->types[0].retained, HD_UNKNOWN);
    expect_held(&set->all, HD_ROOT_UNREACHABLE, 3);
    cr_expect_null(set->rows[0].held_by);
    char *json = written(r, "json");
    expect_part(json, "\"root_kind\": null");
    expect_part(json, "\"retained\": null");
    free(json);
    free(written(r, "csv"));
    hd_report_free(r);
}

/* --- what they retain ------------------------------------------------------------ */

enum { OBJECTS = 14 };

static struct hd_snapshot *any_heap(struct random *r)
{
    static const char *const types[] = {"App.A", "App.B", "App.C"};
    struct forge f = {0};
    uint32_t edges = random_below(r, 3 * OBJECTS), roots = 1 + random_below(r, 3);
    for (int i = 0; i < OBJECTS; i++)
        forge_object(&f, types[random_below(r, 3)], 24 + 8 * random_below(r, 9));
    for (uint32_t i = 0; i < edges; i++)
        forge_reference(&f, random_below(r, OBJECTS), random_below(r, OBJECTS));
    for (uint32_t i = 0; i < roots; i++)
        forge_root(&f, HD_ROOT_STACK, NULL, random_below(r, OBJECTS));
    return forge_finish(&f);
}

/* The set of nodes reachable from the root without passing through one object, as bits. */
static uint64_t reached_without(const struct graph *g, node_id without)
{
    uint64_t seen = UINT64_C(1) << g->root;
    for (bool more = true; more;) {
        more = false;
        for (node_id n = 0; n < g->node_count; n++)
            for (uint32_t e = g->edge_begin[n];
                 (seen >> n & 1) && n != without && e < g->edge_begin[n + 1]; e++) {
                more |= !(seen >> g->edge_to[e] & 1);
                seen |= UINT64_C(1) << g->edge_to[e];
            }
    }
    return without != NO_NODE ? seen & ~(UINT64_C(1) << without) : seen;
}

/* Bytes that become unreachable without an object of a type, summed over all of these;
 * NULL: of any type. */
static uint64_t lost_with(const struct hd_snapshot *snap, const char *type, node_id one)
{
    const struct graph *g = snap->graph;
    uint64_t all = reached_without(g, NO_NODE), lost = 0, bytes = 0;
    for (node_id n = 0; n < g->node_count; n++) {
        const struct type *t = &snap->types[g->type[n]];
        bool is = t->kind == TYPE_OBJECT && (one == NO_NODE || n == one) &&
                  (type == NULL || strcmp(t->name, type) == 0);
        lost |= is && (all >> n & 1) ? all & ~reached_without(g, n) : 0;
    }
    for (node_id n = 0; n < g->node_count; n++)
        if (lost >> n & 1)
            bytes += graph_size(g, n);
    return bytes;
}

Test(report_objects, nested_ones_retain_each_byte_once)
{
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct random r = random_from(seed), again = r;
        struct hd_snapshot *snap = any_heap(&r);
        struct hd_options opt = hd_default_options();
        struct hd_report *report = objects_of(any_heap(&again), seed % 2 ? "*" : "B", opt);
        const struct hd_object_set *set = set_of(report);
        cr_expect_eq(set->all.retained, lost_with(snap, seed % 2 ? NULL : "App.B", NO_NODE),
                     "seed %d", (int)seed);
        for (size_t i = 0; i < set->type_count; i++)
            cr_expect_eq(set->types[i].retained,
                         lost_with(snap, set->types[i].type, NO_NODE), "seed %d, %s",
                         (int)seed, set->types[i].type);
        for (size_t i = 0; i < set->len; i++) {
            const struct hd_object_row *row = &set->rows[i];
            if (row->root != HD_ROOT_UNREACHABLE)
                cr_expect_eq(row->retained, lost_with(snap, NULL, row->object.number));
            if (i > 0)
                cr_expect_geq(row[-1].retained + 1, row->retained + 1);
        }
        hd_report_free(report);
        hd_snapshot_close(snap);
    }
}

/* --- which are listed ------------------------------------------------------------ */

static struct hd_snapshot *sized(uint32_t count)
{
    struct forge f = {0};
    for (uint32_t i = 0; i < count; i++)
        forge_root(&f, HD_ROOT_STACK, NULL,
                   forge_object(&f, "App.Order", 24 + 8 * (uint64_t)(i * 7 % count)));
    return forge_finish(&f);
}

Test(report_objects, objects_with_the_largest_retained_size_are_first)
{
    enum { COUNT = 50 };
    for (uint32_t rows = 1; rows <= COUNT + 1; rows += 10) {
        struct hd_options opt = hd_default_options();
        opt.rows = rows;
        struct hd_report *r = objects_of(sized(COUNT), "Order", opt);
        const struct hd_object_set *set = set_of(r);
        cr_assert_eq(set->len, rows < COUNT ? rows : COUNT);
        cr_expect_eq(set->omitted, COUNT - set->len);
        for (size_t i = 0; i < set->len; i++)
            cr_expect_eq(set->rows[i].retained, 24 + 8 * (COUNT - 1 - i));
        hd_report_free(r);
    }
}

/* A list with twice the maximum number of rows: depth and length must cost only one visit
 * per element. */
Test(report_objects, all_of_a_long_list_have_their_owner)
{
    enum { COUNT = 2 * HD_MAX_OBJECT_ROWS };
    struct forge f = {0};
    struct hd_options opt = hd_default_options();
    node_id first = forge_objects(&f, "App.Node", 24, COUNT);
    for (node_id n = first; n + 1 < first + COUNT; n++)
        forge_reference(&f, n, n + 1);
    forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_first", first);
    opt.rows = 0;
    struct hd_report *r = objects_of(forge_finish(&f), "*", opt);
    const struct hd_object_set *set = set_of(r);
    cr_expect_eq(set->all.count, COUNT);
    cr_expect_eq(set->all.retained, UINT64_C(24) * COUNT);
    cr_assert_eq(set->len, HD_MAX_OBJECT_ROWS);
    cr_expect_eq(set->omitted, COUNT - HD_MAX_OBJECT_ROWS);
    for (size_t i = 0; i < set->len; i++) {
        cr_assert_eq(set->rows[i].retained, UINT64_C(24) * (COUNT - i));
        cr_assert_str_eq(set->rows[i].held_by, "static s_first");
    }
    hd_report_free(r);
}

Test(report_objects, the_root_of_all_roots_may_itself_be_an_instance)
{
    struct forge f = {0};
    node_id top = forge_object(&f, "App.Order", 24);
    node_id statics = forge_pseudo(&f, "[static vars]");
    forge_reference(&f, top, statics);
    forge_reference(&f, statics, forge_object(&f, "App.Order", 24));
    forge_start(&f, top);
    struct hd_report *r = objects_of(forge_finish(&f), "App.Order", hd_default_options());
    cr_expect_eq(set_of(r)->all.count, 2);
    cr_expect_eq(set_of(r)->all.retained, 48);
    cr_expect_eq(set_of(r)->rows[0].root, HD_ROOT_OTHER);
    cr_expect_eq(set_of(r)->rows[1].root, HD_ROOT_STATIC);
    hd_report_free(r);
}

/* --- which are meant ------------------------------------------------------------- */

static struct hd_snapshot *mixed(void)
{
    struct forge f = {0};
    node_id young = forge_object(&f, "App.Order", 24),
            old = forge_object(&f, "App.Order", 24);
    node_id line = forge_object(&f, "App.OrderLine", 32);
    node_id text = forge_object(&f, "System.String", 40);
    const node_id all[] = {young, old, line, text};
    for (size_t i = 0; i < 4; i++) {
        forge_root(&f, HD_ROOT_STACK, NULL, all[i]);
        forge_generation(&f, all[i], i == 1 ? HD_GEN2 : HD_GEN0);
    }
    return forge_finish(&f);
}

Test(report_objects, filters_are_those_of_roots)
{
    static const char *const excluded[] = {"OrderLine"};
    struct hd_options opt = hd_default_options();
    struct hd_report *r = objects_of(mixed(), "*", opt);
    const struct hd_object_set *set = set_of(r);
    cr_expect_eq(set->all.count, 4);
    cr_assert_eq(set->type_count, 3);
    cr_expect_str_eq(set->types[0].type, "App.Order");
    cr_expect_eq(set->types[0].count, 2);
    cr_expect_str_eq(set->types[1].type, "App.OrderLine");
    cr_expect_str_eq(set->types[2].type, "System.String");
    hd_report_free(r);
    opt.app_only = true;
    r = objects_of(mixed(), "*", opt);
    cr_expect_eq(set_of(r)->all.count, 3);
    hd_report_free(r);
    opt.excludes = excluded;
    opt.exclude_count = 1;
    r = objects_of(mixed(), "*", opt);
    cr_expect_eq(set_of(r)->all.count, 2);
    hd_report_free(r);
    opt.gen2 = true;
    r = objects_of(mixed(), "*", opt);
    cr_assert_eq(set_of(r)->all.count, 1);
    cr_expect_eq(set_of(r)->rows[0].object.generation, HD_GEN2);
    hd_report_free(r);
}

/* Three snapshots with this number of orders each. */
enum { TAKEN = 3 };
static const uint32_t there[TAKEN] = {4, 6, 9};

static struct hd_snapshot *taken(size_t k, node_id *now)
{
    struct forge f = {0};
    now[0] = forge_object(&f, "App.Store", 24);
    node_id orders = forge_objects(&f, "App.Order", 96, there[k]);
    forge_generation(&f, now[0], HD_GEN2);
    forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_all", now[0]);
    for (uint32_t i = 0; i < there[k]; i++) {
        now[1 + i] = orders + i;
        forge_generation(&f, orders + i, HD_GEN2);
        forge_reference(&f, now[0], orders + i);
    }
    struct hd_snapshot *snap = forge_finish(&f);
    snap->clock = (double)(60 * k);
    return snap;
}

static void open_told(struct hd_snapshot **snaps)
{
    node_id before[16], now[16];
    for (size_t k = 0; k < TAKEN; k++) {
        snaps[k] = taken(k, now);
        if (k > 0)
            tell_pairs(snaps[k], snaps[k - 1], before, now, 1 + there[k - 1]);
        memcpy(before, now, sizeof(before));
    }
}

static struct hd_report *born_in(unsigned first, unsigned last, struct hd_error *err)
{
    static const char *const types[] = {"Order"};
    struct hd_snapshot *snaps[TAKEN];
    struct hd_options opt = hd_default_options();
    opt.types = types;
    opt.type_count = 1;
    opt.born_first = first;
    opt.born_last = last;
    open_told(snaps);
    struct hd_report *r = ask_objects(snaps, TAKEN, &opt, err);
    close_all(snaps, TAKEN);
    return r;
}

Test(report_objects, those_that_were_new_in_a_snapshot_are_chosen)
{
    static const struct {
        unsigned first, last;
        uint64_t count;
    } asked[] = {{1, 1, 4}, {2, 2, 2}, {3, 3, 3}, {2, 3, 5}, {1, 3, 9}};
    for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
        struct hd_error err = {0};
        struct hd_report *r = born_in(asked[i].first, asked[i].last, &err);
        cr_assert_not_null(r, "%s", err.message);
        const struct hd_object_set *set = set_of(r);
        cr_expect_eq(set->identity, HD_SAME_BY_EVENTS);
        cr_expect_eq(set->all.count, asked[i].count, "new in %u to %u: %d", asked[i].first,
                     asked[i].last, (int)set->all.count);
        for (size_t k = 0; k < set->len; k++) {
            cr_expect_geq(set->rows[k].since + 1, asked[i].first);
            cr_expect_leq(set->rows[k].since + 1, asked[i].last);
        }
        hd_report_free(r);
    }
}

/* A bus held by a local variable only; in the second snapshot with a subscriber in it, one
 * in a new object that it holds, and one held by a local variable only. */
static struct hd_snapshot *local_bus(bool later, node_id *bus)
{
    struct forge f = {0};
    *bus = forge_object(&f, "App.Bus", 24);
    forge_generation(&f, *bus, HD_GEN2);
    forge_root(&f, HD_ROOT_STACK, NULL, *bus);
    if (later) {
        node_id subscribers = forge_objects(&f, "App.Subscriber", 40, 3);
        node_id list = forge_object(&f, "App.List", 24);
        for (node_id n = subscribers; n <= list; n++)
            forge_generation(&f, n, HD_GEN0);
        forge_reference(&f, *bus, subscribers);
        forge_reference(&f, *bus, list);
        forge_reference(&f, list, subscribers + 1);
        forge_root(&f, HD_ROOT_STACK, NULL, subscribers + 2);
    }
    return forge_finish(&f);
}

Test(report_objects,
     objects_held_by_a_local_variable_through_an_older_object_are_counted_separately)
{
    static const char *const types[] = {"Subscriber"};
    struct hd_snapshot *snaps[2];
    struct hd_options opt = hd_default_options();
    struct hd_error err = {0};
    node_id before, now;
    snaps[0] = local_bus(false, &before);
    snaps[1] = local_bus(true, &now);
    snaps[1]->clock = 60;
    tell_pairs(snaps[1], snaps[0], &before, &now, 1);
    opt.types = types;
    opt.type_count = 1;
    struct hd_report *r = ask_objects(snaps, 2, &opt, &err);
    cr_assert_not_null(r, "%s", err.message);
    cr_expect_eq(set_of(r)->all.held_by_older, HD_UNKNOWN);
    hd_report_free(r);
    opt.born_first = opt.born_last = 2;
    r = ask_objects(snaps, 2, &opt, &err);
    cr_assert_not_null(r, "%s", err.message);
    expect_held(&set_of(r)->all, HD_ROOT_STACK, 3);
    cr_expect_eq(set_of(r)->all.held_by_older, 2);
    cr_expect_eq(set_of(r)->types[0].held_by_older, 2);
    hd_report_free(r);
    close_all(snaps, 2);
}

Test(report_objects, in_a_series_the_first_snapshot_of_each_object_is_given)
{
    struct hd_report *r = born_in(0, 0, NULL);
    size_t since[TAKEN] = {0};
    cr_assert_not_null(r);
    for (size_t i = 0; i < set_of(r)->len; i++)
        since[set_of(r)->rows[i].since]++;
    cr_expect_eq(since[0], 4);
    cr_expect_eq(since[1], 2);
    cr_expect_eq(since[2], 3);
    hd_report_free(r);
}

/* --- what there is not ----------------------------------------------------------- */

static void expect_refused(struct hd_snapshot **snaps, size_t count, const char *type,
                           unsigned born, const char *part)
{
    struct hd_error err = {0};
    struct hd_options opt = hd_default_options();
    opt.types = &type;
    opt.type_count = type != NULL;
    opt.born_first = opt.born_last = born;
    cr_expect_null(ask_objects(snaps, count, &opt, &err));
    cr_expect_eq(err.status, HD_USAGE);
    expect_part(err.message, part);
    close_all(snaps, count);
}

Test(report_objects, a_missing_type_is_refused)
{
    struct hd_snapshot *table = shop_table(10), *one = shop(1), *other = shop(1);
    struct hd_snapshot *two[] = {shop(1), shop(2)}, *same[] = {shop(1), shop(2)};
    expect_refused(&table, 1, "Order", 0, "holds no objects");
    expect_refused(&one, 1, "Ordr", 0, "did you mean App.Order?");
    expect_refused(&other, 1, "Order", 1, "two snapshots");
    expect_refused(two, 2, "Order", 3, "no snapshot 3");
    expect_refused(same, 2, NULL, 0, "takes a type");
}

/* A type that exists only in an earlier snapshot is not an error. */
Test(report_objects, a_type_may_have_no_objects_left)
{
    struct forge f = {0};
    struct hd_snapshot *snaps[2] = {shop(1), NULL};
    const char *type = "Order";
    struct hd_options opt = hd_default_options();
    forge_root(&f, HD_ROOT_STACK, NULL, forge_object(&f, "App.Other", 24));
    snaps[1] = forge_finish(&f);
    opt.types = &type;
    opt.type_count = 1;
    struct hd_report *r = ask_objects(snaps, 2, &opt, NULL);
    cr_assert_not_null(r);
    cr_expect_eq(set_of(r)->all.count, 0);
    cr_expect_eq(set_of(r)->all.retained, 0);
    cr_expect_eq(set_of(r)->len, 0);
    char *text = written(r, "text");
    expect_part(text, "0 Order objects");
    free(text);
    close_all(snaps, 2);
    hd_report_free(r);
}

#include "owners/holders.h"

#include "heap/builder.h"
#include "support/forge.h"
#include "support/random.h"

#include <criterion/criterion.h>
#include <string.h>

/* --- helpers ------------------------------------------------------------------------- */

/* The holders of a snapshot; both are freed together. */
struct held {
    struct hd_snapshot *snap, *holders;
    enum selection selection;
};

static struct held held_of(struct hd_snapshot *snap, enum selection selection)
{
    return (struct held){snap, holders_of(snap, selection, NULL, NULL, 0), selection};
}

static void held_free(struct held *h)
{
    snapshot_free(h->holders);
    hd_snapshot_close(h->snap);
}

static void expect_holder(const struct held *h, const char *name, uint64_t count,
                          uint64_t bytes)
{
    const struct type *row = forge_type(h->holders, TYPE_OBJECT, name);
    cr_assert_not_null(row, "no holder %s", name);
    struct hd_tally t = row->tally[h->selection];
    cr_expect_eq(t.count, count, "%s: %llu", name, (unsigned long long)t.count);
    cr_expect_eq(t.bytes, bytes, "%s: %llu bytes", name, (unsigned long long)t.bytes);
}

static struct hd_tally sum_of(const struct hd_snapshot *snap, enum selection selection)
{
    struct hd_tally sum = {0};
    for (type_id t = 0; t < snap->type_count; t++) {
        if (snap->types[t].kind != TYPE_OBJECT)
            continue;
        sum.count += snap->types[t].tally[selection].count;
        sum.bytes += snap->types[t].tally[selection].bytes;
    }
    return sum;
}

static void expect_whole_heap(const struct held *h)
{
    struct hd_tally all = sum_of(h->snap, h->selection);
    struct hd_tally held = sum_of(h->holders, h->selection);
    cr_assert_eq(held.count, all.count);
    cr_assert_eq(held.bytes, all.bytes);
}

/* --- rows ------------------------------------------------------------------------------
 */

/* static -> list -> array -> 5 orders, each with a line; a string on the stack; 3 lost
 * ones. Orders 0 and 1 and one of the lost are old. */
static struct hd_snapshot *shop(void)
{
    struct forge f = {0};
    node_id list = forge_object(&f, "List<Order>", 32);
    node_id array = forge_object(&f, "Order[]", 64);
    node_id orders = forge_objects(&f, "Order", 96, 5);
    node_id lines = forge_objects(&f, "Line", 24, 5);
    node_id string = forge_object(&f, "System.String", 40);
    node_id lost = forge_objects(&f, "Lost", 100, 3);
    forge_reference(&f, list, array);
    for (node_id i = 0; i < 5; i++) {
        forge_reference(&f, array, orders + i);
        forge_reference(&f, orders + i, lines + i);
    }
    forge_root(&f, HD_ROOT_STATIC, "App.s_all", list);
    forge_root(&f, HD_ROOT_STACK, NULL, string);
    forge_generation(&f, orders, HD_GEN2);
    forge_generation(&f, orders + 1, HD_GEN2);
    forge_generation(&f, orders + 2, HD_GEN1);
    forge_generation(&f, lost, HD_GEN2);
    return forge_finish(&f);
}

#define LIST "[static vars] → [static var App.s_all]"

Test(holders, objects_count_where_their_owner_is)
{
    struct held h = held_of(shop(), SELECT_ALL);
    expect_holder(&h, LIST, 1, 32);
    expect_holder(&h, LIST " → List<Order>", 1, 64);
    expect_holder(&h, LIST " → List<Order> → Order[]", 5, 5 * 96);
    expect_holder(&h, LIST " → List<Order> → Order[] → Order", 5, 5 * 24);
    expect_holder(&h, "[local vars]", 1, 40);
    expect_holder(&h, "[unreachable]", 3, 300);
    cr_expect_eq(h.holders->type_count, 6, "nothing holds nothing");
    expect_whole_heap(&h);
    held_free(&h);
}

Test(holders, only_old_objects_count_if_gen2_is_selected)
{
    struct held h = held_of(shop(), SELECT_GEN2);
    expect_holder(&h, LIST " → List<Order> → Order[]", 2, 2 * 96);
    expect_holder(&h, "[unreachable]", 1, 100);
    cr_expect_eq(h.holders->type_count, 2);
    expect_whole_heap(&h);
    held_free(&h);
}

Test(holders, nothing_unreachable_is_left_if_reachable_is_selected)
{
    static const enum selection cases[] = {SELECT_REACHABLE,
                                           SELECT_REACHABLE | SELECT_GEN2};
    for (size_t i = 0; i < 2; i++) {
        struct held h = held_of(shop(), cases[i]);
        cr_expect_null(forge_type(h.holders, TYPE_OBJECT, "[unreachable]"));
        expect_holder(&h, LIST " → List<Order> → Order[]", i == 0 ? 5 : 2,
                      i == 0 ? 5 * 96 : 2 * 96);
        expect_whole_heap(&h);
        held_free(&h);
    }
}

Test(holders, a_snapshot_of_holders_is_a_table)
{
    struct held h = held_of(shop(), SELECT_ALL);
    cr_expect_null(h.holders->graph);
    cr_expect(h.holders->read.tables_only);
    cr_expect_eq(h.holders->info.objects, h.snap->info.objects);
    held_free(&h);
}

Test(holders, objects_with_two_holders_belong_to_their_common_owner)
{
    struct forge f = {0};
    node_id top = forge_object(&f, "Top", 24), left = forge_object(&f, "Left", 24),
            right = forge_object(&f, "Right", 24), shared = forge_object(&f, "Shared", 8);
    forge_reference(&f, top, left);
    forge_reference(&f, top, right);
    forge_reference(&f, left, shared);
    forge_reference(&f, right, shared);
    forge_root(&f, HD_ROOT_STATIC, "App.s_all", top);
    struct held h = held_of(forge_finish(&f), SELECT_ALL);
    expect_holder(&h, LIST " → Top", 3, 24 + 24 + 8);
    held_free(&h);
}

Test(holders, without_roots_all_is_unreachable)
{
    struct forge f = {0};
    forge_objects(&f, "Lost", 100, 3);
    struct held h = held_of(forge_finish(&f), SELECT_ALL);
    expect_holder(&h, "[unreachable]", 3, 300);
    cr_expect_eq(h.holders->type_count, 1);
    held_free(&h);
}

/* --- names -----------------------------------------------------------------------------
 */

enum { MAX_TYPES = 40, NAME = 16 };

/* [local vars] -> T01 -> T02 -> ..., `types` of them. */
static struct held held_by_depth(int types)
{
    struct forge f = {0};
    for (int i = 1; i <= types; i++) {
        char name[NAME];
        snprintf(name, sizeof(name), "T%02d", i);
        node_id n = forge_object(&f, name, 8);
        if (i > 1)
            forge_reference(&f, n - 1, n);
    }
    forge_root(&f, HD_ROOT_STACK, NULL, 0);
    return held_of(forge_finish(&f), SELECT_ALL);
}

static void add_types(struct text *t, int from, int to)
{
    for (int i = from; i <= to; i++) {
        char name[NAME];
        snprintf(name, sizeof(name), " → T%02d", i);
        text_add_string(t, name);
    }
}

Test(holders, a_path_of_32_is_named_in_full)
{
    struct held h = held_by_depth(32); /* above T32 there are 31 types and [local vars] */
    struct text name = {0};
    text_add_string(&name, "[local vars]");
    add_types(&name, 1, 31);
    expect_holder(&h, text_string(&name), 1, 8);
    text_free(&name);
    expect_whole_heap(&h);
    held_free(&h);
}

Test(holders, a_deeper_path_keeps_16_at_either_end)
{
    for (int types = 33; types <= MAX_TYPES; types++) {
        struct held h = held_by_depth(types);
        struct text name = {0};
        text_add_string(&name, "[local vars]");
        add_types(&name, 1, 15);
        text_add_string(&name, " → …");
        add_types(&name, types - 16, types - 1);
        expect_holder(&h, text_string(&name), 1, 8);
        text_free(&name);
        expect_whole_heap(&h);
        held_free(&h);
    }
}

Test(holders, a_linked_list_is_one_holder)
{
    enum { LONG = 100000 };
    struct forge f = {0};
    forge_objects(&f, "Node", 24, LONG);
    for (node_id n = 1; n < LONG; n++)
        forge_reference(&f, n - 1, n);
    forge_root(&f, HD_ROOT_STACK, NULL, 0);
    struct held h = held_of(forge_finish(&f), SELECT_ALL);
    cr_expect_leq(h.holders->type_count, 2);
    expect_whole_heap(&h);
    held_free(&h);
}

/* --- by definition ---------------------------------------------------------------------
 */

/* Types are scaled separately: fractions of objects add up. */
Test(holders, rows_of_a_sample_sum_to_the_heap_whatever_is_selected)
{
    static const char *const names[] = {"A", "B", "C", "D"};
    struct random r = random_from(34);
    for (int round = 0; round < 2000; round++) {
        struct forge f = {.sampled = true};
        uint32_t objects = 4 + random_below(&r, 60);
        for (uint32_t i = 0; i < objects; i++) {
            const char *name = names[i < 4 ? i : random_below(&r, 4)];
            node_id n = forge_object(&f, name, 1 + random_below(&r, 99));
            forge_generation(&f, n, random_below(&r, 2) ? HD_GEN2 : HD_GEN0);
        }
        for (uint32_t i = 0; i < 4; i++)
            forge_multiplier(&f, names[i], 0.3 + 0.37 * (double)random_below(&r, 30));
        for (uint32_t i = random_below(&r, 2 * objects); i > 0; i--)
            forge_reference(&f, random_below(&r, objects), random_below(&r, objects));
        for (uint32_t i = 1 + random_below(&r, 9); i > 0; i--)
            forge_root(&f, random_below(&r, 2) ? HD_ROOT_STACK : HD_ROOT_STRONG_HANDLE,
                       NULL, random_below(&r, objects));
        struct held h = held_of(forge_finish(&f), random_below(&r, SELECTIONS));
        expect_whole_heap(&h);
        held_free(&h);
    }
}

Test(holders, rows_sum_to_the_heap_whatever_is_selected)
{
    static const char *const names[] = {"A", "B", "C", "D"};
    struct random r = random_from(33);
    for (int round = 0; round < 2000; round++) {
        struct forge f = {0};
        uint32_t objects = 1 + random_below(&r, 40);
        uint64_t lost = 0;
        for (uint32_t i = 0; i < objects; i++) {
            node_id n =
                forge_object(&f, names[random_below(&r, 4)], 8 * random_below(&r, 9));
            forge_generation(&f, n, random_below(&r, 2) ? HD_GEN2 : HD_GEN0);
        }
        for (uint32_t i = random_below(&r, 2 * objects); i > 0; i--)
            forge_reference(&f, random_below(&r, objects), random_below(&r, objects));
        for (uint32_t i = 1 + random_below(&r, 3); i > 0; i--)
            forge_root(&f, random_below(&r, 2) ? HD_ROOT_STACK : HD_ROOT_STRONG_HANDLE,
                       NULL, random_below(&r, objects));
        struct held h = held_of(forge_finish(&f), random_below(&r, SELECTIONS));
        expect_whole_heap(&h);
        for (node_id n = 0; n < objects; n++)
            lost += !graph_reachable(h.snap->graph, n);
        if (h.selection == SELECT_ALL && lost > 0)
            cr_assert_eq(forge_type(h.holders, TYPE_OBJECT, "[unreachable]")->raw.count,
                         lost);
        held_free(&h);
    }
}

#include "owners/holders.h"

#include "heap/builder.h"
#include "heap/names.h"
#include "support/forge.h"

#include <criterion/criterion.h>
#include <string.h>

enum { CACHE, UNREACHABLE, PARTS };

static size_t part_of(const void *context, const char *holder)
{
    (void)context;
    if (strstr(holder, "s_cache]") != NULL)
        return CACHE;
    return strcmp(holder, HOLDER_UNREACHABLE) == 0 ? UNREACHABLE : PARTS;
}

static const struct holder_parts parts = {PARTS, part_of, NULL};

/* Thirty orders below s_cache, on two paths; ten below s_leak, five unreachable. */
static struct hd_snapshot *heap(bool sampled)
{
    struct forge f = {.sampled = sampled};
    node_id cache = forge_object(&f, "App.Cache", 24);
    node_id box = forge_object(&f, "App.Box", 24);
    node_id leak = forge_object(&f, "App.Leak", 24);
    node_id orders = forge_objects(&f, "App.Order", 100, 45);
    forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_cache", cache);
    forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_leak", leak);
    forge_reference(&f, cache, box);
    for (uint32_t i = 0; i < 40; i++)
        forge_reference(&f, i < 20 ? cache : i < 30 ? box : leak, orders + i);
    if (sampled)
        forge_multiplier(&f, "App.Order", 4);
    return forge_finish(&f);
}

static void expect_row(const struct hd_snapshot *part, const char *name, uint64_t count,
                       uint64_t bytes)
{
    const struct type *row = forge_type(part, TYPE_OBJECT, name);
    cr_assert_not_null(row, "no %s", name);
    cr_expect_eq(row->tally[SELECT_ALL].count, count, "%s: %lu", name,
                 (unsigned long)row->tally[SELECT_ALL].count);
    cr_expect_eq(row->tally[SELECT_ALL].bytes, bytes);
}

Test(holder_parts, have_the_types_below_their_holders_and_no_others)
{
    for (int sampled = 0; sampled < 2; sampled++) {
        uint64_t m = sampled ? 4 : 1;
        struct hd_snapshot *snap = heap(sampled), *of_parts[PARTS];
        struct hd_snapshot *holders = holders_of(snap, SELECT_ALL, &parts, of_parts, 0);
        cr_assert_eq(of_parts[CACHE]->type_count, 3);
        expect_row(of_parts[CACHE], "App.Cache", 1, 24);
        expect_row(of_parts[CACHE], "App.Box", 1, 24);
        expect_row(of_parts[CACHE], "App.Order", 30 * m, 3000 * m);
        cr_assert_eq(of_parts[UNREACHABLE]->type_count, 1);
        expect_row(of_parts[UNREACHABLE], "App.Order", 5 * m, 500 * m);
        cr_expect_float_eq(
            of_parts[CACHE]->types[of_parts[CACHE]->type_count - 1].count_scale, (double)m,
            1e-9);
        for (size_t i = 0; i < PARTS; i++)
            snapshot_free(of_parts[i]);
        snapshot_free(holders);
        hd_snapshot_close(snap);
    }
}

Test(holder_parts, have_the_facts_of_the_process)
{
    struct hd_snapshot *snap = heap(false), *of_parts[PARTS];
    hd_fact_set(&snap->facts, HD_FACT_RESIDENT, 77);
    struct hd_snapshot *holders = holders_of(snap, SELECT_ALL, &parts, of_parts, 0);
    cr_expect_eq(hd_fact(&holders->facts, HD_FACT_RESIDENT), 77);
    for (size_t i = 0; i < PARTS; i++) {
        cr_expect_eq(hd_fact(&of_parts[i]->facts, HD_FACT_RESIDENT), 77);
        snapshot_free(of_parts[i]);
    }
    snapshot_free(holders);
    hd_snapshot_close(snap);
}

Test(holder_parts, have_no_unreachable_part_if_only_reachable_objects_count)
{
    struct hd_snapshot *snap = heap(false), *of_parts[PARTS];
    struct hd_snapshot *holders = holders_of(snap, SELECT_REACHABLE, &parts, of_parts, 0);
    cr_expect_eq(of_parts[UNREACHABLE]->type_count, 0);
    for (size_t i = 0; i < PARTS; i++)
        snapshot_free(of_parts[i]);
    snapshot_free(holders);
    hd_snapshot_close(snap);
}

/* Types of one name with several multipliers share a row, whose bytes and objects have
 * different scales. */
Test(holder_parts, bytes_of_a_sample_add_up_to_those_of_the_table)
{
    struct forge f = {.sampled = true};
    node_id shop = forge_object(&f, "App.Shop", 24);
    forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_shop", shop);
    forge_objects(&f, "App.Order", 10, 10);
    forge_multiplier(&f, "App.Order", 4);
    forge_objects(&f, "App.Order (Bytes > 10K)", 20000, 2);
    struct hd_snapshot *snap = forge_finish(&f), *of_parts[PARTS];
    struct hd_snapshot *holders = holders_of(snap, SELECT_ALL, &parts, of_parts, 0);
    expect_row(snap, "App.Order", 42, 40400);
    expect_row(of_parts[UNREACHABLE], "App.Order", 42, 40400);
    for (size_t i = 0; i < PARTS; i++)
        snapshot_free(of_parts[i]);
    snapshot_free(holders);
    hd_snapshot_close(snap);
}

static const struct type *holder(const struct hd_snapshot *holders, const char *pattern)
{
    const struct type *found = NULL;
    for (type_id t = 0; t < holders->type_count; t++)
        if (names_match(pattern, holders->types[t].name))
            found = &holders->types[t];
    cr_assert_not_null(found, "no %s", pattern);
    return found;
}

/* One box with scale 1 and ten orders with scale 4: the scale of their sum is the weighted
 * mean. */
Test(holder_parts, the_scale_of_a_holder_is_the_mean_of_its_objects)
{
    struct hd_snapshot *snap = heap(true);
    struct hd_snapshot *holders = holders_of(snap, SELECT_ALL, NULL, NULL, 0);
    cr_expect_float_eq(holder(holders, "*s_leak] → App.Leak")->count_scale, 4, 1e-9);
    cr_expect_float_eq(holder(holders, "*s_cache] → App.Cache")->count_scale,
                       (80 * 4 + 1) / 81.0, 1e-9);
    snapshot_free(holders);
    hd_snapshot_close(snap);
}

/* Free space between objects: a fact outside of all totals, and a finding if it keeps
 * growing. */
#include "ranking/free_growth.h"

#include "owners/aligned.h"
#include "ranking/process_growth.h"

#include <criterion/criterion.h>

enum { SNAPSHOTS = 6 };
#define MIB (UINT64_C(1) << 20)

/* Tables of a type and of free space; sizes in MiB. */
static const struct hd_free_growth *grown(struct aligned *a, const uint64_t *of_type,
                                          const uint64_t *of_free)
{
    struct made_row rows[] = {{.type = "App.Item"}, {.type = "Free"}};
    for (size_t k = 0; k < SNAPSHOTS; k++) {
        rows[0].count[k] = 1000;
        rows[0].bytes[k] = of_type[k] * MIB;
        rows[1].count[k] = 10 * (k + 1);
        rows[1].bytes[k] = of_free[k] * MIB;
    }
    aligned_add_tables(a, rows, 2, SNAPSHOTS);
    align(a, NULL);
    return free_growth_of(&a->series, NULL, &a->arena);
}

static void expect_finding(bool wanted, const uint64_t *of_type, const uint64_t *of_free)
{
    struct aligned a = {0};
    const struct hd_free_growth *g = grown(&a, of_type, of_free);
    cr_assert_not_null(g);
    cr_expect_eq(g->is_finding, wanted);
    cr_expect_eq(g->hint != NULL, wanted);
    cr_expect_eq(g->bytes[SNAPSHOTS - 1], of_free[SNAPSHOTS - 1] * MIB);
    cr_expect_eq(g->blocks[0], 10);
    cr_expect_eq(g->largest[0], HD_UNKNOWN);
    cr_expect_eq(g->within, HD_FACT_COUNT);
    aligned_free(&a);
}

static const uint64_t flat[] = {13, 13, 13, 13, 13, 13};

Test(free_growth, is_found_where_it_keeps_growing)
{
    expect_finding(true, flat, (const uint64_t[]){5, 45, 91, 140, 188, 240});
}

Test(free_growth, that_fluctuates_or_levels_off_is_not_reported)
{
    expect_finding(false, flat, (const uint64_t[]){5, 45, 2, 60, 3, 61});
    expect_finding(false, flat, (const uint64_t[]){5, 45, 91, 92, 92, 92});
}

Test(free_growth, that_is_a_small_share_of_the_heap_is_not_reported)
{
    static const uint64_t large[] = {900, 900, 900, 900, 900, 900};
    expect_finding(false, large, (const uint64_t[]){5, 25, 45, 65, 85, 105});
}

Test(free_growth, that_objects_outgrow_is_not_reported)
{
    expect_finding(false, (const uint64_t[]){13, 60, 120, 180, 240, 300},
                   (const uint64_t[]){5, 45, 91, 140, 188, 240});
}

/* The rule for the process needs four of its sizes. */
Test(free_growth, of_a_process_with_few_sizes_is_found_by_the_heap)
{
    static const uint64_t of_free[] = {5, 45, 91, 140, 188, 240};
    for (size_t known = 2; known <= 4; known++) {
        const struct hd_process_growth process = {.known = known, .where = HD_PART_COUNT};
        struct aligned a = {0};
        grown(&a, flat, of_free);
        const struct hd_free_growth *g = free_growth_of(&a.series, &process, &a.arena);
        cr_assert_not_null(g);
        cr_expect_eq(g->is_finding, known < 4, "%zu", known);
        aligned_free(&a);
    }
}

Test(free_growth, is_not_in_totals)
{
    struct aligned a = {0};
    grown(&a, flat, (const uint64_t[]){5, 45, 91, 140, 188, 240});
    cr_expect_eq(a.series.row_count, 1);
    cr_expect_eq(a.series.totals[0].count, 1000);
    cr_expect_eq(a.series.totals[SNAPSHOTS - 1].bytes, 13 * MIB);
    cr_expect_eq(a.snaps[0]->info.types, 1);
    aligned_free(&a);
}

Test(free_growth, a_class_of_that_name_has_references)
{
    struct forge f = {0};
    node_id owner = forge_object(&f, "App.Store", 24), free = forge_object(&f, "Free", 64);
    forge_root(&f, HD_ROOT_STATIC, "App.Store", owner);
    forge_reference(&f, owner, free);
    struct hd_snapshot *snap = forge_finish(&f);
    cr_expect_eq(snap->info.objects, 2);
    cr_expect_eq(hd_fact(&snap->facts, HD_FACT_FRAGMENTED), HD_UNKNOWN);
    snapshot_free(snap);
}

Test(free_growth, nodes_without_references_are_blocks)
{
    struct forge f = {0};
    forge_root(&f, HD_ROOT_PINNED_HANDLE, NULL, forge_object(&f, "App.Buffer", 24));
    forge_object(&f, "Free", 64);
    forge_object(&f, "Free", 4096);
    struct hd_snapshot *snap = forge_finish(&f);
    cr_expect_eq(snap->info.objects, 1);
    cr_expect_eq(snap->info.bytes, 24);
    cr_expect_str_eq(snap->pinned.type, "App.Buffer");
    cr_expect_eq(snap->pinned.at.count, 1);
    cr_expect_eq(hd_fact(&snap->facts, HD_FACT_FREE_BLOCKS), 2);
    cr_expect_eq(hd_fact(&snap->facts, HD_FACT_FRAGMENTED), 4160);
    cr_expect_eq(hd_fact(&snap->facts, HD_FACT_LARGEST_FREE), 4096);
    snapshot_free(snap);
}

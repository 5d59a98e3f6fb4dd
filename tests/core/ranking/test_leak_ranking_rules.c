/* The rules of docs/ranking.md one by one, on the smallest heaps that need them. */
#include "ranking/ranked.h"
#include "support/large.h"

static node_id begin_statics(struct forge *f)
{
    return heap_group(f, heap_root(f), "[static vars]");
}

/* One snapshot per count: [static vars] -> App.Cache -> `count` objects. */
static void add_counts(struct ranked *r, const char *type, uint64_t size,
                       const uint32_t *counts, size_t snapshots)
{
    for (size_t k = 0; k < snapshots; k++) {
        struct forge f = {0};
        node_id cache = heap_object(&f, begin_statics(&f), "App.Cache", 24);
        heap_objects(&f, cache, type, size, counts[k]);
        aligned_add(&r->a, forge_finish(&f));
    }
}

/* --- growth of one type ----------------------------------------------------------- */

Test(leak_ranking_rules, a_store_that_is_still_filling_counts_by_its_last_rate)
{
    /* 0, 1000, 1500, 1700 bytes: 200 per step at the end, a fifth of the first 1000. */
    static const uint32_t counts[] = {0, 100, 150, 170};
    struct ranked r = {0};
    add_counts(&r, "App.Item", 10, counts, 4);
    rank(&r);
    expect_ranking(&r, {"App.Item", 600 / 5});
    ranked_free(&r);
}

Test(leak_ranking_rules, a_dip_costs_a_share_of_the_score)
{
    static const uint32_t counts[] = {10, 30, 20, 40};
    struct ranked r = {0};
    add_counts(&r, "App.Item", 10, counts, 4);
    rank(&r);
    expect_ranking(&r, {"App.Item", 225 * 4.0 / 9});
    cr_expect_float_eq(r.ranking.all[0].tau, 2.0 / 3, 1e-12);
    ranked_free(&r);
}

Test(leak_ranking_rules, growth_that_ended_in_the_first_half_is_not_ranked)
{
    static const uint32_t counts[] = {20, 150, 160, 160, 160};
    struct ranked r = {0};
    add_counts(&r, "App.Item", 10, counts, 5);
    rank(&r);
    expect_empty_ranking(&r);
    ranked_free(&r);
}

/* The buffer is constant in the last interval; its remaining rate is two thirds of that of
 * its first three snapshots. */
Test(leak_ranking_rules, a_buffer_that_doubles_grows_in_size)
{
    static const uint64_t sizes[] = {819224, 1638424, 3276824, 3276824};
    struct ranked r = {0};
    for (size_t k = 0; k < 4; k++) {
        struct forge f = {0};
        node_id log = heap_object(&f, begin_statics(&f), "App.Log", 24);
        heap_object(&f, log, "System.Byte[]", sizes[k]);
        aligned_add(&r.a, forge_finish(&f));
    }
    rank(&r);
    expect_ranking(&r, {"System.Byte[]", 2457600 * 25.0 / 36 * 2 / 3});
    ranked_free(&r);
}

Test(leak_ranking_rules, rates_are_per_iteration_where_those_are_known)
{
    /* Slopes 1, 4 and 3.25 objects of 10 bytes over 40 iterations; 3.25 is used. */
    static const uint64_t iterations[] = {0, 10, 40};
    static const uint32_t counts[] = {10, 20, 140};
    struct ranked r = {.iterations = iterations};
    add_counts(&r, "App.Item", 10, counts, 3);
    rank(&r);
    expect_ranking(&r, {"App.Item", 1300});
    ranked_free(&r);
}

Test(leak_ranking_rules, fifty_snapshots_are_ranked_like_three)
{
    struct arena arena = {0};
    struct hd_snapshot *snaps[SERIES_MAX_SNAPSHOTS];
    struct ownership_tree t;
    ownership_tree_begin(&t, SERIES_MAX_SNAPSHOTS);
    for (uint32_t k = 0; k < SERIES_MAX_SNAPSHOTS; k++) {
        struct forge f = {0};
        node_id cache = heap_object(&f, begin_statics(&f), "App.Cache", 24);
        heap_objects(&f, cache, "App.Item", 10, 10 + 3 * k);
        snaps[k] = forge_finish(&f);
        ownership_tree_add(&t, k, snaps[k], SELECT_ALL);
    }
    ownership_tree_align(&t);
    struct series s;
    struct series_warnings warnings = {0};
    struct series_question ask = {0};
    cr_assert(series_align(&s, snaps, SERIES_MAX_SNAPSHOTS, &ask, &arena, &warnings, NULL));
    struct leak_ranking h = leak_ranking_of(&t, &s, NULL, &usual_line, &arena);
    cr_assert_eq(h.len, 1);
    cr_expect_float_eq(h.all[0].score, 30 * 49, 1e-6);
    cr_expect_eq(h.all[0].count[49], 10 + 3 * 49);
    for (size_t k = 0; k < SERIES_MAX_SNAPSHOTS; k++)
        hd_snapshot_close(snaps[k]);
    ownership_tree_free(&t);
    arena_free(&arena);
}

/* --- owners -------------------------------------------------------------------------- */

/* Owners grow from 10 to 20, their objects from 200: 400 more would be explained by half.
 */
static void add_share(struct ranked *r, uint32_t more_owned)
{
    for (uint32_t k = 0; k < 2; k++) {
        struct forge f = {0};
        node_id cache = heap_object(&f, begin_statics(&f), "App.Cache", 24);
        node_id owner = heap_objects(&f, cache, "App.Owner", 100, 10 + 10 * k);
        heap_objects(&f, owner, "App.Owned", 10, 200 + more_owned * k);
        aligned_add(&r->a, forge_finish(&f));
    }
}

Test(leak_ranking_rules, growth_explained_by_half_is_ranked_with_the_other_half)
{
    struct ranked r = {0};
    add_share(&r, 400);
    rank(&r);
    expect_ranking(&r, {"App.Owner", 5000 - 2000}, {"App.Owned", 2000});
    ranked_free(&r);
}

Test(leak_ranking_rules, growth_explained_by_more_is_attributed_to_its_owner)
{
    struct ranked r = {0};
    add_share(&r, 399);
    rank(&r);
    expect_ranking(&r, {"App.Owner", 4990});
    ranked_free(&r);
}

/* Two tables grow as fast as their holder: a type that grows in size is not a container of
 * another. */
Test(leak_ranking_rules, only_what_grows_in_count_has_a_container)
{
    struct ranked r = {0};
    for (uint32_t k = 1; k <= 2; k++) {
        struct forge f = {0};
        node_id table = heap_object(&f, begin_statics(&f), "App.Bucket[]", 100 * k);
        heap_objects(&f, table, "System.Byte[]", 1000 * k, 2);
        aligned_add(&r.a, forge_finish(&f));
    }
    rank(&r);
    expect_ranking(&r, {"System.Byte[]", 2000}, {"App.Bucket[]", 100});
    ranked_free(&r);
}

/* Eleven items of App.X drop their buffers, 10,000 bytes, while their log entries gain
 * 19,900: their remaining growth is negative, which must not reduce that of App.Y. */
Test(leak_ranking_rules, a_head_in_debt_does_not_lower_another)
{
    struct ranked r = {0};
    for (uint32_t k = 0; k < 2; k++) {
        struct forge f = {0};
        node_id statics = begin_statics(&f), x = heap_object(&f, statics, "App.X", 24);
        node_id item = heap_objects(&f, x, "App.Item", 8, 10 + k);
        for (uint32_t i = 0; k == 0 && i < 10; i++)
            heap_object(&f, item + i, "System.Byte[]", 1000);
        heap_objects(&f, item, "App.Entry", 10, k == 0 ? 10 : 2000);
        heap_objects(&f, heap_object(&f, statics, "App.Y", 24), "App.Item", 8, 100 * k);
        aligned_add(&r.a, forge_finish(&f));
    }
    rank(&r);
    expect_ranking(&r, {"App.Entry", 19890}, {"App.Item", 800});
    ranked_free(&r);
}

/* --- snapshots that are unfit, objects that are young ----------------------------------
 */

/* The second of four snapshots is nearly empty: it is left out, with its position on the
 * axis and its number of threads. */
Test(leak_ranking_rules, unfit_snapshots_are_left_out)
{
    static const uint32_t arrays[] = {100, 1, 120, 130}, threads[] = {10, 1, 10, 13};
    struct ranked r = {0};
    for (size_t k = 0; k < 4; k++) {
        struct forge f = {0};
        node_id root = heap_root(&f);
        heap_objects(&f, heap_group(&f, root, "[local vars]"), "System.Object[]", 100,
                     arrays[k]);
        node_id strong = heap_group(&f, root, "[strong Handles]");
        heap_objects(&f, strong, "System.Threading.Thread", 10, threads[k]);
        aligned_add(&r.a, forge_finish(&f));
    }
    align(&r.a, NULL);
    cr_assert_eq(r.a.series.usable_count, 3);
    ownership_tree_begin(&r.tree, 3);
    for (size_t k = 0; k < 3; k++)
        ownership_tree_add(&r.tree, k, r.a.snaps[r.a.series.usable[k]], SELECT_ALL);
    ownership_tree_align(&r.tree);
    r.ranking = leak_ranking_of(&r.tree, &r.a.series, NULL, &usual_line, &r.a.arena);
    /* At 1, 3 and 4 the threads rise by 0 and then by 3; a third of that per step remains.
     */
    expect_ranking(&r, {"System.Threading.Thread", 30 * 4.0 / 9});
    ranked_free(&r);
}

Test(leak_ranking_rules, with_gen2_ranks_old_objects_only)
{
    struct ranked r = {.selection = SELECT_GEN2};
    for (uint32_t k = 0; k < 3; k++) {
        struct forge f = {0};
        node_id cache = heap_object(&f, begin_statics(&f), "App.Cache", 24);
        forge_generation(&f, cache, HD_GEN2);
        uint32_t count = 10 + 10 * k;
        node_id young = heap_objects(&f, cache, "App.Young", 100, count);
        node_id old = heap_objects(&f, cache, "App.Old", 10, count);
        for (uint32_t i = 0; i < count; i++) {
            forge_generation(&f, young + i, HD_GEN0);
            forge_generation(&f, old + i, HD_GEN2);
        }
        aligned_add(&r.a, forge_finish(&f));
    }
    rank(&r);
    expect_ranking(&r, {"App.Old", 200});
    ranked_free(&r);
}

/* 2 sqrt(10 * 100) objects are noise if each of ten represents ten. */
Test(leak_ranking_rules, a_sample_has_to_grow_by_more_than_its_noise)
{
    static const uint32_t last[] = {15, 20};
    for (size_t i = 0; i < 2; i++) {
        struct ranked r = {0};
        for (uint32_t k = 0; k < 2; k++) {
            struct forge f = {0};
            node_id cache = heap_object(&f, begin_statics(&f), "App.Cache", 24);
            heap_objects(&f, cache, "App.Item", 8, k == 0 ? 10 : last[i]);
            forge_multiplier(&f, "App.Item", 10);
            aligned_add(&r.a, forge_finish(&f));
        }
        rank(&r);
        if (i == 0)
            expect_empty_ranking(&r);
        else
            expect_ranking(&r, {"App.Item", 800});
        ranked_free(&r);
    }
}

/* Two heads with the same credit: the first by the names along its path. */
Test(leak_ranking_rules, the_holder_of_equal_heads_is_that_of_the_first_by_name)
{
    struct ranked r = {0};
    for (uint32_t k = 0; k < 2; k++) {
        struct forge f = {0};
        node_id statics = begin_statics(&f);
        static const char *const holders[] = {"App.C", "App.A", "App.B"};
        for (size_t i = 0; i < 3; i++)
            heap_objects(&f, heap_object(&f, statics, holders[i], 24), "App.Item", 10,
                         5 * k);
        aligned_add(&r.a, forge_finish(&f));
    }
    rank(&r);
    expect_ranking(&r, {"App.Item", 150});
    cr_expect_str_eq(holder_of(&r, "App.Item"), "[static vars] > App.A");
    ranked_free(&r);
}

/* --- the list --------------------------------------------------------------------------
 */

Test(leak_ranking_rules, equal_scores_are_sorted_by_objects_and_then_by_name)
{
    struct ranked r = {0};
    for (uint32_t k = 0; k < 2; k++) {
        struct forge f = {0};
        node_id cache = heap_object(&f, begin_statics(&f), "App.Cache", 24);
        heap_objects(&f, cache, "App.C", 80, 10 * k);
        heap_objects(&f, cache, "App.A", 80, 10 * k);
        heap_objects(&f, cache, "App.Z", 40, 20 * k);
        heap_objects(&f, cache, "App.B", 80, 10 * k);
        heap_objects(&f, cache, "App.Y", 1000, k);
        aligned_add(&r.a, forge_finish(&f));
    }
    rank(&r);
    expect_ranking(&r, {"App.Y", 1000}, {"App.Z", 800}, {"App.A", 800}, {"App.B", 800},
                   {"App.C", 800});
    ranked_free(&r);
}

/* Two lists of items: one row, with the objects of both, and the holder of the larger one.
 */
Test(leak_ranking_rules, heads_of_one_type_add_up)
{
    struct ranked r = {0};
    for (uint32_t k = 0; k < 3; k++) {
        struct forge f = {0};
        node_id statics = begin_statics(&f);
        node_id small = heap_object(&f, statics, "App.Small", 24);
        heap_objects(&f, small, "App.Item", 10, 5 + 5 * k);
        node_id large = heap_object(&f, statics, "App.Large", 24);
        heap_objects(&f, large, "App.Item", 10, 7 + 7 * k);
        aligned_add(&r.a, forge_finish(&f));
    }
    rank(&r);
    expect_ranking(&r, {"App.Item", 240});
    cr_expect_str_eq(holder_of(&r, "App.Item"), "[static vars] > App.Large");
    for (uint64_t k = 0; k < 3; k++) {
        cr_expect_eq(r.ranking.all[0].count[k], 12 + 12 * k);
        cr_expect_eq(r.ranking.all[0].retained[k], 120 + 120 * k);
    }
    ranked_free(&r);
}

Test(leak_ranking_rules, free_space_groups_of_roots_and_unknown_objects_are_not_ranked)
{
    struct ranked r = {0};
    for (uint32_t k = 1; k <= 3; k++) {
        struct forge f = {0};
        node_id statics = begin_statics(&f);
        forge_objects(&f, "Free", 1000, 10 * k);
        for (uint32_t i = 0; i < 10 * k; i++) {
            heap_object(&f, heap_group(&f, statics, "[static var App.s_item]"), "App.Item",
                        1);
            forge_reference(&f, statics, forge_undefined(&f));
        }
        aligned_add(&r.a, forge_finish(&f));
    }
    rank(&r);
    expect_ranking(&r, {"App.Item", 20});
    ranked_free(&r);
}

Test(leak_ranking_rules, a_path_that_is_not_in_a_snapshot_has_no_full_path_there)
{
    static const uint32_t counts[] = {0, 5};
    struct ranked r = {0};
    add_counts(&r, "App.Item", 10, counts, 2);
    rank(&r);
    const label_id *labels;
    path_id head = ranked_type(&r, "App.Item")->head;
    cr_expect_eq(tree_full_path(&r.tree, head, 0, &labels, &r.a.arena), 0);
    cr_expect_eq(tree_full_path(&r.tree, head, 1, &labels, &r.a.arena), 3);
    ranked_free(&r);
}

/* Depth equals the number of objects: without recursion or quadratic steps. */
Test(leak_ranking_rules, rank_a_trie_of_a_million_paths, .timeout = 60)
{
    static const char *const types[] = {"App.A", "App.B", "App.C", "App.D", "App.E",
                                        "App.F", "App.G", "App.H", "App.I"};
    enum { LONG = MILLION / 2, LONGER = MILLION };
    struct ranked r = {0};
    for (uint32_t k = 0; k < 2; k++) {
        struct forge f = {0};
        node_id at = begin_statics(&f);
        for (uint32_t i = 0; i < (k == 0 ? LONG : LONGER); i++)
            at = heap_object(&f, at, types[i % 9], 8);
        aligned_add(&r.a, forge_finish(&f));
    }
    rank(&r);
    /* The whole second half is below its first object, the only head. */
    expect_ranking(&r, {types[LONG % 9], 8.0 * (LONGER - LONG)});
    ranked_free(&r);
}

/* Series with planted leaks: type tables, ownership trees and dominators must give exactly
 * their known numbers. */
#include "owners/retained.h"
#include "ranking/planted.h"
#include "support/leaks.h"

#include <stdlib.h>

enum { SNAPSHOTS = 4 };

static struct leak_series series_of(enum leak_kind kind, uint64_t seed)
{
    return (struct leak_series){
        .kind = kind, .seed = seed, .per_step = 20, .swing_percent = 20};
}

static void add_series(struct aligned *a, const struct leak_series *s)
{
    for (size_t k = 0; k < SNAPSHOTS; k++)
        aligned_add(a, leak_snapshot(s, k));
    align(a, NULL);
}

/* --- ownership trees
 * ------------------------------------------------------------------------- */

static void expect_truth_in_tree(enum leak_kind kind)
{
    struct leak_series s = series_of(kind, 5);
    struct leak_truth truth = leak_truth(&s, SNAPSHOTS);
    struct aligned a = {0};
    add_series(&a, &s);
    struct ownership_tree t = ownership_tree_of(&a);
    path_id p = find_culprit(&t, truth.name, truth.path);
    for (size_t k = 0; k < SNAPSHOTS; k++) {
        expect_in_path(&t, p, k, truth.name, truth.count[k], truth.retained[k]);
        expect_full_path(&t, p, k, truth.name, truth.path);
    }
    ownership_tree_free(&t);
    aligned_free(&a);
}

Test(leaks, have_the_true_path_and_size_in_the_trie)
{
    for (enum leak_kind kind = LEAK_NONE + 1; kind < LEAK_KINDS; kind++)
        expect_truth_in_tree(kind);
}

Test(leaks, are_dominated_by_their_culprits_whatever_the_class_of_roots)
{
    for (enum leak_kind kind = LEAK_NONE + 1; kind < LEAK_KINDS; kind++) {
        if (kind == LEAK_LIST || kind == LEAK_BUFFER)
            continue; /* strings and byte[] outside of the leak are everywhere */
        struct leak_series s = series_of(kind, 6);
        struct leak_truth truth = leak_truth(&s, 1);
        struct hd_snapshot *snap = leak_snapshot(&s, 0);
        struct dominators d = dominators_find(snap, DOMINATORS_PLAIN);
        struct arena scratch = {0};
        const uint64_t *by_type = retained_by_type(&d, snap, &scratch);
        uint64_t got = by_type[forge_type_id(snap, TYPE_OBJECT, truth.found[0])];
        cr_expect_eq(got, truth.retained[0], "%s: %llu bytes", truth.name,
                     (unsigned long long)got);
        arena_free(&scratch);
        dominators_free(&d);
        hd_snapshot_close(snap);
    }
}

/* --- tables ------------------------------------------------------------------------- */

/* The noise is the same with and without a leak, so the difference is the leak. */
Test(leaks, add_just_their_culprits_to_the_type_table)
{
    struct leak_series healthy = series_of(LEAK_NONE, 5);
    struct aligned without = {0};
    add_series(&without, &healthy);
    for (enum leak_kind kind = LEAK_NONE + 1; kind < LEAK_KINDS; kind++) {
        struct leak_series s = series_of(kind, 5);
        struct leak_truth truth = leak_truth(&s, SNAPSHOTS);
        struct aligned a = {0};
        add_series(&a, &s);
        for (size_t k = 0; k < SNAPSHOTS; k++) {
            uint64_t more = table_tally(&a, truth.found[0], k).count -
                            table_tally(&without, truth.found[0], k).count;
            cr_expect_eq(more, truth.count[k], "%s, snapshot %zu: %llu", truth.name, k,
                         (unsigned long long)more);
        }
        aligned_free(&a);
    }
    aligned_free(&without);
}

/* Everything is reachable, and the snapshots are consistent. */
Test(leaks, are_series_without_warnings)
{
    for (enum leak_kind kind = LEAK_NONE; kind < LEAK_KINDS; kind++) {
        struct leak_series s = series_of(kind, 7);
        struct aligned a = {0};
        add_series(&a, &s);
        cr_expect_eq(a.warnings.len, 0);
        cr_expect_eq(a.series.usable_count, SNAPSHOTS);
        for (size_t k = 0; k < SNAPSHOTS; k++) {
            const struct hd_info *info = hd_snapshot_info(a.snaps[k]);
            cr_expect_eq(a.snaps[k]->warnings.len, 0);
            cr_expect_eq(info->reachable_objects, info->objects);
            cr_expect_eq(info->reachable_bytes, info->bytes);
        }
        aligned_free(&a);
    }
}

Test(leaks, are_mixed_with_a_warm_up_a_cache_and_a_queue)
{
    struct leak_series s = series_of(LEAK_EVENT, 8);
    struct aligned a = {0};
    add_series(&a, &s);
    static const uint64_t methods[SNAPSHOTS] = {200, 1500, 1600, 1600};
    for (size_t k = 0; k < SNAPSHOTS; k++) {
        struct hd_tally found = table_tally(&a, "System.Reflection.RuntimeMethodInfo", k);
        cr_expect_eq(found.count, methods[k]);
        cr_expect_eq(found.bytes, 104 * methods[k]);
        cr_expect_eq(table_tally(&a, "App.CacheItem", k).count, leak_cache_items(&s, k));
        cr_expect_eq(table_tally(&a, "App.Job", k).count, leak_queue_jobs(&s, k));
        cr_expect_eq(table_tally(&a, "App.Product", k).count, 800);
    }
    aligned_free(&a);
}

Test(leaks, have_a_cache_that_swings_as_far_as_asked_for)
{
    static const uint32_t swings[] = {20, 50};
    for (size_t i = 0; i < 2; i++) {
        uint32_t least = UINT32_MAX, most = 0;
        for (uint64_t seed = 0; seed < 200; seed++) {
            struct leak_series s = {.seed = seed, .swing_percent = swings[i]};
            for (size_t k = 0; k < LEAK_SNAPSHOTS; k++) {
                uint32_t items = leak_cache_items(&s, k);
                least = items < least ? items : least;
                most = items > most ? items : most;
            }
        }
        cr_expect_eq(least, LEAK_CACHE_ITEMS - swings[i], "%u", least);
        cr_expect_eq(most, LEAK_CACHE_ITEMS + swings[i], "%u", most);
    }
}

/* --- seeds --------------------------------------------------------------------------- */

Test(leaks, are_the_same_for_a_seed_and_others_for_another)
{
    for (enum leak_kind kind = LEAK_NONE; kind < LEAK_KINDS; kind++) {
        struct leak_series s = series_of(kind, 9), other = series_of(kind, 10);
        for (size_t k = 0; k < SNAPSHOTS; k++) {
            struct hd_snapshot *one = leak_snapshot(&s, k), *again = leak_snapshot(&s, k),
                               *another = leak_snapshot(&other, k);
            cr_expect(same_graphs(one, again), "kind %d, snapshot %zu", (int)kind, k);
            cr_expect_not(same_graphs(one, another), "kind %d, snapshot %zu", (int)kind, k);
            hd_snapshot_close(one);
            hd_snapshot_close(again);
            hd_snapshot_close(another);
        }
    }
}

Test(leaks, grow_by_the_requested_number_of_objects_per_step)
{
    static const uint32_t paces[] = {60, 20, 6};
    for (enum leak_kind kind = LEAK_NONE + 1; kind < LEAK_KINDS; kind++)
        for (size_t i = 0; i < 3; i++) {
            struct leak_series s = {.kind = kind, .seed = 1, .per_step = paces[i]};
            struct leak_truth truth = leak_truth(&s, LEAK_SNAPSHOTS);
            for (size_t k = 1; k < LEAK_SNAPSHOTS; k++) {
                uint64_t more = truth.count[k] - truth.count[k - 1];
                cr_expect_eq(more, kind == LEAK_BUFFER ? 0 : paces[i], "%s", truth.name);
                cr_expect_gt(truth.retained[k], truth.retained[k - 1], "%s", truth.name);
            }
        }
}

/* --- the ranking --------------------------------------------------------------------- */

Test(leaks, are_found_first_in_four_snapshots)
{
    for (enum leak_kind kind = LEAK_NONE + 1; kind < LEAK_KINDS; kind++) {
        struct leak_series s = series_of(kind, 1);
        s.per_step = 60;
        struct leak_truth truth = leak_truth(&s, SNAPSHOTS);
        struct aligned a = {0};
        add_series(&a, &s);
        struct ownership_tree t = ownership_tree_of(&a);
        struct leak_ranking h = leak_ranking_of(&t, &a.series, NULL, &usual_line, &a.arena);
        cr_assert_gt(h.len, 0, "%s", truth.name);
        const char *first = t.labels.all[h.all[0].label].name;
        cr_expect(leak_is_found(&truth, first), "%s: %s", truth.name, first);
        ownership_tree_free(&t);
        aligned_free(&a);
    }
}

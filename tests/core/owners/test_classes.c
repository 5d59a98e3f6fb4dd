/* The series of classes.h: the heaps have the properties that their truth and their names
 * claim. */
#include "ranking/planted.h"
#include "support/classes.h"

#include <stdlib.h>

static const struct class_series any_class = {.seed = 3, .snapshots = CLASS_SNAPSHOTS};

static struct class_series class_of(enum class_kind kind)
{
    struct class_series s = any_class;
    s.kind = kind;
    return s;
}

static void add_class(struct aligned *a, const struct class_series *s)
{
    for (size_t k = 0; k < s->snapshots; k++)
        aligned_add(a, class_snapshot(s, k));
    align(a, NULL);
}

Test(classes, have_the_true_path_and_size_in_the_trie)
{
    for (enum class_kind kind = 0; kind < CLASS_KINDS; kind++) {
        struct class_series s = class_of(kind);
        struct class_truth truth = class_truth(&s);
        struct aligned a = {0};
        add_class(&a, &s);
        struct ownership_tree t = ownership_tree_of(&a);
        for (size_t k = 0; k < s.snapshots; k++) {
            const char *const *path = truth.path[k];
            path_id p = find_culprit(&t, class_name(kind), path);
            cr_expect_str_eq(t.labels.all[t.label[p]].name, truth.found[0]);
            expect_in_path(&t, p, k, class_name(kind), truth.count[k], truth.retained[k]);
            expect_full_path(&t, p, k, class_name(kind), path);
        }
        ownership_tree_free(&t);
        aligned_free(&a);
    }
}

Test(classes, are_series_without_warnings_of_any_length)
{
    for (enum class_kind kind = 0; kind < CLASS_KINDS; kind++)
        for (size_t snapshots = 4; snapshots <= CLASS_SNAPSHOTS; snapshots++) {
            struct class_series s = {.kind = kind, .seed = 4, .snapshots = snapshots};
            struct aligned a = {0};
            add_class(&a, &s);
            cr_expect_eq(a.warnings.len, 0, "%s", class_name(kind));
            cr_expect_eq(a.series.usable_count, snapshots, "%s", class_name(kind));
            for (size_t k = 0; k < snapshots; k++) {
                const struct hd_info *info = hd_snapshot_info(a.snaps[k]);
                cr_expect_eq(a.snaps[k]->warnings.len, 0, "%s", class_name(kind));
                cr_expect_eq(info->reachable_objects, info->objects, "%s",
                             class_name(kind));
            }
            aligned_free(&a);
        }
}

Test(classes, are_the_same_for_a_seed_and_others_for_another)
{
    for (enum class_kind kind = 0; kind < CLASS_KINDS; kind++) {
        struct class_series s = class_of(kind), other = s;
        other.seed++;
        for (size_t k = 0; k < s.snapshots; k++) {
            struct hd_snapshot *one = class_snapshot(&s, k), *again = class_snapshot(&s, k),
                               *another = class_snapshot(&other, k);
            cr_expect(same_graphs(one, again), "%s, snapshot %zu", class_name(kind), k);
            cr_expect_not(same_graphs(one, another), "%s, snapshot %zu", class_name(kind),
                          k);
            hd_snapshot_close(one);
            hd_snapshot_close(again);
            hd_snapshot_close(another);
        }
    }
}

Test(classes, of_healthy_programs_allocate_nothing_when_a_holder_is_added_or_changed)
{
    static const enum class_kind kinds[] = {CLASS_SHARED_OLD, CLASS_HANDED_OVER};
    for (size_t i = 0; i < 2; i++) {
        struct class_series s = class_of(kinds[i]);
        struct class_truth truth = class_truth(&s);
        struct aligned a = {0};
        add_class(&a, &s);
        for (size_t k = 0; k < s.snapshots; k++) {
            cr_expect_eq(table_tally(&a, "App.Order", k).count, 500);
            cr_expect_eq(table_tally(&a, "App.OrderLine", k).count, 1000);
            cr_expect(k == 0 || truth.count[k] > truth.count[k - 1]);
            cr_expect_lt(truth.count[k], 500);
        }
        aligned_free(&a);
    }
}

Test(classes, that_hand_over_take_from_one_table_what_they_put_into_the_other)
{
    static const char *const active[] = {
        "[static vars]",
        "[static var App.Orders.s_active]",
        "System.Collections.Generic.Dictionary<System.Int32,App.Order>",
        "System.Collections.Generic.Dictionary<System.Int32,App.Order>+Entry[]",
        "App.Order",
        NULL};
    struct class_series s = class_of(CLASS_HANDED_OVER);
    struct class_truth truth = class_truth(&s);
    struct aligned a = {0};
    add_class(&a, &s);
    struct ownership_tree t = ownership_tree_of(&a);
    path_id p = find_culprit(&t, "active", active);
    for (size_t k = 0; k < s.snapshots; k++)
        cr_expect_eq(t.count[p * s.snapshots + k] + truth.count[k], 500);
    ownership_tree_free(&t);
    aligned_free(&a);
}

Test(classes, that_share_old_objects_leak_others)
{
    struct class_series s = class_of(CLASS_SHARING);
    struct class_truth truth = class_truth(&s);
    static const char *const shared[] = {"[static vars]", "App.Order", NULL};
    struct aligned a = {0};
    add_class(&a, &s);
    struct ownership_tree t = ownership_tree_of(&a);
    path_id p = find_culprit(&t, "shared", shared);
    for (size_t k = 0; k < s.snapshots; k++) {
        cr_expect_eq(table_tally(&a, "App.Order", k).count, 500);
        cr_expect_eq(table_tally(&a, "App.Session", k).count, truth.count[k]);
        cr_expect_eq(t.count[p * s.snapshots + k], truth.count[k]);
    }
    ownership_tree_free(&t);
    aligned_free(&a);
}

/* Neither owns the other: both are owned by the owner of table and list. */
Test(classes, of_two_holders_have_keys_next_to_their_values)
{
    static const char *const keys[] = {"[static vars]", "[static var App.Main.s_instance]",
                                       "App.Main", "System.String", NULL};
    struct class_series s = class_of(CLASS_TWO_HOLDERS);
    struct class_truth truth = class_truth(&s);
    struct aligned a = {0};
    add_class(&a, &s);
    struct ownership_tree t = ownership_tree_of(&a);
    path_id p = find_culprit(&t, "keys", keys);
    for (size_t k = 0; k < s.snapshots; k++) {
        cr_expect_eq(t.count[p * s.snapshots + k], truth.count[k]);
        cr_expect_gt(t.retained[p * s.snapshots + k], truth.retained[k]);
    }
    ownership_tree_free(&t);
    aligned_free(&a);
}

Test(classes, of_many_entries_hang_from_another_object_in_every_snapshot)
{
    struct class_series s = class_of(CLASS_ENTRIES);
    struct class_truth truth = class_truth(&s);
    for (size_t i = 0; i < s.snapshots; i++)
        for (size_t k = 0; k < i; k++)
            cr_expect_str_neq(truth.path[i][2], truth.path[k][2], "%zu, %zu", i, k);
}

/* In bytes of the whole series; a line is 2 % of it. */
Test(classes, in_one_store_are_small_each_and_large_together)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct class_series s = {
            .kind = CLASS_TEN_CLASSES, .seed = seed, .snapshots = CLASS_SNAPSHOTS};
        struct class_truth truth = class_truth(&s);
        struct hd_snapshot *first = class_snapshot(&s, 0),
                           *last = class_snapshot(&s, s.snapshots - 1);
        uint64_t line = hd_snapshot_info(last)->reachable_bytes / 50, together = 0;
        for (size_t i = 0; i < CLASS_NAMES; i++) {
            uint64_t more =
                forge_type(last, TYPE_OBJECT, truth.found[i])->tally[SELECT_ALL].bytes -
                forge_type(first, TYPE_OBJECT, truth.found[i])->tally[SELECT_ALL].bytes;
            cr_expect_gt(more, 0, "%s", truth.found[i]);
            cr_expect_lt(more, line, "%s: %llu of %llu", truth.found[i],
                         (unsigned long long)more, (unsigned long long)line);
            together += more;
        }
        cr_expect_gt(together, 3 * line, "%llu", (unsigned long long)together);
        hd_snapshot_close(first);
        hd_snapshot_close(last);
    }
}

Test(classes, that_are_slow_leak_three_tenths_of_a_percent_per_step)
{
    struct class_series s = class_of(CLASS_BUSY);
    struct class_truth truth = class_truth(&s);
    for (size_t k = 1; k < s.snapshots; k++) {
        struct hd_snapshot *snap = class_snapshot(&s, k);
        double heap = (double)hd_snapshot_info(snap)->reachable_bytes;
        double share = (double)(truth.retained[k] - truth.retained[k - 1]) / heap;
        cr_expect(share > 0.002 && share < 0.004, "%f", share);
        cr_expect_eq(truth.count[k], truth.count[k - 1] + 20);
        hd_snapshot_close(snap);
    }
}

/* --- loads ---------------------------------------------------------------------------- */

/* Number of steps with an increase, a decrease, or neither. */
struct steps {
    unsigned up, down, flat;
};

static struct steps steps_of(const struct class_series *s)
{
    struct class_truth truth = class_truth(s);
    struct steps steps = {0};
    for (size_t k = 1; k < s->snapshots; k++) {
        steps.up += truth.count[k] > truth.count[k - 1];
        steps.down += truth.count[k] < truth.count[k - 1];
        steps.flat += truth.count[k] == truth.count[k - 1];
    }
    return steps;
}

Test(classes, of_retained_bursts_are_flat_in_three_steps_of_five)
{
    static const unsigned bursts[] = {[4] = 1, [5] = 2, [6] = 2};
    for (uint64_t seed = 0; seed < 50; seed++)
        for (size_t n = 4; n <= CLASS_SNAPSHOTS; n++) {
            struct steps steps = steps_of(
                &(struct class_series){.kind = CLASS_BURSTS, .seed = seed, .snapshots = n});
            cr_expect_eq(steps.up, bursts[n], "%u of %zu", steps.up, n);
            cr_expect_eq(steps.down, 0);
        }
}

Test(classes, of_a_stopped_load_are_constant_in_the_last_two_steps)
{
    for (size_t n = 4; n <= CLASS_SNAPSHOTS; n++) {
        struct class_series s = {.kind = CLASS_STOPPED, .seed = 5, .snapshots = n};
        struct class_truth truth = class_truth(&s);
        cr_expect_eq(truth.count[n - 1], truth.count[n - 3]);
        cr_expect_eq(truth.count[n - 2], truth.count[n - 3]);
        cr_expect_eq(steps_of(&s).up, n - 3);
    }
}

Test(classes, of_a_cache_fill_it_more_and_more_slowly_and_no_further)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct class_truth truth = class_truth(&(struct class_series){
            .kind = CLASS_FILLING, .seed = seed, .snapshots = CLASS_SNAPSHOTS});
        for (size_t k = 2; k < CLASS_SNAPSHOTS; k++)
            cr_expect_leq(truth.count[k] - truth.count[k - 1],
                          truth.count[k - 1] - truth.count[k - 2]);
        cr_expect_eq(truth.count[4], 400);
        cr_expect_eq(truth.count[5], 400);
    }
}

Test(classes, that_walk_take_steps_of_five_percent_both_ways)
{
    struct steps all = {0};
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct class_series s = {
            .kind = CLASS_WALK, .seed = seed, .snapshots = CLASS_SNAPSHOTS};
        struct class_truth truth = class_truth(&s);
        struct steps steps = steps_of(&s);
        for (size_t k = 1; k < s.snapshots; k++)
            cr_expect_eq(llabs((long long)(truth.count[k] - truth.count[k - 1])),
                         (long long)(truth.count[k - 1] / 20));
        all.up += steps.up;
        all.down += steps.down;
    }
    cr_expect(all.up > 200 && all.down > 200, "%u up, %u down", all.up, all.down);
}

Test(classes, of_a_day_and_of_draining_bursts_rise_and_fall)
{
    static const enum class_kind kinds[] = {CLASS_DAY, CLASS_DRAINING};
    for (size_t i = 0; i < 2; i++) {
        unsigned only_up = 0;
        for (uint64_t seed = 0; seed < 100; seed++) {
            struct class_series s = {
                .kind = kinds[i], .seed = seed, .snapshots = CLASS_SNAPSHOTS};
            only_up += steps_of(&s).down == 0;
        }
        cr_expect_lt(only_up, 5, "%s: %u", class_name(kinds[i]), only_up);
    }
}

/* Poisson: the variance is the mean, 30. */
Test(classes, at_random_arrive_like_independent_objects)
{
    double sum = 0, squares = 0;
    enum { SEEDS = 400 };
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct class_truth truth = class_truth(
            &(struct class_series){.kind = CLASS_RANDOM, .seed = seed, .snapshots = 4});
        double step = (double)(truth.count[1] - truth.count[0]);
        sum += step;
        squares += step * step;
    }
    double mean = sum / SEEDS, variance = squares / SEEDS - mean * mean;
    cr_expect(mean > 28.5 && mean < 31.5, "%f", mean);
    cr_expect(variance > 22 && variance < 38, "%f", variance);
}

/* The array doubles once at most, and usually not at all. */
Test(classes, of_values_grow_without_a_visible_change)
{
    unsigned doubled = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct class_truth truth = class_truth(&(struct class_series){
            .kind = CLASS_DOUBLING, .seed = seed, .snapshots = CLASS_SNAPSHOTS});
        uint64_t first = truth.retained[0] - 24, last = truth.retained[5] - 24;
        cr_expect_eq(first, 65536);
        cr_expect(last == first || last == 2 * first);
        doubled += last > first;
    }
    cr_expect(doubled > 20 && doubled < 95, "%u", doubled);
}

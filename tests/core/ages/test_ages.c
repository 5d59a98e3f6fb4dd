/* Survivors in digests, compared with the lives of all objects. */
#include "ages/followed.h"

#include "ages/cohorts.h"

#include <criterion/criterion.h>

/* --- some of the snapshots are compared ------------------------------------------------
 */

struct compared {
    size_t at[SNAPSHOTS], count;
};

static size_t arrived_at(const struct history *h, size_t i, size_t k)
{
    while (k > 0 && h->store[i][k - 1] == h->store[i][k])
        k--;
    return k;
}

/* The cohort, among the compared snapshots, of an object that exists in snapshot k. */
static size_t cohort_in(const struct history *h, size_t i, size_t k,
                        const struct compared *c)
{
    size_t born = 0, cohort = 0;
    while (h->store[i][born] == NOWHERE)
        born++;
    while (born > c->at[0] && c->at[cohort] < arrived_at(h, i, k))
        cohort++;
    return cohort;
}

static void expect_store(const struct history *h, const struct compared *c,
                         const struct cohorts *b, path_id p, unsigned store)
{
    uint64_t survived = 0;
    for (size_t j = 0; j < c->count; j++)
        for (size_t k = j; k < c->count; k++) {
            uint32_t there = 0, lost = 0;
            size_t now = c->at[k], next = k + 1 < c->count ? c->at[k + 1] : 0;
            for (size_t i = 0; i < THINGS; i++) {
                if (h->store[i][now] != store || is_lost(i) || cohort_in(h, i, now, c) != j)
                    continue;
                there++;
                lost += next > 0 &&
                        (h->store[i][next] != store || arrived_at(h, i, next) > now);
                survived += k + 1 == c->count && j > 0 ? size_of_thing(i) : 0;
            }
            cr_expect_eq(cohorts_at(b, p, j, k), there,
                         "store %u, cohort %zu in %zu: %u, not %u", store, j, k,
                         cohorts_at(b, p, j, k), there);
            if (k + 1 < c->count)
                cr_expect_eq(cohorts_lost(b, p, j, k), lost,
                             "store %u, of cohort %zu in %zu", store, j, k);
        }
    cr_expect_eq(b->survived[p], survived);
}

static void expect_kept(const struct history *h, const struct compared *c,
                        const struct cohorts *b, const struct hd_snapshot *last)
{
    uint64_t kept = 0;
    for (size_t i = 0; i < THINGS; i++)
        kept +=
            h->store[i][c->at[0]] != NOWHERE && h->store[i][c->at[c->count - 1]] != NOWHERE;
    cr_expect_eq(b->kept[forge_type_id(last, TYPE_OBJECT, "App.Thing")], kept);
}

static void compare(const struct history *h, struct hd_snapshot **digests,
                    const struct compared *c)
{
    struct ranked r = {0};
    struct cohorts b = {0};
    for (size_t k = 0; k < c->count; k++)
        r.a.snaps[r.a.count++] = digests[c->at[k]];
    fold_series(&r);
    cohorts_of_digests(&b, &r.tree, (const struct hd_snapshot *const *)r.a.snaps,
                       SELECT_ALL);
    cr_assert_eq(b.source, HD_SAME_BY_EVENTS);
    cohorts_end(&b);
    expect_store(h, c, &b, ranked_path(&r, "App.Orders > App.Thing"), 0);
    expect_store(h, c, &b, ranked_path(&r, "App.Archive > App.Thing"), 1);
    expect_kept(h, c, &b, r.a.snaps[c->count - 1]);
    cohorts_free(&b);
    r.a.count = 0;
    ownership_tree_free(&r.tree);
    arena_free(&r.a.arena);
}

Test(ages, digests_of_any_snapshots_know_what_each_object_did)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct random rnd = random_from(seed);
        struct history h;
        struct hd_snapshot *digests[SNAPSHOTS];
        live(&h, &rnd);
        followed_digests(&h, &rnd, digests);
        for (unsigned chosen = 1; chosen < 1U << SNAPSHOTS; chosen++) {
            struct compared c = {.count = 0};
            for (size_t k = 0; k < SNAPSHOTS; k++)
                if (chosen >> k & 1)
                    c.at[c.count++] = k;
            if (c.count >= 2)
                compare(&h, digests, &c);
        }
        for (size_t k = 0; k < SNAPSHOTS; k++)
            hd_snapshot_close(digests[k]);
    }
}

/* --- where nothing is known ------------------------------------------------------------
 */

static enum hd_identity_source source_of(struct hd_snapshot *const *digests, size_t count,
                                         enum selection selection)
{
    struct ranked r = {.selection = selection};
    struct cohorts b = {0};
    for (size_t k = 0; k < count; k++)
        r.a.snaps[r.a.count++] = digests[k];
    fold_series(&r);
    cohorts_of_digests(&b, &r.tree, (const struct hd_snapshot *const *)r.a.snaps,
                       selection);
    enum hd_identity_source source = b.source;
    cohorts_free(&b);
    r.a.count = 0;
    ownership_tree_free(&r.tree);
    arena_free(&r.a.arena);
    return source;
}

Test(ages, are_not_known_of_another_order_another_series_or_generations)
{
    struct random rnd = random_from(7);
    struct history h, other;
    struct hd_snapshot *a[SNAPSHOTS], *b[SNAPSHOTS];
    live(&h, &rnd);
    live(&other, &rnd);
    followed_digests(&h, &rnd, a);
    followed_digests(&other, &rnd, b);
    cr_expect_eq(source_of(a, SNAPSHOTS, SELECT_ALL), HD_SAME_BY_EVENTS);
    cr_expect_eq(source_of(a, SNAPSHOTS, SELECT_REACHABLE), HD_SAME_BY_EVENTS);
    cr_expect_eq(source_of(a, SNAPSHOTS, SELECT_GEN2), HD_SAME_UNKNOWN);
    cr_expect_eq(source_of((struct hd_snapshot *[]){a[1], a[0], a[2]}, 3, SELECT_ALL),
                 HD_SAME_UNKNOWN);
    cr_expect_eq(source_of((struct hd_snapshot *[]){a[0], b[1]}, 2, SELECT_ALL),
                 HD_SAME_UNKNOWN);
    for (size_t k = 0; k < SNAPSHOTS; k++) {
        hd_snapshot_close(a[k]);
        hd_snapshot_close(b[k]);
    }
}

/* --- paths
 * -------------------------------------------------------------------------------- */

/* Three jobs in a queue, below different holders. */
static struct hd_snapshot *queue_held_by(const char *holder, bool wraps, node_id jobs[3])
{
    struct forge f = {0};
    node_id statics = heap_group(&f, heap_root(&f), "[static vars]");
    node_id above = laid_object(&f, statics, holder, 24);
    node_id queue = laid_object(&f, above, "App.Queue", 32);
    node_id list = wraps ? laid_object(&f, queue, "App.List", 24) : queue;
    for (size_t i = 0; i < 3; i++)
        jobs[i] = laid_object(&f, list, "App.Job", 40);
    return forge_finish(&f);
}

/* Number of jobs that count as new in the second snapshot though they were in the first. */
static uint64_t jobs_that_arrived(const char *first, bool wraps, const char *then,
                                  bool wraps_then, bool lies)
{
    node_id before[3], now[3];
    struct hd_ages *ages = hd_ages_begin();
    struct hd_snapshot *older = queue_held_by(first, wraps, before),
                       *newer = queue_held_by(then, wraps_then, now);
    tell_pairs(newer, older, before, now, 3);
    if (lies)
        ((struct survivor_map *)newer->survivor_map)->older.token++;
    struct hd_snapshot *digests[] = {digest_of(older, ages), digest_of(newer, ages)};
    const struct digest_ages *s = &digests[1]->digest->ages;
    uint64_t arrived = 0;
    for (uint32_t i = 0; i < s->len; i++)
        if (s->objects[i] == 3)
            arrived += s->arrived[i] == 1 ? 3 : 0;
    cr_expect_eq(s->moment_count, lies ? 1 : 2);
    for (int k = 0; k < 2; k++)
        hd_snapshot_close(digests[k]);
    hd_snapshot_close(older);
    hd_snapshot_close(newer);
    hd_ages_end(ages);
    return arrived;
}

Test(ages, replacing_a_single_owner_moves_nothing_below_it)
{
    cr_expect_eq(jobs_that_arrived("App.Web", false, "App.Web", false, false), 0);
    cr_expect_eq(jobs_that_arrived("App.Web", false, "App.Host", false, false), 0);
}

Test(ages, start_again_if_the_map_is_of_another_snapshot)
{
    cr_expect_eq(jobs_that_arrived("App.Web", false, "App.Web", false, true), 0);
}

static uint32_t moments_if_mapped(const node_id *before_of, struct hd_snapshot *older,
                                  const node_id *now_of, struct hd_snapshot *newer)
{
    struct hd_ages *ages = hd_ages_begin();
    tell_pairs(newer, older, before_of, now_of, 3);
    hd_snapshot_close(digest_of(older, ages));
    struct hd_snapshot *digest = digest_of(newer, ages);
    uint32_t moments = digest->digest->ages.moment_count;
    hd_snapshot_close(digest);
    hd_ages_end(ages);
    return moments;
}

Test(ages, ignore_impossible_maps)
{
    node_id before[3], now[3];
    struct hd_snapshot *older = queue_held_by("App.Web", false, before),
                       *newer = queue_held_by("App.Web", false, now);
    const node_id twice[] = {before[0], before[0], before[2]};
    const node_id queue[] = {before[0], before[1], before[0] - 1};
    cr_expect_eq(moments_if_mapped(before, older, now, newer), 2);
    cr_expect_eq(moments_if_mapped(twice, older, now, newer), 1, "one object is two");
    cr_expect_eq(moments_if_mapped(queue, older, now, newer), 1, "a queue became a job");
    hd_snapshot_close(older);
    hd_snapshot_close(newer);
}

/* --- long series
 * --------------------------------------------------------------------------- */

/* One more job per snapshot. */
static struct hd_snapshot *jobs_of(size_t count, node_id *jobs)
{
    struct forge f = {0};
    node_id statics = heap_group(&f, heap_root(&f), "[static vars]");
    node_id queue = laid_object(&f, statics, "App.Queue", 32);
    for (size_t i = 0; i < count; i++)
        jobs[i] = laid_object(&f, queue, "App.Job", 40);
    return forge_finish(&f);
}

Test(ages, beyond_the_limit_the_oldest_moments_are_merged)
{
    enum { MANY = AGES_MAX + 20, FIRST = 5 };
    static node_id nodes[2][MANY + FIRST];
    struct hd_ages *ages = hd_ages_begin();
    struct hd_snapshot *older = NULL, *digest = NULL;
    for (size_t k = 0; k < MANY; k++) {
        struct hd_snapshot *snap = jobs_of(FIRST + k, nodes[k % 2]);
        if (older != NULL)
            tell_pairs(snap, older, nodes[(k + 1) % 2], nodes[k % 2], FIRST + k - 1);
        hd_snapshot_close(digest);
        digest = digest_of(snap, ages);
        hd_snapshot_close(older);
        older = snap;
    }
    const struct digest_ages *s = &digest->digest->ages;
    cr_assert_eq(s->moment_count, AGES_MAX);
    uint64_t aged = 0, jobs = 0;
    for (uint32_t i = 0; i < s->len; i++)
        if (s->born[i] > 0) {
            cr_expect_eq(s->objects[i], s->born[i] < AGES_MAX - 1 ? 1 : s->objects[i]);
            jobs++;
            aged += s->born[i];
        }
    /* The queue is not in the maps, so it is new each time; one job is added per moment. */
    cr_expect_eq(jobs, AGES_MAX - 1 + 1);
    cr_expect_eq(aged, (AGES_MAX - 1) * AGES_MAX / 2 + AGES_MAX - 1);
    hd_snapshot_close(digest);
    hd_snapshot_close(older);
    hd_ages_end(ages);
}

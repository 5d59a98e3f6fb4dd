#include "ages/cohorts.h"

#include "ages/followed.h"

#include <criterion/criterion.h>

/* Births are compared with the life of each object of a population. */

/* The cohort of an object in its store: 0 if it is an old one, else the first snapshot in
 * which it is there. */
static size_t cohort_in(const struct history *h, size_t i, size_t k)
{
    size_t since = k;
    if (h->store[i][0] != NOWHERE)
        return 0;
    while (since > 0 && h->store[i][since - 1] == h->store[i][k])
        since--;
    return since;
}

static struct same same_of(const struct history *h, size_t k, const struct hd_snapshot *a)
{
    struct same s = {.source = HD_SAME_BY_ORDER, .count = a->graph->node_count};
    s.next = alloc_zeroed(s.count * sizeof(*s.next));
    for (node_id n = 0; n < s.count; n++)
        s.next[n] = NO_NODE;
    for (size_t i = 0; i < THINGS; i++)
        if (h->store[i][k - 1] != NOWHERE && h->store[i][k] != NOWHERE)
            s.next[h->node[i][k - 1]] = h->node[i][k];
    return s;
}

static void expect_cohorts(const struct history *h, const struct cohorts *b, path_id p,
                           unsigned store)
{
    uint64_t survived = 0;
    for (size_t j = 0; j < SNAPSHOTS; j++)
        for (size_t k = j; k < SNAPSHOTS; k++) {
            uint32_t there = 0, lost = 0;
            for (size_t i = 0; i < THINGS; i++) {
                if (h->store[i][k] != store || is_lost(i) || cohort_in(h, i, k) != j)
                    continue;
                there++;
                lost += k + 1 < SNAPSHOTS && h->store[i][k + 1] != store;
                survived += k + 1 == SNAPSHOTS && j > 0 ? size_of_thing(i) : 0;
            }
            cr_expect_eq(cohorts_at(b, p, j, k), there, "store %u, cohort %zu in %zu",
                         store, j, k);
            if (k + 1 < SNAPSHOTS)
                cr_expect_eq(cohorts_lost(b, p, j, k), lost,
                             "store %u, of cohort %zu in %zu", store, j, k);
        }
    cr_expect_eq(b->survived[p], survived);
}

Test(cohorts, are_what_each_object_did)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct random rnd = random_from(seed);
        struct history h;
        struct ranked r = {0};
        struct cohorts b = {0};
        live(&h, &rnd);
        for (size_t k = 0; k < SNAPSHOTS; k++)
            aligned_add(&r.a, heap_of(&h, k, &rnd));
        fold_series(&r);
        cohorts_begin(&b, &r.tree, r.a.snaps[0], SELECT_ALL);
        for (size_t k = 1; k < SNAPSHOTS; k++) {
            struct same s = same_of(&h, k, r.a.snaps[k - 1]);
            cohorts_add(&b, k, r.a.snaps[k], &s);
            same_free(&s);
        }
        cohorts_end(&b);
        cr_expect_eq(b.source, HD_SAME_BY_ORDER);
        path_id orders = ranked_path(&r, "App.Orders > App.Thing");
        expect_cohorts(&h, &b, orders, 0);
        expect_cohorts(&h, &b, ranked_path(&r, "App.Archive > App.Thing"), 1);
        cr_expect_eq(b.survived_below[r.tree.parent[orders]],
                     b.survived[orders] + b.survived[r.tree.parent[orders]]);
        cohorts_free(&b);
        ranked_free(&r);
    }
}

Test(cohorts, are_unknown_if_one_step_is_unknown)
{
    struct random rnd = random_from(3);
    struct history h;
    struct ranked r = {0};
    struct cohorts b = {0};
    live(&h, &rnd);
    for (size_t k = 0; k < 3; k++)
        aligned_add(&r.a, heap_of(&h, k, &rnd));
    fold_series(&r);
    cohorts_begin(&b, &r.tree, r.a.snaps[0], SELECT_ALL);
    cohorts_add(&b, 1, r.a.snaps[1], &(struct same){0});
    struct same s = same_of(&h, 2, r.a.snaps[1]);
    cohorts_add(&b, 2, r.a.snaps[2], &s);
    cohorts_end(&b);
    cr_expect_eq(b.source, HD_SAME_UNKNOWN);
    same_free(&s);
    cohorts_free(&b);
    ranked_free(&r);
}

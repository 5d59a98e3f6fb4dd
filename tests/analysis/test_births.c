#include "analysis/births.h"

#include "analysis/ranked.h"
#include "support/random.h"

#include <criterion/criterion.h>

/* A population of things that hang in one of two stores, change it now and then, and go:
 * births are held against what each of them did. */
enum { SNAPSHOTS = 5, MOST = 160, STORES = 2, NOWHERE = STORES };

struct history {
    unsigned store[MOST][SNAPSHOTS]; /* NOWHERE: not there */
    node_id node[MOST][SNAPSHOTS];
};

static unsigned step(struct random *rnd, unsigned store, bool was_there)
{
    unsigned chance = (unsigned)random_below(rnd, 100);
    if (store == NOWHERE)
        return !was_there && chance < 25 ? (unsigned)random_below(rnd, STORES) : NOWHERE;
    return chance < 15 ? NOWHERE : chance < 25 ? 1 - store : store;
}

static void live(struct history *h, struct random *rnd)
{
    for (size_t i = 0; i < MOST; i++) {
        bool was_there = false;
        unsigned store = NOWHERE;
        for (size_t k = 0; k < SNAPSHOTS; k++) {
            store = step(rnd, store, was_there);
            was_there |= store != NOWHERE;
            h->store[i][k] = store;
        }
    }
}

/* The cohort that an object belongs to where it is: 0 if it is an old one, else the
 * snapshot since which it has been there. */
static size_t cohort_in(const struct history *h, size_t i, size_t k)
{
    size_t since = k;
    if (h->store[i][0] != NOWHERE)
        return 0;
    while (since > 0 && h->store[i][since - 1] == h->store[i][k])
        since--;
    return since;
}

static struct hd_snapshot *heap_of(struct history *h, size_t k, struct random *rnd)
{
    static const char *const names[STORES] = {"App.Orders", "App.Archive"};
    struct forge f = {0};
    node_id statics = heap_group(&f, heap_root(&f), "[static vars]"), store[STORES];
    for (size_t s = 0; s < STORES; s++)
        store[s] = heap_object(&f, statics, names[s], 24);
    size_t first = (size_t)random_below(rnd, MOST);
    for (size_t n = 0; n < MOST; n++) {
        size_t i = (first + n * 7) % MOST; /* nodes say nothing of age */
        if (h->store[i][k] != NOWHERE)
            h->node[i][k] =
                heap_object(&f, store[h->store[i][k]], "App.Thing", 100 + 8 * i);
    }
    return forge_finish(&f);
}

static struct same same_of(const struct history *h, size_t k, const struct hd_snapshot *a)
{
    struct same s = {.source = HD_SAME_BY_ORDER, .count = a->graph->node_count};
    s.next = alloc_zeroed(s.count * sizeof(*s.next));
    for (node_id n = 0; n < s.count; n++)
        s.next[n] = NO_NODE;
    for (size_t i = 0; i < MOST; i++)
        if (h->store[i][k - 1] != NOWHERE && h->store[i][k] != NOWHERE)
            s.next[h->node[i][k - 1]] = h->node[i][k];
    return s;
}

static void expect_births(const struct history *h, const struct births *b, path_id p,
                          unsigned store)
{
    uint64_t stayed = 0;
    for (size_t j = 0; j < SNAPSHOTS; j++)
        for (size_t k = j; k < SNAPSHOTS; k++) {
            uint32_t there = 0, lost = 0;
            for (size_t i = 0; i < MOST; i++) {
                if (h->store[i][k] != store || cohort_in(h, i, k) != j)
                    continue;
                there++;
                lost += k + 1 < SNAPSHOTS && h->store[i][k + 1] != store;
                stayed += k + 1 == SNAPSHOTS && j > 0 ? 100 + 8 * i : 0;
            }
            cr_expect_eq(births_at(b, p, j, k), there, "store %u, cohort %zu in %zu", store,
                         j, k);
            if (k + 1 < SNAPSHOTS)
                cr_expect_eq(births_lost(b, p, j, k), lost,
                             "store %u, of cohort %zu in %zu", store, j, k);
        }
    cr_expect_eq(b->stayed[p], stayed);
}

Test(births, are_what_each_object_did)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct random rnd = random_from(seed);
        struct history h;
        struct ranked r = {0};
        struct births b = {0};
        live(&h, &rnd);
        for (size_t k = 0; k < SNAPSHOTS; k++)
            aligned_add(&r.a, heap_of(&h, k, &rnd));
        fold_series(&r);
        births_begin(&b, &r.trie, r.a.snaps[0], SELECT_ALL);
        for (size_t k = 1; k < SNAPSHOTS; k++) {
            struct same s = same_of(&h, k, r.a.snaps[k - 1]);
            births_add(&b, k, r.a.snaps[k - 1], r.a.snaps[k], &s);
            same_free(&s);
        }
        births_end(&b);
        cr_expect_eq(b.source, HD_SAME_BY_ORDER);
        path_id orders = ranked_path(&r, "App.Orders > App.Thing");
        expect_births(&h, &b, orders, 0);
        expect_births(&h, &b, ranked_path(&r, "App.Archive > App.Thing"), 1);
        cr_expect_eq(b.stayed_below[r.trie.parent[orders]],
                     b.stayed[orders] + b.stayed[r.trie.parent[orders]]);
        births_free(&b);
        ranked_free(&r);
    }
}

Test(births, of_one_step_that_nobody_knows_are_not_known)
{
    struct random rnd = random_from(3);
    struct history h;
    struct ranked r = {0};
    struct births b = {0};
    live(&h, &rnd);
    for (size_t k = 0; k < 3; k++)
        aligned_add(&r.a, heap_of(&h, k, &rnd));
    fold_series(&r);
    births_begin(&b, &r.trie, r.a.snaps[0], SELECT_ALL);
    births_add(&b, 1, r.a.snaps[0], r.a.snaps[1], &(struct same){0});
    struct same s = same_of(&h, 2, r.a.snaps[1]);
    births_add(&b, 2, r.a.snaps[1], r.a.snaps[2], &s);
    births_end(&b);
    cr_expect_eq(b.source, HD_SAME_UNKNOWN);
    same_free(&s);
    births_free(&b);
    ranked_free(&r);
}

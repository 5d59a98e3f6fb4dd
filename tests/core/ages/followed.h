/* followed.h - a population of objects with known lives: each is in one of two stores,
 * moves between them now and then, and dies. Its snapshots have survivor maps, as from a
 * collector, and are reduced to digests.
 *
 *     struct history h;
 *     live(&h, &rnd);
 *     struct hd_snapshot *digests[SNAPSHOTS];
 *     followed_digests(&h, &rnd, digests); */
#ifndef FOLLOWED_H
#define FOLLOWED_H

#include "ages/ages.h"
#include "identity/places.h"
#include "ranking/ranked.h"
#include "support/random.h"

#include <stdlib.h>

enum { SNAPSHOTS = 5, THINGS = 160, STORES = 2, NOWHERE = STORES };

struct history {
    unsigned store[THINGS][SNAPSHOTS]; /* NOWHERE: does not exist */
    node_id node[THINGS][SNAPSHOTS];
};

static inline unsigned step(struct random *rnd, unsigned store, bool was_there)
{
    unsigned chance = (unsigned)random_below(rnd, 100);
    if (store == NOWHERE)
        return !was_there && chance < 25 ? (unsigned)random_below(rnd, STORES) : NOWHERE;
    return chance < 15 ? NOWHERE : chance < 25 ? 1 - store : store;
}

static inline void live(struct history *h, struct random *rnd)
{
    for (size_t i = 0; i < THINGS; i++) {
        bool was_there = false;
        unsigned store = NOWHERE;
        for (size_t k = 0; k < SNAPSHOTS; k++) {
            store = step(rnd, store, was_there);
            was_there |= store != NOWHERE;
            h->store[i][k] = store;
        }
    }
}

static inline uint64_t size_of_thing(size_t i)
{
    return 100 + 8 * i;
}

static inline node_id laid_object(struct forge *f, node_id holder, const char *type,
                                  uint64_t size)
{
    node_id n = heap_object(f, holder, type, size);
    forge_generation(f, n, HD_GEN2);
    return n;
}

/* Not reachable from any root, in either store. */
static inline bool is_lost(size_t thing)
{
    return thing % 16 == 0;
}

static inline struct hd_snapshot *heap_of(struct history *h, size_t k, struct random *rnd)
{
    static const char *const names[STORES] = {"App.Orders", "App.Archive"};
    struct forge f = {0};
    node_id statics = heap_group(&f, heap_root(&f), "[static vars]"), store[STORES];
    for (size_t s = 0; s < STORES; s++)
        store[s] = laid_object(&f, statics, names[s], 24);
    size_t first = (size_t)random_below(rnd, THINGS);
    for (size_t n = 0; n < THINGS; n++) {
        size_t i = (first + n * 7) % THINGS; /* node order is independent of age */
        if (h->store[i][k] == NOWHERE)
            continue;
        h->node[i][k] = forge_object(&f, "App.Thing", size_of_thing(i));
        forge_generation(&f, h->node[i][k], HD_GEN2);
        if (!is_lost(i))
            forge_reference(&f, store[h->store[i][k]], h->node[i][k]);
    }
    return forge_finish(&f);
}

/* --- maps ------------------------------------------------------------------------------
 */

static inline struct survivor_side side_of(const struct places *p)
{
    return (struct survivor_side){places_token(p), (uint32_t)p->len};
}

/* The index of a node in address order. */
static inline uint32_t number_of(const struct places *p, node_id node)
{
    uint32_t i = 0;
    while (p->all[i].object != node)
        i++;
    return i;
}

/* Writes a survivor map: now[i] was before[i], for i below count. */
static inline void tell_pairs(struct hd_snapshot *snap, const struct hd_snapshot *older,
                              const node_id *before, const node_id *now, size_t count)
{
    struct places a = places_of(older), b = places_of(snap);
    struct survivor_side from = side_of(&a), to = side_of(&b);
    uint32_t *older_of = alloc_resize(NULL, (b.len + 1) * sizeof(*older_of));
    memset(older_of, 0xFF, b.len * sizeof(*older_of));
    for (size_t i = 0; i < count; i++)
        older_of[number_of(&b, now[i])] = number_of(&a, before[i]);
    struct survivor_map *map = arena_alloc(&snap->arena, sizeof(*map));
    *map = survivor_map_write(&from, &to, older_of, &snap->arena);
    snap->survivor_map = map;
    free(older_of);
    places_free(&a);
    places_free(&b);
}

static inline void tell(const struct history *h, struct hd_snapshot *snap, size_t k,
                        const struct hd_snapshot *older)
{
    node_id before[THINGS], now[THINGS];
    size_t count = 0;
    for (size_t i = 0; i < THINGS; i++)
        if (h->store[i][k - 1] != NOWHERE && h->store[i][k] != NOWHERE) {
            before[count] = h->node[i][k - 1];
            now[count++] = h->node[i][k];
        }
    tell_pairs(snap, older, before, now, count);
}

/* --- digests ---------------------------------------------------------------------------
 */

static inline struct hd_snapshot *digest_of(struct hd_snapshot *snap, struct hd_ages *ages)
{
    struct hd_memory packed = {0};
    struct hd_error err = {0};
    hd_snapshot_set_ages(snap, ages);
    cr_assert(hd_snapshot_write(snap, "digest", hd_sink_memory(&packed), NULL, &err), "%s",
              err.message);
    const struct hd_read_options how = {.to_write = true};
    struct hd_snapshot *digest =
        hd_snapshot_from_memory(packed.bytes, packed.size, &how, &err);
    cr_assert_not_null(digest, "%s", err.message);
    hd_memory_free(&packed);
    return digest;
}

static inline void followed_digests(struct history *h, struct random *rnd,
                                    struct hd_snapshot *digests[SNAPSHOTS])
{
    struct hd_ages *ages = hd_ages_begin();
    struct hd_snapshot *older = NULL;
    for (size_t k = 0; k < SNAPSHOTS; k++) {
        struct hd_snapshot *snap = heap_of(h, k, rnd);
        if (older != NULL)
            tell(h, snap, k, older);
        digests[k] = digest_of(snap, ages);
        hd_snapshot_close(older);
        older = snap;
    }
    hd_snapshot_close(older);
    hd_ages_end(ages);
}

#endif

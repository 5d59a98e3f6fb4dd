/* The survivor map in a file: written, read, applied, and rejected. */
#include "identity/same.h"

#include "base/text.h"
#include "identity/places.h"
#include "support/forge.h"
#include "support/random.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = -1 };

/* Random survivors: runs, some of which are swapped. */
static uint32_t survive(struct random *r, uint32_t older, uint32_t newer,
                        uint32_t *older_of)
{
    uint32_t next = random_below(r, older), survivors = 0;
    unsigned char used[64] = {0};
    for (uint32_t i = 0; i < newer; i++) {
        if (random_below(r, 4) == 0)
            next = random_below(r, older);
        older_of[i] = UINT32_MAX;
        if (next >= older || used[next] || random_below(r, 6) == 0)
            continue;
        used[next] = 1;
        older_of[i] = next++;
        survivors++;
    }
    return survivors;
}

Test(survivor_map, runs_and_text_are_read_back)
{
    struct random r = random_from(11);
    for (int round = 0; round < 3000; round++) {
        struct arena a = {0};
        struct text t = {0};
        uint32_t older_of[64], again[64];
        struct survivor_side older = {random_u64(&r), 1 + random_below(&r, 64)},
                             newer = {random_u64(&r), 1 + random_below(&r, 64)};
        uint32_t survivors = survive(&r, older.objects, newer.objects, older_of);
        struct survivor_map map = survivor_map_write(&older, &newer, older_of, &a);
        survivor_map_put(&map, &t);
        const struct survivor_map *back = survivor_map_parse(t.data, t.len, &a);
        cr_assert_not_null(back);
        cr_assert_eq(back->survivors, survivors);
        cr_assert(back->older.token == older.token && back->newer.token == newer.token);
        memset(again, 0xFF, sizeof(again));
        struct survivor_map_reader reading = {.map = back};
        struct survivor_run run;
        bool damaged;
        while (survivor_map_next(&reading, &run, &damaged))
            for (uint32_t i = 0; i < run.count; i++)
                again[run.newer + i] = run.older + i;
        cr_assert_not(damaged);
        cr_assert_arr_eq(again, older_of, newer.objects * sizeof(*again));
        text_free(&t);
        arena_free(&a);
    }
}

Test(survivor_map, invalid_text_is_refused)
{
    static const char *const texts[] = {
        "",
        "x",
        "0123456789abcdef 3",
        "0123456789abcdef 3 0123456789abcdef 4 2",       /* without the last blank */
        "0123456789abcdef 3 0123456789abcdef 4 4 AAAA",  /* more than the older snapshot has
                                                          */
        "0123456789abcdef 3 0123456789abcdef 1 2 AAAA",  /* more than the newer snapshot has
                                                          */
        "0123456789abcdef 3 0123456789abcdef 4 2 AA*A",  /* invalid base64 */
        "123456789abcdef01 3 0123456789abcdef 4 2 AAAA", /* more than 64 bits */
        "0123456789abcdef 4294967296 0123456789abcdef 4 2 AAAA",
        "0123456789abcdef -3 0123456789abcdef 4 2 AAAA",
        "0123456789abcdef 3 0123456789abcdeg 4 2 AAAA",
    };
    struct arena a = {0};
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        cr_expect_null(survivor_map_parse(texts[i], strlen(texts[i]), &a), "%s", texts[i]);
    const char *good = "0123456789abcdef 3 0123456789abcdef 4 2 AAAB";
    cr_expect_not_null(survivor_map_parse(good, strlen(good), &a));
    arena_free(&a);
}

/* Any bytes give runs within both snapshots, or are damaged. */
Test(survivor_map, any_bytes_stay_within_both_snapshots)
{
    struct random r = random_from(5);
    for (int round = 0; round < 20000; round++) {
        unsigned char bytes[24];
        struct survivor_map map = {.older = {0, 1 + random_below(&r, 9)},
                                   .newer = {0, 1 + random_below(&r, 9)},
                                   .runs = bytes,
                                   .size = random_below(&r, sizeof(bytes))};
        for (size_t i = 0; i < sizeof(bytes); i++)
            bytes[i] = (unsigned char)(random_below(&r, 3) == 0 ? random_u64(&r)
                                                                : random_below(&r, 4));
        struct survivor_map_reader reading = {.map = &map};
        struct survivor_run run;
        bool damaged;
        uint32_t last = 0;
        while (survivor_map_next(&reading, &run, &damaged)) {
            cr_assert(run.count > 0 && run.newer >= last);
            cr_assert(run.older + run.count <= map.older.objects);
            cr_assert(run.newer + run.count <= map.newer.objects);
            last = run.newer + run.count;
        }
        cr_assert(damaged || reading.at == map.size);
    }
}

/* --- applied ------------------------------------------------------------------- */

static struct hd_snapshot *snapshot_of(uint32_t objects, uint64_t size)
{
    struct forge f = {0};
    for (uint32_t i = 0; i < objects; i++)
        forge_generation(&f, forge_object(&f, "App.Order", size), HD_GEN2);
    forge_root(&f, HD_ROOT_STATIC, "App.s_all", 0);
    return forge_finish(&f);
}

static struct survivor_side side_of(const struct hd_snapshot *snap)
{
    struct places p = places_of(snap);
    struct survivor_side side = {places_token(&p), (uint32_t)p.len};
    places_free(&p);
    return side;
}

static void tell(struct hd_snapshot *newer, const struct hd_snapshot *older,
                 const int *older_of)
{
    uint32_t all[16];
    struct survivor_side a = side_of(older), b = side_of(newer);
    for (uint32_t i = 0; i < b.objects; i++)
        all[i] = older_of[i] == NONE ? UINT32_MAX : (uint32_t)older_of[i];
    struct survivor_map *map = arena_alloc(&newer->arena, sizeof(*map));
    *map = survivor_map_write(&a, &b, all, &newer->arena);
    newer->survivor_map = map;
}

Test(map, it_takes_precedence_over_every_other_source)
{
    struct hd_snapshot *older = snapshot_of(4, 24), *newer = snapshot_of(5, 24);
    tell(newer, older, (const int[]){3, NONE, 0, 1, NONE});
    struct same s;
    same_find(&s, older, newer, 1);
    cr_assert_eq(s.source, HD_SAME_BY_EVENTS);
    cr_assert_eq(s.count, older->graph->node_count);
    cr_expect_eq(s.next[0], 2);
    cr_expect_eq(s.next[1], 3);
    cr_expect_eq(s.next[2], NO_NODE);
    cr_expect_eq(s.next[3], 0);
    for (node_id n = 4; n < s.count; n++)
        cr_expect_eq(s.next[n], NO_NODE, "pseudo-nodes");
    same_free(&s);
    hd_snapshot_close(older);
    hd_snapshot_close(newer);
}

Test(map, it_is_applied_to_the_two_that_it_is_of_only)
{
    struct hd_snapshot *older = snapshot_of(4, 24), *newer = snapshot_of(5, 24),
                       *other = snapshot_of(3, 24);
    struct same s = {0};
    tell(newer, older, (const int[]){0, 1, 2, 3, NONE});
    cr_expect(same_by_events(&s, older, newer));
    same_free(&s);
    cr_expect_not(same_by_events(&s, other, newer), "another baseline");
    other->survivor_map = newer->survivor_map;
    cr_expect_not(same_by_events(&s, older, other), "copied into another file");
    other->survivor_map = NULL;
    cr_expect_not(same_by_events(&s, newer, older), "the other way round");
    hd_snapshot_close(older);
    hd_snapshot_close(newer);
    hd_snapshot_close(other);
}

Test(map, an_inconsistent_file_is_refused_entirely)
{
    struct hd_snapshot *older = snapshot_of(4, 24), *newer = snapshot_of(5, 24),
                       *larger = snapshot_of(5, 32);
    struct same s = {0};
    tell(newer, older, (const int[]){0, NONE, 0, NONE, NONE});
    cr_expect_not(same_by_events(&s, older, newer), "one object twice");
    tell(larger, older, (const int[]){0, 1, NONE, NONE, NONE});
    cr_expect_not(same_by_events(&s, older, larger), "objects do not grow");
    hd_snapshot_close(older);
    hd_snapshot_close(newer);
    hd_snapshot_close(larger);
}

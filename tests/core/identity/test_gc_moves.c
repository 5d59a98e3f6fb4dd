/* Addresses of objects after collections: vectors made by hand, and a simulated heap with a
 * map of every object. */
#include "identity/gc_moves.h"

#include "base/alloc.h"
#include "support/random.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 0x10, KEY = 7, GONE = 0 };

/* Objects at these addresses, of one type and size; 0 ends the list. */
static struct places places_at(const uint64_t *addresses)
{
    struct places p = {0};
    size_t count = 0;
    while (addresses[count] != 0)
        count++;
    p.all = alloc_zeroed(array_bytes(count + 1, sizeof(*p.all)));
    for (; p.len < count; p.len++)
        p.all[p.len] = (struct place){addresses[p.len], 0, KEY};
    return p;
}

static struct gc_moves begun(const uint64_t *addresses)
{
    struct gc_moves m = {0};
    struct places p = places_at(addresses);
    gc_moves_begin(&m, &p);
    return m;
}

/* Gen0 at 0x1000, gen1 at 0x2000, gen2 at 0x3000, large at 0x4000, each with 0x800 bytes in
 * use. */
static struct territory usual[] = {{2, 0x3000, 0x800, 0x1000},
                                   {0, 0x1000, 0x800, 0x1000},
                                   {3, 0x4000, 0x800, 0x1000},
                                   {1, 0x2000, 0x800, 0x1000}};

static const struct stretch none[1];

static bool fold(struct gc_moves *m, unsigned depth, const struct stretch *stretches,
                 size_t count)
{
    struct stretch all[16];
    struct territory territories[4];
    if (count > 0)
        memcpy(all, stretches, count * sizeof(*all));
    memcpy(territories, usual, sizeof(usual));
    struct collection c = {.depth = depth,
                           .moved = all,
                           .moved_count = count,
                           .territories = territories,
                           .territory_count = 4};
    return gc_moves_fold(m, &c);
}

#define FOLD(m, depth, ...)                                       \
    cr_assert(                                                    \
        fold((m), (depth), (const struct stretch[]){__VA_ARGS__}, \
             sizeof((const struct stretch[]){__VA_ARGS__}) / sizeof(struct stretch)))

/* Expects object i at expected[i], or GONE. */
static void lies(struct gc_moves *m, const uint64_t *expected, size_t count)
{
    uint64_t at[16] = {0};
    for (size_t i = 0; i < m->now.len; i++) {
        cr_expect(i == 0 || m->now.all[i - 1].address <= m->now.all[i].address);
        at[m->now.all[i].object] = m->now.all[i].address;
    }
    for (size_t i = 0; i < count; i++)
        cr_expect_eq(at[i], expected[i], "object %zu: %lx, not %lx", i,
                     (unsigned long)at[i], (unsigned long)expected[i]);
    gc_moves_free(m);
}

#define LIES(m, ...)                           \
    lies((m), (const uint64_t[]){__VA_ARGS__}, \
         sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

Test(gc_moves, a_young_collection_promotes_and_leaves_the_old_alone)
{
    struct gc_moves m =
        begun((const uint64_t[]){0x1000, 0x1010, 0x1020, 0x2000, 0x3000, 0x4000, 0});
    FOLD(&m, 0, {0x1010, 0x2100, SIZE});
    LIES(&m, GONE, 0x2100, GONE, 0x2000, 0x3000, 0x4000);
}

Test(gc_moves, generation_1_is_collected_with_generation_0)
{
    struct gc_moves m = begun((const uint64_t[]){0x1000, 0x2000, 0x2010, 0x3000, 0});
    FOLD(&m, 1, {0x2010, 0x3100, SIZE}, {0x1000, 0x2010, SIZE});
    LIES(&m, 0x2010, GONE, 0x3100, 0x3000);
}

Test(gc_moves, a_compacting_full_collection_keeps_the_order_of_moved_objects)
{
    struct gc_moves m =
        begun((const uint64_t[]){0x3000, 0x3010, 0x3020, 0x3030, 0x3040, 0x4000, 0});
    FOLD(&m, 2, {0x3040, 0x3020, SIZE}, {0x3010, 0x3000, 2 * SIZE});
    LIES(&m, GONE, 0x3000, 0x3010, GONE, 0x3020, GONE);
}

Test(gc_moves, swept_objects_stay_in_place)
{
    struct gc_moves m = begun((const uint64_t[]){0x3000, 0x3010, 0x3020, 0x4000, 0});
    FOLD(&m, 2, {0x3000, 0x3000, SIZE}, {0x3020, 0x3020, SIZE}, {0x4000, 0x4000, 0x100});
    LIES(&m, 0x3000, GONE, 0x3020, 0x4000);
}

Test(gc_moves, pinned_objects_stay_between_moved_ones)
{
    struct gc_moves m = begun((const uint64_t[]){0x3000, 0x3010, 0x3100, 0x3200, 0});
    FOLD(&m, 2, {0x3010, 0x3000, SIZE}, {0x3100, 0x3100, SIZE}, {0x3200, 0x3110, SIZE});
    LIES(&m, GONE, 0x3000, 0x3100, 0x3110);
}

Test(gc_moves, objects_may_change_their_order)
{
    struct gc_moves m = begun((const uint64_t[]){0x3000, 0x3010, 0x3020, 0});
    FOLD(&m, 2, {0x3000, 0x3500, SIZE}, {0x3010, 0x3000, SIZE}, {0x3020, 0x3400, SIZE});
    LIES(&m, 0x3500, 0x3000, 0x3400);
}

Test(gc_moves, frozen_objects_are_in_no_generation_and_stay)
{
    struct gc_moves m = begun((const uint64_t[]){0x500, 0x3000, 0x9000, 0});
    FOLD(&m, 2, {0x3000, 0x3000, SIZE});
    LIES(&m, 0x500, 0x3000, 0x9000);
}

Test(gc_moves, objects_after_the_used_part_are_collected_by_full_collections_only)
{
    struct gc_moves m = begun((const uint64_t[]){0x1900, 0x3000, 0});
    FOLD(&m, 0, {0x1000, 0x1000, SIZE});
    cr_expect_eq(m.now.len, 2);
    FOLD(&m, 2, {0x3000, 0x3000, SIZE});
    LIES(&m, GONE, 0x3000);
}

/* Memory that a background collection freed before its list was complete. */
Test(gc_moves, an_object_onto_which_another_one_was_moved_is_dead)
{
    struct gc_moves m =
        begun((const uint64_t[]){0x1000, 0x1010, 0x30f0, 0x3100, 0x3110, 0x3120, 0});
    FOLD(&m, 0, {0x1000, 0x3100, 2 * SIZE});
    LIES(&m, 0x3100, 0x3110, 0x30f0, GONE, GONE, 0x3120);
    m = begun((const uint64_t[]){0x3100, 0x9000, 0});
    FOLD(&m, 0, {0x1000, 0x3100, SIZE}, {0x1010, 0x9000, SIZE}); /* all are other objects */
    LIES(&m, GONE, GONE);
}

Test(gc_moves, an_object_that_made_room_for_another_one_is_not)
{
    struct gc_moves m = begun((const uint64_t[]){0x1000, 0x1010, 0x2000, 0x3000, 0});
    FOLD(&m, 1, {0x1000, 0x1010, SIZE}, {0x1010, 0x2000, SIZE}, {0x2000, 0x3100, SIZE});
    LIES(&m, 0x1010, 0x2000, 0x3100, 0x3000);
}

Test(gc_moves, several_collections_follow_each_other)
{
    struct gc_moves m = begun((const uint64_t[]){0x1000, 0x1010, 0x1020, 0});
    FOLD(&m, 0, {0x1010, 0x2000, 2 * SIZE});
    FOLD(&m, 1, {0x2010, 0x3000, SIZE});
    FOLD(&m, 0, {0x1000, 0x2000, SIZE}); /* other objects by now */
    FOLD(&m, 2, {0x3000, 0x3100, SIZE});
    LIES(&m, GONE, GONE, 0x3100);
}

/* --- in the background -----------------------------------------------------------------
 */

static bool fold_background(struct gc_moves *m, const struct stretch *moved,
                            size_t moved_count, const struct stretch *unmoved,
                            size_t unmoved_count)
{
    struct stretch a[8], b[8];
    struct territory territories[4], later[] = {{2, 0x6000, 0x800, 0x1000}};
    memcpy(territories, usual, sizeof(usual));
    memcpy(a, moved, moved_count * sizeof(*a));
    memcpy(b, unmoved, unmoved_count * sizeof(*b));
    struct collection c = {.depth = 2,
                           .is_background = true,
                           .moved = a,
                           .moved_count = moved_count,
                           .unmoved = b,
                           .unmoved_count = unmoved_count,
                           .territories = territories,
                           .territory_count = 4,
                           .later = later,
                           .later_count = 1};
    return gc_moves_fold(m, &c);
}

#define BACKGROUND(m, moved, unmoved)                                               \
    cr_assert(fold_background((m), (moved), sizeof(moved) / sizeof(struct stretch), \
                              (unmoved), sizeof(unmoved) / sizeof(struct stretch)))

Test(gc_moves, a_background_collection_without_events_has_no_effect)
{
    struct gc_moves m = begun((const uint64_t[]){0x1000, 0x3000, 0x3010, 0});
    cr_assert(fold_background(&m, none, 0, none, 0));
    LIES(&m, 0x1000, 0x3000, 0x3010);
}

Test(gc_moves, a_background_collection_ends_with_a_list_of_all_that_is_there)
{
    struct gc_moves m =
        begun((const uint64_t[]){0x500, 0x1000, 0x2000, 0x3000, 0x3010, 0x4000, 0x6000, 0});
    const struct stretch list[] = {{0x1000, 0x1000, 0x800},
                                   {0x2000, 0x2000, SIZE},
                                   {0x3010, 0x3010, 0x100},
                                   {0x6000, 0x6000, SIZE}};
    cr_assert(fold_background(&m, none, 0, list, 4));
    LIES(&m, 0x500, 0x1000, 0x2000, GONE, 0x3010, GONE, 0x6000);
}

Test(gc_moves, a_background_collection_may_begin_with_a_young_one)
{
    struct gc_moves m =
        begun((const uint64_t[]){0x1000, 0x2000, 0x2010, 0x3000, 0x3010, 0});
    const struct stretch young[] = {{0x2010, 0x3700, SIZE}};
    const struct stretch list[] = {{0x3010, 0x3010, SIZE}, {0x3700, 0x3700, SIZE}};
    BACKGROUND(&m, young, list);
    LIES(&m, GONE, GONE, 0x3700, GONE, 0x3010);
}

Test(gc_moves, a_young_collection_that_moves_nothing_is_recognized_by_addresses)
{
    struct gc_moves m = begun((const uint64_t[]){0x1000, 0x1010, 0x2000, 0x3000, 0});
    const struct stretch young[] = {{0x1010, 0x1010, SIZE}};
    cr_assert(fold_background(&m, none, 0, young, 1));
    LIES(&m, GONE, 0x1010, 0x2000, 0x3000);
}

Test(gc_moves, young_survivors_may_be_in_the_list_again)
{
    struct gc_moves m = begun((const uint64_t[]){0x1000, 0x1010, 0x2000, 0x3000, 0});
    const struct stretch both[] = {
        {0x1010, 0x1010, SIZE}, {0x1000, 0x1000, 0x100}, {0x3000, 0x3000, SIZE}};
    cr_assert(fold_background(&m, none, 0, both, 3));
    LIES(&m, 0x1000, 0x1010, GONE, 0x3000);
}

Test(gc_moves, one_that_could_not_begin_is_a_blocking_one)
{
    struct gc_moves m =
        begun((const uint64_t[]){0x1000, 0x3000, 0x3010, 0x4000, 0x4100, 0});
    const struct stretch moved[] = {{0x3010, 0x3000, SIZE}, {0x1000, 0x2000, SIZE}};
    const struct stretch large[] = {{0x4100, 0x4100, 0x100}};
    BACKGROUND(&m, moved, large);
    LIES(&m, 0x2000, GONE, 0x3000, GONE, 0x4100);
}

Test(gc_moves, segments_reserve_space_for_younger_generations)
{
    struct gc_moves m = begun((const uint64_t[]){0x3000, 0x3400, 0x3800, 0});
    struct territory nested[] = {
        {2, 0x3000, 0x400, 0x1000}, {1, 0x3400, 0x100, 0x800}, {0, 0x3800, 0x100, 0x400}};
    struct stretch moved[] = {{0x3800, 0x3410, SIZE}, {0x3400, 0x3400, SIZE}};
    struct collection c = {.depth = 1,
                           .moved = moved,
                           .moved_count = 1,
                           .unmoved = &moved[1],
                           .unmoved_count = 1,
                           .territories = nested,
                           .territory_count = 3};
    cr_assert(gc_moves_fold(&m, &c));
    LIES(&m, 0x3000, 0x3400, 0x3410);
}

Test(gc_moves, inconsistent_collections_are_refused)
{
    struct gc_moves m = begun((const uint64_t[]){0x1000, 0x3000, 0});
    struct collection nowhere = {.depth = 0};
    cr_expect_not(gc_moves_fold(&m, &nowhere), "no generation is told");
    const struct stretch overlapping[] = {{0x3000, 0x3000, 0x20}, {0x3010, 0x3400, 0x20}};
    cr_expect_not(fold(&m, 2, overlapping, 2));
    const struct stretch endless[] = {{0x3000, 0x3000, UINT64_MAX - 0x10}};
    cr_expect_not(fold(&m, 2, endless, 1));
    const struct stretch away[] = {{0x3000, UINT64_MAX - 4, 0x20}};
    cr_expect_not(fold(&m, 2, away, 1));
    const struct stretch onto[] = {{0x1000, 0x3000, 0x20}, {0x1020, 0x3010, 0x20}};
    cr_expect_not(fold(&m, 0, onto, 2));
    gc_moves_free(&m);
}

/* They need not be dead; Native AOT reports generations without survivors. */
Test(gc_moves, a_collection_without_survivors_leaves_its_objects_unknown)
{
    struct gc_moves m = begun((const uint64_t[]){0x1000, 0x2000, 0x3000, 0});
    cr_expect_not(fold(&m, 2, none, 0));
    gc_moves_free(&m);
    m = begun((const uint64_t[]){0x2000, 0x3000, 0});
    cr_expect(fold(&m, 0, none, 0), "no object of the snapshot lies in generation 0");
    LIES(&m, 0x2000, 0x3000);
}

/* --- the next snapshot -----------------------------------------------------------------
 */

enum { MANY = 4000 };

/* Number of survivors if `others` of MANY have another type in the newer snapshot; -1:
 * unknown. */
static long survivors_with(size_t others)
{
    uint64_t addresses[MANY + 1] = {0};
    uint32_t survivors = 0;
    for (size_t i = 0; i < MANY; i++)
        addresses[i] = 0x100000 + i * SIZE;
    struct gc_moves m = begun(addresses);
    struct places newer = places_at(addresses);
    for (size_t i = 0; i < others; i++)
        newer.all[i * 7].key = KEY + 1;
    uint32_t *older_of = gc_moves_end(&m, &newer, &survivors);
    for (size_t i = 0; older_of != NULL && i < MANY; i++)
        cr_expect_eq(older_of[i], newer.all[i].key == KEY ? i : NO_NODE);
    long found = older_of != NULL ? (long)survivors : -1;
    free(older_of);
    places_free(&newer);
    gc_moves_free(&m);
    return found;
}

Test(gc_moves, one_in_a_thousand_may_be_another_and_is_dead_then)
{
    cr_expect_eq(survivors_with(0), MANY);
    cr_expect_eq(survivors_with(4), MANY - 4);
    cr_expect_eq(survivors_with(5), -1);
}

/* True if survivors are known although the snapshot has more objects, in place, than a
 * collection of this depth reported. */
static bool is_known_with_unnamed(unsigned depth, size_t unnamed)
{
    enum { NAMED = 3000 };
    uint64_t addresses[2 * NAMED + 1] = {0};
    uint32_t survivors = 0;
    for (size_t i = 0; i < NAMED; i++)
        addresses[i] = 0x2000000 + i * SIZE;
    struct gc_moves m = begun(addresses);
    for (size_t i = 0; i < unnamed; i++)
        addresses[NAMED + i] = 0x2000000 + (NAMED + i) * SIZE;
    struct places newer = places_at(addresses);
    struct territory all[] = {{1, 0x2000000, 0x100000, 0x100000}, {0, 0x1000000, 0, 16}};
    struct stretch unmoved[] = {{0x2000000, 0x2000000, NAMED * (uint64_t)SIZE}};
    struct collection c = {.depth = depth,
                           .unmoved = unmoved,
                           .unmoved_count = 1,
                           .territories = all,
                           .territory_count = 2};
    cr_assert(gc_moves_fold(&m, &c));
    uint32_t *older_of = gc_moves_end(&m, &newer, &survivors);
    bool known = older_of != NULL;
    cr_expect(!known || survivors == NAMED);
    free(older_of);
    places_free(&newer);
    gc_moves_free(&m);
    return known;
}

Test(gc_moves, a_snapshot_has_only_objects_named_by_its_collection)
{
    cr_expect(is_known_with_unnamed(1, 0));
    cr_expect(is_known_with_unnamed(1, 3), "one in a thousand");
    cr_expect_not(is_known_with_unnamed(1, 4));
    cr_expect_not(is_known_with_unnamed(2, 2000));
    cr_expect(is_known_with_unnamed(0, 2000), "it did not collect them");
}

/* --- a simulated heap ------------------------------------------------------------------
 */

enum { OBJECTS = 60, CAPACITY = 256, GENERATIONS = 3, PARTS = 4 };

/* Generations of parts of memory, in any order; a slot is 0x10 bytes. */
struct simulated {
    struct random r;
    uint64_t address[OBJECTS]; /* by number; GONE */
    unsigned generation[OBJECTS];
    struct territory parts[PARTS];
    struct stretch stretches[OBJECTS + 1];
    size_t stretch_count;
};

static uint64_t start_of(unsigned part)
{
    return 0x10000 * ((uint64_t)part + 1);
}

static unsigned part_of(uint64_t address)
{
    return (unsigned)(address / 0x10000) - 1;
}

static bool is_free(const struct simulated *s, uint64_t address)
{
    for (size_t i = 0; i < OBJECTS; i++)
        if (s->address[i] == address)
            return false;
    return true;
}

static uint64_t free_slot(struct simulated *s, unsigned part)
{
    uint64_t at;
    do
        at = start_of(part) + (uint64_t)random_below(&s->r, CAPACITY) * SIZE;
    while (!is_free(s, at));
    return at;
}

static void fill(struct simulated *s, uint64_t seed)
{
    *s = (struct simulated){.r = random_from(seed)};
    for (unsigned p = 0; p < PARTS; p++)
        s->parts[p] = (struct territory){random_below(&s->r, GENERATIONS), start_of(p),
                                         CAPACITY * SIZE, 2 * CAPACITY * SIZE};
    for (size_t i = 0; i < OBJECTS; i++)
        s->address[i] = free_slot(s, random_below(&s->r, PARTS));
}

/* Each object of the collected generations dies, stays, or moves to a free slot. Old slots
 * are not reused before the end. */
static void collect(struct simulated *s, unsigned depth)
{
    uint64_t before[OBJECTS];
    memcpy(before, s->address, sizeof(before));
    s->stretches[0] = (struct stretch){start_of(PARTS), start_of(PARTS), SIZE};
    s->stretch_count = 1; /* another object always survives */
    for (size_t i = 0; i < OBJECTS; i++) {
        if (before[i] == GONE || s->parts[part_of(before[i])].generation > depth)
            continue;
        unsigned fate = random_below(&s->r, 4);
        uint64_t to = fate == 0   ? GONE
                      : fate == 1 ? before[i]
                                  : free_slot(s, random_below(&s->r, PARTS));
        s->address[i] = to;
        if (to != GONE)
            s->stretches[s->stretch_count++] = (struct stretch){before[i], to, SIZE};
    }
}

static void compare(const struct simulated *s, const struct gc_moves *m,
                    const uint32_t *number_of)
{
    size_t alive = 0;
    for (size_t i = 0; i < OBJECTS; i++)
        alive += s->address[i] != GONE;
    cr_assert_eq(m->now.len, alive);
    for (size_t i = 0; i < m->now.len; i++)
        cr_assert_eq(m->now.all[i].address, s->address[number_of[m->now.all[i].object]]);
}

static void run(uint64_t seed)
{
    enum { COLLECTIONS = 6 };
    struct simulated s;
    struct places p = {0};
    struct gc_moves m = {0};
    uint32_t number_of[OBJECTS];
    fill(&s, seed);
    p.all = alloc_zeroed(sizeof(*p.all) * OBJECTS);
    for (; p.len < OBJECTS; p.len++)
        p.all[p.len] = (struct place){s.address[p.len], (uint32_t)p.len, KEY};
    places_sort(p.all, p.len);
    for (size_t i = 0; i < OBJECTS; i++)
        number_of[i] = p.all[i].object;
    gc_moves_begin(&m, &p);
    for (int c = 0; c < COLLECTIONS; c++) {
        unsigned depth = random_below(&s.r, GENERATIONS);
        struct territory parts[PARTS];
        memcpy(parts, s.parts, sizeof(parts));
        collect(&s, depth);
        struct collection it = {.depth = depth,
                                .moved = s.stretches,
                                .moved_count = s.stretch_count,
                                .territories = parts,
                                .territory_count = PARTS};
        cr_assert(gc_moves_fold(&m, &it));
        compare(&s, &m, number_of);
    }
    gc_moves_free(&m);
}

Test(gc_moves, addresses_match_a_map_of_every_object)
{
    for (uint64_t seed = 0; seed < 500; seed++)
        run(seed);
}

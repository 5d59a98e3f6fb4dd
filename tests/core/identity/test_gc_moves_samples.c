/* Sampled objects through collections: a vector for each rule, a simulated heap, and their
 * places in a snapshot. */
#include "identity/gc_moves.h"

#include "base/alloc.h"
#include "support/random.h"
#include "support/trace_forge.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 0x10, DEAD = 0, FIRST = 5 };

/* Gen0 at 0x1000, gen1 at 0x2000, gen2 at 0x3000, large at 0x4000, each with 0x800 bytes in
 * use. */
static const struct territory usual[] = {{2, 0x3000, 0x800, 0x1000},
                                         {0, 0x1000, 0x800, 0x1000},
                                         {3, 0x4000, 0x800, 0x1000},
                                         {1, 0x2000, 0x800, 0x1000}};

static void add_born(struct gc_moves *m, uint64_t address, uint32_t born)
{
    const struct sample s = {.address = address,
                             .size = SIZE,
                             .born = born,
                             .number = (uint32_t)m->sample_count,
                             .stack = (uint32_t)m->sample_count};
    gc_moves_add_sample(m, &s);
}

/* Samples at these addresses, from before collection FIRST; 0 ends the list. */
static struct gc_moves begun(const uint64_t *addresses)
{
    struct gc_moves m = {0};
    for (; *addresses != 0; addresses++)
        add_born(&m, *addresses, FIRST - 1);
    return m;
}

struct gc_report {
    uint32_t number;
    unsigned depth;
    bool is_background;
    struct stretch moved[4], unmoved[4]; /* ended by size 0 */
};

static bool tell(struct gc_moves *m, const struct gc_report *t)
{
    struct gc_report copy = *t;
    struct territory territories[4], later[] = {{2, 0x6000, 0x800, 0x1000}};
    memcpy(territories, usual, sizeof(usual));
    struct collection c = {.number = t->number > 0 ? t->number : FIRST,
                           .depth = t->depth,
                           .is_background = t->is_background,
                           .moved = copy.moved,
                           .unmoved = copy.unmoved,
                           .territories = territories,
                           .territory_count = 4,
                           .later = later,
                           .later_count = t->is_background};
    while (c.moved_count < 4 && c.moved[c.moved_count].size > 0)
        c.moved_count++;
    while (c.unmoved_count < 4 && c.unmoved[c.unmoved_count].size > 0)
        c.unmoved_count++;
    return gc_moves_fold(m, &c);
}

#define TELL(m, ...) cr_assert(tell((m), &(const struct gc_report){__VA_ARGS__}))

/* Expects sample i at expected[i], or DEAD. */
static void lies(struct gc_moves *m, const uint64_t *expected, size_t count)
{
    uint64_t at[16] = {0};
    for (size_t i = 0; i < m->sample_count; i++)
        at[m->samples[i].number] = m->samples[i].address;
    for (size_t i = 0; i < count; i++)
        cr_expect_eq(at[i], expected[i], "sample %zu: %lx, not %lx", i,
                     (unsigned long)at[i], (unsigned long)expected[i]);
    gc_moves_free(m);
}

#define LIES(m, ...)                           \
    lies((m), (const uint64_t[]){__VA_ARGS__}, \
         sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

Test(samples, move_with_the_stretch_that_contains_them)
{
    struct gc_moves m = begun((const uint64_t[]){0x1000, 0x1010, 0x1028, 0x1030, 0x1100,
                                                 0x2000, 0x3000, 0x4000, 0});
    TELL(&m, .moved = {{0x1010, 0x2100, 0x20}}, .unmoved = {{0x1100, 0x1100, SIZE}});
    LIES(&m, DEAD, 0x2100, 0x2118, DEAD, 0x1100, 0x2000, 0x3000, 0x4000);
}

Test(samples, are_followed_with_and_without_a_snapshot)
{
    for (size_t objects = 0; objects < 2; objects++) {
        struct places p = {.all = alloc_zeroed(sizeof(struct place)), .len = objects};
        struct gc_moves m = {0};
        p.all[0].address = 0x1010;
        gc_moves_begin(&m, &p);
        add_born(&m, 0x1020, FIRST - 1);
        TELL(&m, .moved = {{0x1000, 0x2000, 0x30}});
        TELL(&m, .number = FIRST + 1, .depth = 1, .moved = {{0x2010, 0x3100, 0x20}});
        cr_expect_eq(m.now.len, objects);
        cr_expect(objects == 0 || m.now.all[0].address == 0x3100);
        LIES(&m, 0x3110);
    }
}

Test(samples, in_generation_1_are_judged_with_it)
{
    struct gc_moves m = begun((const uint64_t[]){0x1000, 0x2000, 0x2010, 0x3000, 0});
    TELL(&m, .depth = 1, .moved = {{0x2010, 0x3100, SIZE}, {0x1000, 0x2010, SIZE}});
    LIES(&m, 0x2010, DEAD, 0x3100, 0x3000);
}

Test(samples, after_the_used_part_survive_young_collections)
{
    struct gc_moves m = begun((const uint64_t[]){0x17f0, 0x1800, 0x5000, 0});
    TELL(&m, .unmoved = {{0x1000, 0x1000, SIZE}});
    LIES(&m, DEAD, 0x1800, 0x5000);
}

/* Rule 1. Objects of a snapshot are all older than any collection. */
Test(samples, younger_than_a_background_collection_are_not_in_its_list)
{
    struct gc_moves m = {0};
    add_born(&m, 0x1000, FIRST - 1);
    add_born(&m, 0x1010, FIRST - 1);
    add_born(&m, 0x1020, FIRST);
    add_born(&m, 0x1030, FIRST);
    add_born(&m, 0x1040, FIRST + 1);
    /* Number FIRST began; a young collection interrupts it. */
    TELL(&m, .number = FIRST + 1, .moved = {{0x1010, 0x3100, 0x20}});
    TELL(&m, .number = FIRST, .depth = 2, .is_background = true,
         .unmoved = {{0x3000, 0x3000, SIZE}});
    LIES(&m, DEAD, DEAD, 0x3110, DEAD, 0x1040);
}

Test(samples, that_are_in_the_list_of_a_background_collection_stay)
{
    struct gc_moves m = begun((const uint64_t[]){0x3000, 0x3010, 0x6000, 0x6010, 0});
    TELL(&m, .depth = 2, .is_background = true,
         .unmoved = {{0x3000, 0x3000, SIZE}, {0x6000, 0x6000, SIZE}});
    LIES(&m, 0x3000, DEAD, 0x6000, DEAD);
}

/* Rule 2. Frozen objects of a snapshot are not moved. */
Test(samples, in_no_generation_of_a_full_collection_are_dead)
{
    struct gc_moves m = begun((const uint64_t[]){0x500, 0x2000, 0x9000, 0});
    TELL(&m, .depth = 1, .unmoved = {{0x2000, 0x2000, SIZE}});
    cr_expect_eq(m.sample_count, 3);
    TELL(&m, .number = FIRST + 1, .depth = 2, .unmoved = {{0x2000, 0x2000, SIZE}});
    LIES(&m, DEAD, 0x2000, DEAD);
}

/* The same rule as for objects of a snapshot. Promoted objects fill gaps left by dead
 * objects of the older generation. */
Test(samples, onto_which_something_was_moved_are_dead)
{
    struct gc_moves m = begun(
        (const uint64_t[]){0x30f0, 0x3100, 0x3118, 0x3120, 0x1000, 0x3200, 0x9000, 0});
    TELL(&m, .moved = {{0x1100, 0x9000, SIZE}, {0x1000, 0x3100, 0x20}},
         .unmoved = {{0x1200, 0x1200, SIZE}});
    LIES(&m, 0x30f0, DEAD, DEAD, 0x3120, 0x3100, 0x3200, DEAD);
}

/* A survivor in place is never the target of a move. */
Test(samples, at_the_address_of_a_survivor_are_that_object)
{
    struct gc_moves m = begun((const uint64_t[]){0x1000, 0x1008, 0});
    TELL(&m, .unmoved = {{0x1000, 0x1000, SIZE}});
    LIES(&m, 0x1000, 0x1008);
}

Test(samples, are_forgotten_where_a_collection_makes_no_sense_that_no_object_is_in)
{
    struct gc_moves m = begun((const uint64_t[]){0x1000, 0x3000, 0});
    TELL(&m, .moved = {{0x1000, 0x2000, 0x20}, {0x1010, 0x2100, 0x20}});
    cr_expect_eq(m.sample_count, 0);
    gc_moves_free(&m);
    m = begun((const uint64_t[]){0x1000, 0x3000, 0});
    cr_expect(tell(&m, &(const struct gc_report){.depth = 0}), "none survives");
    LIES(&m, DEAD, 0x3000);
}

/* --- a simulated heap ------------------------------------------------------------------
 */

enum { OBJECTS = 40, CAPACITY = 128, GENERATIONS = 3, PARTS = 5, COLLECTIONS = 8 };

struct simulated {
    struct random r;
    uint64_t address[OBJECTS]; /* by number; DEAD */
    bool is_there[OBJECTS];    /* it must be found, if it is not DEAD */
    struct territory parts[PARTS];
};

static uint64_t start_of(unsigned part)
{
    return 0x10000 * ((uint64_t)part + 1);
}

static bool is_free(const struct simulated *s, uint64_t address)
{
    for (size_t i = 0; i < OBJECTS; i++)
        if (s->address[i] == address)
            return false;
    return true;
}

static uint64_t free_slot(struct simulated *s)
{
    uint64_t at;
    do
        at = start_of(random_below(&s->r, PARTS)) +
             (uint64_t)random_below(&s->r, CAPACITY) * SIZE;
    while (!is_free(s, at));
    return at;
}

/* Each object of the collected generations dies, stays, or moves to a free slot. Others may
 * die too, which is not visible before their generation is collected or their address is
 * reused. */
static void collect(struct simulated *s, struct gc_moves *m, uint32_t number)
{
    unsigned depth = random_below(&s->r, GENERATIONS);
    uint64_t before[OBJECTS];
    struct stretch moved[OBJECTS + 1], unmoved[OBJECTS + 1];
    struct territory parts[PARTS];
    struct collection c = {.number = number,
                           .depth = depth,
                           .moved = moved,
                           .unmoved = unmoved,
                           .territories = parts,
                           .territory_count = PARTS};
    memcpy(before, s->address, sizeof(before));
    memcpy(parts, s->parts, sizeof(parts));
    unmoved[c.unmoved_count++] = (struct stretch){start_of(PARTS), start_of(PARTS), SIZE};
    for (size_t i = 0; i < OBJECTS; i++) {
        unsigned part = (unsigned)(before[i] / 0x10000) - 1;
        unsigned fate = random_below(&s->r, 4);
        if (before[i] == DEAD)
            continue;
        if (s->parts[part].generation > depth) {
            s->address[i] = fate == 0 ? DEAD : before[i];
            continue;
        }
        uint64_t to = fate == 0 ? DEAD : fate == 1 ? before[i] : free_slot(s);
        s->address[i] = to;
        s->is_there[i] = to != DEAD;
        if (to == before[i])
            unmoved[c.unmoved_count++] = (struct stretch){before[i], to, SIZE};
        else if (to != DEAD)
            moved[c.moved_count++] = (struct stretch){before[i], to, SIZE};
    }
    cr_assert(gc_moves_fold(m, &c));
}

static void compare(const struct simulated *s, const struct gc_moves *m)
{
    bool found[OBJECTS] = {false};
    for (size_t i = 0; i < m->sample_count; i++) {
        const struct sample *it = &m->samples[i];
        found[it->number] = true;
        cr_assert(s->is_there[it->number], "%u", it->number);
        if (s->address[it->number] != DEAD)
            cr_assert_eq(it->address, s->address[it->number]);
        else /* the address is not reused */
            cr_assert(is_free(s, it->address));
    }
    for (size_t i = 0; i < OBJECTS; i++)
        cr_assert(found[i] || s->address[i] == DEAD);
}

/* Objects are allocated before each collection, possibly at the addresses of dead ones. */
static void run(uint64_t seed)
{
    struct simulated s = {.r = random_from(seed)};
    struct gc_moves m = {0};
    for (unsigned p = 0; p < PARTS; p++)
        s.parts[p] = (struct territory){random_below(&s.r, GENERATIONS), start_of(p),
                                        CAPACITY * SIZE, 2 * CAPACITY * SIZE};
    for (uint32_t c = 0; c < COLLECTIONS; c++) {
        for (int i = 0; i < OBJECTS / COLLECTIONS; i++) {
            uint64_t at = free_slot(&s);
            bool is_taken = false;
            for (size_t k = 0; k < m.sample_count; k++)
                is_taken = is_taken || m.samples[k].address == at;
            if (is_taken) /* no runtime reuses an address before it is collected */
                continue;
            uint32_t number = (uint32_t)(c * (OBJECTS / COLLECTIONS)) + (uint32_t)i;
            s.address[number] = at;
            s.is_there[number] = true;
            gc_moves_add_sample(
                &m, &(const struct sample){.address = at, .born = c, .number = number});
        }
        collect(&s, &m, c + 1);
        compare(&s, &m);
    }
    gc_moves_free(&m);
}

Test(samples, match_a_map_of_every_object)
{
    for (uint64_t seed = 0; seed < 500; seed++)
        run(seed);
}

/* --- in a snapshot ---------------------------------------------------------------------
 */

enum { ORDER = 0x7010, LINE = 0x7020, UNNAMED = 0x7030 };

/* Orders at 0x1000 and 0x1100 (20 and 96 bytes), a line at 0x1200, one without a name. */
static struct hd_snapshot *made_snapshot(void)
{
    static const struct forged_type types[] = {
        {.id = ORDER, .name = "App.Order"},
        {.id = LINE, .name = "App.Line`1[App.Order]"},
        {.id = UNNAMED, .name = ""}};
    struct trace_forge f = {.pointer_size = 8};
    struct hd_error err = {0};
    trace_forge_begin(&f);
    trace_forge_gc(&f, 11, true, 7);
    trace_forge_types(&f, 11, types, 3);
    trace_forge_node(&f, 0x1200, 32, LINE, 0);
    trace_forge_node(&f, 0x1000, 20, ORDER, 0);
    trace_forge_node(&f, 0x1100, 96, ORDER, 0);
    trace_forge_node(&f, 0x1300, 32, UNNAMED, 0);
    trace_forge_walk(&f, 11);
    trace_forge_gc(&f, 11, false, 7);
    trace_forge_end(&f);
    struct hd_snapshot *snap =
        hd_snapshot_from_memory(f.bytes.data, f.bytes.len, NULL, &err);
    cr_assert_not_null(snap, "%s", err.message);
    trace_forge_free(&f);
    return snap;
}

/* The index of the object that the sample is, or -1. */
static long place_of(uint64_t address, uint64_t type, uint64_t size, uint32_t excess)
{
    struct hd_snapshot *snap = made_snapshot();
    struct places p = places_of(snap);
    struct gc_moves m = {0};
    size_t count;
    gc_moves_add_sample(
        &m, &(const struct sample){
                .address = address, .type = type, .size = size, .excess = excess});
    struct placed_sample *found = gc_moves_samples(&m, snap, &p, &count);
    long place = count == 1 ? (long)found[0].object : -1;
    cr_expect_leq(count, 1);
    free(found);
    gc_moves_free(&m);
    places_free(&p);
    hd_snapshot_close(snap);
    return place;
}

Test(samples, match_the_object_with_this_address_type_and_size)
{
    cr_expect_eq(place_of(0x1000, ORDER, 24, 0), 0, "sizes are rounded up");
    cr_expect_eq(place_of(0x1100, ORDER, 96, 0), 1);
    cr_expect_eq(place_of(0x1200, LINE, 32, 0), 2);
    cr_expect_eq(place_of(0x1000, LINE, 24, 0), -1, "another type");
    cr_expect_eq(place_of(0x1000, UNNAMED, 24, 0), -1, "a type that is not named");
    cr_expect_eq(place_of(0x1300, UNNAMED, 32, 0), -1);
    cr_expect_eq(place_of(0x1000, ORDER, 32, 0), -1, "another size");
    cr_expect_eq(place_of(0x1008, ORDER, 24, 0), -1, "inside of an object");
    cr_expect_eq(place_of(0x1400, ORDER, 24, 0), -1, "behind all");
}

/* Large objects of a tick: 0, 8 or 32 bytes. */
Test(samples, may_be_larger_than_the_object_by_their_excess)
{
    cr_expect_eq(place_of(0x1100, ORDER, 96, 32), 1);
    cr_expect_eq(place_of(0x1100, ORDER, 104, 32), 1);
    cr_expect_eq(place_of(0x1100, ORDER, 128, 32), 1);
    cr_expect_eq(place_of(0x1100, ORDER, 136, 32), -1);
    cr_expect_eq(place_of(0x1100, ORDER, 88, 32), -1, "never smaller");
}

Test(samples, in_a_snapshot_are_in_the_order_of_its_objects_each_once)
{
    struct hd_snapshot *snap = made_snapshot();
    struct places p = places_of(snap);
    struct gc_moves m = {0};
    size_t count;
    const struct sample all[] = {{0x1200, 32, LINE, .number = 1, .stack = 10},
                                 {0x1000, 24, ORDER, .number = 9, .stack = 11},
                                 {0x1100, 8, ORDER, .number = 3, .stack = 12},
                                 {0x1000, 24, ORDER, .number = 4, .stack = 13}};
    for (size_t i = 0; i < 4; i++)
        gc_moves_add_sample(&m, &all[i]);
    struct placed_sample *found = gc_moves_samples(&m, snap, &p, &count);
    cr_assert_eq(count, 2);
    cr_expect_eq(found[0].object, 0);
    cr_expect_eq(m.samples[found[0].sample].stack, 11, "the younger of two");
    cr_expect_eq(found[1].object, 2);
    cr_expect_eq(m.samples[found[1].sample].stack, 10);
    free(found);
    gc_moves_free(&m);
    places_free(&p);
    hd_snapshot_close(snap);
}

Test(samples, that_are_invalid_do_not_affect_objects)
{
    struct hd_snapshot *snap = made_snapshot();
    struct places older = places_of(snap), newer = places_of(snap);
    struct gc_moves m = {0};
    uint32_t survivors;
    size_t count;
    gc_moves_begin(&m, &older);
    for (uint64_t i = 0; i < 100; i++)
        gc_moves_add_sample(&m, &(const struct sample){.address = 0x8000 + i * SIZE});
    struct placed_sample *found = gc_moves_samples(&m, snap, &newer, &count);
    uint32_t *older_of = gc_moves_end(&m, &newer, &survivors);
    cr_assert_not_null(older_of);
    cr_expect_eq(survivors, 4);
    cr_expect_eq(count, 0);
    free(found);
    free(older_of);
    gc_moves_free(&m);
    places_free(&newer);
    hd_snapshot_close(snap);
}

/* Events of collections, in stream order, and the resulting addresses of objects. */
#include "collect/gc_move_events.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "support/trace_forge.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { SIZE = 0x18, KEY = 1, SECOND = 1000, GONE = 0, AT_ONCE = 0, IN_BACKGROUND = 1 };

static const struct trace_header header = {
    .version = 4, .pointer_size = 8, .frequency = SECOND};

static bool add(struct gc_move_events *e, enum trace_heap_event kind, uint64_t time,
                struct text *payload)
{
    struct bytes bytes = {(const unsigned char *)text_string(payload), payload->len};
    bool ok = gc_move_events_add(e, kind, time, bytes, &header);
    text_free(payload);
    return ok;
}

enum { OF_SMALL = 0, INDUCED = 1, OF_LARGE = 4 };

static bool starts_for(struct gc_move_events *e, uint64_t time, uint32_t number,
                       uint32_t depth, uint32_t type, uint32_t reason)
{
    struct text t = {0};
    forge_u32(&t, number);
    forge_u32(&t, depth);
    forge_u32(&t, reason);
    forge_u32(&t, type);
    return add(e, EVENT_GC_START, time, &t);
}

static bool starts(struct gc_move_events *e, uint64_t time, uint32_t number, uint32_t depth,
                   uint32_t type)
{
    return starts_for(e, time, number, depth, type, INDUCED);
}

static bool ends(struct gc_move_events *e, uint64_t time, uint32_t number, uint32_t depth)
{
    struct text t = {0};
    forge_u32(&t, number);
    forge_u32(&t, depth);
    return add(e, EVENT_GC_END, time, &t);
}

/* Gen0 at 0x1000, gen1 at 0x2000, gen2 at 0x3000. */
static bool territories(struct gc_move_events *e, uint64_t time)
{
    bool ok = true;
    for (unsigned g = 0; g < 3; g++) {
        struct text t = {0};
        forge_u8(&t, g);
        forge_u64(&t, 0x1000 * (uint64_t)(g + 1));
        forge_u64(&t, 0x1000);
        forge_u64(&t, 0x1000);
        ok = add(e, EVENT_RANGE, time, &t) && ok;
    }
    return ok;
}

/* One object; if both addresses are equal, it survives in place. */
static bool moves(struct gc_move_events *e, uint64_t time, uint64_t from, uint64_t to)
{
    struct text t = {0};
    forge_u32(&t, 0);
    forge_u32(&t, 1);
    forge_u16(&t, 0);
    forge_u64(&t, from);
    if (from != to)
        forge_u64(&t, to);
    forge_u64(&t, SIZE);
    return add(e, from != to ? EVENT_MOVED : EVENT_SURVIVED, time, &t);
}

static void begin(struct gc_move_events *e, const uint64_t *addresses, size_t count,
                  uint32_t after)
{
    struct places p = {.all = alloc_zeroed(sizeof(struct place) * count), .len = count};
    for (size_t i = 0; i < count; i++)
        p.all[i] = (struct place){addresses[i], 0, KEY};
    gc_move_events_begin(e, &p, after);
}

static uint64_t address_of(const struct gc_move_events *e, uint32_t object)
{
    for (size_t i = 0; i < e->gc_moves.now.len; i++)
        if (e->gc_moves.now.all[i].object == object)
            return e->gc_moves.now.all[i].address;
    return GONE;
}

static const uint64_t two[] = {0x1000, 0x3000};

/* Events of a thread arrive together: the end of a collection before its middle. */
Test(gc_move_events, order_is_that_of_time)
{
    struct gc_move_events e = {0};
    begin(&e, two, 2, 1);
    cr_assert(starts(&e, 10, 2, 0, AT_ONCE) && ends(&e, 20, 2, 0));
    cr_assert(starts(&e, 30, 3, 1, AT_ONCE) && ends(&e, 40, 3, 1));
    cr_assert(moves(&e, 35, 0x2000, 0x3100) && moves(&e, 15, 0x1000, 0x2000));
    cr_assert(territories(&e, 11) && territories(&e, 31));
    cr_assert(gc_move_events_end(&e, 3));
    cr_expect_eq(address_of(&e, 0), 0x3100);
    cr_expect_eq(address_of(&e, 1), 0x3000);
    gc_move_events_free(&e);
}

static bool collects(struct gc_move_events *e, uint64_t time, uint32_t number,
                     uint64_t from, uint64_t to)
{
    return starts(e, time, number, 1, AT_ONCE) && territories(e, time + 1) &&
           moves(e, time + 2, from, to) && ends(e, time + 3, number, 1);
}

Test(gc_move_events, events_are_processed_after_a_second_and_a_later_one_invalidates_all)
{
    struct gc_move_events e = {0};
    begin(&e, two, 2, 1);
    cr_assert(collects(&e, 10, 2, 0x1000, 0x2000));
    cr_assert(collects(&e, 10 + 3 * SECOND, 3, 0x2000, 0x3100));
    cr_expect_eq(address_of(&e, 0), 0x2000, "the first is done, the second held");
    cr_expect(moves(&e, 10 + 5 * SECOND / 2, 0x9000, 0x9000), "in time");
    cr_expect_not(moves(&e, 15, 0x9000, 0x9000));
    cr_expect_not(gc_move_events_end(&e, 3));
    gc_move_events_free(&e);
}

Test(gc_move_events, nothing_is_processed_while_held_or_after_the_end)
{
    struct gc_move_events e = {0};
    begin(&e, two, 2, 1);
    e.is_held = true;
    cr_assert(collects(&e, 10, 2, 0x1000, 0x2000));
    cr_assert(collects(&e, 10 + 3 * SECOND, 3, 0x2000, 0x3100));
    cr_expect_eq(address_of(&e, 0), 0x1000);
    cr_assert(gc_move_events_end(&e, 2));
    cr_expect_eq(address_of(&e, 0), 0x2000);
    gc_move_events_free(&e);
}

Test(gc_move_events, events_before_the_snapshot_are_ignored)
{
    struct gc_move_events e = {0};
    cr_assert(collects(&e, 10, 1, 0x1000, 0x2000));
    begin(&e, two, 2, 1);
    cr_assert(collects(&e, 20, 2, 0x1000, 0x2100));
    cr_assert(gc_move_events_end(&e, 2));
    cr_expect_eq(address_of(&e, 0), 0x2100);
    gc_move_events_free(&e);
}

/* Young collections interrupt it: its moves at the start precede them, its list follows
 * them. */
Test(gc_move_events, a_collection_in_the_background_is_folded_in_parts)
{
    static const uint64_t four[] = {0x1000, 0x2000, 0x3000, 0x3100};
    struct gc_move_events e = {0};
    begin(&e, four, 4, 1);
    cr_assert(starts(&e, 10, 2, 2, IN_BACKGROUND) && territories(&e, 11));
    cr_assert(moves(&e, 12, 0x1000, 0x2100) && moves(&e, 12, 0x2000, 0x3200));
    cr_assert(collects(&e, 20, 3, 0x2100, 0x3300));
    cr_assert(moves(&e, 30, 0x3100, 0x3100) && moves(&e, 30, 0x3200, 0x3200) &&
              moves(&e, 30, 0x3300, 0x3300));
    cr_assert(territories(&e, 31) && ends(&e, 32, 2, 2));
    cr_assert(gc_move_events_end(&e, 3));
    cr_expect_eq(address_of(&e, 0), 0x3300);
    cr_expect_eq(address_of(&e, 1), 0x3200);
    cr_expect_eq(address_of(&e, 2), GONE);
    cr_expect_eq(address_of(&e, 3), 0x3100);
    gc_move_events_free(&e);
}

/* --- what is not known -----------------------------------------------------------------
 */

static bool known(bool (*feed)(struct gc_move_events *e), uint32_t until)
{
    struct gc_move_events e = {0};
    begin(&e, two, 2, 1);
    bool ok = feed(&e) && gc_move_events_end(&e, until);
    gc_move_events_free(&e);
    return ok;
}

static bool whole(struct gc_move_events *e)
{
    return collects(e, 10, 2, 0x1000, 0x2000);
}

static bool without_an_end(struct gc_move_events *e)
{
    return starts(e, 10, 2, 1, AT_ONCE) && territories(e, 11);
}

static bool with_a_gap(struct gc_move_events *e)
{
    return whole(e) && collects(e, 20, 4, 0x2000, 0x3100);
}

static bool begun_late(struct gc_move_events *e)
{
    return collects(e, 10, 3, 0x1000, 0x2000);
}

static bool two_at_once(struct gc_move_events *e)
{
    return starts(e, 10, 2, 1, AT_ONCE) && starts(e, 11, 3, 1, AT_ONCE) &&
           ends(e, 12, 3, 1) && ends(e, 13, 2, 1);
}

static bool without_territories(struct gc_move_events *e)
{
    return starts(e, 10, 2, 1, AT_ONCE) && moves(e, 11, 0x1000, 0x2000) &&
           ends(e, 12, 2, 1);
}

static bool overlapping(struct gc_move_events *e)
{
    return starts(e, 10, 2, 1, AT_ONCE) && territories(e, 11) &&
           moves(e, 12, 0x1000, 0x2000) && moves(e, 12, 0x1008, 0x2100) &&
           ends(e, 13, 2, 1);
}

static bool cut_short(struct gc_move_events *e)
{
    struct text t = {0};
    forge_u32(&t, 0);
    forge_u32(&t, 1000);
    forge_u16(&t, 0);
    return starts(e, 10, 2, 1, AT_ONCE) && add(e, EVENT_MOVED, 11, &t) && ends(e, 12, 2, 1);
}

/* As a later version of the event could be: each record is longer. */
static bool of_another_version(struct gc_move_events *e)
{
    struct text t = {0};
    forge_u32(&t, 0);
    forge_u32(&t, 1);
    forge_u16(&t, 0);
    forge_u64(&t, 0x1000);
    forge_u64(&t, 0x2000);
    forge_u64(&t, SIZE);
    forge_u64(&t, 0);
    return starts(e, 10, 2, 1, AT_ONCE) && territories(e, 11) &&
           add(e, EVENT_MOVED, 12, &t) && ends(e, 13, 2, 1);
}

static bool without_survivors(struct gc_move_events *e)
{
    return starts(e, 10, 2, 1, AT_ONCE) && territories(e, 11) && ends(e, 12, 2, 1);
}

static bool started_twice(struct gc_move_events *e)
{
    return starts(e, 10, 2, 1, AT_ONCE) && whole(e);
}

static bool ended_twice(struct gc_move_events *e)
{
    return whole(e) && ends(e, 14, 2, 1);
}

static bool told_twice(struct gc_move_events *e)
{
    return starts(e, 10, 2, 1, AT_ONCE) && territories(e, 11) &&
           moves(e, 12, 0x1000, 0x2000) && moves(e, 12, 0x1000, 0x2000) &&
           ends(e, 13, 2, 1);
}

static bool territories_last(struct gc_move_events *e)
{
    return starts(e, 10, 2, 1, AT_ONCE) && moves(e, 11, 0x1000, 0x2000) &&
           territories(e, 12) && ends(e, 13, 2, 1);
}

Test(gc_move_events, inconsistent_events_make_survivors_unknown)
{
    cr_expect_not(known(of_another_version, 2));
    cr_expect_not(known(without_survivors, 2));
    cr_expect_not(known(started_twice, 2));
    cr_expect_not(known(ended_twice, 2));
    cr_expect_not(known(told_twice, 2));
    cr_expect_not(known(territories_last, 2));
    cr_expect(known(whole, 2));
    cr_expect_not(known(whole, 3), "it has not come");
    cr_expect_not(known(whole, 1), "there is nothing between");
    cr_expect_not(known(without_an_end, 2));
    cr_expect_not(known(with_a_gap, 4));
    cr_expect_not(known(begun_late, 3));
    cr_expect_not(known(two_at_once, 3));
    cr_expect_not(known(without_territories, 2));
    cr_expect_not(known(overlapping, 2));
    cr_expect_not(known(cut_short, 2));
}

/* --- samples ---------------------------------------------------------------------------
 */

/* Allocates an object in gen0, with a stack that contains this number. sample_of() finds
 * its later address, or GONE. */
static bool allocates(struct gc_move_events *e, uint64_t time, uint64_t address,
                      uint64_t stack)
{
    unsigned char frames[8];
    const struct heap_allocation a = {.address = address, .size = SIZE, .is_tick = true};
    le_put(frames, stack, 8);
    return gc_move_events_add_sample(e, time, &a, (struct bytes){frames, sizeof(frames)});
}

static uint64_t sample_of(const struct gc_move_events *e, uint64_t stack)
{
    for (size_t i = 0; i < e->gc_moves.sample_count; i++) {
        const struct sample *s = &e->gc_moves.samples[i];
        if (le_u64(stack_table_at(&e->stacks, s->stack).data) == stack)
            return s->address;
    }
    return GONE;
}

/* A thread reports its allocations with a delay. */
Test(gc_move_events, samples_are_folded_in_the_order_of_time)
{
    struct gc_move_events e = {0};
    begin(&e, two, 2, 1);
    cr_assert(starts(&e, 5, 1, 2, AT_ONCE) && ends(&e, 6, 1, 2));
    cr_assert(starts(&e, 20, 2, 0, AT_ONCE) && territories(&e, 21));
    cr_assert(moves(&e, 22, 0x1010, 0x2010) && ends(&e, 23, 2, 0));
    cr_assert(starts(&e, 40, 3, 0, AT_ONCE) && territories(&e, 41));
    cr_assert(moves(&e, 42, 0x1100, 0x2100) && ends(&e, 43, 3, 0));
    cr_assert(allocates(&e, 30, 0x1100, 103) && allocates(&e, 31, 0x1010, 104));
    cr_assert(allocates(&e, 10, 0x1010, 101) && allocates(&e, 11, 0x1100, 102));
    e.gc_moves.now.len = 0; /* as if no object were known */
    cr_assert(gc_move_events_end(&e, 3));
    cr_expect_eq(sample_of(&e, 101), 0x2010);
    cr_expect_eq(sample_of(&e, 102), GONE);
    cr_expect_eq(sample_of(&e, 103), 0x2100);
    cr_expect_eq(sample_of(&e, 104), GONE);
    cr_expect_eq(e.sampled, 4);
    gc_move_events_free(&e);
}

/* The session for a snapshot's interval begins before it, and ends after the next one. */
Test(gc_move_events, samples_of_another_interval_are_left_out)
{
    struct gc_move_events e = {0};
    cr_assert(allocates(&e, 5, 0x1010, 101));
    cr_assert(collects(&e, 10, 5, 0x1000, 0x1000));
    begin(&e, two, 2, 5);
    cr_assert(allocates(&e, 20, 0x1000, 102));
    cr_assert(collects(&e, 30, 6, 0x1000, 0x2000));
    cr_assert(allocates(&e, 40, 0x1020, 103));
    cr_assert(gc_move_events_end(&e, 6));
    cr_expect_eq(sample_of(&e, 101), GONE);
    cr_expect_eq(sample_of(&e, 102), 0x2000);
    cr_expect_eq(sample_of(&e, 103), GONE);
    cr_expect_eq(e.gc_moves.sample_count, 1);
    cr_expect_eq(e.gc_moves.samples[0].born, 5);
    cr_expect_eq(e.sampled, 1);
    gc_move_events_free(&e);
}

Test(gc_move_events, samples_are_followed_without_a_snapshot_to_begin_with)
{
    struct gc_move_events e = {0};
    gc_move_events_begin(&e, NULL, 0);
    cr_assert(allocates(&e, 5, 0x1000, 101));
    cr_assert(collects(&e, 10, 5, 0x1000, 0x2000));
    cr_assert(allocates(&e, 20, 0x1010, 102));
    cr_assert(collects(&e, 10 + 3 * SECOND, 6, 0x1010, 0x2010));
    cr_expect_eq(sample_of(&e, 101), 0x2000, "what is old is done");
    cr_assert(gc_move_events_end(&e, 6));
    cr_expect_eq(sample_of(&e, 101), GONE, "it was in generation 1");
    cr_expect_eq(sample_of(&e, 102), 0x2010);
    gc_move_events_free(&e);
}

/* --- what the program did --------------------------------------------------------------
 */

/* Both objects survive in place. */
static bool survives(struct gc_move_events *e, uint64_t time)
{
    return territories(e, time) && moves(e, time, 0x1000, 0x1000) &&
           moves(e, time, 0x3000, 0x3000);
}

Test(gc_move_events, collections_between_two_snapshots_are_counted_and_timed)
{
    struct gc_move_events e = {0};
    cr_assert(starts(&e, 5, 1, 2, AT_ONCE) && ends(&e, 8, 1, 2));
    begin(&e, two, 2, 1);
    cr_assert(starts_for(&e, 20, 2, 0, AT_ONCE, OF_SMALL) && survives(&e, 21) &&
              ends(&e, 23, 2, 0));
    cr_assert(starts_for(&e, 30, 3, 2, IN_BACKGROUND, OF_LARGE) && survives(&e, 31));
    cr_assert(starts(&e, 40, 4, 1, AT_ONCE) && survives(&e, 41) && ends(&e, 44, 4, 1));
    cr_assert(survives(&e, 59) && ends(&e, 60, 3, 2));
    cr_assert(starts_for(&e, 65, 5, 2, AT_ONCE, OF_SMALL) && survives(&e, 66) &&
              ends(&e, 90, 5, 2));
    cr_assert(gc_move_events_end(&e, 5));
    cr_expect_eq(e.activity.begin, 5);
    cr_expect_eq(e.activity.end, 65);
    cr_expect_eq(e.frequency, SECOND);
    cr_expect(e.activity.collections[0] == 1 && e.activity.collections[1] == 1 &&
              e.activity.collections[2] == 1);
    cr_expect_eq(e.activity.of_allocations, 2);
    cr_expect_eq(e.activity.collecting, 3 + 4,
                 "the program runs while one is in the "
                 "background");
    gc_move_events_free(&e);
}

/* Most objects of a program die immediately. */
Test(gc_move_events, stacks_of_many_samples_stay)
{
    enum { OTHERS = 3000 };
    struct gc_move_events e = {0};
    begin(&e, two, 2, 1);
    e.gc_moves.now.len = 0;
    uint32_t number = 2;
    for (uint64_t i = 0, time = 10; i < OTHERS; i++, time += SECOND) {
        cr_assert(allocates(&e, time, 0x1000, 7) &&
                  allocates(&e, time + 1, 0x1100, 7000 + i));
        cr_assert(starts(&e, time + 2, number, 0, AT_ONCE) && territories(&e, time + 3) &&
                  moves(&e, time + 4, 0x1800, 0x2000) && ends(&e, time + 5, number, 0));
        number++;
    }
    uint32_t busiest = 0;
    for (uint32_t i = 0; i < e.stacks.len; i++)
        if (stack_table_uses(&e.stacks, i) > stack_table_uses(&e.stacks, busiest))
            busiest = i;
    cr_expect_lt(e.stacks.count, OTHERS, "others were forgotten");
    cr_expect_eq(stack_table_uses(&e.stacks, busiest), OTHERS);
    cr_expect_eq(le_u64(stack_table_at(&e.stacks, busiest).data), 7);
    gc_move_events_free(&e);
}

/* Objects in the list of a background collection were allocated before it began. */
Test(gc_move_events, samples_may_be_younger_than_a_background_collection)
{
    struct gc_move_events e = {0};
    begin(&e, two, 2, 1);
    cr_assert(starts(&e, 5, 1, 2, AT_ONCE) && ends(&e, 6, 1, 2));
    cr_assert(allocates(&e, 9, 0x1800, 101));
    cr_assert(starts(&e, 10, 2, 2, IN_BACKGROUND) && territories(&e, 11));
    cr_assert(allocates(&e, 15, 0x1900, 102));
    cr_assert(moves(&e, 30, 0x1000, 0x1000) && moves(&e, 30, 0x3000, 0x3000));
    cr_assert(territories(&e, 31) && ends(&e, 32, 2, 2));
    cr_assert(starts(&e, 40, 3, 0, AT_ONCE) && territories(&e, 41));
    cr_assert(moves(&e, 42, 0x1900, 0x2000) && moves(&e, 42, 0x1000, 0x1000));
    cr_assert(ends(&e, 43, 3, 0) && gc_move_events_end(&e, 3));
    cr_expect_eq(sample_of(&e, 101), GONE);
    cr_expect_eq(sample_of(&e, 102), 0x2000);
    gc_move_events_free(&e);
}

/* The rest is not affected. */
Test(gc_move_events, a_sample_that_is_late_or_has_no_stack_is_left_out)
{
    static const unsigned char nothing[1];
    const struct heap_allocation a = {.address = 0x1000, .size = SIZE};
    struct gc_move_events e = {0};
    begin(&e, two, 2, 1);
    cr_assert(collects(&e, 10, 2, 0x1000, 0x2000));
    cr_assert(collects(&e, 10 + 3 * SECOND, 3, 0x2000, 0x3100));
    cr_expect(allocates(&e, 15, 0x1000, 101), "too late");
    cr_expect(
        gc_move_events_add_sample(&e, 10 + 5 * SECOND / 2, &a, (struct bytes){nothing, 0}));
    cr_expect_eq(e.allocated_len, 0);
    cr_assert(gc_move_events_end(&e, 3));
    cr_expect_eq(address_of(&e, 0), 0x3100);
    e.failed = true;
    cr_expect_not(allocates(&e, UINT64_MAX - 1, 0x1000, 102));
    gc_move_events_free(&e);
}

Test(gc_move_events, only_large_objects_of_a_tick_may_be_smaller)
{
    static const struct {
        unsigned kind;
        bool is_tick;
        uint32_t excess;
    } cases[] = {{ALLOCATED_LARGE, true, 32},
                 {ALLOCATED_SMALL, true, 0},
                 {ALLOCATED_PINNED, true, 0},
                 {ALLOCATED_LARGE, false, 0},
                 {ALLOCATED_SMALL, false, 0}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct gc_move_events e = {0};
        begin(&e, two, 2, 0);
        const struct heap_allocation a = {.address = 0x1000,
                                          .size = 0x15000,
                                          .type = 7,
                                          .kind = cases[i].kind,
                                          .is_tick = cases[i].is_tick};
        cr_assert(gc_move_events_add_sample(
            &e, 5, &a, (struct bytes){(const unsigned char *)"frame", 5}));
        cr_assert(collects(&e, 10, 1, 0x1000, 0x1000) && gc_move_events_end(&e, 1));
        cr_assert_eq(e.gc_moves.sample_count, 1);
        cr_expect_eq(e.gc_moves.samples[0].excess, cases[i].excess, "case %zu", i);
        cr_expect_eq(e.gc_moves.samples[0].size, 0x15000);
        cr_expect_eq(e.gc_moves.samples[0].type, 7);
        gc_move_events_free(&e);
    }
}

/* More samples than the maximum before a collection, and as many survivors: the kept ones
 * are an unbiased choice and represent all. */
Test(gc_move_events, some_of_too_many_samples_are_kept_and_represent_the_others)
{
    enum { MANY = 5 * MAX_SAMPLES / 2 };
    struct gc_move_events e = {0};
    begin(&e, two, 2, 0);
    cr_expect_eq(gc_move_events_per_sample(&e), 100 * 1024);
    for (uint64_t i = 0; i < MANY; i++)
        cr_assert(allocates(&e, 1 + i, 0x5000, i % 2));
    cr_expect_leq(e.allocated_len, MAX_SAMPLES);
    cr_expect_eq(gc_move_events_per_sample(&e), 4 * 100 * 1024);
    cr_assert(collects(&e, MANY + 10, 1, 0x1000, 0x1000));
    cr_assert(collects(&e, MANY + 3 * SECOND, 2, 0x1000, 0x1000));
    size_t living = e.gc_moves.sample_count, even = 0;
    for (size_t i = 0; i < living; i++)
        even += le_u64(stack_table_at(&e.stacks, e.gc_moves.samples[i].stack).data) == 0;
    cr_expect(living > MANY / 4 - 2000 && living < MANY / 4 + 2000, "%zu", living);
    cr_expect(even > living / 2 - 1000 && even < living / 2 + 1000, "%zu", even);
    cr_expect(e.sampled > MANY - 8000 && e.sampled < MANY + 8000, "%lu",
              (unsigned long)e.sampled);
    /* Survivors count, too. */
    for (uint64_t i = 0; i < MANY; i++) {
        cr_assert(allocates(&e, MANY + 4 * SECOND + i, 0x5000, i % 2));
        cr_assert_leq(e.allocated_len + e.gc_moves.sample_count, MAX_SAMPLES);
    }
    cr_expect_eq(gc_move_events_per_sample(&e), 8 * 100 * 1024);
    gc_move_events_free(&e);
}

/* A sample with a unique stack of 1 MiB that contains its number. */
static bool allocates_deep(struct gc_move_events *e, uint64_t time, uint64_t number)
{
    enum { DEEP = 1 << 20 };
    const struct heap_allocation a = {.address = 0x5000, .size = SIZE};
    unsigned char *frames = alloc_zeroed(DEEP);
    le_put(frames, number, 8);
    bool ok = gc_move_events_add_sample(e, time, &a, (struct bytes){frames, DEEP});
    free(frames);
    return ok;
}

Test(gc_move_events, some_samples_are_kept_if_there_are_too_many_stacks)
{
    enum { MANY = 100, FITTING = MAX_STACK_BYTES >> 20 };
    struct gc_move_events e = {0};
    begin(&e, two, 2, 0);
    for (uint64_t i = 1; i <= MANY; i++) {
        cr_assert(allocates_deep(&e, i, i));
        cr_expect_eq(gc_move_events_per_sample(&e) == 100 * 1024, i <= FITTING);
    }
    cr_expect_leq(e.allocated_len, FITTING);
    cr_expect_geq(e.allocated_len, 2);
    cr_expect_geq(e.stacks.count, e.allocated_len);
    cr_assert(collects(&e, MANY + 10, 1, 0x1000, 0x1000) && gc_move_events_end(&e, 1));
    cr_expect(sample_of(&e, 1) == GONE || sample_of(&e, 2) == GONE, "not the first ones");
    cr_expect_geq(e.sampled, 2 * gc_move_events_per_sample(&e) / (100 * 1024));
    for (size_t i = 0; i < e.gc_moves.sample_count; i++)
        cr_expect_eq(mix(e.gc_moves.samples[i].number) & (e.stride - 1), 0);
    gc_move_events_free(&e);
}

/* A program that runs for days has more stacks than fit into a table, few of them of
 * survivors. */
Test(gc_move_events, stacks_of_dead_samples_are_forgotten)
{
    enum { ROUNDS = 200, EACH = 1000 };
    struct gc_move_events e = {0};
    uint64_t stack = 1000;
    begin(&e, two, 2, 0);
    cr_assert(allocates(&e, 1, 0x5000, 7)); /* in no generation, so it survives */
    for (uint64_t i = 1; i <= ROUNDS; i++) {
        for (int k = 0; k < EACH; k++)
            cr_assert(allocates(&e, 10 + 3 * SECOND * i, 0x1100, stack++));
        cr_assert(collects(&e, 20 + 3 * SECOND * i, (uint32_t)i, 0x1000, 0x1000));
    }
    cr_expect_leq(e.stacks.len, 10 * EACH);
    cr_expect_eq(sample_of(&e, 7), 0x5000);
    cr_assert(allocates(&e, 10 + 3 * SECOND * (ROUNDS + 1), 0x1100, stack));
    cr_assert(collects(&e, 20 + 3 * SECOND * (ROUNDS + 1), ROUNDS + 1, 0x1100, 0x2000));
    cr_assert(gc_move_events_end(&e, ROUNDS + 1));
    cr_expect_eq(e.sampled, ROUNDS * EACH + 2);
    cr_expect_eq(sample_of(&e, stack), 0x2000);
    gc_move_events_free(&e);
}

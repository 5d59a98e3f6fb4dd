/* Events of collections, in the order of a stream: what becomes of objects. */
#include "collect/movement_events.h"

#include "base/alloc.h"
#include "support/trace_forge.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { SIZE = 0x18, KEY = 1, SECOND = 1000, GONE = 0, AT_ONCE = 0, IN_BACKGROUND = 1 };

static const struct trace_header header = {
    .version = 4, .pointer_size = 8, .frequency = SECOND};

static bool add(struct movement_events *e, enum trace_heap_event kind, uint64_t time,
                struct text *payload)
{
    struct bytes bytes = {(const unsigned char *)text_string(payload), payload->len};
    bool ok = movement_events_add(e, kind, time, bytes, &header);
    text_free(payload);
    return ok;
}

static bool starts(struct movement_events *e, uint64_t time, uint32_t number,
                   uint32_t depth, uint32_t type)
{
    struct text t = {0};
    forge_u32(&t, number);
    forge_u32(&t, depth);
    forge_u32(&t, 0);
    forge_u32(&t, type);
    return add(e, EVENT_GC_START, time, &t);
}

static bool ends(struct movement_events *e, uint64_t time, uint32_t number, uint32_t depth)
{
    struct text t = {0};
    forge_u32(&t, number);
    forge_u32(&t, depth);
    return add(e, EVENT_GC_END, time, &t);
}

/* Gen0 at 0x1000, gen1 at 0x2000, gen2 at 0x3000. */
static bool territories(struct movement_events *e, uint64_t time)
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

/* One object; from where it is to the same: it stays. */
static bool moves(struct movement_events *e, uint64_t time, uint64_t from, uint64_t to)
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

static void begin(struct movement_events *e, const uint64_t *addresses, size_t count,
                  uint32_t after)
{
    struct places p = {.all = alloc_zeroed(sizeof(struct place) * count), .len = count};
    for (size_t i = 0; i < count; i++)
        p.all[i] = (struct place){addresses[i], 0, KEY};
    movement_events_begin(e, &p, after);
}

static uint64_t address_of(const struct movement_events *e, uint32_t object)
{
    for (size_t i = 0; i < e->movement.now.len; i++)
        if (e->movement.now.all[i].object == object)
            return e->movement.now.all[i].address;
    return GONE;
}

static const uint64_t two[] = {0x1000, 0x3000};

/* What each thread says comes at once: the end of a collection before its middle. */
Test(movement_events, order_is_that_of_time)
{
    struct movement_events e = {0};
    begin(&e, two, 2, 1);
    cr_assert(starts(&e, 10, 2, 0, AT_ONCE) && ends(&e, 20, 2, 0));
    cr_assert(starts(&e, 30, 3, 1, AT_ONCE) && ends(&e, 40, 3, 1));
    cr_assert(moves(&e, 35, 0x2000, 0x3100) && moves(&e, 15, 0x1000, 0x2000));
    cr_assert(territories(&e, 11) && territories(&e, 31));
    cr_assert(movement_events_end(&e, 3));
    cr_expect_eq(address_of(&e, 0), 0x3100);
    cr_expect_eq(address_of(&e, 1), 0x3000);
    movement_events_free(&e);
}

static bool collects(struct movement_events *e, uint64_t time, uint32_t number,
                     uint64_t from, uint64_t to)
{
    return starts(e, time, number, 1, AT_ONCE) && territories(e, time + 1) &&
           moves(e, time + 2, from, to) && ends(e, time + 3, number, 1);
}

Test(movement_events, what_is_a_second_old_is_done_and_an_older_event_spoils_all)
{
    struct movement_events e = {0};
    begin(&e, two, 2, 1);
    cr_assert(collects(&e, 10, 2, 0x1000, 0x2000));
    cr_assert(collects(&e, 10 + 3 * SECOND, 3, 0x2000, 0x3100));
    cr_expect_eq(address_of(&e, 0), 0x2000, "the first is done, the second held");
    cr_expect(moves(&e, 10 + 5 * SECOND / 2, 0x9000, 0x9000), "in time");
    cr_expect_not(moves(&e, 15, 0x9000, 0x9000));
    cr_expect_not(movement_events_end(&e, 3));
    movement_events_free(&e);
}

Test(movement_events, nothing_is_done_while_it_is_held_and_nothing_behind_the_end)
{
    struct movement_events e = {0};
    begin(&e, two, 2, 1);
    e.is_held = true;
    cr_assert(collects(&e, 10, 2, 0x1000, 0x2000));
    cr_assert(collects(&e, 10 + 3 * SECOND, 3, 0x2000, 0x3100));
    cr_expect_eq(address_of(&e, 0), 0x1000);
    cr_assert(movement_events_end(&e, 2));
    cr_expect_eq(address_of(&e, 0), 0x2000);
    movement_events_free(&e);
}

Test(movement_events, what_was_before_the_snapshot_is_nothing_to_it)
{
    struct movement_events e = {0};
    cr_assert(collects(&e, 10, 1, 0x1000, 0x2000));
    begin(&e, two, 2, 1);
    cr_assert(collects(&e, 20, 2, 0x1000, 0x2100));
    cr_assert(movement_events_end(&e, 2));
    cr_expect_eq(address_of(&e, 0), 0x2100);
    movement_events_free(&e);
}

/* Young ones interrupt it: what it did at its beginning was before, its list is behind. */
Test(movement_events, a_collection_in_the_background_is_folded_in_parts)
{
    static const uint64_t four[] = {0x1000, 0x2000, 0x3000, 0x3100};
    struct movement_events e = {0};
    begin(&e, four, 4, 1);
    cr_assert(starts(&e, 10, 2, 2, IN_BACKGROUND) && territories(&e, 11));
    cr_assert(moves(&e, 12, 0x1000, 0x2100) && moves(&e, 12, 0x2000, 0x3200));
    cr_assert(collects(&e, 20, 3, 0x2100, 0x3300));
    cr_assert(moves(&e, 30, 0x3100, 0x3100) && moves(&e, 30, 0x3200, 0x3200) &&
              moves(&e, 30, 0x3300, 0x3300));
    cr_assert(territories(&e, 31) && ends(&e, 32, 2, 2));
    cr_assert(movement_events_end(&e, 3));
    cr_expect_eq(address_of(&e, 0), 0x3300);
    cr_expect_eq(address_of(&e, 1), 0x3200);
    cr_expect_eq(address_of(&e, 2), GONE);
    cr_expect_eq(address_of(&e, 3), 0x3100);
    movement_events_free(&e);
}

/* --- what is not known -----------------------------------------------------------------
 */

static bool known(bool (*feed)(struct movement_events *e), uint32_t until)
{
    struct movement_events e = {0};
    begin(&e, two, 2, 1);
    bool ok = feed(&e) && movement_events_end(&e, until);
    movement_events_free(&e);
    return ok;
}

static bool whole(struct movement_events *e)
{
    return collects(e, 10, 2, 0x1000, 0x2000);
}

static bool without_an_end(struct movement_events *e)
{
    return starts(e, 10, 2, 1, AT_ONCE) && territories(e, 11);
}

static bool with_a_gap(struct movement_events *e)
{
    return whole(e) && collects(e, 20, 4, 0x2000, 0x3100);
}

static bool begun_late(struct movement_events *e)
{
    return collects(e, 10, 3, 0x1000, 0x2000);
}

static bool two_at_once(struct movement_events *e)
{
    return starts(e, 10, 2, 1, AT_ONCE) && starts(e, 11, 3, 1, AT_ONCE) &&
           ends(e, 12, 3, 1) && ends(e, 13, 2, 1);
}

static bool without_territories(struct movement_events *e)
{
    return starts(e, 10, 2, 1, AT_ONCE) && moves(e, 11, 0x1000, 0x2000) &&
           ends(e, 12, 2, 1);
}

static bool overlapping(struct movement_events *e)
{
    return starts(e, 10, 2, 1, AT_ONCE) && territories(e, 11) &&
           moves(e, 12, 0x1000, 0x2000) && moves(e, 12, 0x1008, 0x2100) &&
           ends(e, 13, 2, 1);
}

static bool cut_short(struct movement_events *e)
{
    struct text t = {0};
    forge_u32(&t, 0);
    forge_u32(&t, 1000);
    forge_u16(&t, 0);
    return starts(e, 10, 2, 1, AT_ONCE) && add(e, EVENT_MOVED, 11, &t) && ends(e, 12, 2, 1);
}

/* As a later version of the event may have it: each record is longer. */
static bool of_another_version(struct movement_events *e)
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

static bool without_survivors(struct movement_events *e)
{
    return starts(e, 10, 2, 1, AT_ONCE) && territories(e, 11) && ends(e, 12, 2, 1);
}

static bool started_twice(struct movement_events *e)
{
    return starts(e, 10, 2, 1, AT_ONCE) && whole(e);
}

static bool ended_twice(struct movement_events *e)
{
    return whole(e) && ends(e, 14, 2, 1);
}

static bool told_twice(struct movement_events *e)
{
    return starts(e, 10, 2, 1, AT_ONCE) && territories(e, 11) &&
           moves(e, 12, 0x1000, 0x2000) && moves(e, 12, 0x1000, 0x2000) &&
           ends(e, 13, 2, 1);
}

static bool territories_last(struct movement_events *e)
{
    return starts(e, 10, 2, 1, AT_ONCE) && moves(e, 11, 0x1000, 0x2000) &&
           territories(e, 12) && ends(e, 13, 2, 1);
}

Test(movement_events, what_is_odd_is_not_known)
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

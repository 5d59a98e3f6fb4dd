/* Samples of more stacks than a snapshot may have. The list of methods is in
 * test_site_names.c. */
#include "collect/site_keeper.h"

#include "support/trace_forge.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { ORDER = 0x7010, BASE = 0x10000, SIZE = 32, OBJECTS = 3000 };

static struct hd_snapshot *orders(void)
{
    struct trace_forge f = {.pointer_size = 8};
    struct hd_error err = {0};
    trace_forge_begin(&f);
    trace_forge_gc(&f, 11, true, 7);
    trace_forge_types(&f, 11, &(struct forged_type){.id = ORDER, .name = "App.Order"}, 1);
    for (uint64_t i = 0; i < OBJECTS; i++)
        trace_forge_node(&f, BASE + i * SIZE, SIZE, ORDER, 0);
    trace_forge_walk(&f, 11);
    trace_forge_gc(&f, 11, false, 7);
    trace_forge_end(&f);
    struct hd_snapshot *snap =
        hd_snapshot_from_memory(f.bytes.data, f.bytes.len, NULL, &err);
    cr_assert_not_null(snap, "%s", err.message);
    trace_forge_free(&f);
    return snap;
}

/* Each of the objects was sampled, with a stack of its own. */
static struct gc_move_events samples_of_all(void)
{
    struct gc_move_events e = {.pointer_size = 8, .events = OBJECTS, .sampled = OBJECTS};
    for (uint64_t i = 0; i < OBJECTS; i++) {
        const uint64_t frames[] = {0x5000 + i, 0x4000};
        const struct bytes stack = {(const unsigned char *)frames, sizeof(frames)};
        gc_moves_add_sample(&e.gc_moves,
                            &(struct sample){.address = BASE + i * SIZE,
                                             .size = SIZE,
                                             .type = ORDER,
                                             .number = (uint32_t)i,
                                             .stack = stack_table_add(&e.stacks, stack)});
    }
    return e;
}

Test(site_keeper, samples_are_drawn_where_stacks_are_too_many)
{
    enum { EACH = 102400 };
    struct hd_snapshot *snap = orders();
    struct places places = places_of(snap);
    struct gc_move_events e = samples_of_all();
    struct site_keeper k = {0};
    struct survivor_map map = {.newer = {places_token(&places), OBJECTS}};
    struct hd_collect_options how = {.size = sizeof(how), .socket = "/nowhere/socket"};
    struct hd_activity activity = {0};
    cr_assert_eq(places.len, OBJECTS);
    snap->survivor_map = &map;
    site_keeper_add(&k, &e, snap, &places, &how, &activity);
    const struct allocation_sites *s = k.by_address;
    cr_expect_eq(s->unnamed, 0);
    cr_expect_eq(s->sampled, OBJECTS, "also those that were not drawn");
    cr_expect_eq(s->per_sample, 4 * EACH);
    cr_expect(s->object_count > OBJECTS / 5 && s->object_count <= MAX_SITE_STACKS, "%u",
              s->object_count);
    cr_expect_gt(s->objects[s->object_count - 1].object, OBJECTS * 9 / 10,
                 "of all addresses");
    cr_expect_neq(k.error.status, HD_OK, "no process listed methods");
    cr_expect_eq(snap->sites->unnamed, s->object_count);
    snap->survivor_map = NULL;
    site_keeper_free(&k);
    gc_move_events_free(&e);
    places_free(&places);
    hd_snapshot_close(snap);
}

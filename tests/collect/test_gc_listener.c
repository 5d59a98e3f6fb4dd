/* A series of snapshots of a forged process that traces movements of its objects. */
#include "heapdrift.h"

#include "heap/allocation_sites.h"
#include "heap/snapshot.h"
#include "identity/same.h"
#include "support/peer.h"
#include "support/scratch.h"
#include "support/trace_forge.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct scratch scratch;

static void open_scratch(void)
{
    scratch_open(&scratch);
}

static void remove_scratch(void)
{
    scratch_remove(&scratch);
}

TestSuite(gc_listener, .init = open_scratch, .fini = remove_scratch, .timeout = 60);

enum { THREAD = 11, OTHER_THREAD = 12, TYPE = 0x10, SIZE = 24, NO = 0, MAX_OBJECTS = 8 };

/* --- what the process says ----------------------------------------------------------- */

/* A snapshot in the collection with this number, of objects at these addresses. */
static struct trace_forge forge_heap(uint32_t number, const uint64_t *addresses)
{
    struct trace_forge f = {.pointer_size = 8};
    trace_forge_begin(&f);
    trace_forge_gc(&f, THREAD, true, number);
    trace_forge_types(&f, THREAD, &(struct forged_type){.id = TYPE, .name = "App.A"}, 1);
    for (; *addresses != NO; addresses++)
        trace_forge_node(&f, *addresses, SIZE, TYPE, 0);
    trace_forge_walk(&f, THREAD);
    trace_forge_gc(&f, THREAD, false, number);
    trace_forge_end(&f);
    return f;
}

enum { OF_SMALL = 0, INDUCED = 1 };

static void forge_start(struct trace_forge *f, uint32_t number, uint32_t depth,
                        uint32_t reason)
{
    struct text t = {0};
    forge_u32(&t, number);
    forge_u32(&t, depth);
    forge_u32(&t, reason);
    forge_u32(&t, 0);
    forge_u16(&t, 0);
    forge_u64(&t, 0);
    trace_forge_event(f, THREAD, 1, t.data, t.len);
    text_free(&t);
}

static void forge_end(struct trace_forge *f, uint32_t number, uint32_t depth)
{
    struct text t = {0};
    forge_u32(&t, number);
    forge_u32(&t, depth);
    forge_u16(&t, 0);
    trace_forge_event(f, THREAD, 2, t.data, t.len);
    text_free(&t);
}

static void forge_territory(struct trace_forge *f, unsigned generation, uint64_t start)
{
    struct text t = {0};
    forge_u8(&t, generation);
    forge_u64(&t, start);
    forge_u64(&t, 0x1000);
    forge_u64(&t, 0x1000);
    forge_u16(&t, 0);
    trace_forge_event(f, THREAD, 23, t.data, t.len);
    text_free(&t);
}

static void forge_moved(struct trace_forge *f, uint64_t thread, uint64_t from, uint64_t to)
{
    struct text t = {0};
    forge_u32(&t, 0);
    forge_u32(&t, 1);
    forge_u16(&t, 0);
    forge_u64(&t, from);
    forge_u64(&t, to);
    forge_u64(&t, SIZE);
    trace_forge_event(f, thread, 22, t.data, t.len);
    text_free(&t);
}

static void forge_collection(struct trace_forge *f, uint32_t number, uint32_t depth,
                             uint64_t from, uint64_t to)
{
    forge_start(f, number, depth, depth == 0 ? OF_SMALL : INDUCED);
    forge_territory(f, 0, 0x10000);
    forge_territory(f, 1, 0x20000);
    forge_territory(f, 2, 0x30000);
    if (from != NO)
        forge_moved(f, OTHER_THREAD, from, to);
    forge_end(f, number, depth);
}

/* --- the series ---------------------------------------------------------------------- */

struct traced {
    bool ok[4];
    struct hd_error why[4];
    struct hd_snapshot *snaps[4];
    struct hd_activity activity; /* before the last one; without its sites */
    char *site;                  /* the first one; NULL: none */
    struct hd_error sites_error;
    struct peer_log log;
};

static struct hd_snapshot *take(struct hd_gc_listener *f, struct hd_collect_options *how)
{
    struct hd_collected got;
    struct hd_error err = {0};
    FILE *to = tmpfile();
    hd_gc_listener_before(f, how);
    struct hd_reading *r = hd_reading_begin(to, NULL);
    cr_assert(hd_collect(to, how, &got, &err), "%s", err.message);
    hd_reading_arrived(r, got.bytes);
    hd_reading_end(r);
    struct hd_snapshot *snap = hd_reading_snapshot(r, &err);
    cr_assert_not_null(snap, "%s", err.message);
    hd_snapshot_set_origin(snap, &got.origin);
    fclose(to);
    return snap;
}

static struct traced follow(const struct peer_script *script, size_t count, bool with_sites)
{
    struct traced t = {0};
    const char *path = scratch_path(&scratch, "dotnet-diagnostic-77-1-socket");
    struct peer *peer = peer_start(path, script);
    struct hd_collect_options how = {.size = sizeof(how),
                                     .socket = path,
                                     .silence_ms =
                                         script->gc_moves == MOVEMENT_SILENT ? 200 : 5000,
                                     .with_sites = with_sites,
                                     .with_activity = with_sites};
    struct hd_gc_listener *f = hd_gc_listener_begin();
    for (size_t i = 0; i < count; i++) {
        t.snaps[i] = take(f, &how);
        t.ok[i] = hd_gc_listener_snapshot(f, t.snaps[i], &t.why[i]);
    }
    t.activity = *hd_gc_listener_activity(f);
    t.site = t.activity.site_count > 0 ? strdup(t.activity.sites[0].method) : NULL;
    t.sites_error = *hd_gc_listener_sites_error(f);
    hd_gc_listener_end(f);
    t.log = peer_stop(peer);
    return t;
}

static void traced_free(struct traced *t)
{
    for (size_t i = 0; i < sizeof(t->snaps) / sizeof(*t->snaps); i++)
        hd_snapshot_close(t->snaps[i]);
    free(t->site);
}

/* Two snapshots, in collections 1 and `last`, with these movements between them. With a
 * list of methods allocations are sampled. */
static struct traced follow_until(struct trace_forge *moves, enum peer_movement habit,
                                  uint32_t last, const struct trace_forge *methods)
{
    static const uint64_t first[] = {0x10000, 0x10018, 0x30000, NO},
                          second[] = {0x20000, 0x30000, 0x30018, NO};
    struct trace_forge heaps[] = {forge_heap(1, first), forge_heap(last, second)};
    trace_forge_end(moves);
    struct bytes streams[3], movements[2];
    for (size_t i = 0; i < 2; i++) {
        streams[i] =
            (struct bytes){(unsigned char *)heaps[i].bytes.data, heaps[i].bytes.len};
        movements[i] = (struct bytes){(unsigned char *)moves->bytes.data, moves->bytes.len};
    }
    if (methods != NULL)
        streams[2] =
            (struct bytes){(unsigned char *)methods->bytes.data, methods->bytes.len};
    struct traced t = follow(&(struct peer_script){.streams = streams,
                                                   .stream_count = methods != NULL ? 3 : 2,
                                                   .gc_moves = habit,
                                                   .movements = movements,
                                                   .movement_count = 2},
                             2, methods != NULL);
    for (size_t i = 0; i < 2; i++)
        trace_forge_free(&heaps[i]);
    trace_forge_free(moves);
    return t;
}

static struct traced follow_two(struct trace_forge *moves, enum peer_movement habit)
{
    return follow_until(moves, habit, 3, NULL);
}

static struct trace_forge begin_moves(void)
{
    struct trace_forge f = {.pointer_size = 8};
    trace_forge_begin(&f);
    forge_collection(&f, 1, 2, NO, NO);
    return f;
}

/* In the second snapshot 0x10018 was moved to 0x20000, the object at 0x10000 is dead,
 * 0x30018 is new. */
static struct trace_forge usual_moves(void)
{
    struct trace_forge f = begin_moves();
    forge_collection(&f, 2, 0, 0x10018, 0x20000);
    forge_collection(&f, 3, 1, 0x20000, 0x20000);
    return f;
}

static void expect_unknown(struct traced *t, enum hd_survivors_unknown survivors_unknown,
                           const char *why)
{
    cr_expect_eq(t->snaps[0]->survivors_unknown, HD_SURVIVORS_UNKNOWN_NONE);
    cr_expect_eq(t->snaps[1]->survivors_unknown, survivors_unknown, "%d",
                 t->snaps[1]->survivors_unknown);
    cr_expect(t->ok[0], "the first one has none before it");
    cr_expect_not(t->ok[1]);
    cr_expect_null(t->snaps[1]->survivor_map);
    cr_expect_not_null(strstr(t->why[1].message, why), "%s", t->why[1].message);
    traced_free(t);
}

Test(gc_listener, gives_the_second_snapshot_its_survivors)
{
    struct trace_forge moves = usual_moves();
    struct traced t = follow_two(&moves, MOVEMENT_HONEST);
    cr_assert(t.ok[0] && t.ok[1], "%s", t.why[1].message);
    cr_expect_null(t.snaps[0]->survivor_map);
    cr_expect_eq(t.snaps[1]->survivors_unknown, HD_SURVIVORS_UNKNOWN_NONE);
    cr_assert_not_null(t.snaps[1]->survivor_map);
    cr_expect_eq(t.snaps[1]->survivor_map->survivors, 2);
    struct same s;
    same_find(&s, t.snaps[0], t.snaps[1], 1);
    cr_assert_eq(s.source, HD_SAME_BY_EVENTS);
    uint64_t went_to[MAX_OBJECTS] = {0};
    size_t objects = 0;
    for (node_id n = 0; n < s.count; n++)
        if (graph_address(t.snaps[0]->graph, n) != 0)
            went_to[objects++] =
                s.next[n] != NO_NODE ? graph_address(t.snaps[1]->graph, s.next[n]) : NO;
    cr_assert_eq(objects, 3);
    cr_expect_eq(went_to[0], NO);
    cr_expect_eq(went_to[1], 0x20000);
    cr_expect_eq(went_to[2], 0x30000);
    cr_expect_eq(t.log.movements, 2);
    same_free(&s);
    traced_free(&t);
}

/* Counts the collections of the program: 2, in gen0 or gen2, without those of snapshots. */
static void expect_collections(uint32_t depth, bool is_gen2_known)
{
    struct trace_forge moves = begin_moves();
    forge_start(&moves, 2, depth, OF_SMALL);
    forge_territory(&moves, 0, 0x10000);
    forge_territory(&moves, 1, 0x20000);
    forge_territory(&moves, 2, 0x30000);
    forge_moved(&moves, OTHER_THREAD, 0x10018, 0x20000);
    if (depth == 2)
        forge_moved(&moves, OTHER_THREAD, 0x30000, 0x30000);
    forge_end(&moves, 2, depth);
    forge_collection(&moves, 3, 1, 0x20000, 0x20000);
    struct traced t = follow_two(&moves, MOVEMENT_HONEST);
    cr_assert(t.ok[0] && t.ok[1], "%s", t.why[1].message);
    const struct hd_process_facts *first = &t.snaps[0]->facts, *second = &t.snaps[1]->facts;
    cr_expect_eq(hd_fact(first, HD_FACT_GC_PAUSE), HD_UNKNOWN);
    cr_expect_eq(hd_fact(first, HD_FACT_SINCE_GEN2), HD_UNKNOWN);
    cr_expect_float_eq((double)hd_fact(second, HD_FACT_GC_PAUSE),
                       1e6 * t.activity.collecting / t.activity.seconds, 1);
    cr_expect_eq(hd_fact(second, HD_FACT_SINCE_GEN2) != HD_UNKNOWN, is_gen2_known);
    traced_free(&t);
}

Test(gc_listener, gives_the_second_snapshot_the_pauses_of_its_program)
{
    expect_collections(0, false);
    expect_collections(2, true);
}

Test(gc_listener, a_process_that_is_not_followed_has_no_facts_of_collections)
{
    struct trace_forge moves = usual_moves();
    struct traced t = follow_two(&moves, MOVEMENT_CUT);
    cr_expect_eq(hd_fact(&t.snaps[1]->facts, HD_FACT_GC_PAUSE), HD_UNKNOWN);
    traced_free(&t);
}

Test(gc_listener, a_process_that_refuses_is_not_followed)
{
    struct trace_forge moves = usual_moves();
    struct traced t = follow_two(&moves, MOVEMENT_REFUSED);
    expect_unknown(&t, HD_SURVIVORS_UNKNOWN_REFUSED, "0x80131515");
}

Test(gc_listener, a_silent_process_is_not_followed)
{
    struct trace_forge moves = usual_moves();
    struct traced t = follow_two(&moves, MOVEMENT_SILENT);
    expect_unknown(&t, HD_SURVIVORS_UNKNOWN_REFUSED, "");
}

Test(gc_listener, a_session_that_ends_early_gives_no_survivors)
{
    struct trace_forge moves = usual_moves();
    struct traced t = follow_two(&moves, MOVEMENT_CUT);
    expect_unknown(&t, HD_SURVIVORS_UNKNOWN_ENDED, "ended the session");
}

Test(gc_listener, a_lost_event_leaves_survivors_unknown)
{
    struct trace_forge moves = begin_moves();
    forge_collection(&moves, 2, 0, 0x10018, 0x20000);
    trace_forge_lose(&moves, OTHER_THREAD, 1);
    forge_collection(&moves, 3, 1, 0x20000, 0x20000);
    struct traced t = follow_two(&moves, MOVEMENT_HONEST);
    expect_unknown(&t, HD_SURVIVORS_UNKNOWN_LOST, "lost events");
}

/* As with Native AOT: it is not traced again. */
Test(gc_listener, a_process_that_never_names_survivors_leaves_them_unknown)
{
    struct trace_forge moves = begin_moves();
    forge_collection(&moves, 2, 0, NO, NO);
    forge_collection(&moves, 3, 1, NO, NO);
    struct traced t = follow_two(&moves, MOVEMENT_HONEST);
    cr_expect_eq(t.log.movements, 2);
    expect_unknown(&t, HD_SURVIVORS_UNKNOWN_SILENT, "does not report");
}

Test(gc_listener, a_process_that_is_silent_once_leaves_a_gap)
{
    struct trace_forge moves = begin_moves();
    forge_collection(&moves, 2, 0, 0x10018, 0x20000);
    forge_collection(&moves, 3, 1, NO, NO);
    struct traced t = follow_two(&moves, MOVEMENT_HONEST);
    expect_unknown(&t, HD_SURVIVORS_UNKNOWN_GAPS, "gaps");
}

Test(gc_listener, a_missing_collection_leaves_survivors_unknown)
{
    struct trace_forge moves = begin_moves();
    forge_collection(&moves, 3, 1, 0x10018, 0x20000);
    struct traced t = follow_two(&moves, MOVEMENT_HONEST);
    expect_unknown(&t, HD_SURVIVORS_UNKNOWN_GAPS, "gaps");
}

Test(gc_listener, objects_at_other_addresses_leave_survivors_unknown)
{
    struct trace_forge moves = begin_moves();
    forge_collection(&moves, 2, 0, 0x10018, 0x20040);
    forge_collection(&moves, 3, 1, 0x20040, 0x20040);
    struct traced t = follow_two(&moves, MOVEMENT_HONEST);
    expect_unknown(&t, HD_SURVIVORS_UNKNOWN_MISPLACED, "not at the addresses");
}

/* An unknown block that does not end. */
Test(gc_listener, a_process_that_sends_too_much_is_left_alone)
{
    enum { FLOOD = 130 << 20 };
    static const uint64_t addresses[] = {0x30000, NO};
    static const char block[] = "\5\5\1\2\0\0\0\0\0\0\0\7\0\0\0Unknown\6\xFF\xFF\xFF\x7F";
    static const unsigned char zeros[60000];
    struct trace_forge head = {.pointer_size = 8},
                       heaps[] = {forge_heap(1, addresses), forge_heap(2, addresses)};
    struct bytes streams[2];
    trace_forge_begin(&head);
    text_add(&head.bytes, block, sizeof(block) - 1);
    for (size_t i = 0; i < 2; i++)
        streams[i] =
            (struct bytes){(unsigned char *)heaps[i].bytes.data, heaps[i].bytes.len};
    /* The first half, sent before the stop, is everything. */
    unsigned char *twice = calloc(2, head.bytes.len);
    memcpy(twice, head.bytes.data, head.bytes.len);
    struct bytes gc_moves = {twice, 2 * head.bytes.len};
    struct traced t = follow(&(struct peer_script){.streams = streams,
                                                   .stream_count = 2,
                                                   .gc_moves = MOVEMENT_FLOOD,
                                                   .movements = &gc_moves,
                                                   .movement_count = 1,
                                                   .answer = {zeros, sizeof(zeros)},
                                                   .flood = FLOOD},
                             2, false);
    expect_unknown(&t, HD_SURVIVORS_UNKNOWN_TOO_MUCH, "without slowing it down");
    for (size_t i = 0; i < 2; i++)
        trace_forge_free(&heaps[i]);
    trace_forge_free(&head);
    free(twice);
}

/* --- samples of allocations ---------------------------------------------------------- */

enum { MAKE = 0x1f001000, RUN = 0x1f002000, METHOD_SIZE = 0x100 };

static void forge_allocation(struct trace_forge *f, uint32_t stack, uint64_t address)
{
    struct text t = {0};
    forge_u32(&t, 102400);
    forge_u32(&t, 0);
    forge_u16(&t, 0);
    forge_u64(&t, 102400);
    forge_u64(&t, TYPE);
    forge_wide(&t, "App.A");
    forge_u32(&t, 0);
    forge_u64(&t, address);
    forge_u64(&t, SIZE);
    f->stack = stack;
    trace_forge_event(f, THREAD, 10, t.data, t.len);
    f->stack = 0;
    text_free(&t);
}

static void forge_method(struct trace_forge *f, uint64_t start, const char *name)
{
    enum { METHOD_AT_END = 144 };
    struct text t = {0};
    forge_u64(&t, start);
    forge_u64(&t, 1);
    forge_u64(&t, start);
    forge_u32(&t, METHOD_SIZE);
    forge_u32(&t, 0x06000001);
    forge_u32(&t, 0);
    forge_wide(&t, "App.Maker");
    forge_wide(&t, name);
    forge_wide(&t, "void ()");
    forge_u16(&t, 0);
    forge_u64(&t, 0);
    trace_forge_event(f, THREAD, FORGED_RUNDOWN + METHOD_AT_END, t.data, t.len);
    text_free(&t);
}

static struct trace_forge methods_of(void)
{
    struct trace_forge f = {.pointer_size = 8};
    trace_forge_begin(&f);
    forge_method(&f, MAKE, "Make");
    forge_method(&f, RUN, "Run");
    trace_forge_end(&f);
    return f;
}

/* Make called by Run, and Run alone. */
static void forge_stacks(struct trace_forge *f)
{
    static const uint64_t frames[] = {MAKE + 5, RUN + 9};
    static const struct forged_stack stacks[] = {{frames, 16}, {frames + 1, 8}};
    trace_forge_stacks(f, 1, stacks, 2);
}

/* An object that survives, and three that die soon. */
Test(gc_listener, finds_the_code_that_allocated_survivors)
{
    struct trace_forge moves = begin_moves(), methods = methods_of();
    forge_stacks(&moves);
    forge_allocation(&moves, 1, 0x10100);
    for (uint64_t i = 0; i < 3; i++)
        forge_allocation(&moves, 2, 0x10200 + i * SIZE);
    forge_start(&moves, 2, 0, OF_SMALL);
    forge_territory(&moves, 0, 0x10000);
    forge_territory(&moves, 1, 0x20000);
    forge_moved(&moves, OTHER_THREAD, 0x10018, 0x20000);
    forge_moved(&moves, OTHER_THREAD, 0x10100, 0x30018);
    forge_end(&moves, 2, 0);
    forge_collection(&moves, 3, 1, 0x20000, 0x20000);
    struct traced t = follow_until(&moves, MOVEMENT_HONEST, 3, &methods);
    cr_assert(t.ok[0] && t.ok[1], "%s", t.why[1].message);
    cr_expect_eq(t.sites_error.status, HD_OK, "%s", t.sites_error.message);
    const struct allocation_sites *s = t.snaps[1]->sites;
    cr_assert(s != NULL && s->object_count == 1 && s->unnamed == 0);
    cr_expect_eq(s->sampled, 4);
    cr_expect_eq(s->objects[0].object, 2);
    const struct site_stack *stack = &s->stacks[s->objects[0].stack];
    cr_assert_eq(stack->frame_count, 2);
    cr_expect_str_eq(s->frames[stack->frames[0]].method, "App.Maker.Make");
    cr_expect_str_eq(s->frames[stack->frames[1]].method, "App.Maker.Run");
    cr_expect_gt(t.activity.seconds, 0);
    cr_expect_eq(t.activity.allocated, 4 * 102400);
    cr_expect(t.activity.collections[0] == 1 && t.activity.collections[1] == 0);
    cr_expect_eq(t.activity.site_count, 2);
    cr_expect_str_eq(t.site, "App.Maker.Run");
    cr_expect_float_eq(t.activity.sites[0].share, 0.75, 1e-9);
    traced_free(&t);
    trace_forge_free(&methods);
}

static struct traced follow_without_samples(uint32_t budgets)
{
    struct trace_forge moves = begin_moves(), methods = methods_of();
    uint32_t number = 2;
    forge_collection(&moves, number++, 0, 0x10018, 0x20000);
    for (uint32_t i = 1; i < budgets; i++)
        forge_collection(&moves, number++, 0, 0x10100, 0x10100);
    forge_collection(&moves, number, 1, 0x20000, 0x20000);
    struct traced t = follow_until(&moves, MOVEMENT_HONEST, number, &methods);
    trace_forge_free(&methods);
    cr_assert(t.ok[1], "%s", t.why[1].message);
    return t;
}

/* As when another tool makes the runtime sample at random: missing samples prove nothing.
 */
Test(gc_listener, a_process_that_allocates_without_a_sample_has_unknown_sites)
{
    struct traced t = follow_without_samples(2);
    cr_expect_null(t.snaps[1]->sites);
    cr_expect_not_null(t.snaps[1]->survivor_map);
    cr_expect_not_null(strstr(t.sites_error.message, "another tool"), "%s",
                       t.sites_error.message);
    cr_expect_eq(t.activity.allocated, HD_UNKNOWN);
    traced_free(&t);
    t = follow_without_samples(1);
    cr_assert_not_null(t.snaps[1]->sites, "that little may have no sample");
    cr_expect_eq(t.activity.allocated, 0);
    traced_free(&t);
}

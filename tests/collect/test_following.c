/* A series of snapshots of a forged process, which says where its objects move. */
#include "heapdrift.h"

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

TestSuite(following, .init = open_scratch, .fini = remove_scratch, .timeout = 60);

enum { THREAD = 11, OTHER_THREAD = 12, TYPE = 0x10, SIZE = 24, NO = 0, MAX_OBJECTS = 8 };

/* --- what the process says ----------------------------------------------------------- */

/* A snapshot in the collection of that number, of objects that lie there. */
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

static void forge_start(struct trace_forge *f, uint32_t number, uint32_t depth,
                        uint32_t type)
{
    struct text t = {0};
    forge_u32(&t, number);
    forge_u32(&t, depth);
    forge_u32(&t, 1);
    forge_u32(&t, type);
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
    forge_start(f, number, depth, 0);
    forge_territory(f, 0, 0x10000);
    forge_territory(f, 1, 0x20000);
    forge_territory(f, 2, 0x30000);
    if (from != NO)
        forge_moved(f, OTHER_THREAD, from, to);
    forge_end(f, number, depth);
}

/* --- the series ---------------------------------------------------------------------- */

struct told {
    bool ok[4];
    struct hd_error why[4];
    struct hd_snapshot *snaps[4];
    struct peer_log log;
};

static struct hd_snapshot *take(struct hd_following *f, struct hd_collect_options *how)
{
    struct hd_collected got;
    struct hd_error err = {0};
    FILE *to = tmpfile();
    hd_following_before(f, how);
    struct hd_reading *r = hd_reading_begin(to, NULL);
    cr_assert(hd_collect(to, how, &got, &err), "%s", err.message);
    hd_reading_came(r, got.bytes);
    hd_reading_end(r);
    struct hd_snapshot *snap = hd_reading_snapshot(r, &err);
    cr_assert_not_null(snap, "%s", err.message);
    hd_snapshot_set_origin(snap, &got.origin);
    fclose(to);
    return snap;
}

static struct told follow(const struct peer_script *script, size_t count)
{
    struct told t = {0};
    const char *path = scratch_path(&scratch, "dotnet-diagnostic-77-1-socket");
    struct peer *peer = peer_start(path, script);
    struct hd_collect_options how = {.size = sizeof(how),
                                     .socket = path,
                                     .silence_ms =
                                         script->movement == MOVEMENT_SILENT ? 200 : 5000};
    struct hd_following *f = hd_following_begin();
    for (size_t i = 0; i < count; i++) {
        t.snaps[i] = take(f, &how);
        t.ok[i] = hd_following_snapshot(f, t.snaps[i], &t.why[i]);
    }
    hd_following_end(f);
    t.log = peer_stop(peer);
    return t;
}

static void told_free(struct told *t)
{
    for (size_t i = 0; i < sizeof(t->snaps) / sizeof(*t->snaps); i++)
        hd_snapshot_close(t->snaps[i]);
}

/* Two snapshots, with that movement between; addresses of the second. */
static struct told follow_two(struct trace_forge *moves, enum peer_movement habit)
{
    static const uint64_t first[] = {0x10000, 0x10018, 0x30000, NO},
                          second[] = {0x20000, 0x30000, 0x30018, NO};
    struct trace_forge heaps[] = {forge_heap(1, first), forge_heap(3, second)};
    trace_forge_end(moves);
    struct bytes streams[2], movements[2];
    for (size_t i = 0; i < 2; i++) {
        streams[i] =
            (struct bytes){(unsigned char *)heaps[i].bytes.data, heaps[i].bytes.len};
        movements[i] = (struct bytes){(unsigned char *)moves->bytes.data, moves->bytes.len};
    }
    struct told t = follow(&(struct peer_script){.streams = streams,
                                                 .stream_count = 2,
                                                 .movement = habit,
                                                 .movements = movements,
                                                 .movement_count = 2},
                           2);
    for (size_t i = 0; i < 2; i++)
        trace_forge_free(&heaps[i]);
    trace_forge_free(moves);
    return t;
}

static struct trace_forge begin_moves(void)
{
    struct trace_forge f = {.pointer_size = 8};
    trace_forge_begin(&f);
    forge_collection(&f, 1, 2, NO, NO);
    return f;
}

/* Of the second: 0x10018 went to 0x20000, what lay at 0x10000 is dead, 0x30018 came. */
static struct trace_forge usual_moves(void)
{
    struct trace_forge f = begin_moves();
    forge_collection(&f, 2, 0, 0x10018, 0x20000);
    forge_collection(&f, 3, 1, 0x20000, 0x20000);
    return f;
}

static void expect_unknown(struct told *t, enum hd_untold untold, const char *why)
{
    cr_expect_eq(t->snaps[0]->untold, HD_UNTOLD_NOTHING);
    cr_expect_eq(t->snaps[1]->untold, untold, "%d", t->snaps[1]->untold);
    cr_expect(t->ok[0], "the first one has none before it");
    cr_expect_not(t->ok[1]);
    cr_expect_null(t->snaps[1]->told);
    cr_expect_not_null(strstr(t->why[1].message, why), "%s", t->why[1].message);
    told_free(t);
}

Test(following, tells_the_second_snapshot_who_stayed)
{
    struct trace_forge moves = usual_moves();
    struct told t = follow_two(&moves, MOVEMENT_HONEST);
    cr_assert(t.ok[0] && t.ok[1], "%s", t.why[1].message);
    cr_expect_null(t.snaps[0]->told);
    cr_expect_eq(t.snaps[1]->untold, HD_UNTOLD_NOTHING);
    cr_assert_not_null(t.snaps[1]->told);
    cr_expect_eq(t.snaps[1]->told->survivors, 2);
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
    told_free(&t);
}

Test(following, a_process_that_refuses_is_not_followed)
{
    struct trace_forge moves = usual_moves();
    struct told t = follow_two(&moves, MOVEMENT_REFUSED);
    expect_unknown(&t, HD_UNTOLD_REFUSED, "0x80131515");
}

Test(following, a_process_that_says_nothing_is_not_followed)
{
    struct trace_forge moves = usual_moves();
    struct told t = follow_two(&moves, MOVEMENT_SILENT);
    expect_unknown(&t, HD_UNTOLD_REFUSED, "");
}

Test(following, a_session_that_ends_early_tells_nothing)
{
    struct trace_forge moves = usual_moves();
    struct told t = follow_two(&moves, MOVEMENT_CUT);
    expect_unknown(&t, HD_UNTOLD_ENDED, "ended the session");
}

Test(following, a_lost_event_tells_nothing)
{
    struct trace_forge moves = begin_moves();
    forge_collection(&moves, 2, 0, 0x10018, 0x20000);
    trace_forge_lose(&moves, OTHER_THREAD, 1);
    forge_collection(&moves, 3, 1, 0x20000, 0x20000);
    struct told t = follow_two(&moves, MOVEMENT_HONEST);
    expect_unknown(&t, HD_UNTOLD_LOST, "lost events");
}

/* As Native AOT does it: it is not asked again. */
Test(following, a_process_that_never_names_survivors_tells_nothing)
{
    struct trace_forge moves = begin_moves();
    forge_collection(&moves, 2, 0, NO, NO);
    forge_collection(&moves, 3, 1, NO, NO);
    struct told t = follow_two(&moves, MOVEMENT_HONEST);
    cr_expect_eq(t.log.movements, 2);
    expect_unknown(&t, HD_UNTOLD_SILENT, "does not report");
}

Test(following, a_process_that_is_silent_once_leaves_a_gap)
{
    struct trace_forge moves = begin_moves();
    forge_collection(&moves, 2, 0, 0x10018, 0x20000);
    forge_collection(&moves, 3, 1, NO, NO);
    struct told t = follow_two(&moves, MOVEMENT_HONEST);
    expect_unknown(&t, HD_UNTOLD_GAPS, "gaps");
}

Test(following, a_collection_that_is_missing_tells_nothing)
{
    struct trace_forge moves = begin_moves();
    forge_collection(&moves, 3, 1, 0x10018, 0x20000);
    struct told t = follow_two(&moves, MOVEMENT_HONEST);
    expect_unknown(&t, HD_UNTOLD_GAPS, "gaps");
}

Test(following, objects_that_are_elsewhere_tell_nothing)
{
    struct trace_forge moves = begin_moves();
    forge_collection(&moves, 2, 0, 0x10018, 0x20040);
    forge_collection(&moves, 3, 1, 0x20040, 0x20040);
    struct told t = follow_two(&moves, MOVEMENT_HONEST);
    expect_unknown(&t, HD_UNTOLD_MISPLACED, "not where");
}

/* A block that nobody knows, and that does not end. */
Test(following, a_process_that_tells_too_much_is_left_alone)
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
    /* The first half is sent before the stop: all that there is. */
    unsigned char *twice = calloc(2, head.bytes.len);
    memcpy(twice, head.bytes.data, head.bytes.len);
    struct bytes movement = {twice, 2 * head.bytes.len};
    struct told t = follow(&(struct peer_script){.streams = streams,
                                                 .stream_count = 2,
                                                 .movement = MOVEMENT_FLOOD,
                                                 .movements = &movement,
                                                 .movement_count = 1,
                                                 .answer = {zeros, sizeof(zeros)},
                                                 .flood = FLOOD},
                           2);
    expect_unknown(&t, HD_UNTOLD_TOO_MUCH, "without slowing it down");
    for (size_t i = 0; i < 2; i++)
        trace_forge_free(&heaps[i]);
    trace_forge_free(&head);
    free(twice);
}

/* The survivor map of a snapshot, written into its trace. */
#include "ages/sampled_objects.h"
#include "base/input.h"
#include "heap/process_facts.h"
#include "identity/places.h"
#include "identity/same.h"
#include "support/made_sites.h"
#include "support/scratch.h"
#include "trace/nettrace.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char real[] = "fixtures/leaklab/nettrace/1.nettrace.zst";

static struct scratch scratch;

static void open_scratch(void)
{
    scratch_open(&scratch);
}

static void remove_scratch(void)
{
    scratch_remove(&scratch);
}

TestSuite(survivor_trace, .init = open_scratch, .fini = remove_scratch);

static const char *unpacked(const char *path, size_t cut)
{
    struct hd_error err = {0};
    struct input *in = input_open(path, &(struct input_options){.max_memory = 0}, &err);
    struct bytes all;
    cr_assert_not_null(in, "%s", err.message);
    cr_assert(input_all(in, &all, &err), "%s", err.message);
    const char *copy = scratch_file(&scratch, "a.nettrace", all.data, all.size - cut);
    input_close(in);
    return copy;
}

static struct hd_snapshot *opened(const char *path)
{
    struct hd_error err = {0};
    struct hd_snapshot *snap = hd_snapshot_open(path, NULL, &err);
    cr_assert_not_null(snap, "%s: %s", path, err.message);
    return snap;
}

/* A map from a snapshot to itself, in which every third object is new. */
static void tell_itself(struct hd_snapshot *snap)
{
    struct places p = places_of(snap);
    const struct survivor_side side = {places_token(&p), (uint32_t)p.len};
    uint32_t *older_of = alloc_resize(NULL, sizeof(*older_of) * p.len);
    for (uint32_t i = 0; i < p.len; i++)
        older_of[i] = i % 3 == 0 ? UINT32_MAX : i;
    struct survivor_map *map = arena_alloc(&snap->arena, sizeof(*map));
    *map = survivor_map_write(&side, &side, older_of, &snap->arena);
    snap->survivor_map = map;
    free(older_of);
    places_free(&p);
}

static bool write_into(const char *path, const char *mode, const struct hd_snapshot *snap,
                       struct hd_error *err)
{
    *err = (struct hd_error){0};
    FILE *f = fopen(path, mode);
    cr_assert_not_null(f);
    bool ok = hd_gc_listener_write(f, snap, &(struct hd_origin){.instance = 0}, err);
    long end = ftell(f);
    cr_expect_eq(fseek(f, 0, SEEK_END), 0);
    cr_expect_eq(end, ftell(f), "it stands at the end");
    fclose(f);
    return ok;
}

static uint64_t sum_of(const char *path)
{
    struct hd_error err = {0};
    struct input *in = input_open(path, &(struct input_options){.max_memory = 0}, &err);
    struct bytes all;
    uint64_t sum = 0;
    cr_assert(in != NULL && input_all(in, &all, &err), "%s", err.message);
    for (size_t i = 0; i < all.size; i++)
        sum = sum * 31 + all.data[i];
    input_close(in);
    return sum;
}

/* Events of a trace, those of our own, and the largest number of a definition. */
struct counted {
    size_t events, ours, losses;
    uint32_t last_definition;
};

static struct counted counted(const char *path)
{
    struct hd_error err = {0};
    struct counted c = {0};
    struct trace_event e;
    struct input *in = input_open(path, &(struct input_options){.max_memory = 0}, &err);
    cr_assert_not_null(in, "%s", err.message);
    struct nettrace *t = nettrace_begin(in, &err);
    uint64_t last = 0;
    for (; nettrace_next(t, &e); c.events++, last = e.time > last ? e.time : last) {
        c.ours += e.provider == TRACE_HEAPDRIFT;
        cr_expect(e.provider != TRACE_HEAPDRIFT || e.time == last,
                  "it is behind all others");
    }
    cr_expect_eq(nettrace_end(t), TRACE_ENDS);
    nettrace_losses(t, &c.losses);
    c.last_definition = nettrace_last_definition(t);
    nettrace_free(t);
    input_close(in);
    return c;
}

Test(survivor_trace, it_is_read_again_and_nothing_else_changes)
{
    struct hd_error err;
    const char *path = unpacked(real, 0);
    struct hd_snapshot *snap = opened(path);
    uint64_t before = sum_of(path);
    cr_expect(write_into(path, "r+", snap, &err), "nothing was told");
    cr_expect_eq(sum_of(path), before);
    tell_itself(snap);
    struct counted was = counted(path);
    cr_assert(write_into(path, "r+", snap, &err), "%s", err.message);
    struct counted is = counted(path);
    cr_expect_eq(is.ours, 1);
    cr_expect_eq(is.events, was.events + 1);
    cr_expect_eq(is.losses, was.losses);
    cr_expect_eq(is.last_definition, was.last_definition + 1, "none is defined twice");

    struct hd_snapshot *again = opened(path);
    struct same s = {0};
    cr_assert_not_null(again->survivor_map);
    cr_expect_eq(again->survivor_map->survivors, snap->survivor_map->survivors);
    cr_expect(same_by_events(&s, again, again));
    cr_expect(again->info.complete);
    cr_expect_eq(again->warnings.len, snap->warnings.len);
    cr_expect_eq(again->graph->node_count, snap->graph->node_count);
    cr_expect_eq(again->graph->edge_count, snap->graph->edge_count);
    cr_expect_str_eq(again->info.time, snap->info.time);
    same_free(&s);

    /* A second map is rejected. */
    uint64_t after = sum_of(path);
    cr_expect_not(write_into(path, "r+", snap, &err));
    cr_expect_eq(sum_of(path), after);
    hd_snapshot_close(again);
    hd_snapshot_close(snap);
}

/* In every failure the trace is unchanged. */
Test(survivor_trace, a_trace_that_has_no_place_for_it_is_left_as_it_was)
{
    static const struct {
        const char *what, *path, *mode;
        size_t cut;
    } bad[] = {
        {"nobody may write", "fixtures/leaklab/nettrace/1.nettrace.zst", "r", 0},
        {"it lacks its end", "fixtures/leaklab/nettrace/1.nettrace.zst", "r+", 1},
        {"version 3", "fixtures/nettrace-real/leak31_netperf_v3.netperf.zst", "r+", 0},
        {"version 6", "fixtures/nettrace-vectors/F_v6.nettrace", "r+", 0},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct hd_error err;
        const char *path = unpacked(bad[i].path, bad[i].cut);
        struct hd_snapshot *snap = opened(path);
        uint64_t before = sum_of(path);
        tell_itself(snap);
        cr_expect_not(write_into(path, bad[i].mode, snap, &err), "%s", bad[i].what);
        cr_expect_neq(err.message[0], '\0', "%s", bad[i].what);
        cr_expect_eq(sum_of(path), before, "%s", bad[i].what);
        hd_snapshot_close(snap);
    }
}

Test(survivor_trace, the_reason_for_unknown_survivors_is_stored_too)
{
    struct hd_error err;
    const char *path = unpacked(real, 0);
    struct hd_snapshot *snap = opened(path);
    snap->survivors_unknown = HD_SURVIVORS_UNKNOWN_LOST;
    cr_assert(write_into(path, "r+", snap, &err), "%s", err.message);
    struct hd_snapshot *again = opened(path);
    cr_expect_null(again->survivor_map);
    cr_expect_eq(again->survivors_unknown, HD_SURVIVORS_UNKNOWN_LOST);
    hd_snapshot_close(again);
    hd_snapshot_close(snap);
}

/* --- the process ---------------------------------------------------------------------- */

static const char line[] = "resident=80203776 of_gc=16252928 threads=8 "
                           "thread=3:.NET%20TP%20Worker thread=1:%ff%e2%82";

static bool write_facts(const char *path, const struct hd_snapshot *snap,
                        struct hd_error *err)
{
    struct hd_origin origin = {.instance = 0};
    *err = (struct hd_error){0};
    process_facts_parse(&origin.facts, line, sizeof(line) - 1);
    FILE *f = fopen(path, "r+");
    cr_assert_not_null(f);
    bool ok = hd_gc_listener_write(f, snap, &origin, err);
    fclose(f);
    return ok;
}

static void expect_facts_in(const struct hd_snapshot *snap)
{
    struct hd_process_facts wanted = {0};
    process_facts_parse(&wanted, line, sizeof(line) - 1);
    for (enum hd_fact f = 0; f < HD_FACT_COUNT; f++)
        if (hd_fact(&wanted, f) != HD_UNKNOWN)
            cr_expect_eq(hd_fact(&snap->facts, f), hd_fact(&wanted, f), "%s",
                         hd_fact_name(f));
    cr_expect_eq(memcmp(snap->facts.threads, wanted.threads, sizeof(wanted.threads)), 0);
}

Test(survivor_trace, facts_of_the_process_are_read_again_with_survivors_and_without)
{
    for (int map = 0; map < 2; map++) {
        struct hd_error err;
        const char *path = unpacked(real, 0);
        struct hd_snapshot *snap = opened(path);
        struct counted was = counted(path);
        uint64_t collected = hd_fact(&snap->facts, HD_FACT_GC_COMMITTED);
        if (map == 1)
            tell_itself(snap);
        hd_fact_set(&snap->facts, HD_FACT_GC_PAUSE, 12345);
        cr_assert(write_facts(path, map == 1 ? snap : NULL, &err), "%s", err.message);
        struct counted is = counted(path);
        cr_expect_eq(is.ours, 1 + (size_t)map);
        cr_expect_eq(is.events, was.events + 1 + (size_t)map);
        cr_expect_eq(is.losses, was.losses);
        struct hd_snapshot *again = opened(path);
        expect_facts_in(again);
        cr_expect_eq(hd_fact(&again->facts, HD_FACT_GC_PAUSE),
                     map == 1 ? 12345 : HD_UNKNOWN);
        cr_expect_eq(hd_fact(&again->facts, HD_FACT_GC_COMMITTED), collected);
        cr_expect_eq(again->survivor_map != NULL, map == 1);
        cr_expect(again->info.complete);
        cr_expect_eq(again->warnings.len, snap->warnings.len);
        cr_expect_not(write_facts(path, NULL, &err), "it has such an event");
        hd_snapshot_close(again);
        hd_snapshot_close(snap);
    }
}

/* --- which code allocated objects ------------------------------------------------------
 */

Test(survivor_trace, allocation_sites_are_read_again)
{
    struct hd_error err;
    const char *path = unpacked(real, 0);
    struct hd_snapshot *snap = opened(path);
    struct counted was = counted(path);
    struct places p = places_of(snap);
    const struct made_sample sample = {p.all[5].object, "Shop.Add@Shop.cs:42 < -System.Run",
                                       7};
    places_free(&p);
    tell_itself(snap);
    made_sites(snap, 7, &sample, 1);
    cr_assert(write_into(path, "r+", snap, &err), "%s", err.message);
    struct counted is = counted(path);
    cr_expect_eq(is.ours, 2);
    cr_expect_eq(is.last_definition, was.last_definition + 3, "none is defined twice");
    struct hd_snapshot *again = opened(path);
    cr_assert_not_null(again->sites);
    cr_expect_not_null(again->survivor_map);
    node_id *nodes = sampled_nodes(again);
    cr_assert_not_null(nodes);
    cr_expect_eq(graph_address(again->graph, nodes[0]),
                 graph_address(snap->graph, sample.node));
    cr_expect_eq(again->sites->collection, 7);
    cr_expect_str_eq(again->sites->frames[0].file, "Shop.cs");
    free(nodes);
    hd_snapshot_close(again);
    hd_snapshot_close(snap);
}

/* Traces that lack events or bytes, or contain contradictions: read with a warning, or
 * rejected with the position. Complete traces are in test_read_nettrace.c. */
#include "format/nettrace/forged_walks.h"
#include "support/scratch.h"

/* --- what is lost ---------------------------------------------------------------- */

static void expect_incomplete(struct trace_forge *f, const char *says)
{
    struct hd_snapshot *snap = open_good(f);
    cr_expect_not(snap->info.complete, "%s", says);
    const struct warning *w = warnings_find(&snap->warnings, WARN_INCOMPLETE);
    cr_assert_not_null(w, "%s", says);
    cr_expect_not_null(strstr(w->detail, says), "%s: %s", says, w->detail);
    cr_expect_eq(snap->info.objects, 2);
    hd_snapshot_close(snap);
    trace_forge_free(f);
}

/* Found by the gap in their own numbers: no event numbered by a thread was lost. */
Test(nettrace_damage, a_later_walk_that_lacks_dependent_handles_is_not_taken)
{
    struct trace_forge f = begin(8);
    whole_walk(&f, 0x7000, 1);
    trace_forge_gc(&f, MAIN, true, 2);
    trace_forge_node(&f, 0x9000, 24, box.id, 0);
    trace_forge_pair(&f, 0x9000, 0x9000);
    f.pair_events++;
    trace_forge_walk(&f, MAIN);
    trace_forge_gc(&f, MAIN, false, 2);
    trace_forge_end(&f);
    struct hd_snapshot *snap = open_good(&f);
    cr_expect_eq(snap->info.objects, 2, "the first walk");
    cr_expect(snap->info.complete);
    hd_snapshot_close(snap);
    trace_forge_free(&f);
}

Test(nettrace_damage, lost_events_during_the_walk_make_it_incomplete)
{
    struct trace_forge f = begin(8);
    trace_forge_gc(&f, MAIN, true, 1);
    trace_forge_lose(&f, MAIN, 3);
    walk_two(&f, 0x7000);
    trace_forge_gc(&f, MAIN, false, 1);
    trace_forge_end(&f);
    expect_incomplete(&f, "3 events of the trace were lost");
}

Test(nettrace_damage, a_sequence_point_shows_losses_at_the_end)
{
    struct trace_forge f = begin(8);
    whole_walk(&f, 0x7000, 1);
    trace_forge_lose(&f, MAIN, 5);
    trace_forge_point(&f);
    trace_forge_end(&f);
    expect_incomplete(&f, "5 events of the trace were lost");
}

Test(nettrace_damage, losses_before_the_walk_do_not_matter)
{
    struct trace_forge f = begin(8);
    trace_forge_event(&f, MAIN, 4, "", 0);
    trace_forge_lose(&f, MAIN, 7);
    trace_forge_event(&f, MAIN, 4, "", 0);
    whole_walk(&f, 0x7000, 1);
    trace_forge_end(&f);
    struct hd_snapshot *snap = open_good(&f);
    cr_expect(snap->info.complete);
    hd_snapshot_close(snap);
    trace_forge_free(&f);
}

/* The system reuses the ids of threads; the numbers of a new thread start at 1. */
Test(nettrace_damage, a_thread_with_restarted_numbers_has_lost_no_event)
{
    struct trace_forge f = begin(8);
    f.threads[0] = MAIN;
    f.sequence[0] = 1000;
    trace_forge_event(&f, MAIN, 4, "", 0);
    f.sequence[0] = 0;
    whole_walk(&f, 0x7000, 1);
    trace_forge_point(&f);
    trace_forge_end(&f);
    struct hd_snapshot *snap = open_good(&f);
    cr_expect(snap->info.complete);
    hd_snapshot_close(snap);
    trace_forge_free(&f);
}

Test(nettrace_damage, missing_references_make_it_incomplete)
{
    struct trace_forge f = begin(8);
    trace_forge_gc(&f, MAIN, true, 1);
    trace_forge_node(&f, 0x6000, 24, box.id, 3);
    trace_forge_node(&f, 0x6018, 24, box.id, 0);
    trace_forge_edge(&f, 0x6018);
    trace_forge_walk(&f, MAIN);
    trace_forge_gc(&f, MAIN, false, 1);
    trace_forge_end(&f);
    expect_incomplete(&f, "2 references are missing");
}

Test(nettrace_damage, a_walk_without_start_or_end_is_incomplete)
{
    struct trace_forge f = begin(8);
    walk_two(&f, 0x7000);
    trace_forge_gc(&f, MAIN, false, 1);
    trace_forge_end(&f);
    expect_incomplete(&f, "start of the heap walk");
    f = begin(8);
    trace_forge_gc(&f, MAIN, true, 1);
    walk_two(&f, 0x7000);
    trace_forge_end(&f);
    expect_incomplete(&f, "end of the heap walk");
}

Test(nettrace_damage, repeated_objects_are_noticed_and_found)
{
    struct trace_forge f = begin(8);
    trace_forge_gc(&f, MAIN, true, 1);
    trace_forge_node(&f, 0x7000, 24, box.id, 1);
    trace_forge_node(&f, 0x7000, 24, box.id, 1);
    trace_forge_node(&f, 0x7030, 24, box.id, 1);
    trace_forge_edge(&f, 0x7030);
    trace_forge_edge(&f, 0x7000);
    trace_forge_edge(&f, 0x7030);
    trace_forge_walk(&f, MAIN);
    trace_forge_gc(&f, MAIN, false, 1);
    trace_forge_end(&f);
    struct hd_snapshot *snap = open_good(&f);
    const node_id *to = snap->graph->edge_to;
    cr_expect_eq(snap->info.objects, 3);
    cr_expect(to[0] == 2 && to[1] == 0 && to[2] == 2);
    cr_expect_not(snap->info.complete);
    hd_snapshot_close(snap);
    trace_forge_free(&f);
}

/* The difference between positions and nodes grows with every repeat. */
Test(nettrace_damage, objects_after_several_repeats_are_found)
{
    static const uint64_t addresses[] = {0x7000, 0x7000, 0x7018, 0x7000,
                                         0x7018, 0x7030, 0x7048};
    enum { NODES = sizeof(addresses) / sizeof(addresses[0]) };
    static const node_id first[] = {0, 0, 2, 0, 2, 5, 6};
    struct trace_forge f = begin(8);
    trace_forge_gc(&f, MAIN, true, 1);
    for (size_t i = 0; i < NODES; i++) {
        trace_forge_node(&f, addresses[i], 24, box.id, 1);
        trace_forge_edge(&f, addresses[i]);
    }
    trace_forge_walk(&f, MAIN);
    trace_forge_gc(&f, MAIN, false, 1);
    trace_forge_end(&f);
    struct hd_snapshot *snap = open_good(&f);
    for (node_id n = 0; n < NODES; n++)
        cr_expect_eq(snap->graph->edge_to[n], first[n], "node %u", n);
    hd_snapshot_close(snap);
    trace_forge_free(&f);
}

Test(nettrace_damage, a_file_without_its_end_mark_is_whole_one_cut_in_a_block_is_not)
{
    struct trace_forge f = begin(8);
    whole_walk(&f, 0x7000, 1);
    struct hd_snapshot *snap = open_good(&f);
    cr_expect(snap->info.complete);
    cr_expect_eq(warned(snap, WARN_NO_TRAILER), 1);
    hd_snapshot_close(snap);
    trace_forge_event(&f, MAIN, 4, "0123456789", 10);
    f.bytes.len -= 4;
    expect_incomplete(&f, "the file is truncated");
}

Test(nettrace_damage, traces_without_objects_are_refused)
{
    struct trace_forge f = begin(8);
    trace_forge_gc(&f, MAIN, true, 1);
    trace_forge_gc(&f, MAIN, false, 1);
    trace_forge_end(&f);
    expect_refused(&f, HD_UNSUPPORTED, "without a heap snapshot");
    f = begin(8);
    trace_forge_gc(&f, MAIN, true, 1);
    trace_forge_lose(&f, MAIN, 900);
    trace_forge_gc(&f, MAIN, false, 1);
    trace_forge_end(&f);
    expect_refused(&f, HD_UNSUPPORTED, "900 events were lost");
}

/* --- damage ---------------------------------------------------------------------- */

Test(nettrace_damage, damage_is_refused_with_its_place)
{
    struct trace_forge f = begin(8);
    trace_forge_event(&f, MAIN, 18, "\0\0\0\0\xff\xff\xff\xff\0\0", 10);
    expect_refused(&f, HD_BAD_FORMAT, "more records than fit into the event");
    f = begin(8);
    trace_forge_event(&f, MAIN, 1, "", 0);
    expect_refused(&f, HD_BAD_FORMAT, "too short");
    f = begin(3);
    expect_refused(&f, HD_BAD_FORMAT, "neither 4 nor 8");
    f = begin(8);
    whole_walk(&f, 0x7000, 1);
    text_add_string(&f.bytes, "what is this doing here");
    expect_refused(&f, HD_BAD_FORMAT, "no block begins here");
    struct text t = {0};
    forge_u32(&t, 1);
    forge_u16(&t, 9);
    for (size_t i = 0; i < 31; i++)
        forge_u8(&t, 1);
    f = begin(8);
    trace_forge_event(&f, MAIN, 15, t.data, t.len);
    whole_walk(&f, 0x7000, 1);
    expect_refused(&f, HD_BAD_FORMAT, "a type crosses the end of its event");
    text_free(&t);
}

Test(nettrace_damage, a_newer_format_is_refused_by_its_number)
{
    struct trace_forge f = {0};
    text_add(&f.bytes, "Nettrace\0\0\0\0\7\0\0\0\0\0\0\0", 20);
    expect_refused(&f, HD_UNSUPPORTED, "version 7");
}

Test(nettrace_damage, memory_may_be_limited)
{
    struct trace_forge f = begin(8);
    whole_walk(&f, 0x7000, 1);
    trace_forge_end(&f);
    struct hd_read_options little = {.max_memory = 64};
    struct hd_error err;
    cr_expect_null(open_trace(&f, &little, &err));
    cr_expect_eq(err.status, HD_TOO_BIG);
    little.tables_only = true;
    struct hd_snapshot *snap = open_trace(&f, &little, &err);
    cr_expect_not_null(snap, "%s", err.message);
    hd_snapshot_close(snap);
    trace_forge_free(&f);
}

/* --- a file that changes ---------------------------------------------------------- */

struct change {
    const char *path;
    struct text with;
    int after; /* rewinds before it happens */
};

static void change_at_rewind(void *context, enum hd_phase phase, uint64_t more,
                             uint64_t all)
{
    struct change *c = context;
    if (phase != HD_READING || more > 0 || all == 0 || --c->after != 0)
        return;
    FILE *f = fopen(c->path, "w");
    cr_assert_not_null(f);
    fwrite(c->with.data, 1, c->with.len, f);
    fclose(f);
}

static struct trace_forge walk_of(unsigned objects)
{
    struct trace_forge f = begin(8);
    trace_forge_types(&f, MAIN, &box, 1);
    trace_forge_gc(&f, MAIN, true, 1);
    for (unsigned i = 0; i < objects; i++)
        trace_forge_node(&f, 0x7000 + 24 * (uint64_t)i, 24, box.id, 0);
    trace_forge_walk(&f, MAIN);
    trace_forge_gc(&f, MAIN, false, 1);
    trace_forge_end(&f);
    return f;
}

static void expect_changed(unsigned objects, unsigned then, int after)
{
    struct scratch scratch = {0};
    scratch_open(&scratch);
    struct trace_forge f = walk_of(objects), g = walk_of(then);
    struct change change = {scratch_file(&scratch, "x.nettrace", f.bytes.data, f.bytes.len),
                            g.bytes, after};
    struct hd_read_options opt = {.progress = change_at_rewind,
                                  .progress_context = &change};
    struct hd_error err = {0};
    struct hd_snapshot *snap = hd_snapshot_open(change.path, &opt, &err);
    cr_expect_null(snap, "%u, then %u", objects, then);
    cr_expect_eq(err.status, HD_IO, "%u, then %u: %s", objects, then, err.message);
    cr_expect_str_eq(err.message, "was modified while being read");
    hd_snapshot_close(snap);
    trace_forge_free(&f);
    trace_forge_free(&g);
    scratch_remove(&scratch);
}

/* Memory allocated for 5 objects must not be filled with 2,000. */
Test(nettrace_damage, a_trace_that_grows_between_passes_is_refused)
{
    expect_changed(5, 2000, 1);
}

Test(nettrace_damage, a_trace_that_shrinks_between_passes_is_refused)
{
    expect_changed(2000, 5, 1);
}

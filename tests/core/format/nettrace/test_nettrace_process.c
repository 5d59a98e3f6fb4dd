/* Process data in a trace: the collector's events about the walk's collection, and the
 * appended facts; parsed, passed on, and rejected. */
#include "format/nettrace/forged_walks.h"
#include "heap/process_facts.h"
#include "trace/nettrace.h"

/* --- events of the collector ---------------------------------------------------------- */

static void send(struct trace_forge *f, unsigned id, struct text *payload)
{
    trace_forge_event(f, OTHER, id, payload->data, payload->len);
    text_free(payload);
}

static void committed(struct trace_forge *f, uint64_t in_use)
{
    struct text t = {0};
    forge_wide(&t, "CommittedUsage");
    forge_u32(&t, 42);
    forge_u16(&t, 1);
    forge_u64(&t, in_use);
    for (uint64_t i = 1; i < 5; i++)
        forge_u64(&t, i == 2 ? 50 : 0); /* free regions */
    send(f, 39, &t);
}

/* The free bytes of each generation are `n`. */
static void per_heap(struct trace_forge *f, uint64_t n)
{
    struct text t = {0};
    forge_u16(&t, 30);
    for (int i = 0; i < 7; i++)
        forge_u64(&t, 0);
    for (int i = 0; i < 6; i++)
        forge_u32(&t, 0);
    forge_u32(&t, 5);
    for (int i = 0; i < 50; i++)
        forge_u64(&t, i % 10 == 4 ? n : 0);
    send(f, 204, &t);
}

static void heaps(struct trace_forge *f, uint32_t n)
{
    struct text t = {0};
    forge_u64(&t, 1);
    forge_u32(&t, n);
    send(f, 205, &t);
}

static void pinned(struct trace_forge *f, uint32_t n)
{
    struct text t = {0};
    for (int i = 0; i < 10; i++)
        forge_u64(&t, 1);
    forge_u32(&t, n);
    send(f, 4, &t);
}

/* A collection without a walk, whose numbers must be ignored. */
static void other_collection(struct trace_forge *f, uint32_t gc)
{
    trace_forge_gc(f, MAIN, true, gc);
    committed(f, 666);
    per_heap(f, 666);
    heaps(f, 666);
    trace_forge_gc(f, MAIN, false, gc);
    pinned(f, 666);
}

static void part_of_process(struct trace_forge *f, uint32_t number, uint32_t parts,
                            const char *text)
{
    struct text payload = {0};
    forge_u32(&payload, number);
    forge_u32(&payload, parts);
    text_add_string(&payload, text);
    send(f, FORGED_OURS + 2, &payload);
}

/* Server GC with two heaps, and a collection before the walk's. */
static struct trace_forge server(const char *line)
{
    struct trace_forge f = begin(8);
    trace_forge_types(&f, MAIN, &box, 1);
    other_collection(&f, 1);
    trace_forge_gc(&f, MAIN, true, 2);
    committed(&f, 1000);
    walk_two(&f, 0x7000);
    heaps(&f, 2);
    per_heap(&f, 10);
    per_heap(&f, 3);
    committed(&f, 700);
    trace_forge_gc(&f, MAIN, false, 2);
    trace_forge_next_walk(&f);
    pinned(&f, 495);
    if (line != NULL)
        part_of_process(&f, 0, 1, line);
    trace_forge_end(&f);
    return f;
}

static struct hd_process_facts facts_in(struct trace_forge *f)
{
    struct hd_snapshot *snap = open_good(f);
    struct hd_process_facts facts = snap->facts;
    cr_expect_eq(snap->info.objects, 2);
    hd_snapshot_close(snap);
    trace_forge_free(f);
    return facts;
}

static void expect_of_server(const struct hd_process_facts *facts)
{
    cr_expect_eq(hd_fact(facts, HD_FACT_GC_COMMITTED), 1050, "at the start of the walk's");
    cr_expect_eq(hd_fact(facts, HD_FACT_GC_FREE), 50);
    cr_expect_eq(hd_fact(facts, HD_FACT_FRAGMENTED), 65, "of both heaps");
    cr_expect_eq(hd_fact(facts, HD_FACT_FREE_GEN0), 13);
    cr_expect_eq(hd_fact(facts, HD_FACT_FREE_POH), 13);
    cr_expect_eq(hd_fact(facts, HD_FACT_GC_HEAPS), 2);
    cr_expect_eq(hd_fact(facts, HD_FACT_PINNED), 495);
}

Test(nettrace_process, facts_are_those_of_the_collection_of_the_walk)
{
    struct trace_forge f = server(NULL);
    struct hd_process_facts facts = facts_in(&f);
    expect_of_server(&facts);
    cr_expect_eq(hd_fact(&facts, HD_FACT_RESIDENT), HD_UNKNOWN);
}

Test(nettrace_process, facts_of_heaps_that_are_many_are_summed)
{
    enum { HEAPS = 1000 };
    struct trace_forge f = begin(8);
    trace_forge_types(&f, MAIN, &box, 1);
    for (uint32_t i = 0; i < 10; i++) {
        trace_forge_gc(&f, MAIN, true, 1 + i);
        for (int k = 0; k < HEAPS; k++)
            per_heap(&f, 666);
        trace_forge_gc(&f, MAIN, false, 1 + i);
    }
    trace_forge_gc(&f, MAIN, true, 11);
    walk_two(&f, 0x7000);
    for (int k = 0; k < HEAPS; k++)
        per_heap(&f, 1);
    trace_forge_gc(&f, MAIN, false, 11);
    trace_forge_next_walk(&f);
    trace_forge_end(&f);
    struct hd_process_facts facts = facts_in(&f);
    cr_expect_eq(hd_fact(&facts, HD_FACT_FREE_GEN2), HEAPS);
}

Test(nettrace_process, walk_without_such_events_has_no_facts)
{
    struct trace_forge f = begin(8);
    trace_forge_types(&f, MAIN, &box, 1);
    other_collection(&f, 1);
    whole_walk(&f, 0x7000, 2);
    trace_forge_end(&f);
    struct hd_process_facts facts = facts_in(&f);
    cr_expect_eq(facts.known, 0);
}

Test(nettrace_process, damaged_events_of_the_collector_are_ignored)
{
    static const unsigned ids[] = {39, 204, 205, 4};
    struct trace_forge f = begin(8);
    trace_forge_types(&f, MAIN, &box, 1);
    trace_forge_gc(&f, MAIN, true, 2);
    walk_two(&f, 0x7000);
    for (size_t i = 0; i < 4; i++)
        for (size_t size = 0; size < 12; size++)
            trace_forge_event(&f, OTHER, ids[i],
                              "\377\377\377\377\377\377\377\377\377\377"
                              "\377\377",
                              size);
    trace_forge_gc(&f, MAIN, false, 2);
    trace_forge_next_walk(&f);
    trace_forge_end(&f);
    struct hd_process_facts facts = facts_in(&f);
    facts.known &= ~((uint64_t)1 << HD_FACT_GC_HEAPS); /* which needs twelve bytes */
    cr_expect_eq(facts.known, 0);
}

/* --- an event of our own ---------------------------------------------------------------
 */

#define LINE "resident=80203776 gc_committed=5 threads=8 thread=3:.NET%20TP%20Worker"

Test(nettrace_process, line_is_read_before_events_of_the_collector)
{
    struct trace_forge f = server(LINE);
    struct hd_process_facts facts = facts_in(&f);
    cr_expect_eq(hd_fact(&facts, HD_FACT_RESIDENT), 80203776);
    cr_expect_eq(hd_fact(&facts, HD_FACT_GC_COMMITTED), 5);
    cr_expect_eq(hd_fact(&facts, HD_FACT_GC_FREE), 50);
    cr_expect_str_eq(facts.threads[0].name, ".NET TP Worker");
}

static struct hd_process_facts facts_of_parts(const char *const *parts, size_t count,
                                              uint32_t promised)
{
    struct trace_forge f = begin(8);
    trace_forge_types(&f, MAIN, &box, 1);
    whole_walk(&f, 0x7000, 1);
    for (uint32_t i = 0; i < count; i++)
        part_of_process(&f, i, promised, parts[i]);
    trace_forge_end(&f);
    return facts_in(&f);
}

Test(nettrace_process, line_may_be_in_parts_and_must_be_whole)
{
    static const char *const parts[] = {"resident=8", "0203776 thre", "ads=8"};
    struct hd_process_facts facts = facts_of_parts(parts, 3, 3);
    cr_expect_eq(hd_fact(&facts, HD_FACT_RESIDENT), 80203776);
    cr_expect_eq(hd_fact(&facts, HD_FACT_THREADS), 8);
    facts = facts_of_parts(parts, 2, 3);
    cr_expect_eq(facts.known, 0, "one is missing");
    facts = facts_of_parts(parts, 3, 2);
    cr_expect_eq(facts.known, 0, "one too many");
}

Test(nettrace_process, line_that_is_too_long_is_ignored)
{
    struct text t = {0};
    text_add_string(&t, "resident=5 ");
    while (t.len < MAX_PROCESS_LINE)
        text_add_char(&t, 'x');
    const char *line = text_string(&t);
    struct hd_process_facts facts = facts_of_parts(&line, 1, 1);
    cr_expect_eq(hd_fact(&facts, HD_FACT_RESIDENT), 5);
    text_add_char(&t, 'x');
    line = text_string(&t);
    facts = facts_of_parts(&line, 1, 1);
    cr_expect_eq(facts.known, 0);
    text_free(&t);
}

/* --- carried on ------------------------------------------------------------------------
 */

Test(nettrace_process, facts_are_passed_on_to_gcdumps_and_digests)
{
    static const char *const targets[] = {"gcdump", "digest"};
    static const struct hd_read_options how = {.to_write = true};
    for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
        struct hd_memory made = {0};
        struct hd_error err = {0};
        struct trace_forge f = server("resident=80203776 thread=3:.NET%20TP%20Worker");
        struct hd_snapshot *snap = open_trace(&f, &how, &err);
        cr_assert_not_null(snap, "%s", err.message);
        cr_assert(hd_snapshot_write(snap, targets[i], hd_sink_memory(&made), NULL, &err),
                  "%s", err.message);
        struct hd_snapshot *again =
            hd_snapshot_from_memory(made.bytes, made.size, NULL, &err);
        cr_assert_not_null(again, "%s", err.message);
        expect_of_server(&again->facts);
        cr_expect_eq(memcmp(&again->facts, &snap->facts, sizeof(snap->facts)), 0, "%s",
                     targets[i]);
        hd_snapshot_close(again);
        hd_snapshot_close(snap);
        hd_memory_free(&made);
        trace_forge_free(&f);
    }
}

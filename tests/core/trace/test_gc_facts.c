/* The collector's events about a collection: payloads of .NET 10 and damaged ones. */
#include "trace/trace_heap_events.h"

#include "support/trace_forge.h"

#include <criterion/criterion.h>
#include <string.h>

static struct bytes bytes_of(const struct text *t)
{
    return (struct bytes){(const unsigned char *)t->data, t->len};
}

/* Expects no facts from shorter payloads; parses the whole one, with unknown bytes appended
 * as well. */
static struct hd_process_facts parsed(enum trace_heap_event kind, struct text *t,
                                      unsigned pointer_size, size_t needed)
{
    struct hd_process_facts facts = {0};
    for (size_t size = 0; size < needed; size++) {
        char *copy = malloc(size + 1); /* a sanitizer reports a byte too many */
        if (size > 0)
            memcpy(copy, t->data, size);
        cr_expect_not(gc_facts_parse(kind,
                                     (struct bytes){(const unsigned char *)copy, size},
                                     pointer_size, &facts),
                      "%zu of %zu bytes", size, t->len);
        free(copy);
    }
    cr_expect_eq(facts.known, 0);
    cr_expect(gc_facts_parse(kind, bytes_of(t), pointer_size, &facts));
    text_free(t);
    return facts;
}

static void expect_known(const struct hd_process_facts *facts, size_t count)
{
    size_t known = 0;
    for (enum hd_fact f = 0; f < HD_FACT_COUNT; f++)
        known += hd_fact(facts, f) != HD_UNKNOWN;
    cr_expect_eq(known, count);
}

/* --- 39: CommittedUsage -------------------------------------------------------------- */

static struct text committed(const char *name, const uint64_t n[5])
{
    struct text t = {0};
    forge_wide(&t, name);
    forge_u32(&t, 42);
    forge_u16(&t, 1);
    for (int i = 0; i < 5; i++)
        forge_u64(&t, n[i]);
    return t;
}

Test(gc_facts, committed_usage)
{
    struct text t =
        committed("CommittedUsage", (const uint64_t[]){12726272, 5, 8392704, 7, 229376});
    struct hd_process_facts facts = parsed(EVENT_COMMITTED, &t, 8, t.len);
    cr_expect_eq(hd_fact(&facts, HD_FACT_GC_COMMITTED),
                 12726272 + 5 + 8392704 + 7 + 229376);
    cr_expect_eq(hd_fact(&facts, HD_FACT_GC_FREE), 5 + 8392704 + 7);
    expect_known(&facts, 2);
}

Test(gc_facts, other_dynamic_events_are_ignored)
{
    static const char *const names[] = {
        "SizeAdaptationTuning", "HeapCountTuning", "committedUsage",
        "CommittedUsages",      "Committed",       ""};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        struct text t = committed(names[i], (const uint64_t[]){1, 2, 3, 4, 5});
        struct hd_process_facts facts = {0};
        cr_expect_not(gc_facts_parse(EVENT_COMMITTED, bytes_of(&t), 8, &facts), "%s",
                      names[i]);
        cr_expect_eq(facts.known, 0, "%s", names[i]);
        text_free(&t);
    }
}

Test(gc_facts, committed_bytes_that_cannot_be_are_unknown)
{
    const uint64_t most = (HD_UNKNOWN - 1) / 5;
    struct text t =
        committed("CommittedUsage", (const uint64_t[]){most, most, most, most, most});
    struct hd_process_facts facts = {0};
    cr_expect(gc_facts_parse(EVENT_COMMITTED, bytes_of(&t), 8, &facts));
    cr_expect_eq(hd_fact(&facts, HD_FACT_GC_COMMITTED), 5 * most);
    text_free(&t);
    for (int i = 0; i < 5; i++) {
        uint64_t n[5] = {1, 1, 1, 1, 1};
        n[i] = most + 1;
        t = committed("CommittedUsage", n);
        facts = (struct hd_process_facts){0};
        cr_expect_not(gc_facts_parse(EVENT_COMMITTED, bytes_of(&t), 8, &facts), "%d", i);
        cr_expect_eq(facts.known, 0);
        text_free(&t);
    }
}

/* --- 204: GCPerHeapHistory ----------------------------------------------------------- */

enum { GENERATIONS = 5, NUMBERS = 10 };

static void forge_pointer(struct text *t, unsigned pointer_size, uint64_t n)
{
    if (pointer_size == 8)
        forge_u64(t, n);
    else
        forge_u32(t, (uint32_t)n);
}

/* The free lists of generation g >= 1 have 1000 * g bytes, all other numbers differ. */
static struct text per_heap(unsigned pointer_size, uint32_t generations)
{
    struct text t = {0};
    forge_u16(&t, 30);
    for (int i = 0; i < 7; i++)
        forge_pointer(&t, pointer_size, 77);
    for (int i = 0; i < 6; i++)
        forge_u32(&t, 88);
    forge_u32(&t, generations);
    for (uint32_t g = 1; g <= generations; g++)
        for (uint64_t i = 0; i < NUMBERS; i++)
            forge_pointer(&t, pointer_size, i == 4 ? 1000 * g : i == 5 ? g : 1000000 + i);
    return t;
}

Test(gc_facts, per_heap_history_has_what_is_free_of_each_generation)
{
    static const unsigned pointer_sizes[] = {8, 4};
    for (size_t i = 0; i < 2; i++) {
        struct text t = per_heap(pointer_sizes[i], GENERATIONS);
        struct hd_process_facts facts = parsed(EVENT_PER_HEAP, &t, pointer_sizes[i], t.len);
        cr_expect_eq(hd_fact(&facts, HD_FACT_FRAGMENTED), 1001 * 15);
        cr_expect_eq(hd_fact(&facts, HD_FACT_FREE_GEN0), 1001);
        cr_expect_eq(hd_fact(&facts, HD_FACT_FREE_GEN1), 2002);
        cr_expect_eq(hd_fact(&facts, HD_FACT_FREE_GEN2), 3003);
        cr_expect_eq(hd_fact(&facts, HD_FACT_FREE_LOH), 4004);
        cr_expect_eq(hd_fact(&facts, HD_FACT_FREE_POH), 5005);
        expect_known(&facts, 6);
    }
}

Test(gc_facts, per_heap_history_of_other_layouts_is_ignored)
{
    static const uint32_t generations[] = {0, 4, 6, UINT32_MAX};
    for (size_t i = 0; i < 4; i++) {
        struct text t = per_heap(8, generations[i] < 7 ? generations[i] : 5);
        struct hd_process_facts facts = {0};
        if (generations[i] == UINT32_MAX)
            memset(t.data + 2 + 7 * 8 + 6 * 4, 0xFF, 4);
        cr_expect_not(gc_facts_parse(EVENT_PER_HEAP, bytes_of(&t), 8, &facts));
        cr_expect_eq(facts.known, 0);
        text_free(&t);
    }
    /* of the other pointer size */
    struct text t = per_heap(4, GENERATIONS);
    struct hd_process_facts facts = {0};
    cr_expect_not(gc_facts_parse(EVENT_PER_HEAP, bytes_of(&t), 8, &facts));
    text_free(&t);
}

Test(gc_facts, free_bytes_that_cannot_be_do_not_count)
{
    struct text t = per_heap(8, GENERATIONS);
    struct hd_process_facts facts = {0};
    memset(t.data + 2 + 7 * 8 + 6 * 4 + 4 + 4 * 8, 0xFF, 8); /* gen0, in lists */
    cr_expect(gc_facts_parse(EVENT_PER_HEAP, bytes_of(&t), 8, &facts));
    cr_expect_eq(hd_fact(&facts, HD_FACT_FREE_GEN0), 1);
    cr_expect_eq(hd_fact(&facts, HD_FACT_FRAGMENTED), 1001 * 15 - 1000);
    text_free(&t);
}

/* --- 205: GCGlobalHeapHistory; 4: GCHeapStats ---------------------------------------- */

Test(gc_facts, global_history_has_the_number_of_heaps)
{
    struct text t = {0};
    forge_u64(&t, 0x1000000); /* budget */
    forge_u32(&t, 12);        /* heaps */
    size_t needed = t.len;
    for (int i = 0; i < 17; i++)
        forge_u32(&t, 99);
    struct hd_process_facts facts = parsed(EVENT_HEAPS, &t, 8, needed);
    cr_expect_eq(hd_fact(&facts, HD_FACT_GC_HEAPS), 12);
    expect_known(&facts, 1);
}

Test(gc_facts, heap_stats_have_the_number_of_pinned_objects)
{
    struct text t = {0};
    for (uint64_t i = 0; i < 10; i++)
        forge_u64(&t, 1000 + i); /* sizes and promoted bytes of generations, finalization */
    forge_u32(&t, 495);
    size_t needed = t.len;
    for (int i = 0; i < 6; i++)
        forge_u32(&t, 99);
    struct hd_process_facts facts = parsed(EVENT_HEAP_STATS, &t, 8, needed);
    cr_expect_eq(hd_fact(&facts, HD_FACT_PINNED), 495);
    expect_known(&facts, 1);
}

/* --- of a real process ---------------------------------------------------------------- */

static struct text unhex(const char *hex)
{
    struct text t = {0};
    for (; hex[0] != '\0'; hex += 2) {
        unsigned byte;
        cr_assert_eq(sscanf(hex, "%2x", &byte), 1);
        text_add_char(&t, (char)byte);
    }
    return t;
}

/* .NET 10.0.12, workstation, right after its start. */
Test(gc_facts, payloads_of_net_10)
{
    struct text heaps = unhex(
        "0000000100000000010000000200000000000000010000001e00000000000100000003000000000000"
        "00"
        "0000000008000000000000007d0000000100000012000000020000004e010000710000002a000000");
    struct text stats = unhex("30020000000000000097030000000000f8a2030000000000000000000000"
                              "0000c8d7000000000000c8d7"
                              "00000000000000000000000000000000000000000000a855000000000000"
                              "0c0000000000000001000000"
                              "000000003f0000000000f81f0000000000000000000000000000");
    struct hd_process_facts facts = {0};
    cr_expect(gc_facts_parse(EVENT_HEAPS, bytes_of(&heaps), 8, &facts));
    cr_expect(gc_facts_parse(EVENT_HEAP_STATS, bytes_of(&stats), 8, &facts));
    cr_expect_eq(hd_fact(&facts, HD_FACT_GC_HEAPS), 1);
    cr_expect_eq(hd_fact(&facts, HD_FACT_PINNED), 1);
    text_free(&heaps);
    text_free(&stats);
}

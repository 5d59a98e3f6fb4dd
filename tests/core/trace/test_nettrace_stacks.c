/* Stacks of events: assignment, length, and the number that is kept. */
#include "trace/nettrace.h"

#include "support/trace_forge.h"

#include <criterion/criterion.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { THREAD = 7, TICK = 10, PLENTY = 1 << 20, PER_STACK = 48 };

static const uint64_t frames[] = {0x1111111111111111, 0x2222222222222222,
                                  0x3333333333333333};
static const struct forged_stack three[] = {{frames, 16}, {frames, 0}, {frames + 1, 8}};

/* An event with this stack. */
static void happens(struct trace_forge *f, uint32_t stack)
{
    f->stack = stack;
    trace_forge_event(f, THREAD, TICK, "x", 1);
}

/* Result of reading: the size of each event's stack; -1 ends the list. */
struct outcome {
    long sizes[256];
    uint64_t first[256]; /* address; 0: none */
    size_t events;
    enum trace_end end;
    uint64_t charged; /* at the end */
    struct hd_error err;
};

/* Frees f. */
static struct outcome read_trace(struct trace_forge *f, size_t keep, size_t distrust)
{
    struct outcome o = {0};
    struct trace_event e;
    trace_forge_end(f);
    struct input *in = input_over(f->bytes.data, f->bytes.len);
    struct nettrace *t = nettrace_begin(in, &o.err);
    if (keep > 0)
        nettrace_keep_stacks(t, keep);
    if (distrust > 0)
        nettrace_distrust(t, distrust);
    while (nettrace_next(t, &e)) {
        struct bytes stack = nettrace_stack(t), payload;
        cr_assert_not_null(stack.data);
        if (!nettrace_payload(t, &payload))
            break;
        cr_assert_lt(o.events, COUNT(o.sizes) - 1);
        o.sizes[o.events] = (long)stack.size;
        o.first[o.events++] = stack.size >= 8 ? le_u64(stack.data) : 0;
    }
    o.sizes[o.events] = -1;
    o.end = nettrace_end(t);
    o.charged = nettrace_account(t)->used;
    nettrace_free(t);
    input_close(in);
    trace_forge_free(f);
    return o;
}

static void expect_sizes(const struct outcome *o, const long *sizes, size_t count,
                         const char *what)
{
    cr_expect_eq(o->end, TRACE_ENDS, "%s: %s", what, o->err.message);
    cr_assert_eq(o->events, count, "%s", what);
    for (size_t i = 0; i < count; i++)
        cr_expect_eq(o->sizes[i], sizes[i], "%s: event %zu has %ld", what, i, o->sizes[i]);
}

#define EXPECT(o, what, ...)                        \
    expect_sizes(&(o), (const long[]){__VA_ARGS__}, \
                 sizeof((const long[]){__VA_ARGS__}) / sizeof(long), (what))

static struct trace_forge begun(unsigned pointer_size)
{
    struct trace_forge f = {.pointer_size = pointer_size};
    trace_forge_begin(&f);
    return f;
}

Test(nettrace_stacks, are_those_that_events_name)
{
    for (int plain = 0; plain < 2; plain++) {
        struct trace_forge f = begun(8);
        f.plain_rows = plain;
        trace_forge_stacks(&f, 5, three, 3);
        happens(&f, 7);
        happens(&f, 5);
        happens(&f, 6);
        happens(&f, 8);
        happens(&f, 0);
        struct outcome o = read_trace(&f, PLENTY, 0);
        EXPECT(o, plain ? "plain" : "compressed", 8, 16, 0, 0, 0);
        cr_expect_eq(o.first[0], frames[1]);
        cr_expect_eq(o.first[1], frames[0]);
    }
}

Test(nettrace_stacks, a_row_without_a_stack_has_that_of_the_previous_row)
{
    struct trace_forge f = begun(8);
    f.events_per_block = 2;
    trace_forge_stacks(&f, 5, three, 3);
    happens(&f, 5);
    happens(&f, 5);
    happens(&f, 0);
    happens(&f, 7);
    struct outcome o = read_trace(&f, PLENTY, 0);
    EXPECT(o, "omitted", 16, 16, 0, 8);
}

Test(nettrace_stacks, are_kept_on_request_only)
{
    struct trace_forge f = begun(8);
    trace_forge_stacks(&f, 5, three, 3);
    happens(&f, 5);
    struct outcome o = read_trace(&f, 0, 0);
    EXPECT(o, "not asked for", 0);
    uint64_t without = o.charged;
    f = begun(8);
    trace_forge_stacks(&f, 5, three, 3);
    happens(&f, 5);
    o = read_trace(&f, PLENTY, 0);
    EXPECT(o, "asked for", 16);
    cr_expect_geq(o.charged, without + 24, "what is kept is charged");
}

Test(nettrace_stacks, hold_until_the_next_sequence_point)
{
    struct trace_forge f = begun(8);
    trace_forge_stacks(&f, 5, three, 3);
    trace_forge_stacks(&f, 8, three, 1);
    happens(&f, 5);
    happens(&f, 8);
    trace_forge_point(&f);
    happens(&f, 5);
    trace_forge_stacks(&f, 5, three + 2, 1);
    happens(&f, 5);
    trace_forge_stacks(&f, 5, three, 1);
    happens(&f, 5);
    struct outcome o = read_trace(&f, PLENTY, 0);
    EXPECT(o, "points", 16, 16, 0, 8, 16);
}

Test(nettrace_stacks, are_limited_in_bytes)
{
    struct trace_forge f = begun(8);
    trace_forge_stacks(&f, 5, three, 3);
    happens(&f, 5);
    happens(&f, 7);
    trace_forge_point(&f);
    trace_forge_stacks(&f, 7, three + 2, 1);
    happens(&f, 7);
    struct outcome o = read_trace(&f, 16 + PER_STACK, 0);
    EXPECT(o, "of two there is room for one", 16, 0, 8);
    f = begun(8);
    trace_forge_stacks(&f, 5, three, 3);
    happens(&f, 5);
    happens(&f, 7);
    o = read_trace(&f, 15 + PER_STACK, 0);
    EXPECT(o, "an empty one takes the room", 0, 0);
}

Test(nettrace_stacks, are_read_from_32_bit_processes)
{
    static const struct forged_stack odd[] = {{frames, 12}, {frames, 11}, {frames, 3}};
    struct trace_forge f = begun(4);
    trace_forge_stacks(&f, 1, odd, 3);
    happens(&f, 1);
    happens(&f, 2);
    happens(&f, 3);
    struct outcome o = read_trace(&f, PLENTY, 0);
    EXPECT(o, "whole addresses", 12, 8, 0);
}

/* An id needs 4 bytes in the file, and more in memory. */
Test(nettrace_stacks, are_charged_if_the_stream_is_untrusted)
{
    enum { MANY = 100000 };
    static struct forged_stack empty[MANY];
    for (int keeps = 0; keeps < 2; keeps++) {
        struct trace_forge f = begun(8);
        for (uint32_t i = 0; i < MANY; i++)
            empty[i] = (struct forged_stack){frames, 0};
        trace_forge_stacks(&f, 1, empty, MANY);
        happens(&f, 1);
        struct outcome o = read_trace(&f, keeps ? SIZE_MAX : 64 << 10, 2 << 20);
        cr_expect_eq(o.end, keeps ? TRACE_CANNOT_BE_READ : TRACE_ENDS, "%s", o.err.message);
        cr_expect_leq(o.charged, 8 << 20);
    }
}

/* For any changed byte and any truncation, the reader terminates. */
Test(nettrace_stacks, terminate_for_files_damaged_or_truncated_anywhere)
{
    static const unsigned char values[] = {0, 1, 0x7F, 0xFF};
    struct trace_forge whole = begun(8);
    size_t head = whole.bytes.len;
    trace_forge_stacks(&whole, 5, three, 3);
    happens(&whole, 5);
    trace_forge_point(&whole);
    trace_forge_stacks(&whole, 1, three + 2, 1);
    happens(&whole, 1);
    for (size_t i = head; i < whole.bytes.len; i++)
        for (size_t v = 0; v <= COUNT(values); v++) {
            struct trace_forge f = {.pointer_size = 8};
            size_t len = v < COUNT(values) ? whole.bytes.len : i;
            text_add(&f.bytes, whole.bytes.data, len);
            if (v < COUNT(values))
                f.bytes.data[i] = (char)values[v];
            struct outcome o = read_trace(&f, PLENTY, PLENTY);
            cr_expect_neq(o.end, TRACE_GOES_ON);
        }
    trace_forge_free(&whole);
}

/* --- version 6, and damage ----------------------------------------------------------- */

/* Metadata of an unknown provider, the bytes as a block of stacks, and an event with
 * stack 1. */
static struct outcome read_new(const void *stacks, size_t size, size_t keep)
{
    static const char metadata[] = "\0\0\6\0\1\0\x0a\0\0\0",
                      rows[] = "\4\0\1\0\x8f\1\0\5\0\5\1\x0a\1x";
    const struct {
        uint32_t kind;
        const void *bytes;
        size_t size;
    } blocks[] = {{3, metadata, sizeof(metadata) - 1},
                  {5, stacks, size},
                  {2, rows, sizeof(rows) - 1}};
    struct trace_forge f = {.pointer_size = 8};
    struct text *t = &f.bytes;
    text_add(t, "Nettrace\0\0\0\0\6\0\0\0\0\0\0\0", 20);
    forge_u32(t, 40 | 1U << 24);
    for (int i = 0; i < 3; i++)
        forge_u64(t, 0);
    forge_u64(t, 1000);
    forge_u32(t, 8);
    forge_u32(t, 0);
    for (size_t i = 0; i < COUNT(blocks); i++) {
        forge_u32(t, (uint32_t)blocks[i].size | blocks[i].kind << 24);
        text_add(t, blocks[i].bytes, blocks[i].size);
    }
    forge_u32(t, 0);
    return read_trace(&f, keep, 0);
}

Test(nettrace_stacks, are_read_from_version_6)
{
    struct outcome o = read_new("\1\0\0\0\1\0\0\0\x08\0\0\0\1\2\3\4\5\6\7\x08", 20, PLENTY);
    EXPECT(o, "version 6", 8);
    cr_expect_eq(o.first[0], 0x0807060504030201);
}

Test(nettrace_stacks, that_are_damaged_are_refused_where_they_are_read)
{
    static const struct {
        const char *bytes;
        size_t size;
    } cases[] = {
        {"", 0},
        {"\1\0\0\0", 4},
        {"\1\0\0\0\1\0\0\0", 8},
        {"\1\0\0\0\2\0\0\0\0\0\0\0", 12},
        {"\1\0\0\0\1\0\0\0\x09\0\0\0\1\2\3\4\5\6\7\x08", 20},
        {"\1\0\0\0\1\0\0\0\xff\xff\xff\xff\1\2\3\4\5\6\7\x08", 20},
        {"\1\0\0\0\xff\xff\xff\xff\x08\0\0\0\1\2\3\4\5\6\7\x08", 20},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct outcome o = read_new(cases[i].bytes, cases[i].size, PLENTY);
        cr_expect_eq(o.end, TRACE_CANNOT_BE_READ, "case %zu", i);
        cr_expect_not_null(strstr(o.err.message, "a stack crosses the end of its block"),
                           "case %zu: %s", i, o.err.message);
        o = read_new(cases[i].bytes, cases[i].size, 0);
        EXPECT(o, "skipped", 0);
    }
    struct outcome o = read_new("\xff\xff\xff\xff\0\0\0\0", 8, PLENTY);
    EXPECT(o, "none", 0);
}

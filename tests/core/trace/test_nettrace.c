/* The container of a trace, all versions: heads that are valid, unusual, damaged or
 * truncated, and messages. Events are in test_read_nettrace.c. */
#include "trace/nettrace.h"

#include "support/trace_forge.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- pieces of files ------------------------------------------------------------- */

/* The header of a trace. */
struct self {
    unsigned date[8];
    uint64_t frequency;
    uint32_t pointer_size;
};

static const struct self usual = {{2026, 1, 4, 1, 12, 0, 0, 0}, 1000000000, 8};

static void put_self(struct text *t, const struct self *s)
{
    for (size_t i = 0; i < COUNT(s->date); i++)
        forge_u16(t, s->date[i]);
    forge_u64(t, 7);
    forge_u64(t, s->frequency);
    forge_u32(t, s->pointer_size);
}

static void put_object(struct text *t, const char *begin, uint32_t version,
                       const char *name)
{
    text_add(t, begin, 3);
    forge_u32(t, version);
    forge_u32(t, 0);
    forge_u32(t, (uint32_t)strlen(name));
    text_add_string(t, name);
    forge_u8(t, 6);
}

/* Version 4; version 3 is in the older container. */
static struct text old_trace(uint32_t version, bool is_netperf, const struct self *s)
{
    struct text t = {0};
    if (!is_netperf)
        text_add_string(&t, "Nettrace");
    forge_u32(&t, 20);
    text_add_string(&t, "!FastSerialization.1");
    put_object(&t, is_netperf ? "\4\4\1" : "\5\5\1", version, "Trace");
    put_self(&t, s);
    forge_u32(&t, 4242);
    forge_u32(&t, 2);
    forge_u32(&t, 0);
    forge_u8(&t, 6);
    return t;
}

enum { END, SELF, EVENTS, METADATA, POINT, STACKS, THREADS };

static void put_block(struct text *t, uint32_t kind, struct text *content)
{
    forge_u32(t, (uint32_t)content->len | kind << 24);
    text_add(t, content->data, content->len);
    text_free(content);
}

static struct text new_head(void)
{
    struct text t = {0};
    text_add(&t, "Nettrace\0\0\0\0\6\0\0\0\0\0\0\0", 20);
    return t;
}

static void put_string(struct text *t, const char *s)
{
    forge_u8(t, (unsigned)strlen(s));
    text_add_string(t, s);
}

/* Version 6, with these pairs in its header. */
static struct text new_trace(const struct self *s, const char *const *pairs, uint32_t count)
{
    struct text t = new_head(), self = {0};
    put_self(&self, s);
    forge_u32(&self, count);
    for (uint32_t i = 0; i < 2 * count; i++)
        put_string(&self, pairs[i]);
    put_block(&t, SELF, &self);
    return t;
}

/* --- what becomes of them -------------------------------------------------------- */

struct outcome {
    enum trace_end end;
    struct trace_header header;
    struct trace_event last;
    unsigned events;
    size_t losses; /* gaps; the first one, and the total of events */
    struct trace_loss first_loss;
    uint64_t lost;
    struct hd_error err;
};

/* Frees t. */
static struct outcome read_trace(struct text *t)
{
    struct outcome o = {0};
    struct input *in = input_over(t->data, t->len);
    struct nettrace *trace = nettrace_begin(in, &o.err);
    while (nettrace_next(trace, &o.last))
        o.events++;
    o.end = nettrace_end(trace);
    o.header = *nettrace_header(trace);
    const struct trace_loss *losses = nettrace_losses(trace, &o.losses);
    if (o.losses > 0)
        o.first_loss = losses[0];
    for (size_t i = 0; i < o.losses; i++)
        o.lost += losses[i].events;
    nettrace_free(trace);
    input_close(in);
    text_free(t);
    return o;
}

static void expect_refused(struct text *t, const char *says)
{
    struct outcome o = read_trace(t);
    cr_expect_eq(o.end, TRACE_CANNOT_BE_READ, "%s", says);
    cr_expect_not_null(strstr(o.err.message, says), "%s: %s", says, o.err.message);
}

static void expect_end(struct text *t, enum trace_end end, const char *what)
{
    struct outcome o = read_trace(t);
    cr_expect_eq(o.end, end, "%s: %d %s", what, (int)o.end, o.err.message);
    cr_expect_str_eq(o.err.message, "", "%s", what);
}

/* --- heads ----------------------------------------------------------------------- */

Test(nettrace_container, versions_fit_their_containers)
{
    static const struct {
        uint32_t version;
        bool is_netperf, fits;
    } cases[] = {{4, false, true}, {3, true, true},   {1, true, true},  {0, true, false},
                 {4, true, false}, {3, false, false}, {5, true, false}, {5, false, false}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct text t = old_trace(cases[i].version, cases[i].is_netperf, &usual);
        forge_u8(&t, 1);
        if (cases[i].fits) {
            struct outcome o = read_trace(&t);
            cr_expect_eq(o.end, TRACE_ENDS, "case %zu: %s", i, o.err.message);
            cr_expect_eq(o.header.version, cases[i].version);
            cr_expect_eq(o.header.pid, 4242);
        } else {
            expect_refused(&t, "a trace version that does not match its container");
        }
    }
}

Test(nettrace_container, a_head_of_something_else_is_refused_where_it_differs)
{
    static const struct {
        char bytes[40];
        const char *says;
        size_t size;
        uint64_t at;
    } cases[] = {
        {"Nottrace\x14\0\0\0!FastSerialization.1", "neither Nettrace nor Fast", 32, 0},
        {"\x14\0\0\0!FastSerialization.2", "neither Nettrace nor Fast", 24, 0},
        {"\x14\0\0\0!Fest", "neither Nettrace nor Fast", 24, 0},
        {"Nettrace\x14\0\0\0!FastSerialization.2", "no !FastSerialization.1", 32, 8},
        {"Nettrace\x15\0\0\0!FastSerialization.1", "no !FastSerialization.1", 32, 8},
        {"Nettrace\0\0\0\0\5\0\0\0\0\0\0\0", "format version 5", 20, 20},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct text t = {0};
        text_add(&t, cases[i].bytes, cases[i].size);
        struct outcome o = read_trace(&t);
        cr_expect_eq(o.end, TRACE_CANNOT_BE_READ, "case %zu", i);
        cr_expect_not_null(strstr(o.err.message, cases[i].says), "%s", o.err.message);
        if (o.err.status == HD_BAD_FORMAT)
            cr_expect_eq(o.err.at, cases[i].at, "case %zu", i);
    }
}

/* Truncation anywhere before the first event is reported as such. */
Test(nettrace_container, heads_that_are_cut)
{
    for (unsigned form = 0; form < 3; form++) {
        struct text whole = form == 0   ? new_trace(&usual, NULL, 0)
                            : form == 1 ? old_trace(4, false, &usual)
                                        : old_trace(3, true, &usual);
        size_t head = form == 0 ? 20 : form == 1 ? 32 : 24;
        for (size_t size = 0; size < whole.len; size++) {
            struct text t = {0};
            text_add(&t, whole.data, size);
            bool between = size == head || (form > 0 && size == whole.len - 1);
            expect_end(&t, between ? TRACE_LACKS_END : TRACE_CUT, "cut");
        }
        expect_end(&whole, TRACE_LACKS_END, "whole");
    }
}

/* --- what a trace says about itself ---------------------------------------------- */

Test(nettrace_container, dates_that_cannot_be_are_unknown)
{
    static const struct {
        size_t field;
        unsigned value;
        bool valid;
    } cases[] = {
        {0, 1969, false}, {0, 1970, true}, {0, 9999, true}, {0, 10000, false},
        {1, 0, false},    {1, 12, true},   {1, 13, false},  {2, 999, true}, /* week day */
        {3, 0, false},    {3, 31, true},   {3, 32, false},  {4, 23, true},
        {4, 24, false},   {5, 59, true},   {5, 60, false},  {6, 60, true},
        {6, 61, false},   {7, 999, true},  {7, 1000, false}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct self s = usual;
        s.date[cases[i].field] = cases[i].value;
        struct text t = new_trace(&s, NULL, 0);
        struct outcome o = read_trace(&t);
        cr_expect_eq(o.header.frequency, usual.frequency, "%s", o.err.message);
        cr_expect_eq(!isnan(o.header.sync_time), cases[i].valid, "field %zu: %u",
                     cases[i].field, cases[i].value);
    }
}

Test(nettrace_container, numbers_that_no_process_has_are_refused)
{
    static const struct {
        struct self self;
        const char *says;
    } cases[] = {
        {{{2026, 1, 4, 1, 12, 0, 0, 0}, 0, 8}, "the clock has no frequency"},
        {{{2026, 1, 4, 1, 12, 0, 0, 0}, 1, 0}, "neither 4 nor 8"},
        {{{2026, 1, 4, 1, 12, 0, 0, 0}, 1, 16}, "neither 4 nor 8"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct text t = new_trace(&cases[i].self, NULL, 0);
        expect_refused(&t, cases[i].says);
        t = old_trace(4, false, &cases[i].self);
        expect_refused(&t, cases[i].says);
    }
}

Test(nettrace_container, the_process_is_one_of_the_pairs)
{
    static const struct {
        const char *pairs[4];
        uint64_t pid;
    } cases[] = {
        {{"HardwareThreads", "8", "ProcessId", "4711"}, 4711},
        {{"ProcessId", "17", "processId", "4711"}, 17},
        {{"ProcessIx", "17", "Process", "18"}, HD_UNKNOWN},
        {{"ProcessId", "", "ProcessId", "17x"}, HD_UNKNOWN},
        {{"ProcessId", "-1", "ProcessId", "1:"}, HD_UNKNOWN},
        {{"ProcessId", "999999999999999999", "", ""}, 999999999999999999},
        {{"ProcessId", "1000000000000000000", "", ""}, HD_UNKNOWN}, /* may not fit */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct text t = new_trace(&usual, cases[i].pairs, 2);
        struct text end = {0};
        put_block(&t, END, &end);
        struct outcome o = read_trace(&t);
        cr_expect_eq(o.end, TRACE_ENDS, "%s", o.err.message);
        cr_expect_eq(o.header.pid, cases[i].pid, "case %zu: %llu", i,
                     (unsigned long long)o.header.pid);
    }
}

Test(nettrace_container, pairs_that_are_not_there_are_damage)
{
    struct text t = new_head(), self = {0};
    put_self(&self, &usual);
    forge_u32(&self, UINT32_MAX);
    put_string(&self, "ProcessId");
    put_block(&t, SELF, &self);
    expect_refused(&t, "the trace's own block is damaged");
    t = new_head();
    text_add(&self, "short", 5);
    put_block(&t, SELF, &self);
    expect_refused(&t, "too short for the trace's own block");
}

Test(nettrace_container, the_trace_object_must_be_first)
{
    struct text t = new_head(), nothing = {0};
    put_block(&t, EVENTS, &nothing);
    expect_refused(&t, "the trace's own block is not the first");
    t = (struct text){0};
    text_add_string(&t, "Nettrace");
    forge_u32(&t, 20);
    text_add_string(&t, "!FastSerialization.1");
    put_object(&t, "\5\5\1", 2, "EventBlock");
    forge_u32(&t, 0);
    forge_u32(&t, 0);
    expect_refused(&t, "the trace's own block is not the first");
}

/* --- objects of versions 3 to 5 -------------------------------------------------- */

Test(nettrace_container, objects_begin_and_end_by_their_tags)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *says;
    } cases[] = {
        {"\4\5\1\2\0\0\0\0\0\0\0\1\0\0\0X\6", 17, "no block begins here"},
        {"\5\4\1\2\0\0\0\0\0\0\0\1\0\0\0X\6", 17, "no block begins here"},
        {"\5\5\2\2\0\0\0\0\0\0\0\1\0\0\0X\6", 17, "no block begins here"},
        {"\5\5\1\2\0\0\0\0\0\0\0\0\0\0\0\6", 17, "no block begins here"},
        {"\5\5\1\2\0\0\0\0\0\0\0\x41\0\0\0\6", 17, "no block begins here"},
        {"\5\5\1\2\0\0\0\0\0\0\0\1\0\0\0X\7", 17, "the name of a block is not closed"},
        {"\5\5\1\2\0\0\0\0\0\0\0\1\0\0\0X\6\0\0\0\0\0\0\0\0\7", 26,
         "a block is not closed"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct text t = old_trace(4, false, &usual);
        text_add(&t, cases[i].bytes, cases[i].size);
        expect_refused(&t, cases[i].says);
    }
}

/* --- blocks of version 6 --------------------------------------------------------- */

/* Contents of metadata: a head of two bytes, then one record. */
static struct text metadata(const char *provider, unsigned id, const char *options,
                            size_t size)
{
    struct text t = {0}, one = {0};
    forge_u8(&one, 1);
    put_string(&one, provider);
    forge_u8(&one, id);
    put_string(&one, "Event");
    forge_u16(&one, 1); /* fields: one of three bytes */
    forge_u16(&one, 3);
    text_add(&one, "abc", 3);
    if (options != NULL) {
        forge_u16(&one, (unsigned)size);
        text_add(&one, options, size);
    }
    forge_u16(&t, 2);
    forge_u16(&t, 0);
    forge_u16(&t, (unsigned)one.len);
    text_add(&t, one.data, one.len);
    text_free(&one);
    return t;
}

/* A compressed row: one event of metadata 1, without bytes. */
static struct text one_event(void)
{
    struct text t = {0};
    forge_u16(&t, 20);
    forge_u16(&t, 1);
    forge_u64(&t, 0);
    forge_u64(&t, 0);
    text_add(&t, "\x87\1\0\5\0\5\x0a\0", 8);
    return t;
}

Test(nettrace_container, the_version_is_in_options_of_metadata)
{
    static const struct {
        const char *options;
        size_t size;
        uint32_t version;
    } cases[] = {
        {NULL, 0, 0},
        {"\x09\3", 2, 3},
        {"\1\x09\3\0\0\0\0\0\0\0\0\x08\5\x09\4", 15, 4},   /* opcode, keywords, level */
        {"\4\1t\5\2tt\x09\5", 9, 5},                       /* template, text */
        {"\6\1a\1b\7ABCDEFGHIJKLMNOP\x09\6\x09\7", 26, 7}, /* pair, GUID; the last */
        {"\x09\3\x0a\x09\4", 5, 3},                        /* unknown: no length */
        {"\x09", 1, 0},                                    /* truncated */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct text t = new_trace(&usual, NULL, 0);
        struct text definition = metadata("Microsoft-Windows-DotNETRuntime", 18,
                                          cases[i].options, cases[i].size);
        struct text rows = one_event();
        put_block(&t, METADATA, &definition);
        put_block(&t, EVENTS, &rows);
        struct outcome o = read_trace(&t);
        cr_expect_eq(o.end, TRACE_LACKS_END, "case %zu: %s", i, o.err.message);
        cr_assert_eq(o.events, 1, "case %zu", i);
        cr_expect_eq(o.last.provider, TRACE_RUNTIME);
        cr_expect_eq(o.last.id, 18);
        cr_expect_eq(o.last.version, cases[i].version, "case %zu: %u", i, o.last.version);
        cr_expect_eq(o.last.thread, 5);
    }
}

/* By full name. */
Test(nettrace_container, providers_are_told_apart)
{
    static const struct {
        const char *name;
        enum trace_provider provider;
    } cases[] = {
        {"Microsoft-Windows-DotNETRuntime", TRACE_RUNTIME},
        {"Microsoft-Windows-DotNETRuntimeRundown", TRACE_RUNDOWN},
        {"Microsoft-DotNETCore-EventPipe", TRACE_EVENTPIPE},
        {"Microsoft-Windows-DotNETRuntimf", TRACE_OTHER},
        {"Microsoft-DotNETCore-EventPip", TRACE_OTHER},
        {"", TRACE_OTHER},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct text t = new_trace(&usual, NULL, 0);
        struct text definition = metadata(cases[i].name, 1, NULL, 0), rows = one_event();
        put_block(&t, METADATA, &definition);
        put_block(&t, EVENTS, &rows);
        struct outcome o = read_trace(&t);
        cr_expect_eq(o.events, 1, "%s", o.err.message);
        cr_expect_eq(o.last.provider, cases[i].provider, "%s", cases[i].name);
    }
}

/* A sequence point with this flag invalidates all numbers of metadata. */
Test(nettrace_container, a_sequence_point_may_forget_metadata)
{
    for (uint32_t flags = 0; flags < 4; flags++) {
        struct text t = new_trace(&usual, NULL, 0), point = {0};
        struct text definition = metadata("Microsoft-Windows-DotNETRuntime", 18, NULL, 0);
        struct text rows = one_event();
        forge_u64(&point, 0);
        forge_u32(&point, flags);
        forge_u32(&point, 0);
        put_block(&t, METADATA, &definition);
        put_block(&t, POINT, &point);
        put_block(&t, EVENTS, &rows);
        struct outcome o = read_trace(&t);
        cr_expect_eq(o.events, 1, "%s", o.err.message);
        cr_expect_eq(o.last.id, flags & 2 ? 0 : 18, "%u", flags);
    }
}

Test(nettrace_container, threads_have_their_process)
{
    static const struct {
        const char *elements;
        size_t size;
        uint64_t pid;
    } cases[] = {
        {"\2\x0b", 2, 11},
        {"\1\4main\3\x09\4\1a\1b\2\x0c", 15, 12},
        {"\5\2\x0b", 3, HD_UNKNOWN}, /* an element of unknown length */
        {"", 0, HD_UNKNOWN},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct text t = new_trace(&usual, NULL, 0), threads = {0};
        struct text definition = metadata("Microsoft-Windows-DotNETRuntime", 18, NULL, 0);
        struct text rows = one_event();
        forge_u16(&threads, (unsigned)(1 + cases[i].size));
        forge_u8(&threads, 5);
        text_add(&threads, cases[i].elements, cases[i].size);
        put_block(&t, METADATA, &definition);
        put_block(&t, THREADS, &threads);
        put_block(&t, EVENTS, &rows);
        struct outcome o = read_trace(&t);
        cr_expect_eq(o.events, 1, "%s", o.err.message);
        cr_expect_eq(o.last.pid, cases[i].pid, "case %zu", i);
    }
}

/* --- losses ---------------------------------------------------------------------- */

/* A number used by a thread, from an event or a sequence point. */
struct number {
    unsigned thread, sequence, time;
    bool in_point;
};

static void put_varuint(struct text *t, uint32_t value)
{
    for (; value > 0x7F; value >>= 7)
        forge_u8(t, (value & 0x7F) | 0x80);
    forge_u8(t, value);
}

/* Each in a block of its own. */
static void put_number(struct text *t, const struct number *n)
{
    struct text block = {0};
    if (n->in_point) {
        forge_u64(&block, n->time);
        forge_u32(&block, 0); /* flags */
        forge_u32(&block, 1);
        forge_u8(&block, n->thread);
        put_varuint(&block, n->sequence);
        put_block(t, POINT, &block);
        return;
    }
    forge_u16(&block, 4);
    forge_u16(&block, 1);
    text_add(&block, "\x83\1", 2);
    put_varuint(&block, n->sequence - 1);
    forge_u8(&block, n->thread);
    forge_u8(&block, 0);
    forge_u8(&block, n->time);
    forge_u8(&block, 0);
    put_block(t, EVENTS, &block);
}

Test(nettrace_losses, are_gaps_in_the_numbers_of_a_thread)
{
    static const struct {
        const char *what;
        struct number numbers[8];
        size_t gaps;
        struct trace_loss first;
        uint64_t lost;
    } cases[] = {
        {"two threads",
         {{7, 1, 10, 0}, {8, 100, 11, 0}, {7, 2, 12, 0}, {7, 6, 20, 0}, {8, 101, 21, 0}},
         1,
         {12, 20, 3},
         3},
        {"numbers wrap and begin again", /* 0 is the number of a thread without events */
         {{7, UINT32_MAX, 10, 0},
          {7, 0, 11, 0},
          {7, 5, 12, 0},
          {7, 1, 13, 0},
          {7, 1, 14, 0},
          {7, UINT32_MAX - 1, 15, 0},
          {7, 1, 16, 0}},
         1,
         {15, 16, 2},
         2},
        {"in one span of time",
         {{7, 1, 10, 0}, {8, 1, 10, 0}, {7, 3, 20, 0}, {8, 5, 20, 0}},
         1,
         {10, 20, 4},
         4},
        {"before a sequence point", /* thread 9 is new */
         {{7, 3, 10, 0}, {7, 5, 30, 1}, {9, 8, 30, 1}, {7, 5, 31, 1}, {7, 6, 32, 0}},
         1,
         {10, 30, 2},
         2},
        {"behind a sequence point",
         {{9, 8, 30, 1}, {9, 10, 31, 0}, {9, 12, 40, 1}},
         2,
         {30, 31, 1},
         3},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct text t = new_trace(&usual, NULL, 0);
        for (const struct number *n = cases[i].numbers; n->thread > 0; n++)
            put_number(&t, n);
        struct outcome o = read_trace(&t);
        cr_expect_eq(o.end, TRACE_LACKS_END, "%s: %s", cases[i].what, o.err.message);
        cr_expect_eq(o.losses, cases[i].gaps, "%s: %zu", cases[i].what, o.losses);
        cr_expect_eq(o.lost, cases[i].lost, "%s", cases[i].what);
        cr_expect_eq(o.first_loss.from, cases[i].first.from, "%s", cases[i].what);
        cr_expect_eq(o.first_loss.to, cases[i].first.to, "%s", cases[i].what);
        cr_expect_eq(o.first_loss.events, cases[i].first.events, "%s", cases[i].what);
    }
}

/* --- blocks that are passed, damaged or cut ---------------------------------------- */

Test(nettrace_container, unneeded_blocks_are_skipped)
{
    struct text t = new_trace(&usual, NULL, 0);
    for (uint32_t kind = 5; kind < 12; kind++) {
        struct text any = {0};
        if (kind != THREADS) {
            text_add_string(&any, "whatever this is");
            put_block(&t, kind, &any);
        }
    }
    struct text end = {0};
    put_block(&t, END, &end);
    text_add_string(&t, "behind the end");
    expect_end(&t, TRACE_ENDS, "blocks that are not needed");
}

Test(nettrace_container, blocks_with_wrong_headers_are_refused)
{
    static const struct {
        uint32_t kind;
        const char *bytes;
        size_t size;
        const char *says;
    } cases[] = {
        {METADATA, "\0\0\x09\0abc", 7, "a metadata record that is too short"},
        {METADATA, "\x09\0abc", 5, "metadata longer than its block"},
        {METADATA, "\0\0\2\0\1\1", 6, "a metadata record that is too short"},
        {METADATA, "\0\0\7\0\x80\x80\x80\x80\x80\x80\1", 11, "that is too short"},
        {POINT, "\0\0\0\0\0\0\0\0\0\0\0\0\2\0\0\0\1\1", 18, "longer than its block"},
        {POINT, "\0\0\0\0", 4, "longer than its block"},
        {THREADS, "\0\0", 2, "a thread's record is damaged"},
        {THREADS, "\5\0\1", 3, "a thread's record is damaged"},
        {EVENTS, "abc", 3, "a block too short for its header"},
        {EVENTS, "\3\0\1\0", 4, "a block's header is longer than the block"},
        {EVENTS, "\5\0\1\0", 4, "a block's header is longer than the block"},
        {EVENTS, "\4\0\1\0\x80", 5, "an event's header crosses the end"},
        {EVENTS, "\4\0\1\0\x81\1\0\1", 8, "an event crosses the end of its block"},
        {EVENTS, "\4\0\0\0\x80\0\0\0", 8, "an event's header crosses the end"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct text t = new_trace(&usual, NULL, 0), content = {0};
        text_add(&content, cases[i].bytes, cases[i].size);
        put_block(&t, cases[i].kind, &content);
        expect_refused(&t, cases[i].says);
    }
}

/* Any block of version 6, truncated anywhere: reported as truncated, never as another
 * error. */
Test(nettrace_container, files_of_version_6_that_are_cut)
{
    struct text whole = new_trace(&usual, NULL, 0), point = {0}, threads = {0};
    struct text definition = metadata("Microsoft-Windows-DotNETRuntime", 18, "\x09\3", 2);
    struct text rows = one_event();
    forge_u64(&point, 0);
    forge_u32(&point, 0);
    forge_u32(&point, 1);
    forge_u8(&point, 5);
    forge_u8(&point, 1);
    text_add(&threads, "\3\0\5\2\x0b", 5);
    put_block(&whole, METADATA, &definition);
    put_block(&whole, THREADS, &threads);
    put_block(&whole, POINT, &point);
    put_block(&whole, EVENTS, &rows);
    for (size_t size = 20; size < whole.len; size++) {
        struct text t = {0};
        text_add(&t, whole.data, size);
        struct outcome o = read_trace(&t);
        cr_expect(o.end == TRACE_CUT || o.end == TRACE_LACKS_END, "%zu: %s", size,
                  o.err.message);
        cr_expect_str_eq(o.err.message, "");
    }
    text_free(&whole);
}

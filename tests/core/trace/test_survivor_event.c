/* Text in events of our own: separated into parts and joined again. */
#include "trace/nettrace.h"

#include "base/little_endian.h"
#include "support/random.h"

#include <criterion/criterion.h>
#include <string.h>

enum { HEAD = 8, ENOUGH = 1 << 20 };

/* Blocks alone are not a trace: an empty head makes them one. */
static void begin(struct text *t)
{
    static const unsigned char date[16] = {0xEA, 0x07, 1, 0, 4, 0, 1, 0};
    unsigned char trace[48] = {0};
    memcpy(trace, date, sizeof(date));
    trace[24] = 1; /* ticks per second */
    trace[32] = 8; /* bytes of a pointer */
    text_add(t,
             "Nettrace\24\0\0\0!FastSerialization.1\5\5\1\4\0\0\0\4\0\0\0\5\0\0\0Trace\6",
             8 + 24 + 15 + 6);
    text_add(t, trace, sizeof(trace));
    text_add_char(t, 6);
}

static size_t event_of(const struct text *trace, struct survivor_event *survivors,
                       uint64_t most)
{
    struct hd_error err = {0};
    struct input *in = input_over(trace->data, trace->len);
    struct nettrace *t = nettrace_begin(in, &err);
    struct trace_event e;
    size_t events = 0, losses;
    while (nettrace_next(t, &e)) {
        struct bytes payload;
        cr_assert_eq(e.provider, TRACE_HEAPDRIFT);
        cr_assert_eq(e.id, SURVIVORS_EVENT_ID);
        cr_assert_eq(e.time, 4711);
        cr_assert_leq(e.size, 60 * 1024, "as those of a runtime");
        cr_assert(nettrace_payload(t, &payload));
        survivor_event_add(survivors, payload, most, NULL);
        events++;
    }
    cr_assert_eq(nettrace_end(t), TRACE_ENDS, "%s", err.message);
    nettrace_losses(t, &losses);
    cr_assert_eq(losses, 0, "their numbers have no gap");
    nettrace_free(t);
    input_close(in);
    return events;
}

Test(survivor_event, text_of_any_length_is_read_back)
{
    static const size_t sizes[] = {1, 100, 61431, 61432, 61433, 400000};
    struct random r = random_from(3);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        struct text trace = {0}, text = {0}, blocks = {0};
        struct survivor_event survivors = {.next = 0};
        while (text.len < sizes[i])
            text_add_char(&text, (char)('!' + random_below(&r, 90)));
        begin(&trace);
        const struct survivor_event_place place = {trace.len, 7, 4711};
        survivor_event_put(&blocks, &place, (struct text[OUR_EVENTS]){text});
        text_add(&trace, blocks.data, blocks.len);
        size_t parts = event_of(&trace, &survivors, sizes[i]);
        cr_expect_eq(parts, (sizes[i] + 61431) / 61432);
        cr_expect(survivor_event_is_whole(&survivors));
        cr_expect_eq(survivors.content.len, text.len);
        cr_expect_arr_eq(survivors.content.data, text.data, text.len);
        survivor_event_free(&survivors, NULL);

        survivors = (struct survivor_event){.next = 0};
        event_of(&trace, &survivors, sizes[i] - 1);
        cr_expect_not(survivor_event_is_whole(&survivors), "more than may be");
        cr_expect_leq(survivors.content.len, sizes[i] - 1);
        survivor_event_free(&survivors, NULL);
        text_free(&blocks);
        text_free(&text);
        text_free(&trace);
    }
}

/* Expects the texts after the blocks of a trace, all or some. */
static void expect_all(const char *same, const char *process, const char *sites)
{
    struct text trace = {0}, blocks = {0}, texts[OUR_EVENTS] = {{0}};
    struct survivor_event read[OUR_EVENTS] = {{.next = 0}};
    struct hd_error err = {0};
    struct trace_event e;
    size_t losses;
    text_add_string(&texts[0], same);
    text_add_string(&texts[1], process);
    text_add_string(&texts[2], sites);
    begin(&trace);
    const struct survivor_event_place place = {trace.len, 7, 4711};
    survivor_event_put(&blocks, &place, texts);
    text_add(&trace, blocks.data, blocks.len);
    struct input *in = input_over(trace.data, trace.len);
    struct nettrace *t = nettrace_begin(in, &err);
    while (nettrace_next(t, &e)) {
        struct bytes payload;
        cr_assert_eq(e.provider, TRACE_HEAPDRIFT);
        cr_assert(e.id >= SURVIVORS_EVENT_ID && e.id <= OUR_EVENTS, "%u", e.id);
        cr_assert(nettrace_payload(t, &payload));
        survivor_event_add(&read[e.id - 1], payload, ENOUGH, NULL);
    }
    cr_expect_eq(nettrace_end(t), TRACE_ENDS, "%s", err.message);
    nettrace_losses(t, &losses);
    cr_expect_eq(losses, 0, "their numbers have no gap");
    for (int i = 0; i < OUR_EVENTS; i++) {
        cr_expect_eq(survivor_event_is_whole(&read[i]), texts[i].len > 0);
        cr_expect_str_eq(text_string(&read[i].content), text_string(&texts[i]));
        survivor_event_free(&read[i], NULL);
        text_free(&texts[i]);
    }
    nettrace_free(t);
    input_close(in);
    text_free(&blocks);
    text_free(&trace);
}

Test(survivor_event, kinds_are_told_apart)
{
    struct text many = {0};
    while (many.len < 200000)
        text_add_char(&many, 'A');
    expect_all("survivors", "resident=5", "sites");
    expect_all("", "resident=5", "");
    expect_all("survivors", "", "");
    expect_all("", "", "sites");
    expect_all(text_string(&many), "resident=5", text_string(&many));
    text_free(&many);
}

/* --- what others may write ----------------------------------------------------------- */

struct part {
    uint32_t number, parts;
    size_t size;
};

static bool whole_of(const struct part *all, size_t count)
{
    struct survivor_event survivors = {.next = 0};
    struct account account = {0};
    for (size_t i = 0; i < count; i++) {
        unsigned char bytes[64] = {0};
        bytes[0] = (unsigned char)all[i].number;
        memset(bytes + 4, all[i].parts == UINT32_MAX ? 0xFF : 0, 4);
        if (all[i].parts != UINT32_MAX)
            bytes[4] = (unsigned char)all[i].parts;
        survivor_event_add(&survivors, (struct bytes){bytes, all[i].size}, ENOUGH,
                           &account);
    }
    bool whole = survivor_event_is_whole(&survivors);
    cr_expect_eq(account.used, survivors.content.len);
    survivor_event_free(&survivors, &account);
    cr_expect_eq(account.used, 0);
    return whole;
}

Test(survivor_event, invalid_parts_give_no_text)
{
    static const struct {
        const char *what;
        size_t count;
        struct part parts[3];
    } bad[] = {
        {"nothing came", 0, {{0, 0, 0}}},
        {"one is missing", 1, {{0, 2, 20}}},
        {"the first is missing", 1, {{1, 2, 20}}},
        {"the wrong way round", 2, {{1, 2, 20}, {0, 2, 20}}},
        {"one comes twice", 3, {{0, 2, 20}, {0, 2, 20}, {1, 2, 20}}},
        {"one too many", 2, {{0, 1, 20}, {1, 1, 20}}},
        {"one too many, that says so", 2, {{0, 1, 20}, {1, 2, 20}}},
        {"another number of them", 3, {{0, 2, 20}, {1, 3, 20}, {2, 3, 20}}},
        {"none at all", 1, {{0, 0, 20}}},
        {"too short for its head", 1, {{0, 1, 7}}},
        {"without any text", 1, {{0, 1, HEAD}}},
        {"no payload", 1, {{0, 1, 0}}},
        {"a promise of many", 1, {{0, UINT32_MAX, 20}}},
        {"a good one behind a bad one", 2, {{1, 2, 20}, {0, 1, 20}}},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        cr_expect_not(whole_of(bad[i].parts, bad[i].count), "%s", bad[i].what);
    cr_expect(whole_of((struct part[]){{0, 1, 9}}, 1));
    cr_expect(whole_of((struct part[]){{0, 2, 20}, {1, 2, 20}}, 2));
}

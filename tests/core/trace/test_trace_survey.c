#include "trace/trace_survey.h"

#include "support/trace_forge.h"

#include <criterion/criterion.h>
#include <string.h>

/* --- a trace of version 3, whose events have no numbers --------------------------- */

enum { HEAD = 48, ROW = 52, GC_START_ID = 1 };

static void add_object(struct text *t, uint32_t version, const char *name)
{
    text_add(t, "\4\4\1", 3);
    forge_u32(t, version);
    forge_u32(t, 0);
    forge_u32(t, (uint32_t)strlen(name));
    text_add_string(t, name);
    forge_u8(t, 6);
}

static void add_row(struct text *t, uint32_t metadata, uint32_t thread,
                    const struct text *payload)
{
    static const char guids[32];
    forge_u32(t, (uint32_t)(ROW + payload->len));
    forge_u32(t, metadata);
    forge_u32(t, thread);
    forge_u64(t, 1);
    text_add(t, guids, sizeof(guids));
    forge_u32(t, (uint32_t)payload->len);
    text_add(t, payload->data, payload->len);
}

static void add_header(struct text *t)
{
    text_add(t, "\x14\0\0\0!FastSerialization.1", 24);
    add_object(t, 3, "Trace");
    size_t begin = t->len;
    forge_u64(t, 0); /* no date */
    forge_u64(t, 0);
    forge_u64(t, 0); /* ticks */
    forge_u64(t, 1000000000);
    forge_u32(t, 8);
    while (t->len < begin + HEAD)
        forge_u8(t, 0);
    forge_u8(t, 6);
}

static void add_block(struct text *t, const struct text *rows)
{
    add_object(t, 2, "EventBlock");
    forge_u32(t, (uint32_t)rows->len);
    while (t->len % 4 != 0)
        forge_u8(t, 0);
    text_add(t, rows->data, rows->len);
    forge_u8(t, 6);
}

/* Starts of collections, each on its own thread. */
static struct text of_threads(uint32_t count)
{
    struct text t = {0}, rows = {0}, meta = {0}, start = {0};
    forge_u32(&meta, 7);
    forge_wide(&meta, "Microsoft-Windows-DotNETRuntime");
    forge_u32(&meta, GC_START_ID);
    forge_wide(&meta, "");
    forge_u64(&meta, 0);
    forge_u32(&meta, 0);
    forge_u32(&meta, 4);
    add_row(&rows, 0, 1, &meta);
    forge_u32(&start, 1);
    for (uint32_t i = 0; i < count; i++)
        add_row(&rows, 7, 100 + i, &start);
    add_header(&t);
    add_block(&t, &rows);
    forge_u8(&t, 1);
    text_free(&rows);
    text_free(&meta);
    text_free(&start);
    return t;
}

static uint64_t events_of(const struct text *file, size_t most, struct hd_error *err)
{
    struct input *in = input_over(file->data, file->len);
    struct nettrace *t = nettrace_begin(in, err);
    struct trace_survey s = {0};
    struct trace_event e;
    uint64_t events = 0;
    if (most > 0)
        nettrace_distrust(t, most);
    for (; nettrace_next(t, &e) && trace_survey_add(&s, t, &e); events++)
        cr_assert_eq(trace_heap_event_kind(&e), EVENT_GC_START);
    nettrace_free(t);
    trace_survey_free(&s);
    input_close(in);
    return events;
}

Test(trace_survey, a_stranger_cannot_have_more_threads_than_memory_for_them)
{
    enum { THREADS = 20000, MAX_EVENTS = 100000 };
    struct text file = of_threads(THREADS);
    struct hd_error err = {0};
    cr_expect_eq(events_of(&file, 0, &err), THREADS, "%s", err.message);
    cr_expect_eq(err.status, HD_OK, "%s", err.message);
    uint64_t events = events_of(&file, MAX_EVENTS, &err);
    cr_expect_lt(events, MAX_EVENTS / 12);
    cr_expect_not_null(strstr(err.message, "more threads"), "%s", err.message);
    text_free(&file);
}

Test(trace_survey, a_process_of_usual_size_is_trusted)
{
    struct text file = of_threads(500);
    struct hd_error err = {0};
    cr_expect_eq(events_of(&file, 100000, &err), 500, "%s", err.message);
    text_free(&file);
}

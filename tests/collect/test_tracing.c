/* Requests, byte by byte, in each form of the command. */
#include "collect/session.h"

#include <criterion/criterion.h>
#include <string.h>

/* A request, parsed as in a runtime. */
struct asked {
    uint32_t buffer_mb, level;
    uint64_t keywords, rundown;
    bool stacks; /* true if the form has no such field */
    bool only;
    uint32_t events[8], event_count; /* 0: no filter */
    size_t rest;
};

static uint64_t next(const unsigned char **p, size_t size)
{
    uint64_t n = 0;
    for (size_t i = 0; i < size; i++)
        n |= (uint64_t)(*p)[i] << 8 * i;
    *p += size;
    return n;
}

static void skip_string(const unsigned char **p)
{
    size_t units = (size_t)next(p, 4);
    *p += 2 * units;
}

static struct asked asked_for(enum ipc_command command, enum tracing_kind kind)
{
    const struct request r = tracing_request(command, kind, 0);
    const unsigned char *p = r.bytes + IPC_HEADER_SIZE;
    struct asked a = {.stacks = true};
    if (command >= IPC_COLLECT_TRACING5)
        cr_expect_eq(next(&p, 4), 0);
    a.buffer_mb = (uint32_t)next(&p, 4);
    cr_expect_eq(next(&p, 4), 1, "format");
    a.rundown = command >= IPC_COLLECT_TRACING4   ? next(&p, 8)
                : command >= IPC_COLLECT_TRACING2 ? next(&p, 1)
                                                  : 1;
    if (command >= IPC_COLLECT_TRACING3)
        a.stacks = next(&p, 1) != 0;
    cr_expect_eq(next(&p, 4), 1, "one provider");
    a.keywords = next(&p, 8);
    a.level = (uint32_t)next(&p, 4);
    skip_string(&p); /* its name */
    skip_string(&p); /* no filter of its own */
    if (command >= IPC_COLLECT_TRACING5) {
        a.only = next(&p, 1) != 0;
        a.event_count = (uint32_t)next(&p, 4);
        for (uint32_t i = 0; i < a.event_count; i++)
            a.events[i] = (uint32_t)next(&p, 4);
    }
    if (command >= IPC_COLLECT_TRACING6)
        cr_expect_eq(next(&p, 4), 0, "the process does not wait for us");
    a.rest = r.len - (size_t)(p - r.bytes);
    return a;
}

enum { GC = 1, SURVIVAL_AND_MOVEMENT = 0x400000, INFORMATIONAL = 4, VERBOSE = 5 };

Test(tracing, movement_is_asked_for_without_stacks)
{
    static const uint32_t events[] = {1, 2, 21, 22, 23};
    for (int c = IPC_COLLECT_TRACING; c <= IPC_COLLECT_TRACING6; c++) {
        struct asked a = asked_for((enum ipc_command)c, TRACING_GC_MOVES);
        cr_expect_eq(a.keywords, GC | SURVIVAL_AND_MOVEMENT);
        cr_expect_eq(a.level, INFORMATIONAL);
        cr_expect_eq(a.rundown, c == IPC_COLLECT_TRACING);
        cr_expect_eq(a.stacks, c < IPC_COLLECT_TRACING3);
        cr_expect_eq(a.rest, 0, "0x%x", c);
        if (c < IPC_COLLECT_TRACING5)
            continue;
        cr_expect(a.only);
        cr_assert_eq(a.event_count, 5);
        cr_expect_eq(memcmp(a.events, events, sizeof(events)), 0);
    }
}

/* 303 is never requested: otherwise other clients get no ticks. Without 203 a runtime on
 * Linux sends them only up to its next collection. */
Test(tracing, allocations_are_asked_for_with_stacks)
{
    static const uint32_t events[] = {1, 2, 10, 21, 22, 23, 203};
    for (int c = IPC_COLLECT_TRACING; c <= IPC_COLLECT_TRACING6; c++) {
        struct asked a = asked_for((enum ipc_command)c, TRACING_ALLOCATIONS);
        cr_expect_eq(a.keywords, GC | SURVIVAL_AND_MOVEMENT);
        cr_expect_eq(a.level, VERBOSE);
        cr_expect_eq(a.rundown, c == IPC_COLLECT_TRACING);
        cr_expect(a.stacks);
        cr_expect_eq(a.buffer_mb, 64);
        cr_expect_eq(a.rest, 0, "0x%x", c);
        if (c < IPC_COLLECT_TRACING5)
            continue;
        cr_expect(a.only);
        cr_assert_eq(a.event_count, 7);
        cr_expect_eq(memcmp(a.events, events, sizeof(events)), 0);
    }
}

Test(tracing, no_other_session_asks_for_stacks_or_verbose_events)
{
    static const enum tracing_kind all[] = {TRACING_HEAP, TRACING_WALK, TRACING_COLLECTION,
                                            TRACING_FLUSH};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        struct asked a = asked_for(IPC_COLLECT_TRACING5, all[i]);
        cr_expect_not(a.stacks);
        cr_expect_eq(a.level, INFORMATIONAL);
        cr_expect_eq(a.rest, 0);
    }
}

/* The memory that a process may use for its own snapshot, from the facts known before. */
#include "collect/session.h"

#include <criterion/criterion.h>
#include <string.h>

#define MIB (UINT64_C(1) << 20)

/* Expects the plan "refused", or "one" or "two" sessions with a buffer of mb. */
static void expect(const char *runtime, uint64_t left, uint64_t expected, uint64_t memory,
                   const char *how, uint32_t mb)
{
    const struct buffer_facts facts = {left, expected, memory, runtime};
    struct session_buffer buffer;
    struct hd_error err = {0};
    bool ok = buffer_plan(&buffer, &facts, &err);
    const char *got = !ok ? "refused" : buffer.is_alone ? "one" : "two";
    cr_expect_str_eq(got, how, "%s, %llu left: %s, %s", runtime != NULL ? runtime : "?",
                     (unsigned long long)left, got, err.message);
    cr_expect_eq(err.status, ok ? HD_OK : HD_TOO_BIG);
    cr_expect_eq(err.topic, ok ? HD_NO_TOPIC : HD_ABOUT_LIMIT);
    if (ok)
        cr_expect_eq(buffer.mb, mb, "%s, %llu left: %u MiB",
                     runtime != NULL ? runtime : "?", (unsigned long long)left, buffer.mb);
}

Test(buffer, without_a_limit_is_as_large_as_is_of_use)
{
    expect("10.0.12", HD_UNKNOWN, 0, 900 * MIB, "one", 0);
    expect("11.0.0", HD_UNKNOWN, 900 * MIB, 900 * MIB, "one", 0);
    expect(NULL, HD_UNKNOWN, 0, 0, "one", 0);
}

Test(buffer, holds_a_whole_walk_where_that_fits)
{
    expect("10.0.12", 400 * MIB, 214 * MIB, 180 * MIB, "one", 342);
    expect("8.0.33", 400 * MIB, 214 * MIB, 180 * MIB, "one", 342);
    expect("10.0.12", 400 * MIB, 0, 180 * MIB, "one", 342);
    expect("10.0.12", 100000 * MIB, 0, 90000 * MIB, "one", TRACING_MAX_BUFFER_MB);
}

Test(buffer, is_read_during_the_walk_where_the_whole_does_not_fit)
{
    expect("10.0.12", 200 * MIB, 214 * MIB, 180 * MIB, "two", 167);
    expect("10.0.12", 400 * MIB, 0, 0, "two", 342);
    expect("10.0.12", 190 * MIB, 214 * MIB, 180 * MIB, "refused", 0);
}

Test(buffer, is_refused_where_an_older_runtime_would_hold_too_much)
{
    expect("9.0.20", 200 * MIB, 214 * MIB, 180 * MIB, "refused", 0);
    expect("8.0.33", 200 * MIB, 214 * MIB, 0, "refused", 0);
    expect("3.1.3", 200 * MIB, 214 * MIB, 180 * MIB, "refused", 0);
    expect(NULL, 200 * MIB, 214 * MIB, 180 * MIB, "refused", 0);
    expect("garbage", 200 * MIB, 214 * MIB, 180 * MIB, "refused", 0);
    expect("9.0.20", 200 * MIB, 50 * MIB, 180 * MIB, "one", 167);
}

Test(buffer, is_tried_where_only_the_memory_is_known)
{
    expect("10.0.12", 200 * MIB, 0, 180 * MIB, "two", 167);
    expect("8.0.33", 200 * MIB, 0, 180 * MIB, "two", 167);
    expect("10.0.12", 46 * MIB, 0, 180 * MIB, "two", 32);
    expect("10.0.12", 45 * MIB, 0, 180 * MIB, "refused", 0);
    expect(NULL, 45 * MIB, 0, 0, "refused", 0);
    expect("10.0.12", 30 * MIB, 0, 8 * MIB, "one", 18);
}

Test(buffer, may_be_small_if_the_runtime_waits)
{
    expect("11.0.0", 28 * MIB, 900 * MIB, 900 * MIB, "two", 16);
    expect("11.0.0", 27 * MIB, 900 * MIB, 900 * MIB, "refused", 0);
    expect("12.0.0", 28 * MIB, 0, 0, "two", 16);
}

Test(buffer, needs_spare_memory)
{
    expect("10.0.12", 0, 1, 1, "refused", 0);
    expect("11.0.0", 0, 0, 0, "refused", 0);
    expect("10.0.12", 8 * MIB, 1, 0, "refused", 0);
    /* Impossible numbers. */
    expect("10.0.12", 400 * MIB, UINT64_MAX - 1, UINT64_MAX - 1, "two", 342);
    expect("9.0.0", UINT64_MAX - 1, UINT64_MAX - 1, 0, "one", TRACING_MAX_BUFFER_MB);
}

Test(buffer, was_not_enough_if_events_were_lost)
{
    const struct hd_collected lost = {.events_lost = 1}, none = {.events_lost = 0};
    const struct session_buffer small = {.mb = 100}, whole = {.mb = 1024};
    const struct session_buffer unlimited = {.mb = 0};
    struct hd_error err = {0};
    cr_expect(buffer_was_enough(&small, &none, &err));
    cr_expect(buffer_was_enough(&whole, &lost, &err));
    cr_expect(buffer_was_enough(&unlimited, &lost, &err));
    cr_expect_eq(err.status, HD_OK);
    cr_expect_not(buffer_was_enough(&small, &lost, &err));
    cr_expect_eq(err.status, HD_TOO_BIG);
    cr_expect_eq(err.topic, HD_ABOUT_LIMIT);
}

/* In each form of the request the size is first, after the kind of session if it has one.
 */
static uint32_t asked_for(enum ipc_command command, uint32_t mb)
{
    const struct request r = tracing_request(command, TRACING_HEAP, mb);
    const unsigned char *p = r.bytes + IPC_HEADER_SIZE + (command >= 0x0206 ? 4 : 0);
    return p[0] | (uint32_t)p[1] << 8;
}

Test(buffer, is_asked_for_in_every_form)
{
    for (int command = IPC_COLLECT_TRACING; command < IPC_COLLECT_TRACING6; command++) {
        cr_expect_eq(asked_for((enum ipc_command)command, 0), 1024);
        cr_expect_eq(asked_for((enum ipc_command)command, 167), 167);
        cr_expect_eq(asked_for((enum ipc_command)command, 2000), 1024);
    }
    cr_expect_eq(asked_for(IPC_COLLECT_TRACING6, 0), 64, "more is of no use there");
    cr_expect_eq(asked_for(IPC_COLLECT_TRACING6, 167), 64);
    cr_expect_eq(asked_for(IPC_COLLECT_TRACING6, 16), 16);
}

#include "trace/trace_threads.h"

#include <criterion/criterion.h>

static uint64_t lost(const struct trace_threads *t)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < t->loss_count; i++)
        sum += t->losses[i].events;
    return sum;
}

static struct trace_fields fields(const unsigned char *bytes, size_t size)
{
    return (struct trace_fields){bytes, bytes + size, false};
}

Test(trace_threads, a_gap_in_the_numbers_of_one_thread_is_a_loss)
{
    struct trace_threads t = {0};
    trace_threads_event(&t, 7, 1, 10);
    trace_threads_event(&t, 8, 100, 11);
    trace_threads_event(&t, 7, 2, 12);
    cr_expect_eq(t.loss_count, 0);
    trace_threads_event(&t, 7, 6, 20);
    trace_threads_event(&t, 8, 101, 21);
    cr_assert_eq(t.loss_count, 1);
    cr_expect_eq(t.losses[0].from, 12);
    cr_expect_eq(t.losses[0].to, 20);
    cr_expect_eq(t.losses[0].events, 3);
    trace_threads_free(&t);
}

Test(trace_threads, numbers_may_wrap_and_begin_again)
{
    struct trace_threads t = {0};
    trace_threads_event(&t, 7, UINT32_MAX, 10);
    trace_threads_event(&t, 7, 0, 11);
    trace_threads_event(&t, 7, 5, 12); /* 0 is what a thread without events has */
    trace_threads_event(&t, 7, 1, 13);
    trace_threads_event(&t, 7, 1, 14);
    cr_expect_eq(t.loss_count, 0);
    trace_threads_event(&t, 7, UINT32_MAX - 1, 15);
    trace_threads_event(&t, 7, 1, 16);
    cr_expect_eq(lost(&t), 2);
    trace_threads_free(&t);
}

Test(trace_threads, losses_of_several_threads_in_one_span_are_one)
{
    struct trace_threads t = {0};
    trace_threads_event(&t, 7, 1, 10);
    trace_threads_event(&t, 8, 1, 10);
    trace_threads_event(&t, 7, 3, 20);
    trace_threads_event(&t, 8, 5, 20);
    cr_assert_eq(t.loss_count, 1);
    cr_expect_eq(t.losses[0].events, 4);
    trace_threads_free(&t);
}

Test(trace_threads, a_sequence_point_tells_what_nothing_follows)
{
    static const unsigned char point[] = {2, 0, 0, 0, /* threads */
                                          7, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0,
                                          9, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0};
    static const unsigned char same[] = {1, 0, 0, 0, 7, 5};
    struct trace_threads t = {0};
    trace_threads_event(&t, 7, 3, 10);
    struct trace_fields f = fields(point, sizeof(point));
    trace_threads_point(&t, &f, 30, false);
    cr_expect_not(f.failed);
    cr_assert_eq(t.loss_count, 1); /* thread 9 was not seen before */
    cr_expect_eq(t.losses[0].from, 10);
    cr_expect_eq(t.losses[0].to, 30);
    cr_expect_eq(t.losses[0].events, 2);
    f = fields(same, sizeof(same));
    trace_threads_point(&t, &f, 31, true);
    cr_expect_not(f.failed);
    cr_expect_eq(lost(&t), 2);
    f = fields(point, sizeof(point) - 1);
    trace_threads_point(&t, &f, 32, false);
    cr_expect(f.failed);
    trace_threads_free(&t);
}

Test(trace_threads, a_definition_tells_the_process)
{
    enum { NAME = 1, PROCESS, THREAD };
    static const unsigned char records[] = {8, 0,       7,  NAME, 1, 'x', THREAD,
                                            3, PROCESS, 42, 2,    0, 9,   99};
    static const unsigned char damaged[] = {9, 0, 7};
    struct trace_threads t = {0};
    struct trace_fields f = fields(records, sizeof(records));
    cr_expect(trace_threads_define(&t, &f));
    cr_expect_eq(trace_threads_event(&t, 7, 1, 10), 42);
    cr_expect_eq(trace_threads_event(&t, 9, 1, 10), HD_UNKNOWN);
    cr_expect_eq(trace_threads_event(&t, 1, 1, 10), HD_UNKNOWN);
    f = fields(damaged, sizeof(damaged));
    cr_expect_not(trace_threads_define(&t, &f));
    trace_threads_free(&t);
}

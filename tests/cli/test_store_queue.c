/* The choice of snapshots to drop when too many wait for a store. */
#include "fleet/agent/agent.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

static void add(struct store_queue *q, uint64_t series, double at, size_t size)
{
    const struct queued_snapshot what = {.who = "shop",
                                         .series = series,
                                         .facts = {.run = hd_unknown_run()},
                                         .pause_seconds = NAN,
                                         .digest = {.bytes = malloc(1), .size = size}};
    store_queue_add(q, &what, at);
}

static void drop_all(struct store_queue *q)
{
    while (q->count > 0)
        store_queue_drop(q, q->first);
    cr_expect_eq(q->bytes, 0);
    cr_expect_null(q->first);
    cr_expect_null(q->last);
}

/* The remaining times of a series. */
static size_t left_of(const struct store_queue *q, uint64_t series, double *at)
{
    size_t count = 0;
    for (const struct queued_snapshot *w = q->first; w != NULL; w = w->next)
        if (w->series == series)
            at[count++] = w->added;
    return count;
}

Test(store_queue, the_limits_are_a_thousand_snapshots_and_64_mebibytes)
{
    struct store_queue q = {.first = NULL};
    for (int i = 0; i < 1000; i++)
        add(&q, 1, i, 100);
    cr_expect_not(store_queue_is_too_long(&q));
    add(&q, 1, 1000, 100);
    cr_expect(store_queue_is_too_long(&q));
    drop_all(&q);
    add(&q, 1, 0, (64 << 20) + 1);
    cr_expect_not(store_queue_is_too_long(&q), "a large one alone");
    add(&q, 1, 1, 1);
    cr_expect(store_queue_is_too_long(&q));
    drop_all(&q);
}

Test(store_queue, the_one_between_the_nearest_of_its_series_is_dropped_first)
{
    struct store_queue q = {.first = NULL};
    static const double times[] = {0, 10, 12, 15, 30, 31};
    for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
        add(&q, 1, times[i], 1);
    cr_expect_eq(store_queue_least(&q)->added, 12, "5 s between 10 and 15");
    drop_all(&q);
}

Test(store_queue, the_oldest_is_dropped_if_no_series_has_three)
{
    struct store_queue q = {.first = NULL};
    for (int i = 0; i < 6; i++)
        add(&q, (uint64_t)i % 3, i, 1);
    cr_expect_eq(store_queue_least(&q)->added, 0);
    drop_all(&q);
}

/* Twenty hours of four processes, of which a fifth may stay: each still covers its whole
 * time, with gaps of similar length. */
Test(store_queue, remaining_snapshots_of_a_series_are_spread_over_its_time)
{
    enum { SERIES = 4, HOURS = 20, PER_HOUR = 10, MAX_FILES = 160 };
    struct store_queue q = {.first = NULL};
    double at[HOURS * PER_HOUR];
    for (int i = 0; i < HOURS * PER_HOUR; i++)
        for (uint64_t series = 0; series < SERIES; series++) {
            add(&q, series, i, 1);
            while (q.count > MAX_FILES)
                store_queue_drop(&q, store_queue_least(&q));
        }
    for (uint64_t series = 0; series < SERIES; series++) {
        size_t count = left_of(&q, series, at);
        double widest = 0;
        cr_assert(count >= MAX_FILES / SERIES - 4 && count <= MAX_FILES / SERIES + 4, "%zu",
                  count);
        cr_expect_eq(at[0], 0);
        cr_expect_eq(at[count - 1], HOURS * PER_HOUR - 1);
        for (size_t i = 1; i < count; i++)
            widest = fmax(widest, at[i] - at[i - 1]);
        cr_expect(widest <= 8, "%g", widest);
    }
    drop_all(&q);
}

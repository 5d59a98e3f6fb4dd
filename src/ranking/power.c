/* The numbers are those of docs/ranking.md, "What would have shown". Where they are from:
 * leaks of Poisson arrivals that all stay, dealt out to stays_of() by
 * tests/ranking/test_power.c, which fails if fewer than four of five of these show. */
#include "ranking/power.h"

#include "ages/retention.h"
#include "series/series.h"

/* Order finds three of four of those that came last; the others count as one that went and
 * one that comes, so that it takes a few more. In a long series it takes ten in three
 * steps, or too many of them have none. */
enum { BY_EVENTS = 20, BY_ORDER = 25, PER_THREE_STEPS = 10, FEWEST_FOR_AGES = 3 };

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* That show in four of five leaks, however they come. */
static uint64_t at_random(size_t snapshots, enum hd_identity_source source)
{
    if (source == HD_SAME_UNKNOWN || snapshots < FEWEST_FOR_AGES)
        return HD_UNKNOWN;
    return larger(source == HD_SAME_BY_EVENTS ? BY_EVENTS : BY_ORDER,
                  (PER_THREE_STEPS * (uint64_t)(snapshots - 1) + 2) / 3);
}

/* By their ages or, from four snapshots on, by even steps alone. */
static uint64_t evenly(const struct power_question *q)
{
    bool by_age = q->source != HD_SAME_UNKNOWN && q->snapshots >= FEWEST_FOR_AGES;
    bool by_steps = !q->sampled && q->snapshots >= SERIES_ENOUGH_SNAPSHOTS;
    return by_age || by_steps ? larger(STAYS_FEWEST, q->snapshots - 1) : HD_UNKNOWN;
}

struct hd_power power_of(const struct power_question *q)
{
    struct hd_power p = {.bytes = HD_UNKNOWN, .objects = HD_UNKNOWN, .even = HD_UNKNOWN};
    if (q->snapshots < 2)
        return p;
    p.steps = q->snapshots - 1;
    p.large = least_at_line(q->line, q->heap);
    uint64_t bytes = q->by_graph ? least_at_steady_line(q->line, q->heap) : HD_UNKNOWN;
    uint64_t even = evenly(q);
    if (bytes == HD_UNKNOWN || even == HD_UNKNOWN)
        return p;
    p.bytes = bytes;
    p.even = even;
    p.objects = at_random(q->snapshots, q->source);
    return p;
}

bool power_is_high(size_t snapshots, enum hd_identity_source source)
{
    enum { MOST_A_STEP = 7, FEWEST_BY_COUNTS = 5 };
    uint64_t objects = at_random(snapshots, source);
    return objects == HD_UNKNOWN ? snapshots >= FEWEST_BY_COUNTS
                                 : snapshots >= SERIES_ENOUGH_SNAPSHOTS &&
                                       objects <= MOST_A_STEP * (uint64_t)(snapshots - 1);
}

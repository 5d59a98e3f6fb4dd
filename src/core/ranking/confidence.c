#include "ranking/confidence.h"

#include "series/ranking_constants.h"

#include <math.h>

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* That show in four of five leaks, however they come. */
static uint64_t at_random(size_t snapshots, enum hd_identity_source source)
{
    if (source == HD_SAME_UNKNOWN || snapshots < rank_by.some_snapshots)
        return HD_UNKNOWN;
    uint64_t steps = snapshots - 1;
    return larger(source == HD_SAME_BY_EVENTS ? rank_by.shows_by_events
                                              : rank_by.shows_by_order,
                  (rank_by.shows_in_three_steps * steps + 2) / 3);
}

struct hd_power power_of(const struct power_question *q)
{
    struct hd_power p = {.bytes = HD_UNKNOWN, .objects = HD_UNKNOWN, .even = HD_UNKNOWN};
    if (q->snapshots < 2)
        return p;
    p.steps = q->snapshots - 1;
    p.large = least_at_line(q->line, q->heap);
    uint64_t bytes = q->by_graph ? least_at_steady_line(q->line, q->heap) : HD_UNKNOWN;
    /* By their ages or by even steps alone. */
    bool by_age = q->source != HD_SAME_UNKNOWN && q->snapshots >= rank_by.some_snapshots;
    bool by_steps = !q->sampled && q->snapshots >= rank_by.enough_snapshots;
    uint64_t even = by_age || by_steps ? larger(rank_by.fewest_that_keep, q->snapshots - 1)
                                       : HD_UNKNOWN;
    if (bytes == HD_UNKNOWN || even == HD_UNKNOWN)
        return p;
    p.bytes = bytes;
    p.even = even;
    p.objects = at_random(q->snapshots, q->source);
    return p;
}

bool power_is_high(size_t snapshots, enum hd_identity_source source)
{
    uint64_t objects = at_random(snapshots, source);
    return objects == HD_UNKNOWN
               ? snapshots >= rank_by.sure_snapshots_by_counts
               : snapshots >= rank_by.enough_snapshots &&
                     objects <= rank_by.sure_a_step * (uint64_t)(snapshots - 1);
}

static enum hd_time_limit time_limit_of(const struct growth_question *q)
{
    if (q->by_iterations)
        return HD_TIME_ENOUGH;
    if (isnan(q->seconds))
        return HD_TIME_UNKNOWN;
    if (q->seconds < rank_by.sure_seconds)
        return HD_TIME_SHORT;
    bool is_young = q->seconds < rank_by.long_seconds &&
                    q->uptime + q->seconds < rank_by.old_spans * q->seconds;
    return is_young ? HD_TIME_YOUNG : HD_TIME_ENOUGH;
}

struct growth_verdict growth_verdict_of(const struct growth_question *q)
{
    bool together = q->open->stayed && q->open->share > q->stopped_share;
    struct growth_verdict v = {.is_open = q->open->grew,
                               .is_one_type = q->stopped_share > 0 && !together,
                               .stopped_share =
                                   together ? q->open->share : q->stopped_share};
    v.is_unexplained = v.is_open && (!q->has_suspects || 2 * q->rest > q->growth);
    v.has_stopped = v.stopped_share >= rank_by.stopped_warn_share;
    bool weak =
        q->confidence == HD_CONFIDENCE_HIGH && !power_is_high(q->snapshots, q->source);
    bool doubt = weak || v.is_open || v.has_stopped || q->has_undecided;
    bool lower = doubt && !q->has_suspects && q->confidence > HD_CONFIDENCE_LOW;
    v.confidence = lower ? q->confidence - 1 : q->confidence;
    v.time_limit = time_limit_of(q);
    if (q->has_suspects && v.time_limit > HD_TIME_UNKNOWN &&
        v.confidence == HD_CONFIDENCE_HIGH)
        v.confidence = HD_CONFIDENCE_MEDIUM;
    return v;
}

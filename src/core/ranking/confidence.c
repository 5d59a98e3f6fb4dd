#include "ranking/confidence.h"

#include "series/ranking_constants.h"

#include <math.h>

/* --- has it grown? --------------------------------------------------------------- */

/* True if it rose, and did not rise again in the last half. */
static bool has_settled(const double *y, size_t n)
{
    double part = (y[n - 1] - y[0]) / rank_by.settled_part, least = y[n - trend_half(n)];
    for (size_t k = n - trend_half(n); k < n; k++) {
        least = y[k] < least ? y[k] : least;
        if (y[k] - least > part)
            return false;
    }
    return part > 0;
}

/* True if y rose by `far` or more and fell as far again often enough. */
static bool swings(const double *y, size_t n, double far)
{
    double low = y[0], high = y[0];
    bool up = false;
    unsigned times = 0;
    for (size_t k = 1; k < n; k++) {
        low = y[k] < low ? y[k] : low;
        high = y[k] > high ? y[k] : high;
        if (!up && y[k] - low >= far) {
            up = true;
            high = y[k];
        } else if (up && high - y[k] >= far) {
            up = false;
            low = y[k];
            times++;
        }
    }
    return times >= rank_by.swings;
}

/* Growth from a later point on, which must be a trend of its own. Its first step is left
 * out, since it may lead from a dip back to the earlier level. */
static double later_growth(const struct trend *t, size_t first)
{
    struct trend tail = {t->n - first, t->x + first, t->y + first, NULL};
    if (tail.n < rank_by.enough_snapshots || !trend_grows(&tail) ||
        has_settled(tail.y, tail.n))
        return 0;
    double from = tail.y[1] > tail.y[0] ? tail.y[1] : tail.y[0];
    return tail.y[tail.n - 1] - from;
}

/* The last point that is no more than a part of the growth above where that began. */
static size_t onset(const struct trend *t, size_t first)
{
    size_t k = t->n - 1;
    double part = (t->y[k] - t->y[first]) / rank_by.settled_part;
    while (k > first && t->y[k] > t->y[first] + part)
        k--;
    return k;
}

struct rest_growth rest_growth_of(const struct trend *rest, double heap, double leveled_off)
{
    struct rest_growth found = {.share = 0};
    double least = rank_by.open_share * heap, most = 0;
    if (rest->n < 2 || heap <= 0)
        return found;
    bool sure = trend_rises_surely(rest);
    /* From the first point on, in any shape. With many points a slow rise is
     * distinguishable from noise, even if the ends are not. */
    double ends = rest->y[rest->n - 1] - rest->y[0];
    double slope =
        sure ? trend_slope(rest, 0, rest->n) * (rest->x[rest->n - 1] - rest->x[0]) : 0;
    double whole = slope > ends ? slope : ends, left = whole - leveled_off;
    if (left >= least && !has_settled(rest->y, rest->n) &&
        (sure || !swings(rest->y, rest->n, left - least)))
        found = (struct rest_growth){true, false, left / heap, onset(rest, 0)};
    for (size_t k = 1; !found.grew && k < rest->n; k++) {
        double growth = later_growth(rest, k);
        if (growth < least || growth <= most || swings(rest->y, rest->n, growth - least))
            continue;
        most = growth;
        found.share = growth / heap;
        found.since = onset(rest, k);
    }
    found.grew |= most > 0;
    if (!found.grew && whole >= least && (left < least || has_settled(rest->y, rest->n)))
        found = (struct rest_growth){false, true, whole / heap, 0};
    return found;
}

/* --- how sure -------------------------------------------------------------------- */

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Returns the number of objects that shows four of five leaks, whatever the pattern of
 * their allocation. */
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
    /* by ages, or by even steps only */
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
    bool together = q->open->leveled_off && q->open->share > q->leveled_off_share;
    struct growth_verdict v = {.is_open = q->open->grew,
                               .is_one_type = q->leveled_off_share > 0 && !together,
                               .leveled_off_share =
                                   together ? q->open->share : q->leveled_off_share};
    v.is_unexplained = v.is_open && (!q->has_suspects || 2 * q->rest > q->growth);
    v.has_leveled_off = v.leveled_off_share >= rank_by.leveled_off_warn_share;
    bool weak =
        q->confidence == HD_CONFIDENCE_HIGH && !power_is_high(q->snapshots, q->source);
    bool doubt = weak || v.is_open || v.has_leveled_off || q->has_undecided;
    bool lower = doubt && !q->has_suspects && q->confidence > HD_CONFIDENCE_LOW;
    v.confidence = lower ? q->confidence - 1 : q->confidence;
    v.time_limit = time_limit_of(q);
    if (q->has_suspects && (v.time_limit > HD_TIME_UNKNOWN || !q->is_repeated) &&
        v.confidence == HD_CONFIDENCE_HIGH)
        v.confidence = HD_CONFIDENCE_MEDIUM;
    return v;
}

#include "budget/scale.h"

#include <math.h>

/* Seconds of a script are as long as the machine is slow. */
#define SHORTEST_TIME 10.0

/* Nor is a step that takes a quarter longer, or less, another step. */
#define SAME_PACE 1.25

/* --- how long runs are ------------------------------------------------------ */

static uint64_t seconds_between(const struct hd_snapshot *first,
                                const struct hd_snapshot *last)
{
    const double most = 1e12;
    double span = last->clock - first->clock;
    bool known = first->clock_is_date == last->clock_is_date && span >= 1 && span < most;
    return known ? (uint64_t)(span + 0.5) : HD_UNKNOWN;
}

void scale_measure(struct baseline *to, const struct evidence *e)
{
    const struct series *s = e->types;
    size_t first = s->usable[0], last = s->usable[s->usable_count - 1];
    to->snapshots = last - first + 1;
    to->seconds = seconds_between(s->snaps[first], s->snaps[last]);
    to->iterations =
        e->iterations != NULL ? e->iterations[last] - e->iterations[first] : HD_UNKNOWN;
}

/* --- one against the other --------------------------------------------------- */

/* amount at least times a / b, without a rounding where a is b. */
static double times(double amount, double a, double b)
{
    return a == b ? amount : amount * a / b;
}

static double steps_of(const struct baseline *run)
{
    return (double)(run->snapshots - 1);
}

static bool is_known(uint64_t length)
{
    return length != HD_UNKNOWN && length > 0;
}

static bool counts_iterations(const struct baseline *run)
{
    return is_known(run->iterations);
}

/* Two times that say more than steps do. */
static bool paces_differ(const struct baseline *then, const struct baseline *now)
{
    if (!is_known(then->seconds) || !is_known(now->seconds))
        return false;
    double before = (double)then->seconds, after = (double)now->seconds;
    double pace = after / before * steps_of(then) / steps_of(now);
    return fmax(before, after) >= SHORTEST_TIME &&
           (pace > SAME_PACE || pace < 1 / SAME_PACE);
}

/* Of growth from the first to the last snapshot. */
static struct accepted of_whole(const struct baseline *then, const struct baseline *now,
                                double amount)
{
    if (counts_iterations(then) && counts_iterations(now)) {
        double a = times(amount, (double)now->iterations, (double)then->iterations);
        return (struct accepted){a, a};
    }
    if (counts_iterations(then) || counts_iterations(now))
        return (struct accepted){0, INFINITY};
    double by_steps = times(amount, steps_of(now), steps_of(then));
    if (!paces_differ(then, now))
        return (struct accepted){by_steps, by_steps};
    double by_time = times(amount, (double)now->seconds, (double)then->seconds);
    return (struct accepted){fmin(by_steps, by_time), fmax(by_steps, by_time)};
}

/* Objects and bytes are whole: half of one that is accepted is one. */
static double whole_number(double x)
{
    const double rounding = 1e-9;
    return x == floor(x) ? x : ceil(x - rounding);
}

struct accepted scale_accepted(const struct baseline *b, const struct evidence *e,
                               uint64_t amount, enum hd_per per)
{
    struct baseline now = {.snapshots = 0};
    if (b->snapshots < 2 || amount == 0)
        return (struct accepted){0, 0};
    scale_measure(&now, e);
    struct accepted a = of_whole(b, &now, (double)amount);
    if (per == HD_PER_STEP) {
        a.least = times(a.least, steps_of(b), steps_of(&now));
        a.most = times(a.most, steps_of(b), steps_of(&now));
    } else if (per == HD_PER_ITERATION) {
        a.least = now.iterations > 0 ? a.least / (double)now.iterations : 0;
        a.most = now.iterations > 0 ? a.most / (double)now.iterations : INFINITY;
        return a;
    }
    return (struct accepted){whole_number(a.least), whole_number(a.most)};
}

bool scale_differs(const struct baseline *b, const struct evidence *e)
{
    struct baseline now = {.snapshots = 0};
    if (b->snapshots < 2)
        return false;
    scale_measure(&now, e);
    return b->snapshots != now.snapshots || b->iterations != now.iterations ||
           (!counts_iterations(b) && paces_differ(b, &now));
}

#include "ranking/rest_growth.h"

/* Growth that begins later than the first point has to be seen to go on. */
enum { FEWEST_LATER = 4 };

/* Up, and not up again in the last half, by more than a tenth of that. */
static bool has_settled(const double *y, size_t n)
{
    double tenth = (y[n - 1] - y[0]) / 10, least = y[n - trend_half(n)];
    for (size_t k = n - trend_half(n); k < n; k++) {
        least = y[k] < least ? y[k] : least;
        if (y[k] - least > tenth)
            return false;
    }
    return tenth > 0;
}

/* Whether y rose by `far` or more and fell as far again, twice: what has become of such a
 * rise before is known then. Once it may have been the start of the program. */
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
    return times >= 2;
}

/* From the first point on, whatever the way there. Many points may tell a slow rise from
 * the noise around it, though the ends do not. */
static double whole_growth(const struct trend *t, bool sure)
{
    double ends = t->y[t->n - 1] - t->y[0];
    double slope = sure ? trend_slope(t, 0, t->n) * (t->x[t->n - 1] - t->x[0]) : 0;
    return slope > ends ? slope : ends;
}

/* From a later point on. Its first step is left out: out of a dip it leads back to where
 * the heap was. */
static double later_growth(const struct trend *t, size_t first)
{
    struct trend tail = {t->n - first, t->x + first, t->y + first, NULL};
    if (tail.n < FEWEST_LATER || !trend_grows(&tail) || has_settled(tail.y, tail.n))
        return 0;
    double from = tail.y[1] > tail.y[0] ? tail.y[1] : tail.y[0];
    return tail.y[tail.n - 1] - from;
}

/* The last point that is no more than a tenth of the growth above where that began. */
static size_t onset(const struct trend *t, size_t first)
{
    size_t k = t->n - 1;
    double tenth = (t->y[k] - t->y[first]) / 10;
    while (k > first && t->y[k] > t->y[first] + tenth)
        k--;
    return k;
}

struct rest_growth rest_growth_of(const struct trend *rest, double heap, double stopped)
{
    struct rest_growth found = {.share = 0};
    double least = REST_LEAST_SHARE * heap, most = 0;
    if (rest->n < 2 || heap <= 0)
        return found;
    bool sure = trend_rises_surely(rest);
    double whole = whole_growth(rest, sure), left = whole - stopped;
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

#include "series/trend.h"

#include "series/ranking_constants.h"

#include <math.h>
#include <stdlib.h>

int trend_rises(const struct trend *t)
{
    int rises = 0;
    for (size_t i = 0; i < t->n; i++) {
        for (size_t j = i + 1; j < t->n; j++) {
            double band = 0;
            if (t->noise != NULL)
                band = t->noise[i] > t->noise[j] ? t->noise[i] : t->noise[j];
            double step = t->y[j] - t->y[i];
            rises += (step > band) - (-step > band);
        }
    }
    return rises;
}

static int pairs(const struct trend *t)
{
    return (int)(t->n * (t->n - 1) / 2);
}

uint64_t trend_sum(const uint64_t *y, size_t from, size_t to)
{
    uint64_t all = 0;
    for (size_t i = from; i < to; i++)
        all += y[i];
    return all;
}

double trend_tau(const struct trend *t)
{
    return t->n < 2 ? 0 : (double)trend_rises(t) / pairs(t);
}

static bool rises_by_tau(const struct trend *t, int rises)
{
    return rank_by.of_tau * rises >= rank_by.least_tau * pairs(t);
}

bool trend_grows(const struct trend *t)
{
    return t->n >= 2 && t->y[t->n - 1] > t->y[0] && rises_by_tau(t, trend_rises(t));
}

bool trend_rises_surely(const struct trend *t)
{
    double n = (double)t->n, deviation = sqrt(n * (n - 1) * (2 * n + 5) / 18);
    return t->n >= 2 && trend_rises(t) >= rank_by.sure_rise * deviation;
}

bool trend_falls(const struct trend *t)
{
    return t->n >= 2 && rises_by_tau(t, -trend_rises(t));
}

static int trend_by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double trend_slope(const struct trend *t, size_t first, size_t count)
{
    double slopes[TREND_MAX_POINTS * (TREND_MAX_POINTS - 1) / 2];
    size_t n = 0;
    for (size_t i = first; i < first + count; i++)
        for (size_t j = i + 1; j < first + count; j++)
            slopes[n++] = (t->y[j] - t->y[i]) / (t->x[j] - t->x[i]);
    if (n == 0)
        return 0;
    qsort(slopes, n, sizeof(*slopes), trend_by_value);
    return n % 2 == 1 ? slopes[n / 2] : (slopes[n / 2 - 1] + slopes[n / 2]) / 2;
}

size_t trend_half(size_t n)
{
    size_t half = n / 2 + n % 2;
    return half > 2 ? half : 2;
}

size_t trend_half_of_sizes(size_t n)
{
    return n <= 3 ? 2 : n / 2 + 1;
}

double trend_sustained(const struct trend *t, size_t half)
{
    double all = trend_slope(t, 0, t->n), last = trend_slope(t, t->n - half, half);
    double least = all < last ? all : last;
    return least > 0 ? least : 0;
}

double trend_slowing(const struct trend *t, size_t half)
{
    double first = trend_slope(t, 0, half);
    if (t->n < rank_by.enough_snapshots || first <= 0)
        return 1;
    double ratio = trend_slope(t, t->n - half, half) / first;
    return ratio < 0 ? 0 : ratio > 1 ? 1 : ratio;
}

bool trend_rises_evenly(const struct trend *y)
{
    double least = INFINITY, most = 0;
    if (y->n < rank_by.enough_snapshots)
        return false;
    for (size_t k = 1; k < y->n; k++) {
        double rate = (y->y[k] - y->y[k - 1]) / (y->x[k] - y->x[k - 1]);
        least = rate < least ? rate : least;
        most = rate > most ? rate : most;
    }
    double evenness =
        y->n == rank_by.enough_snapshots ? rank_by.even_step_of_few : rank_by.even_step;
    size_t half = trend_half(y->n);
    return least > 0 && least >= evenness * most &&
           trend_slope(y, y->n - half, half) >= rank_by.even_pace * trend_slope(y, 0, half);
}

bool trend_rises_always(const uint64_t *counts, size_t n)
{
    for (size_t k = 1; k < n; k++)
        if (counts[k] <= counts[k - 1])
            return false;
    return true;
}

/* Returns the number of steps with a gain of at least a part of an even step's. */
static size_t rising_steps(const struct trend *t, double part)
{
    double even = (t->y[t->n - 1] - t->y[0]) / (double)(t->n - 1);
    size_t found = 0;
    for (size_t k = 1; k < t->n; k++)
        found += t->y[k] > t->y[k - 1] && (t->y[k] - t->y[k - 1]) * part >= even;
    return found;
}

bool trend_is_jump(const struct trend *t)
{
    return t->n >= rank_by.enough_snapshots &&
           rising_steps(t, rank_by.settled_part) < rank_by.fewest_rises;
}

bool trend_rises_often(const struct trend *t)
{
    size_t rises = t->n >= 2 ? rising_steps(t, INFINITY) : 0;
    return rises + 1 == t->n || (2 * rises + 1 >= t->n && trend_rises_surely(t));
}

/* --- chance -------------------------------------------------------------------------- */

/* Stirling's series, which is exact to a double from 10 on; below, x + 1 is one step up.
 * Not lgamma(3): C libraries differ in its last bits, which would show in a report, and it
 * writes to a variable of the whole process. */
static double log_gamma(double x)
{
    const double enough = 10, half_log_two_pi = 0.91893853320467274178;
    double product = 1;
    for (; x < enough; x++)
        product *= x;
    double y = 1 / (x * x);
    double series =
        (1.0 / 12 - y * (1.0 / 360 - y * (1.0 / 1260 -
                                          y * (1.0 / 1680 -
                                               y * (1.0 / 1188 - y * (691.0 / 360360)))))) /
        x;
    return (x - 0.5) * log(x) - x + half_log_two_pi + series - log(product);
}

static double log_choose(double n, double k)
{
    return log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1);
}

struct urn {
    double since, before; /* things in each group */
    double with;          /* "with" in both groups */
};

/* ln P(exactly k of the second group are "with"). */
static double log_exactly(const struct urn *u, double k)
{
    return log_choose(u->since, k) + log_choose(u->before, u->with - k) -
           log_choose(u->since + u->before, u->with);
}

/* P(k + 1) / P(k) */
static double ratio_up(const struct urn *u, double k)
{
    return (u->since - k) * (u->with - k) / ((k + 1) * (u->before - u->with + k + 1));
}

/* Returns the sum of P from k on, over P(k): each term is a part of the one before, which
 * gets smaller; terms below the precision of a double are left out. */
static double tail_up(const struct urn *u, double k)
{
    double most = u->since < u->with ? u->since : u->with, sum = 1, term = 1;
    for (; k < most && term > sum * 1e-18; k++) {
        term *= ratio_up(u, k);
        sum += term;
    }
    return sum;
}

static double tail_down(const struct urn *u, double k)
{
    double least = u->with > u->before ? u->with - u->before : 0, sum = 1, term = 1;
    for (; k > least && term > sum * 1e-18; k--) {
        term /= ratio_up(u, k - 1);
        sum += term;
    }
    return sum;
}

/* Sums a tail from its largest term outwards: the upper tail above the expected number,
 * else 1 less the lower tail. */
double chance_log(uint64_t before_with, uint64_t before_without, uint64_t since_with,
                  uint64_t since_without)
{
    const struct urn u = {(double)since_with + (double)since_without,
                          (double)before_with + (double)before_without,
                          (double)since_with + (double)before_with};
    double k = (double)since_with;
    double least = u.with > u.before ? u.with - u.before : 0;
    if (u.since <= 0 || u.before <= 0 || k <= least)
        return 0;
    double expected = u.since * u.with / (u.since + u.before);
    double log_p = k >= expected
                       ? log_exactly(&u, k) + log(tail_up(&u, k))
                       : log1p(-exp(log_exactly(&u, k - 1)) * tail_down(&u, k - 1));
    return log_p < 0 ? log_p : 0;
}

double chance_binomial_log(uint64_t n, double share, uint64_t k)
{
    double all = (double)n, at = (double)k, odds = share / (1 - share);
    if (k == 0 || at <= all * share)
        return 0;
    if (k > n)
        return -INFINITY;
    double sum = 1, term = 1;
    for (double i = at; i < all && term > sum * 1e-18; i++) {
        term *= (all - i) / (i + 1) * odds;
        sum += term;
    }
    return log_choose(all, at) + at * log(share) + (all - at) * log1p(-share) + log(sum);
}

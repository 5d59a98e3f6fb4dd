#include "series/chance.h"

#include <math.h>

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
    double with;          /* of all of them */
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

/* Sum of P from k on, over P(k): each term is a part of the one before, which gets smaller;
 * what no double would notice is left out. */
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

/* Both tails are summed from their largest term outwards: above what is expected the upper
 * one, else what is left of 1 by the lower one. */
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

#include "fleet/chance.h"

#include <math.h>

/* lgamma(3) writes the sign of gamma to a variable of the whole process: threads would
 * race. Arguments are positive, so nobody wants to know. */
static double log_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
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

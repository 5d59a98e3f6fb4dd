/* trend.h - find whether a series of numbers keeps growing, and how fast.
 *
 * Robust statistics over few points (2 to 50): Kendall's tau for monotony, Theil-Sen slopes
 * for speed, the sustained rate for the speed of the second half. Formulas and their
 * reasons: docs/ranking.md. Must not depend on the meaning of the numbers. */
#ifndef TREND_H
#define TREND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TREND_MAX_POINTS = 50 };

struct trend {
    size_t n;
    const double *x; /* strictly ascending */
    const double *y;
    const double *noise; /* error band of each y; NULL: exact */
};

/* Pairs that rise minus pairs that fall; a difference within the larger of the
 * two noise bands is a tie. -n(n-1)/2 .. n(n-1)/2. */
int trend_rises(const struct trend *t);

/* y[from] + ... + y[to - 1]. */
uint64_t trend_sum(const uint64_t *y, size_t from, size_t to);

/* tau_a = rises / pairs, -1 .. 1. M. G. Kendall, A new measure of rank
 * correlation, Biometrika 30 (1938). */
double trend_tau(const struct trend *t);

/* y[n-1] > y[0] and tau is large enough (0.6), tested in integers. */
bool trend_grows(const struct trend *t);

/* Rises that chance makes in fewer than one of a hundred series without a trend, from five
 * points on. H. B. Mann, Nonparametric tests against trend, Econometrica 13 (1945): the
 * normal approximation of trend_rises(). */
bool trend_rises_surely(const struct trend *t);

/* The reverse. */
bool trend_falls(const struct trend *t);

/* Median slope over all pairs of points first .. first + count - 1; the mean of
 * the middle two for an even number of slopes. P. K. Sen, Estimates of the
 * regression coefficient based on Kendall's tau, JASA 63 (1968). count >= 2. */
double trend_slope(const struct trend *t, size_t first, size_t count);

/* Returns how many of n points are the second half: for counts, and for the bytes of types
 * that grow in size (buffers double, so one flat step is not the end). */
size_t trend_half(size_t n);
size_t trend_half_of_sizes(size_t n);

/* max(0, min(slope of all, slope of the last half)): growth that continues. */
double trend_sustained(const struct trend *t, size_t half);

/* Slope of the last half over that of the first, within 0 .. 1; 1 when there are
 * fewer than 4 points or the first half does not rise. */
double trend_slowing(const struct trend *t, size_t half);

/* True if y rises by nearly the same amount per unit of x in every step of at least four
 * points, and has not slowed down: random numbers do so in about one in 100,000 series of
 * six, and filling slows down (docs/ranking.md). */
bool trend_rises_evenly(const struct trend *t);

/* True if each of n counts is more than the one before. */
bool trend_rises_always(const uint64_t *counts, size_t n);

/* True if four points or more rise in one step only: no other step gains a tenth of an even
 * one. A cache that was filled once and a leak that occurred once look alike. */
bool trend_is_jump(const struct trend *t);

/* True if y rises in every step; or surely, and in half of the steps. */
bool trend_rises_often(const struct trend *t);

/* --- chance -------------------------------------------------------------------------- */

/* How likely it is that chance alone made what was counted. It does not know
 * what was. */

/* Fisher's exact test, one-sided: of before_with + before_without things in one group and
 * since_with + since_without in another some are "with"; the natural logarithm of the
 * probability that a random assignment puts at least since_with such things in the second
 * group. R. A. Fisher, On the interpretation of chi-squared from contingency tables, and
 * the calculation of P, JRSS 85 (1922). 0 (certain) for an empty group.
 *
 * R: fisher.test(matrix(c(since_with, since_without, before_with, before_without), 2),
 * alternative = "greater")$p.value. Good for groups of 10^9; O(sqrt(n)) unless the answer
 * is trivial: terms fall geometrically from the first. */
double chance_log(uint64_t before_with, uint64_t before_without, uint64_t since_with,
                  uint64_t since_without);

/* ln P(Bin(n, share) >= k), for a share between 0 and 1. O(sqrt(n)). */
double chance_binomial_log(uint64_t n, double share, uint64_t k);

#endif

/* chance.h - how likely it is that chance alone made what was counted. It does not know
 * what was. */
#ifndef CHANCE_H
#define CHANCE_H

#include <stdint.h>

/* Fisher's exact test, one-sided: of before_with + before_without things of one group and
 * since_with + since_without of another some are "with"; the natural logarithm of the
 * probability that, were they dealt out at random, at least since_with of these would be in
 * the second group. R. A. Fisher, On the interpretation of chi-squared from contingency
 * tables, and the calculation of P, JRSS 85 (1922). 0 (certain) for an empty group.
 *
 * R: fisher.test(matrix(c(since_with, since_without, before_with, before_without), 2),
 * alternative = "greater")$p.value. Good for groups of 10^9; O(sqrt(n)) where the answer is
 * not trivial: terms fall geometrically from the first. */
double chance_log(uint64_t before_with, uint64_t before_without, uint64_t since_with,
                  uint64_t since_without);

/* ln P(Bin(n, share) >= k), of a share between 0 and 1. O(sqrt(n)). */
double chance_binomial_log(uint64_t n, double share, uint64_t k);

#endif

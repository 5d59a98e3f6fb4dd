/* dealt.h - the births of one path, made object by object, for cohorts.h. */
#ifndef TESTS_DEALT_H
#define TESTS_DEALT_H

#include "ages/cohorts.h"
#include "support/random.h"

#include <math.h>
#include <string.h>

enum { DEALT_MAX = 50, DEALT_FOR_EVER = 1000 };

struct dealt {
    size_t n; /* snapshots, 0 to n - 1 */
    uint64_t count[DEALT_MAX];
    uint32_t row[DEALT_MAX], left[DEALT_MAX];
    uint32_t cell[DEALT_MAX * (DEALT_MAX + 1) / 2];
};

static inline struct dealt dealt_of(size_t n)
{
    struct dealt d = {.n = n};
    for (size_t j = 0, at = 0; j < n; at += n - j++)
        d.row[j] = 1 + (uint32_t)at;
    return d;
}

/* Adds count objects that exist from snapshot `from` until before `until`. */
static inline void dealt_add(struct dealt *d, size_t from, size_t until, uint32_t count)
{
    if (from >= d->n || from >= until)
        return;
    for (size_t k = from; k < d->n && k < until; k++) {
        d->cell[d->row[from] - 1 + (k - from)] += count;
        d->count[k] += count;
    }
    if (from == 0 && until < d->n)
        d->left[until - 1] += count;
}

static inline struct retention dealt_judge(struct dealt *d)
{
    struct ownership_tree t = {.snapshots = d->n, .len = 1, .count = d->count};
    struct cohorts b = {.t = &t,
                        .n = d->n,
                        .source = HD_SAME_BY_EVENTS,
                        .row = d->row,
                        .cell = d->cell,
                        .left = d->left};
    return retention_test(&b, 0);
}

static inline double dealt_share(struct random *r)
{
    return (double)random_below(r, 1u << 30) / (double)(1u << 30);
}

/* Knuth's algorithm, good for small means. */
static inline uint32_t dealt_poisson(struct random *r, double mean)
{
    uint32_t n = 0;
    for (double left = exp(-mean), p = dealt_share(r); p > left; p *= dealt_share(r))
        n++;
    return n;
}

#endif

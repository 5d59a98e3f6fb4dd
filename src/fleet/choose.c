/* Which snapshots of a run stand for all of it. */
#include "heapdrift_fleet.h"

#include <math.h>

/* How far the time of number i is from that one. */
static double distance(const double *taken, size_t i, double time)
{
    return fabs(taken[i] - time);
}

/* The k-th of `most` is the one nearest to its place on an even scale of time, as far as
 * those before it are taken and those behind it still need one each. Even in time, not in
 * number: a store that was thinned has most snapshots at its end. O(n). */
size_t hd_fleet_choose(const double *taken, size_t n, size_t most, size_t *chosen)
{
    if (n <= most) {
        for (size_t i = 0; i < n; i++)
            chosen[i] = i;
        return n;
    }
    double first = taken[0], span = taken[n - 1] - first;
    size_t at = 0;
    chosen[0] = 0;
    for (size_t k = 1; k + 1 < most; k++) {
        double wanted = first + span * (double)k / (double)(most - 1);
        size_t last = n - (most - k); /* one for each that follows */
        at++;
        while (at < last && distance(taken, at + 1, wanted) < distance(taken, at, wanted))
            at++;
        chosen[k] = at;
    }
    chosen[most - 1] = n - 1;
    return most;
}

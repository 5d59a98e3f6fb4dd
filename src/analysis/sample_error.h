/* sample_error.h - what an object of a sampled snapshot stands for, and how far off numbers
 * made of it may be: the one place that knows.
 *
 * Where each object that was seen stands for m, n objects are estimated from n / m that
 * were. Those are a Poisson variable, so the estimate is off by up to two standard
 * deviations: m * 2 * sqrt(n / m) = 2 * sqrt(m * n). A type whose objects stand for
 * themselves was not sampled, and is exact. Errors of things that were sampled apart add up
 * as their squares do; the error of parts is never less than that of their sum. Bytes are
 * off by the same share as the objects that they are of. */
#ifndef SAMPLE_ERROR_H
#define SAMPLE_ERROR_H

#include <math.h>

/* The square of the error of an estimate of so many objects; to be added up. */
static inline double sample_error_squared(double scale, double count)
{
    return scale > 1 ? 4 * scale * count : 0;
}

/* The error as a share of the estimate; 0 of nothing. */
static inline double sample_share(double scale, double count)
{
    return count > 0 ? sqrt(sample_error_squared(scale, count)) / count : 0;
}

#endif

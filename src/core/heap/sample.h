/* sample.h - what one object of a sampled snapshot stands for: the one place that knows.
 *
 * Objects of a type stand for so many objects, and their bytes for so many bytes (struct
 * type). A sum over some of them is scaled and rounded once (sample_tally). Where a whole
 * is told by its parts, each part gets its share and the shares add up to the whole
 * (struct deal): parts scaled and rounded one by one would miss it.
 *
 * Such numbers are estimates. Where each object that was seen stands for m, n objects are
 * estimated from n / m that were. Those are a Poisson variable, so the estimate is off by
 * up to two standard deviations: m * 2 * sqrt(n / m) = 2 * sqrt(m * n). A type whose
 * objects stand for themselves was not sampled, and is exact. Errors of things that were
 * sampled apart add up as their squares do; the error of parts is never less than that of
 * their sum. Bytes are off by the same share as the objects that they are of. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include "heap/snapshot.h"

#include <math.h>

/* --- counts and bytes ------------------------------------------------------ */

/* What a byte of the type stands for. */
static inline double sample_bytes_scale(const struct type *t)
{
    return t->raw.bytes > 0 ? (double)t->tally[SELECT_ALL].bytes / (double)t->raw.bytes : 1;
}

/* What so many objects of the type, and their bytes, stand for. */
static inline struct hd_tally sample_tally(const struct type *t, struct hd_tally seen)
{
    return (struct hd_tally){tally_scaled(seen.count, t->count_scale),
                             tally_scaled(seen.bytes, sample_bytes_scale(t))};
}

/* --- parts of a whole -------------------------------------------------------- */

/* {whole, raw} is a deal that has not begun. */
struct deal {
    uint64_t whole; /* what is dealt out */
    uint64_t raw;   /* over so much of the file */
    uint64_t seen, given;
};

/* The part of the next more of raw; at most one off its own rounded value. When all of raw
 * has come, the parts sum to the whole. */
static inline uint64_t deal_next(struct deal *d, uint64_t more)
{
    d->seen += more;
    uint64_t upto = d->whole;
    if (d->whole == d->raw)
        upto = d->seen;
    else if (d->seen < d->raw)
        upto = tally_rounded((double)d->seen * ((double)d->whole / (double)d->raw));
    /* Doubles are coarse beyond 2^53. */
    upto = upto > d->whole ? d->whole : upto < d->given ? d->given : upto;
    uint64_t part = upto - d->given;
    d->given = upto;
    return part;
}

/* --- errors ------------------------------------------------------------------ */

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

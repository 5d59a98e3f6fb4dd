/* sample.h - what the objects of a sample stand for, dealt out in whole numbers.
 *
 * A type stands for so many objects and bytes; where some of it lies here and some there,
 * each place gets its part, and the parts add up to the whole. Places scaled and rounded
 * one by one would not: a table of them would miss its total. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include "heap/snapshot.h"

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

#endif

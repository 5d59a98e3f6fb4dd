/* scale.h - how much of what a baseline accepts counts in a run that is longer or shorter.
 *
 * Growth is accepted at a rate: so much in so many iterations. Where both runs count
 * iterations these decide; where one of them does, nothing is known of the other. Else a
 * run is as long as its steps, or as its time: a load may come by the clock, or as so much
 * work between two snapshots, and nobody says which. Then what is accepted lies between
 * the two. */
#ifndef SCALE_H
#define SCALE_H

#include "budget/budgets.h"
#include "budget/evidence.h"

/* What is accepted of one number, in objects or bytes: surely `least`, perhaps `most`,
 * which is INFINITY where the runs cannot be compared. */
struct accepted {
    double least, most;
};

/* amount: what the baseline has for that kind of growth. At least two snapshots must be
 * usable; of HD_PER_ITERATION the evidence must know iterations. */
struct accepted scale_accepted(const struct baseline *b, const struct evidence *e,
                               uint64_t amount, enum hd_per per);

/* Whether the run is of other length than the one that was accepted, as far as either
 * tells. */
bool scale_differs(const struct baseline *b, const struct evidence *e);

/* How long the run is that e shows, for a new baseline: snapshots from the first to the
 * last that can be compared, iterations, and seconds, or HD_UNKNOWN. */
void scale_measure(struct baseline *to, const struct evidence *e);

#endif

/* measure.h - what a rule counts, as a number per snapshot, and by how much it grew.
 *
 * Numbers of a type, of the whole heap, or of what hangs below holders; growth from the
 * first snapshot that can be compared to the last, in the worst step, or per iteration. It
 * knows no limit: what is too much is for judge.h. */
#ifndef MEASURE_H
#define MEASURE_H

#include "budget/budgets.h"
#include "budget/evidence.h"

/* One number per snapshot of the series. */
struct values {
    double y[SERIES_MAX_SNAPSHOTS];
    double noise[SERIES_MAX_SNAPSHOTS]; /* y is off by up to so much: samples */
    bool unknown;                       /* some snapshot does not tell it */
};

struct values values_of_row(const struct series *s, const struct series_row *row,
                            enum budget_measure measure);
struct values values_of_total(const struct evidence *e, enum budget_total total);

/* What hangs below all holders that match, with and without those that are excused. */
struct held {
    struct values all, counted;
    const struct suppression *suppression; /* that excuses one of them, or NULL */
    const char *most;                      /* the holder that grew most */
    bool matched;
};

/* e must know holders; suppressions are those of b. */
struct held held_by(const struct evidence *e, const struct hd_budgets *b,
                    const char *pattern, enum budget_measure measure);

/* Growth as a rule means it, over the snapshots that can be compared. */
struct growth {
    double value, noise;
    size_t first, last; /* the snapshots that show it */
};

/* At least two snapshots must be fit; PER_ITERATION needs the evidence's iterations. */
struct growth growth_of(const struct evidence *e, const struct values *v,
                        enum budget_per per);

#endif

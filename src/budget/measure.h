/* measure.h - what a rule counts, as a number per snapshot, and by how much it grew.
 *
 * Numbers of a type, of the whole heap, or of what hangs below holders; growth from the
 * first snapshot that can be compared to the last, in the worst step, or per iteration. It
 * knows no limit: what is too much is for judge.h. */
#ifndef MEASURE_H
#define MEASURE_H

#include "budget/budgets.h"
#include "budget/evidence.h"
#include "budget/suppression_match.h"

/* One number per snapshot of the series. */
struct values {
    double y[SERIES_MAX_SNAPSHOTS];
    double noise[SERIES_MAX_SNAPSHOTS]; /* y is off by up to so much: samples */
    bool unknown;                       /* some snapshot does not tell it */
};

struct values values_of_row(const struct series *s, const struct series_row *row,
                            enum hd_measure measure);
struct values values_of_total(const struct evidence *e, enum hd_total total);

/* What hangs below all holders that match a pattern. */
struct held {
    struct values values;
    const char *most; /* the holder that grew most */
    bool matched;
};

/* e must know holders. */
struct held held_by(const struct evidence *e, const char *pattern, enum hd_measure measure);

/* What is left of such values when what is excused is not counted. */
struct counted {
    struct values values;
    const struct suppression *by; /* that takes most of the growth out; NULL: none does */
    bool untold;                  /* a holder is suppressed, and holders are not known */
};

struct counted counted_of_type(const struct suppression_matches *x,
                               const struct series_row *row, enum hd_measure measure);
struct counted counted_of_holders(const struct suppression_matches *x, const char *pattern,
                                  enum hd_measure measure);

/* The part of a row's score that is not excused. */
struct counted_score {
    double score;
    const struct suppression *by; /* NULL: nothing is */
    bool untold;
};

struct counted_score counted_score(const struct suppression_matches *x,
                                   const struct scored *row);

/* Growth as a rule means it, over the snapshots that can be compared. Of a step over one
 * that was left out it is the mean of the steps that it spans: one of them is no less. */
struct growth {
    double value;
    double low, high;   /* it is between these: samples. Of steps, the worst */
    size_t first, last; /* the snapshots that show it */
};

/* At least two snapshots must be usable; HD_PER_ITERATION needs the evidence's iterations.
 */
struct growth growth_of(const struct evidence *e, const struct values *v, enum hd_per per);

/* --- a new baseline ------------------------------------------------------------------ */

/* What a run shows as a new baseline: the growth that later runs may have.
 *
 * Entries are made here and nowhere else; what they do to a limit is for judge.h, how they
 * are written down for baseline.h. */

/* Every type that grew, totals, scores, and the holders that rules ask for, as far as it
 * counts: what a suppression excuses is not accepted besides, or it would hide a leak
 * elsewhere. Names are the evidence's. At least two snapshots must be usable. False and err
 * if it cannot be told what is excused. */
bool accept_growth(struct baseline *to, const struct hd_budgets *b,
                   const struct evidence *e, struct hd_error *err);

#endif

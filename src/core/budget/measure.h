/* measure.h - what a run shows, for rules to be held against: what a rule counts, as a
 * number per snapshot; what suppressions take out of it; by how much it grew; and how much
 * of that a baseline accepts.
 *
 * Numbers of a type, of the whole heap, or of what hangs below holders; growth from the
 * first snapshot that can be compared to the last, in the worst step, or per iteration. It
 * knows no limit: what is too much is for judge.h. */
#ifndef MEASURE_H
#define MEASURE_H

#include "budget/budgets.h"
#include "series/series.h"

/* --- the run --------------------------------------------------------------------- */

/* Points into what others made, and owns nothing. */
struct evidence {
    const struct hd_diff *diff; /* the ranking, and where the growth went */
    const struct hd_options *opt;
    const struct series *types;
    const struct series *holders; /* the same snapshots by holder; NULL: not known */
    /* What hangs below excused holders, by type: a series for each suppression, by its
     * number; of no use for those of types. NULL: not known. */
    const struct series *suppressed;
    const double *reachable_noise; /* of reachable bytes, per snapshot; NULL: exact */
    const double *score_noise;     /* per row of the ranking, by its number; NULL: exact */
    const size_t *ranked_of;       /* per row of types; NULL: none is ranked */

    /* Without a reason their codes are HD_REASON_NONE. */
    struct hd_reason doubt;       /* why nothing can pass: out of order, filtered */
    struct hd_reason no_evidence; /* why nothing can fail either: only garbage */
    bool hides_all;               /* --type and the like show no type */
    bool (*shows)(const void *context, const char *name); /* NULL: all are shown */
    /* What patterns select; NULL: names_match() */
    bool (*matches)(const void *context, const char *pattern, const char *name);
    const void *context;
};

/* Why a finding is what it is, in short: the sentences are made where findings are printed
 * (report/phrases.h). */
static inline struct hd_reason because(enum hd_reason_code code)
{
    return (struct hd_reason){.code = code};
}

/* Whether a pattern of a budget or a suppression selects a type or a holder. */
bool evidence_matches(const struct evidence *e, const char *pattern, const char *name);

/* Whether rows of that type are shown. */
bool evidence_shows(const struct evidence *e, const char *name);

/* What shares of scores are of, in the last snapshot that can be compared; 0 unknown. */
double evidence_heap(const struct evidence *e);

#define NOT_RANKED SIZE_MAX

/* The rows of the ranking, suspects first: how many, and each by its number. */
static inline size_t ranked_count(const struct hd_diff *d)
{
    return d->suspect_count + d->minor_count;
}
static inline const struct hd_suspect *ranked_row(const struct hd_diff *d, size_t i)
{
    return i < d->suspect_count ? &d->suspects[i] : &d->minor[i - d->suspect_count];
}

/* --- suppressions ---------------------------------------------------------------- */

/* What suppressions take out of a run: types, and what hangs below holders. The first that
 * fits and has not expired excuses. Of a type a suppressed holder takes out only what hangs
 * below it. What is excused is not counted, neither by rules nor by a new baseline. */
struct suppression_matches {
    const struct hd_budgets *b;
    const struct evidence *e;
    bool by_holder;              /* some suppression is about holders */
    struct suppressed_row *rows; /* of e->suppressed, by type */
    size_t row_count;
    bool *used; /* per suppression: set when it takes something out */
};

/* Lives in a; used may be NULL. */
struct suppression_matches suppression_matches_of(const struct hd_budgets *b,
                                                  const struct evidence *e, bool *used,
                                                  struct arena *a);

/* Whether it is about holders, and has not expired. */
bool suppression_matches_holders(const struct hd_budgets *b, const struct suppression *s);

/* The suppression that excuses a type by either name, which may be NULL; or NULL. */
const struct suppression *suppression_of_type(const struct suppression_matches *x,
                                              const char *type, const char *subject);

/* The number of the suppression that excuses what a holder holds, or that of suppressions.
 */
size_t suppression_part(const struct hd_budgets *b, const struct evidence *e,
                        const char *holder);

/* The first of those that would excuse this but have expired; NULL. row: of the ranking,
 * whose holder may be meant; or NULL. */
const struct suppression *suppression_expired(const struct suppression_matches *x,
                                              const char *type, const char *subject,
                                              const struct hd_suspect *row);

void suppression_use(const struct suppression_matches *x, const struct suppression *s);

/* --- values ---------------------------------------------------------------------- */

/* One number per snapshot of the series. */
struct values {
    double y[SERIES_MAX_SNAPSHOTS];
    double noise[SERIES_MAX_SNAPSHOTS]; /* y is off by up to so much: samples */
    bool unknown;                       /* some snapshot does not tell it */
};

struct values values_of_row(const struct series *s, const struct series_row *row,
                            enum hd_measure measure);
struct values values_of_total(const struct evidence *e, enum hd_total total);

/* y is NAN for snapshots without the number. A number that consists of other facts in one
 * snapshot than in another is unknown: its growth would be the difference of two things. */
struct values values_of_process(const struct evidence *e, enum hd_process_number number);

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
                                   const struct hd_suspect *row);

/* Growth as a rule means it, over the snapshots that can be compared. Of a step over one
 * that was left out it is the mean of the steps that it spans: one of them is no less. */
struct growth {
    double value;
    double low, high;   /* it is between these: samples. Of steps, the worst */
    size_t first, last; /* the snapshots that show it */
};

/* At least two snapshots must be usable; HD_PER_ITERATION needs iterations. Of numbers that
 * are NAN the growth is not finite; the worst step is that of the others. */
struct growth growth_of(const struct evidence *e, const struct values *v, enum hd_per per);

/* --- what a baseline accepts ----------------------------------------------------- */

/* How much of what a baseline accepts counts in a run that is longer or shorter.
 *
 * Growth is accepted at a rate: so much in so many iterations. Where both runs count
 * iterations these decide; where one of them does, nothing is known of the other. Else a
 * run is as long as its steps, or as its time: a load may come by the clock, or as so much
 * work between two snapshots, and nobody says which. Then what is accepted lies between
 * the two. Surely `least`, perhaps `most`, in objects or bytes; most is INFINITY where the
 * runs cannot be compared. */
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

/* What a run shows as a new baseline: the growth that later runs may have. Every type that
 * grew, totals, scores, and the holders that rules ask for, as far as it counts: what a
 * suppression excuses is not accepted besides, or it would hide a leak elsewhere. Names are
 * the evidence's. At least two snapshots must be usable. False and err if it cannot be told
 * what is excused. */
bool accept_growth(struct baseline *to, const struct hd_budgets *b,
                   const struct evidence *e, struct hd_error *err);

#endif

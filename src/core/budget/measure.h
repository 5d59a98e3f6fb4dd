/* measure.h - measure the growth of a run for rules: the number per snapshot that a rule
 * counts, the part that suppressions exclude, its growth, and the part of the growth that a
 * baseline accepts.
 *
 * Numbers of a type, of the whole heap, or of everything below holders; growth from the
 * first comparable snapshot to the last, in the worst step, or per iteration. Must not
 * depend on limits: judge.h compares with them. */
#ifndef MEASURE_H
#define MEASURE_H

#include "budget/budgets.h"
#include "series/series.h"

/* --- the run --------------------------------------------------------------------- */

/* Borrows everything. */
struct evidence {
    const struct hd_diff *diff; /* the ranking, and the breakdown of growth */
    const struct hd_options *opt;
    const struct series *types;
    const struct series *holders; /* the same snapshots by holder; NULL: not known */
    /* Objects below suppressed holders, by type: a series for each suppression, by its
     * number; unused for suppressions of types. NULL: not known. */
    const struct series *suppressed;
    const double *reachable_noise; /* of reachable bytes, per snapshot; NULL: exact */
    const double *score_noise;     /* per row of the ranking, by its number; NULL: exact */
    const size_t *ranked_of;       /* per row of types; NULL: the ranking is empty */

    /* Without a reason their codes are HD_REASON_NONE. */
    struct hd_reason doubt;       /* why rules cannot pass: out of order, filtered */
    struct hd_reason no_evidence; /* why rules cannot fail either: only garbage */
    bool hides_all;               /* options such as --type show no type */
    bool (*shows)(const void *context, const char *name); /* NULL: all are shown */
    /* pattern matching; NULL: names_match() */
    bool (*matches)(const void *context, const char *pattern, const char *name);
    const void *context;
};

/* Returns the reason of a finding as a code: the sentences are written where findings are
 * printed (report/phrases.h). */
static inline struct hd_reason because(enum hd_reason_code code)
{
    return (struct hd_reason){.code = code};
}

/* True if a pattern of a budget or a suppression selects a type or a holder. */
bool evidence_matches(const struct evidence *e, const char *pattern, const char *name);

/* True if rows of the type are shown. */
bool evidence_shows(const struct evidence *e, const char *name);

/* Returns the heap size that shares of scores refer to, in the last comparable snapshot; 0
 * unknown. */
double evidence_heap(const struct evidence *e);

#define NOT_RANKED SIZE_MAX

/* Returns the number of rows of the ranking, suspects first; and each by its number. */
static inline size_t ranked_count(const struct hd_diff *d)
{
    return d->suspect_count + d->below_threshold_count;
}
static inline const struct hd_suspect *ranked_row(const struct hd_diff *d, size_t i)
{
    return i < d->suspect_count ? &d->suspects[i]
                                : &d->below_threshold[i - d->suspect_count];
}

/* --- suppressions ---------------------------------------------------------------- */

/* The part of a run that suppressions exclude: types, and objects below holders. The first
 * match that has not expired applies. For a type, a suppressed holder excludes only the
 * objects below it. Rules and a new baseline ignore excluded growth. */
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

/* True if it is about holders, and has not expired. */
bool suppression_matches_holders(const struct hd_budgets *b, const struct suppression *s);

/* Returns the suppression of a type by either name, which may be NULL; or NULL. */
const struct suppression *suppression_of_type(const struct suppression_matches *x,
                                              const char *type, const char *title);

/* Returns the number of the suppression that excludes a holder's objects, or the number of
 * suppressions. */
size_t suppression_part(const struct hd_budgets *b, const struct evidence *e,
                        const char *holder);

/* Returns the first expired suppression that would match; or NULL. row: of the ranking,
 * whose holder may match; or NULL. */
const struct suppression *suppression_expired(const struct suppression_matches *x,
                                              const char *type, const char *title,
                                              const struct hd_suspect *row);

void suppression_use(const struct suppression_matches *x, const struct suppression *s);

/* --- values ---------------------------------------------------------------------- */

/* One number per snapshot of the series. */
struct values {
    double y[SERIES_MAX_SNAPSHOTS];
    double noise[SERIES_MAX_SNAPSHOTS]; /* error bound of y: samples */
    bool unknown;                       /* it is missing in some snapshot */
};

struct values values_of_row(const struct series *s, const struct series_row *row,
                            enum hd_measure measure);
struct values values_of_total(const struct evidence *e, enum hd_total total);

/* Returns a number of the process; y is NAN for snapshots without it. A number that
 * consists of other facts in one snapshot than in another is unknown: its growth would be
 * the difference of two things. */
struct values values_of_process(const struct evidence *e, enum hd_process_number number);

/* Objects below all holders that match a pattern. */
struct held {
    struct values values;
    const char *most; /* the holder that grew most */
    bool matched;
};

/* Requires e->holders. */
struct held held_by(const struct evidence *e, const char *pattern, enum hd_measure measure);

/* Values without the suppressed part. */
struct counted {
    struct values values;
    const struct suppression
        *by;         /* the one that excludes most of the growth; NULL: not suppressed */
    bool is_unknown; /* a holder is suppressed, and holders are not known */
};

struct counted counted_of_type(const struct suppression_matches *x,
                               const struct series_row *row, enum hd_measure measure);
struct counted counted_of_holders(const struct suppression_matches *x, const char *pattern,
                                  enum hd_measure measure);

/* The part of a row's score that is not excused. */
struct counted_score {
    double score;
    const struct suppression *by; /* NULL: not suppressed */
    bool is_unknown;
};

struct counted_score counted_score(const struct suppression_matches *x,
                                   const struct hd_suspect *row);

/* Growth as a rule defines it, over the comparable snapshots. A step over a snapshot that
 * was left out is the mean of the steps that it spans: at least one has grown by the mean
 * or more. */
struct growth {
    double value;
    double low, high;   /* bounds of value for samples; for steps, of the worst */
    size_t first, last; /* the snapshots that show it */
};

/* At least two snapshots must be usable; HD_PER_ITERATION needs iterations. If values are
 * NAN the growth is not finite; the worst step is that of the others. */
struct growth growth_of(const struct evidence *e, const struct values *v, enum hd_per per);

/* --- what a baseline accepts ----------------------------------------------------- */

/* Scale the growth that a baseline accepts to a run that is longer or shorter.
 *
 * Growth is accepted at a rate. If both runs count iterations, growth per iteration; if
 * only one does, they are not comparable. Else by the number of steps, or by time: the load
 * may be per second or per step, and which is not known. Then the accepted growth is
 * between the two: surely `least`, perhaps `most`, in objects or bytes; most is INFINITY if
 * the runs are not comparable. */
struct accepted {
    double least, most;
};

/* Scales amount, the baseline's value for that kind of growth. At least two snapshots must
 * be usable; HD_PER_ITERATION needs iterations. */
struct accepted scale_accepted(const struct baseline *b, const struct evidence *e,
                               uint64_t amount, enum hd_per per);

/* True if the run has another length than the accepted one, as far as both are known. */
bool scale_differs(const struct baseline *b, const struct evidence *e);

/* Builds a new baseline from a run: the growth that later runs may have. Every type that
 * grew, totals, scores, and the holders that rules name, without the suppressed part:
 * accepted in addition, it would hide a leak elsewhere. Names are the evidence's. At least
 * two snapshots must be usable. False and err if the suppressed part is not known. */
bool accept_growth(struct baseline *to, const struct hd_budgets *b,
                   const struct evidence *e, struct hd_error *err);

#endif

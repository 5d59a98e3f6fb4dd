/* judge.h - apply rules to a series: the observed growth, and whether it is over the limit.
 *
 * Every rule has at least one finding. A rule for many types has one for each type that
 * fails or is suppressed, or else one for the type nearest to its limit. A rule passes only
 * if the snapshots show that; suppressed or accepted growth does not change this: an
 * undecided finding is added to it. Must not depend on the syntax of rules or on output. */
#ifndef JUDGE_H
#define JUDGE_H

#include "budget/measure.h"

/* Relation of the observed growth to a limit; samples may leave it open. */
enum over { OVER_NOT, OVER_MAYBE, OVER_SURELY };

struct finding {
    const struct rule *rule;
    enum hd_finding_status status;
    struct hd_limit limit; /* that is applied: the rule's, or --min-score */
    const char *title;     /* the type; NULL for totals, holders, and unmatched patterns */
    const struct hd_tally *at; /* of a type that is the title, per snapshot; or NULL */
    bool is_lenient;           /* a pass that --strict does not take */
    bool is_by_steadiness;     /* the limit is --min-steady */
    bool known;                /* whether the numbers below are */
    enum over over;
    double observed;       /* growth in objects or bytes, or the score */
    double allowed;        /* in the same unit: limit, of base */
    double base;           /* the value in the first snapshot; of scores: the heap */
    double accepted;       /* what the baseline took off observed */
    bool depends_on_scale; /* whether it is over depends on how the baseline is scaled */
    size_t first, last;    /* the snapshots that show it */
    const char *holder;    /* of totals by holder: what grew most */
    size_t ranked;         /* number of the row of the ranking; NOT_RANKED */
    struct hd_reason reason;
    const struct suppression *suppression; /* if suppressed, or expired */
};

struct findings {
    struct finding *all; /* in a */
    size_t len;
    bool *rule_matched; /* per rule of the budgets: false if its pattern matches no type */
    const char *
        *meant; /* per rule: the pattern probably meant if it has no match; or NULL */
    bool *suppression_used; /* per suppression */
    bool *expired;          /* per suppression */
};

/* Applies every rule of b to the evidence; false and err if a rule needs data that the run
 * lacks (growth per iteration without iterations). Results and their strings live in a; b
 * and evidence must outlive them. */
bool judge_rules(struct findings *out, const struct hd_budgets *b, const struct evidence *e,
                 struct arena *a, struct hd_error *err);

#endif

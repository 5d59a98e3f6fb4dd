/* judge.h - rules held against a series: what was observed, and whether that is too much.
 *
 * Every rule gives at least one finding. Of a rule for many types those that fail or are
 * excused give one each; if there are none, the one that comes nearest stands for the rule.
 * A pass is said only where the snapshots show one; growth that is suppressed or accepted
 * changes nothing about that: a finding that is left open stands beside it. It does not
 * know how rules are written down or printed. */
#ifndef JUDGE_H
#define JUDGE_H

#include "budget/measure.h"

/* What the numbers say of a limit; of a sample they may leave it open. */
enum over { OVER_NOT, OVER_MAYBE, OVER_SURELY };

struct finding {
    const struct rule *rule;
    enum hd_finding_status status;
    struct hd_limit limit; /* that is applied: the rule's, or --min-score */
    const char *subject;   /* the type; NULL for totals, holders, and where none matches */
    const struct hd_tally *at; /* of a type that is the subject, per snapshot; or NULL */
    bool is_lenient;           /* a pass that --strict does not take */
    bool is_by_steadiness;     /* the limit is --min-steady */
    bool known;                /* whether the numbers below are */
    enum over over;
    double observed;       /* growth in objects or bytes, or the score */
    double allowed;        /* in the same unit: limit, of base */
    double base;           /* the value in the first snapshot; of scores: the heap */
    double accepted;       /* what the baseline took off observed */
    bool depends_on_scale; /* of what the baseline accepts: whether it is over */
    size_t first, last;    /* the snapshots that show it */
    const char *holder;    /* of totals by holder: what grew most */
    size_t ranked;         /* number of the row of the ranking; NOT_RANKED */
    struct hd_reason reason;
    const struct suppression *suppression; /* if suppressed, or expired */
};

struct findings {
    struct finding *all; /* in a */
    size_t len;
    bool *rule_matched;     /* per rule of the budgets: false if it matches nothing */
    const char **meant;     /* per rule: of one that matches nothing, what might; NULL */
    bool *suppression_used; /* per suppression */
    bool *expired;          /* per suppression */
};

/* Hold every rule of b against the evidence; false and err when a rule asks for what the
 * run does not tell (growth per iteration without iterations). Results and their strings
 * live in a; b and evidence must outlive them. */
bool judge_rules(struct findings *out, const struct hd_budgets *b, const struct evidence *e,
                 struct arena *a, struct hd_error *err);

#endif

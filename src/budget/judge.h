/* judge.h - rules held against a series: what was observed, and whether that is too much.
 *
 * Every rule gives at least one finding. Of a rule for many types those that fail or are
 * excused give one each; if there are none, the one that comes nearest stands for the rule.
 * A pass is said only where the snapshots can show one: with the first or last of them
 * unusable it is "inconclusive". It does not know how rules are written down or printed. */
#ifndef JUDGE_H
#define JUDGE_H

#include "analysis/series.h"
#include "budget/budgets.h"

enum rule_status {
    RULE_PASS,
    RULE_FAIL,
    RULE_SUPPRESSED,
    RULE_INCONCLUSIVE,
    RULE_STATUS_COUNT
};

extern const char *const rule_status_names[RULE_STATUS_COUNT]; /* "pass", ... */

/* A row of the ranking, suspects first. */
struct scored {
    const char *type, *subject;
    const char *holder; /* "[static var App.s_all] → Order[]"; NULL unknown */
    double score, share;
};

struct evidence {
    const struct series *types;
    const struct series *holders; /* the same snapshots by holder; NULL: not known */
    const struct tally *reachable;
    const struct scored *scored; /* by score, descending */
    size_t scored_count;
    bool bytes_known;           /* scores are bytes; else objects */
    double min_share;           /* of --min-score, for rules without a score of their own */
    uint64_t min_bytes;         /* instead, if not 0 */
    const char *doubt;          /* why nothing can pass, or NULL: snapshots out of order */
    const uint64_t *iterations; /* per snapshot, or NULL */
    bool (*shows)(const void *filter, const char *name); /* --type and the like */
    const void *filter;
};

enum { NO_SCORED = -1 };

struct finding {
    const struct rule *rule;
    enum rule_status status;
    const char *subject;    /* the type; NULL for totals, holders, and where none matches */
    const struct tally *at; /* of a type that is the subject, per snapshot; or NULL */
    bool known;             /* whether the numbers below are */
    double observed;        /* growth in objects or bytes, or the score */
    double limit;           /* in the same unit */
    double base;            /* the value in the first snapshot; of scores: the heap */
    double accepted;        /* what the baseline took off observed */
    double noise;           /* observed is off by up to so much: samples */
    size_t first, last;     /* the snapshots that show it */
    const char *holder;     /* of totals by holder: what grew most. Of scores */
    int64_t scored;         /* index of the row of the ranking; NO_SCORED */
    const char *reason;
    const struct suppression *suppression; /* if suppressed, or expired */
};

struct findings {
    struct finding *all; /* in a */
    size_t len;
    bool *rule_matched;     /* per rule of the budgets: false if it matches no type */
    bool *suppression_used; /* per suppression */
    bool *expired;          /* per suppression */
};

/* Hold every rule of b against the evidence; false and err when a rule asks for what the
 * run does not tell (growth per iteration without iterations). Results and their strings
 * live in a; b and evidence must outlive them. */
bool judge_rules(struct findings *out, const struct hd_budgets *b, const struct evidence *e,
                 struct arena *a, struct hd_error *err);

/* What this run would have to accept, for a new baseline: every type that grew, totals,
 * scores, and the holders that rules ask for. Names are the evidence's. At least two
 * snapshots must be fit. */
void judge_accept(struct baseline *to, const struct hd_budgets *b,
                  const struct evidence *e);

#endif

/* check_run.h - what judge.c and judge_suspects.c share: one finding in the making.
 *
 * The sentence that all of it follows: a rule passes only if the snapshots show that it is
 * not over its limit (docs/check.md). */
#ifndef CHECK_RUN_H
#define CHECK_RUN_H

#include "budget/judge.h"
#include "budget/measure.h"

struct check_run {
    const struct hd_budgets *b;
    const struct evidence *e;
    const struct series *s;
    struct arena *a;
    struct findings *out;
    size_t cap;
    struct scored_index by_type;
    struct suppression_matches suppression_matches;
};

/* 29 % of 100 is 29, whatever binary fractions make of it. */
bool check_run_is_over(double value, double limit);

/* What becomes of the finding where a baseline accepts between most and least: over it is
 * what is so either way. f has the numbers of the one that decides. */
void check_run_weigh(struct finding *f, const struct finding *with_least,
                     const struct finding *with_most);

/* About the snapshots that can be compared, of which there must be two. */
struct finding check_run_finding(const struct check_run *c, const struct rule *rule);

/* About all snapshots, whether they can be compared or not: inconclusive. */
void check_run_add_open(struct check_run *c, const struct rule *rule,
                        struct hd_reason reason);

void check_run_leave_open(struct finding *f, struct hd_reason reason);

/* The status that f->over means; a pass only if the snapshots can show one. */
void check_run_decide(const struct check_run *c, struct finding *f);

/* Why a pass of such a rule cannot be said; or no reason. */
struct hd_reason check_run_doubt(const struct check_run *c, enum hd_per per);

/* counted is f without what is excused by a suppression, if any. f becomes counted where
 * that may be over the limit as much, and suppressed where only f is over it. True in that
 * case if what is counted is not shown to be kept: then counted is a finding beside f. */
bool check_run_suppress(struct finding *f, const struct finding *counted,
                        const struct suppression *by);

/* Of a failure: tell the suppression that has expired, if one would have excused it. */
void check_run_note_expired(const struct check_run *c, struct finding *f, const char *type,
                            const char *subject, const char *holder);

void check_run_add(struct check_run *c, struct finding f);

/* About the ranking (judge_suspects.c). */
void check_run_judge_suspects(struct check_run *c, const struct rule *rule);

#endif

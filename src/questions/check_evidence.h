/* check_evidence.h - what a diff shows, as rules want to see it (budget/evidence.h).
 *
 * Heaps by holder are looked at only where a rule or a suppression asks for them. It knows
 * no limit. */
#ifndef CHECK_EVIDENCE_H
#define CHECK_EVIDENCE_H

#include "report/report.h"

struct evidence_question {
    struct hd_report *r; /* a finished diff */
    struct hd_comparison *c;
    const struct hd_options *opt;
    const struct hd_budgets *budgets; /* which decide what is looked at */
    const struct series *types;       /* of the diff */
};

struct check_evidence {
    struct evidence evidence;
    struct evidence_question ask;
    struct series holders, *suppressed;
    struct hd_snapshot **parts; /* below excused holders: suppressions times snapshots */
    size_t part_count;
    double reachable_noise[HD_MAX_SNAPSHOTS];
};

/* Everything lives in the report's arena or until check_evidence_end(), which is to be
 * called in any case. False and err if a graph cannot be read again. */
bool check_evidence_begin(struct check_evidence *c, const struct evidence_question *ask,
                          struct hd_error *err);
void check_evidence_end(struct check_evidence *c);

#endif

/* suppression_match.h - what suppressions take out of a run: types, and what hangs below
 * holders.
 *
 * The first suppression that fits and has not expired excuses. Of a type a suppressed
 * holder takes out only what hangs below it. What is excused is not counted, neither by
 * rules (judge.h) nor by a new baseline (measure.h). It knows no limit. */
#ifndef SUPPRESSION_MATCH_H
#define SUPPRESSION_MATCH_H

#include "budget/budgets.h"
#include "budget/evidence.h"

struct suppression_matches {
    const struct hd_budgets *b;
    const struct evidence *e;
    bool by_holder;              /* some suppression is about holders */
    struct suppressed_row *rows; /* of e->excused, by type */
    size_t row_count;
    bool *used; /* per suppression: set when it takes something out */
};

/* Lives in a; used may be NULL. */
struct suppression_matches suppression_matches_of(const struct hd_budgets *b,
                                                  const struct evidence *e, bool *used,
                                                  struct arena *a);

/* The suppression that excuses a type by either name, which may be NULL; or NULL. */
const struct suppression *suppression_of_type(const struct suppression_matches *x,
                                              const char *type, const char *subject);

/* The suppression that excuses what a holder holds, or NULL; and its number, or that of
 * suppressions. */
const struct suppression *suppression_of_holder(const struct suppression_matches *x,
                                                const char *holder);
size_t suppression_part(const struct hd_budgets *b, const struct evidence *e,
                        const char *holder);

/* The first of those that would excuse this but have expired; NULL. */
const struct suppression *suppression_expired(const struct suppression_matches *x,
                                              const char *type, const char *subject,
                                              const char *holder);

/* What of a type hangs below excused holders, suppression by suppression, from *at on, 0 at
 * first; NULL at the end. number is that of the suppression. */
const struct series_row *suppressed_row_next(const struct suppression_matches *x,
                                             const char *type, size_t *at, size_t *number);

void suppression_use(const struct suppression_matches *x, const struct suppression *s);

#endif

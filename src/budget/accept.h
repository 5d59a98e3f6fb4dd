/* accept.h - what a run shows as a new baseline: the growth that later runs may have.
 *
 * Entries are made here and nowhere else; what they do to a limit is for judge.h, how they
 * are written down for baseline.h. */
#ifndef ACCEPT_H
#define ACCEPT_H

#include "budget/budgets.h"
#include "budget/evidence.h"

/* Every type that grew, totals, scores, and the holders that rules ask for, as far as it
 * counts: what a suppression excuses is not accepted besides, or it would hide a leak
 * elsewhere. Names are the evidence's. At least two snapshots must be usable. False and err
 * if it cannot be told what is excused. */
bool accept_growth(struct baseline *to, const struct hd_budgets *b,
                   const struct evidence *e, struct hd_error *err);

#endif

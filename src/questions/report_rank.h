/* report_rank.h - the suspects of a diff, by graphs if all snapshots have them, else by
 * type tables, with what holds them. */
#ifndef REPORT_RANK_H
#define REPORT_RANK_H

#include "compare/comparison.h"
#include "report/report.h"

/* Fill in suspects, minor, pooled and their chains; and survivors of r->diff.types.rows. s
 * is the aligned series of c's snapshots. False and err if a graph cannot be read again. */
bool report_rank(struct hd_report *r, struct hd_comparison *c, const struct series *s,
                 const struct hd_options *opt, struct hd_error *err);

#endif

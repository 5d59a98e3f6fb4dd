/* report_tree.h - the ownership tree of a report. */
#ifndef REPORT_TREE_H
#define REPORT_TREE_H

#include "questions/report_suspects.h"

/* Fill in r->found.tree: of r->focus, or of the whole heap. s are the snapshots of owned by
 * type. rows marks the suspects that are shown; NULL: there is no ranking. False and err if
 * it takes more memory than c may use. */
bool report_add_tree(struct hd_report *r, struct hd_comparison *c,
                     const struct ownership *owned, const struct series *s,
                     const struct suspect_rows *rows, const struct hd_options *opt,
                     struct hd_error *err);

/* The same of the only snapshot, or of the only usable one, which has references and
 * roots. False and err if its graph cannot be read again. */
bool report_add_tree_of_one(struct hd_report *r, struct hd_comparison *c,
                            const struct hd_options *opt, struct hd_error *err);

#endif

/* report_hints.h - give suspects their hints (ranking/hints.h). */
#ifndef REPORT_HINTS_H
#define REPORT_HINTS_H

#include "owners/ownership_tree.h"
#include "report/report.h"

/* Once suspects, holders and chains are known. t is the ownership tree and heads the path
 * in it of each of r->diff.suspects, or NULL if tables were ranked: then what lies below is
 * unknown.
 */
void report_add_hints(struct hd_report *r, const struct ownership_tree *t,
                      const path_id *heads);

#endif

/* report_hints.h - give suspects their hints (analysis/hints.h). */
#ifndef REPORT_HINTS_H
#define REPORT_HINTS_H

#include "analysis/trie.h"
#include "report/report.h"

/* Once suspects, holders and chains are known. t is the trie and heads the path in it of
 * each of r->diff.suspects, or NULL if tables were ranked: then what lies below is unknown.
 */
void report_add_hints(struct hd_report *r, const struct trie *t, const path_id *heads);

#endif

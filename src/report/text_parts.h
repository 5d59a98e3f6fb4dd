/* text_parts.h - phrases that several writers share: chains, rules, tallies. */
#ifndef TEXT_PARTS_H
#define TEXT_PARTS_H

#include "ranking/hints.h"
#include "report/brief.h"
#include "report/format_units.h"
#include "report/report.h"

/* The frames of a chain as one line with arrows, from the first that says something:
 * "[static vars]" in front of a static variable does not. Where the chain is brief,
 * "… 9 more" stands for what is left out. */
void text_chain(struct text *t, const struct hd_chain_row *c, bool short_names);

/* "56 % (39–72 %)"; the interval is left out where all instances were looked at. */
void text_share(struct text *t, const struct hd_chain_row *c);

/* The rules of a check in numbers: "fail: 1 of 3 rules is over budget". */
void text_verdict(struct text *t, const struct hd_report *r);

/* What a rule is about: "type MyApp.*: MyApp.Order". */
void text_rule_name(struct text *t, const struct hd_finding *rule);

/* A finding: "+120 instances from 1.gcdump to 4.gcdump; limit: +0 instances
 * (heapdrift.yml:7)", and the reason. */
void text_rule(struct text *t, const struct hd_model *m, const struct hd_finding *rule);

/* What holds it, as one line: its first chain, or its holder; nothing if unknown. */
void text_rule_holder(struct text *t, const struct hd_finding *rule);

/* A file of budgets as it is named from the root of the repository: it was found in this
 * folder or one above it. */
const char *text_repository_path(const char *path);

/* The file that a warning is about, as heading_file() names it; NULL: none. */
const char *text_warned_file(const struct hd_snapshot_facts *all, size_t count,
                             const struct hd_warning *w);

#endif

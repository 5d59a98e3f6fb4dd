/* text_parts.h - pieces that several text reports share: headings, chains, tallies. */
#ifndef TEXT_PARTS_H
#define TEXT_PARTS_H

#include "analysis/hints.h"
#include "report/brief.h"
#include "report/human.h"
#include "report/table.h"
#include "report/writer.h"

/* "SUSPECTS  by growth": bold on a terminal; note may be NULL. */
void text_heading(struct out *o, const struct hd_write_options *opt, const char *title,
                  const char *note);

/* The frames of a chain as one line with arrows, from the first that says something:
 * "[static vars]" in front of a static variable does not. Where the chain is brief,
 * "… 9 more" stands for what is left out. */
void text_chain(struct text *t, const struct report_chain *c, bool short_names);

/* One frame of it: "[static …]", "singleton PriceFeed". */
void text_chain_frame(struct text *t, const struct report_chain *c,
                      const struct report_brief *brief, size_t i, bool short_names);

/* Pass over the frames from *i on that are not shown; how many there are, with those that
 * were cut. */
size_t text_chain_gap(const struct report_chain *c, const struct report_brief *brief,
                      size_t *i);

/* "56 % (39–72 %)"; the interval is left out where all instances were looked at. */
void text_share(struct text *t, const struct report_chain *c);

/* A chain broken at its arrows so that it fits: it begins at the given column, further
 * lines at indent. Frames that are still wider are shortened. */
void text_wrap_arrows(struct text *t, const char *line, size_t len, size_t column,
                      size_t indent, unsigned width);

/* Words broken at blanks so that they fit: they begin at the given column, further lines at
 * indent. A word that is still wider stays whole: it may be an address to be copied. */
void text_wrap_words(struct text *t, const char *words, size_t column, size_t indent,
                     unsigned width);

/* "docs/hints.md#timer-not-disposed" */
void text_hint_place(struct text *t, const struct hint *hint);

/* What --gen2 and --reachable left out; nothing without them. */
void text_selection(struct text *t, const struct hd_report *r);

/* Last parts of paths: "before.gcdump". */
const char *text_file_name(const char *path);

/* "1 suspect is not shown: ..."; nothing if all are. */
void text_hidden_suspects(struct text *t, const struct hd_report *r);

/* The rules of a check in numbers: "fail: 1 of 3 rules is over budget". */
void text_verdict(struct text *t, const struct hd_report *r);

/* What a rule is about: "type MyApp.*: MyApp.Order". */
void text_rule_name(struct text *t, const struct report_rule *rule);

/* A finding: "+120 instances from 1.gcdump to 4.gcdump; limit: +0 instances
 * (heapdrift.yml:7)", and the reason. */
void text_rule(struct text *t, const struct hd_report *r, const struct report_rule *rule);

/* What holds it, as one line: its first chain, or its holder; nothing if unknown. */
void text_rule_holder(struct text *t, const struct report_rule *rule);

/* A file of budgets as it is named from the root of the repository: it was found in this
 * folder or one above it. */
const char *text_repository_path(const char *path);

#endif

/* asked_types.h - the types that --type asks for, where a question is about nothing else.
 */
#ifndef ASKED_TYPES_H
#define ASKED_TYPES_H

#include "report/report.h"

/* The patterns of opt, a blank between them; in the report's arena. */
const char *asked_pattern(struct hd_report *r, const struct hd_options *opt);

/* That no type of a snapshot matches the pattern, and which may be meant: false and err. */
bool asked_types_fail(const struct hd_report *r, const char *pattern,
                      const struct hd_snapshot *snap, struct hd_error *err);

#endif

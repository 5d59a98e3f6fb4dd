/* text_diff.h - a diff as text for people, whole and in parts. */
#ifndef TEXT_DIFF_H
#define TEXT_DIFF_H

#include "report/writer.h"

/* The parts of it that a check has too: what was compared, the ranking, what to run next.
 */
void text_diff_head(const struct hd_report *r, const struct hd_write_options *opt,
                    struct out *o);
void text_diff_suspects(const struct hd_report *r, const struct hd_write_options *opt,
                        struct out *o);
void text_diff_next(const struct hd_report *r, const struct hd_write_options *opt,
                    struct out *o);

void text_write_diff(const struct hd_report *r, const struct hd_write_options *opt,
                     struct out *o);

#endif

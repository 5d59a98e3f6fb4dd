/* text_diff.h - a diff as text for people. */
#ifndef TEXT_DIFF_H
#define TEXT_DIFF_H

#include "report/writer.h"

void text_write_diff(const struct hd_report *r, const struct hd_write_options *opt,
                     struct out *o);

#endif

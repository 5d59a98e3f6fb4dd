/* text_check.h - a check as text for people. */
#ifndef TEXT_CHECK_H
#define TEXT_CHECK_H

#include "report/writer.h"

void text_write_check(const struct hd_report *r, const struct hd_write_options *opt,
                      struct out *o);

#endif

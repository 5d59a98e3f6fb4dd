/* text_growth.h - how people read what a suspect gained, where the growth of the heap went,
 * and what has stopped growing; the same words in all writers. */
#ifndef TEXT_GROWTH_H
#define TEXT_GROWTH_H

#include "report/human.h"
#include "report/writer.h"

/* "+1.84 MiB": what it and all that goes along retain more; of tables the shallow bytes, or
 * objects where bytes are unknown. */
void text_gain(struct text *t, const struct hd_report *r, const struct report_suspect *s);

/* That as a share of the heap in the last snapshot. */
double text_gain_share(const struct hd_report *r, const struct report_suspect *s);

/* "steady: +30 every step", "steady: +28–33 every step". */
void text_steady(struct text *t, const struct report_suspect *s);

/* "suspects +3.31 MiB, pools and threads -133 KiB, rest +58.6 KiB" */
void text_growth_parts(struct text *t, const struct report_growth *g);

/* "the heap grew by 38 %, and nothing explains it; ..." */
void text_unexplained(struct text *t, const struct hd_report *r);

/* "what grew by 20 % of the heap has stayed there: was the load still on?" */
void text_has_stopped(struct text *t, const struct hd_report *r);

/* How many rows of what grew and stayed are shown: a few beside suspects, unless a number
 * was given. */
size_t text_stopped_rows(const struct hd_report *r);

#endif

/* text_growth.h - how people read what a suspect gained, where the growth of the heap went,
 * and what has stopped growing; the same words in all writers. */
#ifndef TEXT_GROWTH_H
#define TEXT_GROWTH_H

#include "report/format_units.h"
#include "report/report.h"

/* "+1.84 MiB": what it and all that goes along retain more; of tables the shallow bytes, or
 * objects where bytes are unknown. */
void text_gain(struct text *t, const struct hd_report *r, const struct hd_suspect *s);

/* That as a share of the heap in the last snapshot. */
double text_gain_share(const struct hd_report *r, const struct hd_suspect *s);

/* What gains less than this share of the heap is not worth a line of its own. */
#define TEXT_NOISE_SHARE 0.005

/* From where on a row of the ranking is a suspect: "2 % of the heap", "1.00 MiB". */
void text_line(struct text *t, const struct hd_report *r);

/* "steady: +30 every step", "steady: +28–33 every step". */
void text_steady(struct text *t, const struct hd_suspect *s);

/* Of those that were first seen in the compared snapshots before `end`, from `begin` on:
 * how many were there in snapshot k, and how many of them the last one has. */
struct text_cohorts {
    uint64_t came, stayed;
};
struct text_cohorts text_cohorts(const struct hd_births *b, size_t begin, size_t end,
                                 size_t k);

/* Whether it is known who stayed: by order alone one may trust what stayed, and not what is
 * said to have gone. b may be NULL. */
bool text_knows_births(const struct hd_report *r, const struct hd_births *b);

/* And whether it is told: order loses some of what stayed, and where that may be many its
 * numbers would mislead. */
bool text_tells_births(const struct hd_report *r, const struct hd_births *b);

/* "of 23, 20 and 15 that came in each step all are still there; of 81 older ones all", of
 * many steps their sum, of a late one those that it began in; "at least" where that is
 * not exact. */
void text_births(struct text *t, const struct hd_births *b, bool exact);

/* "since snapshot 13 (14:05 UTC)". False, and nothing, of what began before the first. */
bool text_since(struct text *t, const struct hd_report *r, const struct hd_births *b);

/* "new in snapshots 2 to 4", "from before snapshot 1": of objects that were first seen in
 * one of the snapshots, from 1 on. */
void text_born(struct text *t, size_t first, size_t last);

/* "as many go as come: 120 came, 100 went", "the oldest go first: 120 came, 30 went".
 * False, and nothing, of suspects, and where too few come. */
bool text_turnover(struct text *t, const struct hd_suspect *s);

#endif

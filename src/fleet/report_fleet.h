/* report_fleet.h - the parts of a fleet report in addition to the answer, and its texts for
 * all formats. Names are not escaped. */
#ifndef REPORT_FLEET_H
#define REPORT_FLEET_H

#include "fleet/fleet.h"
#include "report/phrases.h"

/* "+1.24 MiB/h", "-" */
void phrase_per_hour(struct text *t, double bytes);
void phrase_per_day(struct text *t, double bytes);

/* "3 d 4 h", "never", "now", "-" */
void phrase_hours_left(struct text *t, double hours);

/* "2026-11-22 14:05" of seconds since 1970, UTC; "-" */
void phrase_moment(struct text *t, double seconds);

/* "120 of 360 runs since it show it, none of 240 before; by chance ..." */
void phrase_sides(struct text *t, const struct hd_fleet_suspect *s);

/* Describes the combined evidence of its runs; "" if not pooled. */
void phrase_pool(struct text *t, const struct hd_fleet_suspect *s);

/* Describes what an unconfirmed suspect lacks, as a clause. */
void phrase_missing(struct text *t, const struct hd_fleet_suspect *s);

/* "14 runs ended near their limit of memory", "" */
void phrase_ends(struct text *t, const struct hd_fleet_suspect *s);

/* Returns why a run is not judged, or unsure, as a clause. */
const char *phrase_doubt(enum hd_doubt doubt);

#endif

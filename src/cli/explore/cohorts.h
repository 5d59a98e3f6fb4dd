/* cohorts.h - who came when, and how many of them are there in each snapshot, as lines of
 * numbers in columns: a triangle.
 *
 *     snapshot   1   2   3
 *     older     63  63  63
 *     new in 2      64  64
 *     new in 3         128
 *
 * It knows no screen but its width. */
#ifndef EXPLORE_COHORTS_H
#define EXPLORE_COHORTS_H

#include "heapdrift.h"

/* How many lines it has in so many columns; 0 of what is too wide for them, or has too many
 * to be read. births may be NULL. */
unsigned cohorts_lines(const struct hd_births *b, unsigned columns);

/* Line i of these. */
void cohorts_line(const struct hd_births *b, unsigned i, struct hd_sink to);

#endif

/* quantity.h - amounts as people type them: "10MiB", "5%", "120", "2026-12-31". It does
 * not know what they limit. */
#ifndef QUANTITY_H
#define QUANTITY_H

#include "heapdrift.h"

/* "5%", "0.5%" as 5 and 0.5. False for anything else, and for less than 0. */
bool quantity_percent(const char *s, double *percent);

/* A whole number without sign or separators. */
bool quantity_count(const char *s, uint64_t *n);

/* A day YYYY-MM-DD of the Gregorian calendar, as days since 1970-01-01. False for any
 * other spelling and for days that no month has. */
bool quantity_day(const char *s, int64_t *day);

#endif

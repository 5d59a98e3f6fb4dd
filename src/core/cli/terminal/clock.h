/* clock.h - what time it is: for how long something took, and for reports. */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Seconds since some time before, by a clock that only goes forward. */
double seconds_now(void);

/* Seconds since 1970-01-01 UTC, as the machine has it. */
double seconds_utc(void);

/* The same for reports that depend on it: SOURCE_DATE_EPOCH, which is what a reproducible
 * build takes for now (so tests have a date), or the clock. False after saying that it is
 * no time. */
bool report_time(int64_t *seconds);

/* "2026-11-21T12:00:00Z" of seconds since 1970, cut down; "" for what no calendar has. */
enum { CLOCK_TEXT = 32 };
void clock_text(double seconds, char text[CLOCK_TEXT]);

#endif

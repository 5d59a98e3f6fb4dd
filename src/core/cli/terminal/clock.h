/* clock.h - what time it is: for how long something took, and for reports. */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Seconds since an arbitrary moment, on a monotonic clock. */
double seconds_now(void);

/* Seconds since 1970-01-01 UTC, as the machine has it. */
double seconds_utc(void);

/* The same for reports that depend on it: SOURCE_DATE_EPOCH, the time of a reproducible
 * build (so tests have a date), or the clock. False after a message if that is not a
 * time. */
bool report_time(int64_t *seconds);

/* Formats seconds since 1970 as "2026-11-21T12:00:00Z", rounded down; "" for years outside
 * of the calendar. */
enum { CLOCK_TEXT = 32 };
void clock_text(double seconds, char text[CLOCK_TEXT]);

#endif

/* quantity.h - parse amounts as people type them: "10MiB", "5%", "120", "2026-12-31";
 * calendar days and times, and clocks. Must not depend on the things that the amounts
 * limit. */
#ifndef QUANTITY_H
#define QUANTITY_H

#include "heapdrift.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* --- calendar --------------------------------------------------------------------- */

/* Days and seconds since 1970-01-01 in UTC, and the dates that people read.
 *
 * The Gregorian calendar, before 1582 too; years 1 to 9999. It knows no time zones, and a
 * day has 86,400 seconds. */

/* True if the day exists. */
bool calendar_has_day(int year, int month, int day);

/* Returns the days since 1970-01-01 of a day of a year from 1 and a month from 1 to 12.
 * Days past the end of a month count into the next. */
int64_t calendar_day(int year, int month, int day);

/* The same in seconds. */
int64_t calendar_seconds(int year, int month, int day, int hour, int minute, int second);

/* Returns the day of a point in time. */
int64_t calendar_day_of(int64_t seconds);

/* Seconds of a text that begins with "2026-12-31T23:59:59"; a fraction or a zone after it
 * is ignored. NAN of any other, or of NULL. */
double calendar_parse(const char *text);

/* Room for a time and its NUL. */
enum { CALENDAR_TIME = 20 };

/* Formats "2026-12-31T23:59:59". False, and "", for years out of range. */
bool calendar_time(int64_t seconds, char text[CALENDAR_TIME]);

/* --- quantity --------------------------------------------------------------------- */

/* "5%", "0.5%" as 5 and 0.5. False for anything else, and for less than 0. */
bool quantity_percent(const char *s, double *percent);

/* A whole number without sign or separators. */
bool quantity_count(const char *s, uint64_t *n);

/* A day YYYY-MM-DD of the Gregorian calendar, as days since 1970-01-01. False for any
 * other spelling and for days that no month has. */
bool quantity_day(const char *s, int64_t *day);

/* --- clock ------------------------------------------------------------------------ */

/* Returns seconds: CLOCK_REALTIME since 1970, CLOCK_MONOTONIC since an arbitrary moment. */
static inline double clock_seconds(clockid_t which)
{
    struct timespec t;
    clock_gettime(which, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* On a clock that cannot be set. */
static inline uint64_t clock_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static inline uint64_t clock_ms(void)
{
    return clock_us() / 1000;
}

#endif

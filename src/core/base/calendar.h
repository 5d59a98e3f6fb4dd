/* calendar.h - days and seconds since 1970-01-01 in UTC, and the dates that people read.
 *
 * The Gregorian calendar, before 1582 too; years 1 to 9999. It knows no time zones, and a
 * day has 86,400 seconds. */
#ifndef CALENDAR_H
#define CALENDAR_H

#include <stdbool.h>
#include <stdint.h>

/* Whether there is such a day. */
bool calendar_has_day(int year, int month, int day);

/* Days since 1970-01-01 of a day of a year from 1 and a month from 1 to 12. Behind the last
 * day of a month the next month goes on. */
int64_t calendar_day(int year, int month, int day);

/* The same in seconds. */
int64_t calendar_seconds(int year, int month, int day, int hour, int minute, int second);

/* The day of a point in time. */
int64_t calendar_day_of(int64_t seconds);

/* Seconds of a text that begins with "2026-12-31T23:59:59"; a fraction or a zone after it
 * is ignored. NAN of any other, or of NULL. */
double calendar_parse(const char *text);

/* Room for a time and its NUL. */
enum { CALENDAR_TIME = 20 };

/* "2026-12-31T23:59:59". False, and "", outside of the years that it knows. */
bool calendar_time(int64_t seconds, char text[CALENDAR_TIME]);

#endif

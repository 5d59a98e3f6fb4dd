#include "cli/terminal/clock.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

double seconds_now(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

double seconds_utc(void)
{
    return seconds_of(CLOCK_REALTIME);
}

void clock_text(double seconds, char text[CLOCK_TEXT])
{
    static const double most = 1e15;
    struct tm tm;
    text[0] = '\0';
    if (!(fabs(seconds) < most))
        return;
    time_t t = (time_t)floor(seconds);
    if (gmtime_r(&t, &tm) != NULL)
        strftime(text, CLOCK_TEXT, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

bool report_time(int64_t *seconds)
{
    const char *given = getenv("SOURCE_DATE_EPOCH");
    *seconds = (int64_t)time(NULL);
    if (given == NULL || given[0] == '\0')
        return true;
    char *end;
    errno = 0;
    *seconds = strtoll(given, &end, 10);
    if (errno == 0 && *end == '\0')
        return true;
    fprintf(stderr, "heapdrift: SOURCE_DATE_EPOCH=%s: must be seconds since 1970-01-01\n",
            given);
    return false;
}

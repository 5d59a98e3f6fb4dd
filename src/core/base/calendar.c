#include "base/calendar.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

enum { SECONDS_A_DAY = 86400, LAST_YEAR = 9999 };

static bool is_leap(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

bool calendar_has_day(int year, int month, int day)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return year >= 1 && year <= LAST_YEAR && month >= 1 && month <= 12 && day >= 1 &&
           day <= days[month - 1] + (month == 2 && is_leap(year));
}

/* Counting years from March puts the leap day last, so that the months before it have fixed
 * lengths. */
int64_t calendar_day(int year, int month, int day)
{
    int64_t y = month <= 2 ? year - 1 : year;
    int64_t months_from_march = (month + 9) % 12;
    int64_t day_of_year = (153 * months_from_march + 2) / 5 + day - 1;
    return y * 365 + y / 4 - y / 100 + y / 400 + day_of_year - 719468;
}

int64_t calendar_seconds(int year, int month, int day, int hour, int minute, int second)
{
    int64_t minutes = (calendar_day(year, month, day) * 24 + hour) * 60 + minute;
    return minutes * 60 + second;
}

int64_t calendar_day_of(int64_t seconds)
{
    int64_t day = seconds / SECONDS_A_DAY;
    return seconds % SECONDS_A_DAY < 0 ? day - 1 : day;
}

double calendar_parse(const char *text)
{
    static const char form[] = "0000-00-00T00:00:00";
    static const int limits[][2] = {{1, LAST_YEAR}, {1, 12}, {1, 31},
                                    {0, 23},        {0, 59}, {0, 60}};
    int v[sizeof(limits) / sizeof(limits[0])] = {0};
    size_t part = 0;
    for (size_t i = 0; text != NULL && form[i] != '\0'; i++) {
        bool digit = text[i] >= '0' && text[i] <= '9';
        if (form[i] == '0' ? !digit : text[i] != form[i])
            return NAN;
        if (digit)
            v[part] = v[part] * 10 + (text[i] - '0');
        else
            part++;
    }
    for (size_t i = 0; i <= part; i++)
        if (v[i] < limits[i][0] || v[i] > limits[i][1])
            return NAN;
    return calendar_has_day(v[0], v[1], v[2])
               ? (double)calendar_seconds(v[0], v[1], v[2], v[3], v[4], v[5])
               : NAN;
}

bool calendar_time(int64_t seconds, char text[CALENDAR_TIME])
{
    text[0] = '\0';
    int64_t day = calendar_day_of(seconds);
    if (day < calendar_day(1, 1, 1) || day > calendar_day(LAST_YEAR, 12, 31))
        return false;
    time_t t = (time_t)seconds;
    struct tm tm;
    if (gmtime_r(&t, &tm) == NULL)
        return false;
    /* %Y leaves out the zeros in front of early years. */
    unsigned year = (unsigned)(tm.tm_year + 1900) % (LAST_YEAR + 1);
    int at = snprintf(text, CALENDAR_TIME, "%04u", year);
    return strftime(text + at, CALENDAR_TIME - (size_t)at, "-%m-%dT%H:%M:%S", &tm) > 0;
}

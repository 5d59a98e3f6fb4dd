#include "base/quantity.h"

#include "base/text.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --- calendar --------------------------------------------------------------------- */

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

/* --- quantity --------------------------------------------------------------------- */

/* strtod takes " 5", "+5", "0x5", "inf" and "1e3" as well. */
static bool is_decimal(const char *s, size_t len)
{
    size_t digits = strspn(s, "0123456789");
    size_t end = digits;
    if (s[end] == '.') {
        size_t more = strspn(s + end + 1, "0123456789");
        end += 1 + more;
        digits += more;
    }
    return digits > 0 && end == len;
}

bool quantity_percent(const char *s, double *percent)
{
    size_t len = strcspn(s, " %");
    size_t sign = len + strspn(s + len, " ");
    if (strcmp(s + sign, "%") != 0 || !is_decimal(s, len))
        return false;
    *percent = c_strtod(s, NULL);
    return true;
}

bool quantity_count(const char *s, uint64_t *n)
{
    size_t len = strlen(s);
    if (len == 0 || strspn(s, "0123456789") != len)
        return false;
    errno = 0;
    *n = strtoull(s, NULL, 10);
    /* The largest number means unknown. */
    return errno == 0 && *n != HD_UNKNOWN;
}

bool hd_size_from_text(const char *s, uint64_t *bytes)
{
    static const struct {
        const char *unit;
        double factor;
    } units[] = {
        {"", 1},       {"B", 1},         {"k", 1e3},          {"kB", 1e3},
        {"KB", 1e3},   {"MB", 1e6},      {"GB", 1e9},         {"TB", 1e12},
        {"K", 1024},   {"M", 1048576},   {"G", 1073741824},   {"T", 1099511627776.0},
        {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}, {"TiB", 1099511627776.0}};
    size_t len = strspn(s, "0123456789.");
    if (!is_decimal(s, len))
        return false;
    double value = c_strtod(s, NULL);
    const char *unit = s + len + strspn(s + len, " ");
    size_t count = sizeof(units) / sizeof(*units), i = 0;
    while (i < count && strcmp(unit, units[i].unit) != 0)
        i++;
    /* 5m is 5M as 5mb is 5MB; only k and K are two units. */
    for (size_t j = 0; i == count && j < count; j++)
        i = ascii_same_word(unit, units[j].unit) ? j : i;
    if (i == count || value * units[i].factor >= 9.2e18)
        return false;
    *bytes = (uint64_t)(value * units[i].factor);
    return true;
}

bool quantity_day(const char *s, int64_t *day)
{
    static const char shape[] = "dddd-dd-dd";
    for (size_t i = 0; i < sizeof(shape); i++) {
        bool digit = s[i] >= '0' && s[i] <= '9';
        if (shape[i] == 'd' ? !digit : s[i] != shape[i])
            return false;
    }
    int year = atoi(s), month = atoi(s + 5), of_month = atoi(s + 8);
    if (!calendar_has_day(year, month, of_month))
        return false;
    *day = calendar_day(year, month, of_month);
    return true;
}

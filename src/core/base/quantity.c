#include "base/quantity.h"

#include "base/c_locale.h"
#include "base/calendar.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

#include "cli/options/values.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The limits of a number, as people write it: 1,000,000. */
static const char *range(struct settings *s, uint64_t least, uint64_t most)
{
    char digits[24], grouped[32];
    int len = snprintf(digits, sizeof(digits), "%" PRIu64, most), n = 0;
    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            grouped[n++] = ',';
        grouped[n++] = digits[i];
    }
    snprintf(s->wanted, sizeof(s->wanted), "a whole number from %" PRIu64 " to %.*s", least,
             n, grouped);
    return s->wanted;
}

const char *parse_whole_number(struct settings *s, const char *value, uint64_t least,
                               uint64_t most, uint64_t *n)
{
    char *end;
    errno = 0;
    unsigned long long got = strtoull(value, &end, 10);
    if (errno != 0 || *end != '\0' || value[0] < '0' || value[0] > '9' || got < least ||
        got > most)
        return range(s, least, most);
    *n = got;
    return NULL;
}

const char *parse_small(struct settings *s, const char *value, uint32_t least,
                        uint32_t most, uint32_t *n)
{
    uint64_t got = 0;
    const char *wrong = parse_whole_number(s, value, least, most, &got);
    if (wrong == NULL)
        *n = (uint32_t)got;
    return wrong;
}

const char *parse_size(const char *value, uint64_t *bytes)
{
    return hd_size_from_text(value, bytes) ? NULL : "a size such as 64KiB, 10MB or 1.5GiB";
}

/* The decimal number that value begins with, and what is behind it; NULL if there is none.
 * strtod() would take "0x10" and "1e1" as well. */
static const char *take_decimal(const char *value, double *n)
{
    size_t len = strspn(value, "0123456789.");
    char *end;
    *n = strtod(value, &end);
    return len > 0 && end == value + len ? end : NULL;
}

const char *parse_score(const char *value, uint64_t *bytes, double *share)
{
    size_t len = strlen(value);
    if (len == 0 || value[len - 1] != '%') {
        *share = 0;
        return parse_size(value, bytes) != NULL
                   ? "a size such as 1MiB, or a share such as 2%"
                   : NULL;
    }
    double percent;
    if (take_decimal(value, &percent) != value + len - 1 || percent > 100)
        return "a share from 0% to 100%";
    *share = percent / 100;
    *bytes = 0;
    return NULL;
}

const char *parse_duration(const char *value, uint64_t *ms)
{
    static const char wrong[] = "seconds, or a time such as 500ms, 30s, 5m, 1h";
    static const struct {
        const char *unit;
        double factor;
    } units[] = {{"", 1e3}, {"ms", 1}, {"s", 1e3}, {"m", 6e4}, {"min", 6e4}, {"h", 3.6e6}};
    const double most = 31 * 24 * 3.6e6;
    double n;
    const char *unit = take_decimal(value, &n);
    if (unit == NULL)
        return wrong;
    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
        if (strcmp(unit, units[i].unit) == 0 && n * units[i].factor <= most) {
            *ms = (uint64_t)(n * units[i].factor);
            return NULL;
        }
    return wrong;
}

const char *parse_age(const char *value, double *seconds)
{
    static const char wrong[] = "a time with its unit: 12h, 7d, 4w, 1y";
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {
        {"m", 60}, {"h", 3600}, {"d", 86400}, {"w", 7 * 86400}, {"y", 365 * 86400}};
    const double most = 100.0 * 365 * 86400;
    double n;
    const char *unit = take_decimal(value, &n);
    if (unit == NULL || !(n > 0))
        return wrong;
    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
        if (strcmp(unit, units[i].unit) == 0 && n * units[i].seconds <= most) {
            *seconds = n * units[i].seconds;
            return NULL;
        }
    return wrong;
}

/* --- points in time -------------------------------------------------------- */

/* Two digits behind that separator, below a limit. */
static bool take_two(const char **at, char separator, int limit, int *n)
{
    const char *s = *at;
    if (s[0] != separator || s[1] < '0' || s[1] > '9' || s[2] < '0' || s[2] > '9')
        return false;
    *n = (s[1] - '0') * 10 + s[2] - '0';
    *at += 3;
    return *n < limit;
}

static bool parse_date(const char *value, double *seconds)
{
    enum { YEAR_DIGITS = 4 };
    int year = 0, month, day, hour = 0, minute = 0, second = 0;
    const char *at = value;
    for (; at < value + YEAR_DIGITS; at++) {
        if (*at < '0' || *at > '9')
            return false;
        year = 10 * year + *at - '0';
    }
    if (!take_two(&at, '-', 13, &month) || !take_two(&at, '-', 32, &day))
        return false;
    if (*at == 'T' && (!take_two(&at, 'T', 24, &hour) || !take_two(&at, ':', 60, &minute)))
        return false;
    if (*at == ':' && !take_two(&at, ':', 60, &second))
        return false;
    if (*at == 'Z')
        at++;
    struct tm tm = {.tm_year = year - 1900,
                    .tm_mon = month - 1,
                    .tm_mday = day,
                    .tm_hour = hour,
                    .tm_min = minute,
                    .tm_sec = second};
    time_t t = timegm(&tm);
    *seconds = (double)t;
    /* What no month has is another day then. */
    return *at == '\0' && year > 0 && tm.tm_mday == day && tm.tm_mon == month - 1;
}

const char *parse_moment(const char *value, struct moment *m)
{
    *m = (struct moment){.is_open = strcmp(value, "all") == 0};
    if (m->is_open)
        return NULL;
    m->is_date = parse_date(value, &m->date);
    return m->is_date || parse_age(value, &m->before) == NULL
               ? NULL
               : "a time such as 7d, 12h, 2026-11-22, 2026-11-22T14:05Z, all";
}

const char *parse_hosts(const char *value, uint64_t *n, double *share)
{
    static const char wrong[] = "a number of hosts, or a share of them such as 5%";
    size_t len = strlen(value), digits = strspn(value, "0123456789");
    uint64_t none;
    char *end;
    *share = -1;
    *n = 0;
    if (len > 0 && value[len - 1] == '%')
        return parse_score(value, &none, share) == NULL ? NULL : wrong;
    errno = 0;
    *n = strtoull(value, &end, 10);
    return len > 0 && digits == len && errno == 0 ? NULL : wrong;
}

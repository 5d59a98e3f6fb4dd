/* values.h - numbers, sizes, shares and times as people type them behind an option.
 *
 * All return NULL, or what the value should have been; that may be in s->wanted. They do
 * not know which option it is. */
#ifndef VALUES_H
#define VALUES_H

#include "cli/options/settings.h"

const char *parse_whole_number(struct settings *s, const char *value, uint64_t least,
                               uint64_t most, uint64_t *n);
const char *parse_small(struct settings *s, const char *value, uint32_t least,
                        uint32_t most, uint32_t *n);
const char *parse_size(const char *value, uint64_t *bytes);

/* A size into *bytes, or a share into *share; the other becomes 0. Nothing scores less than
 * one byte. */
const char *parse_score(const char *value, uint64_t *bytes, double *share);

/* Seconds; or with a unit. A month is more than enough. */
const char *parse_duration(const char *value, uint64_t *ms);

/* How long ago, or how long to keep: with a unit always, 12h, 7d, 4w, 1y; more than 0. A
 * year has 365 days. */
const char *parse_age(const char *value, double *seconds);

/* A point in time: a date (UTC), so long before another point, or no limit at all. */
struct moment {
    bool is_date, is_open;
    double date;   /* seconds since 1970-01-01 */
    double before; /* seconds */
};

/* 7d, 12h, 2w; 2026-11-22, 2026-11-22T14:05, 2026-11-22T14:05:30Z; all. */
const char *parse_moment(const char *value, struct moment *m);

/* A number of hosts, or a share of them; the share is -1 for a number. */
const char *parse_hosts(const char *value, uint64_t *n, double *share);

#endif

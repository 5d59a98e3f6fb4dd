/* values.h - numbers, sizes, shares and times as people type them behind an option.
 *
 * All return NULL, or what the value should have been; that may be in s->wanted. They do
 * not know which option it is. */
#ifndef VALUES_H
#define VALUES_H

#include "cli/settings.h"

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

#endif

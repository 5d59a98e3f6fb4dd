/* values.h - what people type behind an option: a parser for each kind of value, and the
 * words that complete one. It does not know which options there are. */
#ifndef VALUES_H
#define VALUES_H

#include "cli/options/options.h"

/* Parse a value (NULL for a flag) and store it where the row says; NULL, or what it should
 * have been. */
const char *parse_value(struct settings *s, const struct option *o, const char *value);

/* Word number i that the value can be in that command, or an example; NULL behind the last.
 */
const char *option_word(const struct option *o, const struct command *command, size_t i);

/* "a, b or c" */
void option_words(const struct option *o, const struct command *command, char *text,
                  size_t size);

/* What is called by the kind of a value, if its row does not say it. */
const char *kind_argument(enum option_kind kind);

/* For options that are of no kind. */
const char *parse_count(struct settings *s, const char *value, uint32_t least,
                        uint32_t most, uint32_t *n);
void text_list_add(struct text_list *list, const char *text);

/* A point in time: a date (UTC), so long before another point, or no limit at all. */
struct moment {
    bool is_date, is_open;
    double date;   /* seconds since 1970-01-01 */
    double before; /* seconds */
};

/* 7d, 12h, 2w; 2026-11-22, 2026-11-22T14:05, 2026-11-22T14:05:30Z; @1793491200; all. */
const char *parse_moment(const char *value, struct moment *m);

#endif

/* span.h - borrowed pieces of text: lines, words, numbers.
 *
 * Common to the readers of text. Spans are borrowed from the text from which they were cut
 * and are not NUL-terminated. Must not depend on the meaning of words. */
#ifndef SPAN_H
#define SPAN_H

#include "base/text.h"

struct span {
    const char *data;
    size_t len;
};

/* --- lines and words ----------------------------------------------------- */

struct lines {
    const char *at, *end;
    uint64_t number; /* of the last line returned, from 1; 0 before the first */
};

struct lines lines_of(struct span text);

/* The next line without its LF or CR LF. False at the end, when number is that
 * of the last line. */
bool lines_next(struct lines *l, struct span *line);

/* Returns the first line that is not blank, trimmed, or an empty span. */
struct span first_line(struct span text);

/* Returns the first byte after blanks and line ends, or 0. */
char first_byte(struct span text);

/* Removes spaces and tabs around s. No-break spaces are parts of numbers. */
struct span span_trim(struct span s);

/* Removes the first word from rest; empty at the end. */
struct span span_word(struct span *rest);

bool span_is(struct span s, const char *text);
bool span_is_nocase(struct span s, const char *text); /* ASCII only */
bool span_begins(struct span s, const char *text);
bool span_ends(struct span s, const char *text);
bool span_contains_nocase(struct span s, const char *text);

/* True if the words of line are those of words, which has single blanks. */
bool span_has_words(struct span line, const char *words);

/* --- numbers and messages ------------------------------------------------ */

/* Parses a decimal number below 2^64, of at most 20 digits only. */
bool span_number(struct span s, uint64_t *value);

/* Does the same, or parses digits in groups, as tools print them in the user's culture: a
 * first group of 1 to 3, then of 2 or 3 (India), the last of 3, all separated by the same
 * one of , . ' U+2019 U+00A0 U+202F. */
bool span_grouped_number(struct span s, uint64_t *value);

/* Text of an input for a message: at most 40 bytes, printable. */
struct excerpt {
    char text[44];
};
struct excerpt excerpt_of(struct span s);

#endif

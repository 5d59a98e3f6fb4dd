/* table_text.h - what the readers of type tables as text have in common.
 *
 * Bytes of any encoding become UTF-8, UTF-8 becomes lines, lines become words
 * and numbers, and a row that was understood is counted. Spans are borrowed
 * from the text they were cut from and are not NUL-terminated.
 *
 * It must not know any one table: what a header or a row looks like is its
 * reader's business. */
#ifndef TABLE_TEXT_H
#define TABLE_TEXT_H

#include "base/input.h"
#include "base/text.h"
#include "heap/builder.h"

struct span {
    const char *data;
    size_t len;
};

/* --- the text ------------------------------------------------------------ */

struct table_text {
    struct span all;     /* UTF-8, or whatever stood there; without byte order mark */
    struct text decoded; /* holds all if it was UTF-16 */
};

/* The text of bytes, which must outlive it. UTF-16 is recognised by its byte
 * order mark; every other input is taken as it is. */
struct table_text table_text_of(struct bytes bytes);

/* All of in. Open or not, it is closed with table_text_close(). */
bool table_text_open(struct table_text *t, struct input *in, struct hd_error *err);
void table_text_close(struct table_text *t);

/* Fails as `nul-byte` at its line if there is a NUL: names are C strings. */
bool table_text_has_no_nul(const struct table_text *t, struct hd_error *err);

/* --- lines and words ----------------------------------------------------- */

struct lines {
    const char *at, *end;
    uint64_t number; /* of the line given last, from 1; 0 before the first */
};

struct lines lines_of(struct span text);

/* The next line without its LF or CR LF. False at the end, when number is that
 * of the last line. */
bool lines_next(struct lines *l, struct span *line);

/* The first line that is not blank; empty if there is none. */
struct span first_line(struct span text);

/* The first byte that is no blank and no line end; 0 if there is none. */
char first_byte(struct span text);

/* Blanks are space and tab only: no-break spaces are parts of numbers. */
struct span span_trim(struct span s);

/* Take the next word off the front of rest; empty at the end. */
struct span span_word(struct span *rest);

bool span_is(struct span s, const char *text);
bool span_is_nocase(struct span s, const char *text); /* ASCII only */
bool span_begins(struct span s, const char *text);
bool span_ends(struct span s, const char *text);
bool span_contains_nocase(struct span s, const char *text);

/* True if the words of line are those of words, which has single blanks. */
bool span_has_words(struct span line, const char *words);

/* --- numbers, messages, rows --------------------------------------------- */

/* A decimal number below 2^64 of at most 20 digits and nothing else. */
bool span_number(struct span s, uint64_t *value);

/* The same, or digits in groups, as tools print them in the user's culture: a
 * first group of 1 to 3, then of 2 or 3 (India), the last of 3, all set apart by
 * the same one of , . ' U+2019 U+00A0 U+202F. */
bool span_grouped_number(struct span s, uint64_t *value);

/* Text of an input on its way into a message: at most 40 bytes, printable. */
struct excerpt {
    char text[44];
};
struct excerpt excerpt_of(struct span s);

/* One row, as read. */
struct table_row {
    struct span name; /* empty: <unknown type>, with a warning */
    struct span module;
    uint64_t count, bytes;
    bool bytes_unknown; /* then bytes does not matter */
    uint64_t line;      /* 0: unknown */
};

/* Count it; `size-overflow` when sums no longer fit 64 bits. */
bool table_row_add(struct builder *b, const struct table_row *row, struct hd_error *err);

#endif

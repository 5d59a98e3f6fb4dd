/* table_text.h - what the readers of type tables as text have in common.
 *
 * Bytes of any encoding become UTF-8, and a row that was understood is counted. Lines and
 * words in between are those of format/span.h.
 *
 * It must not know any one table: what a header or a row looks like is its
 * reader's business. */
#ifndef TABLE_TEXT_H
#define TABLE_TEXT_H

#include "base/input.h"
#include "base/text.h"
#include "format/span.h"
#include "heap/builder.h"

/* --- the text ------------------------------------------------------------ */

struct table_text {
    struct span all;     /* UTF-8, or whatever stood there; without byte order mark */
    struct text decoded; /* holds all if it was UTF-16 */
};

/* The text of bytes, which must outlive it. UTF-16 is recognised by its byte
 * order mark; every other input is taken as it is. */
struct table_text table_text_of(struct bytes bytes);

/* All of in; b is charged for what had to be unpacked or decoded. Open or not, it is closed
 * with table_text_close(). */
bool table_text_open(struct table_text *t, struct input *in, struct builder *b,
                     struct hd_error *err);
void table_text_close(struct table_text *t);

/* Fails as `nul-byte` at its line if there is a NUL: names are C strings. */
bool table_text_has_no_nul(const struct table_text *t, struct hd_error *err);

/* --- rows ---------------------------------------------------------------- */

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

/* type_tables.h - common to the readers of type tables in text.
 *
 * Bytes of any encoding become UTF-8, and each parsed row is counted. Lines and words are
 * those of format/span.h. Must not depend on any one table: headers and rows are parsed by
 * the readers. */
#ifndef TYPE_TABLES_H
#define TYPE_TABLES_H

#include "format/reader.h"
#include "format/span.h"

/* A text while it is read. */
struct type_table {
    struct builder *b;
    struct hd_error *err;
    struct span text;    /* UTF-8, or any bytes; without byte order mark */
    struct lines lines;  /* of text */
    struct text decoded; /* contains text if the input is UTF-16 */
};

/* Applies `by` to the text of the first bytes of an input. */
enum recognition type_table_recognise(struct bytes head,
                                      enum recognition (*by)(struct span text));

/* Reads the whole input by `read`. Fails as `nul-byte` at its line if there is a NUL: names
 * are C strings. */
bool type_table_read(struct input *in, struct builder *b, struct hd_error *err,
                     bool (*read)(struct type_table *t));

/* Fails as `bad-number` at the current line. */
bool type_table_bad_number(struct type_table *t, struct span word);

/* A row, as read. */
struct type_table_row {
    struct span name; /* empty: <unknown type>, with a warning */
    struct span module;
    uint64_t count, bytes;
    bool bytes_unknown; /* then bytes does not matter */
    uint64_t line;      /* 0: unknown */
};

/* Counts the row; fails as `size-overflow` if sums do not fit 64 bits. */
bool type_table_add(struct builder *b, const struct type_table_row *row,
                    struct hd_error *err);

#endif

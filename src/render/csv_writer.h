/* csv_writer.h - cells and rows of CSV (RFC 4180, LF) and of TSV. It does not know what
 * they tell. */
#ifndef CSV_WRITER_H
#define CSV_WRITER_H

#include "base/out.h"

struct csv_writer {
    struct out *out;
    bool tabs; /* TSV */
    bool in_row;
};

/* A cell that the caller prints, of plain characters. */
void csv_begin_cell(struct csv_writer *s);
void csv_end_row(struct csv_writer *s);

void csv_cell(struct csv_writer *s, const char *value);
void csv_optional(struct csv_writer *s, const char *value); /* NULL is empty */
void csv_number(struct csv_writer *s, uint64_t n);          /* so is HD_UNKNOWN */
void csv_share(struct csv_writer *s, double share);

/* A row of words. */
void csv_titles(struct csv_writer *s, const char *const *titles, size_t count);

#define CSV_TITLES(csv, titles) csv_titles(csv, titles, sizeof(titles) / sizeof(*(titles)))

#endif

/* sheet.h - cells and rows of CSV (RFC 4180, LF) and of TSV. It does not know what they
 * tell. */
#ifndef SHEET_H
#define SHEET_H

#include "base/out.h"

struct sheet {
    struct out *out;
    bool tabs; /* TSV */
    bool in_row;
};

/* A cell that the caller prints, of plain characters. */
void sheet_begin_cell(struct sheet *s);
void sheet_end_row(struct sheet *s);

void sheet_cell(struct sheet *s, const char *value);
void sheet_optional(struct sheet *s, const char *value); /* NULL is empty */
void sheet_number(struct sheet *s, uint64_t n);          /* so is HD_UNKNOWN */
void sheet_share(struct sheet *s, double share);

/* A row of words. */
void sheet_titles(struct sheet *s, const char *const *titles, size_t count);

#define SHEET_TITLES(sheet, titles) \
    sheet_titles(sheet, titles, sizeof(titles) / sizeof(*(titles)))

#endif

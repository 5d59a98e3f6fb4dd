/* csv.h - cells and rows of CSV (RFC 4180, LF) and of TSV, one way for all who write some.
 * It does not know what they tell. */
#ifndef CSV_H
#define CSV_H

#include "base/out.h"
#include "base/text.h"

/* True if s begins with =, +, -, @, a tab or CR, which a spreadsheet takes for a formula or
 * for what may stand before one, or with ::,
 * which GitHub takes for a command in a log; behind any number of apostrophes: those of the
 * name itself need one more, or the reader would take them for the writer's. */
bool csv_needs_apostrophe(const char *s, size_t len);

/* Append value as UTF-8 with an apostrophe in front if a spreadsheet would take it for a
 * formula. The CSV reader takes the apostrophe off again. */
void csv_add_clean(struct text *t, const char *value);

/* The same as a cell: in quotes if it has a comma, a quote or a line end; what a terminal
 * or a build server would obey is written out (text_add_visible), but for tabs and line
 * ends. */
void csv_add_cell(struct text *t, const char *value);

/* --- tables ---------------------------------------------------------------------- */

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
void csv_real(struct csv_writer *s, double x);              /* so is NAN */

/* A row of words. */
void csv_titles(struct csv_writer *s, const char *const *titles, size_t count);

#define CSV_TITLES(csv, titles) csv_titles(csv, titles, sizeof(titles) / sizeof(*(titles)))

#endif

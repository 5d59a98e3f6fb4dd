/* csv.h - cells of a CSV table (RFC 4180), one way for all who write some. */
#ifndef CSV_H
#define CSV_H

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

#endif

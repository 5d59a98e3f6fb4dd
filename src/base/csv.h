/* csv.h - cells of a CSV table (RFC 4180), one way for all who write some. */
#ifndef CSV_H
#define CSV_H

#include "base/text.h"

/* Append value as UTF-8 with an apostrophe in front if a spreadsheet would take it for a
 * formula. The CSV reader takes the apostrophe off again. */
void csv_add_clean(struct text *t, const char *value);

/* The same as a cell: in quotes if it has a comma, a quote or a line end. */
void csv_add_cell(struct text *t, const char *value);

#endif

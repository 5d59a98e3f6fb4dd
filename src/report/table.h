/* table.h - columns of text, aligned for a terminal.
 *
 * Cells are added row by row. One column may give way: when the table is wider than
 * the terminal its cells are shortened in the middle. Notes are whole lines between
 * rows. It does not know what the cells mean. */
#ifndef TABLE_H
#define TABLE_H

#include "base/out.h"

enum align { ALIGN_LEFT, ALIGN_RIGHT };

struct column {
    const char *title; /* NULL: none */
    enum align align;
    bool gives_way;
};

struct table {
    const struct column *columns;
    size_t column_count;
    struct table_cell *cells;
    size_t len, cap;
    struct text content; /* of all cells, one after the other */
    size_t cell_start;   /* of the cell being written */
};

#define TABLE_OF(array)                                                        \
    {                                                                          \
        .columns = (array), .column_count = sizeof(array) / sizeof((array)[0]) \
    }

/* Write the next cell into &t->content, then end it. */
void table_end_cell(struct table *t);
void table_cell(struct table *t, const char *s);

/* A line that belongs below the row before it and is printed as it is; only
 * between rows. */
void table_note(struct table *t, const char *s, size_t len);

void table_print(const struct table *t, struct out *o, unsigned width, bool color);
void table_free(struct table *t);

#endif

/* table.h - columns of text, aligned for a terminal.
 *
 * Cells are added row by row. Columns may give way: when the table is wider than the
 * terminal their cells are shortened, the last column's first, or stand below their rows.
 * Notes are whole lines between rows; a remark stands behind its row, or below it where the
 * line would be too wide. It does not know what the cells mean. */
#ifndef TABLE_H
#define TABLE_H

#include "base/out.h"

enum align { ALIGN_LEFT, ALIGN_RIGHT };

/* What a column does where the table is too wide: nothing; its cells are cut; or, of the
 * last one, a cell goes to a line of its own before it is cut. */
enum giving { GIVES_NOTHING, GIVES_WAY, GIVES_WAY_BY_LINE };

struct column {
    const char *title; /* NULL: none */
    enum align align;
    enum giving gives_way;
};

struct table {
    const struct column *columns;
    size_t column_count;
    struct table_cell *cells;
    size_t len, cap;
    struct text content; /* of all cells, one after the other */
    size_t cell_start;   /* of the cell being written */
    bool ascii; /* its columns are those of its ASCII form; set before cells are added */
};

#define TABLE_OF(array)                                                        \
    {                                                                          \
        .columns = (array), .column_count = sizeof(array) / sizeof((array)[0]) \
    }

/* How a cell looks: a color is an escape sequence, which takes no column and stays as long
 * as the table; words are cut in their middle, names of types lose their namespaces first.
 */
struct cell_style {
    const char *color; /* NULL: none */
    bool is_words;
};

/* Write the next cell into &t->content, then end it. */
void table_end_cell(struct table *t, struct cell_style style);

/* A line that belongs below the row before it and is printed as it is; only
 * between rows. */
void table_note(struct table *t, const char *s, size_t len);

/* What is said about the row before it: behind it, or on lines of its own if the row is too
 * wide with it. So it never takes room from a cell. Nothing if len is 0. */
void table_remark(struct table *t, const char *s, size_t len);

void table_print(const struct table *t, struct out *o, unsigned width, bool color);
void table_free(struct table *t);

#endif

/* grid.h - what a screen shows, before any terminal is asked: lines of text in columns,
 * each piece with a look.
 *
 * Whoever draws puts pieces from left to right; a piece takes exactly the columns it is
 * given, shortened or filled up, so columns line up whatever a name holds. Text is UTF-8
 * that is safe to print (hd_put_name). A terminal shows a grid (terminal.h), a test reads
 * it. It does not know what is shown. */
#ifndef EXPLORE_GRID_H
#define EXPLORE_GRID_H

#include "heapdrift.h"

/* What a piece is; nothing may depend on colour alone. */
enum look {
    LOOK_PLAIN,
    LOOK_DIM,    /* of the framework, or less important */
    LOOK_STRONG, /* a title */
    LOOK_HEAD,   /* of a column */
    LOOK_BAR,    /* the first line */
    LOOK_TAB,    /* the pane that is open */
    LOOK_GROWN,
    LOOK_SHRUNK,
    LOOK_FOUND, /* a suspect, a mark, what was searched for */
    LOOK_ERROR,
    LOOK_COUNT
};

enum align { ALIGN_LEFT, ALIGN_RIGHT };

struct grid_piece {
    unsigned line, column, columns;
    enum look look;
    bool chosen; /* the line is under the cursor */
    size_t begin, len;
};

/* {0} has no size; grid_begin() first. */
struct grid {
    unsigned width, height;
    struct grid_piece *pieces;
    size_t len, cap;
    struct hd_memory text;
    unsigned line, column; /* where the next piece goes */
    bool chosen;
};

/* An empty grid of that size. */
void grid_begin(struct grid *g, unsigned width, unsigned height);
void grid_free(struct grid *g);

/* The next piece begins in that line, at its left. Lines below the last are ignored. */
void grid_line(struct grid *g, unsigned line, bool chosen);

/* How many columns are left in the line. */
unsigned grid_left(const struct grid *g);

/* Put text of any length into so many columns, or as many as are left: cut at its end with
 * "…", or filled up with blanks. */
void grid_put(struct grid *g, enum look look, const char *text, unsigned columns,
              enum align align);

/* Text that takes what it needs. */
void grid_add(struct grid *g, enum look look, const char *text);

/* Words that wrap at blanks. */
struct paragraph {
    const char *text;
    enum look look;
    const char *label; /* in front of its first line; NULL: none */
    enum look label_look;
    unsigned first, others; /* blanks before the first line, the label within, and others */
};

/* Lines that it takes on a screen of that width. */
unsigned grid_paragraph_lines(const struct paragraph *p, unsigned width);

/* Put it into lines from line on, before end: what is too long for the last of them is cut.
 * Gives the line behind it. */
unsigned grid_paragraph(struct grid *g, const struct paragraph *p, unsigned line,
                        unsigned end);

/* Fill the rest of the line. */
void grid_end_line(struct grid *g, enum look look);

/* Columns that text takes. */
unsigned grid_columns(const char *text);

/* Bytes of the longest beginning of text that takes at most so many columns; *used those
 * that it takes. */
size_t grid_fit(const char *text, unsigned columns, unsigned *used);

#endif

/* markdown.h - names and words as Markdown that they cannot break.
 *
 * They come from snapshots and may be anything; a report goes into a comment that others
 * read. It does not know what a report is. */
#ifndef MARKDOWN_H
#define MARKDOWN_H

#include "base/out.h"

/* A name as a code span in a table: no character of it may end the span or the cell. */
void markdown_code(struct text *t, const char *name);

/* One line of text that must not become a tag, a link, a picture, or call for somebody. */
void markdown_plain(struct text *t, const char *s);

/* The same in a table: nothing may end the cell. */
void markdown_cell(struct text *t, const char *s);

#endif

/* markdown.h - words as Markdown that they cannot break, in GitHub's dialect.
 *
 * Names come from snapshots and may be anything; a report goes into a comment that others
 * read. It does not know what a document says. */
#ifndef MARKDOWN_H
#define MARKDOWN_H

#include "base/text.h"
#include "document/document.h"

enum markdown_place {
    MARKDOWN_TEXT,
    MARKDOWN_CELL, /* of a table: nothing may end it */
    MARKDOWN_BLOCK /* of code: nothing is markup there (markdown_block) */
};

/* A run. All that comes from outside goes through here: it must not become a tag, a link, a
 * picture or a heading, call for somebody, or turn the direction of what follows. A name
 * is code. */
void markdown_run(struct text *t, const struct doc_run *run, enum markdown_place in);

/* Lines as a block of code that none of them can end: first (or "") and the others. */
void markdown_block(struct text *t, const char *first, const char *lines);

#endif

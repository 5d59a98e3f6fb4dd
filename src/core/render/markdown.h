/* markdown.h - text as Markdown that cannot be broken out of, in GitHub's dialect.
 *
 * Names are from snapshots and may be anything; a report becomes a comment that others
 * read. Must not depend on the content of documents. */
#ifndef MARKDOWN_H
#define MARKDOWN_H

#include "base/text.h"
#include "document/document.h"

enum markdown_place {
    MARKDOWN_TEXT,
    MARKDOWN_CELL, /* of a table: must not be closed by its text */
    MARKDOWN_BLOCK /* of code: without markup inside (markdown_block) */
};

/* Appends a run. All untrusted text must pass through here: it must not become a tag, a
 * link, a picture or a heading, mention a user, or change the direction of the text after
 * it. A name is code. */
void markdown_run(struct text *t, const struct doc_run *run, enum markdown_place in);

/* Appends lines as a block of code that they cannot close: first (or "") and the others. */
void markdown_block(struct text *t, const char *first, const char *lines);

#endif

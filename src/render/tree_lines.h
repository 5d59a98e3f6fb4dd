/* tree_lines.h - a table that is a tree (doc_table.is_tree) as lines of one pitch: columns
 * aligned, guides in front of the last one, marks behind it.
 *
 * Text and Markdown print them; how a word is escaped is theirs to say. It does not know
 * what the tree is of. */
#ifndef TREE_LINES_H
#define TREE_LINES_H

#include "base/text.h"
#include "document/document.h"

struct tree_look {
    const struct hd_write_options *opt; /* width, colour, and whether it will be ASCII */
    void (*add)(struct text *t, const struct doc_run *run); /* names as they are wanted */
};

/* Lines with line ends. Names are cut in their middle where they do not fit; so deep down
 * that no room is left, a number stands for the guides. O(rows, and what is printed). */
void tree_lines(struct text *to, const struct doc_table *t, const struct tree_look *look);

#endif

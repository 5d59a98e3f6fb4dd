/* The ownership tree, a line per place. */
#include "report/build.h"

void build_tree(struct build *b)
{
    struct doc_section *s = doc_section(b->doc, DOC_PLAIN);
    human_size(&b->words, b->r->tree.nodes[0].owned[b->r->tree.last].bytes);
    build_paragraph(b, s);
}

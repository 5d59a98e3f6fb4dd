/* text_heap.h - a heap text as the sum of its sections (AppDomains).
 *
 * Which section is open, which names there were, what all add up to. It must not know how
 * records are written, nor by how many threads they were read. */
#ifndef TEXT_HEAP_H
#define TEXT_HEAP_H

#include "format/span.h"
#include "format/text/text_section.h"

struct text_heap {
    struct builder *b;
    struct section section; /* the one that is open */
    bool in_section;
    struct span open; /* its name */
    uint64_t sections;
    struct text_domain *domains; /* names so far */
    struct arena names;
    struct root_set roots;
    struct text_totals totals;
};

/* A section begins at that line. */
void text_heap_begin(struct text_heap *h, struct span name, uint64_t version,
                     uint64_t stamp, uint64_t line);

/* The open section ends; name is what the end record says. */
void text_heap_end(struct text_heap *h, struct span name, uint64_t line);

/* Behind the last section: roots, and warnings about the whole. */
void text_heap_finish(struct text_heap *h);

/* Finished or not. */
void text_heap_free(struct text_heap *h);

#endif

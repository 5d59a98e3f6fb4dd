/* references.h - which objects are referred to from where, in the order of the objects. */
#ifndef REFERENCES_H
#define REFERENCES_H

#include "owners/ownership_tree.h"

/* An object that is referred to, and a place of the ownership tree that it is referred to
 * from. */
struct reference {
    uint32_t to;
    path_id from;
};

/* {0} is empty. */
struct references {
    struct reference *all; /* malloc'd */
    size_t len, cap;
};

static inline void references_add(struct references *r, uint32_t to, path_id from)
{
    r->all = grow(r->all, r->len, &r->cap, sizeof(*r->all));
    r->all[r->len++] = (struct reference){to, from};
}

/* By what they refer to, then by where they come from, each once. O(references); 8 bytes
 * for each while it runs. */
void references_sort(struct references *r);

/* How many stand from number i on that refer to what number i does. */
static inline size_t references_run(const struct references *r, size_t i)
{
    size_t end = i + 1;
    while (end < r->len && r->all[end].to == r->all[i].to)
        end++;
    return end - i;
}

void references_free(struct references *r);

#endif

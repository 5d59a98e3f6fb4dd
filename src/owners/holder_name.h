/* holder_name.h - what holds something, as a short list of types.
 *
 * A path may be as deep as the heap. One that is longer than both ends together is shown
 * without what is between: names of holders, and patterns for them, are all made here, so
 * that what one report prints matches in another. */
#ifndef HOLDER_NAME_H
#define HOLDER_NAME_H

#include "owners/ownership_tree.h"

enum {
    HOLDER_HEAD_LABELS = 16,
    HOLDER_TAIL_LABELS = 16,
    HOLDER_MOST_LABELS = HOLDER_HEAD_LABELS + 1 + HOLDER_TAIL_LABELS
};

#define HOLDER_OMITTED "…"

struct holder_namer {
    const struct labels *labels;
    const struct full_tree *f;
    uint32_t *depth;
    path_id
        *head; /* the ancestor that ends the first labels, or the path itself above it */
};

/* For the paths of a full ownership tree; arrays in a. O(paths). */
struct holder_namer holder_namer_of(const struct labels *labels, const struct full_tree *f,
                                    struct arena *a);

/* The names from below the root down to p, HOLDER_OMITTED where some are left out; how
 * many. They live as long as the labels. */
size_t holder_names(const struct holder_namer *n, path_id p,
                    const char *names[HOLDER_MOST_LABELS]);

/* The same as one line: "[static var App.s_all] → List<Order> → Order[]"; "[roots]" for the
 * root. */
void holder_name(struct text *out, const struct holder_namer *n, path_id p);

#endif

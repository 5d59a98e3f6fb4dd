/* holder_parts.h - the types of what hangs below some holders, told apart from the rest.
 *
 * Whoever asks puts holders into parts, by their names as holders.h makes them; each part
 * becomes a snapshot of its own. It does not know what the parts are for. */
#ifndef HOLDER_PARTS_H
#define HOLDER_PARTS_H

#include "owners/ownership_tree.h"

/* What objects on no chain from a root are held by. */
#define HOLDER_UNREACHABLE "[unreachable]"

struct holder_parts {
    size_t count;
    /* The part of what this holder holds directly, or count: it is in none. Several
     * threads may ask at once. */
    size_t (*part_of)(const void *context, const char *holder);
    const void *context;
};

/* Per part a snapshot of the types of the objects in it that selection means, without a
 * graph, for snapshot_free(). t has snap, and nothing else, in it; part_of_path says for
 * each of its full paths in which part the objects are that hang directly below it.
 * O(paths), and O(objects) where a part has what is unreachable. */
void holder_parts_take(struct hd_snapshot **of_parts, const struct holder_parts *parts,
                       const size_t *part_of_path, const struct ownership_tree *t,
                       const struct hd_snapshot *snap, enum selection selection);

/* For each full path of such a t, what an object directly below stands for in the mean, so
 * that the error of their sum comes out right (heap/sample.h); in a. */
double *holder_scales(const struct ownership_tree *t, struct arena *a);

#endif

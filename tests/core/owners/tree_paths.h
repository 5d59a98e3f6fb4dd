/* tree_paths.h - paths of an ownership tree as lists of labels. */
#ifndef TREE_PATHS_H
#define TREE_PATHS_H

#include "owners/ownership_tree.h"

/* Number of labels from the root to an aligned path. */
static inline size_t tree_depth(const struct ownership_tree *t, path_id p)
{
    size_t depth = 0;
    for (; p != 0; p = t->parent[p])
        depth++;
    return depth;
}

/* The labels from below the root down to a path in snapshot k, not truncated; allocated in
 * a. 0: the path does not exist there. */
static inline size_t tree_full_path(const struct ownership_tree *t, path_id p, size_t k,
                                    const label_id **labels, struct arena *a)
{
    const struct full_tree *f = &t->full[k];
    path_id full = t->full_of[p * t->snapshots + k];
    size_t len = 0;
    *labels = NULL;
    if (full == NO_PATH)
        return 0;
    for (path_id at = full; at != 0; at = f->parent[at])
        len++;
    label_id *path = arena_array(a, label_id, len);
    for (size_t i = len; i-- > 0; full = f->parent[full])
        path[i] = f->label[full];
    *labels = path;
    return len;
}

#endif

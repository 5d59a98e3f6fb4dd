/* migrated.h - paths whose objects come from another path: what one gains in each step the
 * other loses, and nothing was made. Rule: docs/ranking.md. */
#ifndef MIGRATED_H
#define MIGRATED_H

#include "owners/ownership_tree.h"

/* Paths that lose objects, by label and by how many they lost. {0} has none. */
struct migrated {
    const struct ownership_tree *t;
    struct falling *falling;
    size_t len;
};

/* O(paths log paths); t must outlive it. */
struct migrated migrated_find(const struct ownership_tree *t);
void migrated_free(struct migrated *m);

/* Whether what the path gained is what another one of its type lost. */
bool migrated_away(const struct migrated *m, path_id p);

#endif

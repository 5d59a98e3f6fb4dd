/* moved.h - paths whose objects come from another path: what one gains in each step the
 * other loses, and nothing was made. Rule: docs/ranking.md. */
#ifndef MOVED_H
#define MOVED_H

#include "analysis/trie.h"

/* Paths that lose objects, by label and by how many they lost. {0} has none. */
struct moved {
    const struct trie *t;
    struct falling *falling;
    size_t len;
};

/* O(paths log paths); t must outlive it. */
struct moved moved_find(const struct trie *t);
void moved_free(struct moved *m);

/* Whether what the path gained is what another one of its type lost. Of very many that
 * lost as much it looks at MOVED_MOST. */
enum { MOVED_MOST = 256 };
bool moved_away(const struct moved *m, path_id p);

#endif

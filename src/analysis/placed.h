/* placed.h - the objects of a snapshot by where they are held: at which path of its own
 * trie, or at none. From a graph or from a digest. */
#ifndef PLACED_H
#define PLACED_H

#include "analysis/trie.h"

/* Add up, as the file has them, the selected objects at each path of f in at[path], and of
 * each type those at no path in left[type]. */
void placed_count(const struct hd_snapshot *snap, const struct full_trie *f,
                  enum selection selection, struct hd_tally *at, struct hd_tally *left);

#endif

/* placed.h - the objects of a snapshot by where they are held: at which path of its own
 * ownership tree, or at none. From a graph or from a digest. */
#ifndef PLACED_H
#define PLACED_H

#include "owners/ownership_tree.h"

/* Add up, as the file has them, the selected objects at each path of f in at[path], and of
 * each type those at no path in left[type]. */
void placed_count(const struct hd_snapshot *snap, const struct full_tree *f,
                  enum selection selection, struct hd_tally *at, struct hd_tally *left);

#endif

/* view_tree.h - how much of an ownership tree is shown.
 *
 * From one tree to another, as view.h has it for tables: of a tree the largest places stay,
 * with those above them, and what goes is added to the others beside it. */
#ifndef VIEW_TREE_H
#define VIEW_TREE_H

#include "heap/place.h"
#include "report/view.h"

/* What fits a screen with its heading. */
enum { TREE_USUAL_ROWS = 30 };

/* Say which nodes may share a line with their only child: once, when a tree is made. */
void tree_fold(struct hd_tree *t);

/* The tree with so many nodes at most that a line of its own, HD_DEFAULT_ROWS or 0 for all;
 * lines for the others not counted. Suspects come first, then by size or growth. Its
 * arrays are in a. Empty for an empty one. */
struct hd_tree view_tree(const struct hd_tree *all, uint32_t rows, size_t snapshots,
                         struct arena *a);

/* Whether one place is a variable and the other the object that it holds. *place: without a
 * type where that is the object's own, and not the class that declares the variable. */
bool tree_variable(const struct hd_tree *t, const struct hd_tree_node *variable,
                   const struct hd_tree_node *object, struct place *place);

#endif

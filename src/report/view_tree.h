/* view_tree.h - how much of an ownership tree is shown.
 *
 * From one tree to another, as view.h has it for tables: of a tree the largest places stay,
 * with those above them, and what goes is added to the others beside it. */
#ifndef VIEW_TREE_H
#define VIEW_TREE_H

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

/* The field in the name of a variable that holds an object of this type, "s_all]" of
 * "[static var App.Shop.s_all]" and "App.Shop"; or NULL. */
const char *tree_field(const char *variable, const char *type);

/* The same of two places, with the class where that declares the variable:
 * "App.Store.s_all]".
 */
const char *tree_variable(const struct hd_tree *t, const struct hd_tree_node *variable,
                          const struct hd_tree_node *object);

#endif

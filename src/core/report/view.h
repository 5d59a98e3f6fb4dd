/* view.h - which rows of an answer are shown, how many, and in which order.
 *
 * A view is a function from one model to another that reads no snapshot and changes no
 * result: ranks, scores and totals are preserved. Another view of the same model needs no
 * other analysis: hd_report.found has all rows. Rows are chosen and sorted first
 * (view_diff, view_top) and cut when their number is known (view_cut), which depends on the
 * output format.
 *
 * Must not depend on the analysis of rows or on their output. */
#ifndef VIEW_H
#define VIEW_H

#include "heap/place.h"
#include "report/report.h"

struct view {
    const char *const *types; /* patterns; a row must match one, if there are any */
    size_t type_count;
    const char *const *excludes; /* patterns; rows that match one are hidden */
    size_t exclude_count;
    bool app_only; /* no types of the framework */
    enum hd_sort sort;
};

/* Returns the view of the options; it points into them. */
struct view view_of(const struct hd_options *opt);

/* True if a row of this name is shown. r has the display names of types. */
bool view_shows(const struct view *v, const struct hd_report *r, const char *name);

/* Selects the visible suspects, rows below the threshold, and pools, in their order; counts
 * hidden suspects. The rest of *shown is unchanged. Arrays are those of `all` if all is
 * shown, else in a. */
void view_suspects(struct hd_diff *shown, const struct hd_diff *all, const struct view *v,
                   const struct hd_report *r, struct arena *a);

/* Returns a whole diff, not cut: the above, types that leveled off, rows of types in order,
 * and patterns without a match. */
struct hd_diff view_diff(const struct hd_diff *all, const struct view *v,
                         const struct hd_report *r, struct arena *a);

/* Stores the patterns that match no row of `types` and no title of shown's ranking. */
void view_find_unmatched(struct hd_diff *shown, const struct hd_type_table *types,
                         const struct view *v, const struct hd_report *r, struct arena *a);

/* Returns the rows of a top in order, not cut. */
struct hd_top view_top(const struct hd_top *all, const struct view *v,
                       const struct hd_report *r, struct arena *a);

/* Cuts each table to `rows` rows (HD_DEFAULT_ROWS, or 0 for all), records their number, and
 * sums up the others, in a. r may be a shallow copy of a report. */
void view_cut(struct hd_report *r, uint32_t rows, struct arena *a);

/* --- trees ---------------------------------------------------------------- */

/* The visible part of an ownership tree: the largest places with their ancestors; the
 * others are added to a sibling, "the others". */

/* Fits a screen with its heading. */
enum { TREE_USUAL_ROWS = 30 };

/* Marks nodes that may share a line with their only child; once, when a tree is made. */
void tree_fold(struct hd_tree *t);

/* Returns the tree with at most `rows` nodes that have a line of their own
 * (HD_DEFAULT_ROWS, or 0 for all), not counting lines for the others. Suspects come first,
 * then by size or growth. Its arrays are in a. Empty for an empty one. */
struct hd_tree view_tree(const struct hd_tree *all, uint32_t rows, size_t snapshots,
                         struct arena *a);

/* True if one place is a variable and the other the object that it holds. *place: without a
 * type if that is the object's own, not the class that declares the variable. */
bool tree_variable(const struct hd_tree *t, const struct hd_tree_node *variable,
                   const struct hd_tree_node *object, struct place *place);

#endif

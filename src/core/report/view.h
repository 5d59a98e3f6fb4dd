/* view.h - which rows of an answer are shown, in which order, and how many of them.
 *
 * An analysis finds what it finds; what is looked at of it is a view: a function from one
 * model to another that reads no snapshot and changes nothing. Ranks, scores and totals
 * stay as they are. Another view of the same model costs no other analysis: the whole of it
 * is kept in hd_report.found. Rows are chosen and sorted first (view_diff, view_top) and
 * cut when it is known how many fit (view_cut), which depends on the output format.
 *
 * It does not know how rows came about, nor how they are printed. */
#ifndef VIEW_H
#define VIEW_H

#include "heap/place.h"
#include "report/report.h"

struct view {
    const char *const *types; /* patterns; a row must match one, if there are any */
    size_t type_count;
    const char *const *excludes; /* patterns; a row must match none */
    size_t exclude_count;
    bool app_only; /* no types of the framework */
    enum hd_sort sort;
};

/* What the options mean. It points into them. */
struct view view_of(const struct hd_options *opt);

/* Whether a row of this name stays. r tells by which names types are shown. */
bool view_shows(const struct view *v, const struct hd_report *r, const char *name);

/* The suspects, what scores less, and what pools hold: those that stay, in their order;
 * and how many suspects do not. The rest of *shown stays as it is. Arrays are those of all
 * where nothing is hidden, else in a. */
void view_suspects(struct hd_diff *shown, const struct hd_diff *all, const struct view *v,
                   const struct hd_report *r, struct arena *a);

/* All of a diff, not cut: the same, and what stopped, rows of types in order, and patterns
 * that match nothing. */
struct hd_diff view_diff(const struct hd_diff *all, const struct view *v,
                         const struct hd_report *r, struct arena *a);

/* The rows of a top in order, not cut. */
struct hd_top view_top(const struct hd_top *all, const struct view *v,
                       const struct hd_report *r, struct arena *a);

/* Show so many rows of each table, HD_DEFAULT_ROWS or 0 for all: say how many that are, and
 * sum up the others, in a. r may be a shallow copy of a report. */
void view_cut(struct hd_report *r, uint32_t rows, struct arena *a);

/* --- trees ---------------------------------------------------------------- */

/* How much of an ownership tree is shown: the largest places stay, with those above them,
 * and what goes is added to the others beside it. */

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

/* report_suspects.h - a ranking as rows of a report: suspects, rows below the threshold,
 * pools; causes of growth, and types that leveled off. */
#ifndef REPORT_SUSPECTS_H
#define REPORT_SUSPECTS_H

#include "owners/ownership_tree.h"
#include "ranking/leak_ranking.h"
#include "ranking/table_ranking.h"
#include "report/report.h"
#include "series/series.h"
#include "series/suspicion.h"

struct suspect_rows {
    struct hd_report *r;
    const struct series *s;
    const struct series_index *rows; /* of s */
    const struct hd_options *opt;
    const struct ownership_tree *tree; /* NULL: ranked by tables */
    const struct cohorts *cohorts;     /* of tree; NULL if unknown */
    struct holder_namer namer; /* of the last usable snapshot; set by suspects_by_graph() */

    /* The paths of each of r->diff.suspects. */
    path_id *heads;
    label_id *whole_types;              /* NO_LABEL: only at its head */
    const struct ranked_type **ranking; /* by graph: all its places */
};

/* Fills in the rows of r->found.diff, without chains; those of the ranking that are shown
 * in r->diff as well; and r->diff.growth as far as known; lowers the confidence if growth
 * is unexplained. scratch must outlive the use of heads. */
void suspects_by_graph(struct suspect_rows *to, struct arena *scratch);
void suspects_by_tables(struct suspect_rows *to, struct arena *scratch);

/* Adds the code that allocated the objects of r->diff's suspects, from the samples of the
 * last usable snapshot, which needs its graph if it has one. Nothing if not sampled. */
void report_add_sites(struct hd_report *r, const struct suspect_rows *rows);

/* --- the ownership tree -------------------------------------------------------------- */

/* Fills in r->found.tree: for r->focus, or for the whole heap. rows marks the suspects that
 * are shown; NULL without a ranking. False and err if it would exceed the memory limit of
 * c. */
bool report_add_tree(struct hd_report *r, struct hd_comparison *c,
                     const struct ownership *owned, const struct suspect_rows *rows,
                     const struct hd_options *opt, struct hd_error *err);

/* Does the same for the only snapshot, or the only usable one, which has references and
 * roots. False and err if its graph cannot be read again. */
bool report_add_tree_of_one(struct hd_report *r, struct hd_comparison *c,
                            const struct hd_options *opt, struct hd_error *err);

/* Fills in r->found.tree from sampled allocations that survive: the methods on their
 * stacks, from the outermost down. False and err if no snapshot has any. */
bool report_add_tree_of_sites(struct hd_report *r, struct hd_snapshot *const *snaps,
                              struct hd_error *err);

/* --- holders ------------------------------------------------------------------------- */

/* One row for one leak of --by=holder.
 *
 * The contents of a static variable grow in each of the places below it: in the
 * dictionary's array, in its nodes, in their referents. The topmost suspect represents the
 * others. Must not depend on graphs; places are compared by name. */
/* The places that a row represents, by their scores. */
struct joined_holder {
    const char **below;
    size_t len;
};

/* Joins the suspects of t, rows that reach the threshold, and sorts it again: one result
 * for each row of t. A row that represents others has the counts, bytes and scores of all.
 * In a. */
struct joined_holder *nested_holders_join(struct ranking *t, size_t snapshots,
                                          const struct suspect_line *line, double whole,
                                          struct arena *a);

#endif

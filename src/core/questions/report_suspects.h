/* report_suspects.h - a ranking as rows of a report: suspects, what scores less, what pools
 * hold; where the growth went, and what has stopped. */
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
    const struct births *births;       /* of it; NULL: not known */
    struct holder_namer namer; /* of the last usable snapshot; set by suspects_by_graph() */

    /* Of each of r->diff.suspects: where its instances are. */
    path_id *heads;
    label_id *whole_types;              /* NO_LABEL: at its head only */
    const struct ranked_type **ranking; /* by graph: all its places */
};

/* Fill in the rows of r->found.diff, without chains; those of the ranking that are shown in
 * r->diff as well; and r->diff.growth as far as it can be known; lower the confidence where
 * nothing explains the growth. scratch must live as long as heads are used. */
void suspects_by_graph(struct suspect_rows *to, struct arena *scratch);
void suspects_by_tables(struct suspect_rows *to, struct arena *scratch);

/* Which code allocated the objects of r->diff's suspects, by the samples of the last usable
 * snapshot, whose graph must be there if it has one. Nothing if nobody sampled. */
void report_add_sites(struct hd_report *r, const struct suspect_rows *rows);

/* --- the ownership tree -------------------------------------------------------------- */

/* Fill in r->found.tree: of r->focus, or of the whole heap. rows marks the suspects that
 * are shown; NULL: there is no ranking. False and err if it takes more memory than c may
 * use. */
bool report_add_tree(struct hd_report *r, struct hd_comparison *c,
                     const struct ownership *owned, const struct suspect_rows *rows,
                     const struct hd_options *opt, struct hd_error *err);

/* The same of the only snapshot, or of the only usable one, which has references and
 * roots. False and err if its graph cannot be read again. */
bool report_add_tree_of_one(struct hd_report *r, struct hd_comparison *c,
                            const struct hd_options *opt, struct hd_error *err);

/* Fill in r->found.tree by samples of allocations that are there: the methods on their
 * stacks, from the outermost down. False and err if no snapshot has any. */
bool report_add_tree_of_sites(struct hd_report *r, struct hd_snapshot *const *snaps,
                              struct hd_error *err);

/* --- holders ------------------------------------------------------------------------- */

/* One row for one leak of --by=holder.
 *
 * What a static variable holds grows in each of the places below it: in the dictionary's
 * array, in its nodes, in what they refer to. Of such suspects the topmost speaks for all.
 * It knows places by their names, and no graph. */
/* The places that a row speaks for, by their scores. */
struct joined_holder {
    const char **below;
    size_t len;
};

/* Join the suspects of t, rows that reach the line, and order it again: one for each row
 * of t. A row that speaks for others has the counts, bytes and scores of all. In a. */
struct joined_holder *nested_holders_join(struct ranking *t, size_t snapshots,
                                          const struct suspect_line *line, double whole,
                                          struct arena *a);

#endif

/* report_suspects.h - a ranking as rows of a report: suspects, what scores less, what pools
 * hold; where the growth went, and what has stopped. */
#ifndef REPORT_SUSPECTS_H
#define REPORT_SUSPECTS_H

#include "owners/ownership_tree.h"
#include "ranking/leak_ranking.h"
#include "report/report.h"
#include "series/series.h"

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

#endif

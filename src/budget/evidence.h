/* evidence.h - what a run shows, for rules to be held against: the series by type and by
 * holder, and the ranking.
 *
 * It points into what others made and owns nothing. It knows no rule. */
#ifndef EVIDENCE_H
#define EVIDENCE_H

#include "analysis/series.h"

/* A row of the ranking, suspects first. */
struct scored {
    const char *type, *subject;
    const char *holder; /* "[static var App.s_all] → Order[]"; NULL unknown */
    double score, share;
};

struct evidence {
    const struct series *types;
    const struct series *holders; /* the same snapshots by holder; NULL: not known */
    const struct tally *reachable;
    const struct scored *scored; /* by score, descending */
    size_t scored_count;
    bool bytes_known;           /* scores are bytes; else objects */
    double min_share;           /* of --min-score, for rules without a score of their own */
    uint64_t min_bytes;         /* instead, if not 0 */
    const char *doubt;          /* why nothing can pass, or NULL: snapshots out of order */
    const char *no_evidence;    /* why nothing can fail either, or NULL: only garbage */
    const uint64_t *iterations; /* per snapshot, or NULL */
    bool (*shows)(const void *filter, const char *name); /* --type and the like */
    const void *filter;
};

/* The ranking in order of its types. */
struct scored_index {
    const struct scored *rows;
    struct scored_row *by_type;
    size_t count;
};

enum { NO_SCORED = -1 };

/* In a; e must outlive it. */
struct scored_index scored_index_of(const struct evidence *e, struct arena *a);

/* The row of the ranking for a type, or NO_SCORED. */
int64_t scored_index_find(const struct scored_index *index, const char *type);

#endif

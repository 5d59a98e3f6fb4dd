/* evidence.h - what a run shows, for rules to be held against: the series by type and by
 * holder, and the ranking.
 *
 * It points into what others made and owns nothing. It knows no rule. */
#ifndef EVIDENCE_H
#define EVIDENCE_H

#include "series/series.h"

/* Why a finding is what it is, in short: the sentences are made where findings are printed
 * (report/phrases.h). */
static inline struct hd_reason because(enum hd_reason_code code)
{
    return (struct hd_reason){.code = code};
}

/* One place that a row of the ranking is held at. */
struct scored_head {
    const char *holder; /* "[static var App.s_all] → Order[]" */
    double score;       /* its part of the row's */
};

/* A row of the ranking, suspects first. */
struct scored {
    const char *type, *subject;
    const char *holder;              /* of the largest head; NULL unknown */
    const struct scored_head *heads; /* all of them, or none are told */
    size_t head_count;
    double score, share;
    double noise; /* the score is off by up to so much: samples */
    bool suspect; /* the ranking calls it one, by its size or because it is steady */
    bool steady;  /* grows by about as much in every step: a suspect of any size */
};

struct evidence {
    const struct series *types;
    const struct series *holders; /* the same snapshots by holder; NULL: not known */
    /* What hangs below excused holders, by type: a series for each suppression, by its
     * number; of no use for those of types. NULL: not known. */
    const struct series *suppressed;
    const struct hd_tally *reachable;
    const double *reachable_noise; /* of its bytes, per snapshot */
    const struct scored *scored;   /* by score, descending */
    size_t scored_count;
    double heap;        /* that shares of scores are of; 0 unknown */
    bool bytes_known;   /* scores are bytes; else objects */
    double min_share;   /* of --min-score, for rules without a score of their own */
    uint64_t min_bytes; /* instead, if not 0 */
    double min_steady;  /* a steady row that scores less of the heap is no suspect */

    /* What min_steady was given as, if it was a size; else 0. */
    uint64_t min_steady_bytes;

    /* Without a reason their codes are HD_REASON_NONE. */
    struct hd_reason doubt;         /* why nothing can pass: out of order, filtered */
    struct hd_reason unexplained;   /* why "no suspect" is no pass: growth that no suspect
                                    explains */
    struct hd_reason stopped;       /* why --strict does not take it: what grew and stayed,
                                    though nothing grows any more */
    const struct hd_native *native; /* why "no suspect" is no pass either */
    size_t native_count;
    struct hd_reason pools;       /* what a pass tells besides: growth of pools */
    struct hd_reason hidden;      /* the same: suspects that are not shown, or nothing is */
    struct hd_reason no_evidence; /* why nothing can fail either: only garbage */
    const uint64_t *iterations;   /* per snapshot, or NULL */
    bool (*shows)(const void *context, const char *name); /* --type and the like */
    /* What patterns select; NULL: names_match() */
    bool (*matches)(const void *context, const char *pattern, const char *name);
    const void *context;
};

/* Whether a pattern of a budget or a suppression selects a type or a holder. */
bool evidence_matches(const struct evidence *e, const char *pattern, const char *name);

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

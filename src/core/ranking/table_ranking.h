/* table_ranking.h - ranks suspected types by type tables alone.
 *
 * The score is a type's gain in shallow bytes, at the rate of the second half of the
 * series, reduced if it grows unsteadily or slows down. Ownership is unknown here, so
 * strings and arrays that a leak keeps alive rank next to it. Formula: docs/ranking.md. */
#ifndef TABLE_RANKING_H
#define TABLE_RANKING_H

#include "ranking/confidence.h"
#include "series/series.h"

struct suspect {
    const struct series_row *row;
    double score;           /* bytes; objects if bytes are unknown */
    double tau;             /* of the counts, or of the bytes if it grows in size */
    bool is_jump;           /* it grew in one step only */
    bool is_repeated;       /* it rose in every step, or is sure to rise */
    int64_t count_delta;    /* last minus first usable snapshot */
    uint64_t per_iteration; /* "exactly q per iteration", or HD_UNKNOWN */
};

struct ranking {
    struct suspect *all; /* by score, then growth in count, then name; in a */
    size_t len;
};

/* The whole number q >= 1 with q more per iteration in every step, the strongest evidence
 * there is; HD_UNKNOWN without one, without iterations, and for counts that are
 * estimates. */
uint64_t growth_per_iteration(const struct series *s, const struct series_row *row,
                              const uint64_t *iterations);

/* Ranks types, except those with score 0 and free space. iterations as in
 * series_align(). */
struct ranking growth_rank(const struct series *s, const uint64_t *iterations,
                           struct arena *a);

/* Returns the growth of the rest of a table, which is everything except suspects and free
 * space. suspects: all objects of each, per snapshot; heap: total of the last. */
struct rest_growth table_rest_growth(const struct series *s,
                                     const struct hd_tally *const *suspects, size_t count,
                                     double heap);

#endif

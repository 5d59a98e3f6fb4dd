/* confidence.h - what a leak has to be so that a series shows it, and how sure the ranking
 * may be.
 *
 * An all-clear is worth what it would not have missed. That follows from the rules of the
 * ranking alone: their lines (suspicion.h), how many objects births.h needs, and how
 * even steps have to be. docs/ranking.md, "What would have shown", has the table. It knows
 * no heap but its size. */
#ifndef CONFIDENCE_H
#define CONFIDENCE_H

#include "series/suspicion.h"
#include "series/trend.h"

/* --- has it grown? --------------------------------------------------------------- */

/* Of any numbers that no finding holds. It wants no reason to believe in a leak, as the
 * ranking does, but one to deny it; so any shape counts that ends higher than it began, and
 * three explanations only: it stayed where it was after it grew, it has swung as far and
 * back before, it is too little. docs/ranking.md, "Unexplained growth". */
struct rest_growth {
    bool grew;    /* and nothing explains it */
    bool stayed;  /* it grew, and then stayed as large: not `grew` */
    double share; /* of the heap: by how much it did either; 0: it did not */
    size_t since; /* the last point at which it was no larger yet than where it began */
};

/* rest: what no finding holds, 2 points or more, in the unit of `heap`, which is all of the
 * last point. stopped: what is known to have grown and stayed within it. O(n^3) of at most
 * TREND_MAX_POINTS points. */
struct rest_growth rest_growth_of(const struct trend *rest, double heap, double stopped);

/* --- how sure -------------------------------------------------------------------- */

struct power_question {
    size_t snapshots;               /* that can be compared */
    enum hd_identity_source source; /* how it is known who stayed */
    bool by_graph, sampled;
    const struct suspect_line *line;
    double heap; /* what shares are of: bytes, or objects where bytes are unknown */
};

struct hd_power power_of(const struct power_question *q);

/* Whether "nothing keeps growing" may be said with high confidence: most slow leaks would
 * have shown. */
bool power_is_high(size_t snapshots, enum hd_identity_source source);

/* Where the growth went; shares are of the heap. */
struct growth_question {
    const struct rest_growth *open; /* what nothing explains */
    double stopped_share;           /* of the largest type that grew and stayed; 0: none */
    bool has_suspects, has_undecided;
    int64_t growth, rest; /* bytes; the rest is what neither suspects nor pools have; 0, 0:
                             of tables that is not known */
    enum hd_confidence confidence; /* by the number of snapshots and what they are */
    size_t snapshots;
    enum hd_identity_source source;
    bool by_iterations;     /* the axis: each of them ends, so time is no limit */
    double seconds, uptime; /* that they span; of the process at the first; NAN: unknown */
};

struct growth_verdict {
    bool is_open;        /* something grew that nothing explains */
    bool is_unexplained; /* and no suspect is there that would be the greater part of it */
    bool has_stopped;    /* so much grew and stayed that silence would be wrong */
    double stopped_share;
    bool is_one_type; /* that stopped; else it is all together */
    enum hd_confidence confidence;
    enum hd_time_limit time_limit; /* on the confidence in suspects */
};

/* The one place that says whether the heap has grown by what nothing explains: the report,
 * the gate and fleet go by it. Without a suspect, what cannot be shown and what might not
 * have shown take a step of confidence, whether it is one reason or two. */
struct growth_verdict growth_verdict_of(const struct growth_question *q);

#endif

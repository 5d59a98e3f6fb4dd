/* confidence.h - which leaks a series would show, and how confident the ranking may be.
 *
 * An all-clear is only as good as the leaks that it would have found. These follow from the
 * rules of the ranking alone: their thresholds (suspicion.h), the number of objects that
 * cohorts.h needs, and the required evenness of steps. docs/ranking.md, "What would have
 * shown". Must not depend on the heap, except for its size. */
#ifndef CONFIDENCE_H
#define CONFIDENCE_H

#include "series/suspicion.h"
#include "series/trend.h"

/* --- has it grown? --------------------------------------------------------------- */

/* Growth of any numbers outside of all findings. It needs no evidence of a leak, as the
 * ranking does, but evidence against one; so any shape that ends higher than it began
 * counts, with three exceptions: it leveled off after it grew, it has swung as far and back
 * before, or it is too small. docs/ranking.md, "Unexplained growth". */
struct rest_growth {
    bool grew;        /* and no exception applies */
    bool leveled_off; /* grew, then leveled off: not `grew` */
    double share;     /* of the heap: size of the growth in either case; else 0 */
    size_t since;     /* the last point that is not above the first one */
};

/* rest: the values outside of all findings, 2 points or more, in the unit of `heap`, which
 * is the total of the last point. leveled_off: growth known to have leveled off within it.
 * O(n^3) with at most TREND_MAX_POINTS points. */
struct rest_growth rest_growth_of(const struct trend *rest, double heap,
                                  double leveled_off);

/* --- how sure -------------------------------------------------------------------- */

struct power_question {
    size_t snapshots;               /* comparable ones */
    enum hd_identity_source source; /* source of the identity of objects */
    bool by_graph, sampled;
    const struct suspect_line *line;
    double heap; /* base of shares: bytes, or objects if bytes are unknown */
};

struct hd_power power_of(const struct power_question *q);

/* True if an all-clear has high confidence: most slow leaks would have shown. */
bool power_is_high(size_t snapshots, enum hd_identity_source source);

/* Input for growth_verdict_of(); shares are of the heap. */
struct growth_question {
    const struct rest_growth *open; /* growth without an explanation */
    double leveled_off_share;       /* of the largest type that leveled off, or 0 */
    bool has_suspects, has_undecided;
    bool is_repeated;     /* the first suspect's growth is more than a jump or two */
    int64_t growth, rest; /* bytes; rest: outside of suspects and pools; both 0 for tables,
                             which cannot give it */
    enum hd_confidence confidence; /* by number and kind of snapshots */
    size_t snapshots;
    enum hd_identity_source source;
    bool by_iterations;     /* the axis is iterations: any time is enough */
    double seconds, uptime; /* span of the snapshots; age of the process at the first; NAN:
                               unknown */
};

struct growth_verdict {
    bool is_open;         /* there is growth without an explanation */
    bool is_unexplained;  /* and suspects explain less than half of the growth */
    bool has_leveled_off; /* enough has leveled off to be reported */
    double leveled_off_share;
    bool is_one_type; /* that leveled off; else all together */
    enum hd_confidence confidence;
    enum hd_time_limit time_limit; /* on the confidence in suspects */
};

/* Decides whether the heap has unexplained growth, for the report, the gate and fleet.
 * Without a suspect, growth that cannot be shown and leaks that might have been missed cost
 * one step of confidence, together or alone. */
struct growth_verdict growth_verdict_of(const struct growth_question *q);

#endif

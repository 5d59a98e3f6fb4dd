/* power.h - what a leak has to be so that a series shows it.
 *
 * An all-clear is worth what it would not have missed. That follows from the rules of the
 * ranking alone: their lines (suspicion.h), how many objects retention.h needs, and how
 * even steps have to be. docs/ranking.md, "What would have shown", has the table. It knows
 * no heap but its size. */
#ifndef POWER_H
#define POWER_H

#include "series/suspicion.h"

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

#endif

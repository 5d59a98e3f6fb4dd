/* process_growth.h - whether a process grew outside of the objects that snapshots show, and
 * where.
 *
 * A verdict on the heap is worth little where the heap is not what grew. By the facts that
 * come with each snapshot (heap/process_facts.h) the size of the process falls into parts,
 * and a part that keeps growing is named. docs/process.md has the rule, and how often it
 * was right. Without facts nothing is said. */
#ifndef PROCESS_GROWTH_H
#define PROCESS_GROWTH_H

#include "series/series.h"

/* Of the snapshots that can be compared and tell the size, in a; NULL: fewer than two do.
 */
const struct hd_process_growth *process_growth_of(const struct series *s, struct arena *a);

/* --- the rule, for its tests ---------------------------------------------------- */

/* The process in the first and the last snapshot. */
struct process_ends {
    uint64_t size, last_size; /* bytes */
    double seconds;           /* between them; NAN: unknown */
};

/* Whether a part, of so many bytes per snapshot, keeps growing. What native code takes
 * rises in nearly every step, and does not slow down as a start does; what the collector
 * keeps swings, so all of the later half must be more than all of the earlier one. Within
 * seconds the runtime's own work (compiling again what is hot, sessions of snapshots) looks
 * the same, so a brief series has to show more. */
bool process_part_keeps_growing(enum hd_process_part part, const uint64_t *at, size_t count,
                                const struct process_ends *of);

#endif

/* process_growth.h - whether a process grew outside of the objects that snapshots show, and
 * in which part.
 *
 * A verdict on the heap has little value if something else grew. Facts recorded with each
 * snapshot (heap/process_facts.h) divide the size of the process into parts, and a part
 * that keeps growing is named. docs/process.md has the rule and its success rate. The
 * verdict needs facts. */
#ifndef PROCESS_GROWTH_H
#define PROCESS_GROWTH_H

#include "series/series.h"

/* Uses the snapshots that can be compared and have a size; NULL if fewer than two have. In
 * a. */
const struct hd_process_growth *process_growth_of(const struct series *s, struct arena *a);

/* --- the rule, for its tests ---------------------------------------------------- */

/* The process in the first and the last snapshot. */
struct process_ends {
    uint64_t size, last_size; /* bytes */
    double seconds;           /* between them; NAN: unknown */
};

/* True if a part keeps growing; at: bytes per snapshot. Memory of native code rises in
 * nearly every step, and does not slow down as a start does; memory of the collector
 * swings, so all of the later half must be more than all of the earlier one. Over seconds
 * the runtime's own work (recompiling hot code, sessions of snapshots) looks the same, so a
 * brief series must show more growth. */
bool process_part_keeps_growing(enum hd_process_part part, const uint64_t *at, size_t count,
                                const struct process_ends *of);

#endif

/* plan.h - how many graphs are in memory and worked on at the same time.
 *
 * Decided before any of them is touched, from their numbers of objects and references and
 * from what may be used (hd_read_options.max_memory). It decides about time only: answers
 * never depend on it, and when not even one snapshot fits, that is an error and not a
 * smaller answer, since what is free differs from run to run. */
#ifndef PLAN_H
#define PLAN_H

#include "heap/snapshot.h"

struct plan {
    unsigned at_once; /* snapshots that are worked on at the same time; at least 1 */
    bool keep;        /* graphs may stay until the question is answered */
    uint64_t left;    /* bytes for what is built beside; UINT64_MAX: no limit */
};

/* What is done with a graph: how many bytes that takes beside it. */
typedef uint64_t plan_work(uint64_t objects, uint64_t references);
uint64_t plan_dominators(uint64_t objects, uint64_t references);
uint64_t plan_walk(uint64_t objects, uint64_t references);

/* Plan work on the graphs of snaps; some may have none. Graphs that would be in the way are
 * given back. HD_TOO_BIG, and which one in err->snapshot, if one does not fit. */
bool plan_graphs(struct plan *plan, struct hd_snapshot *const *snaps, size_t count,
                 plan_work *work, const struct hd_read_options *how, struct hd_error *err);

#endif

/* waiting.h - the snapshots of a store_queue, in the order in which they came, and which of
 * them goes when there are too many. It knows no store. */
#ifndef WAITING_H
#define WAITING_H

#include "cli/live/storing.h"

struct waiting_snapshot {
    struct waiting_snapshot *next;
    struct waiting_snapshot *before; /* the one before of its series that waits; NULL */
    uint64_t series;
    double added;
    struct hd_memory digest;
    struct hd_run run; /* its strings and labels are ours */
    double pause_seconds;
    char who[160];
    bool was_refused; /* a try failed, which was told */
};

/* Append one, whatever the limits are. The bytes of the digest are taken over. added:
 * seconds of a clock that nobody sets. */
void waiting_add(struct store_queue *q, struct hd_memory *digest,
                 const struct queued_snapshot *what, double added);

/* Take one out and free it. */
void waiting_drop(struct store_queue *q, struct waiting_snapshot *w);

bool waiting_are_too_many(const struct store_queue *q);

/* What is missed least: the one whose neighbours of the same series are nearest to each
 * other, so that what is left of each series is spread over all of its time; the oldest
 * where no series has three. */
struct waiting_snapshot *waiting_least(const struct store_queue *q);

#endif

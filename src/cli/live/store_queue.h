/* store_queue.h - snapshots of a running process on their way into a store.
 *
 * They wait as digests in memory. One is only called stored when the store has said so; a
 * store that is away is tried again, less and less often, and if that takes so long that
 * too many wait, the oldest goes, with a word about it. No connection is kept meanwhile:
 * ten thousand sidecars would be ten thousand of them. It does not know where snapshots
 * come from. */
#ifndef STORE_QUEUE_H
#define STORE_QUEUE_H

#include "cli/options/settings.h"
#include "heapdrift_store.h"

/* Four days of a snapshot an hour; a digest has some ten kilobytes. */
enum { MOST_WAITING = 100, MOST_WAITING_BYTES = 64 << 20 };

struct waiting_snapshot;

/* What stands above the empty line is set by the caller, the rest is {0}. */
struct store_queue {
    const char *url;
    double keep_seconds; /* what is older is thinned out once a day; 0: never */
    double spread;       /* multiplies delays, so that not all try again at once */
    bool quiet, tells;   /* no warnings; a line for each that was stored */

    struct waiting_snapshot *first, *last;
    size_t count, bytes;
    double next_try, delay; /* seconds, of a clock that nobody sets */
    double thinned;         /* when that was last; 0: never */
    uint64_t stored, lost;
};

/* Whether the store can be opened. False after saying why not; then is_away tells whether
 * that may change by itself. */
bool store_queue_probe(struct store_queue *q, bool *is_away);

/* Append a snapshot; its bytes are taken over, run is copied. who is for messages. */
void store_queue_add(struct store_queue *q, struct hd_memory *digest,
                     const struct hd_run *run, double pause_seconds, const char *who);

/* Store what waits, if it is time for another try, or now. True if nothing waits any
 * more. */
bool store_queue_flush(struct store_queue *q, bool now);

/* What still waits is lost, and that is told. */
void store_queue_end(struct store_queue *q);

#endif

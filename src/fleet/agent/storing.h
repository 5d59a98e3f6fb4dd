/* storing.h - snapshots of running processes, and what is known of their runs, on the way
 * into a store. It knows neither when nor how often.
 *
 * Snapshots wait as digests in memory. One is only called stored when the store has said
 * so; a store that is away is tried again, less and less often, and if that takes so long
 * that too many wait, one goes, with a word about it: that which its series misses least.
 * No connection is kept meanwhile: ten thousand sidecars would be ten thousand of them. */
#ifndef STORING_H
#define STORING_H

#include "heapdrift_store.h"

#include "collect/live/collecting.h"
#include "fleet/agent/run_facts.h"

/* The process may be gone when it is stored, and with it what was known of it. */
struct waiting_snapshot {
    char who[160];        /* in messages */
    uint64_t series;      /* which of the processes of this queue */
    double pause_seconds; /* NAN: not known */
    struct hd_memory digest;
    struct run_facts facts;

    struct waiting_snapshot *next;
    struct waiting_snapshot *before; /* the one before of its series that waits; NULL */
    double added;
    bool was_refused; /* a try failed, which was told */
};

/* What stands above the empty line is set by the caller, the rest is {0}. */
struct store_queue {
    const char *url;
    double keep_seconds; /* what is older is thinned out once a day; 0: never */
    double spread;       /* multiplies delays, so that not all try again at once */
    bool quiet;          /* no warnings, and no line for each that was stored */

    struct waiting_snapshot *first, *last;
    struct hd_store_bases *bases; /* kept: a sidecar may read none */
    size_t count, bytes;
    double next_try, delay; /* seconds, of a clock that nobody sets */
    double thinned;         /* when that was last; 0: never */
    uint64_t stored, lost;
    bool is_away; /* the last try failed */
};

/* A queue for --store and --keep, which says what it stored unless s is quiet. */
struct store_queue storing_begin(const struct settings *s);

/* Whether the store can be opened. False after saying why not; then is_away tells whether
 * that may change by itself. */
bool storing_probe(struct store_queue *q, bool *is_away);

/* Whether no waiting mends why a snapshot could not be recorded: it is itself to blame. */
bool storing_is_for_ever(const struct hd_error *err);

/* Append one, whose digest and facts are taken over. */
void storing_add(struct store_queue *q, const struct waiting_snapshot *what);

/* Store what waits, if it is time for another try, two seconds long; or now, all of it.
 * True if nothing waits any more. A server that does not answer is waited for ten seconds,
 * a file that others write sixty. */
bool storing_flush(struct store_queue *q, bool now);

/* Store what waits, at most half a minute long, and lose what is left. Whether nothing was
 * lost since storing_begin(). A signal ends the waiting. */
bool storing_end(struct collector *c, struct store_queue *q);

/* --- waiting.c ------------------------------------------------------------------------ */

/* The snapshots of a queue, in the order in which they came, and which of them goes when
 * there are too many. */

/* The same whatever the limits are. added: seconds of a clock that nobody sets. */
void waiting_add(struct store_queue *q, const struct waiting_snapshot *what, double added);

/* Take one out and free it. */
void waiting_drop(struct store_queue *q, struct waiting_snapshot *w);

bool waiting_are_too_many(const struct store_queue *q);

/* What is missed least: the one whose neighbours of the same series are nearest to each
 * other, so that what is left of each series is spread over all of its time; the oldest
 * where no series has three. */
struct waiting_snapshot *waiting_least(const struct store_queue *q);

#endif

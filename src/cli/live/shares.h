/* shares.h - the agent's time, divided by user: snapshots are taken one at a time, and
 * those of one user, however many and slow, are not to keep another's waiting.
 *
 * Start-time fair queueing (Goyal, Vin, Cheng, 1996): whose processes have had least time
 * is next. A user who was idle has no claim to what was not used then. */
#ifndef SHARES_H
#define SHARES_H

#include <stddef.h>
#include <stdint.h>

struct time_share {
    uint64_t owner;  /* hd_process.owner */
    double used;     /* seconds that its snapshots took, from where it began */
    double rest;     /* seconds_now() from which on what has failed is tried again */
    unsigned failed; /* snapshots that failed, less one for each that did not */
    size_t watched;  /* processes */
};

/* {0} is none. */
struct time_shares {
    struct time_share **all; /* each ours; in no order */
    size_t count;
    double turn; /* used of the one whose snapshot was last taken, at its beginning */
};

/* That of a user; made if there is none yet. It stays while it is watched. now: as rest. */
struct time_share *time_share_of(struct time_shares *s, uint64_t owner, double now);

/* A snapshot of it took so many seconds; it failed, or there is one. What fails costs each
 * user a twentieth of the time at most, at first half of it. */
void time_share_failed(struct time_shares *s, struct time_share *of, double seconds,
                       double now);
void time_share_succeeded(struct time_shares *s, struct time_share *of, double seconds);

void time_shares_free(struct time_shares *s);

#endif

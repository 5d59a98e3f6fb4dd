/* shares.h - divides the agent's time by user. Snapshots are taken one at a time, and the
 * processes of one user, however many and slow, must not delay those of another.
 *
 * Start-time fair queueing (Goyal, Vin, Cheng, 1996): the user with the least used time is
 * next. Time that an idle user did not use is not owed. */
#ifndef SHARES_H
#define SHARES_H

#include <stddef.h>
#include <stdint.h>

struct time_share {
    uint64_t owner;  /* hd_process.owner */
    double used;     /* seconds that its snapshots took, from where it began */
    double rest;     /* seconds_now(); until then no failed process is tried again */
    unsigned failed; /* snapshots that failed, less one for each that did not */
    size_t watched;  /* processes */
};

/* {0} is empty. */
struct time_shares {
    struct time_share **all; /* each ours; in no order */
    size_t count;
    double turn; /* the value of used at the beginning of the last snapshot */
};

/* Returns the share of a user, and makes it if needed. It lives as long as a process of the
 * user is watched, or rests. now: seconds_now(). */
struct time_share *time_share_of(struct time_shares *s, uint64_t owner, double now);

/* Counts a snapshot that took these seconds. Failures cost each user at most a twentieth of
 * the time, the first one half of it. */
void time_share_failed(struct time_shares *s, struct time_share *of, double seconds,
                       double now);
void time_share_succeeded(struct time_shares *s, struct time_share *of, double seconds);

void time_shares_free(struct time_shares *s);

#endif

/* agent.h - what `watch --store` knows while it runs: the processes that it watches, side
 * by side, and what waits for the store. Of one process the list has one entry at most.
 *
 * Whoever reports it reads these structs: of each process struct watched, of the agent what
 * stands here, of the store struct store_queue. finding.c keeps the list, sidecar.c does
 * the rest. */
#ifndef AGENT_H
#define AGENT_H

#include "cli/live/host_lock.h"
#include "cli/live/monitoring.h"
#include "cli/live/run_facts.h"
#include "cli/live/storing.h"
#include "cli/live/taking.h"
#include "cli/live/triggering.h"
#include "cli/live/watched.h"

struct agent {
    const struct settings *settings;
    const char *root;    /* folder of /proc and /sys: "", or a test's */
    struct settings own; /* of collecting: the process is looked for here */
    struct collecting c;
    struct store_queue queue;
    struct host_lock lock;
    double interval; /* seconds */
    bool is_once;    /* `collect`: nothing is waited for, and everything is wanted */

    struct watched **all; /* each ours; in no order */
    size_t count;
    struct time_shares shares; /* of --all */
    uint64_t numbered;         /* how many there ever were */
    uint64_t attempts, taken;  /* snapshots of all of them */

    /* Whose snapshot is being taken or waits for its turn; NULL. It stays in the list. */
    struct watched *at_work;
    double turn_since; /* seconds_now() */
    struct taking taking;
    struct run_facts facts;

    /* of one process: the one that ended before this one */
    struct sighted last;
    uint64_t last_instance;

    double looked, look_seconds; /* when the last look ended; how long one at all takes */
    double clock_offset; /* between the time of day and the clock that nobody sets */
    double ticked;
    uint64_t memory; /* resident, of this process; bytes */
    struct monitoring monitoring;
    struct trigger_rules triggers; /* besides the clock */
    double memory_looked;          /* when they were last looked at; seconds_now() */
    bool told_missing, told_no_lock, told_others, told_incomplete, told_too_many;
    bool is_over; /* it ends, with this status */
    int status;
};

/* --- finding.c ------------------------------------------------------------------------ */

/* Look at all processes: what is watched may have ended or changed, and others may be there
 * that are meant. Says what is news. Takes up to some three seconds where sockets are mute.
 */
void finding_look(struct agent *a);

/* When the next look is due, seconds_now(): five seconds after the last, and up to ten
 * where processes do not answer, since nothing else is done meanwhile. */
double finding_next(const struct agent *a);

/* Whether what is known of processes is too old to take a snapshot by. */
bool finding_is_stale(const struct agent *a, double now);

/* It cannot be watched: counted, and told if that is news. what may be NULL. */
void finding_failed(struct watched *w, enum watch_failure why, const char *what);

void finding_free(struct agent *a);

#endif

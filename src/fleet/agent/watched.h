/* watched.h - a process that is watched: which one it is, which one follows when it has
 * ended, when its next snapshot is due, and what became of the last ones.
 *
 * A process is its number together with the moment it began, by the kernel's clock that
 * nobody sets: numbers are used again, and names are shared. It asks no process anything
 * and takes no snapshot. */
#ifndef WATCHED_H
#define WATCHED_H

#include "heapdrift.h"

/* --- which one ------------------------------------------------------------------ */

/* What is known of a process by looking at it. */
struct sighted {
    uint64_t pid;     /* 0: none, or known by its socket alone */
    uint64_t born;    /* ticks of the kernel since boot; 0: it cannot be seen */
    uint64_t memory;  /* bytes (RSS); HD_UNKNOWN */
    char who[160];    /* in messages: "shop (pid 4711)" */
    char host[65];    /* that it sees; "" unknown */
    char socket[256]; /* its diagnostics socket */
    char service[128];
    bool is_declared;  /* service is what its environment says, not its program's name */
    char unit[192];    /* the service of systemd that it is in; "" none or unknown */
    char *command;     /* its arguments, with blanks between; NULL: unknown */
    char problem[160]; /* why it cannot be asked; "" it can, or will be tried */
    bool is_denied;    /* that is because it is another user's */
    uint64_t owner;    /* hd_process.owner */
    unsigned runtime;  /* first number of its version; 0: unknown */
};

void sighted_free(struct sighted *seen);

/* Whether the kernel says that it is gone: what cannot be told (no file descriptors left)
 * is not. One that cannot be seen lives as long as its socket does. */
bool sighted_has_ended(const struct sighted *seen);

/* The same, or it is about to: a runtime removes its socket first. */
bool sighted_is_ending(const struct sighted *seen);

/* Whether p, of hd_processes_find(), is that process and no other with its number. */
bool sighted_is(const struct sighted *seen, const struct hd_process *p);

/* --- which one is next ------------------------------------------------------------- */

/* Of several processes of a name the one to watch: count if there is none. last is the one
 * that has ended, {0} at the beginning.
 *
 * It has to be of the same service as the last: by what their environments declare, unless
 * they are all said to be one service (--service); where neither declares any, by the
 * command line, or by the unit of systemd. Of those the one with the same command line, and
 * of several of them the newest: with two versions side by side the older one goes. What
 * may not be asked is only taken if there is no other. */
size_t sighted_choose(const struct sighted *all, size_t count, const struct sighted *last,
                      bool are_one_service);

/* --- its snapshots ------------------------------------------------------------------ */

/* Why there is no snapshot. The names are those of watch_failure_name(), for metrics. */
enum watch_failure {
    WATCH_FINE,
    WATCH_DENIED,     /* it is another user's */
    WATCH_NO_SOCKET,  /* it runs, and has no diagnostics socket any more */
    WATCH_TOO_LARGE,  /* for --max-heap, or of unknown size */
    WATCH_BUSY,       /* another collector of this host did not end */
    WATCH_SILENT,     /* it did not answer, or not to the end, in time */
    WATCH_TOO_MUCH,   /* it sent more than --memory allows */
    WATCH_ENDED,      /* it ended meanwhile */
    WATCH_NEAR_LIMIT, /* so near its limit that the collection might end it */
    WATCH_CRASHED,    /* our own process that took it was killed, or failed */
    WATCH_OTHER,
    WATCH_FAILURES
};
const char *watch_failure_name(enum watch_failure why); /* "too-large" */

struct monitored;
struct time_share;
struct process_trigger;

struct watched {
    struct sighted process;
    bool is_there;     /* it was there, and could be asked, when it was last looked for */
    bool is_announced; /* it was said that it is watched */
    bool keep_names;   /* another tracing client keeps the names of its types */
    uint64_t number;   /* of all that this agent has watched, from 1: tells series apart */
    uint64_t seed;     /* of its jitter */
    double since;      /* when it was first seen; seconds_now(), as all but last_taken */
    double begun;      /* when the last snapshot was tried; 0: never */
    double due;        /* when the next is */
    double last_well;  /* when the last one was; before it, when it was first seen */
    double last_taken; /* when the last one was, seconds since 1970; 0: none yet */
    double pause;      /* of the last one, in seconds; NAN: not known */
    uint64_t instance; /* that the last one was of; 0: unknown */
    uint64_t attempts, taken;
    double cost;            /* seconds that the last snapshot took, if it failed; else 0 */
    unsigned failed_in_row; /* those since the last snapshot that cost something */
    struct time_share *share; /* of its user; NULL: it is the only process */
    uint64_t failures[WATCH_FAILURES];
    enum watch_failure last_failure;    /* since the last snapshot */
    uint64_t objects;                   /* in the last snapshot; 0: none yet */
    double seconds;                     /* that it took, without waiting for its turn */
    struct monitored *monitored;        /* ours; NULL: nobody looks on */
    struct process_trigger *triggering; /* ours; NULL: by the clock alone */
    unsigned told; /* bits of enum watch_failure that were said since the last snapshot */
};

/* Whether this failure is news for whoever reads messages; counts it. */
bool watched_failed(struct watched *w, enum watch_failure why);
void watched_succeeded(struct watched *w);

/* --- when ----------------------------------------------------------------------------- */

/* Set its seed: the moments follow from host and pid, so they can be told beforehand, and
 * sidecars that start together do not stop all processes of a service together. */
void schedule_begin(struct watched *w);

/* From 0 to 1; number 0 is of the first snapshot. */
double schedule_share(const struct watched *w, uint64_t number);

/* Seconds from now until the first one; from the beginning of one until the next. What
 * fails takes a twentieth of the time at most, since others wait meanwhile, and among
 * others it is tried later and later, up to four intervals. */
double schedule_until_first(const struct watched *w, double interval);
double schedule_until_next(const struct watched *w, double interval);

/* When it is due: also when its user's turn is, if it has given no snapshot lately. */
double schedule_due(const struct watched *w);

/* The one to take next: of those that are there and due one of the user who has had least
 * of the time; of those the one that waits for the longest time, so that none starves.
 * NULL: none is. */
struct watched *schedule_pick(struct watched *const *all, size_t count, double now);

/* When the first of those that are there is due; INFINITY: none is there. */
double schedule_next_due(struct watched *const *all, size_t count);

/* --- divided by user ------------------------------------------------------------------ */

/* The agent's time. Snapshots are taken one at a time, and the processes of one user,
 * however many and slow, must not delay those of another.
 *
 * Start-time fair queueing (Goyal, Vin, Cheng, 1996): the user with the least used time is
 * next. Time that an idle user did not use is not owed. */
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

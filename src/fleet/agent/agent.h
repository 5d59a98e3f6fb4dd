/* agent.h - what `watch --store` knows while it runs: the processes that it watches, side
 * by side, and what waits for the store. Of one process the list has one entry at most.
 *
 * Whoever reports it reads these structs: of each process struct watched, of the agent what
 * stands here, of the store struct store_queue. Each part has a file of its own; sidecar.c
 * is the loop. */
#ifndef AGENT_H
#define AGENT_H

#include "collect/live/trigger.h"
#include "fleet/agent/metrics.h"
#include "fleet/agent/metrics_server.h"
#include "fleet/agent/run_facts.h"
#include "fleet/agent/storing.h"
#include "fleet/agent/watched.h"

struct agent;

/* --- taking.c ------------------------------------------------------------------------- */

/* One snapshot at a time on this host: a lock on a file. Collectors that open the same file
 * take turns, those of other containers included. A lock can be held for good by anybody
 * who can open its file, so it is only waited for where no stranger can. The kernel
 * releases it when the holder ends. */
struct host_lock {
    /* As given. NULL: root's is /run/heapdrift/heapdrift.lock, that of another user
     * heapdrift.lock in XDG_RUNTIME_DIR; without such a folder heapdrift-UID.lock in TMPDIR
     * or /tmp. */
    const char *path;
    int held;        /* a descriptor; -1: not held */
    const char *why; /* HOST_LOCK_NONE: the reason */
};

enum host_lock_state {
    HOST_LOCKED,
    HOST_LOCK_BUSY, /* another collector holds it */
    HOST_LOCK_NONE  /* there can be no such file, or strangers can open it */
};

/* Takes it if it is free. The file is made if it does not exist, for this user only, and
 * stays. */
enum host_lock_state host_lock_try(struct host_lock *lock);
void host_lock_release(struct host_lock *lock); /* also of one that is not held */

/* One snapshot as a digest. A process of its own costs a fork, and what goes wrong in it
 * (no memory, a crash, a peer that lies) costs its snapshot; its memory goes with it. But
 * it cannot know the snapshot before, so whoever follows objects from one to the next takes
 * them here. */

/* What came of it. */
struct taken {
    int status;                    /* EXIT_TROUBLE: there is none */
    struct hd_error err;           /* why; not said yet */
    bool has_crashed;              /* that was because its process was killed, or failed */
    struct hd_collected collected; /* of it */
    struct hd_memory digest;       /* of it; the caller's */
};

/* One that is being taken; {0}: none is. */
struct snapshot_job {
    struct collector *c;
    const char *who;
    pid_t child;
    FILE *result;   /* in memory, where the child writes */
    double give_up; /* when it is stopped, and two seconds later killed; seconds_now() */
    unsigned stops; /* how hard it was told to end */
};

/* Take it now, of the process that c->how names; by that name in messages. */
void taking_here(struct collector *c, const char *who, struct taken *t);

/* Begin it in a process of its own, which has most_seconds for it; false with errno. c and
 * who are to stay until it is done. Signals do not reach it; taking_stop() does. */
bool taking_begin(struct snapshot_job *taking, struct collector *c, const char *who,
                  double most_seconds);

/* Whether it is done; then *t is what came of it. Also stops it when its time is over. */
bool taking_is_done(struct snapshot_job *taking, struct taken *t);

/* End it in good order: its process tells the other one, and no digest comes of it. */
void taking_stop(struct snapshot_job *taking);

/* --- triggering.c --------------------------------------------------------------------- */

/* `watch --at`: looks at the memory of the processes that an agent watches, and has a
 * snapshot taken earlier than by the clock where a rule asks for it. What asks is decided
 * by trigger.h. */

/* Of one process. */
struct process_trigger {
    struct trigger trigger;
    int rule;             /* that its next snapshot is for; NO_TRIGGER: the clock */
    double clock_due;     /* when that would have been */
    uint64_t limit;       /* as told by options or its environment; HD_UNKNOWN */
    uint64_t group_limit; /* of its control groups */
    double looked;        /* at that; seconds_now() */
    bool told_blind;
};

void triggering_begin(struct agent *a);

/* Once a second, or less. */
void triggering_look(struct agent *a);

/* A snapshot of w was tried, and w->due is set by the clock. */
void triggering_tried(struct agent *a, struct watched *w, bool is_taken);

/* --- monitoring.c --------------------------------------------------------------------- */

/* What others learn of an agent while it runs: /metrics and /healthz, or a file for the
 * textfile collector.
 *
 * Alive means that the loop turns: every step says for how long it may take, and is late
 * after that. Healthy means also that each process that is watched gives snapshots, and
 * that they are stored, whatever is the reason if not. */
struct monitor {
    struct watch_metrics metrics;
    struct metrics_server *server; /* NULL: --listen was not given */
    char watch[80];
    enum watch_activity activity;
    double seconds;              /* that it may take */
    double published, next_file; /* seconds_now() */
};

/* What is remembered of one process, for others. */
struct monitored {
    char service[256], host[256]; /* as the store has them, as far as is known before */
    struct watched_service of;    /* the same */
    uint64_t failures[WATCH_FAILURES]; /* that were told */
};

/* False after saying why --listen cannot be. */
bool monitoring_begin(struct agent *a);

/* The next thing takes so many seconds at most, or the watcher hangs. */
void monitoring_expect(struct agent *a, enum watch_activity what, double seconds);

/* Whenever something may have changed, as often as twice a second. */
void monitoring_turn(struct agent *a);

/* A snapshot was tried; w->pause and its failures say what came of it. Its numbers are told
 * at once, since w may be about to go. */
void monitoring_tried(struct agent *a, struct watched *w, bool is_taken, bool is_triggered);

void monitoring_end(struct agent *a);

/* --- the agent ------------------------------------------------------------------------ */

struct agent {
    const struct settings *settings;
    const struct collect_options *options; /* settings->own */
    const char *root;                      /* folder of /proc and /sys: "", or a test's */
    struct collector c;
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
    struct snapshot_job taking;
    struct run_facts facts;

    /* of one process: the one that ended before this one */
    struct sighted last;
    uint64_t last_instance;

    double looked, look_seconds; /* when the last look ended; how long one at all takes */
    double clock_offset; /* between the time of day and the clock that nobody sets */
    double ticked;
    uint64_t memory; /* resident, of this process; bytes */
    struct monitor monitoring;
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

/* It cannot be watched: counted, and told if that is news. */
void finding_failed(struct watched *w, enum watch_failure why, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void finding_free(struct agent *a);

#endif

/* agent.h - state of a running `watch --store`: the watched processes, each at most once,
 * and the queue of snapshots for the store.
 *
 * Monitoring reads these structs: struct watched_process for a process, struct agent,
 * struct store_queue for the store. One file per part; sidecar.c is the main loop. */
#ifndef AGENT_H
#define AGENT_H

#include "cli/options/houses.h"
#include "collect/live/collector.h"
#include "collect/live/trigger.h"
#include "heapdrift.h"
#include "heapdrift_store.h"
#include <stdbool.h>
#include <stdint.h>

struct agent;

/* --- run_facts.c ------------------------------------------------------------- */

/* Facts of a run that a store saves in addition to its snapshots: from options, the
 * environment of the service, Kubernetes and control groups. Facts from the user override
 * detected ones. Must not depend on a database. */

/* {0}: unknown. */
struct run_facts {
    struct hd_run run;   /* NULL, HD_UNKNOWN, NAN: unknown */
    const char *problem; /* a line about facts that were present but invalid; NULL */
    char **strings;      /* owned strings of the other members */
    size_t string_count;
    struct hd_label *labels;
    size_t label_bytes;
};

/* Collects facts about a running process: options, its environment, our own environment.
 * Facts in the snapshot (host, process, start) are left to hd_store_record(), except for
 * --host. With --all our environment does not apply to any process: only its node name is
 * used, and --service selects processes but does not name them. owner: hd_process.owner,
 * which becomes a label, with precedence over the environment; may be HD_UNKNOWN. */
void run_facts_of(struct run_facts *f, const struct settings *s, uint64_t pid,
                  uint64_t owner);

/* Collects facts from the environment of the process only. */
void run_facts_of_process(struct run_facts *f, uint64_t pid);

/* Collects facts about a given snapshot: options, facts in it, our environment. */
void run_facts_of_snapshot(struct run_facts *f, const struct settings *s,
                           struct hd_snapshot *snap);

void run_facts_free(struct run_facts *f);

/* --- parts: each adds facts that are still unknown ------------------------------- */

void run_facts_begin(struct run_facts *f);
void run_facts_add_options(struct run_facts *f, const struct settings *s);

/* Reads NUL-terminated variables "NAME=VALUE", as in /proc/PID/environ: OTEL_SERVICE_NAME,
 * OTEL_RESOURCE_ATTRIBUTES, POD_NAME and similar ones, DOTNET_GCHeapHardLimit. */
void run_facts_read_environment(struct run_facts *f, const char *variables, size_t size);

/* Reads the files of Kubernetes' downward API in a folder, usually RUN_FACTS_PODINFO. */
void run_facts_read_pod(struct run_facts *f, const char *folder);
#define RUN_FACTS_PODINFO SANDBOX_PODINFO

/* Reads the memory limit of the process's control group. root is "", or a folder of
 * tests. */
void run_facts_read_group(struct run_facts *f, const char *root, uint64_t pid);

/* --- store_writer.c ---------------------------------------------------------- */

/* Snapshots of running processes and the facts about their runs, on their way to a store.
 * Must not depend on the schedule.
 *
 * Snapshots are queued as digests in memory. A snapshot is reported as stored only after
 * the commit. If the store is unavailable, retries follow at growing intervals; if the
 * queue becomes too long, the snapshot that is least important for its series is dropped,
 * with a message. No connection is kept between snapshots, since ten thousand sidecars
 * would need ten thousand. */

/* Has copies of all facts, because the process may have ended before it is stored. */
struct queued_snapshot {
    char who[160];        /* in messages */
    uint64_t series;      /* number of the process in this queue */
    double pause_seconds; /* NAN: unknown */
    struct hd_memory digest;
    struct run_facts facts;

    struct queued_snapshot *next;
    struct queued_snapshot *before; /* previous queued one of its series; NULL */
    double added;
    bool was_refused; /* a try failed, which was reported */
};

/* The caller sets the members above the empty line, the rest is {0}. */
struct store_queue {
    const char *url;
    double keep_seconds; /* older snapshots are thinned out once a day; 0: never */
    double spread; /* factor for delays, so that not all sidecars retry at the same time */
    bool quiet;    /* no warnings, and no line per stored snapshot */

    struct queued_snapshot *first, *last;
    struct hd_store_bases *bases; /* kept: a sidecar may be unable to read any */
    size_t count, bytes;
    double next_try, delay; /* seconds, monotonic clock */
    double thinned;         /* time of the last thinning; 0: never */
    uint64_t stored, lost;
    bool is_away; /* the last try failed */
};

/* Creates a queue for --store and --keep, which reports stored snapshots unless s is
 * quiet. */
struct store_queue store_writer_begin(const struct settings *s);

/* Tries to open the store. False after printing the error; *is_away is true if a later try
 * may succeed. */
bool store_writer_probe(struct store_queue *q, bool *is_away);

/* True if retries cannot help, because the snapshot itself caused the error. */
bool store_error_is_permanent(const struct hd_error *err);

/* Appends a snapshot; takes ownership of its digest and facts. */
void store_writer_add(struct store_queue *q, const struct queued_snapshot *what);

/* Stores queued snapshots for at most two seconds if a try is due; with now, all
 * immediately. True if the queue is empty. Waits ten seconds for a server that does not
 * answer, sixty for a file locked by others. */
bool store_writer_flush(struct store_queue *q, bool now);

/* Stores queued snapshots for at most half a minute and drops the rest. False if any was
 * dropped since store_writer_begin(). A signal ends the wait. */
bool store_writer_end(struct collector *c, struct store_queue *q);

/* --- store_queue.c -------------------------------------------------------------------- */

/* Queued snapshots in order of arrival, and the choice of the one to drop if there are too
 * many. */

/* Does the same without limits. added: seconds, monotonic clock. */
void store_queue_add(struct store_queue *q, const struct queued_snapshot *what,
                     double added);

/* Removes and frees a snapshot. */
void store_queue_drop(struct store_queue *q, struct queued_snapshot *w);

bool store_queue_is_too_long(const struct store_queue *q);

/* Returns the snapshot to drop: the one with the least time between its neighbours in the
 * same series, so that the rest remains spread over time; the oldest if no series has
 * three. */
struct queued_snapshot *store_queue_least(const struct store_queue *q);

/* --- follower.c ----------------------------------------------------------------------- */

/* A child process that takes all snapshots of a process and follows its objects between
 * them (`watch --all --sites`). It has the tracing session, so that untrusted traces are
 * parsed there and not in the agent, and it always ends with the agent. If it fails, the
 * current snapshot and the identity of the objects are lost; the next snapshot starts a new
 * child. Costs the agent three descriptors. */
struct follower {
    pid_t child;    /* 0: not running */
    int requests;   /* write end of a pipe: timeout of the next snapshot in seconds */
    int answers;    /* read end of a pipe: a byte per finished snapshot */
    FILE *result;   /* in memory: the child writes the snapshot to it */
    double ends_by; /* time when it is killed, seconds_now(); 0: not asked to end */
};

/* Followers per agent: each costs a process here and a session for weeks in the target. */
enum { MAX_FOLLOWED = 16 };

/* Requests a snapshot of the process in c->how, within c->most_seconds. Starts the child if
 * needed, with its own copy of c. False with errno. */
bool follower_take(struct follower *f, struct collector *c, const char *who);

/* True once per finished snapshot. */
bool follower_has_answered(const struct follower *f);

/* True once if the child has ended on its own; frees it then. Must not be called during a
 * snapshot. */
bool follower_has_ended(struct follower *f);

/* Asks the child to close its session and to exit. */
void follower_stop(struct follower *f);

/* Does the same, waits, kills the child after two seconds, and frees f, which becomes {0}.
 * {0} is fine. */
void follower_end(struct follower *f);

/* --- watched_process.c ------------------------------------------------------- */

/* A watched process: its identity, its successor after it has ended, the time of its next
 * snapshot, and the result of the last ones.
 *
 * A process is identified by pid and start time (the kernel's monotonic clock), because
 * pids are reused and names are not unique. Must not query processes or take snapshots. */

/* --- identity ------------------------------------------------------------------- */

/* Observed properties of a process. */
struct agent_process {
    uint64_t pid;     /* 0: unset, or known only by its socket */
    uint64_t born;    /* start in ticks since boot; 0: the process is not visible */
    uint64_t memory;  /* bytes (RSS); HD_UNKNOWN */
    char who[160];    /* in messages: "shop (pid 4711)" */
    char host[65];    /* as the process sees it; "" unknown */
    char socket[256]; /* its diagnostics socket */
    char service[128];
    bool is_declared;  /* service is from its environment, not from the program name */
    char unit[192];    /* its systemd unit; "" unknown or outside one */
    char *command;     /* arguments, separated by blanks; NULL: unknown */
    char problem[160]; /* why no snapshot is possible; "": possible, or not tried */
    bool is_denied;    /* the problem: it belongs to another user */
    uint64_t owner;    /* hd_process.owner */
    unsigned runtime;  /* major version; 0: unknown */
};

void agent_process_free(struct agent_process *seen);

/* True if the kernel reports that it has ended; false if that cannot be determined (no file
 * descriptors left). A process that is not visible lives as long as its socket. */
bool agent_process_has_ended(const struct agent_process *seen);

/* True also if it is about to end: a runtime removes its socket first. */
bool agent_process_is_ending(const struct agent_process *seen);

/* True if p, from hd_processes_find(), is the same process, not another one with its
 * pid. */
bool agent_process_is(const struct agent_process *seen, const struct hd_process *p);

/* --- successor ------------------------------------------------------------------ */

/* Returns the index of the process to watch among several of the same name, or count. last
 * is the one that has ended, initially {0}.
 *
 * It must belong to the same service as the last: as declared in their environments, unless
 * --service declares all to be one service; without declarations, by command line or
 * systemd unit. Among those, one with the same command line is preferred, then the newest:
 * of two versions running in parallel, the older one is being replaced. A process that
 * denies access is chosen last. */
size_t agent_process_choose(const struct agent_process *all, size_t count,
                            const struct agent_process *last, bool are_one_service);

/* --- its snapshots ------------------------------------------------------------------ */

/* Reason for a missing snapshot. watch_failure_name() returns its name, for metrics. */
enum watch_failure {
    WATCH_FINE,
    WATCH_DENIED,     /* belongs to another user */
    WATCH_NO_SOCKET,  /* runs, but its diagnostics socket is missing */
    WATCH_TOO_LARGE,  /* exceeds --max-heap, or has unknown size */
    WATCH_BUSY,       /* another collector on this host did not end */
    WATCH_SILENT,     /* no answer, or an incomplete one, within the timeout */
    WATCH_TOO_MUCH,   /* sent more than --memory permits */
    WATCH_ENDED,      /* ended during the snapshot */
    WATCH_NEAR_LIMIT, /* so near its memory limit that the collection might kill it */
    WATCH_CRASHED,    /* the child process for the snapshot was killed, or failed */
    WATCH_OTHER,
    WATCH_FAILURES
};
const char *watch_failure_name(enum watch_failure why); /* "too-large" */

struct monitored;
struct time_share;
struct process_trigger;

struct watched_process {
    struct agent_process process;
    bool is_there;            /* at the last look it existed and was accessible */
    bool is_announced;        /* a message that it is watched was printed */
    bool keep_names;          /* another tracing client prevents the names of its types */
    bool wants_sites;         /* --sites matches; followed while the maximum permits */
    struct follower follower; /* takes its snapshots; {0}: a child per snapshot */
    uint64_t number;          /* number in this agent, from 1: identifies its series */
    uint64_t seed;            /* of its random delays */
    double since;      /* first seen; seconds_now(), like all times except last_taken */
    double begun;      /* start of the last try; 0: never */
    double due;        /* time of the next try */
    double last_well;  /* last success; before it, first seen */
    double last_taken; /* time of the last snapshot, seconds since 1970; 0: never */
    double pause;      /* of the last snapshot, in seconds; NAN: unknown */
    uint64_t instance; /* from the last snapshot; 0: unknown */
    uint64_t attempts, taken;
    double cost;              /* seconds spent on the last snapshot if it failed; else 0 */
    unsigned failed_in_row;   /* since the last snapshot, only failures with a cost */
    struct time_share *share; /* of its user; NULL: no other processes are watched */
    uint64_t failures[WATCH_FAILURES];
    enum watch_failure last_failure; /* since the last snapshot */
    uint64_t objects;                /* in the last snapshot; 0: before the first */
    double seconds; /* time for the last snapshot, without waiting for its turn */
    struct monitored *monitored;        /* owned; NULL: not monitored */
    struct process_trigger *triggering; /* owned; NULL: triggered by the clock only */
    unsigned
        reported_mask; /* bits of enum watch_failure: reported since the last snapshot */
};

/* Counts a failure. True if it has to be reported, since it is new. */
bool watched_process_failed(struct watched_process *w, enum watch_failure why);
void watched_process_succeeded(struct watched_process *w);

/* --- schedule --------------------------------------------------------------------- */

/* Sets the seed from host and pid: the times are reproducible, and sidecars that start
 * together do not pause all processes of a service together. */
void schedule_begin(struct watched_process *w);

/* Returns the random share for a snapshot, from 0 to 1; number 0 is the first snapshot. */
double schedule_share(const struct watched_process *w, uint64_t number);

/* Return the seconds from now until the first try, and from the start of a try to the next.
 * Failures may use at most a twentieth of the time, since other processes wait; with --all
 * their interval grows up to four times. */
double schedule_until_first(const struct watched_process *w, double interval);
double schedule_until_next(const struct watched_process *w, double interval);

/* Returns when the next try is due: not before its user's turn if it gave no snapshot
 * recently. */
double schedule_due(const struct watched_process *w);

/* Returns the process to try next among those that are accessible and due, or NULL: for the
 * user with the least time used, the one that has waited longest, so that all get a
 * turn. */
struct watched_process *schedule_pick(struct watched_process *const *all, size_t count,
                                      double now);

/* Returns the earliest due time of accessible processes, or INFINITY. */
double schedule_next_due(struct watched_process *const *all, size_t count);

/* --- time per user -------------------------------------------------------------------- */

/* Shares of the agent's time. Snapshots are taken one at a time, and the processes of a
 * user, however many and slow, must not delay those of another.
 *
 * Start-time fair queueing (Goyal, Vin, Cheng, 1996): the user with the least used time is
 * next. Time that an idle user did not use is not credited. */
struct time_share {
    uint64_t owner;       /* hd_process.owner */
    double used;          /* seconds used for its snapshots, from its start value */
    double rest;          /* seconds_now(); until then failed processes are not tried */
    unsigned failed;      /* failed snapshots, minus successful ones */
    size_t process_count; /* that are watched */
};

/* Initialised with {0}. */
struct time_shares {
    struct time_share **all; /* each owned; unordered */
    size_t count;
    double turn; /* value of used at the start of the last snapshot */
};

/* Returns the share of a user, created if needed. Valid while a process of the user is
 * watched, or rests. now: seconds_now(). */
struct time_share *time_share_of(struct time_shares *s, uint64_t owner, double now);

/* Adds the time of a snapshot. The first failure limits its user to half of the time,
 * further ones to a quarter and so on, down to a twentieth. */
void time_share_failed(struct time_shares *s, struct time_share *of, double seconds,
                       double now);
void time_share_succeeded(struct time_shares *s, struct time_share *of, double seconds);

void time_shares_free(struct time_shares *s);

/* --- metrics.c --------------------------------------------------------------- */

/* Metrics of `watch --store`: counters, and their text for Prometheus. Must not take
 * snapshots or use sockets.
 *
 * Counts are kept per service and host, not per process: a pid as label would create a new
 * series at each restart. */

struct service_counts; /* counters of a service on a host */

/* Processes can claim any service name, so a service is identified by its owner too. */
struct watched_service {
    const char *service, *host;
    uint64_t owner; /* hd_process.owner */
};

/* A watched process. */
struct metrics_process {
    struct watched_service of;
    double last; /* its last snapshot or, before that, first sight; seconds UTC */
};

/* Counters and state; initialised with {0}. The caller sets the members below the empty
 * line before watch_metrics_put(). */
struct watch_metrics {
    struct service_counts *services;
    size_t service_count;

    const char *watch;       /* what is watched: distinguishes several watchers of a host */
    double started;          /* seconds UTC, as all times */
    double beat;             /* time of the last iteration of the main loop */
    double interval;         /* seconds between the snapshots of a process */
    uint64_t memory;         /* resident, of this process */
    bool is_store_reachable; /* result of the last try */
    uint64_t queued, queued_bytes, stored, dropped;
    const struct metrics_process *processes;
    size_t process_count;
    size_t overdue; /* processes without a snapshot for too long */
};

/* Counts a snapshot; is_triggered: because of memory, not of the clock. pause in seconds,
 * NAN if unknown. */
void watch_metrics_taken(struct watch_metrics *m, const struct watched_service *of,
                         bool is_triggered, double pause);

/* Counts failed snapshots. WATCH_FINE only adds the service, so that all its counts are
 * exported. */
void watch_metrics_failed(struct watch_metrics *m, const struct watched_service *of,
                          enum watch_failure why, uint64_t count);

/* Formats the metrics, in bounded size: at most three hundred services and hosts; the rest
 * is counted as one, beginning with the last added ones of the user with the most. */
void watch_metrics_put(const struct watch_metrics *m, struct hd_memory *text);

void watch_metrics_free(struct watch_metrics *m);

/* --- metrics_server.c -------------------------------------------------------- */

/* Serves /metrics, /healthz and /livez over HTTP, for `watch --listen`. Must not depend on
 * the content of the text or on what is watched.
 *
 * The server is a process of its own: this program, executed again, so that it has no
 * memory of the watcher. It has no rights (rights_give_up(), sandbox_enter_to_serve()),
 * files, environment or access to the store, so that no request can affect a snapshot, and
 * it can report a hanging watcher. The watcher writes its text and its next deadline to
 * shared memory and never waits. At most 32 clients, 4 KiB per request, five seconds; a
 * further client replaces the oldest. Not a library, since only GET of three paths is
 * needed: libmicrohttpd would add GnuTLS to the static program. */

struct metrics_server;

/* Listens and starts the server; NULL after printing the error. */
struct metrics_server *metrics_server_begin(const struct settings *s, const char *address);

enum watch_activity { WATCH_WAITS, WATCH_LOOKS, WATCH_TAKES, WATCH_STORES };

/* Reports that the watcher is alive and starts an activity; it hangs if the next report
 * takes longer than this. */
void metrics_server_beat(struct metrics_server *m, enum watch_activity what,
                         double seconds);

/* Sets the lines that /healthz returns with the next text; "": healthy. /livez does not
 * return them. */
void metrics_server_say_ill(struct metrics_server *m, const char *why);

/* Sets the text of /metrics; beyond 1 MiB whole lines are left out. */
void metrics_server_publish(struct metrics_server *m, const char *text, size_t size);

/* Restarts the server if it has ended; call it between snapshots, when there is one thread
 * and no lock. */
void metrics_server_keep(struct metrics_server *m);

/* NULL is fine. */
void metrics_server_end(struct metrics_server *m);

/* --- snapshot_job.c ------------------------------------------------------------------- */

/* A lock file for one snapshot at a time on this host. Collectors that open the same file
 * take turns, also from other containers. Since everybody who can open the file can hold
 * the lock indefinitely, it is used only if untrusted users cannot. The kernel releases it
 * when the holder ends. */
struct host_lock {
    /* As given. NULL: for root /run/heapdrift/heapdrift.lock, for other users
     * heapdrift.lock in XDG_RUNTIME_DIR; without such a folder heapdrift-UID.lock in TMPDIR
     * or /tmp. */
    const char *path;
    int held;        /* descriptor; -1: not held */
    const char *why; /* HOST_LOCK_NONE: the reason */
};

enum host_lock_state {
    HOST_LOCKED,
    HOST_LOCK_BUSY, /* another collector holds it */
    HOST_LOCK_NONE  /* the file cannot be created, or untrusted users can open it */
};

/* Acquires the lock if it is free. Creates the file if it does not exist, for this user
 * only, and never removes it. */
enum host_lock_state host_lock_try(struct host_lock *lock);
void host_lock_release(struct host_lock *lock); /* also if not held */

/* Takes one snapshot as a digest. A child process costs a fork, but limits a failure (out
 * of memory, crash, malicious peer) to its snapshot, and its memory is freed with it.
 * Because it cannot remember the previous snapshot, objects are followed only in this
 * process or, for many processes, in a permanent child (follower.c). */

/* Result of a snapshot. */
struct snapshot_result {
    int status;                    /* EXIT_TROUBLE: no snapshot */
    struct hd_error err;           /* reason; not yet printed */
    bool has_crashed;              /* reason: the child was killed, or failed */
    struct hd_collected collected; /* facts about it */
    struct hd_memory digest;       /* owned by the caller */
};

/* A snapshot in progress; {0}: idle. */
struct snapshot_job {
    struct follower *follower; /* its child takes the snapshot; NULL: a separate child */
    pid_t child;
    FILE *result;   /* in memory: a separate child writes to it */
    double give_up; /* when to stop it, and two seconds later to kill it; seconds_now() */
    unsigned stops; /* number of requests to end */
};

/* Takes a snapshot of the process that c->how names, in this process; who: name for
 * messages. */
void snapshot_job_run(struct collector *c, const char *who, struct snapshot_result *t);

/* Does the same into a file, in a child. False: writing failed. */
bool snapshot_job_write(struct collector *c, const char *who, FILE *result);

/* Starts a snapshot in a new child, or in the follower's, with a timeout of
 * c->most_seconds; false with errno. Signals do not reach it; snapshot_job_stop() does. */
bool snapshot_job_begin(struct snapshot_job *job, struct collector *c, const char *who,
                        struct follower *follower);

/* True if it is finished; *t is then the result. Also stops it after its timeout. */
bool snapshot_job_is_done(struct snapshot_job *job, struct snapshot_result *t);

/* Cancels it cleanly: the child ends the session of the target, and returns no digest. */
void snapshot_job_stop(struct snapshot_job *job);

/* --- triggering.c --------------------------------------------------------------------- */

/* `watch --at`: checks the memory of the watched processes and schedules snapshots ahead of
 * the clock if a rule demands it. trigger.h has the rules. */

/* State per process. */
struct process_trigger {
    struct trigger trigger;
    int rule;             /* reason for the next snapshot; NO_TRIGGER: the clock */
    double clock_due;     /* due time without the trigger */
    uint64_t limit;       /* from options or its environment; HD_UNKNOWN */
    uint64_t group_limit; /* of its control groups */
    double looked;        /* when group_limit was read; seconds_now() */
    bool blind_reported;
};

void triggering_begin(struct agent *a);

/* Checks all processes. Call once a second, or less often. */
void triggering_look(struct agent *a);

/* To be called after a snapshot of w was tried and the clock has set w->due. */
void triggering_tried(struct agent *a, struct watched_process *w, bool is_taken);

/* --- monitoring.c --------------------------------------------------------------------- */

/* Exported state of a running agent: /metrics and /healthz, or a file for the textfile
 * collector.
 *
 * Alive: the main loop runs; every step announces its maximum duration and is late after
 * that. Healthy: in addition, every watched process gives snapshots and they are stored,
 * whatever the reason if not. */
struct monitor {
    struct watch_metrics metrics;
    struct metrics_server *server; /* NULL: --listen was not given */
    char watch[80];
    enum watch_activity activity;
    double seconds;              /* maximum duration of activity */
    double published, next_file; /* seconds_now() */
};

/* Exported state of a process. */
struct monitored {
    char service[256], host[256];      /* as in the store, as far as known in advance */
    struct watched_service of;         /* references these */
    uint64_t failures[WATCH_FAILURES]; /* already exported */
};

/* Starts monitoring. False after printing why --listen failed. */
bool monitoring_begin(struct agent *a);

/* Announces the next step and its maximum duration; if it takes longer, the watcher
 * hangs. */
void monitoring_expect(struct agent *a, enum watch_activity what, double seconds);

/* Exports changes. Call it after any change, up to twice a second. */
void monitoring_turn(struct agent *a);

/* Counts a tried snapshot by w->pause and its failures. Exports immediately, since w may be
 * removed next. */
void monitoring_tried(struct agent *a, struct watched_process *w, bool is_taken,
                      bool is_triggered);

void monitoring_end(struct agent *a);

/* --- the agent ------------------------------------------------------------------------ */

struct agent {
    const struct settings *settings;
    const struct collect_options *options; /* settings->own */
    const char *root; /* parent folder of /proc and /sys: "", or one of tests */
    struct collector c;
    struct store_queue queue;
    struct host_lock lock;
    double interval; /* seconds */
    bool is_once;    /* `collect`: no waiting, and every snapshot is required */

    struct watched_process **all; /* each owned; unordered */
    size_t count;
    struct time_shares shares; /* of --all */
    uint64_t numbered;         /* processes ever watched */
    uint64_t attempts, taken;  /* snapshots of all processes */

    /* The process whose snapshot is in progress or waits for its turn; NULL. Remains in the
     * list. */
    struct watched_process *at_work;
    double turn_since; /* seconds_now() */
    struct snapshot_job job;
    struct run_facts facts;

    /* with one process: its predecessor */
    struct agent_process last;
    uint64_t last_instance;

    double looked, look_seconds; /* end of the last look; maximum duration of a look */
    double clock_offset;         /* time of day minus monotonic clock */
    double ticked;
    uint64_t memory; /* resident, of this process; bytes */
    struct monitor monitoring;
    struct trigger_rules triggers; /* in addition to the clock */
    double memory_looked;          /* last check; seconds_now() */
    bool missing_reported, no_lock_reported, others_reported, incomplete_reported,
        too_many_reported;
    bool too_many_followed_reported;
    bool is_over; /* exit with status */
    int status;
};

/* --- finding.c ------------------------------------------------------------------------ */

/* Looks at all processes: watched ones may have ended or changed, and new ones may match.
 * Reports changes. Takes up to three seconds if sockets do not answer. */
void finding_look(struct agent *a);

/* Returns when the next look is due, seconds_now(): five seconds after the last, or up to
 * ten if processes do not answer, since a look blocks everything else. */
double finding_next(const struct agent *a);

/* True if the last look is too old to take a snapshot. */
bool finding_is_stale(const struct agent *a, double now);

/* Counts a failure, and reports it if it is new. */
void finding_failed(struct watched_process *w, enum watch_failure why, const char *format,
                    ...) __attribute__((format(printf, 3, 4)));

/* Asks all followers to end; finding_free() waits for them. */
void finding_unfollow(struct agent *a);

void finding_free(struct agent *a);

/* --- follow_folder.c -------------------------------------------------------- */

/* Files that appear in folders, each passed on once when it is complete: `record --follow`.
 * Must not depend on their format.
 *
 * Folders are scanned repeatedly, with their subfolders; inotify only wakes the scan early,
 * so network file systems, lost events and new folders need no special case. dotnet-monitor
 * writes to the final name unless it has an intermediateDirectoryPath, with a lock (flock),
 * as every FileStream of .NET with FileShare.None. A file is complete if it has not changed
 * for two seconds and is unlocked and closed by its writers; if the kernel cannot report
 * writers (another owner, a network), if it has not changed for half a minute.
 *
 * Others may write to such a folder and exchange files at any time, so the opened file is
 * passed on, not its path. Links created by others are skipped, and so are their hard links
 * to files of other users (trust.h).
 *
 * Memory: 150 bytes and the path per file, for at most 100,000 files. */

enum followed {
    FOLLOWED,        /* done, until it changes */
    FOLLOWED_FAILED, /* done; the error was printed */
    FOLLOWED_NOT_NOW /* temporary problem: retry all later */
};

struct follow_how {
    const char *const *folders;
    size_t count;
    bool quiet;
    /* opened: path for opening that others cannot exchange. is_reported: the last result
     * for that file was FOLLOWED_FAILED. */
    enum followed (*take)(void *context, const char *path, const char *opened,
                          bool is_reported);
    void (*rest)(void *context); /* called between two scans */
    void *context;
};

/* Runs until a signal. */
void follow_folders(const struct follow_how *how, struct collector *c);

#endif

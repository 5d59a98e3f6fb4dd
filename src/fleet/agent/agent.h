/* agent.h - what `watch --store` knows while it runs: the processes that it watches, side
 * by side, and what waits for the store. Of one process the list has one entry at most.
 *
 * Whoever reports it reads these structs: of each process struct watched, of the agent what
 * stands here, of the store struct store_queue. Each part has a file of its own; sidecar.c
 * is the loop. */
#ifndef AGENT_H
#define AGENT_H

#include "cli/options/houses.h"
#include "collect/live/collecting.h"
#include "collect/live/trigger.h"
#include "heapdrift.h"
#include "heapdrift_store.h"
#include <stdbool.h>
#include <stdint.h>

struct agent;

/* --- run_facts.c ------------------------------------------------------------- */

/* The facts of a run that a store keeps beside its snapshots: of options, of
 * the environment that services run in, of Kubernetes and of control groups. What is told
 * by a person wins over what is found. It knows no database. */

/* {0} is none. */
struct run_facts {
    struct hd_run run;   /* NULL, HD_UNKNOWN, NAN: unknown */
    const char *problem; /* a line about what was there and could not be understood; NULL */
    char **strings;      /* of all that */
    size_t string_count;
    struct hd_label *labels;
    size_t label_bytes;
};

/* Of a process that runs: options, its environment, ours. What the snapshot says itself
 * (host, process, start) is left to hd_store_record(), but for a --host. With --all our
 * environment is that of none of them: of it only the node's name counts, and --service
 * says which are meant, not what they are called. owner: hd_process.owner, which becomes a
 * label whatever the environment says; HD_UNKNOWN: none. */
void run_facts_of(struct run_facts *f, const struct settings *s, uint64_t pid,
                  uint64_t owner);

/* What its environment says alone. */
void run_facts_of_process(struct run_facts *f, uint64_t pid);

/* Of a snapshot that somebody took: options, what it says, our environment. */
void run_facts_of_snapshot(struct run_facts *f, const struct settings *s,
                           struct hd_snapshot *snap);

void run_facts_free(struct run_facts *f);

/* --- parts: each adds what is not known yet ------------------------------------------ */

void run_facts_begin(struct run_facts *f);
void run_facts_add_options(struct run_facts *f, const struct settings *s);

/* Variables, "NAME=VALUE", one behind the other with a NUL behind each, as in
 * /proc/PID/environ: OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES, POD_NAME and its like,
 * DOTNET_GCHeapHardLimit. */
void run_facts_read_environment(struct run_facts *f, const char *variables, size_t size);

/* What the downward API of Kubernetes has written to the folder, usually
 * RUN_FACTS_PODINFO. */
void run_facts_read_pod(struct run_facts *f, const char *folder);
#define RUN_FACTS_PODINFO SANDBOX_PODINFO

/* The memory that its control group allows a process. root is "" or a test's. */
void run_facts_read_group(struct run_facts *f, const char *root, uint64_t pid);

/* --- storing.c --------------------------------------------------------------- */

/* Snapshots of running processes, and what is known of their runs, on the way
 * into a store. It knows neither when nor how often.
 *
 * Snapshots wait as digests in memory. One is only called stored when the store has said
 * so; a store that is away is tried again, less and less often, and if that takes so long
 * that too many wait, one goes, with a word about it: that which its series misses least.
 * No connection is kept meanwhile: ten thousand sidecars would be ten thousand of them. */

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

/* --- follower.c ----------------------------------------------------------------------- */

/* A child process that takes all snapshots of one process and follows its objects in
 * between (`watch --all --sites`). It holds the tracing session, so that traces of
 * strangers are read there and not in the agent, and ends with the agent, whatever ends
 * that. If it fails, the snapshot in hand and what was known of the objects are lost; the
 * next snapshot begins another child. Costs the agent three descriptors. */
struct follower {
    pid_t child;    /* 0: none */
    int requests;   /* end of a pipe: the seconds that the next snapshot may take */
    int answers;    /* end of another: a byte for each snapshot that is done */
    FILE *result;   /* in memory, where the child writes the snapshot */
    double ends_by; /* when it is killed, seconds_now(); 0: nobody told it to end */
};

/* Followers of one agent: each is a process here and a session for weeks there. */
enum { MAX_FOLLOWED = 16 };

/* Asks for a snapshot of the process in c->how, which may take c->most_seconds. Begins the
 * child if there is none: it has a copy of c for good. False with errno. */
bool follower_take(struct follower *f, struct collector *c, const char *who);

/* True once for each snapshot that is done. */
bool follower_has_answered(const struct follower *f);

/* True once if the child has ended by itself; frees it then. Must not be called while a
 * snapshot is taken. */
bool follower_has_ended(struct follower *f);

/* Tells the child to end the session of its process, and to end. */
void follower_stop(struct follower *f);

/* The same, then waits, kills the child two seconds after it was told, and frees what is
 * there. {0} is fine, and is the result. */
void follower_end(struct follower *f);

/* --- watched.c --------------------------------------------------------------- */

/* A process that is watched: which one it is, which one follows when it has
 * ended, when its next snapshot is due, and what became of the last ones.
 *
 * A process is its number together with the moment it began, by the kernel's clock that
 * nobody sets: numbers are used again, and names are shared. It asks no process anything
 * and takes no snapshot. */

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
    bool wants_sites;  /* --sites matches; it is followed while there is room */
    struct follower follower; /* takes its snapshots; {0}: a child for each does */
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

/* --- metrics.c --------------------------------------------------------------- */

/* What `watch --store` tells of itself: counters and the text that Prometheus
 * reads of them. It takes no snapshots, and knows no socket.
 *
 * Counts are kept by service and host, not by process: a pid in a label would be a new
 * series with each restart. */

struct service_counts; /* of a service on a host */

/* A process may call itself what it likes, so that a service is also whose it is. */
struct watched_service {
    const char *service, *host;
    uint64_t owner; /* hd_process.owner */
};

/* A process that is being watched. */
struct watched_process {
    struct watched_service of;
    double last; /* seconds UTC: of its last snapshot; before that, since when it is seen */
};

/* Counters and state; {0} is none. What stands below the empty line is set by the caller
 * before watch_metrics_put(). */
struct watch_metrics {
    struct service_counts *services;
    size_t service_count;

    const char *watch;       /* what is watched: tells several watchers of a host apart */
    double started;          /* seconds UTC, as all times */
    double beat;             /* when the loop last turned */
    double interval;         /* seconds between the snapshots of a process */
    uint64_t memory;         /* resident, of this process */
    bool is_store_reachable; /* as of the last try */
    uint64_t queued, queued_bytes, stored, dropped;
    const struct watched_process *processes;
    size_t process_count;
    size_t overdue; /* of them: without a snapshot for too long */
};

/* A snapshot was taken, for memory and not by the clock if is_triggered; its pause in
 * seconds, NAN if unknown. */
void watch_metrics_taken(struct watch_metrics *m, const struct watched_service *of,
                         bool is_triggered, double pause);

/* So many that were due could not be taken. With WATCH_FINE that service is there: all its
 * counts are told from then on. */
void watch_metrics_failed(struct watch_metrics *m, const struct watched_service *of,
                          enum watch_failure why, uint64_t count);

/* The text, at most so large that a scrape takes no notice: of more than three hundred
 * services and hosts the others are counted as one, those first that were added last by the
 * user who has most. */
void watch_metrics_put(const struct watch_metrics *m, struct hd_memory *text);

void watch_metrics_free(struct watch_metrics *m);

/* --- metrics_server.c -------------------------------------------------------- */

/* /metrics, /healthz and /livez over HTTP, for `watch --listen`. It
 * knows neither what the text says nor what is watched.
 *
 * A process of its own answers: this program once more, so that nothing of the watcher is
 * in its memory, which has no rights (rights_give_up(), sandbox_enter_to_serve()), no file,
 * no environment and nothing of the store, so that whatever clients send costs no snapshot,
 * and that it can tell when the watcher hangs. The watcher leaves its text and its next
 * deadline in memory that both see, and waits for nobody. Clients: 32 at once, 4 KiB of
 * request, five seconds; of more the oldest one goes. Our own and no library, since all
 * that is needed is GET of three paths: libmicrohttpd would bring GnuTLS into the static
 * program. */

struct metrics_server;

/* Listen and begin to answer; NULL after saying why not. */
struct metrics_server *metrics_server_begin(const struct settings *s, const char *address);

enum watch_activity { WATCH_WAITS, WATCH_LOOKS, WATCH_TAKES, WATCH_STORES };

/* The watcher turns, and is about to do that; it will be back within so many seconds, or
 * hangs. */
void metrics_server_beat(struct metrics_server *m, enum watch_activity what,
                         double seconds);

/* What /healthz says from the next text on, in lines; "" it is well. /livez does not. */
void metrics_server_say_ill(struct metrics_server *m, const char *why);

/* What /metrics says from now on; of more than a mebibyte whole lines are left out. */
void metrics_server_publish(struct metrics_server *m, const char *text, size_t size);

/* Begin anew if it has ended: between snapshots, when there is one thread and no lock. */
void metrics_server_keep(struct metrics_server *m);

/* NULL is fine. */
void metrics_server_end(struct metrics_server *m);

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
 * them here, or among many processes in one that stays (follower.c). */

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
    struct follower *follower; /* whose child takes it; NULL: one for it alone */
    pid_t child;
    FILE *result;   /* in memory, where the child writes, if it is for it alone */
    double give_up; /* when it is stopped, and two seconds later killed; seconds_now() */
    unsigned stops; /* how hard it was told to end */
};

/* Take it now, of the process that c->how names; by that name in messages. */
void taking_here(struct collector *c, const char *who, struct taken *t);

/* The same into a file, as a child does. False: it could not be written. */
bool taking_put(struct collector *c, const char *who, FILE *result);

/* Begin it in a process of its own, or that of the follower if one is given, which has
 * c->most_seconds for it; false with errno. Signals do not reach it; taking_stop() does. */
bool taking_begin(struct snapshot_job *taking, struct collector *c, const char *who,
                  struct follower *follower);

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
    bool told_too_many_followed;
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

/* Tells all that follow objects to end, which finding_free() waits for. */
void finding_unfollow(struct agent *a);

void finding_free(struct agent *a);

/* --- follow_folder.c -------------------------------------------------------- */

/* Files that appear in folders, each handed over once when it is
 * complete: `record --follow`. It does not know what is in them.
 *
 * Folders are gone through again and again, with what lies below them; inotify only tells
 * when that is worth while, so network file systems, lost events and folders that come
 * later need nothing else. dotnet-monitor writes under the last name unless it has an
 * intermediateDirectoryPath, and holds a lock (flock) as every FileStream of .NET with
 * FileShare.None does. So a file is complete when it has not changed for two seconds and
 * nobody has such a lock or has it open for writing; where the kernel cannot tell the last
 * (another owner, a network), when it has not changed for half a minute.
 *
 * Others may write to such a folder and exchange files at any time: what is handed over is
 * the file that was looked at. Links of others are left out, and so are further names that
 * they may have given to files of somebody else (trust.h).
 *
 * Memory: 150 bytes and the path for each of 100,000 files at most. */

enum followed {
    FOLLOWED,        /* done with, until it changes */
    FOLLOWED_FAILED, /* the same, and it was said of that file why */
    FOLLOWED_NOT_NOW /* the reason will pass: all is tried again later */
};

struct follow_how {
    const char *const *folders;
    size_t count;
    bool quiet;
    /* opened: the name to open it by, which others cannot exchange. is_told:
     * FOLLOWED_FAILED was the answer for that file before. */
    enum followed (*take)(void *context, const char *path, const char *opened,
                          bool is_told);
    void (*rest)(void *context); /* called between two looks at the folders */
    void *context;
};

/* Until a signal. */
void follow_folders(const struct follow_how *how, struct collector *c);

#endif

/* collector.h - snapshots of a running process into files.
 *
 * Signals stop cleanly: the session of the process is ended, and no partial file remains.
 * The commands decide the number of snapshots and their use. */
#ifndef COLLECTOR_H
#define COLLECTOR_H

#include "cli/commands/output.h"
#include "cli/guard/memory.h"
#include "cli/options/options.h"

#include <signal.h>

enum { MAX_COLLECTED = 100000, MAX_TRIES = 100 };
enum core_wanted { CORE_NONE, CORE_HEAP, CORE_FULL };
enum process_order { BY_PID, BY_NAME, BY_MEMORY, BY_UPTIME };

/* Options of collect, watch and ps; those of record begin with them. */
struct collect_options {
    struct check_options check; /* of watch */

    /* the process */
    uint64_t process_id;   /* 0: not given */
    const char *name;      /* of the process; for ps and --all a pattern */
    const char *socket;    /* its diagnostics socket */
    char socket_path[256]; /* buffer for socket, if the option has a prefix */
    bool all;              /* every process that name matches */
    enum process_order order;

    /* a snapshot */
    const char *target;    /* for --all; NULL: gcdump */
    enum core_wanted core; /* a core instead of a snapshot */
    bool direct;           /* read the memory of the process, without requests */
    bool force;            /* even if the process may be killed for a snapshot */
    bool resume;           /* resume a process that is suspended at its start */
    uint32_t tries;        /* for direct and core: maximum for a complete snapshot */
    bool tries_given;
    bool threads_given;  /* the number of concurrent processes; else one */
    uint64_t timeout_ms; /* without a byte */

    /* a series */
    uint64_t interval_ms;    /* between snapshots */
    uint32_t snapshot_count; /* 0: one, not numbered */
    bool interval_given;
    bool on_enter; /* a snapshot for every line of standard input */
    bool no_sites; /* do not sample allocations */
    const char
        *sites;   /* for --all: pattern of processes whose objects are followed; NULL */
    bool no_keep; /* remove the snapshots at the end */

    /* into a store */
    struct text_list labels; /* "NAME=VALUE" */
    double keep_seconds;     /* older snapshots are thinned out; 0: never */
    uint64_t limit;          /* memory limit of the process in bytes; 0: not given */
    const char *lock;        /* lock file for the collectors of a host; NULL: default */
    uint64_t max_heap;       /* maximum memory of a process in bytes; 0: any */
    const char *at;          /* memory levels that trigger a snapshot; NULL */
    const char *listen;      /* address of metrics over HTTP; NULL */
    const char *metrics;     /* file for them; NULL */
};

/* Option rows; commands use those with their bit. */
extern const struct option collect_rows[];

/* Bytes of a trace per object with its references, from docs/collect.md. */
enum { TRACE_BYTES = 54 };

/* The process whose heap was requested, to detect whether it survived. */
struct harm {
    uint64_t pid;  /* 0: not yet known, or not visible */
    uint64_t born; /* hd_process_start() */
    struct memory_kills kills;
};

struct collector {
    const struct settings *settings;
    const struct collect_options *options; /* settings->own */
    const char *who; /* the process, if there are several; NULL: only one */
    struct hd_collect_options how;
    struct hd_gc_listener *gc_listener; /* of a series; NULL: objects are not followed */
    struct hd_ages *ages;               /* the same, for digests */
    bool unfollowed_reported, unnamed_reported; /* reported once */
    bool is_warm;               /* a session was opened: see hd_collect_options.warm_up */
    struct hd_reading *reading; /* reads concurrently; or NULL */
    int signals;                /* readable when the user cancels; -1: never */
    bool stopped;
    bool finishes; /* the first signal ends the series, a second the current snapshot */
    unsigned signalled;               /* number of signals */
    uint64_t asked;                   /* lines of standard input still to be answered */
    bool asks_no_more;                /* standard input has ended */
    uint64_t most_bytes;              /* maximum trace in memory; 0: no limit */
    bool is_too_much;                 /* reason why it was stopped */
    double most_seconds;              /* maximum duration of a snapshot; 0: no limit */
    bool is_too_late;                 /* reason why it was stopped */
    void (*meanwhile)(void *context); /* called during a snapshot; NULL */
    void *meanwhile_context;
    struct hd_error *failure; /* for a digest: receives the error; NULL: stderr */
    bool progress;            /* progress line on a terminal */
    bool lines;               /* without a terminal: a line per step */
    bool is_core, privacy_reported;
    unsigned takes;    /* tries for this snapshot with --direct or --core */
    bool unread;       /* the core is unreadable, which was reported */
    bool unchecked;    /* the core was not checked */
    const char *label; /* name in messages; NULL: the file */
    /* Called once a second while waiting, with the seconds left, 0 with --on-enter; or
     * NULL. */
    void (*tick)(void *context, double left);
    void *tick_context;
    double line_seconds; /* seconds since begin, at the last line */
    int signal;          /* the last one */
    double begin;        /* start of this snapshot, seconds_now() */
    struct hd_collected collected;
    struct harm harm;
    const char *host; /* of the process, from the list of all; NULL */
    sigset_t before;
};

/* True if options or an operand, which is consumed, name one process; else prints an error
 * for that command. */
bool collector_process_is_named(struct settings *s, const char *command);

/* True if --no-keep and --on-enter fit the other options; else prints an error. */
bool collector_modes_fit(const struct settings *s);

/* Finds all processes, or those with that name or pattern; false after an error if the
 * search was incomplete. */
bool collector_find(struct hd_processes *processes, const char *name);

/* Finds the process (not with --all), and handles SIGINT, SIGTERM, SIGHUP and SIGQUIT as
 * cancellation unless they are ignored (nohup). c must not move. False after printing the
 * error; else collector_end() is required. */
bool collector_begin(struct collector *c, const struct settings *s);
void collector_end(struct collector *c);

/* For a series: follows the objects from each snapshot to the next, unless --no-ages or
 * other options prevent it. collector_unfollow() is required before a fork and may be
 * repeated. */
void collector_follow(struct collector *c);
void collector_unfollow(struct collector *c);

/* Takes a snapshot in the format of the name's suffix, or a digest in memory if digest is
 * not NULL; then the name is for messages. Returns an exit status: EXIT_TROUBLE after
 * printing the error (c->stopped if caused by a signal), EXIT_INCONCLUSIVE with --strict.
 * The digest is the caller's, empty for EXIT_TROUBLE. */
int collector_take(struct collector *c, const char *name, struct hd_memory *digest);

/* Returns what happened to the process after that error: "was killed ...", a predicate.
 * NULL if it runs, or is unknown. Waits a moment if it closed the connection: its memory is
 * freed before its pid. */
const char *collector_harm(const struct harm *harm, const struct hd_error *err);

/* Waits until the next snapshot is due by --interval, or for a line with --on-enter; false
 * after a signal or the end of standard input. */
bool collector_wait(struct collector *c);

/* Waits for a signal for this time; true after the first one. */
bool collector_is_stopped(struct collector *c, int wait_ms);

/* --- collect_writers.c ---------------------------------------------------------------- */

/* Ways of a snapshot from a process to a file: as a trace, as a gcdump from a trace or
 * memory, as a core. */

/* Returns the writer for --core, --direct and the suffix of the file; it takes a pointer to
 * a struct collector *. */
struct output_how collect_writer(const struct settings *s, const char *path);

/* Takes a snapshot as a digest in memory, never on a disk. False after printing the error,
 * with the name in c->settings->output. */
bool collect_digest(struct collector *c, struct hd_memory *digest);

/* True if the output is a core. */
bool collect_writes_core(const struct settings *s, const char *path);

/* True if --tries, if given, applies; else prints an error. */
bool collect_can_retry(const struct settings *s);

#endif

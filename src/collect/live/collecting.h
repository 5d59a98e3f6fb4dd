/* collecting.h - snapshots of a running process into files.
 *
 * What a signal stops is stopped in good order: the process is told, and no part of a file
 * stays. The commands that collect decide how many there are, and what becomes of them. */
#ifndef COLLECTING_H
#define COLLECTING_H

#include "cli/commands/output.h"
#include "cli/guard/memory.h"
#include "cli/options/options.h"

#include <signal.h>

enum { MAX_COLLECTED = 100000, MAX_TRIES = 100 };
enum core_wanted { CORE_NONE, CORE_HEAP, CORE_FULL };
enum process_order { BY_PID, BY_NAME, BY_MEMORY, BY_UPTIME };

/* The own options of collect, watch and ps; those of record begin with them. */
struct collect_options {
    struct check_options check; /* of watch */

    /* the process */
    uint64_t process_id;   /* 0: not given */
    const char *name;      /* of the process; of ps and --all a pattern */
    const char *socket;    /* its diagnostics socket */
    char socket_path[256]; /* holds that if the option has more than its path */
    bool all;              /* every process that name matches */
    enum process_order order;

    /* a snapshot */
    const char *target;    /* of --all; NULL: gcdump */
    enum core_wanted core; /* a core instead of a snapshot */
    bool direct;           /* read the memory of the process, ask it for nothing */
    bool force;            /* also where a snapshot may get the process killed */
    bool resume;           /* let it run if it is suspended at its start */
    uint32_t tries;        /* of direct and core: until a snapshot is complete */
    bool tries_given;
    bool threads_given;  /* so many processes at once; else one */
    uint64_t timeout_ms; /* without a byte */

    /* a series */
    uint64_t interval_ms;    /* from one snapshot to the next */
    uint32_t snapshot_count; /* 0: one, not numbered */
    bool interval_given;
    bool on_enter;     /* a snapshot for every line of standard input */
    bool no_sites;     /* do not ask which code allocated */
    const char *sites; /* of --all: pattern of those whose objects are followed; NULL */
    bool no_keep;      /* remove the snapshots at the end */

    /* into a store */
    struct text_list labels; /* "NAME=VALUE" */
    double keep_seconds;     /* what is older is thinned out; 0: nothing is */
    uint64_t limit;          /* bytes of memory that the process may use; 0: not told */
    const char *lock;    /* file that collectors of one host take turns by; NULL: usual */
    uint64_t max_heap;   /* bytes of memory that a process may have; 0: any */
    const char *at;      /* memory that asks for a snapshot; NULL */
    const char *listen;  /* address of metrics over HTTP; NULL */
    const char *metrics; /* file that they are written to; NULL */
};

/* Their rows, of which a command takes those with its bit. */
extern const struct option collect_rows[];

/* Bytes of a trace for each object, with its references, as docs/collect.md has it. */
enum { TRACE_BYTES = 54 };

/* The process that was asked for its heap, to see whether it lived through it. */
struct harm {
    uint64_t pid;  /* 0: none was asked for a heap, or it is not visible */
    uint64_t born; /* hd_process_start() */
    struct memory_kills kills;
};

struct collector {
    const struct settings *settings;
    const struct collect_options *options; /* settings->own */
    const char *who; /* of several processes the one; NULL: there is one only */
    struct hd_collect_options how;
    struct hd_following *following;     /* of a series; NULL: nobody follows its objects */
    struct hd_ages *ages;               /* the same, for digests of it */
    bool told_unfollowed, told_unnamed; /* what is missing, which is said once */
    bool is_warm;               /* it has had a session: see hd_collect_options.warm_up */
    struct hd_reading *reading; /* reads what is collected meanwhile; NULL: nobody does */
    int signals;                /* readable when the user wants to stop; -1: never */
    bool stopped;
    bool
        finishes; /* the first signal ends what comes next, a second the snapshot in hand */
    unsigned signalled;  /* how many came */
    uint64_t asked;      /* lines of standard input that have had no snapshot yet */
    bool asks_no_more;   /* it has ended */
    uint64_t most_bytes; /* of a trace that takes memory; 0: no limit */
    bool is_too_much;    /* that was why it was stopped */
    double most_seconds; /* that a snapshot may take until all has come; 0: no limit */
    bool is_too_late;    /* the same of that */
    void (*meanwhile)(void *context); /* called while it comes; NULL */
    void *meanwhile_context;
    struct hd_error *failure; /* of a digest: why there is none goes there; NULL: stderr */
    bool progress;            /* a line on a terminal that is written over */
    bool lines;               /* where there is none: a line per step */
    bool is_core, told_privacy;
    unsigned takes;    /* of this snapshot: of --direct and --core until it is complete */
    bool unread;       /* a core was written that cannot be read, which was said */
    bool unchecked;    /* or not looked at */
    const char *label; /* what the snapshot is called there; NULL: by its file */
    /* Once a second while the next is waited for, with the seconds left, 0 if a person
     * decides; or NULL. */
    void (*tick)(void *context, double left);
    void *tick_context;
    double told;  /* seconds since begin, when the last line was */
    int signal;   /* the last one */
    double begin; /* of this snapshot, of seconds_now() */
    struct hd_collected collected;
    struct harm harm;
    const char *host; /* of the process, where the list of all has it; NULL */
    sigset_t before;
};

/* Whether options or an operand, which is taken, name one process; else says so for that
 * command. */
bool collecting_process_is_named(struct settings *s, const char *command);

/* Whether --no-keep and --on-enter go with the other options; else says why not. */
bool collecting_modes_fit(const struct settings *s);

/* All processes, or those of that name or pattern; false, and said so, when they cannot all
 * be looked at. */
bool collecting_find(struct hd_processes *processes, const char *name);

/* Find the process (not with --all), and take SIGINT, SIGTERM, SIGHUP and SIGQUIT for a
 * wish to stop, as far as they are not ignored (nohup). c must stay where it is. False
 * after saying why there is none; else collecting_end() is due. */
bool collecting_begin(struct collector *c, const struct settings *s);
void collecting_end(struct collector *c);

/* Of a series: follow the objects of each to the next one, unless
 * --no-ages or what else was asked for is in the way. Over with collecting_unfollow(),
 * which is due before a fork and may come twice. */
void collecting_follow(struct collector *c);
void collecting_unfollow(struct collector *c);

/* One snapshot, as the suffix of the name says, or where digest is not NULL a digest in
 * memory, for a store; then the name is for messages. An exit status: EXIT_TROUBLE after
 * saying why there is none (c->stopped if a signal is to blame), EXIT_INCONCLUSIVE with
 * --strict. The digest is the caller's, empty where the status is EXIT_TROUBLE. */
int collecting_take(struct collector *c, const char *name, struct hd_memory *digest);

/* What became of the process that was asked for its heap, after that error: "was killed
 * ...", a predicate. NULL if it runs, or none was asked. Waits for a moment if it has let
 * go of us: its memory goes before its name. */
const char *collecting_harm(const struct harm *harm, const struct hd_error *err);

/* Wait until the next one is due by --interval, or with --on-enter for a line; false if a
 * signal came, or standard input ended. */
bool collecting_wait(struct collector *c);

/* Wait for a signal for so long; true from the first one on. */
bool collecting_is_stopped(struct collector *c, int wait_ms);

/* --- collect_writers.c ---------------------------------------------------------------- */

/* How a snapshot gets from a process into a file: as a trace, as a gcdump of a trace or of
 * its memory, as a core. */

/* What --core, --direct and the name of the file ask for; it takes a pointer to a struct
 * collecting. */
struct output_how collect_writer(const struct settings *s, const char *path);

/* A snapshot as a digest, into memory: nothing is on a disk, at no time. False after saying
 * why there is none, by the name in c->settings->output. */
bool collect_digest(struct collector *c, struct hd_memory *digest);

/* Whether that is a core. */
bool collect_writes_core(const struct settings *s, const char *path);

/* Whether --tries, if it was given, has something to be tried; else says so. */
bool collect_can_retry(const struct settings *s);

#endif

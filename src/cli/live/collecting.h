/* collecting.h - snapshots of a running process into files.
 *
 * What a signal stops is stopped in good order: the process is told, and no part of a file
 * stays. The commands that collect decide how many there are, and what becomes of them. */
#ifndef COLLECTING_H
#define COLLECTING_H

#include "cli/live/harm.h"
#include "cli/options/settings.h"

#include <signal.h>
#include <time.h>

struct collecting {
    const struct settings *settings;
    const char *who; /* of several processes the one; NULL: there is one only */
    struct hd_collect_options how;
    struct hd_following *following; /* of a series; NULL: nobody follows its objects */
    struct hd_ages *ages;           /* the same, for digests of it */
    bool told_unfollowed;
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
    /* Once a second while the next is waited for, with the seconds left; or NULL. */
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

/* Find the process (not with --all), and take SIGINT, SIGTERM, SIGHUP and SIGQUIT for a
 * wish to stop, as far as they are not ignored (nohup). c must stay where it is. False
 * after saying why there is none; else collecting_end() is due. */
bool collecting_begin(struct collecting *c, const struct settings *s);
void collecting_end(struct collecting *c);

/* Of a series: follow the objects of each to the next one, unless
 * --no-ages or what else was asked for is in the way. Over with collecting_unfollow(),
 * which is due before a fork and may come twice. */
void collecting_follow(struct collecting *c);
void collecting_unfollow(struct collecting *c);

/* One snapshot, as the suffix of path says. An exit status: EXIT_TROUBLE after saying why
 * there is none (c->stopped if a signal is to blame), EXIT_INCONCLUSIVE with --strict. */
int collecting_take(struct collecting *c, const char *path);

/* One snapshot as a digest, for a store; by that name in messages. The digest is the
 * caller's, empty where the status is EXIT_TROUBLE. */
int collecting_digest(struct collecting *c, const char *who, struct hd_memory *digest);

/* Wait until the next one is due by --interval, or with --on-enter for a line; false if a
 * signal came, or standard input ended. */
bool collecting_wait(struct collecting *c);

/* Wait for a signal for so long; true from the first one on. */
bool collecting_is_stopped(struct collecting *c, int wait_ms);

#endif

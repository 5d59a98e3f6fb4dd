/* Events that end the program, as signals: Ctrl-C is SIGINT, Ctrl-Break SIGQUIT, a closed
 * window SIGHUP, a shutdown SIGTERM. They can be blocked and then read (sys/signalfd.h),
 * only all together. Others do not exist: ignoring them fails, which callers do not
 * check. */
#ifndef WINDOWS_SIGNAL_H
#define WINDOWS_SIGNAL_H

#include_next <signal.h>

#include <stdbool.h>
#include <sys/types.h>

#define SIGHUP 1
#define SIGQUIT 3
#define SIGKILL 9
#define SIGPIPE 13
#define SIGCHLD 17
#define SIGXFSZ 25

#define SIG_BLOCK 0
#define SIG_SETMASK 2

#define sigset_t windows_sigset_t
typedef unsigned windows_sigset_t;

struct sigaction {
    void (*sa_handler)(int);
};

/* No signal is ignored. */
static inline int sigaction(int number, const struct sigaction *to, struct sigaction *from)
{
    (void)number, (void)to;
    from->sa_handler = SIG_DFL;
    return 0;
}

static inline void sigemptyset(sigset_t *set)
{
    *set = 0;
}

static inline void sigaddset(sigset_t *set, int number)
{
    *set |= 1U << number;
}

/* Blocks or unblocks all signals, whatever the set. */
int sigprocmask(int how, const sigset_t *set, sigset_t *before);

/* Children on the same console receive the event directly. */
static inline int kill(pid_t process, int number)
{
    (void)process, (void)number;
    return 0;
}

#endif

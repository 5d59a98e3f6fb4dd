/* Signals as POSIX has them, of what a console tells. Its handlers are threads of their
 * own, so one that is blocked goes into a pipe. */
#include "windows/signals.h"

#include <fcntl.h>
#include <io.h>
#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <windows.h>

/* Made once, since a handler may be writing at any time. */
static int ends[2] = {-1, -1};
static volatile LONG is_blocked;

static int number_of(unsigned long what)
{
    switch (what) {
    case CTRL_C_EVENT:
        return SIGINT;
    case CTRL_BREAK_EVENT:
        return SIGQUIT;
    case CTRL_CLOSE_EVENT:
        return SIGHUP;
    default:
        return SIGTERM;
    }
}

bool signals_take(unsigned long what)
{
    struct signalfd_siginfo told = {.ssi_signo = (uint32_t)number_of(what)};
    if (!is_blocked || ends[1] < 0)
        return false;
    _write(ends[1], &told, sizeof(told));
    /* The program has a few seconds from here on. */
    if (what != CTRL_C_EVENT && what != CTRL_BREAK_EVENT)
        Sleep(INFINITE);
    return true;
}

static BOOL WINAPI note(DWORD what)
{
    return signals_take(what);
}

int sigprocmask(int how, const sigset_t *set, sigset_t *before)
{
    static bool listens;
    (void)set;
    if (before != NULL)
        *before = 0;
    if (ends[0] < 0)
        _pipe(ends, sizeof(struct signalfd_siginfo) * 1024, _O_BINARY | _O_NOINHERIT);
    if (!listens)
        listens = SetConsoleCtrlHandler(note, TRUE);
    is_blocked = how == SIG_BLOCK;
    return 0;
}

int signalfd(int fd, const sigset_t *set, int flags)
{
    (void)fd, (void)set, (void)flags;
    return ends[0] >= 0 ? _dup(ends[0]) : -1;
}

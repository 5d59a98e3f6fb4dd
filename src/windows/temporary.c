/* Implements temporary.h. An open file can be removed if it was opened with that
 * permission, and disappears when it is closed: so the handler of the console, in another
 * thread, can remove it during writing. */
#include "cli/guard/temporary.h"

#include "cli/terminal/exit_hook.h"
#include "collect/live/anonymous_file.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <windows.h>

/* --- signals ------------------------------------------------------------------------- */

/* POSIX signals from events of a console. Handlers are threads, so blocked signals are
 * written to a pipe. */

/* Created once, since a handler may write at any time. */
static int ends[2] = {-1, -1};
static volatile LONG is_blocked;

/* True if the event was blocked and queued. Does not return for events that end the program
 * when the handler returns. */
static bool signals_take(unsigned long what)
{
    struct signalfd_siginfo events = {.ssi_signo = what == CTRL_C_EVENT       ? SIGINT
                                                   : what == CTRL_BREAK_EVENT ? SIGQUIT
                                                   : what == CTRL_CLOSE_EVENT ? SIGHUP
                                                                              : SIGTERM};
    if (!is_blocked || ends[1] < 0)
        return false;
    _write(ends[1], &events, sizeof(events));
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

/* --- with a name --------------------------------------------------------------------- */

static char path[PATH_MAX];
static volatile LONG is_there;

/* Ctrl-C, a closed window, a logoff: the program ends normally. */
static BOOL WINAPI end(DWORD why)
{
    if (signals_take(why))
        return TRUE;
    exit_hook();
    return FALSE;
}

void temporary_listen(void)
{
    static bool listens;
    if (listens)
        return;
    listens = true;
    exit_hook_at_last(temporary_remove);
    SetConsoleCtrlHandler(end, TRUE);
    atexit(temporary_remove);
}

/* Its path, with that number. */
static bool name_next_to(const char *target, unsigned number)
{
    static const char name[] = ".heapdrift-";
    enum { CHARACTERS_FOR_NUMBER = 16 };
    const char *last = strrchr(target, '/'), *other = strrchr(target, '\\');
    last = other != NULL && (last == NULL || other > last) ? other : last;
    size_t folder = last != NULL ? (size_t)(last - target) + 1 : 0;
    bool fits = folder + sizeof(name) + CHARACTERS_FOR_NUMBER <= sizeof(path);
    if (fits)
        snprintf(path, sizeof(path), "%.*s%s%08x", (int)folder, target, name, number);
    errno = fits ? errno : ENAMETOOLONG;
    return fits;
}

static int error_of(DWORD last)
{
    switch (last) {
    case ERROR_PATH_NOT_FOUND:
    case ERROR_FILE_NOT_FOUND:
    case ERROR_INVALID_NAME:
        return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_WRITE_PROTECT:
        return EACCES;
    default:
        return EIO;
    }
}

static HANDLE create(const char *name, DWORD access, DWORD how)
{
    static const DWORD share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    return CreateFileA(name, GENERIC_READ | GENERIC_WRITE | access, share, NULL, CREATE_NEW,
                       how, NULL);
}

FILE *temporary_open(const char *target)
{
    enum { MAX_TRIES = 100 };
    HANDLE file = INVALID_HANDLE_VALUE;
    temporary_listen();
    for (unsigned i = 0; i < MAX_TRIES && file == INVALID_HANDLE_VALUE; i++) {
        if (!name_next_to(target, (unsigned)GetCurrentProcessId() * MAX_TRIES + i))
            return NULL;
        file = create(path, WRITE_DAC, FILE_ATTRIBUTE_NORMAL);
        if (file == INVALID_HANDLE_VALUE && GetLastError() != ERROR_FILE_EXISTS) {
            errno = error_of(GetLastError());
            return NULL;
        }
    }
    if (file == INVALID_HANDLE_VALUE) {
        errno = EEXIST;
        return NULL;
    }
    is_there = 1;
    int fd = _open_osfhandle((intptr_t)file, _O_BINARY);
    FILE *to = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (to == NULL) {
        CloseHandle(file);
        temporary_remove();
        errno = ENOMEM;
    }
    return to;
}

bool temporary_rename(const char *target)
{
    if (!MoveFileExA(path, target, MOVEFILE_REPLACE_EXISTING)) {
        errno = error_of(GetLastError());
        return false;
    }
    is_there = 0;
    return true;
}

void temporary_remove(void)
{
    if (InterlockedExchange(&is_there, 0) != 0)
        DeleteFileA(path);
}

/* rmdir /s /q in cmd, which PowerShell does not know. */
const char *folder_remover(void)
{
    return NULL;
}

/* --- without a name ------------------------------------------------------------------ */

/* Files have names here, but are deleted when they are closed in any way. A file in memory
 * is one that the system need not write while memory suffices. */
static FILE *open_as(const char *prefix)
{
    enum { MAX_TRIES = 100, MAX_CHARS = 32768 };
    static LONG made;
    char name[MAX_CHARS];
    HANDLE file = INVALID_HANDLE_VALUE;
    for (int i = 0; i < MAX_TRIES && file == INVALID_HANDLE_VALUE; i++) {
        int len =
            snprintf(name, sizeof(name), "%s%08lx%04lx", prefix, GetCurrentProcessId(),
                     (unsigned long)InterlockedIncrement(&made));
        if (len < 0 || (size_t)len >= sizeof(name))
            break;
        file = create(name, DELETE, FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE);
    }
    int fd = file != INVALID_HANDLE_VALUE
                 ? _open_osfhandle((intptr_t)file, _O_BINARY | _O_NOINHERIT)
                 : -1;
    if (fd >= 0)
        return fdopen(fd, "w+b");
    if (file != INVALID_HANDLE_VALUE)
        CloseHandle(file);
    errno = EACCES;
    return NULL;
}

FILE *anonymous_file_in_memory(void)
{
    char folder[MAX_PATH + 1], prefix[MAX_PATH + 16];
    if (GetTempPathA(sizeof(folder), folder) == 0)
        folder[0] = '\0';
    snprintf(prefix, sizeof(prefix), "%sheapdrift-", folder);
    return open_as(prefix);
}

FILE *temporary_anonymous(const char *neighbor)
{
    enum { MAX_CHARS = 32768 };
    char prefix[MAX_CHARS];
    struct stat st;
    bool is_file = stat(neighbor, &st) != 0 || S_ISREG(st.st_mode);
    int len = snprintf(prefix, sizeof(prefix), "%s.", neighbor);
    if (!is_file || len < 0 || (size_t)len >= sizeof(prefix))
        return anonymous_file_in_memory();
    return open_as(prefix);
}

const char *anonymous_file_excuse(void)
{
    return NULL;
}

bool anonymous_file_is_in_memory(FILE *file, uint64_t *bytes)
{
    (void)file;
    *bytes = 0;
    return false;
}

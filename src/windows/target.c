/* What target.h asks for: processes that listen at \\.\pipe\dotnet-diagnostic-<pid>.
 *
 * Processes are listed, and each is looked for by the name that its pipe would have: to
 * list the pipes is not allowed everywhere (wine), and would tell no more. Anybody may have
 * made a pipe of that name first, so before anything is asked the system says which process
 * listens, and whose it is. Another user's is refused, save to an administrator.
 *
 * Nothing is connected to only to look. A runtime makes the next instance of its pipe and
 * then waits for a client; one that comes in between it never sees, nor any after it
 * (ds-ipc-pal-namedpipe.c, ERROR_PIPE_CONNECTED; often under wine). Once it has answered it
 * is waiting, so one connection after the other, each with its answer, is safe. */
#include "collect/target.h"

#include "base/error.h"
#include "windows/process.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <windows.h>

#define PIPES "\\\\.\\pipe\\"
#define NAME "dotnet-diagnostic-"

static const char *pipe_of(pid_t pid, struct arena *arena)
{
    return arena_printf(arena, PIPES NAME "%ld", (long)pid);
}

/* Without a connection. One that is busy is there. */
static bool is_there(const char *pipe)
{
    return WaitNamedPipeA(pipe, 1) || GetLastError() == ERROR_SEM_TIMEOUT ||
           GetLastError() == ERROR_ACCESS_DENIED;
}

uint64_t hd_process_start(uint64_t pid)
{
    (void)pid;
    return 0;
}

bool hd_socket_is_gone(const char *socket)
{
    return !is_there(socket) && GetLastError() == ERROR_FILE_NOT_FOUND;
}

/* --- who listens --------------------------------------------------------------- */

static bool foreign(const char *pipe, pid_t pid, struct hd_error *err)
{
    struct arena scratch = {0};
    fail(err, HD_IO,
         "the diagnostics pipe belongs to user %s; run heapdrift as that user, or as "
         "administrator (%s)",
         process_user(pid, &scratch), pipe);
    arena_free(&scratch);
    return false;
}

static bool cannot_connect(const char *pipe, struct hd_error *err)
{
    if (errno == ECONNREFUSED)
        return fail(err, HD_IO, "nothing listens on %s: its process has exited", pipe);
    if (errno == EACCES)
        return fail(err, HD_IO,
                    "%s: access is denied; run heapdrift as the user of the process, or as "
                    "administrator",
                    pipe);
    if (errno == ETIMEDOUT)
        return fail(err, HD_TIMED_OUT,
                    "%s accepts no connections: the process hangs, or is stopped", pipe);
    if (errno == ECANCELED)
        return fail(err, HD_STOPPED, "stopped");
    return fail(err, HD_IO, "%s: %s", pipe, strerror(errno));
}

/* A connection to whoever listens, if his word may be taken; -1. */
static int connect_checked(const char *pipe, const struct patience *p, pid_t *pid,
                           struct hd_error *err)
{
    uid_t unused;
    int connection = transport.connect(pipe, p);
    if (connection < 0) {
        cannot_connect(pipe, err);
        return -1;
    }
    if (!transport.peer(connection, pid, &unused))
        fail(err, HD_IO, "%s: who listens is not known: %s", pipe, strerror(errno));
    else if (process_may_be_trusted(*pid) || foreign(pipe, *pid, err))
        return connection;
    close(connection);
    return -1;
}

int target_connect(const struct target *t, const struct patience *p, struct hd_error *err)
{
    pid_t pid;
    int connection = connect_checked(t->socket, p, &pid, err);
    if (connection < 0 || pid == t->pid)
        return connection;
    close(connection);
    fail(err, HD_IO, "process %ld listens on %s, not process %ld", (long)pid, t->socket,
         (long)t->pid);
    return -1;
}

/* --- one process --------------------------------------------------------------- */

bool target_of_process(struct target *t, pid_t pid, const struct patience *p,
                       struct arena *arena, struct hd_error *err)
{
    struct proc proc;
    (void)p;
    *t = (struct target){.socket = pipe_of(pid, arena), .pid = pid, .visible = true};
    if (is_there(t->socket))
        return process_may_be_trusted(pid) || foreign(t->socket, pid, err);
    if (!proc_read(&proc, pid, arena))
        return fail(err, HD_IO, "no process %ld", (long)pid);
    return fail_about(
        err, HD_ABOUT_SOCKETS, HD_IO,
        "process %ld (%s) has no diagnostics pipe: it runs no .NET Core 3.0 or "
        "later, is native AOT without events, or DOTNET_EnableDiagnostics=0 is "
        "set",
        (long)pid, proc.name);
}

/* With either slash, since a command line turns those of paths. Of a pipe of any name only
 * its server's number tells who it is. */
bool target_at_socket(struct target *t, const char *path, const struct patience *p,
                      struct arena *arena, struct hd_error *err)
{
    enum { TO_LISTEN_AGAIN_MS = 100 };
    char *pipe = arena_strdup(arena, path, strlen(path)), *end = NULL;
    long number = 0;
    for (char *at = pipe; (at = strchr(at, '/')) != NULL;)
        *at = '\\';
    if (strncmp(pipe, PIPES, strlen(PIPES)) != 0 ||
        strchr(pipe + strlen(PIPES), '\\') != NULL)
        return fail(err, HD_USAGE,
                    "name the pipe as " PIPES
                    "NAME: those of other machines are not asked");
    if (strncmp(pipe, PIPES NAME, strlen(PIPES NAME)) == 0 &&
        isdigit((unsigned char)pipe[strlen(PIPES NAME)]))
        number = strtol(pipe + strlen(PIPES NAME), &end, 10);
    if (number > 0 && *end == '\0')
        return target_of_process(t, (pid_t)number, p, arena, err);
    *t = (struct target){.socket = pipe, .visible = true};
    int connection = connect_checked(t->socket, p, &t->pid, err);
    if (connection < 0)
        return false;
    close(connection);
    Sleep(TO_LISTEN_AGAIN_MS);
    return true;
}

/* --- all of them --------------------------------------------------------------- */

struct found *targets_find(size_t *count, const char **incomplete, const struct patience *p,
                           struct arena *arena)
{
    size_t n;
    int lacked = 0;
    (void)p;
    *count = 0;
    const pid_t *pids = proc_all(&n, &lacked, arena);
    struct found *all = arena_array(arena, struct found, n);
    struct proc *procs = arena_array(arena, struct proc, n);
    for (size_t i = 0; i < n; i++) {
        const char *pipe = pipe_of(pids[i], arena);
        struct proc *proc = &procs[*count];
        struct found *found = &all[*count];
        struct hd_error why = {0};
        if (!is_there(pipe) || !proc_read(proc, pids[i], arena))
            continue;
        *found = (struct found){
            .target = {.socket = pipe, .pid = pids[i], .visible = true, .proc = proc},
            .user = process_user(pids[i], arena),
            .is_denied = !process_may_be_trusted(pids[i])};
        if (found->is_denied) {
            foreign(pipe, pids[i], &why);
            found->problem = arena_strdup(arena, why.message, strlen(why.message));
        }
        ++*count;
    }
    *incomplete = lacked != 0 ? arena_printf(arena, "cannot inspect all processes: %s",
                                             strerror(lacked))
                              : NULL;
    return all;
}

/* The way to a process by its named pipe. A connection is a descriptor of the C library's,
 * whose handle is overlapped: every read and write waits for no longer than it may. */
#include "collect/transport.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <string.h>
#include <windows.h>

/* How soon an await looks again: a pipe cannot be waited for without taking of it. */
enum { LOOK_MS = 10 };

/* How soon a pipe that is busy is tried again. */
enum { RETRY_MS = 20 };

static HANDLE handle_of(int connection)
{
    return (HANDLE)_get_osfhandle(connection);
}

static int error_of(DWORD last)
{
    switch (last) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
        return ECONNREFUSED;
    case ERROR_ACCESS_DENIED:
        return EACCES;
    case ERROR_OPERATION_ABORTED:
        return EAGAIN;
    case ERROR_BROKEN_PIPE:
    case ERROR_PIPE_NOT_CONNECTED:
    case ERROR_NO_DATA:
        return ECONNRESET;
    case ERROR_INVALID_NAME:
    case ERROR_BAD_PATHNAME:
        return EINVAL;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_NO_SYSTEM_RESOURCES:
        return ENOMEM;
    default:
        return EIO;
    }
}

static int failed(DWORD last)
{
    errno = error_of(last);
    return -1;
}

/* --- connecting ---------------------------------------------------------------- */

/* A pipe is busy where another client was faster than its server is with the next instance.
 * To be told when that is there (WaitNamedPipe) would be to come too early: see target.c.
 * It is one of this machine, and nothing that another name could lead away from it; whoever
 * listens may learn who we are, but not act as us. */
static int connect_to(const char *address, const struct patience *p)
{
    static const char pipes[] = "\\\\.\\pipe\\";
    static const DWORD flags =
        FILE_FLAG_OVERLAPPED | SECURITY_SQOS_PRESENT | SECURITY_IDENTIFICATION;
    size_t len = strlen(pipes);
    uint64_t deadline = patience_end(p);
    if (strncmp(address, pipes, len) != 0 || address[len] == '\0' ||
        strpbrk(address + len, "\\/") != NULL) {
        errno = EINVAL;
        return -1;
    }
    for (;;) {
        HANDLE pipe = CreateFileA(address, GENERIC_READ | GENERIC_WRITE, 0, NULL,
                                  OPEN_EXISTING, flags, NULL);
        if (pipe != INVALID_HANDLE_VALUE) {
            int fd = GetFileType(pipe) == FILE_TYPE_PIPE
                         ? _open_osfhandle((intptr_t)pipe, _O_BINARY | _O_NOINHERIT)
                         : -1;
            if (fd < 0)
                CloseHandle(pipe);
            errno = EMFILE;
            return fd;
        }
        if (GetLastError() != ERROR_PIPE_BUSY)
            return failed(GetLastError());
        unsigned step = patience_step(deadline);
        if (step == 0 || !patience_goes_on(p)) {
            errno = step == 0 ? ETIMEDOUT : ECANCELED;
            return -1;
        }
        Sleep(step < RETRY_MS ? step : RETRY_MS);
    }
}

/* Users have no numbers: see target.c. */
static bool peer_of(int connection, pid_t *pid, uid_t *uid)
{
    ULONG server;
    *uid = 0;
    if (!GetNamedPipeServerProcessId(handle_of(connection), &server))
        return failed(GetLastError()) == 0;
    *pid = (pid_t)server;
    return true;
}

/* --- bytes --------------------------------------------------------------------- */

static enum ready await_input(int connection, uint64_t deadline, const struct patience *p)
{
    HANDLE pipe = handle_of(connection);
    for (;;) {
        DWORD there;
        if (!patience_goes_on(p))
            return READY_STOPPED;
        /* That it is broken is something to read, too. */
        if (!PeekNamedPipe(pipe, NULL, 0, NULL, &there, NULL) || there > 0)
            return READY;
        unsigned step = patience_step(deadline);
        if (step == 0)
            return READY_TIMED_OUT;
        Sleep(step < LOOK_MS ? step : LOOK_MS);
    }
}

static DWORD at_most(size_t size)
{
    enum { MOST = 1 << 30 };
    return size < MOST ? (DWORD)size : MOST;
}

/* What was begun is over afterwards, since `o` and the bytes are the caller's; and what
 * came before it was cancelled counts. Of a message that is longer the rest comes next. */
static DWORD end_of(HANDLE pipe, OVERLAPPED *o, DWORD *moved)
{
    DWORD last = GetOverlappedResult(pipe, o, moved, TRUE) ? ERROR_SUCCESS : GetLastError();
    return last == ERROR_MORE_DATA ? ERROR_SUCCESS : last;
}

static bool is_begun(DWORD last)
{
    return last == ERROR_SUCCESS || last == ERROR_IO_PENDING || last == ERROR_MORE_DATA;
}

static ssize_t read_from(int connection, void *to, size_t room, unsigned wait_ms)
{
    HANDLE pipe = handle_of(connection);
    OVERLAPPED o = {.hEvent = CreateEventA(NULL, TRUE, FALSE, NULL)};
    DWORD got = 0, last = ERROR_SUCCESS;
    if (o.hEvent == NULL)
        return failed(GetLastError());
    if (!ReadFile(pipe, to, at_most(room), NULL, &o))
        last = GetLastError();
    if (last == ERROR_IO_PENDING && WaitForSingleObject(o.hEvent, wait_ms) == WAIT_TIMEOUT)
        CancelIoEx(pipe, &o);
    last = is_begun(last) ? end_of(pipe, &o, &got) : last;
    CloseHandle(o.hEvent);
    if (last == ERROR_BROKEN_PIPE || last == ERROR_PIPE_NOT_CONNECTED)
        return 0;
    /* Who writes nothing ends nothing. */
    if (last == ERROR_SUCCESS && got == 0)
        last = ERROR_OPERATION_ABORTED;
    return last == ERROR_SUCCESS ? (ssize_t)got : failed(last);
}

static enum ready await_end(HANDLE pipe, OVERLAPPED *o, uint64_t deadline,
                            const struct patience *p)
{
    for (;;) {
        unsigned step = patience_step(deadline);
        if (WaitForSingleObject(o->hEvent, step) != WAIT_TIMEOUT)
            return READY;
        if (step > 0 && patience_goes_on(p))
            continue;
        CancelIoEx(pipe, o);
        return step > 0 ? READY_STOPPED : READY_TIMED_OUT;
    }
}

static enum ready write_to(int connection, const void *bytes, size_t size,
                           uint64_t deadline, const struct patience *p)
{
    HANDLE pipe = handle_of(connection);
    OVERLAPPED o = {.hEvent = CreateEventA(NULL, TRUE, FALSE, NULL)};
    enum ready how = o.hEvent != NULL ? READY : READY_FAILED;
    for (size_t done = 0; how == READY && done < size;) {
        DWORD put = 0, last = ERROR_SUCCESS;
        if (!WriteFile(pipe, (const char *)bytes + done, at_most(size - done), NULL, &o))
            last = GetLastError();
        if (last == ERROR_IO_PENDING)
            how = await_end(pipe, &o, deadline, p);
        last = is_begun(last) ? end_of(pipe, &o, &put) : last;
        done += put;
        if (last == ERROR_SUCCESS)
            how = READY;
        else if (how == READY)
            how = READY_FAILED;
        errno = error_of(last);
    }
    if (o.hEvent != NULL)
        CloseHandle(o.hEvent);
    return how;
}

const struct transport transport = {.connect = connect_to,
                                    .peer = peer_of,
                                    .await = await_input,
                                    .read = read_from,
                                    .write = write_to};

/* Implements target.h and proc.h: processes that listen at
 * \\.\pipe\dotnet-diagnostic-<pid>.
 *
 * Lists processes and checks each for a pipe with its name: listing pipes is not permitted
 * everywhere (wine), and gives no more. Since any user may have created a pipe with this
 * name, the system is queried for the pid and user of its server before it is used. Another
 * user's is rejected, except for an administrator.
 *
 * Never connects only to check. A runtime creates the next instance of its pipe and then
 * waits for a client; it never sees a client that connects in between, nor any later one
 * (ds-ipc-pal-namedpipe.c, ERROR_PIPE_CONNECTED; often under wine). After an answer it is
 * waiting, so consecutive connections, each with its answer, are safe. */
#include "collect/proc.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/quantity.h"
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <windows.h>
/* Behind the header that they need. */
#include <psapi.h>
#include <tlhelp32.h>
#include <winternl.h>

/* --- transport ----------------------------------------------------------------- */

/* Transport over a named pipe. A connection is a descriptor of the C library with an
 * overlapped handle: reads and writes have a timeout. */

/* Polling interval: waiting for a pipe would consume input. */
enum { LOOK_MS = 10 };

/* Interval of retries for a busy pipe. */
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

/* A pipe is busy if another client connected before its server created the next instance.
 * WaitNamedPipe would connect too early: see above. The pipe must be local, without
 * redirection by its name; the server may identify us, but not impersonate us. */
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
    enum { MAX_BYTES = 1 << 30 };
    return size < MAX_BYTES ? (DWORD)size : MAX_BYTES;
}

/* Completes an operation, since `o` and the buffer belong to the caller; bytes transferred
 * before a cancellation count. The rest of a longer message follows. */
static DWORD end_of(HANDLE pipe, OVERLAPPED *o, DWORD *moved)
{
    DWORD last = GetOverlappedResult(pipe, o, moved, TRUE) ? ERROR_SUCCESS : GetLastError();
    return last == ERROR_MORE_DATA ? ERROR_SUCCESS : last;
}

static bool is_begun(DWORD last)
{
    return last == ERROR_SUCCESS || last == ERROR_IO_PENDING || last == ERROR_MORE_DATA;
}

static ssize_t read_from(int connection, void *to, size_t capacity, unsigned wait_ms)
{
    HANDLE pipe = handle_of(connection);
    OVERLAPPED o = {.hEvent = CreateEventA(NULL, TRUE, FALSE, NULL)};
    DWORD got = 0, last = ERROR_SUCCESS;
    if (o.hEvent == NULL)
        return failed(GetLastError());
    if (!ReadFile(pipe, to, at_most(capacity), NULL, &o))
        last = GetLastError();
    if (last == ERROR_IO_PENDING && WaitForSingleObject(o.hEvent, wait_ms) == WAIT_TIMEOUT)
        CancelIoEx(pipe, &o);
    last = is_begun(last) ? end_of(pipe, &o, &got) : last;
    CloseHandle(o.hEvent);
    if (last == ERROR_BROKEN_PIPE || last == ERROR_PIPE_NOT_CONNECTED)
        return 0;
    /* A zero-byte message is not end of file. */
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

/* --- processes ----------------------------------------------------------------- */

/* Facts that Windows reports about a process. For processes of other users most are
 * unknown. */

/* FILETIME counts units of 100 ns since 1601. */
enum { UNITS_PER_SECOND = 10000000 };

static const uint64_t seconds_to_1970 = UINT64_C(11644473600);

static HANDLE open_process(pid_t pid)
{
    return OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, (DWORD)pid);
}

/* --- users --------------------------------------------------------------------- */

/* Its user, malloc'd; NULL unknown. */
static TOKEN_USER *user_of(HANDLE process)
{
    HANDLE token;
    DWORD size = 0;
    TOKEN_USER *user = NULL;
    if (process == NULL || !OpenProcessToken(process, TOKEN_QUERY, &token))
        return NULL;
    GetTokenInformation(token, TokenUser, NULL, 0, &size);
    if (size >= sizeof(*user)) {
        user = alloc_zeroed(size);
        if (!GetTokenInformation(token, TokenUser, user, size, &size)) {
            free(user);
            user = NULL;
        }
    }
    CloseHandle(token);
    return user;
}

static TOKEN_USER *user_of_pid(pid_t pid)
{
    HANDLE process = open_process(pid);
    TOKEN_USER *user = user_of(process);
    if (process != NULL)
        CloseHandle(process);
    return user;
}

static const char *process_user(pid_t pid, struct arena *arena)
{
    enum { MAX_CHARS = 256 };
    char name[MAX_CHARS], domain[MAX_CHARS];
    DWORD name_size = MAX_CHARS, domain_size = MAX_CHARS;
    SID_NAME_USE kind;
    TOKEN_USER *user = user_of_pid(pid);
    bool known = user != NULL && LookupAccountSidA(NULL, user->User.Sid, name, &name_size,
                                                   domain, &domain_size, &kind);
    free(user);
    return known ? arena_printf(arena, "%s\\%s", domain, name) : "unknown";
}

/* An administrator may use any process; an inactive group, before elevation, does not
 * count. */
static bool process_may_be_trusted(pid_t pid)
{
    TOKEN_USER *ours = user_of(GetCurrentProcess()), *theirs = user_of_pid(pid);
    SID_IDENTIFIER_AUTHORITY nt = {SECURITY_NT_AUTHORITY};
    PSID group;
    BOOL is_member = FALSE;
    bool same =
        ours != NULL && theirs != NULL && EqualSid(ours->User.Sid, theirs->User.Sid);
    free(ours);
    free(theirs);
    if (same)
        return true;
    if (!AllocateAndInitializeSid(&nt, 2, SECURITY_BUILTIN_DOMAIN_RID,
                                  DOMAIN_ALIAS_RID_ADMINS, 0, 0, 0, 0, 0, 0, &group))
        return false;
    bool known = CheckTokenMembership(NULL, group, &is_member);
    FreeSid(group);
    return known && is_member;
}

/* --- what was started ---------------------------------------------------------- */

/* Its file, malloc'd; NULL unknown. */
static char *file_of(HANDLE process)
{
    enum { MAX_CHARS = 32768 };
    char *path = alloc_zeroed(MAX_CHARS);
    DWORD size = MAX_CHARS;
    if (QueryFullProcessImageNameA(process, 0, path, &size))
        return path;
    free(path);
    return NULL;
}

/* Reads the command line into `to`. Not in the headers, but available since Windows 8.1, as
 * a string followed by its characters. */
static bool read_command(HANDLE process, struct text *to)
{
    enum { COMMAND_LINE = 60 };
    typedef NTSTATUS(NTAPI * query)(HANDLE, int, void *, ULONG, ULONG *);
    HMODULE ntdll = GetModuleHandleA("ntdll");
    query ask = ntdll != NULL
                    ? (query)(void *)GetProcAddress(ntdll, "NtQueryInformationProcess")
                    : NULL;
    ULONG size = 0;
    text_clear(to);
    if (ask == NULL)
        return false;
    ask(process, COMMAND_LINE, NULL, 0, &size);
    if (size < sizeof(UNICODE_STRING) || size > 1 << 20)
        return false;
    UNICODE_STRING *line = alloc_zeroed(size);
    bool ok = ask(process, COMMAND_LINE, line, size, &size) >= 0 && line->Buffer != NULL;
    if (ok)
        text_add_utf16(to, (const unsigned char *)line->Buffer,
                       line->Length / sizeof(WCHAR), UTF16_LITTLE);
    free(line);
    return ok && to->len > 0;
}

/* Parses the next word of a command line, without quotes, into `word`; returns its end. */
static const char *next_word(const char *at, struct text *word)
{
    bool quoted = false;
    text_clear(word);
    at += strspn(at, " \t");
    for (; *at != '\0' && (quoted || (*at != ' ' && *at != '\t')); at++)
        if (*at == '"')
            quoted = !quoted;
        else
            text_add_char(word, *at);
    return at;
}

static const char *name_in(const char *path)
{
    const char *last = strrchr(path, '\\'), *other = path_file_name(path);
    return last != NULL && last + 1 > other ? last + 1 : other;
}

/* Of `dotnet app.dll` the assembly; "" without one. */
static void find_assembly(const char *command, struct text *assembly)
{
    const char *at = next_word(command, assembly);
    while (*at != '\0') {
        at = next_word(at, assembly);
        if (path_ends_in(text_string(assembly), ".dll"))
            return;
    }
    text_clear(assembly);
}

static const char *without(const char *name, const char *suffix, struct arena *arena)
{
    size_t len = strlen(name);
    return arena_strdup(arena, name,
                        path_ends_in(name, suffix) ? len - strlen(suffix) : len);
}

/* --- facts --------------------------------------------------------------------- */

static uint64_t time_in(FILETIME t)
{
    return (uint64_t)t.dwHighDateTime << 32 | t.dwLowDateTime;
}

/* ...\Microsoft.NETCore.App\10.0.12\coreclr.dll */
const char *proc_runtime(pid_t pid, struct arena *arena)
{
    static const char folder[] = "\\Microsoft.NETCore.App\\";
    MODULEENTRY32 module = {.dwSize = sizeof(module)};
    const char *version = NULL;
    HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPMODULE, (DWORD)pid);
    if (all == INVALID_HANDLE_VALUE)
        return NULL;
    for (BOOL more = Module32First(all, &module); more && version == NULL;
         more = Module32Next(all, &module)) {
        const char *at = strstr(module.szExePath, folder);
        at = at != NULL ? at + strlen(folder) : "";
        size_t len = strcspn(at, "\\");
        if (at[len] == '\\' && isdigit((unsigned char)at[0]) && len < 64)
            version = arena_strdup(arena, at, len);
    }
    CloseHandle(all);
    return version;
}

/* The environment of others is not read here. */
bool proc_read(struct proc *p, pid_t pid, struct arena *arena)
{
    PROCESS_MEMORY_COUNTERS memory = {.cb = sizeof(memory)};
    HANDLE process = open_process(pid);
    FILETIME now, start, end, kernel, user;
    *p = (struct proc){.pid = pid, .inner_pid = pid, .name = "?", .short_name = "?"};
    /* For other users only its existence is known. */
    if (process == NULL)
        return GetLastError() == ERROR_ACCESS_DENIED;
    struct text t = {0}, assembly = {0};
    char *file = file_of(process);
    if (GetProcessTimes(process, &start, &end, &kernel, &user))
        p->start = time_in(start);
    GetSystemTimeAsFileTime(&now);
    if (p->start > 0 && time_in(now) > p->start)
        p->age = (time_in(now) - p->start) / UNITS_PER_SECOND;
    if (GetProcessMemoryInfo(process, &memory, sizeof(memory)))
        p->resident = memory.WorkingSetSize;
    if (read_command(process, &t))
        p->command = arena_strdup(arena, text_string(&t), t.len);
    if (file != NULL && _stricmp(name_in(file), "dotnet.exe") == 0 && p->command != NULL)
        find_assembly(p->command, &assembly);
    if (file != NULL) {
        p->short_name = arena_strdup(arena, name_in(file), strlen(name_in(file)));
        p->name = assembly.len > 0 ? without(name_in(text_string(&assembly)), ".dll", arena)
                                   : without(p->short_name, ".exe", arena);
        p->program = arena_printf(arena, "%s%s%s", file, assembly.len > 0 ? " " : "",
                                  text_string(&assembly));
    }
    free(file);
    text_free(&t);
    text_free(&assembly);
    CloseHandle(process);
    return true;
}

/* Maximum of resident and reserved memory: both exceed the heap. */
uint64_t proc_memory(pid_t pid)
{
    PROCESS_MEMORY_COUNTERS memory = {.cb = sizeof(memory)};
    HANDLE process = open_process(pid);
    bool known = process != NULL && GetProcessMemoryInfo(process, &memory, sizeof(memory));
    if (process != NULL)
        CloseHandle(process);
    if (!known)
        return 0;
    uint64_t had = memory.PeakWorkingSetSize, promised = memory.PeakPagefileUsage;
    return had > promised ? had : promised;
}

/* --- list of processes ---------------------------------------------------------- */

pid_t *proc_all(size_t *count, int *lacked, struct arena *arena)
{
    enum { IDLE = 0, SYSTEM = 4 };
    PROCESSENTRY32 entry = {.dwSize = sizeof(entry)};
    pid_t *all = NULL;
    size_t len = 0, cap = 0;
    HANDLE list = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
    if (list == INVALID_HANDLE_VALUE && lacked != NULL)
        *lacked = ENOMEM;
    for (BOOL more = list != INVALID_HANDLE_VALUE && Process32First(list, &entry); more;
         more = Process32Next(list, &entry)) {
        pid_t pid = (pid_t)entry.th32ProcessID;
        if (pid == IDLE || pid == SYSTEM)
            continue;
        all = grow(all, len, &cap, sizeof(*all));
        all[len++] = pid;
    }
    if (list != INVALID_HANDLE_VALUE)
        CloseHandle(list);
    *count = len;
    return proc_rising(all, len, arena);
}

/* --- one collector at a time --------------------------------------------------- */

/* Opens a file of this user exclusively; it is deleted when its holder closes it or
 * ends. */
bool process_lock_wait(pid_t pid, const struct patience *p, int *lock, struct hd_error *err)
{
    uint64_t deadline = patience_end(p);
    char folder[MAX_PATH + 1], path[MAX_PATH + 64];
    *lock = -1;
    if (GetTempPathA(sizeof(folder), folder) == 0)
        return true;
    snprintf(path, sizeof(path), "%sheapdrift-%ld.lock", folder, (long)pid);
    for (;;) {
        HANDLE file =
            CreateFileA(path, GENERIC_WRITE, 0, NULL, OPEN_ALWAYS,
                        FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, NULL);
        if (file != INVALID_HANDLE_VALUE)
            *lock = _open_osfhandle((intptr_t)file, _O_BINARY | _O_NOINHERIT);
        if (file != INVALID_HANDLE_VALUE || GetLastError() != ERROR_SHARING_VIOLATION ||
            clock_ms() >= deadline)
            return true;
        if (!patience_goes_on(p))
            return fail(err, HD_CANCELLED, "stopped");
        Sleep(PATIENCE_TICK_MS);
    }
}

/* --- origin -------------------------------------------------------------------- */

struct hd_origin origin_of(const struct target *t)
{
    struct hd_origin o = {.instance = 0};
    struct arena scratch = {0};
    struct proc own;
    DWORD size = sizeof(o.host);
    char who[sizeof(o.host) + 64];
    const struct proc *proc = t->proc;
    if (!GetComputerNameExA(ComputerNameDnsHostname, o.host, &size))
        o.host[0] = '\0';
    if (proc == NULL && t->visible && proc_read(&own, t->pid, &scratch))
        proc = &own;
    if (proc != NULL && proc->program != NULL && strlen(proc->program) < sizeof(o.program))
        snprintf(o.program, sizeof(o.program), "%s", proc->program);
    /* Nothing else began on this machine at that very time with that number. */
    if (proc != NULL && proc->start > 0) {
        calendar_time((int64_t)(proc->start / UNITS_PER_SECOND - seconds_to_1970),
                      o.started);
        int len = snprintf(who, sizeof(who), "%s %llu %ld", o.host,
                           (unsigned long long)proc->start, (long)proc->pid);
        o.instance = XXH3_64bits(who, (size_t)len);
        o.instance += o.instance == 0;
    }
    const char *runtime = proc != NULL ? proc_runtime(proc->pid, &scratch) : NULL;
    if (runtime != NULL && strlen(runtime) < sizeof(o.runtime))
        snprintf(o.runtime, sizeof(o.runtime), "%s", runtime);
    arena_free(&scratch);
    return o;
}

/* --- files of others ----------------------------------------------------------- */

/* There is one root, and accessible processes are trusted with its files. */
bool others_run_inside(pid_t pid, const struct other_work *w, const struct patience *p,
                       struct text *answer)
{
    const struct inside at = {-1, "/"};
    (void)pid, (void)p;
    text_clear(answer);
    errno = 0;
    w->work(&at, w->context, answer);
    return errno == 0;
}

int inside_open(const struct inside *at, int how)
{
    return open(at->path, how);
}

int others_open_held(int held)
{
    struct stat st;
    if (fstat(held, &st) == 0 && S_ISREG(st.st_mode))
        return held;
    close_quietly(held);
    errno = EINVAL;
    return -1;
}

/* --- pipes --------------------------------------------------------------------- */

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

/* --- server of a pipe -------------------------------------------------------------- */

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
    if (errno == EACCES)
        return fail(err, HD_IO,
                    "%s: access is denied; run heapdrift as the user of the process, or as "
                    "administrator",
                    pipe);
    return target_fail(pipe, err);
}

/* Connects if the server is trusted; -1. */
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
        fail(err, HD_IO, "%s: cannot identify the process that listens: %s", pipe,
             strerror(errno));
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

/* Accepts both slashes, since command lines convert those of paths. A pipe with any name is
 * identified only by the pid of its server. */
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

/* --- list of targets ------------------------------------------------------------ */

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

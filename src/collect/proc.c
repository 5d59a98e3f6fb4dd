#include "collect/proc.h"

#include "base/error.h"
#include "base/path.h"
#include "base/text.h"
#include "collect/ipc.h"
#include "collect/others.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

static void path_of(char path[64], pid_t pid, const char *name)
{
    snprintf(path, 64, "/proc/%ld/%s", (long)pid, name);
}

bool proc_read_path(const char *path, struct text *to)
{
    enum { MOST_BYTES = 1 << 20 };
    char block[4096];
    text_clear(to);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
    if (fd < 0)
        return false;
    ssize_t n = 0;
    while (to->len < MOST_BYTES && (n = read(fd, block, sizeof(block))) > 0)
        text_add(to, block, (size_t)n);
    close(fd);
    return n >= 0;
}

bool proc_read_file(pid_t pid, const char *name, struct text *to)
{
    char path[96];
    snprintf(path, sizeof(path), "/proc/%ld/%s", (long)pid, name);
    return proc_read_path(path, to);
}

bool proc_is_shortage(int why)
{
    return why == EMFILE || why == ENFILE || why == ENOMEM || why == EIO || why == EINTR;
}

/* --- facts --------------------------------------------------------------------- */

static bool read_of(struct proc *p, const char *name, struct text *to)
{
    bool ok = proc_read_file(p->pid, name, to);
    if (!ok && proc_is_shortage(errno))
        p->lacked = errno;
    return ok;
}

/* "4711 (name) S ...": the name may hold blanks and parentheses. */
static uint64_t parse_stat(const char *s, bool *ended)
{
    enum { START_FIELD = 22, STATE_FIELD = 3 };
    const char *at = strrchr(s, ')');
    *ended = at != NULL && at[1] == ' ' && at[2] != '\0' && strchr("ZXx", at[2]) != NULL;
    for (int field = STATE_FIELD - 1; field < START_FIELD && at != NULL; field++) {
        at = strchr(at, ' ');
        at = at != NULL ? at + 1 : NULL;
    }
    return at != NULL ? strtoull(at, NULL, 10) : 0;
}

static void read_stat(struct proc *p, struct text *t, struct arena *arena)
{
    if (!read_of(p, "stat", t))
        return;
    const char *s = text_string(t), *open = strchr(s, '('), *at = strrchr(s, ')');
    if (open == NULL || at == NULL || at < open)
        return;
    p->short_name = arena_strdup(arena, open + 1, (size_t)(at - open) - 1);
    p->start = parse_stat(s, &p->ended);
}

uint64_t proc_start(pid_t pid)
{
    struct text t = {0};
    bool ended = true;
    uint64_t start = 0;
    if (proc_read_file(pid, "stat", &t))
        start = parse_stat(text_string(&t), &ended);
    int why = errno;
    text_free(&t);
    errno = why;
    return ended ? 0 : start;
}

uint64_t proc_number(const char *status, const char *word, int skip, int base)
{
    const char *at = strstr(status, word);
    at = at != NULL ? at + strlen(word) : "";
    for (; skip > 0; skip--) {
        at += strspn(at, " \t");
        at += strcspn(at, " \t\n");
    }
    at += strspn(at, " \t");
    return isxdigit((unsigned char)*at) ? strtoull(at, NULL, base) : HD_UNKNOWN;
}

/* "VmRSS:\t  123 kB" */
static uint64_t bytes_behind(const char *status, const char *word)
{
    uint64_t kib = proc_number(status, word, 0, 10);
    return kib != HD_UNKNOWN ? kib * 1024 : 0;
}

/* Behind "NSpid:" stands one pid per namespace, innermost last; outer if it does not. */
static pid_t innermost_pid(const char *status, pid_t outer)
{
    const char *line = strstr(status, "\nNSpid:");
    char *end;
    for (const char *at = line != NULL ? line + 7 : ""; *at == '\t' || *at == ' ';
         at = end) {
        long n = strtol(at, &end, 10);
        if (end == at)
            break;
        outer = (pid_t)n;
    }
    return outer;
}

/* The numbers behind "Uid:" are real, effective, saved, file system. */
static void read_status(struct proc *p, struct text *t)
{
    p->inner_pid = p->pid;
    if (!read_of(p, "status", t))
        return;
    const char *s = text_string(t);
    uint64_t uid = proc_number(s, "\nUid:", 1, 10);
    p->uid = uid != HD_UNKNOWN ? (uid_t)uid : p->uid;
    p->real_uid = uid != HD_UNKNOWN ? (uid_t)proc_number(s, "\nUid:", 0, 10) : p->uid;
    p->resident = bytes_behind(s, "\nVmRSS:");
    p->inner_pid = innermost_pid(s, p->pid);
}

pid_t proc_inner_thread(pid_t pid, pid_t thread)
{
    char name[48];
    struct text t = {0};
    snprintf(name, sizeof(name), "task/%ld/status", (long)thread);
    pid_t inner =
        proc_read_file(pid, name, &t) ? innermost_pid(text_string(&t), thread) : thread;
    text_free(&t);
    return inner;
}

/* Kept of the arguments of a process: they are in our memory for each process there is, and
 * in its own once for all that it forks. */
enum { MOST_OF_COMMAND = 4096 };

/* The arguments lie one behind the other, each with its NUL. A program that the host runs
 * goes by the name of its assembly. */
static const char *program_of(const char *arguments, size_t len, struct arena *arena)
{
    const char *program = path_file_name(arguments);
    if (strcmp(program, "dotnet") != 0)
        return arena_strdup(arena, program, strnlen(program, NAME_MAX));
    for (size_t at = strlen(arguments) + 1; at < len; at += strlen(arguments + at) + 1) {
        const char *argument = arguments + at;
        const char *name = path_file_name(argument);
        if (path_ends_in(argument, ".dll") && strlen(name) <= NAME_MAX)
            return arena_strdup(arena, name, strlen(name) - strlen(".dll"));
    }
    return "dotnet";
}

static void read_command(struct proc *p, struct text *t, struct arena *arena)
{
    p->name = p->short_name;
    if (!read_of(p, "cmdline", t) || t->len == 0)
        return;
    const char *s = text_string(t);
    p->name = program_of(s, t->len, arena);
    size_t len = t->len < MOST_OF_COMMAND ? t->len : MOST_OF_COMMAND;
    while (len > 0 && s[len - 1] == '\0')
        len--;
    char *command = arena_strdup(arena, s, len);
    for (size_t i = 0; i < len; i++)
        if (command[i] == '\0')
            command[i] = ' ';
    p->command = command;
}

/* Its TMPDIR, if its environment may be read. No socket is below a longer path. */
static void read_folder(struct proc *p, struct text *t, struct arena *arena)
{
    p->folder = "/tmp";
    if (!read_of(p, "environ", t))
        return;
    const char *s = text_string(t);
    for (size_t at = 0; at < t->len; at += strlen(s + at) + 1)
        if (strncmp(s + at, "TMPDIR=/", 8) == 0) {
            size_t len = strlen(s + at + 7);
            if (len < PATH_MAX)
                p->folder = arena_strdup(arena, s + at + 7, len);
            return;
        }
}

/* The value of a variable of .NET, which has two prefixes; NULL if s is another. */
static const char *value_of(const char *s, const char *name)
{
    static const char *const prefixes[] = {"DOTNET_", "COMPlus_"};
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
        size_t len = strlen(prefixes[i]), more = strlen(name);
        if (strncmp(s, prefixes[i], len) == 0 && strncmp(s + len, name, more) == 0 &&
            s[len + more] == '=')
            return s + len + more + 1;
    }
    return NULL;
}

/* "PATH[,suspend|,nosuspend][;...]": the first that suspends, which is the default. */
static const char *suspending_port(const char *ports, struct arena *arena)
{
    while (*ports != '\0') {
        size_t len = strcspn(ports, ";"), path = strcspn(ports, ",;");
        const char *end = ports + len;
        bool waits = path > 0;
        for (const char *at = ports + path; at < end; at++)
            waits &= strncmp(at, ",nosuspend", strlen(",nosuspend")) != 0;
        if (waits)
            return arena_strdup(arena, ports, path);
        ports = *end == ';' ? end + 1 : end;
    }
    return NULL;
}

bool proc_is_to_wait(pid_t pid, const char **port, struct arena *arena)
{
    struct text t = {0};
    bool usual = false;
    *port = NULL;
    const char *s = proc_read_file(pid, "environ", &t) ? text_string(&t) : "";
    for (size_t at = 0; at < t.len; at += strlen(s + at) + 1) {
        const char *suspend = value_of(s + at, "DefaultDiagnosticPortSuspend");
        const char *ports = value_of(s + at, "DiagnosticPorts");
        usual |= suspend != NULL && strtoul(suspend, NULL, 16) != 0;
        if (ports != NULL && *port == NULL)
            *port = suspending_port(ports, arena);
    }
    text_free(&t);
    return usual || *port != NULL;
}

bool proc_has_program(pid_t pid, const char *path)
{
    char link[64], program[PATH_MAX];
    path_of(link, pid, "exe");
    ssize_t len = readlink(link, program, sizeof(program) - 1);
    program[len > 0 ? len : 0] = '\0';
    return len > 0 && strcmp(program, path) == 0;
}

/* Unreadable links count as ours. Only the name of the root is read: stat() may hang in a
 * file system that never answers. */
static void find_files(struct proc *p, struct arena *arena)
{
    char path[64], root[PATH_MAX];
    struct stat ours, its;
    path_of(path, p->pid, "ns/mnt");
    bool is_known = stat(path, &its) == 0 && stat("/proc/self/ns/mnt", &ours) == 0;
    path_of(path, p->pid, "root");
    ssize_t len = readlink(path, root, sizeof(root) - 1);
    root[len > 0 ? len : 0] = '\0';
    p->same_files =
        (!is_known || (ours.st_dev == its.st_dev && ours.st_ino == its.st_ino)) &&
        (len <= 0 || strcmp(root, "/") == 0);
    if (!p->same_files)
        p->view = arena_printf(arena, "%llu %s",
                               is_known ? (unsigned long long)its.st_ino : 0, root);
}

bool proc_read(struct proc *p, pid_t pid, struct arena *arena)
{
    char path[64];
    struct stat st;
    *p = (struct proc){.pid = pid};
    path_of(path, pid, "stat");
    if (pid <= 0 || stat(path, &st) != 0)
        return false;
    p->uid = p->real_uid = st.st_uid;
    struct text t = {0};
    read_stat(p, &t, arena);
    if (p->ended) {
        text_free(&t);
        return false;
    }
    read_status(p, &t);
    read_command(p, &t, arena);
    read_folder(p, &t, arena);
    find_files(p, arena);
    text_free(&t);
    return true;
}

/* --- the runtime --------------------------------------------------------------- */

/* ".../Microsoft.NETCore.App/10.0.12/libcoreclr.so" */
const char *proc_runtime(pid_t pid, struct arena *arena)
{
    static const char folder[] = "/Microsoft.NETCore.App/";
    struct text t = {0};
    const char *version = NULL;
    if (proc_read_file(pid, "maps", &t)) {
        const char *at = strstr(text_string(&t), folder);
        at = at != NULL ? at + strlen(folder) : "";
        size_t len = strcspn(at, "/\n");
        if (at[len] == '/' && isdigit((unsigned char)at[0]) && len < 64)
            version = arena_strdup(arena, at, len);
    }
    text_free(&t);
    return version;
}

/* --- more of one --------------------------------------------------------------- */

uint64_t proc_memory(pid_t pid)
{
    struct text t = {0};
    uint64_t bytes = 0;
    if (proc_read_file(pid, "status", &t)) {
        const char *s = text_string(&t);
        bytes = bytes_behind(s, "\nVmRSS:") + bytes_behind(s, "\nVmSwap:") +
                bytes_behind(s, "\nHugetlbPages:");
    }
    text_free(&t);
    return bytes;
}

uint64_t proc_age(const struct proc *p)
{
    struct timespec since_boot;
    long per_second = sysconf(_SC_CLK_TCK);
    if (p->start == 0 || per_second <= 0 || clock_gettime(CLOCK_BOOTTIME, &since_boot) != 0)
        return 0;
    uint64_t now = (uint64_t)since_boot.tv_sec, then = p->start / (uint64_t)per_second;
    return now > then ? now - then : 0;
}

bool proc_is_hidden(pid_t pid)
{
    char path[64];
    struct stat st;
    path_of(path, pid, "stat");
    return pid > 0 && (kill(pid, 0) == 0 || errno == EPERM) && stat(path, &st) != 0;
}

/* --- all of them --------------------------------------------------------------- */

pid_t *proc_all(size_t *count, int *lacked, struct arena *arena)
{
    pid_t *all = NULL;
    size_t len = 0, cap = 0;
    DIR *proc = opendir("/proc");
    struct dirent *entry;
    for (;;) {
        errno = proc != NULL ? 0 : errno;
        entry = proc != NULL ? readdir(proc) : NULL;
        if (entry == NULL)
            break;
        char *end;
        long pid = strtol(entry->d_name, &end, 10);
        if (*end != '\0' || pid <= 0)
            continue;
        all = grow(all, len, &cap, sizeof(*all));
        all[len++] = (pid_t)pid;
    }
    if (lacked != NULL && proc_is_shortage(errno))
        *lacked = errno;
    if (proc != NULL)
        closedir(proc);
    *count = len;
    return proc_rising(all, len, arena);
}

const char *proc_excuse(void)
{
    bool is_there = access("/proc/self", F_OK) == 0;
    return is_there ? NULL : "cannot list processes: /proc is not mounted here";
}

#ifdef HD_STATIC
/* getpwuid_r() may load a module of the C library that is installed here, which is not the
 * one that this program has inside. So only the users of /etc/passwd have names. */
static int find_user(uid_t uid, struct passwd *user, char *buffer, size_t size,
                     struct passwd **found)
{
    FILE *users = fopen("/etc/passwd", "re");
    if (users == NULL)
        return errno;
    int status = 0;
    do
        status = fgetpwent_r(users, user, buffer, size, found);
    while (status == 0 && user->pw_uid != uid);
    fclose(users);
    return status;
}
#else
#define find_user getpwuid_r
#endif

const char *proc_user(uid_t uid, struct arena *arena)
{
    char buffer[4096];
    struct passwd user, *found = NULL;
    if (find_user(uid, &user, buffer, sizeof(buffer), &found) == 0 && found != NULL)
        return arena_strdup(arena, found->pw_name, strlen(found->pw_name));
    return arena_printf(arena, "uid %lu", (unsigned long)uid);
}

/* --- one collector at a time --------------------------------------------------- */

enum { TICK_MS = 100 };

/* Returns the process that locked a folder: "1: FLOCK  ADVISORY  WRITE 4711 00:16:1234 0
 * EOF". 0 if it has ended, or is not visible from here. */
static pid_t locker_of(int folder)
{
    struct text t = {0};
    struct stat st;
    char place[64];
    long pid = 0;
    if (fstat(folder, &st) == 0 && proc_read_path("/proc/locks", &t)) {
        snprintf(place, sizeof(place), " %02x:%02x:%llu 0 EOF", major(st.st_dev),
                 minor(st.st_dev), (unsigned long long)st.st_ino);
        const char *at = strstr(text_string(&t), place);
        while (at != NULL && at > t.data && at[-1] != '\n')
            at--;
        if (at == NULL || sscanf(at, "%*d: FLOCK %*s %*s %ld", &pid) != 1)
            pid = 0;
    }
    text_free(&t);
    return (pid_t)pid;
}

/* Returns for how long a lock is respected: any user can lock the folder, but only root and
 * the user of the process have a reason. */
static unsigned respect_ms(int folder, pid_t pid, unsigned silence_ms)
{
    enum { UNKNOWN_MS = 1000 };
    struct rights its, locker;
    if (!others_rights(locker_of(folder), &locker))
        return UNKNOWN_MS < silence_ms ? UNKNOWN_MS : silence_ms;
    bool is_stranger = locker.uid != 0 && others_rights(pid, &its) && locker.uid != its.uid;
    return is_stranger ? 0 : silence_ms;
}

bool process_lock_wait(pid_t pid, unsigned silence_ms, bool (*go_on)(void *context),
                       void *context, int *lock, struct hd_error *err)
{
    const uint64_t began = clock_ms();
    *lock = others_open(pid, "", O_RDONLY | O_DIRECTORY);
    while (*lock >= 0 && flock(*lock, LOCK_EX | LOCK_NB) != 0) {
        bool is_over = errno != EWOULDBLOCK && errno != EINTR;
        if (is_over || clock_ms() - began >= respect_ms(*lock, pid, silence_ms))
            return true;
        if (go_on != NULL && !go_on(context))
            return fail(err, HD_STOPPED, "stopped");
        poll(NULL, 0, TICK_MS);
    }
    return true;
}

/* Reads facts about processes from /proc, control groups and namespaces: the only file of
 * this house that reads them from the kernel. src/windows/target.c is its counterpart. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): O_PATH */
#include "collect/proc.h"

#include "base/error.h"
#include "base/quantity.h"
#include "base/text.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/nsfs.h>
#include <linux/sched.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

bool proc_read_path(const char *path, struct text *to)
{
    enum { MAX_BYTES = 1 << 20 };
    char block[4096];
    text_clear(to);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
    if (fd < 0)
        return false;
    ssize_t n = 0;
    while (to->len < MAX_BYTES && (n = read(fd, block, sizeof(block))) > 0)
        text_add(to, block, (size_t)n);
    close(fd);
    return n >= 0;
}

struct proc_path proc_path(pid_t pid, const char *name)
{
    struct proc_path path;
    snprintf(path.text, sizeof(path.text), "/proc/%ld/%s", (long)pid, name);
    return path;
}

bool proc_read_file(pid_t pid, const char *name, struct text *to)
{
    return proc_read_path(proc_path(pid, name).text, to);
}

enum namespaces proc_namespace(pid_t pid, const char *kind, uint64_t *inode)
{
    char name[64], own[64];
    struct stat ours, its;
    snprintf(name, sizeof(name), "ns/%s", kind);
    snprintf(own, sizeof(own), "/proc/self/ns/%s", kind);
    bool is_known = stat(proc_path(pid, name).text, &its) == 0 && stat(own, &ours) == 0;
    if (inode != NULL)
        *inode = is_known ? (uint64_t)its.st_ino : 0;
    return !is_known                                                ? NAMESPACE_UNKNOWN
           : its.st_dev == ours.st_dev && its.st_ino == ours.st_ino ? NAMESPACE_OURS
                                                                    : NAMESPACE_OTHER;
}

bool proc_is_shortage(int why)
{
    return why == EMFILE || why == ENFILE || why == ENOMEM || why == EIO || why == EINTR;
}

/* --- facts --------------------------------------------------------------------- */

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
static uint64_t bytes_after(const char *status, const char *word)
{
    uint64_t kib = proc_number(status, word, 0, 10);
    return kib != HD_UNKNOWN ? kib * 1024 : 0;
}

/* "NSpid:" lists one pid per namespace, innermost last; returns outer without it. */
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

/* Kept of the arguments of a process: they are in our memory for each process there is, and
 * in its own once for all that it forks. */
enum { MAX_OF_COMMAND = 4096 };

/* Returns the assembly in the arguments of `dotnet app.dll`, which are NUL-terminated;
 * NULL. */
static const char *assembly_in(const char *arguments, size_t len)
{
    if (strcmp(path_file_name(arguments), "dotnet") != 0)
        return NULL;
    for (size_t at = strlen(arguments) + 1; at < len; at += strlen(arguments + at) + 1)
        if (path_ends_in(arguments + at, ".dll") && strlen(arguments + at) > strlen(".dll"))
            return arguments + at;
    return NULL;
}

void origin_program(const char *arguments, size_t len, char *program, size_t size)
{
    const char *assembly = len > 0 ? assembly_in(arguments, len) : NULL;
    int n = snprintf(program, size, "%s%s%s", len > 0 ? arguments : "",
                     assembly != NULL ? " " : "", assembly != NULL ? assembly : "");
    if (n < 0 || (size_t)n >= size)
        program[0] = '\0';
}

/* A program run by the host is named after its assembly. */
static void read_command(struct proc *p, const char *s, size_t len, struct arena *arena)
{
    char program[sizeof(((struct hd_origin *)NULL)->program)];
    const char *assembly = assembly_in(s, len);
    const char *name = path_file_name(assembly != NULL ? assembly : s);
    size_t name_len = strnlen(name, NAME_MAX);
    p->name =
        assembly != NULL && strlen(name) > NAME_MAX
            ? "dotnet"
            : arena_strdup(arena, name, name_len - (assembly != NULL ? strlen(".dll") : 0));
    origin_program(s, len, program, sizeof(program));
    p->program = arena_strdup(arena, program, strlen(program));
    len = len < MAX_OF_COMMAND ? len : MAX_OF_COMMAND;
    while (len > 0 && s[len - 1] == '\0')
        len--;
    char *command = arena_strdup(arena, s, len);
    for (size_t i = 0; i < len; i++)
        if (command[i] == '\0')
            command[i] = ' ';
    p->command = command;
}

/* --- its environment ----------------------------------------------------------- */

/* The value of a variable; NULL if s is another. Those of .NET have two prefixes. */
static const char *value_of(const char *s, const char *prefix, const char *name)
{
    size_t len = strlen(prefix), more = strlen(name);
    return strncmp(s, prefix, len) == 0 && strncmp(s + len, name, more) == 0 &&
                   s[len + more] == '='
               ? s + len + more + 1
               : NULL;
}

static const char *net_value_of(const char *s, const char *name)
{
    const char *value = value_of(s, "DOTNET_", name);
    return value != NULL ? value : value_of(s, "COMPlus_", name);
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

/* Accepts a name that resolvers permit; others remain unknown. */
static bool is_host(const char *name)
{
    size_t len = strlen(name);
    bool ok = len > 0 && len < sizeof(((struct hd_origin *)NULL)->host);
    for (size_t i = 0; ok && i < len; i++)
        ok = ascii_is_alnum(name[i]) || strchr("-._", name[i]) != NULL;
    return ok;
}

/* Of TMPDIR the first counts, of HOSTNAME the last that is a name. No socket is below a
 * longer path. */
static void read_environment(struct proc *p, const char *s, size_t len, struct arena *arena)
{
    bool has_folder = false;
    for (size_t at = 0; at < len; at += strlen(s + at) + 1) {
        const char *folder = value_of(s + at, "TMPDIR", "");
        const char *host = value_of(s + at, "HOSTNAME", "");
        const char *suspend = net_value_of(s + at, "DefaultDiagnosticPortSuspend");
        const char *ports = net_value_of(s + at, "DiagnosticPorts");
        if (folder != NULL && folder[0] == '/' && !has_folder) {
            has_folder = true;
            if (strlen(folder) < PATH_MAX)
                p->folder = arena_strdup(arena, folder, strlen(folder));
        }
        if (host != NULL && is_host(host))
            p->host = arena_strdup(arena, host, strlen(host));
        p->is_to_wait |= suspend != NULL && strtoul(suspend, NULL, 16) != 0;
        if (ports != NULL && p->port == NULL)
            p->port = suspending_port(ports, arena);
    }
    p->is_to_wait |= p->port != NULL;
}

/* --- facts ------------------------------------------------------------------------ */

static bool read_of(struct proc *p, const char *name, struct text *to)
{
    bool ok = proc_read_file(p->pid, name, to);
    if (!ok && proc_is_shortage(errno))
        p->lacked = errno;
    return ok;
}

static const char *read_link(pid_t pid, const char *name, struct arena *arena)
{
    char target[PATH_MAX];
    ssize_t len = readlink(proc_path(pid, name).text, target, sizeof(target) - 1);
    return len > 0 ? arena_strdup(arena, target, (size_t)len) : NULL;
}

uint64_t proc_age(uint64_t start)
{
    struct timespec since_boot;
    long per_second = sysconf(_SC_CLK_TCK);
    if (start == 0 || per_second <= 0 || clock_gettime(CLOCK_BOOTTIME, &since_boot) != 0)
        return 0;
    uint64_t now = (uint64_t)since_boot.tv_sec, then = start / (uint64_t)per_second;
    return now > then ? now - then : 0;
}

bool proc_read(struct proc *p, pid_t pid, struct arena *arena)
{
    struct stat st;
    struct text t = {0};
    uint64_t mounts;
    *p = (struct proc){.pid = pid, .inner_pid = pid, .folder = "/tmp"};
    if (pid <= 0 || stat(proc_path(pid, "stat").text, &st) != 0)
        return false;
    p->uid = p->real_uid = st.st_uid;
    if (read_of(p, "stat", &t)) {
        const char *s = text_string(&t), *open = strchr(s, '('), *at = strrchr(s, ')');
        if (open != NULL && at != NULL && at > open) {
            p->short_name = arena_strdup(arena, open + 1, (size_t)(at - open) - 1);
            p->start = parse_stat(s, &p->ended);
            p->age = proc_age(p->start);
        }
    }
    if (p->ended) {
        text_free(&t);
        return false;
    }
    /* "Uid:" lists real, effective, saved and file system id. */
    if (read_of(p, "status", &t)) {
        const char *s = text_string(&t);
        uint64_t uid = proc_number(s, "\nUid:", 1, 10);
        p->uid = uid != HD_UNKNOWN ? (uid_t)uid : p->uid;
        p->real_uid = uid != HD_UNKNOWN ? (uid_t)proc_number(s, "\nUid:", 0, 10) : p->uid;
        p->resident = bytes_after(s, "\nVmRSS:");
        p->inner_pid = innermost_pid(s, pid);
    }
    p->name = p->short_name;
    if (read_of(p, "cmdline", &t) && t.len > 0)
        read_command(p, text_string(&t), t.len, arena);
    if (read_of(p, "environ", &t))
        read_environment(p, text_string(&t), t.len, arena);
    text_free(&t);
    p->exe = read_link(pid, "exe", arena);
    /* Unreadable links count as ours. Only the name of the root is read: stat() may hang in
     * a file system that never answers. */
    const char *root = read_link(pid, "root", arena);
    p->same_files = proc_namespace(pid, "mnt", &mounts) != NAMESPACE_OTHER &&
                    (root == NULL || strcmp(root, "/") == 0);
    if (!p->same_files)
        p->view = arena_printf(arena, "%llu %s", (unsigned long long)mounts,
                               root != NULL ? root : "");
    return true;
}

/* --- further facts -------------------------------------------------------------- */

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

uint64_t proc_memory(pid_t pid)
{
    struct text t = {0};
    uint64_t bytes = 0;
    if (proc_read_file(pid, "status", &t)) {
        const char *s = text_string(&t);
        bytes = bytes_after(s, "\nVmRSS:") + bytes_after(s, "\nVmSwap:") +
                bytes_after(s, "\nHugetlbPages:");
    }
    text_free(&t);
    return bytes;
}

bool proc_is_hidden(pid_t pid)
{
    struct stat st;
    return pid > 0 && (kill(pid, 0) == 0 || errno == EPERM) &&
           stat(proc_path(pid, "stat").text, &st) != 0;
}

/* --- list of processes ----------------------------------------------------------- */

pid_t *proc_all(size_t *count, int *lacked, struct arena *arena)
{
    pid_t *all = NULL;
    size_t len = 0, cap = 0;
    DIR *proc = opendir("/proc");
    for (const struct dirent *entry;
         proc != NULL && (errno = 0, entry = readdir(proc)) != NULL;) {
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

struct user_name proc_user(uid_t uid)
{
    char buffer[4096];
    struct passwd user, *found = NULL;
    struct user_name name;
    if (find_user(uid, &user, buffer, sizeof(buffer), &found) == 0 && found != NULL)
        snprintf(name.text, sizeof(name.text), "%s", found->pw_name);
    else
        snprintf(name.text, sizeof(name.text), "uid %lu", (unsigned long)uid);
    return name;
}

/* --- one collector at a time --------------------------------------------------- */

/* Returns for how long a lock is respected: any user can lock the folder, but only root and
 * the user of the process have a reason. The process that locked it is of a line "1: FLOCK
 * ADVISORY  WRITE 4711 00:16:1234 0 EOF"; it may have ended, or not be visible from here.
 */
static unsigned respect_ms(int folder, pid_t pid, unsigned silence_ms)
{
    enum { UNKNOWN_MS = 1000 };
    struct text t = {0};
    struct rights its, locker;
    struct stat st;
    char place[64];
    long by = 0;
    if (fstat(folder, &st) == 0 && proc_read_path("/proc/locks", &t)) {
        snprintf(place, sizeof(place), " %02x:%02x:%llu 0 EOF", major(st.st_dev),
                 minor(st.st_dev), (unsigned long long)st.st_ino);
        const char *at = strstr(text_string(&t), place);
        while (at != NULL && at > t.data && at[-1] != '\n')
            at--;
        if (at == NULL || sscanf(at, "%*d: FLOCK %*s %*s %ld", &by) != 1)
            by = 0;
    }
    text_free(&t);
    if (!others_rights((pid_t)by, &locker))
        return UNKNOWN_MS < silence_ms ? UNKNOWN_MS : silence_ms;
    bool is_stranger = locker.uid != 0 && others_rights(pid, &its) && locker.uid != its.uid;
    return is_stranger ? 0 : silence_ms;
}

bool process_lock_wait(pid_t pid, const struct patience *p, int *lock, struct hd_error *err)
{
    const uint64_t began = clock_ms();
    *lock = others_open(pid, "", O_RDONLY | O_DIRECTORY);
    while (*lock >= 0 && flock(*lock, LOCK_EX | LOCK_NB) != 0) {
        bool is_over = errno != EWOULDBLOCK && errno != EINTR;
        if (is_over || clock_ms() - began >= respect_ms(*lock, pid, p->silence_ms))
            return true;
        if (!patience_goes_on(p))
            return fail(err, HD_CANCELLED, "stopped");
        poll(NULL, 0, PATIENCE_TICK_MS);
    }
    return true;
}

/* --- owner ------------------------------------------------------------------------ */

/* The kernel limits the nesting to 32. */
uint64_t process_owner(pid_t pid, uid_t uid)
{
    uid_t maker = 0;
    struct stat its, ours;
    int at = others_open_namespace(pid, "user");
    while (at >= 0 && fstat(at, &its) == 0 && stat("/proc/self/ns/user", &ours) == 0 &&
           (its.st_dev != ours.st_dev || its.st_ino != ours.st_ino)) {
        if (ioctl(at, NS_GET_OWNER_UID, &maker) != 0)
            maker = 0;
        int outer = ioctl(at, NS_GET_PARENT);
        close(at);
        at = outer;
    }
    close_quietly(at);
    return maker != 0 ? maker : uid;
}

/* --- origin ----------------------------------------------------------------------- */

bool origin_container(const char *text, char id[65])
{
    enum { DIGITS = 64 };
    const char *found = NULL;
    for (const char *at = text; *at != '\0';) {
        size_t run = strspn(at, "0123456789abcdef");
        bool apart = at == text || !ascii_is_alnum(at[-1]);
        if (run == DIGITS && apart && !ascii_is_alnum(at[run]))
            found = at;
        at += run > 0 ? run : 1;
    }
    if (found == NULL)
        return false;
    memcpy(id, found, DIGITS);
    id[DIGITS] = '\0';
    return true;
}

struct proc_visit {
    int namespace;
    char host[sizeof(((struct hd_origin *)NULL)->host)];
};

static void *visit(void *context)
{
    struct proc_visit *v = context;
    if (syscall(SYS_setns, v->namespace, CLONE_NEWUTS) != 0 ||
        gethostname(v->host, sizeof(v->host) - 1) != 0)
        v->host[0] = '\0';
    return NULL;
}

/* Finds the host name in its namespace. Only members of a namespace can query it, and
 * membership is per thread: so a thread enters it, if permitted (root), and ends there.
 * Otherwise the name in its environment is used: a file in its root could be a link to one
 * of ours. */
static void find_host(struct hd_origin *o, const struct proc *proc)
{
    struct proc_visit v = {.namespace = -1};
    const char *declared = v.host;
    pthread_t thread;
    if (proc_namespace(proc->pid, "uts", NULL) == NAMESPACE_OURS) {
        if (gethostname(v.host, sizeof(v.host) - 1) != 0)
            v.host[0] = '\0';
    } else {
        v.namespace = others_open_namespace(proc->pid, "uts");
        if (v.namespace >= 0 && pthread_create(&thread, NULL, visit, &v) == 0)
            pthread_join(thread, NULL);
        close_quietly(v.namespace);
        declared = is_host(v.host) ? v.host : proc->host;
    }
    if (declared != NULL && is_host(declared))
        snprintf(o->host, sizeof(o->host), "%s", declared);
}

/* In its own namespace a process sees its cgroup as "/"; but engines mount the files with
 * its host name out of a folder that has the id. */
static void find_container(struct hd_origin *o, pid_t pid, struct text *t)
{
    if ((proc_read_file(pid, "cgroup", t) && t->len > 0 &&
         origin_container(text_string(t), o->container)) ||
        !proc_read_file(pid, "mountinfo", t) || t->len == 0)
        return;
    const char *s = text_string(t), *line = strstr(s, "/hostname ");
    while (line != NULL && line > s && line[-1] != '\n')
        line--;
    if (line == NULL)
        return;
    size_t begin = (size_t)(line - s);
    t->data[begin + strcspn(line, "\n")] = '\0';
    origin_container(t->data + begin, o->container);
}

/* Converts ticks since boot to a time by the kernel's time of the boot. The instance is a
 * hash of machine, boot, start and pid; the pid distinguishes processes started in the same
 * hundredth of a second. */
static void find_start(struct hd_origin *o, const struct proc *proc, struct text *t)
{
    char rest[64];
    long per_second = sysconf(_SC_CLK_TCK);
    const char *line =
        proc_read_path("/proc/stat", t) ? strstr(text_string(t), "\nbtime ") : NULL;
    if (line != NULL && per_second > 0)
        calendar_time((int64_t)(strtoull(line + 7, NULL, 10) +
                                proc->start / (unsigned long)per_second),
                      o->started);
    if (!proc_read_path("/proc/sys/kernel/random/boot_id", t) || t->len == 0)
        return;
    snprintf(rest, sizeof(rest), " %llu %ld", (unsigned long long)proc->start,
             (long)proc->inner_pid);
    text_add_string(t, rest);
    o->instance = XXH3_64bits(t->data, t->len);
    o->instance += o->instance == 0;
}

struct hd_origin origin_of(const struct target *t)
{
    struct hd_origin o = {.instance = 0};
    struct arena scratch = {0};
    struct text text = {0};
    struct proc own;
    const struct proc *proc = t->proc;
    if (proc == NULL && t->visible && proc_read(&own, t->pid, &scratch))
        proc = &own;
    if (proc != NULL) {
        find_host(&o, proc);
        find_container(&o, proc->pid, &text);
        if (proc->program != NULL)
            snprintf(o.program, sizeof(o.program), "%s", proc->program);
        if (proc->start > 0)
            find_start(&o, proc, &text);
        const char *runtime = proc_runtime(proc->pid, &scratch);
        if (runtime != NULL && strlen(runtime) < sizeof(o.runtime))
            snprintf(o.runtime, sizeof(o.runtime), "%s", runtime);
    }
    text_free(&text);
    arena_free(&scratch);
    return o;
}

/* --- facts about a process, for the program --------------------------------- */

static const struct patience brief = {.silence_ms = 1000};

static bool is_pid(uint64_t pid)
{
    errno = ESRCH;
    return pid > 0 && pid <= INT32_MAX;
}

char *hd_process_file(uint64_t pid, const char *name, size_t *size)
{
    struct text t = {0};
    bool ok = is_pid(pid) && proc_read_file((pid_t)pid, name, &t);
    int why = errno;
    if (!ok)
        text_free(&t);
    else
        text_string(&t); /* ends it */
    *size = t.len;
    errno = why;
    return t.data;
}

uint64_t hd_process_start(uint64_t pid)
{
    return is_pid(pid) ? proc_start((pid_t)pid) : 0;
}

bool hd_socket_is_gone(const char *socket)
{
    struct look seen;
    return !others_look(socket, LOOK_NAME, &brief, &seen) &&
           (errno == ENOENT || errno == ENOTDIR || errno == ESRCH);
}

/* --- the program ----------------------------------------------------------- */

struct program_copy {
    pid_t pid;
    int to;
};

enum { PROGRAM_SECONDS = 10, PROGRAM_MEGABYTES = 1024 };

/* In a child: a file system that never answers must not stop us. */
static int copy_program(void *context, struct text *answer)
{
    const struct program_copy *c = context;
    static char block[1 << 16];
    size_t left = (size_t)PROGRAM_MEGABYTES << 20;
    (void)answer;
    int from = others_open_program(c->pid);
    ssize_t got = from >= 0 ? 1 : -1;
    while (got > 0 && (got = read(from, block, sizeof(block))) > 0) {
        if ((size_t)got > left) {
            errno = EFBIG;
            return -1;
        }
        left -= (size_t)got;
        for (ssize_t at = 0, put; at < got; at += put) {
            put = write(c->to, block + at, (size_t)(got - at));
            if (put < 0)
                return -1;
        }
    }
    errno = got < 0 ? errno : 0;
    return -1;
}

bool hd_process_program(uint64_t pid, FILE *to, struct hd_error *err)
{
    const struct patience ten = {.silence_ms = PROGRAM_SECONDS * 1000};
    struct program_copy c = {.pid = (pid_t)pid, .to = fileno(to)};
    const struct apart work = {.keeps = c.to, .work = copy_program, .context = &c};
    struct text answer = {0};
    int none;
    bool ok = is_pid(pid) && apart_run(&work, &ten, &answer, &none);
    int why = errno;
    text_free(&answer);
    return ok || fail(err,
                      why == EFBIG       ? HD_TOO_BIG
                      : why == ETIMEDOUT ? HD_TIMED_OUT
                                         : HD_IO,
                      "the program of process %" PRIu64 " cannot be read: %s", pid,
                      strerror(why));
}

/* --- control groups -------------------------------------------------------- */

struct group_files {
    const char *const *paths;
    size_t count;
};

/* Only files of control groups are the kernel's; the process may have mounted others over
 * them. */
static int read_group_files(const struct inside *at, void *context, struct text *answer)
{
    const long version_1 = 0x27e0eb, version_2 = 0x63677270;
    const struct group_files *g = context;
    struct statfs st;
    for (size_t i = 0; i < g->count; i++) {
        char text[HD_GROUP_FILE] = "";
        int fd = inside_open(&(struct inside){at->root, g->paths[i]}, O_PATH);
        bool is_of_kernel = fd >= 0 && fstatfs(fd, &st) == 0 &&
                            ((long)st.f_type == version_1 || (long)st.f_type == version_2);
        if (is_of_kernel && (fd = others_open_held(fd)) >= 0 &&
            read(fd, text, sizeof(text) - 1) < 0)
            text[0] = '\0';
        close_quietly(fd);
        text_add(answer, text, sizeof(text));
    }
    errno = 0;
    return -1;
}

bool hd_process_group_files(uint64_t pid, const char *const *paths, size_t count,
                            char (*texts)[HD_GROUP_FILE])
{
    struct group_files g = {paths, count};
    const struct other_work work = {.work = read_group_files, .context = &g};
    struct text answer = {0};
    struct arena scratch = {0};
    struct proc proc;
    int none;
    bool ok = is_pid(pid) && proc_read(&proc, (pid_t)pid, &scratch) && !proc.same_files;
    arena_free(&scratch);
    ok = ok &&
         others_run(proc_path((pid_t)pid, "root/").text, &work, &brief, &answer, &none) &&
         answer.len == count * HD_GROUP_FILE;
    if (ok)
        memcpy(texts, answer.data, answer.len);
    text_free(&answer);
    return ok;
}

/* --- why it may not be looked into ------------------------------------------------ */

enum { NOT_KNOWN = -1, CAP_SYS_PTRACE_BIT = 19 };

static struct denied_facts denied_facts_of(pid_t pid)
{
    struct denied_facts f = {.ptrace_scope = NOT_KNOWN};
    struct arena scratch = {0};
    struct text t = {0};
    struct proc p;
    if (proc_read_path("/proc/sys/kernel/yama/ptrace_scope", &t) && t.len > 0)
        f.ptrace_scope = atoi(text_string(&t));
    proc_read_file(pid, "status", &t);
    const char *status = text_string(&t);
    uint64_t tracer = proc_number(status, "\nTracerPid:", 0, 10);
    uint64_t uid = proc_number(status, "\nUid:", 0, 10);
    if (tracer > 0 && tracer != HD_UNKNOWN) {
        bool has_name = proc_read(&p, (pid_t)tracer, &scratch) && p.short_name != NULL;
        snprintf(f.tracer, sizeof(f.tracer), "%.40s (pid %ld)",
                 has_name ? p.short_name : "another tool", (long)tracer);
    }
    if (uid != HD_UNKNOWN && (uid_t)uid != geteuid())
        snprintf(f.user, sizeof(f.user), "%.63s", proc_user((uid_t)uid).text);
    f.is_kernel = proc_number(status, "\nVmSize:", 0, 10) == HD_UNKNOWN;
    proc_read_path("/proc/self/status", &t);
    uint64_t rights = proc_number(text_string(&t), "\nCapEff:", 0, 16);
    f.can_ptrace = rights != HD_UNKNOWN && (rights >> CAP_SYS_PTRACE_BIT & 1) != 0;
    f.is_filtered = proc_number(text_string(&t), "\nSeccomp:", 0, 10) == 2;
    f.is_other_users = proc_namespace(pid, "user", NULL) == NAMESPACE_OTHER;
    text_free(&t);
    arena_free(&scratch);
    return f;
}

bool denied_has_ended(pid_t pid, pid_t thread)
{
    char name[64];
    struct text t = {0};
    snprintf(name, sizeof(name), "task/%ld/status", (long)thread);
    const char *line =
        proc_read_file(pid, name, &t) ? strstr(text_string(&t), "\nState:\t") : NULL;
    bool ended = t.len == 0 || (line != NULL && strchr("ZX", line[8]) != NULL);
    text_free(&t);
    return ended;
}

/* In the order in which the kernel asks. */
bool denied_report(const struct denied_facts *f, struct hd_error *err)
{
    char words[160] = "";
    const char *why = words;
    if (f->tracer[0] != '\0')
        snprintf(words, sizeof(words), "it is already traced by %s; stop that first",
                 f->tracer);
    else if (f->is_kernel)
        why = "it is a kernel thread, or has exited";
    else if (f->ptrace_scope == 3)
        why = "/proc/sys/kernel/yama/ptrace_scope is 3: disabled until the next boot";
    else if (f->is_filtered && f->can_ptrace)
        why = "a seccomp filter forbids ptrace here: start this container with "
              "--cap-add=SYS_PTRACE, or run heapdrift on the host";
    else if (f->can_ptrace && f->is_other_users)
        why = "it is in another user namespace: run heapdrift in its container, or as "
              "root of the host";
    else if (f->user[0] != '\0')
        snprintf(words, sizeof(words),
                 "it belongs to user %s: run heapdrift as root (CAP_SYS_PTRACE), or as "
                 "that user",
                 f->user);
    else if (f->ptrace_scope >= 1)
        snprintf(words, sizeof(words),
                 "/proc/sys/kernel/yama/ptrace_scope is %d: run heapdrift as root "
                 "(CAP_SYS_PTRACE)%s",
                 f->ptrace_scope,
                 f->ptrace_scope == 1 ? ", or sysctl kernel.yama.ptrace_scope=0" : "");
    else
        why = "it has more privileges, or is not dumpable (PR_SET_DUMPABLE): run "
              "heapdrift as root (CAP_SYS_PTRACE; in a container --cap-add=SYS_PTRACE)";
    return fail_about(err, HD_ABOUT_DIRECT, HD_UNSUPPORTED, "cannot read its memory: %s",
                      why);
}

bool denied_fail(pid_t pid, struct hd_error *err)
{
    const struct denied_facts f = denied_facts_of(pid);
    return denied_report(&f, err);
}

bool denied_or_ended(pid_t pid, struct hd_error *err)
{
    if (errno == ENOENT || errno == ESRCH)
        return fail(err, HD_IO, "the process has exited");
    return denied_fail(pid, err);
}

#include "collect/origin.h"

#include "base/c_locale.h"
#include "base/calendar.h"
#include "base/text.h"
#include "collect/others.h"

#include <linux/sched.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* --- files ------------------------------------------------------------------------ */

static bool read_of(pid_t pid, const char *name, struct text *to)
{
    return proc_read_file(pid, name, to) && to->len > 0;
}

/* --- where ------------------------------------------------------------------------ */

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

/* In its own namespace a process sees its cgroup as "/"; but engines mount the files with
 * its host name out of a folder that has the id. */
static void find_container(struct hd_origin *o, pid_t pid, struct text *t)
{
    if (read_of(pid, "cgroup", t) && origin_container(text_string(t), o->container))
        return;
    if (!read_of(pid, "mountinfo", t))
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

static bool shares_our_host_name(pid_t pid)
{
    char path[64];
    struct stat ours, its;
    snprintf(path, sizeof(path), "/proc/%ld/ns/uts", (long)pid);
    return stat(path, &its) == 0 && stat("/proc/self/ns/uts", &ours) == 0 &&
           ours.st_dev == its.st_dev && ours.st_ino == its.st_ino;
}

/* A name as the resolver allows it; what is none stays unknown. */
static void read_host(struct hd_origin *o, const char *name)
{
    size_t len = strlen(name);
    bool ok = len > 0 && len < sizeof(o->host);
    for (size_t i = 0; ok && i < len; i++)
        ok = ascii_is_alnum(name[i]) || strchr("-._", name[i]) != NULL;
    if (ok)
        snprintf(o->host, sizeof(o->host), "%s", name);
}

struct visit {
    int namespace;
    char host[sizeof(((struct hd_origin *)NULL)->host)];
};

static void *visit(void *context)
{
    struct visit *v = context;
    if (syscall(SYS_setns, v->namespace, CLONE_NEWUTS) != 0 ||
        gethostname(v->host, sizeof(v->host) - 1) != 0)
        v->host[0] = '\0';
    return NULL;
}

/* What the kernel calls the machine in there. Only who is in a namespace can ask, and a
 * thread is in one by itself: so one goes there, if it may (root), and ends there. */
static bool ask_inside(struct hd_origin *o, pid_t pid)
{
    pthread_t thread;
    struct visit v = {.namespace = others_open_namespace(pid, "uts")};
    if (v.namespace < 0)
        return false;
    if (pthread_create(&thread, NULL, visit, &v) == 0) {
        pthread_join(thread, NULL);
        read_host(o, v.host);
    }
    close(v.namespace);
    return o->host[0] != '\0';
}

/* Of a container, else what its engine told the program: a file in there could be a link
 * to one of ours. */
static void find_host(struct hd_origin *o, pid_t pid, struct text *t)
{
    static const char variable[] = "HOSTNAME=";
    char own[sizeof(o->host)] = "";
    if (shares_our_host_name(pid)) {
        if (gethostname(own, sizeof(own) - 1) == 0)
            read_host(o, own);
        return;
    }
    if (ask_inside(o, pid) || !read_of(pid, "environ", t))
        return;
    const char *s = text_string(t);
    for (size_t at = 0; at < t->len; at += strlen(s + at) + 1)
        if (strncmp(s + at, variable, sizeof(variable) - 1) == 0)
            read_host(o, s + at + sizeof(variable) - 1);
}

/* --- what ------------------------------------------------------------------------- */

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static bool is_assembly(const char *s)
{
    size_t len = strlen(s);
    return len > 4 && strcmp(s + len - 4, ".dll") == 0;
}

void origin_program(const char *arguments, size_t len, char *program, size_t size)
{
    const char *assembly = NULL;
    program[0] = '\0';
    if (len == 0)
        return;
    bool host = strcmp(name_of(arguments), "dotnet") == 0;
    for (size_t at = strlen(arguments) + 1; host && assembly == NULL && at < len;
         at += strlen(arguments + at) + 1)
        if (is_assembly(arguments + at))
            assembly = arguments + at;
    int n = snprintf(program, size, "%s%s%s", arguments, assembly != NULL ? " " : "",
                     assembly != NULL ? assembly : "");
    if (n < 0 || (size_t)n >= size)
        program[0] = '\0';
}

static void find_program(struct hd_origin *o, pid_t pid, struct text *t)
{
    if (read_of(pid, "cmdline", t))
        origin_program(text_string(t), t->len, o->program, sizeof(o->program));
}

/* --- when ------------------------------------------------------------------------- */

/* Ticks since boot become a time by the kernel's word on when that was. */
static void find_start(struct hd_origin *o, uint64_t ticks, struct text *t)
{
    long per_second = sysconf(_SC_CLK_TCK);
    const char *line =
        proc_read_path("/proc/stat", t) ? strstr(text_string(t), "\nbtime ") : NULL;
    if (line == NULL || per_second <= 0)
        return;
    uint64_t start = strtoull(line + 7, NULL, 10) + ticks / (unsigned long)per_second;
    calendar_time((int64_t)start, o->started);
}

/* Which boot of which machine, and when in it: no other process has the same, but for one
 * that began in the same hundredth of a second, which the pid tells apart. */
static void find_instance(struct hd_origin *o, const struct proc *proc, struct text *t)
{
    if (!proc_read_path("/proc/sys/kernel/random/boot_id", t) || t->len == 0)
        return;
    char rest[64];
    snprintf(rest, sizeof(rest), " %llu %ld", (unsigned long long)proc->start,
             (long)proc->inner_pid);
    text_add_string(t, rest);
    o->instance = XXH3_64bits(t->data, t->len);
    o->instance += o->instance == 0;
}

/* --- all of it -------------------------------------------------------------------- */

struct hd_origin origin_of(const struct target *t)
{
    struct hd_origin o = {.instance = 0};
    struct arena scratch = {0};
    struct text text = {0};
    struct proc proc;
    if (t->visible && proc_read(&proc, t->pid, &scratch)) {
        find_host(&o, t->pid, &text);
        find_container(&o, t->pid, &text);
        find_program(&o, t->pid, &text);
        if (proc.start > 0) {
            find_start(&o, proc.start, &text);
            find_instance(&o, &proc, &text);
        }
        const char *runtime = proc_runtime(t->pid, &scratch);
        if (runtime != NULL && strlen(runtime) < sizeof(o.runtime))
            snprintf(o.runtime, sizeof(o.runtime), "%s", runtime);
    }
    text_free(&text);
    arena_free(&scratch);
    return o;
}

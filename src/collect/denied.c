#include "collect/denied.h"

#include "base/error.h"
#include "collect/proc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOT_KNOWN = -1, CAP_SYS_PTRACE_BIT = 19 };

/* --- facts ------------------------------------------------------------------------ */

static void name_tracer(char to[64], pid_t tracer)
{
    struct arena scratch = {0};
    struct proc p;
    const char *name = "another tool";
    if (proc_read(&p, tracer, &scratch) && p.short_name != NULL)
        name = p.short_name;
    snprintf(to, 64, "%.40s (pid %ld)", name, (long)tracer);
    arena_free(&scratch);
}

static void name_user(char to[64], uid_t uid)
{
    struct arena scratch = {0};
    snprintf(to, 64, "%s", proc_user(uid, &scratch));
    arena_free(&scratch);
}

static bool is_in_other_namespace(pid_t pid)
{
    char path[64];
    struct stat ours, its;
    snprintf(path, sizeof(path), "/proc/%ld/ns/user", (long)pid);
    return stat(path, &its) == 0 && stat("/proc/self/ns/user", &ours) == 0 &&
           ours.st_ino != its.st_ino;
}

static struct denied_facts denied_facts_of(pid_t pid)
{
    struct denied_facts f = {.ptrace_scope = NOT_KNOWN};
    struct text t = {0};
    if (proc_read_path("/proc/sys/kernel/yama/ptrace_scope", &t) && t.len > 0)
        f.ptrace_scope = atoi(text_string(&t));
    proc_read_file(pid, "status", &t);
    const char *status = text_string(&t);
    uint64_t tracer = proc_number(status, "\nTracerPid:", 0, 10);
    uint64_t uid = proc_number(status, "\nUid:", 0, 10);
    if (tracer > 0 && tracer != HD_UNKNOWN)
        name_tracer(f.tracer, (pid_t)tracer);
    if (uid != HD_UNKNOWN && (uid_t)uid != geteuid())
        name_user(f.user, (uid_t)uid);
    f.is_kernel = proc_number(status, "\nVmSize:", 0, 10) == HD_UNKNOWN;
    proc_read_path("/proc/self/status", &t);
    uint64_t rights = proc_number(text_string(&t), "\nCapEff:", 0, 16);
    f.can_ptrace = rights != HD_UNKNOWN && (rights >> CAP_SYS_PTRACE_BIT & 1) != 0;
    f.is_filtered = proc_number(text_string(&t), "\nSeccomp:", 0, 10) == 2;
    f.is_other_users = is_in_other_namespace(pid);
    text_free(&t);
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

/* --- words ------------------------------------------------------------------------ */

/* In the order in which the kernel asks. */
static const char *reason(const struct denied_facts *f, char *words, size_t size)
{
    if (f->tracer[0] != '\0')
        snprintf(words, size, "it is already traced by %s; stop that first", f->tracer);
    else if (f->is_kernel)
        return "it is a kernel thread, or has exited";
    else if (f->ptrace_scope == 3)
        return "/proc/sys/kernel/yama/ptrace_scope is 3: disabled until the next boot";
    else if (f->is_filtered && f->can_ptrace)
        return "a seccomp filter forbids ptrace here: start this container with "
               "--cap-add=SYS_PTRACE, or run heapdrift on the host";
    else if (f->can_ptrace && f->is_other_users)
        return "it is in another user namespace: run heapdrift in its container, or as "
               "root of the host";
    else if (f->user[0] != '\0')
        snprintf(words, size,
                 "it belongs to user %s: run heapdrift as root (CAP_SYS_PTRACE), or as "
                 "that user",
                 f->user);
    else if (f->ptrace_scope >= 1)
        snprintf(words, size,
                 "/proc/sys/kernel/yama/ptrace_scope is %d: run heapdrift as root "
                 "(CAP_SYS_PTRACE)%s",
                 f->ptrace_scope,
                 f->ptrace_scope == 1 ? ", or sysctl kernel.yama.ptrace_scope=0" : "");
    else
        return "it has more privileges, or is not dumpable (PR_SET_DUMPABLE): run "
               "heapdrift as root (CAP_SYS_PTRACE; in a container --cap-add=SYS_PTRACE)";
    return words;
}

bool denied_report(const struct denied_facts *f, struct hd_error *err)
{
    char words[160];
    return fail_about(err, HD_ABOUT_DIRECT, HD_UNSUPPORTED, "cannot read its memory: %s",
                      reason(f, words, sizeof(words)));
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

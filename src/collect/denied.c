#include "collect/denied.h"

#include "base/error.h"
#include "collect/proc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NOT_KNOWN = -1, CAP_SYS_PTRACE_BIT = 19 };

/* --- facts ------------------------------------------------------------------------ */

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
        snprintf(f.user, sizeof(f.user), "%s", proc_user((uid_t)uid, &scratch));
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

/* --- words ------------------------------------------------------------------------ */

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

/* denied.h - why a process may not be looked into, and what to do about it.
 *
 * The kernel says EPERM and no more; the reasons are read from /proc. */
#ifndef DENIED_H
#define DENIED_H

#include "heapdrift.h"

#include <sys/types.h>

/* What decides. -1 and NULL where it is not known. */
struct denied_facts {
    char tracer[64];     /* "gdb (pid 812)" that traces it already; "" none */
    char user[64];       /* whose it is, if it is another's; "" ours */
    int ptrace_scope;    /* /proc/sys/kernel/yama/ptrace_scope */
    bool can_ptrace;     /* CAP_SYS_PTRACE is in effect */
    bool is_filtered;    /* a seccomp filter decides what we may ask for */
    bool is_other_users; /* it is in another user namespace */
    bool is_kernel;      /* a thread of the kernel */
};

/* HD_UNSUPPORTED: which right is missing, in one line. Always false. */
bool denied_report(const struct denied_facts *f, struct hd_error *err);
bool denied_fail(pid_t pid, struct hd_error *err);

/* The same, unless errno says that the process has ended: HD_IO. */
bool denied_or_ended(pid_t pid, struct hd_error *err);

/* Whether a thread of it has ended and only waits to be taken note of. */
bool denied_has_ended(pid_t pid, pid_t thread);

#endif

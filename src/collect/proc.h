/* proc.h - what /proc tells about a process, for free: nothing here talks to it.
 *
 * Every file may be missing, unreadable or gone in the next moment; then the fact is
 * unknown. What is read is bounded. */
#ifndef PROC_H
#define PROC_H

#include "base/arena.h"
#include "base/text.h"
#include "collect/transport.h"
#include "heapdrift.h"

#include <sys/types.h>

struct proc {
    pid_t pid;
    pid_t inner_pid;        /* in its own pid namespace; pid if it is in ours */
    uint64_t start;         /* in clock ticks since boot: the key in its socket's name */
    uint64_t age;           /* seconds since then; 0 unknown */
    uid_t uid;              /* effective */
    uid_t real_uid;         /* of who began it, with his environment (set-user-ID) */
    uint64_t resident;      /* bytes that it has in memory; 0 unknown */
    const char *name;       /* the program: of `dotnet app.dll` it is app */
    const char *command;    /* arguments, with blanks between; NULL unknown */
    const char *program;    /* its path, and that of the assembly; NULL unknown */
    const char *exe;        /* the file that it runs; NULL unknown */
    const char *short_name; /* the kernel's 15 characters */
    const char *host;       /* what its environment calls the machine; NULL */
    bool is_to_wait;        /* its environment suspends its runtime at its start ... */
    const char *port;       /* until the tool that listens there; NULL: until any resumes */
    const char *folder;     /* that holds its sockets, as it sees it */
    bool same_files;        /* its file system is ours */
    const char *view;       /* identifies its mounts and root; NULL if same_files */
    bool ended;             /* only its parent has not noticed */
    int lacked;             /* errno: what we had too little of to learn more; else 0 */
};

/* Returns the number after a word of /proc/PID/status, such as "\nUid:", and after `skip`
 * other numbers; HD_UNKNOWN without one. */
uint64_t proc_number(const char *status, const char *word, int skip, int base);

/* Returns the start of a process as in struct proc; 0 if it has ended, or is not visible. A
 * pid with the same start is the same process. */
uint64_t proc_start(pid_t pid);

/* All of a file, a mebibyte at most, in the place of what to held. False with errno. */
bool proc_read_path(const char *path, struct text *to);
bool proc_read_file(pid_t pid, const char *name, struct text *to); /* /proc/PID/name */

/* False when there is no such process. Strings go to the arena. */
bool proc_read(struct proc *p, pid_t pid, struct arena *arena);

/* What a thread of the process is called there, in its own pid namespace; thread if that
 * is ours, or unknown. */
pid_t proc_inner_thread(pid_t pid, pid_t thread);

/* Whether a process is in the namespace of a kind, such as "uts", that we are in; the inode
 * of its own, which may be NULL, is 0 if that is unknown. */
enum namespaces { NAMESPACE_OURS, NAMESPACE_OTHER, NAMESPACE_UNKNOWN };
enum namespaces proc_namespace(pid_t pid, const char *kind, uint64_t *inode);

/* The version of the runtime that it has mapped, such as "10.0.12"; NULL unknown. Only
 * for processes of the same user. */
const char *proc_runtime(pid_t pid, struct arena *arena);

/* The memory that it has now, resident, in huge pages and swapped out, in bytes; 0 unknown.
 * What it once had, or has reserved, costs it nothing now, and does not count. */
uint64_t proc_memory(pid_t pid);

/* Whether there is such a process, but /proc does not show it to this user: hidepid. */
bool proc_is_hidden(pid_t pid);

/* Whether an errno says nothing of a process, but that we ran short: of file descriptors,
 * of memory. */
bool proc_is_shortage(int why);

/* Ids of all visible processes, rising; *count of them. Where not all could be listed
 * *lacked becomes the errno, which may be NULL. */
pid_t *proc_all(size_t *count, int *lacked, struct arena *arena);

/* The end of that on every system: all, which is freed, rising, in the arena. */
pid_t *proc_rising(pid_t *all, size_t count, struct arena *arena);

/* Returns the number of the user whose share of time and attention it uses: its own. A user
 * namespace may have 65,536 users: in one that is not ours it is the number of the user
 * that made the outermost one, unless that was root. */
uint64_t process_owner(pid_t pid, uid_t uid);

/* "alice", or "uid 1234". */
const char *proc_user(uid_t uid, struct arena *arena);

/* --- one collector at a time --------------------------------------------------- */

/* One collector at a time at a process. */

/* Wait until no other collector of ours is at the process: the second of two at once would
 * get no names of types, and both the objects twice, and a process that is stopped to be
 * copied answers no other. All of them lock the process's folder in /proc, since that
 * leaves nothing behind. Anybody may do that: a lock of a stranger, who is neither root nor
 * of the user of the process, is not waited for, one of an unknown process a second. Who
 * cannot lock must not be kept away: without a turn in that time it goes without. *lock is
 * to be closed if it is not -1. False when the user does not wait any longer. */
bool process_lock_wait(pid_t pid, const struct patience *p, int *lock,
                       struct hd_error *err);

/* --- why it may not be looked into --------------------------------------------- */

/* And what to do about it. The kernel says EPERM and no more; the reasons are read from
 * /proc. */

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

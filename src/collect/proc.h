/* proc.h - facts about a process from /proc, without communication with it.
 *
 * Every file may be missing, unreadable or disappear at any time; then the fact is unknown.
 * Sizes of reads are limited. */
#ifndef PROC_H
#define PROC_H

#include "base/arena.h"
#include "base/text.h"
#include "collect/transport.h"
#include "heapdrift.h"

#include "collect/ipc.h"
#include <dirent.h>
#include <stdatomic.h>
#include <sys/types.h>
#include <time.h>

struct proc {
    pid_t pid;
    pid_t inner_pid;        /* in its own pid namespace; pid if it is in ours */
    uint64_t start;         /* in clock ticks since boot: the key in its socket's name */
    uint64_t age;           /* seconds since then; 0: unknown */
    uid_t uid;              /* effective */
    uid_t real_uid;         /* of the user who started it, with that user's environment
                               (set-user-ID) */
    uint64_t resident;      /* resident bytes; 0: unknown */
    const char *name;       /* of the program; app for `dotnet app.dll` */
    const char *command;    /* arguments, separated by blanks; NULL: unknown */
    const char *program;    /* its path, and that of the assembly; NULL: unknown */
    const char *exe;        /* its program file; NULL: unknown */
    const char *short_name; /* the kernel's 15 characters */
    const char *host;       /* host name in its environment; NULL */
    bool is_to_wait;        /* its environment suspends its runtime at the start ... */
    const char *port;       /* until a tool listening there resumes it; NULL: any tool */
    const char *folder;     /* of its sockets, as it sees it */
    bool same_files;        /* it has our file system */
    const char *view;       /* identifies its mounts and root; NULL if same_files */
    bool ended;             /* a zombie */
    int lacked;             /* errno: our shortage that prevented further facts; else 0 */
};

/* Returns the number after a word of /proc/PID/status, such as "\nUid:", and after `skip`
 * other numbers; HD_UNKNOWN without one. */
uint64_t proc_number(const char *status, const char *word, int skip, int base);

/* Returns the start of a process as in struct proc; 0 if it has ended, or is not visible. A
 * pid with the same start is the same process. */
uint64_t proc_start(pid_t pid);

/* Returns the seconds since such a tick; 0: unknown. */
uint64_t proc_age(uint64_t start);

/* "/proc/PID/name" */
struct proc_path {
    char text[96];
};
struct proc_path proc_path(pid_t pid, const char *name);

/* Reads a whole file, at most 1 MiB, into `to`, replacing its content. False with errno. */
bool proc_read_path(const char *path, struct text *to);
bool proc_read_file(pid_t pid, const char *name, struct text *to); /* /proc/PID/name */

/* Reads the facts. False if the process does not exist. Strings are allocated in the
 * arena. */
bool proc_read(struct proc *p, pid_t pid, struct arena *arena);

/* Returns the id of a thread in the pid namespace of its process; thread if that is ours,
 * or unknown. */
pid_t proc_inner_thread(pid_t pid, pid_t thread);

/* Compares a namespace of the process, such as "uts", with ours. *inode, which may be NULL,
 * is that of the process's; 0 if unknown. */
enum namespaces { NAMESPACE_OURS, NAMESPACE_OTHER, NAMESPACE_UNKNOWN };
enum namespaces proc_namespace(pid_t pid, const char *kind, uint64_t *inode);

/* Returns the version of the runtime that it has mapped, such as "10.0.12"; NULL: unknown.
 * Only for processes of the same user. */
const char *proc_runtime(pid_t pid, struct arena *arena);

/* Returns its current memory, resident, in huge pages and swapped out, in bytes; 0:
 * unknown. Peaks and reservations do not count. */
uint64_t proc_memory(pid_t pid);

/* True if the process exists, but /proc hides it from this user (hidepid). */
bool proc_is_hidden(pid_t pid);

/* True if an errno is our shortage of file descriptors or memory, not a fact about the
 * process. */
bool proc_is_shortage(int why);

/* Returns the ids of all visible processes, ascending; *count is their number. If the list
 * is incomplete, sets *lacked, which may be NULL, to the errno. */
pid_t *proc_all(size_t *count, int *lacked, struct arena *arena);

/* Final step of proc_all() on all systems: sorts, moves to the arena, and frees `all`. */
pid_t *proc_rising(pid_t *all, size_t count, struct arena *arena);

/* Returns the number of the user that it is accounted to: its own. A user namespace may
 * have 65,536 users: in a foreign one it is the creator of the outermost one, unless that
 * was root. */
uint64_t process_owner(pid_t pid, uid_t uid);

/* "alice", or "uid 1234". */
struct user_name {
    char text[256];
};
struct user_name proc_user(uid_t uid);

/* --- one collector at a time --------------------------------------------------- */

/* At most one collector per process. */

/* Waits until no other collector is at the process: of two concurrent ones, the second
 * would get no type names, both would get the objects twice, and a process frozen for a
 * copy answers no other. All lock the process's folder in /proc, which leaves no trace.
 * Anybody may lock it: locks of users other than root and the process's own are ignored,
 * and those of unknown processes are waited for at most a second. After a timeout the
 * caller proceeds without the lock. *lock is to be closed if it is not -1. False if the
 * user cancels. */
bool process_lock_wait(pid_t pid, const struct patience *p, int *lock,
                       struct hd_error *err);

/* --- denied access -------------------------------------------------------------- */

/* Reasons for denied access, and remedies. The kernel returns only EPERM; the reasons are
 * read from /proc. */

/* Deciding facts. -1 and NULL: unknown. */
struct denied_facts {
    char tracer[64];     /* "gdb (pid 812)", which already traces it; or "" */
    char user[64];       /* owner, if not this user; "" */
    int ptrace_scope;    /* /proc/sys/kernel/yama/ptrace_scope */
    bool can_ptrace;     /* CAP_SYS_PTRACE is effective */
    bool is_filtered;    /* a seccomp filter restricts our system calls */
    bool is_other_users; /* it is in another user namespace */
    bool is_kernel;      /* a kernel thread */
};

/* Reports the missing right in one line: HD_UNSUPPORTED. Always false. */
bool denied_report(const struct denied_facts *f, struct hd_error *err);
bool denied_fail(pid_t pid, struct hd_error *err);

/* Does the same, or reports HD_IO if errno means that the process has ended. */
bool denied_or_ended(pid_t pid, struct hd_error *err);

/* True if a thread of the process is a zombie. */
bool denied_has_ended(pid_t pid, pid_t thread);

/* --- files of others -------------------------------------------------------- */

/* Opens files of other processes safely.
 *
 * The owner of a process can replace any of its files at any time: by a FIFO, which blocks
 * open(); by a device, which open() changes; by a terminal, which becomes the controlling
 * terminal; by a link out of its root; by a file system that never answers. Therefore
 *
 *  - files of /proc/PID are opened with O_NOFOLLOW, O_NONBLOCK and O_NOCTTY;
 *  - a path "/proc/PID/root/..." is resolved below that root, in a child with a deadline
 *    and the rights of the user of the process;
 *  - a file is opened with O_PATH first, and for reading only if it is a regular file.
 *
 * A process may end at each step (ENOENT or ESRCH) and its number be reused: compare
 * proc_start() before and after. Must not depend on the meaning of the files. */

/* --- apart ----------------------------------------------------------------- */

/* Work that may never end, or that needs the rights of another user, in a child process.
 *
 * The root of another process may contain a file system that never answers (FUSE): a lookup
 * does not return then, and only SIGKILL ends it. The child therefore has a deadline, and
 * the caller continues without an answer. */

/* A user and its groups. */
struct rights {
    uid_t uid;
    gid_t gid;
    gid_t groups[64]; /* the first 64, if the process has more */
    size_t group_count;
};

struct apart {
    /* NULL: ours. Without CAP_SETUID the work has our rights, unless must_be. */
    const struct rights *as;
    bool must_be; /* fail with EPERM without these rights */
    int keeps;    /* a descriptor that the work uses in addition to its own; or -1 */

    /* Runs in the child. Returns a descriptor for the caller, or -1 and errno (0: success
     * without a descriptor). Adds at most APART_MAX_BYTES to the answer. */
    int (*work)(void *context, struct text *answer);
    void *context;
};

enum { APART_MAX_BYTES = 4 << 20 };

/* Does the work; *fd is its descriptor, or -1. False with errno: the error of the work,
 * ETIMEDOUT after the patience (100 ms at least), or ECANCELED. A child costs half a
 * millisecond, and 40 microseconds per resident MiB of this process. */
bool apart_run(const struct apart *a, const struct patience *p, struct text *answer,
               int *fd);

/* --- opening --------------------------------------------------------------- */

/* Opens a file or folder of /proc/PID, such as "fd". how is added to O_CLOEXEC, O_NOFOLLOW,
 * O_NOCTTY and O_NONBLOCK. -1 with errno. */
int others_open(pid_t pid, const char *name, int how);
DIR *others_list_of(pid_t pid, const char *name);

/* Opens a namespace of a process, such as "uts": the kernel's own link and file, which no
 * process can replace. -1 with errno. */
int others_open_namespace(pid_t pid, const char *kind);

/* Opens the program of a process, which is a regular file: the kernel's own link to it. In
 * a child with a deadline, since its file system may not answer. -1 with errno.
 */
int others_open_program(pid_t pid);

/* Opens the regular file of an O_PATH descriptor for reading, and closes that. -1 with
 * errno: EINVAL for other files. */
int others_open_held(int held);

/* True if a path leads through the root of a process: "/proc/4711/root/tmp/x" has the pid
 * 4711 and *inside "/tmp/x". */
bool others_is_inside(const char *path, pid_t *pid, const char **inside);

/* Reads the rights of a process. False if it has ended. */
bool others_rights(pid_t pid, struct rights *r);

/* --- work below a root ----------------------------------------------------- */

/* A path, absolute, below a root. */
struct inside {
    int root; /* open; AT_FDCWD: ours */
    const char *path;
};

/* Opens the path with O_PATH or O_DIRECTORY, which have no effect. Below the root of
 * another process links cannot leave this root, and with O_PATH a final link is not
 * followed. -1 with errno. */
int inside_open(const struct inside *at, int how);

struct other_work {
    /* As in struct apart. Runs in this process if the path is ours and `as` is NULL. */
    int (*work)(const struct inside *at, void *context, struct text *answer);
    void *context;
    const struct rights *as; /* required; NULL: the process's if possible, else ours */
};

/* Does the work at a path of ours or below the root of another process. */
bool others_run(const char *path, const struct other_work *w, const struct patience *p,
                struct text *answer, int *fd);

/* Does work, whose at->path is "/", below the root of a process, in a child. */
bool others_run_inside(pid_t pid, const struct other_work *w, const struct patience *p,
                       struct text *answer);

/* --- looks ----------------------------------------------------------------- */

enum look_for {
    LOOK_NAME,   /* type and owner */
    LOOK_SOCKET, /* a connection to it, as transport.connect() */
    LOOK_FOLDER  /* names in the folder */
};

struct look {
    int fd; /* for LOOK_SOCKET; else -1 */
    mode_t mode;
    uid_t uid;
    dev_t device;
    ino_t inode;
};

/* A socket in a folder. */
struct socket_name {
    uid_t owner;
    struct timespec changed;
    char name[112]; /* addresses of sockets have 108 bytes */
};

/* Look at a path, or at a folder; sockets with wanted names are appended to `sockets` as an
 * array of socket_name. False with errno. */
bool others_look(const char *path, enum look_for what, const struct patience *p,
                 struct look *seen);
bool others_list(const char *folder, bool (*is_wanted)(const char *name),
                 const struct patience *p, struct look *seen, struct text *sockets);

/* --- other clients ------------------------------------------------------------ */

/* Clients of the diagnostics socket of a process: clients.c.
 *
 * The kernel lists the Unix sockets of this network namespace, each with its path and the
 * inode of its peer (linux/unix_diag.h); the peer is an entry of some /proc/PID/fd. Nothing
 * is sent to the process or to its clients.
 *
 * Cannot find clients of other users or in other namespaces, nor a tool that listens and
 * has the runtime connect (DOTNET_DiagnosticPorts). */

/* Finds the processes connected to the socket at that path, except this one: by pid, at
 * most HD_MAX_CLIENTS. Returns their number. Takes at most a second, and memory for 256
 * connections. socket is an absolute path, possibly through /proc/PID/root. */
size_t clients_find(const char *socket, struct hd_client clients[HD_MAX_CLIENTS]);

/* --- the socket ------------------------------------------------------------- */

/* Finds, checks and connects to the diagnostics socket of a process.
 *
 * A runtime listens at dotnet-diagnostic-<pid>-<key>-socket in its TMPDIR, or /tmp. The pid
 * is that of its own namespace, the key its start time. Names are untrusted: anyone may
 * create such a file in /tmp, dead processes leave theirs, and long names are truncated. So
 * the owner of the file and the kernel's identification of the listener decide: it must be
 * the process, with its user, and not a predecessor with the same pid. Sockets of other
 * users are rejected, except by root. docs/collect.md. */

struct target {
    const char *socket; /* absolute path */
    pid_t pid;          /* as visible from here; if not visible, the number in the name */
    bool visible;       /* /proc lists it */
    uid_t uid;
    uint64_t start;          /* as in struct proc; 0: unknown */
    const struct proc *proc; /* facts at the time of the search; NULL: not visible */
};

/* Finds the socket of a process. Strings are allocated in the arena. Takes at most three
 * timeouts, however many sockets have its number. */
bool target_of_process(struct target *t, pid_t pid, const struct patience *p,
                       struct arena *arena, struct hd_error *err);

/* Identifies the process at a given socket. */
bool target_at_socket(struct target *t, const char *path, const struct patience *p,
                      struct arena *arena, struct hd_error *err);

/* Opens a connection, for one request; -1 on failure, or if another process listens now. */
int target_connect(const struct target *t, const struct patience *p, struct hd_error *err);

/* Reports a failed connection by errno, on every system; always false. */
bool target_fail(const char *socket, struct hd_error *err);

/* --- turns ------------------------------------------------------------------- */

/* Order in which sockets and processes are queried, and the limit per user. */

/* A socket or process. The first of each owner is queried, then the second of each, and so
 * on. */
struct turn {
    size_t which; /* index in the input */
    uint64_t owner;
    size_t number;     /* index for its owner */
    atomic_uint *late; /* timeouts of its owner */
};

/* Computes the turns, in the arena. */
struct turn *turns_of(const uint64_t *owners, size_t count, struct arena *arena);

/* True if its owner has used up its share of a search. */
bool turn_is_over(const struct turn *turn);

/* --- list of targets ---------------------------------------------------------------- */

struct found {
    struct target target;
    const char *user;    /* its owner */
    uint64_t owner;      /* process_owner() */
    const char *problem; /* why it cannot be collected from; NULL: it can be */
    bool is_denied;      /* the problem: it belongs to another user */
};

/* Finds every listening process, by pid; *count is their number. Patience is for each; they
 * are queried in parallel, at most three times as long in total. *incomplete is the reason
 * why the search was incomplete; NULL: it was complete. */
struct found *targets_find(size_t *count, const char **incomplete, const struct patience *p,
                           struct arena *arena);

/* --- origin -------------------------------------------------------------------- */

/* Returns where a process runs, its start and its program, from /proc; missing facts are
 * unknown. Arguments and environment may be secret: only the name of the program is used
 * from the arguments, only the host name from the environment. Nothing for an invisible
 * process. */
struct hd_origin origin_of(const struct target *t);

/* Finds the id of the container in the text of /proc/PID/cgroup or mountinfo: the last
 * separate run of 64 hexadecimal digits. False without one. */
bool origin_container(const char *text, char id[65]);

/* Formats "/usr/bin/dotnet /app/Shop.dll" from NUL-terminated arguments; "" if it exceeds
 * size. */
void origin_program(const char *arguments, size_t len, char *program, size_t size);

#endif

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

#include "collect/ipc.h"
#include <dirent.h>
#include <stdatomic.h>
#include <sys/types.h>
#include <time.h>

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

/* Seconds since such a tick; 0 unknown. */
uint64_t proc_age(uint64_t start);

/* "/proc/PID/name" */
struct proc_path {
    char text[96];
};
struct proc_path proc_path(pid_t pid, const char *name);

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
struct user_name {
    char text[256];
};
struct user_name proc_user(uid_t uid);

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

/* --- files of others -------------------------------------------------------- */

/* Opens files of other processes safely.
 *
 * The owner of a process can replace any file of it at any time: by a FIFO, which blocks
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
    bool must_be; /* fail with EPERM without the rights of that user */
    int keeps;    /* a descriptor that the work uses, besides those it opens; -1: none */

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
 * another process no link leads out of that root, and with O_PATH a final link is not
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
    LOOK_NAME,   /* its type and owner */
    LOOK_SOCKET, /* a connection to it, as transport.connect() */
    LOOK_FOLDER  /* names in it */
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

/* Look at a path, or at a folder whose sockets of wanted names are appended to `sockets` as
 * an array of socket_name. False with errno. */
bool others_look(const char *path, enum look_for what, const struct patience *p,
                 struct look *seen);
bool others_list(const char *folder, bool (*is_wanted)(const char *name),
                 const struct patience *p, struct look *seen, struct text *sockets);

/* --- who else is connected ---------------------------------------------------- */

/* To the diagnostics socket of a process: clients.c.
 *
 * The kernel lists the Unix sockets of this network namespace, each with the path that it
 * is bound to and the inode of its other end (linux/unix_diag.h); the other end is an
 * entry of somebody's /proc/PID/fd. Nothing is sent to the process or to its clients.
 *
 * Nobody is found when the kernel does not answer, when the clients belong to another
 * user, or when they are in other namespaces; nor a tool that listens and has the runtime
 * connect (DOTNET_DiagnosticPorts). */

/* The processes that hold a connection to the socket at that path, without this one: by
 * pid, at most HD_MAX_CLIENTS of them. Returns how many. Takes a second at most, and
 * memory for 256 connections. socket is an absolute path, perhaps through
 * /proc/PID/root. */
size_t clients_find(const char *socket, struct hd_client clients[HD_MAX_CLIENTS]);

/* --- the socket ------------------------------------------------------------- */

/* The diagnostics socket of a process: found, checked, connected to.
 *
 * A runtime listens at dotnet-diagnostic-<pid>-<key>-socket in its TMPDIR, or /tmp. The
 * pid is that of its own namespace, the key its start time. Names prove nothing: anyone
 * may make such a file in /tmp, dead processes leave theirs behind, and long names are
 * cut. So the owner of the file, and who the kernel says is listening, decide: the process,
 * as the user that it has, and not another that had its number before. A socket of another
 * user is refused, save by root. docs/collect.md. */

struct target {
    const char *socket; /* absolute path */
    pid_t pid;          /* as visible from here; the number in the name if it is not */
    bool visible;       /* whether /proc has it */
    uid_t uid;
    uint64_t start;          /* struct proc has it; 0: not known */
    const struct proc *proc; /* what was read when it was found; NULL: not visible */
};

/* The socket of a process. Strings go to the arena. Takes three patiences at most, however
 * many sockets bear its number. */
bool target_of_process(struct target *t, pid_t pid, const struct patience *p,
                       struct arena *arena, struct hd_error *err);

/* The process at a socket that was named. */
bool target_at_socket(struct target *t, const char *path, const struct patience *p,
                      struct arena *arena, struct hd_error *err);

/* A new connection, which takes one request; -1 when it fails or somebody else listens
 * by now. */
int target_connect(const struct target *t, const struct patience *p, struct hd_error *err);

/* Why there is no connection, by errno; always false. Of every system. */
bool target_fail(const char *socket, struct hd_error *err);

/* --- turns ------------------------------------------------------------------- */

/* In which order sockets and processes are asked, and when a user's have been asked enough.
 */

/* A socket or process. The first of each owner is asked, then the second of each, and so
 * on. */
struct turn {
    size_t which; /* place among those given */
    uint64_t owner;
    size_t number;     /* among those of its owner, from 0 */
    atomic_uint *late; /* those of its owner that did not answer in time */
};

/* In the arena. */
struct turn *turns_of(const uint64_t *owners, size_t count, struct arena *arena);

/* Whether its owner has had its share of a search. */
bool turn_is_over(const struct turn *turn);

/* --- all of them --------------------------------------------------------------- */

struct found {
    struct target target;
    const char *user;    /* whose it is */
    uint64_t owner;      /* process_owner() */
    const char *problem; /* why it cannot be collected from; NULL: it can */
    bool is_denied;      /* because it is another user's */
};

/* Every process that listens, by pid; *count of them. Patience is for each; they are asked
 * side by side, and together for three times as long at most. *incomplete says why not
 * everything could be looked at; NULL: it could. */
struct found *targets_find(size_t *count, const char **incomplete, const struct patience *p,
                           struct arena *arena);

/* --- origin -------------------------------------------------------------------- */

/* Where a process runs, when it began, what was started. All of it is read from /proc,
 * where anything may be missing: then it stays unknown. Arguments of a program may be
 * secrets, and so may its environment: of the arguments only the program's own name is
 * taken, of the environment the name of the host. Of a process that is not visible,
 * nothing. */
struct hd_origin origin_of(const struct target *t);

/* The id of the container in the text of /proc/PID/cgroup or mountinfo: the last run of 64
 * hexadecimal digits that is a name of its own. False without one. */
bool origin_container(const char *text, char id[65]);

/* "/usr/bin/dotnet /app/Shop.dll" of arguments that lie one behind the other, each with
 * its NUL; "" if it is longer than size. */
void origin_program(const char *arguments, size_t len, char *program, size_t size);

#endif

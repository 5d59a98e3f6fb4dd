/* others.h - opens files of other processes safely.
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
#ifndef OTHERS_H
#define OTHERS_H

#include "base/text.h"
#include "collect/transport.h"

#include <dirent.h>
#include <sys/types.h>
#include <time.h>

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
     * without a descriptor). Adds at most APART_MOST_BYTES to the answer. */
    int (*work)(void *context, struct text *answer);
    void *context;
};

enum { APART_MOST_BYTES = 4 << 20 };

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

#endif

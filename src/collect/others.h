/* others.h - the one way to look at files of another's process.
 *
 * Its owner may put anything where we look, and change it between two looks: a FIFO, at
 * which open() waits; a device, which does something when it is opened; a terminal, which
 * becomes ours; a link out of its root; a file system that never answers. So
 *
 *  - files of /proc/PID are opened without following, waiting or taking a terminal;
 *  - a path "/proc/PID/root/..." is resolved below that root, in a child with a deadline
 *    and the rights of the user of the process (apart.h);
 *  - what a path leads to is held (O_PATH), looked at, and only then opened.
 *
 * A process may end at each of these steps, which is ENOENT or ESRCH, and its number come
 * again: proc_start() before and after. It must not know what the files are for. */
#ifndef OTHERS_H
#define OTHERS_H

#include "collect/apart.h"

#include <dirent.h>
#include <time.h>

/* A file of /proc/PID, or a folder, such as "fd"; how adds to O_CLOEXEC,
 * O_NOFOLLOW, O_NOCTTY and O_NONBLOCK. -1 with errno. */
int others_open(pid_t pid, const char *name, int how);
DIR *others_list_of(pid_t pid, const char *name);

/* For reading what an O_PATH descriptor is, which is closed, if that is a regular file.
 * -1 with errno: EINVAL if it is none. */
int others_open_held(int held);

/* Whether a path leads through the root of another process: "/proc/4711/root/tmp/x", whose
 * *inside is "/tmp/x". */
bool others_is_inside(const char *path, pid_t *pid, const char **inside);

/* The user of a process. False if it has ended. */
bool others_rights(pid_t pid, struct rights *r);

/* --- work below a root ----------------------------------------------------- */

/* A path, absolute, below a root. */
struct inside {
    int root; /* open; AT_FDCWD: ours */
    const char *path;
};

/* Opens it with O_PATH or O_DIRECTORY, which has no effect. Below the root of another's
 * process no link leads out of it, and with O_PATH one at the end is not followed. -1 with
 * errno. */
int inside_open(const struct inside *at, int how);

struct other_work {
    /* As apart.h has it; where the path is ours, and nobody else's rights are wanted, it
     * runs in this process. */
    int (*work)(const struct inside *at, void *context, struct text *answer);
    void *context;
    const struct rights *as; /* as that user or not at all; NULL: as the process's, or us */
};

/* Does the work at a path, of ours or inside of another's root. */
bool others_run(const char *path, const struct other_work *w, const struct patience *p,
                struct text *answer, int *fd);

/* --- looks ----------------------------------------------------------------- */

enum look_for {
    LOOK_NAME,   /* what it is */
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

/* What is in a folder: its names that are wanted, of sockets. */
struct socket_name {
    uid_t owner;
    struct timespec changed;
    char name[112]; /* of a socket's address no more */
};

/* Looks at a path, apart if it is inside of another's root. Of LOOK_FOLDER sockets become
 * an array of socket_name; wanted says which. False with errno. */
bool others_look(const char *path, enum look_for what, const struct patience *p,
                 struct look *seen);
bool others_list(const char *folder, bool (*is_wanted)(const char *name),
                 const struct patience *p, struct look *seen, struct text *sockets);

#endif

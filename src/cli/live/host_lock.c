/* One snapshot at a time on this host. */
#include "cli/live/agent.h"

#include "cli/guard/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER_OF_ROOT "/run/heapdrift"

/* A lock needs no right to write. A planted pipe must not block, and a planted link must
 * not be followed, on the way neither. */
static int open_file(const char *path)
{
    const int how = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    char name[NAME_MAX + 1];
    struct stat st;
    int folder = trust_open_folder(path, name);
    if (folder < 0)
        return -1;
    int fd = openat(folder, name, how | O_CREAT, 0600);
    /* In a folder for all the kernel may refuse to "make" a file of another's
     * (fs.protected_regular), though it only has to be opened. */
    if (fd < 0 && errno == EACCES)
        fd = openat(folder, name, how);
    int why = errno;
    close(folder);
    errno = why;
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        return fd;
    if (fd >= 0) {
        close(fd);
        errno = EINVAL;
    }
    return -1;
}

static int open_in(const char *folder, const char *name, char *path, size_t size)
{
    int length = snprintf(path, size, "%s/%s", folder, name);
    if (length > 0 && (size_t)length < size)
        return open_file(path);
    errno = ENAMETOOLONG;
    return -1;
}

/* One for each user: a lock that all users share can be held by any user. */
static int open_usual(char *path, size_t size)
{
    struct stat st;
    const char *runtime = getenv("XDG_RUNTIME_DIR"), *temporary = getenv("TMPDIR");
    char name[64];
    int fd = -1;
    /* systemd makes it for the unit of the agent. */
    if (geteuid() == 0)
        mkdir(FOLDER_OF_ROOT, 0755);
    if (geteuid() == 0 && lstat(FOLDER_OF_ROOT, &st) == 0 && S_ISDIR(st.st_mode) &&
        st.st_uid == 0 && (st.st_mode & (S_IWGRP | S_IWOTH)) == 0)
        fd = open_in(FOLDER_OF_ROOT, "heapdrift.lock", path, size);
    else if (geteuid() != 0 && runtime != NULL && runtime[0] == '/')
        fd = open_in(runtime, "heapdrift.lock", path, size);
    snprintf(name, sizeof(name), "heapdrift-%lu.lock", (unsigned long)geteuid());
    if (fd < 0 && temporary != NULL && temporary[0] == '/')
        fd = open_in(temporary, name, path, size);
    return fd >= 0 ? fd : open_in("/tmp", name, path, size);
}

enum host_lock_state host_lock_try(struct host_lock *lock)
{
    char usual[PATH_MAX];
    struct stat st, there;
    const char *path = lock->path != NULL ? lock->path : usual;
    int fd = lock->path != NULL ? open_file(path) : open_usual(usual, sizeof(usual));
    if (fd < 0) {
        lock->why = errno == EPERM ? "a link of another user leads there" : strerror(errno);
        return HOST_LOCK_NONE;
    }
    /* To open a file is to be able to lock it. Its group was chosen by its owner, and may.
     */
    if (fstat(fd, &st) != 0 || (st.st_uid != 0 && st.st_uid != geteuid()) ||
        (st.st_mode & S_IRWXO) != 0) {
        close(fd);
        lock->why = "other users can open this file and hold the lock for good, so nothing "
                    "waits for it; make it root's or this user's, and chmod o=";
        return HOST_LOCK_NONE;
    }
    /* Somebody who tidies up may have removed the file since it was opened: others would
     * lock another one. */
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && stat(path, &there) == 0 &&
        st.st_dev == there.st_dev && st.st_ino == there.st_ino) {
        lock->held = fd;
        return HOST_LOCKED;
    }
    close(fd);
    return HOST_LOCK_BUSY;
}

void host_lock_release(struct host_lock *lock)
{
    if (lock->held >= 0)
        close(lock->held);
    lock->held = -1;
}

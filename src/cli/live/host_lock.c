#include "cli/live/host_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* To read is enough for a lock, so that the file of another user will do. What somebody
 * planted there is not waited for (a pipe) and not followed (a link). */
static int open_file(const char *path)
{
    const int how = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    struct stat st;
    int fd = open(path, how | O_CREAT, 0644);
    /* In a folder for all the kernel may refuse to "make" a file of another's
     * (fs.protected_regular), though it only has to be opened. */
    if (fd < 0 && errno == EACCES)
        fd = open(path, how);
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        return fd;
    if (fd >= 0) {
        close(fd);
        errno = EINVAL;
    }
    return -1;
}

static int open_usual(char *path, size_t size)
{
    const char *own = getenv("TMPDIR");
    const char *const folders[] = {"/run/lock", own != NULL && own[0] == '/' ? own : "/tmp",
                                   "/tmp"};
    int fd = -1;
    for (size_t i = 0; fd < 0 && i < sizeof(folders) / sizeof(*folders); i++) {
        int length = snprintf(path, size, "%s/heapdrift.lock", folders[i]);
        if (length > 0 && (size_t)length < size)
            fd = open_file(path);
    }
    return fd;
}

/* Somebody who tidies up may have removed the file since it was opened: others would lock
 * another one. */
static bool is_still_there(int fd, const char *path)
{
    struct stat open_one, there;
    return fstat(fd, &open_one) == 0 && stat(path, &there) == 0 &&
           open_one.st_dev == there.st_dev && open_one.st_ino == there.st_ino;
}

enum host_lock_state host_lock_try(struct host_lock *lock)
{
    char usual[PATH_MAX];
    const char *path = lock->path != NULL ? lock->path : usual;
    int fd = lock->path != NULL ? open_file(path) : open_usual(usual, sizeof(usual));
    if (fd < 0)
        return HOST_LOCK_NONE;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && is_still_there(fd, path)) {
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

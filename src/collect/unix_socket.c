/* The way to a process by its Unix socket. */
#include "base/text.h"
#include "collect/others.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* How soon a full backlog is tried again. */
enum { RETRY_MS = 10 };

/* struct ucred is GNU's; the layout is the kernel's. */
struct peer_credentials {
    pid_t pid;
    uid_t uid;
    gid_t gid;
};

/* --- waiting ------------------------------------------------------------------- */

static enum ready await_event(int fd, short events, uint64_t deadline,
                              const struct patience *p)
{
    for (;;) {
        if (!patience_goes_on(p))
            return READY_STOPPED;
        unsigned step = patience_step(deadline);
        struct pollfd poll_fd = {.fd = fd, .events = events};
        int n = poll(&poll_fd, 1, (int)step);
        if (n > 0)
            return READY;
        if (n < 0 && errno != EINTR)
            return READY_FAILED;
        if (n == 0 && step == 0)
            return READY_TIMED_OUT;
    }
}

static enum ready await_input(int fd, uint64_t deadline, const struct patience *p)
{
    return await_event(fd, POLLIN, deadline, p);
}

/* --- connecting ---------------------------------------------------------------- */

/* A path that is too long for an address is reached through its folder. *folder is to be
 * closed afterwards if it is not -1. */
static bool make_address(const char *path, struct sockaddr_un *to, int *folder)
{
    *folder = -1;
    *to = (struct sockaddr_un){.sun_family = AF_UNIX};
    const char *name = strrchr(path, '/');
    if (path[0] != '/' || name == NULL) {
        errno = EINVAL;
        return false;
    }
    if (strlen(path) < sizeof(to->sun_path)) {
        memcpy(to->sun_path, path, strlen(path) + 1);
        return true;
    }
    struct text parent = {0};
    text_add(&parent, path, (size_t)(name - path) + 1);
    *folder = open(text_string(&parent), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
    text_free(&parent);
    if (*folder < 0)
        return false;
    int n =
        snprintf(to->sun_path, sizeof(to->sun_path), "/proc/self/fd/%d%s", *folder, name);
    if (n > 0 && (size_t)n < sizeof(to->sun_path))
        return true;
    close(*folder);
    errno = ENAMETOOLONG;
    return false;
}

/* Unix sockets connect at once, or not at all while the backlog is full. */
static bool connect_patiently(int fd, const struct sockaddr_un *to,
                              const struct patience *p)
{
    uint64_t deadline = patience_end(p);
    while (connect(fd, (const struct sockaddr *)to, sizeof(*to)) != 0) {
        if (errno == EISCONN)
            return true;
        if (errno != EAGAIN && errno != EINTR)
            return false;
        if (!patience_goes_on(p) || clock_ms() >= deadline) {
            errno = clock_ms() >= deadline ? ETIMEDOUT : ECANCELED;
            return false;
        }
        poll(NULL, 0, RETRY_MS);
    }
    return true;
}

/* Paths longer than the 107 characters of an address work. A path below the root of
 * another process is resolved there. */
static int connect_to(const char *path, const struct patience *p)
{
    struct sockaddr_un to;
    struct look seen;
    const char *inside;
    int folder;
    pid_t pid;
    if (others_is_inside(path, &pid, &inside))
        return others_look(path, LOOK_SOCKET, p, &seen) ? seen.fd : -1;
    if (!make_address(path, &to, &folder))
        return -1;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && !connect_patiently(fd, &to, p)) {
        int why = errno;
        close(fd);
        errno = why;
        fd = -1;
    }
    int why = errno;
    if (folder >= 0)
        close(folder);
    errno = why;
    return fd;
}

static bool peer_of(int fd, pid_t *pid, uid_t *uid)
{
    struct peer_credentials who;
    socklen_t size = sizeof(who);
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0 || size != sizeof(who))
        return false;
    *pid = who.pid;
    *uid = who.uid;
    return true;
}

/* --- bytes --------------------------------------------------------------------- */

static ssize_t read_from(int fd, void *to, size_t room, unsigned wait_ms)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    int n = poll(&ready, 1, (int)wait_ms);
    if (n > 0)
        return read(fd, to, room);
    errno = n == 0 ? EAGAIN : errno;
    return -1;
}

static enum ready write_to(int fd, const void *bytes, size_t size, uint64_t deadline,
                           const struct patience *p)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = send(fd, (const char *)bytes + done, size - done, MSG_NOSIGNAL);
        if (n >= 0) {
            done += (size_t)n;
        } else if (errno == EAGAIN) {
            enum ready how = await_event(fd, POLLOUT, deadline, p);
            if (how != READY)
                return how;
        } else if (errno != EINTR) {
            return READY_FAILED;
        }
    }
    return READY;
}

const struct transport transport = {.connect = connect_to,
                                    .peer = peer_of,
                                    .await = await_input,
                                    .read = read_from,
                                    .write = write_to};

/* The way to a process by its Unix socket. */
#include "base/text.h"
#include "collect/proc.h"

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

/* Paths longer than the 107 characters of an address are supported through their folder.
 * Paths below the root of another process are resolved there. Connects immediately, or
 * retries while the backlog is full. */
static int connect_to(const char *path, const struct patience *p)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    struct text parent = {0};
    struct look seen;
    const char *inside, *name = strrchr(path, '/');
    int folder = -1, why = 0;
    pid_t pid;
    if (others_is_inside(path, &pid, &inside))
        return others_look(path, LOOK_SOCKET, p, &seen) ? seen.fd : -1;
    if (path[0] != '/' || name == NULL) {
        errno = EINVAL;
        return -1;
    }
    int len = snprintf(to.sun_path, sizeof(to.sun_path), "%s", path);
    if ((size_t)len >= sizeof(to.sun_path)) {
        text_add(&parent, path, (size_t)(name - path) + 1);
        folder =
            open(text_string(&parent), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
        text_free(&parent);
        if (folder < 0)
            return -1;
        len =
            snprintf(to.sun_path, sizeof(to.sun_path), "/proc/self/fd/%d%s", folder, name);
        why = (size_t)len >= sizeof(to.sun_path) ? ENAMETOOLONG : 0;
    }
    uint64_t deadline = patience_end(p);
    int fd = why == 0 ? socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) : -1;
    if (why == 0 && fd < 0)
        why = errno;
    while (why == 0 && connect(fd, (const struct sockaddr *)&to, sizeof(to)) != 0 &&
           errno != EISCONN) {
        if (errno != EAGAIN && errno != EINTR)
            why = errno;
        else if (clock_ms() >= deadline)
            why = ETIMEDOUT;
        else if (!patience_goes_on(p))
            why = ECANCELED;
        else
            poll(NULL, 0, RETRY_MS);
    }
    close_quietly(folder);
    if (why == 0)
        return fd;
    close_quietly(fd);
    errno = why;
    return -1;
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

static ssize_t read_from(int fd, void *to, size_t capacity, unsigned wait_ms)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    int n = poll(&ready, 1, (int)wait_ms);
    if (n > 0)
        return read(fd, to, capacity);
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

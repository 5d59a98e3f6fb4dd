#include "collect/apart.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The beginning of an answer. */
struct head {
    int why; /* errno; 0: done */
    bool has_fd;
    size_t size; /* of the answer, which follows */
};

/* --- the child ------------------------------------------------------------- */

/* Changes the ids for file access only, which drops CAP_DAC_OVERRIDE, too (setfsuid(2)).
 * The user can then neither signal nor trace the child, which has our open files; and a
 * FUSE mount of that user refuses it, since FUSE compares the other ids. */
static bool take_rights(const struct rights *r)
{
    if (r->uid == geteuid())
        return true;
    bool ok = setgroups(r->group_count, r->groups) == 0;
    setfsgid(r->gid);
    setfsuid(r->uid);
    return ok && (uid_t)setfsuid((uid_t)-1) == r->uid &&
           (gid_t)setfsgid((gid_t)-1) == r->gid;
}

static bool send_head(int to, const struct head *h, int fd)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.bytes = ""};
    struct iovec body = {(void *)h, sizeof(*h)};
    struct msghdr m = {.msg_iov = &body, .msg_iovlen = 1};
    if (h->has_fd) {
        m.msg_control = &control;
        m.msg_controllen = sizeof(control);
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(c), &fd, sizeof(fd));
    }
    return sendmsg(to, &m, MSG_NOSIGNAL) == (ssize_t)sizeof(*h);
}

static void close_from_to(long first, long last)
{
    enum { CLOSE_RANGE = 436 };
    long most = sysconf(_SC_OPEN_MAX) - 1;
    if (first > last || syscall(CLOSE_RANGE, (unsigned)first, (unsigned)last, 0U) == 0)
        return;
    for (long fd = first; fd <= last && fd <= most; fd++)
        close((int)fd);
}

/* A child that is abandoned must not hold a pipe or a lock of ours. a may be -1. */
static void close_all_but(int a, int b)
{
    int low = a < b ? a : b, high = a < b ? b : a;
    close_from_to(0, (long)low - 1);
    close_from_to((long)low + 1, (long)high - 1);
    close_from_to((long)high + 1, INT_MAX);
}

_Noreturn static void be_child(const struct apart *a, pid_t parent, int to)
{
    struct text answer = {0};
    bool may = a->as == NULL || take_rights(a->as) || !a->must_be;
    int fd = -1;
    /* A change of ids resets it. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close_all_but(a->keeps, to);
    errno = EPERM;
    if (may && getppid() == parent) {
        errno = 0;
        fd = a->work(a->context, &answer);
    }
    const struct head h = {
        .why = fd >= 0 ? 0 : errno, .has_fd = fd >= 0, .size = answer.len};
    size_t done = 0;
    ssize_t n = send_head(to, &h, fd) ? 1 : -1;
    for (; n > 0 && done<answer.len; done += n> 0 ? (size_t)n : 0)
        n = send(to, answer.data + done, answer.len - done, MSG_NOSIGNAL);
    /* Exit handlers belong to the parent. */
    for (;;)
        raise(SIGKILL);
}

/* The mutex keeps a concurrent child from inheriting the other end, which would hide the
 * end of this child. Signals to the process group do not reach the child. */
static pid_t begin(const struct apart *a, int *from)
{
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
    const pid_t parent = getpid();
    int ends[2], why;
    sigset_t all, before;
    sigfillset(&all);
    pthread_mutex_lock(&one);
    pid_t child = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
    if (child == 0) {
        pthread_sigmask(SIG_SETMASK, &all, &before);
        child = fork();
        if (child == 0)
            be_child(a, parent, ends[1]);
        why = errno;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        close(ends[1]);
        *from = ends[0];
        if (child < 0)
            close(ends[0]);
        errno = why;
    }
    pthread_mutex_unlock(&one);
    return child;
}

/* --- the answer ------------------------------------------------------------ */

/* As read(2), with a descriptor that was sent. */
static ssize_t receive(int from, void *to, size_t size, int *fd)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec body = {to, size};
    struct msghdr m = {.msg_iov = &body,
                       .msg_iovlen = 1,
                       .msg_control = &control,
                       .msg_controllen = sizeof(control)};
    ssize_t n = recvmsg(from, &m, MSG_CMSG_CLOEXEC);
    const struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
    if (c != NULL && c->cmsg_type == SCM_RIGHTS && *fd < 0)
        memcpy(fd, CMSG_DATA(c), sizeof(*fd));
    return n;
}

static bool await(int from, uint64_t deadline, const struct patience *p)
{
    for (;;) {
        struct pollfd ready = {.fd = from, .events = POLLIN};
        unsigned step = patience_step(deadline);
        int n = poll(&ready, 1, (int)step);
        if (n > 0)
            return true;
        errno = n < 0 && errno != EINTR ? errno
                : !patience_goes_on(p)  ? ECANCELED
                : step == 0             ? ETIMEDOUT
                                        : 0;
        if (errno != 0)
            return false;
    }
}

static bool hear(int from, const struct patience *p, struct text *answer, int *fd)
{
    /* After the deadline of a search each child still has time to answer. */
    enum { LEAST_MS = 100, BLOCK = 1 << 14 };
    uint64_t deadline = patience_end(p), least = clock_ms() + LEAST_MS;
    struct head h = {0};
    char block[BLOCK];
    deadline = deadline > least ? deadline : least;
    if (!await(from, deadline, p))
        return false;
    if (receive(from, &h, sizeof(h), fd) != (ssize_t)sizeof(h)) {
        errno = EIO;
        return false;
    }
    while (answer->len < h.size && h.size <= APART_MOST_BYTES) {
        size_t left = h.size - answer->len;
        if (!await(from, deadline, p))
            return false;
        ssize_t n = receive(from, block, left < BLOCK ? left : BLOCK, fd);
        if (n <= 0)
            break;
        text_add(answer, block, (size_t)n);
    }
    errno = answer->len < h.size ? EIO : h.why;
    return errno == 0;
}

/* Reaps the child. A child in an uninterruptible wait (a lost NFS server) is abandoned
 * after a second. */
static void end(pid_t child, bool has_answered)
{
    enum { TRIES = 200, TICK_MS = 5 };
    kill(child, SIGKILL);
    for (int i = 0; i < TRIES; i++) {
        pid_t ended = waitpid(child, NULL, has_answered ? 0 : WNOHANG);
        if (ended > 0 || (ended < 0 && errno != EINTR))
            return;
        poll(NULL, 0, TICK_MS);
    }
}

bool apart_run(const struct apart *a, const struct patience *p, struct text *answer,
               int *fd)
{
    int from;
    *fd = -1;
    text_clear(answer);
    pid_t child = begin(a, &from);
    if (child < 0)
        return false;
    bool ok = hear(from, p, answer, fd);
    int why = errno;
    end(child, ok || (why != ETIMEDOUT && why != ECANCELED));
    close(from);
    if (!ok && *fd >= 0) {
        close(*fd);
        *fd = -1;
    }
    errno = why;
    return ok;
}

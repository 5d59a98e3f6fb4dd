/* transport.h - the way to a process that is asked: a Unix socket, or a named pipe where
 * the system is Windows (src/windows/target.c). Each build has one of them.
 *
 * The other end is not trusted: it may be silent, die, or be no .NET process at all. So
 * nothing here waits without an end. It must not know what is said over a connection. How
 * processes that listen are found is target.h's. */
#ifndef TRANSPORT_H
#define TRANSPORT_H

#include "base/quantity.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <unistd.h>

/* Closes a descriptor, unless it is -1; errno stays. */
static inline void close_quietly(int fd)
{
    int why = errno;
    if (fd >= 0)
        close(fd);
    errno = why;
}

/* How long to be patient. */
struct patience {
    unsigned silence_ms; /* without a byte */
    uint64_t deadline;   /* on clock_ms(): from then on nothing is waited for; 0: none */
    /* Asked about every 100 ms; false: the user wants to stop. NULL: never. */
    bool (*go_on)(void *context);
    void *context;
};

/* How often that is. */
enum { PATIENCE_TICK_MS = 100 };

static inline bool patience_goes_on(const struct patience *p)
{
    return p->go_on == NULL || p->go_on(p->context);
}

/* When what begins now is given up. */
static inline uint64_t patience_end(const struct patience *p)
{
    uint64_t end = clock_ms() + p->silence_ms;
    return p->deadline != 0 && p->deadline < end ? p->deadline : end;
}

/* So long until the deadline, or the next tick. */
static inline unsigned patience_step(uint64_t deadline)
{
    uint64_t now = clock_ms(), left = deadline > now ? deadline - now : 0;
    return left < PATIENCE_TICK_MS ? (unsigned)left : PATIENCE_TICK_MS;
}

enum ready { READY, READY_TIMED_OUT, READY_STOPPED, READY_FAILED };

/* A connection is a file descriptor, which may be closed as any other. */
struct transport {
    /* -1 and errno: ECONNREFUSED is an address that nobody listens at any more, ETIMEDOUT
     * one that does not take connections, ECANCELED a user who stopped waiting. Addresses
     * are absolute paths, of any length. */
    int (*connect)(const char *address, const struct patience *p);
    /* Who listens. The pid is 0 if the process is not visible from here. */
    bool (*peer)(int connection, pid_t *pid, uid_t *uid);
    /* Wait until there is something to read, until the time deadline at most. READY_FAILED
     * has errno. */
    enum ready (*await)(int connection, uint64_t deadline, const struct patience *p);
    /* As read(2), of what comes within that time: -1 and EAGAIN without. ECONNRESET is an
     * end as well. */
    ssize_t (*read)(int connection, void *to, size_t room, unsigned wait_ms);
    /* All of it. READY_FAILED has errno: EPIPE, ECONNRESET if nobody is there to read it.
     */
    enum ready (*write)(int connection, const void *bytes, size_t size, uint64_t deadline,
                        const struct patience *p);
};

extern const struct transport transport;

#endif

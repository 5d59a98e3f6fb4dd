/* transport.h - connections to processes: Unix sockets, or named pipes on Windows
 * (src/windows/target.c). Each build has one kind.
 *
 * The peer is not trusted: it may be silent, die, or be another program. So every wait is
 * limited. Must not depend on the data sent. target.h finds listening processes. */
#ifndef TRANSPORT_H
#define TRANSPORT_H

#include "base/quantity.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <unistd.h>

/* Closes a descriptor, unless it is -1; preserves errno. */
static inline void close_quietly(int fd)
{
    int why = errno;
    if (fd >= 0)
        close(fd);
    errno = why;
}

/* Limits of waiting. */
struct patience {
    unsigned silence_ms; /* without a byte */
    uint64_t deadline;   /* end of all waits, on clock_ms(); or 0 */
    /* Called about every 100 ms; false: the user cancels. NULL: never. */
    bool (*go_on)(void *context);
    void *context;
};

/* Interval between calls of go_on(). */
enum { PATIENCE_TICK_MS = 100 };

static inline bool patience_goes_on(const struct patience *p)
{
    return p->go_on == NULL || p->go_on(p->context);
}

/* Returns the end of a wait that begins now. */
static inline uint64_t patience_end(const struct patience *p)
{
    uint64_t end = clock_ms() + p->silence_ms;
    return p->deadline != 0 && p->deadline < end ? p->deadline : end;
}

/* Returns the time until the deadline or the next tick. */
static inline unsigned patience_step(uint64_t deadline)
{
    uint64_t now = clock_ms(), left = deadline > now ? deadline - now : 0;
    return left < PATIENCE_TICK_MS ? (unsigned)left : PATIENCE_TICK_MS;
}

enum ready { READY, READY_TIMED_OUT, READY_STOPPED, READY_FAILED };

/* A connection is an ordinary file descriptor, to be closed by close(). */
struct transport {
    /* Connects. -1 and errno: ECONNREFUSED: the listener has ended, ETIMEDOUT: it accepts
     * no connections, ECANCELED: cancelled by the user. Addresses are absolute paths, of
     * any length. */
    int (*connect)(const char *address, const struct patience *p);
    /* Identifies the listener. The pid is 0 if the process is not visible from here. */
    bool (*peer)(int connection, pid_t *pid, uid_t *uid);
    /* Waits for input, until the deadline at most. READY_FAILED has errno. */
    enum ready (*await)(int connection, uint64_t deadline, const struct patience *p);
    /* Reads like read(2), within that time: -1 and EAGAIN after it. ECONNRESET also means
     * the end. */
    ssize_t (*read)(int connection, void *to, size_t capacity, unsigned wait_ms);
    /* Writes everything. READY_FAILED has errno: EPIPE, ECONNRESET without a reader. */
    enum ready (*write)(int connection, const void *bytes, size_t size, uint64_t deadline,
                        const struct patience *p);
};

extern const struct transport transport;

#endif

/* apart.h - work that may never end, or that needs the rights of another user, in a child
 * process.
 *
 * What is in the root of another's process may be a file system that never answers (FUSE in
 * a user namespace): then not even a lookup returns, and nothing but SIGKILL ends it. So
 * the child has a deadline, and the caller goes on without an answer. */
#ifndef APART_H
#define APART_H

#include "base/text.h"
#include "collect/transport.h"

#include <sys/types.h>

/* A user, as the kernel sees one. */
struct rights {
    uid_t uid;
    gid_t gid;
    gid_t groups[64]; /* a process of more has the first of them */
    size_t group_count;
};

struct apart {
    /* NULL: ours. Without CAP_SETUID the work is done with ours, unless must_be. */
    const struct rights *as;
    bool must_be; /* as that user, or not at all: EPERM */

    /* Runs in the child. Returns a descriptor to hand over; -1: none, or errno. Adds at
     * most APART_MOST_BYTES to the answer. */
    int (*work)(void *context, struct text *answer);
    void *context;
};

enum { APART_MOST_BYTES = 4 << 20 };

/* Does the work and has its descriptor in *fd, or -1, and its answer. False with errno:
 * that of work, ETIMEDOUT after the patience and 100 ms at least, ECANCELED. A child costs
 * half a millisecond, and 40 microseconds for each MiB that this process has. */
bool apart_run(const struct apart *a, const struct patience *p, struct text *answer,
               int *fd);

#endif

/* apart.h - does work that may never end, or that needs the rights of another user, in a
 * child process.
 *
 * The root of another process may contain a file system that never answers (FUSE): a lookup
 * does not return then, and only SIGKILL ends it. The child therefore has a deadline, and
 * the caller continues without an answer. */
#ifndef APART_H
#define APART_H

#include "base/text.h"
#include "collect/transport.h"

#include <sys/types.h>

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

#endif

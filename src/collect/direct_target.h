/* direct_target.h - a process whose memory is to be read: that it is the one meant, and
 * what /proc tells about it. It needs no diagnostics socket. */
#ifndef DIRECT_TARGET_H
#define DIRECT_TARGET_H

#include "base/arena.h"
#include "base/text.h"
#include "heapdrift.h"

#include <sys/types.h>

/* Strings live in the arena. */
struct direct_target {
    pid_t pid;
    uint64_t start;        /* in clock ticks since boot: another process of that pid has
                              another */
    const char *name;      /* the kernel's 15 characters; NULL */
    const char *arguments; /* NULL */
    struct text auxv;
    struct hd_origin origin;
    struct arena arena;
};

/* By the pid of the options, or the socket. direct_target_close() in any case. */
bool direct_target_open(struct direct_target *t, const struct hd_collect_options *how,
                        struct hd_error *err);
void direct_target_close(struct direct_target *t);

/* Whether the pid still is that process. */
bool direct_target_is_same(const struct direct_target *t);

#endif

/* process_info.h - what a runtime says about itself. */
#ifndef PROCESS_INFO_H
#define PROCESS_INFO_H

#include "collect/target.h"

struct process_info {
    uint64_t pid;        /* in its own namespace */
    const char *command; /* NULL unknown, as the others */
    const char *name;    /* of its entry assembly; since .NET 7 */
    const char *runtime; /* "10.0.12"; since .NET 7 */
};

/* Ask it. False when it does not answer, or is too old to (.NET Core 3); err tells which:
 * HD_UNSUPPORTED is too old. Strings go to the arena. */
bool process_info_ask(struct process_info *info, const struct target *t,
                      const struct patience *p, struct arena *arena, struct hd_error *err);

#endif

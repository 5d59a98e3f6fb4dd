/* process.h - whose a process is, beside what proc.h tells: users have names here, and no
 * numbers. */
#ifndef PROCESS_H
#define PROCESS_H

#include "base/arena.h"

#include <stdbool.h>
#include <sys/types.h>

/* "CORP\\alice", or "unknown". Strings go to the arena. */
const char *process_user(pid_t pid, struct arena *arena);

/* Whether it is ours, or anybody's if we are an elevated administrator. What may not be
 * known is not. */
bool process_may_be_trusted(pid_t pid);

#endif

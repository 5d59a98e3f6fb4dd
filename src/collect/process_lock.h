/* process_lock.h - one collector at a time at a process. */
#ifndef PROCESS_LOCK_H
#define PROCESS_LOCK_H

#include "heapdrift.h"

#include <sys/types.h>

/* Wait until no other collector of ours is at the process: the second of two at once would
 * get no names of types, and both the objects twice, and a process that is stopped to be
 * copied answers no other. All of them lock the process's folder in /proc, since that
 * leaves nothing behind. Anybody may do that, and who cannot must not be kept away: after
 * silence_ms it goes without. *lock is to be closed if it is not -1. False when go_on,
 * which may be NULL, says that the user does not wait any longer. */
bool process_lock_wait(pid_t pid, unsigned silence_ms, bool (*go_on)(void *context),
                       void *context, int *lock, struct hd_error *err);

#endif

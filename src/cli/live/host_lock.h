/* host_lock.h - one snapshot at a time on this host: a lock on a file.
 *
 * Collectors that open the same file take turns, those of other containers included. A lock
 * can be held for good by anybody who can open its file, so it is only waited for where no
 * stranger can. The kernel releases it when the holder ends. */
#ifndef HOST_LOCK_H
#define HOST_LOCK_H

struct host_lock {
    /* As given. NULL: root's is /run/heapdrift/heapdrift.lock, that of another user
     * heapdrift.lock in XDG_RUNTIME_DIR; without such a folder heapdrift-UID.lock in TMPDIR
     * or /tmp. */
    const char *path;
    int held;        /* a descriptor; -1: not held */
    const char *why; /* HOST_LOCK_NONE: the reason */
};

enum host_lock_state {
    HOST_LOCKED,
    HOST_LOCK_BUSY, /* another collector holds it */
    HOST_LOCK_NONE  /* there can be no such file, or strangers can open it */
};

/* Takes it if it is free. The file is made if it does not exist, for this user only, and
 * stays. */
enum host_lock_state host_lock_try(struct host_lock *lock);
void host_lock_release(struct host_lock *lock); /* also of one that is not held */

#endif

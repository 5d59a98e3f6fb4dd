/* host_lock.h - one snapshot at a time on this host, whoever takes it: a lock on a file.
 *
 * Whoever sees the same file takes turns, other users and other containers too; who does
 * not see it cannot. The kernel lets go when the holder ends, however that is. */
#ifndef HOST_LOCK_H
#define HOST_LOCK_H

struct host_lock {
    const char *path; /* as given; NULL: heapdrift.lock in /run/lock, TMPDIR or /tmp */
    int held;         /* a descriptor; -1: not held */
};

enum host_lock_state {
    HOST_LOCKED,
    HOST_LOCK_BUSY, /* somebody else has it */
    HOST_LOCK_NONE  /* there can be no such file; errno says why */
};

/* Take it if it is free. The file is made if it is not there, and stays. */
enum host_lock_state host_lock_try(struct host_lock *lock);
void host_lock_release(struct host_lock *lock); /* also of one that is not held */

#endif

/* target.h - the diagnostics socket of a process: found, checked, connected to.
 *
 * A runtime listens at dotnet-diagnostic-<pid>-<key>-socket in its TMPDIR, or /tmp. The
 * pid is that of its own namespace, the key its start time. Names prove nothing: anyone
 * may make such a file in /tmp, dead processes leave theirs behind, and long names are
 * cut. So the owner of the file, and who the kernel says is listening, decide: the process,
 * as the user that it has, and not another that had its number before. A socket of another
 * user is refused, save by root. docs/collect.md. */
#ifndef TARGET_H
#define TARGET_H

#include "collect/ipc.h"
#include "collect/proc.h"
#include "heapdrift.h"

struct target {
    const char *socket; /* absolute path */
    pid_t pid;          /* as visible from here; the number in the name if it is not */
    bool visible;       /* whether /proc has it */
    uid_t uid;
    uint64_t start; /* struct proc has it; 0: not known */
};

/* The socket of a process. Strings go to the arena. Takes three patiences at most, however
 * many sockets bear its number. */
bool target_of_process(struct target *t, pid_t pid, const struct patience *p,
                       struct arena *arena, struct hd_error *err);

/* The process at a socket that was named. */
bool target_at_socket(struct target *t, const char *path, const struct patience *p,
                      struct arena *arena, struct hd_error *err);

/* A new connection, which takes one request; -1 when it fails or somebody else listens
 * by now. */
int target_connect(const struct target *t, const struct patience *p, struct hd_error *err);

/* --- all of them --------------------------------------------------------------- */

struct found {
    struct target target;
    const struct proc *proc; /* NULL if it is not visible */
    const char *user;        /* whose it is */
    const char *problem;     /* why it cannot be collected from; NULL: it can */
    bool is_denied;          /* because it is another user's */
};

/* Every process that listens, by pid; *count of them. Patience is for each; they are asked
 * side by side, and together for three times as long at most. Where not everything could be
 * looked at *lacked becomes the errno. */
struct found *targets_find(size_t *count, int *lacked, const struct patience *p,
                           struct arena *arena);

#endif

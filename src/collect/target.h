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

#include <stdatomic.h>

struct target {
    const char *socket; /* absolute path */
    pid_t pid;          /* as visible from here; the number in the name if it is not */
    bool visible;       /* whether /proc has it */
    uid_t uid;
    uint64_t start;          /* struct proc has it; 0: not known */
    const struct proc *proc; /* what was read when it was found; NULL: not visible */
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

/* Why there is no connection, by errno; always false. Of every system. */
bool target_fail(const char *socket, struct hd_error *err);

/* --- turns ------------------------------------------------------------------- */

/* In which order sockets and processes are asked, and when a user's have been asked enough.
 */

/* A socket or process. The first of each owner is asked, then the second of each, and so
 * on. */
struct turn {
    size_t which; /* place among those given */
    uint64_t owner;
    size_t number;     /* among those of its owner, from 0 */
    atomic_uint *late; /* those of its owner that did not answer in time */
};

/* In the arena. */
struct turn *turns_of(const uint64_t *owners, size_t count, struct arena *arena);

/* Whether its owner has had its share of a search. */
bool turn_is_over(const struct turn *turn);

/* --- all of them --------------------------------------------------------------- */

struct found {
    struct target target;
    const char *user;    /* whose it is */
    uint64_t owner;      /* process_owner() */
    const char *problem; /* why it cannot be collected from; NULL: it can */
    bool is_denied;      /* because it is another user's */
};

/* Every process that listens, by pid; *count of them. Patience is for each; they are asked
 * side by side, and together for three times as long at most. *incomplete says why not
 * everything could be looked at; NULL: it could. */
struct found *targets_find(size_t *count, const char **incomplete, const struct patience *p,
                           struct arena *arena);

/* --- origin -------------------------------------------------------------------- */

/* Where a process runs, when it began, what was started. All of it is read from /proc,
 * where anything may be missing: then it stays unknown. Arguments of a program may be
 * secrets, and so may its environment: of the arguments only the program's own name is
 * taken, of the environment the name of the host. Of a process that is not visible,
 * nothing. */
struct hd_origin origin_of(const struct target *t);

/* The id of the container in the text of /proc/PID/cgroup or mountinfo: the last run of 64
 * hexadecimal digits that is a name of its own. False without one. */
bool origin_container(const char *text, char id[65]);

/* "/usr/bin/dotnet /app/Shop.dll" of arguments that lie one behind the other, each with
 * its NUL; "" if it is longer than size. */
void origin_program(const char *arguments, size_t len, char *program, size_t size);

#endif

/* children.h - runs part of a command in a child process, so that a heap that is too large,
 * or a crash, costs only that part. */
#ifndef CHILDREN_H
#define CHILDREN_H

#include <stddef.h>
#include <sys/types.h>

struct collector;

#define CHILD_TASK "HEAPDRIFT_ERRAND" /* environment variable with the child's task */

/* Like fork(2) if the system can copy a process. Elsewhere (Windows) the program is
 * executed again with the same arguments and this task; this does not return in it. */
pid_t child_begin(const char *task);

/* Executes the program again with those words, NULL last, and a task, at low priority. Its
 * output, at most 4 KiB since it is read after the end, is available at *from. -1:
 * failed. */
pid_t child_begin_anew(const char *const *words, const char *task, int *from);

/* Drops the rights and database passwords that a child taking a snapshot does not need. */
void child_collects(void);

/* Forks a child of an agent that takes snapshots with c. It keeps the standard files and
 * those of the list, NULL: all. Returns 0 in the child, after child_collects().
 *
 * Ctrl-C is for the whole group, and systemd signals all processes of a unit, but one
 * signal only cancels future snapshots, not the current one. So the child only obeys its
 * parent: SIGUSR1, also sent when the parent ends. */
pid_t child_begin_snapshot(struct collector *c, const int *files, size_t count);

/* Returns the task of this process; NULL: started by a user, or a copy. */
const char *child_task(void);

#endif

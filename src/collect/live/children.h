/* children.h - a part of a command that is done by a process of its own, so that a heap
 * that is too large, or a crash, costs no more than that part. */
#ifndef CHILDREN_H
#define CHILDREN_H

#include <stddef.h>
#include <sys/types.h>

struct collector;

#define CHILD_ERRAND "HEAPDRIFT_ERRAND" /* the variable that an errand is in */

/* As fork(2) where the system can copy a process. Elsewhere (Windows) the program begins
 * anew, with the same arguments, and asks for its errand; this does not return in it. */
pid_t child_begin(const char *errand);

/* Begins the program anew with those words, NULL last, and an errand, to work when nobody
 * else does. What it prints, 4 KiB at most since nobody reads before it ends, comes out of
 * *from. -1: that cannot be had. */
pid_t child_begin_anew(const char *const *words, const char *errand, int *from);

/* In a child that takes a snapshot of one process: gives up the rights and the passwords of
 * databases that this does not need. */
void child_collects(void);

/* Forks a child of an agent that takes snapshots with c. Of the files of its parent it
 * keeps the standard ones and those of the list, NULL: all. Returns 0 in it, after it gave
 * up what child_collects() says.
 *
 * Ctrl-C is for the whole group, and systemd tells all of a unit to end: one that comes
 * once ends what would come next, and this is in hand. So the child listens to its parent
 * only: SIGUSR1, which it also gets when that ends. */
pid_t child_begin_taking(struct collector *c, const int *files, size_t count);

/* What this process was begun for; NULL: by a user, or as a copy. */
const char *child_errand(void);

#endif

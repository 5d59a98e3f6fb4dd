/* children.h - a part of a command that is done by a process of its own, so that a heap
 * that is too large, or a crash, costs no more than that part. */
#ifndef CHILDREN_H
#define CHILDREN_H

#include <sys/types.h>

/* As fork(2) where the system can copy a process. Elsewhere (Windows) the program begins
 * anew, with the same arguments, and asks for its errand; this does not return in it. */
pid_t child_begin(const char *errand);

/* In a child that takes a snapshot of one process: gives up the rights and the passwords of
 * databases that this does not need. */
void child_collects(void);

/* What this process was begun for; NULL: by a user, or as a copy. */
const char *child_errand(void);

#endif

/* rights.h - what a process that works for strangers gives up: capabilities, root, the
 * environment. For good, and for one process: sandbox.h has the files and system calls. */
#ifndef RIGHTS_H
#define RIGHTS_H

/* For a child that answers strangers: no capability, no other program's rights, no user
 * that owns anything, and no other process of that user may read its memory. Each is given
 * up as far as the system lets go of it. */
void rights_give_up(void);

/* For a child that takes a snapshot: as far as it is root, only the capabilities by which
 * sockets, folders and memory of other users are reached. */
void rights_keep_for_collecting(void);

/* Overwrites in memory, where /proc/PID/environ is read, variables that begin with a
 * prefix: "" is all. Whoever kept a pointer to a value finds an empty string. */
void rights_forget_environment(const char *prefix);

#endif

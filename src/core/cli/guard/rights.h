/* rights.h - what a process that works for strangers gives up: capabilities, root, the
 * environment. For good, and for one process: sandbox.h has the files and system calls. */
#ifndef RIGHTS_H
#define RIGHTS_H

/* For a child that serves untrusted clients: drops all capabilities, switches from root to
 * nobody, allows no new privileges and no core dump. Ignores a right that cannot be
 * dropped. */
void rights_give_up(void);

/* For a child that takes a snapshot: drops all capabilities, except those that reach
 * sockets, folders and memory of other users. */
void rights_keep_for_collector(void);

/* Overwrites the values of variables that begin with a prefix, also in /proc/PID/environ;
 * "" is all. A pointer to such a value points to an empty string afterwards. */
void rights_forget_environment(const char *prefix);

#endif

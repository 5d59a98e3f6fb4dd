/* landlock.h - rules of the kernel's Landlock: which files this process may open, and how.
 *
 * Raw system calls: Debian 12 has no library for it, and headers that are older than its
 * kernels. It does not know what the program reads or writes. What is opened already stays
 * open, and rules are for this thread and those that it starts. */
#ifndef LANDLOCK_H
#define LANDLOCK_H

#include <stdbool.h>

/* What may be done with a file; with a folder, with everything below it. */
enum landlock_use {
    LANDLOCK_READ = 1,
    LANDLOCK_LIST = 2,  /* of a folder: its names */
    LANDLOCK_WRITE = 4, /* write, make, rename, remove regular files */
};

/* The version of Landlock that the kernel has; 0 and errno where it has none, or whoever
 * started this process hides it. */
int landlock_version(void);

/* A set of rules, which allow nothing as yet: an open file; -1 and errno if that fails.
 * With only_reading it is about reading files and folders, for a second set that narrows
 * the first; with may_connect not about TCP. */
int landlock_rules(int version, bool only_reading, bool may_connect);

/* Allow that use of what lies there. False and errno if it cannot be allowed, as of what
 * is not there. */
bool landlock_allow(int rules, int version, const char *path, int use);

/* Put the rules in force, for good, and close them. False and errno if that fails. */
bool landlock_enforce(int rules);

#endif

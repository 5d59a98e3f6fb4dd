/* nameless.h - anonymous files, which disappear when they are closed. For those in a given
 * folder: temporary_nameless(). */
#ifndef NAMELESS_H
#define NAMELESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Creates one in memory, never on a disk, since it may have secrets of a process. NULL and
 * errno. */
FILE *nameless_in_memory(void);

/* True if its content is in memory, also on a file system in memory; *bytes is the memory
 * used, 0 on a disk. */
bool nameless_is_in_memory(FILE *file, uint64_t *bytes);

/* Returns a path for opening it again. */
static inline void nameless_path(FILE *file, char *path, size_t size)
{
    snprintf(path, size, "/proc/self/fd/%d", fileno(file));
}

/* Returns what is missing for that; NULL: nothing. */
const char *nameless_excuse(void);

#endif

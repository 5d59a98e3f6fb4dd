/* anonymous_file.h - anonymous files, which disappear when they are closed. For those in a
 * given folder: temporary_anonymous(). */
#ifndef ANONYMOUS_FILE_H
#define ANONYMOUS_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Creates one in memory, never on a disk, since it may have secrets of a process. NULL and
 * errno. */
FILE *anonymous_file_in_memory(void);

/* True if its content is in memory, also on a file system in memory; *bytes is the memory
 * used, 0 on a disk. */
bool anonymous_file_is_in_memory(FILE *file, uint64_t *bytes);

/* Returns a path for opening it again. */
static inline void anonymous_file_path(FILE *file, char *path, size_t size)
{
    snprintf(path, size, "/proc/self/fd/%d", fileno(file));
}

/* Returns the missing requirement of anonymous_file_path(), or NULL. */
const char *anonymous_file_excuse(void);

#endif

/* nameless.h - files that go with whoever has them open, so that nothing can leave them
 * behind. Those beside others: temporary_nameless(). */
#ifndef NAMELESS_H
#define NAMELESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* On no disk: what a process knows is nobody's business. NULL and errno. */
FILE *nameless_in_memory(void);

/* Whether what is written there takes memory: on a file system in memory, too; and the
 * bytes that its content takes, 0 on a disk. */
bool nameless_is_in_memory(FILE *file, uint64_t *bytes);

/* By which it can be opened again. */
static inline void nameless_path(FILE *file, char *path, size_t size)
{
    snprintf(path, size, "/proc/self/fd/%d", fileno(file));
}

/* What is missing for that; NULL: nothing. */
const char *nameless_excuse(void);

#endif

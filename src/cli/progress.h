/* progress.h - a line on the terminal's stderr while files are read, for work of more
 * than half a second. A thread of its own, so that the library need not know. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

struct progress;

/* NULL when it is not wanted, or stderr is no terminal. */
struct progress *progress_start(bool wanted, size_t files);

/* The file that is being read now; path must live until progress_stop(). */
void progress_file(struct progress *p, size_t number, const char *path);

/* Erase the line. NULL is fine. */
void progress_stop(struct progress *p);

#endif

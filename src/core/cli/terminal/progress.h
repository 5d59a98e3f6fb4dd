/* progress.h - a line on the terminal's stderr while files are read and graphs analysed,
 * for work of more than half a second: which phase, how fast, how much longer. A thread of
 * its own writes it, so that the library only counts. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "heapdrift.h"

struct progress;

/* NULL if not wanted, or if stderr is not a terminal; NULL is fine below. */
struct progress *progress_start(bool wanted);

/* Begins reading: that number of files, and of bytes in total. */
void progress_files(struct progress *p, size_t files, uint64_t bytes);

/* Sets the file that is being read; path must live until progress_hide(). */
void progress_file(struct progress *p, size_t number, const char *path);

/* For hd_read_options.progress and hd_options.progress; the context is a progress. */
void progress_report(void *p, enum hd_phase phase, uint64_t more, uint64_t all);

/* Erases the line, until the next phase. */
void progress_hide(struct progress *p);

/* Erases it, and frees the progress. */
void progress_stop(struct progress *p);

#endif

/* run_folder.h - a new folder for the snapshots of one run, with a name that is found
 * again: heapdrift-MyApp-4711-20261123-1412, in the current folder as other tools of the
 * trade leave their files, or where that cannot be written to among temporary files.
 *
 * It collects nothing, and removes nothing. */
#ifndef RUN_FOLDER_H
#define RUN_FOLDER_H

#include "heapdrift.h"

#include <time.h>

/* The name without a folder. program: hostile, only letters, digits and "._-" of it are
 * taken; NULL or "": unknown, as is a pid of 0. The time is local. */
void run_folder_name(const char *program, uint64_t pid, time_t when, char *name,
                     size_t size);

/* Make one that was not there before: an older one of that name gets company, with -2 and
 * so on behind it. *why: the error of the current folder where it lies elsewhere, which
 * only its owner may look into then; else 0. False if there can be none anywhere. */
bool run_folder_make(const char *name, char *path, size_t size, int *why);

/* One among temporary files that nobody is meant to find again. False as above. */
bool run_folder_make_temporary(char *path, size_t size);

#endif

/* run_folder.h - a new folder for the snapshots of a run, with a recognisable name:
 * heapdrift-MyApp-4711-20261123-1412, in the current folder, like files of similar tools,
 * or if that is not writable among temporary files.
 *
 * Must not collect or remove anything. */
#ifndef RUN_FOLDER_H
#define RUN_FOLDER_H

#include "heapdrift.h"

#include <time.h>

/* Formats the name without a folder. program: untrusted, only letters, digits and "._-" are
 * used; NULL or "": unknown, as a pid of 0. The time is local. */
void run_folder_name(const char *program, uint64_t pid, time_t when, char *name,
                     size_t size);

/* Creates a new folder; -2 and so on is appended to an existing name. *why: the errno for
 * the current folder if it is elsewhere, with access only for its owner; else 0. False if
 * no folder can be created. */
bool run_folder_make(const char *name, char *path, size_t size, int *why);

/* Creates one among temporary files, for removal. False as above. */
bool run_folder_make_temporary(char *path, size_t size);

#endif

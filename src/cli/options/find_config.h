/* find_config.h - where heapdrift.yml is, if nobody said so. */
#ifndef FIND_CONFIG_H
#define FIND_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

enum { CONFIG_PATH_SIZE = 4096 };

/* verbose tells which one was taken, and which others there are that were not.
 *
 * Look in this folder and its parents, up to the root of the repository (where .git is), or
 * to a folder of another owner or file system: what a stranger left in a shared folder
 * decides nothing. The nearest file is taken, in one folder heapdrift.yml before
 * heapdrift.yaml: path becomes relative, or "" where there is none. */
void find_config(char path[CONFIG_PATH_SIZE], bool verbose);

#endif

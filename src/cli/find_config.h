/* find_config.h - where heapdrift.yml is, if nobody said so. */
#ifndef FIND_CONFIG_H
#define FIND_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

enum { CONFIG_PATH_SIZE = 4096 };

/* Look in this folder and its parents, up to the root of the repository (where .git is), or
 * of the file system. path becomes relative, or "" where there is none. False after saying
 * so on stderr if there are two: which one is meant is for a person to say. */
bool find_config(char path[CONFIG_PATH_SIZE]);

#endif

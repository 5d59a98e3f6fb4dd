/* A folder of our own. */
#ifndef WINDOWS_STDLIB_H
#define WINDOWS_STDLIB_H

#include_next <stdlib.h>

/* The last characters of the path are XXXXXX, and become others. */
char *mkdtemp(char *path);

#endif

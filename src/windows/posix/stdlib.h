/* mkdtemp(). */
#ifndef WINDOWS_STDLIB_H
#define WINDOWS_STDLIB_H

#include_next <stdlib.h>

/* Replaces the last characters of the path, XXXXXX. */
char *mkdtemp(char *path);

#endif

/* Several writes to a stream that stay together; files as POSIX opens them. */
#ifndef WINDOWS_STDIO_H
#define WINDOWS_STDIO_H

#include_next <stdio.h>

#define flockfile(file) _lock_file(file)
#define funlockfile(file) _unlock_file(file)

/* A folder is one, and not a file that nobody may read. */
FILE *windows_fopen(const char *path, const char *mode);

#undef fopen
#define fopen(path, mode) windows_fopen(path, mode)

#endif

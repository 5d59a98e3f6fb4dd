/* Several writes to a stream that stay together; errors as POSIX has them. */
#ifndef WINDOWS_STDIO_H
#define WINDOWS_STDIO_H

#include_next <stdio.h>

#define flockfile(file) _lock_file(file)
#define funlockfile(file) _unlock_file(file)

/* A folder is one, and not a file that nobody may read. */
FILE *windows_fopen(const char *path, const char *mode);

/* A pipe that nobody reads is one (EPIPE). */
size_t windows_fwrite(const void *bytes, size_t size, size_t count, FILE *file);
int windows_fflush(FILE *file);

#undef fopen
#define fopen(path, mode) windows_fopen(path, mode)
#define fwrite(bytes, size, count, file) windows_fwrite(bytes, size, count, file)
#define fflush(file) windows_fflush(file)

#endif

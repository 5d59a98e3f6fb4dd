/* Stream locks; errors as in POSIX. */
#ifndef WINDOWS_STDIO_H
#define WINDOWS_STDIO_H

#include_next <stdio.h>

#include <stdarg.h>

#define flockfile(file) _lock_file(file)
#define funlockfile(file) _unlock_file(file)

/* Reports a folder as a folder, not as an unreadable file. */
FILE *windows_fopen(const char *path, const char *mode);

/* Sets EPIPE for a pipe without reader. */
size_t windows_fwrite(const void *bytes, size_t size, size_t count, FILE *file);
int windows_fflush(FILE *file);

/* Writes formatted text in one piece: a console cannot handle partial characters. */
int windows_fprintf(FILE *file, const char *format, ...)
    __attribute__((format(gnu_printf, 2, 3)));
int windows_vfprintf(FILE *file, const char *format, va_list arguments);

#define fprintf(...) windows_fprintf(__VA_ARGS__)
#define vfprintf(file, format, arguments) windows_vfprintf(file, format, arguments)
#define printf(...) windows_fprintf(stdout, __VA_ARGS__)

#undef fopen
#define fopen(path, mode) windows_fopen(path, mode)
#define fwrite(bytes, size, count, file) windows_fwrite(bytes, size, count, file)
#define fflush(file) windows_fflush(file)

#endif

/* open() of POSIX. */
#ifndef WINDOWS_FCNTL_H
#define WINDOWS_FCNTL_H

/* Hide names that POSIX does not have. */
#define tell windows_tell
#include_next <fcntl.h>
#undef tell

#define O_CLOEXEC _O_NOINHERIT
#define O_NOCTTY 0
#define O_NONBLOCK 0
#define O_PATH 0 /* file handles are always open */

/* Reports a folder as a folder, not as an unreadable file. */
int windows_open(const char *path, int flags);

#undef open
#define open(path, flags) windows_open(path, flags)

#endif

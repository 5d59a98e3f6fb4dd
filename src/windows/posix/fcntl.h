/* Opening a file as POSIX does. */
#ifndef WINDOWS_FCNTL_H
#define WINDOWS_FCNTL_H

/* What POSIX does not have is a name for anybody. */
#define tell windows_tell
#include_next <fcntl.h>
#undef tell

#define O_CLOEXEC _O_NOINHERIT
#define O_NOCTTY 0
#define O_NONBLOCK 0
#define O_PATH 0 /* what is held is open */

/* A folder is one, and not a file that nobody may read. */
int windows_open(const char *path, int flags);

#undef open
#define open(path, flags) windows_open(path, flags)

#endif

/* The used functions of POSIX that Windows lacks. */
#ifndef WINDOWS_UNISTD_H
#define WINDOWS_UNISTD_H

/* Hide names that POSIX does not have. */
#define tell windows_tell
#include_next <unistd.h>
#undef tell

#include <sys/types.h>

#define _SC_NPROCESSORS_ONLN 1

long sysconf(int name);

/* Large reads may be short, which POSIX allows. */
ssize_t pread(int fd, void *to, size_t size, off_t place);
ssize_t pwrite(int fd, const void *from, size_t size, off_t place);

/* Fails: Windows lacks sessions. */
static inline pid_t setsid(void)
{
    return -1;
}

/* Links are not supported: EINVAL, as for other files. */
ssize_t readlink(const char *path, char *to, size_t size);

#endif

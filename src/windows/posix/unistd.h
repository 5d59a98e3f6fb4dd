/* Of POSIX's functions of files and of the system those that are used and missing. */
#ifndef WINDOWS_UNISTD_H
#define WINDOWS_UNISTD_H

/* What POSIX does not have is a name for anybody. */
#define tell windows_tell
#include_next <unistd.h>
#undef tell

#include <sys/types.h>

#define _SC_NPROCESSORS_ONLN 1

long sysconf(int name);

/* Large reads may be short, which POSIX allows. */
ssize_t pread(int fd, void *to, size_t size, off_t place);
ssize_t pwrite(int fd, const void *from, size_t size, off_t place);

/* There are no sessions to leave. */
static inline pid_t setsid(void)
{
    return -1;
}

/* There are no links: EINVAL, as of every other file. */
ssize_t readlink(const char *path, char *to, size_t size);

#endif

/* stat() with the identity of a file and exact times: the C library of Windows has no file
 * numbers, and times in seconds. */
#ifndef WINDOWS_SYS_STAT_H
#define WINDOWS_SYS_STAT_H

#include_next <sys/stat.h>

#include <stdint.h>
#include <time.h>

struct windows_stat {
    uint64_t st_dev, st_ino;
    int64_t st_size;
    struct timespec st_mtim;
    unsigned st_uid; /* distinct for each owner */
    unsigned short st_mode;
};

int windows_stat(const char *path, struct windows_stat *st);
int windows_fstat(int fd, struct windows_stat *st);

#undef stat
#undef fstat
#define stat windows_stat
#define fstat windows_fstat

/* Links are treated as files, and pipes are checked without opening them. */
#define lstat windows_stat

/* Modes are inherited from the folder. */
#define mkdir(path, mode) ((void)(mode), (mkdir)(path))
int fchmod(int fd, mode_t mode); /* except modes for the owner alone */

#endif

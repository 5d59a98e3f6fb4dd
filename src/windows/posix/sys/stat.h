/* Which file a file is: the C library of Windows has no numbers of files, and times of
 * whole seconds. */
#ifndef WINDOWS_SYS_STAT_H
#define WINDOWS_SYS_STAT_H

#include_next <sys/stat.h>

#include <stdint.h>
#include <time.h>

struct windows_stat {
    uint64_t st_dev, st_ino;
    int64_t st_size;
    struct timespec st_mtim;
    unsigned st_uid; /* another one for another owner */
    unsigned short st_mode;
};

int windows_stat(const char *path, struct windows_stat *st);
int windows_fstat(int fd, struct windows_stat *st);

#undef stat
#undef fstat
#define stat windows_stat
#define fstat windows_fstat

/* Links are files, and a pipe is asked for without opening it. */
#define lstat windows_stat

/* Modes of files are those of their folder. */
#define mkdir(path, mode) ((void)(mode), (mkdir)(path))
int fchmod(int fd, mode_t mode); /* but for what is for its owner alone */

#endif

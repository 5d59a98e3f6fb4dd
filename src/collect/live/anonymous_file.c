#include "collect/live/anonymous_file.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

FILE *anonymous_file_in_memory(void)
{
    const unsigned long close_on_exec = 1;
    int fd = (int)syscall(SYS_memfd_create, "heapdrift", close_on_exec);
    FILE *file = fd >= 0 ? fdopen(fd, "w+") : NULL;
    if (file == NULL && fd >= 0)
        close(fd);
    return file;
}

const char *anonymous_file_excuse(void)
{
    return access("/proc/self", F_OK) != 0 ? "/proc, which is not mounted here" : NULL;
}

/* From the kernel's <linux/magic.h>. */
bool anonymous_file_is_in_memory(FILE *file, uint64_t *bytes)
{
    const unsigned long tmpfs = 0x01021994, ramfs = 0x858458f6, huge = 0x958458f6;
    struct statfs system = {0};
    struct stat st;
    bool is_known = fstatfs(fileno(file), &system) == 0;
    unsigned long kind = (unsigned long)system.f_type;
    bool is_in_memory = is_known && (kind == tmpfs || kind == ramfs || kind == huge);
    *bytes =
        is_in_memory && fstat(fileno(file), &st) == 0 ? (uint64_t)st.st_blocks * 512 : 0;
    return is_in_memory;
}

#include "cli/live/nameless.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

FILE *nameless_in_memory(void)
{
    const unsigned long close_on_exec = 1;
    int fd = (int)syscall(SYS_memfd_create, "heapdrift", close_on_exec);
    FILE *file = fd >= 0 ? fdopen(fd, "w+") : NULL;
    if (file == NULL && fd >= 0)
        close(fd);
    return file;
}

void nameless_path(FILE *file, char *path, size_t size)
{
    snprintf(path, size, "/proc/self/fd/%d", fileno(file));
}

const char *nameless_excuse(void)
{
    return access("/proc/self", F_OK) != 0 ? "/proc, which is not mounted here" : NULL;
}

/* Of the kernel's <linux/magic.h>. */
bool nameless_is_in_memory(FILE *file)
{
    const unsigned long tmpfs = 0x01021994, ramfs = 0x858458f6, huge = 0x958458f6;
    struct statfs st;
    if (fstatfs(fileno(file), &st) != 0)
        return false;
    unsigned long kind = (unsigned long)st.f_type;
    return kind == tmpfs || kind == ramfs || kind == huge;
}

uint64_t nameless_memory(FILE *file)
{
    struct stat st;
    bool takes_some = nameless_is_in_memory(file) && fstat(fileno(file), &st) == 0;
    return takes_some ? (uint64_t)st.st_blocks * 512 : 0;
}

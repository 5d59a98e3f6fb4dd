#define _GNU_SOURCE

#include "fuzz/memory_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

const char *memory_file(size_t i, struct bytes content)
{
    static struct {
        int fd; /* 0: not made yet */
        char path[40];
    } files[MEMORY_FILES];
    if (files[i].fd == 0) {
        files[i].fd = memfd_create("input", MFD_CLOEXEC);
        snprintf(files[i].path, sizeof(files[i].path), "/proc/self/fd/%d", files[i].fd);
    }
    if (files[i].fd < 0 || ftruncate(files[i].fd, 0) != 0 ||
        pwrite(files[i].fd, content.data, content.size, 0) != (ssize_t)content.size)
        abort();
    return files[i].path;
}

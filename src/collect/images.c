#include "collect/images.h"

#include "base/path.h"
#include "process/runtime_module.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of one area: a program with everything in one file may have 200 MiB. */
static const uint64_t most = (uint64_t)1 << 30;

static bool is_image(const char *path, const char *program)
{
    return runtime_library_is(path) || path_ends_in(path, ".dll") ||
           path_ends_in(path, ".exe") || strcmp(path, program) == 0;
}

void images_find(struct images *images, const struct address_space *space, pid_t pid)
{
    char link[64], program[PATH_MAX];
    snprintf(link, sizeof(link), "/proc/%ld/exe", (long)pid);
    ssize_t len = readlink(link, program, sizeof(program) - 1);
    program[len > 0 ? len : 0] = '\0';
    images->count = 0;
    images->size = 0;
    for (size_t i = 0; i < space->count; i++) {
        const struct area *a = &space->areas[i];
        uint64_t size = a->end - a->start;
        if (!a->readable || !area_is_of_file(a) || size > most ||
            !is_image(a->path, program))
            continue;
        images->all = grow(images->all, images->count, &images->cap, sizeof(*images->all));
        images->all[images->count++] = (struct image_piece){a, size, images->size};
        images->size += size;
    }
}

/* The file as the process sees it, if it is still the one that it has mapped. */
static int open_file(pid_t pid, const struct area *a)
{
    char path[PATH_MAX + 32];
    struct stat st;
    snprintf(path, sizeof(path), "/proc/%ld/root%s", (long)pid, a->path);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 ||
        (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_ino == a->inode))
        return fd;
    close(fd);
    return -1;
}

/* Where the file is gone the process still has its pages. */
void images_copy(struct images *images, pid_t pid, struct copy_room *room, uint64_t at)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%ld/mem", (long)pid);
    int mem = open(path, O_RDONLY | O_CLOEXEC);
    for (size_t i = 0; i < images->count; i++) {
        const struct image_piece *p = &images->all[i];
        unsigned char *to = room->bytes + at + p->at;
        int file = open_file(pid, p->area);
        if (file >= 0)
            copy_from(file, to, p->size, p->area->offset);
        else if (mem >= 0)
            copy_from(mem, to, p->size, p->area->start);
        if (file >= 0)
            close(file);
    }
    if (mem >= 0)
        close(mem);
}

void images_free(struct images *images)
{
    free(images->all);
    *images = (struct images){0};
}

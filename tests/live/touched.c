/* Which pages of a file a program looks at: for cut_core.py, which keeps these of a core.
 *
 *   LD_PRELOAD=touched.so TOUCHED_FILE=x.core TOUCHED_LIST=pages heapdrift top x.core
 *
 * Mappings of that file are made unreadable; the first access to a page is noted and makes
 * it readable. At the end the numbers of these pages are appended to the list, a line each.
 * What is taken with read() is not seen. For one thread (-j1). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { PAGE = 4096, MOST_MAPPINGS = 16 };

static struct {
    unsigned char *start;
    size_t size, offset;
} mappings[MOST_MAPPINGS];
static size_t mapping_count;
static unsigned char *touched; /* a byte per page of the file */
static size_t page_count;

typedef void *mmap_function(void *, size_t, int, int, int, off_t);

static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    unsigned char *at = info->si_addr;
    for (size_t i = 0; i < mapping_count; i++) {
        if (at < mappings[i].start || at >= mappings[i].start + mappings[i].size)
            continue;
        size_t page = (size_t)(at - mappings[i].start) / PAGE;
        touched[page + mappings[i].offset / PAGE] = 1;
        if (mprotect(mappings[i].start + page * PAGE, PAGE, PROT_READ) == 0)
            return;
    }
    signal(number, SIG_DFL);
}

static bool is_watched(int fd)
{
    struct stat of_file, wanted;
    const char *path = getenv("TOUCHED_FILE");
    if (fd < 0 || path == NULL || stat(path, &wanted) != 0 || fstat(fd, &of_file) != 0 ||
        of_file.st_ino != wanted.st_ino || of_file.st_dev != wanted.st_dev)
        return false;
    if (touched == NULL) {
        page_count = (size_t)wanted.st_size / PAGE + 1;
        touched = calloc(page_count, 1);
    }
    return touched != NULL && mapping_count < MOST_MAPPINGS;
}

void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    mmap_function *next;
    *(void **)&next = dlsym(RTLD_NEXT, "mmap");
    bool watched = is_watched(fd);
    void *start = next(address, size, watched ? PROT_NONE : protection, flags, fd, offset);
    if (watched && start != MAP_FAILED) {
        mappings[mapping_count].start = start;
        mappings[mapping_count].size = size;
        mappings[mapping_count++].offset = (size_t)offset;
        struct sigaction action = {.sa_sigaction = on_fault,
                                   .sa_flags = SA_SIGINFO | SA_NODEFER};
        sigaction(SIGSEGV, &action, NULL);
    }
    return start;
}

void *mmap64(void *address, size_t size, int protection, int flags, int fd, off64_t offset)
{
    return mmap(address, size, protection, flags, fd, offset);
}

__attribute__((destructor)) static void write_list(void)
{
    const char *path = getenv("TOUCHED_LIST");
    FILE *list = touched != NULL && path != NULL ? fopen(path, "a") : NULL;
    if (list == NULL)
        return;
    for (size_t i = 0; i < page_count; i++)
        if (touched[i])
            fprintf(list, "%zu\n", i);
    fclose(list);
}

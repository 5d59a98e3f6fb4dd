/* Records the parts of a file that a program reads: for cut_core.py, which keeps these of
 * a core.
 *
 *   LD_PRELOAD=touched.so TOUCHED_FILE=x.core TOUCHED_LIST=list heapdrift top x.core
 *
 * Mappings of that file are made unreadable; the first access to a page is recorded and
 * makes it readable. Pages in one of the ranges of TOUCHED_EXACT ("FIRST-END FIRST-END",
 * page numbers) become unreadable again after the instruction, so that every access is
 * recorded. At the end a line for each page is appended to the list: its number, and a bit
 * for each 64 bytes in hex. Does not see read(). For one thread (-j1), x86-64. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>

enum { PAGE = 4096, PART = 64, MAX_MAPPINGS = 16, TRAP_FLAG = 0x100 };

static struct {
    unsigned char *start;
    size_t size, offset;
} mappings[MAX_MAPPINGS];
static size_t mapping_count;
static uint64_t *touched;    /* by page of the file, a bit for each part */
static unsigned char *exact; /* by page */
static unsigned char *open_pages[4];
static size_t open_count;
static size_t page_count;

typedef void *mmap_function(void *, size_t, int, int, int, off_t);

static void note(size_t page, size_t first, size_t last)
{
    for (size_t part = first / PART; part <= last / PART && part < PAGE / PART; part++)
        touched[page] |= (uint64_t)1 << part;
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    unsigned char *at = info->si_addr;
    for (size_t i = 0; i < mapping_count; i++) {
        if (at < mappings[i].start || at >= mappings[i].start + mappings[i].size)
            continue;
        size_t offset = (size_t)(at - mappings[i].start);
        unsigned char *start = mappings[i].start + offset / PAGE * PAGE;
        size_t page = (offset + mappings[i].offset) / PAGE;
        mprotect(start, PAGE, PROT_READ);
        if (!exact[page]) {
            note(page, 0, PAGE - 1);
            return;
        }
        /* The widest load has 64 bytes. */
        note(page, offset % PAGE, offset % PAGE + 63);
        if (open_count < sizeof(open_pages) / sizeof(*open_pages))
            open_pages[open_count++] = start;
        ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
        return;
    }
    signal(number, SIG_DFL);
}

/* After one instruction. */
static void on_step(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    while (open_count > 0)
        mprotect(open_pages[--open_count], PAGE, PROT_NONE);
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
}

static void take_ranges(const char *ranges)
{
    size_t first, end;
    int used;
    for (; ranges != NULL && sscanf(ranges, " %zu-%zu%n", &first, &end, &used) == 2;
         ranges += used)
        for (; first < end && first < page_count; first++)
            exact[first] = 1;
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
        touched = calloc(page_count, sizeof(*touched));
        exact = calloc(page_count, 1);
        if (touched == NULL || exact == NULL)
            abort();
        take_ranges(getenv("TOUCHED_EXACT"));
    }
    return mapping_count < MAX_MAPPINGS;
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
        action.sa_sigaction = on_step;
        sigaction(SIGTRAP, &action, NULL);
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
        if (touched[i] != 0)
            fprintf(list, "%zu %" PRIx64 "\n", i, touched[i]);
    fclose(list);
}

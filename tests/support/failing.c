/* Preloaded into the program under test: injects failures inside the process, where
 * strace, which makes system calls fail, cannot. A library of its own, not part of any
 * test program.
 *
 *   FAIL_AT=N      only the N-th allocation fails: the next one succeeds, so that the
 *                  reaction of a library to the failure can be seen. Those of popt,
 *                  libseccomp and libarchive (with liblzma) are not counted: these end the
 *                  process or crash, so their callers check first that memory is left.
 *   FAIL_ABOVE=N   allocations fail that would bring the total above N bytes.
 *   SHORT_AT=N     the N-th read(), pread(), recv(), write(), pwrite() or send() of more
 *                  than a byte moves half of it.
 *   CUT_AT=N       the N-th file below CUT_BELOW that is mapped is truncated to 0 bytes;
 *                  the sandbox would keep the program from doing that.
 *   COUNT_TO=FILE  at the end, the counts: allocations, transfers, mappings. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t size);
void __libc_free(void *p);

struct fault {
    long at; /* number of the failing one; 0: none */
    atomic_long count;
};

static struct fault allocation, transfer, mapping;
static size_t fail_above;
static atomic_size_t in_use;
static const char *cut_below;
static bool counts;
static int count_to = -1; /* opened before the program enters its sandbox */

/* --- when ------------------------------------------------------------------------------
 */

static long number(const char *name)
{
    const char *value = getenv(name);
    return value != NULL ? atol(value) : 0;
}

__attribute__((constructor)) static void begin(void)
{
    allocation.at = number("FAIL_AT");
    fail_above = (size_t)number("FAIL_ABOVE");
    transfer.at = number("SHORT_AT");
    mapping.at = number("CUT_AT");
    cut_below = getenv("CUT_BELOW");
    counts = getenv("COUNT_TO") != NULL;
    if (counts)
        count_to = open(getenv("COUNT_TO"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

__attribute__((destructor)) static void end(void)
{
    if (count_to >= 0)
        dprintf(count_to, "%ld %ld %ld\n", allocation.count, transfer.count, mapping.count);
}

static bool is_now(struct fault *f)
{
    return (f->at > 0 || counts) && ++f->count == f->at;
}

/* --- allocations -----------------------------------------------------------------------
 */

static bool is_spared(const void *caller)
{
    Dl_info in;
    return dladdr(caller, &in) != 0 && in.dli_fname != NULL &&
           (strstr(in.dli_fname, "/libpopt") != NULL ||
            strstr(in.dli_fname, "/libseccomp") != NULL ||
            strstr(in.dli_fname, "/libarchive") != NULL ||
            strstr(in.dli_fname, "/liblzma") != NULL);
}

static bool fails(size_t size, const void *caller)
{
    bool no = fail_above > 0 && in_use + size > fail_above;
    if ((allocation.at > 0 || counts) && !is_spared(caller))
        no = is_now(&allocation) || no;
    if (no)
        errno = ENOMEM;
    return no;
}

static void *count_in(void *p)
{
    if (p != NULL)
        in_use += malloc_usable_size(p);
    return p;
}

static void count_out(void *p)
{
    if (p != NULL)
        in_use -= malloc_usable_size(p);
}

void *malloc(size_t size)
{
    return fails(size, __builtin_return_address(0)) ? NULL : count_in(__libc_malloc(size));
}

void *calloc(size_t items, size_t size)
{
    return fails(items * size, __builtin_return_address(0))
               ? NULL
               : count_in(__libc_calloc(items, size));
}

void *realloc(void *p, size_t size)
{
    size_t before = p != NULL ? malloc_usable_size(p) : 0;
    if (fails(size > before ? size - before : 0, __builtin_return_address(0)))
        return NULL;
    void *resized = __libc_realloc(p, size);
    if (resized != NULL || size == 0)
        in_use -= before;
    return count_in(resized);
}

void free(void *p)
{
    count_out(p);
    __libc_free(p);
}

/* --- transfers -------------------------------------------------------------------------
 */

static size_t part_of(size_t size)
{
    return size > 1 && is_now(&transfer) ? size / 2 : size;
}

ssize_t read(int fd, void *to, size_t size)
{
    return syscall(SYS_read, fd, to, part_of(size));
}

ssize_t pread(int fd, void *to, size_t size, off_t place)
{
    return syscall(SYS_pread64, fd, to, part_of(size), place);
}

ssize_t recv(int fd, void *to, size_t size, int flags)
{
    return syscall(SYS_recvfrom, fd, to, part_of(size), flags, NULL, NULL);
}

ssize_t write(int fd, const void *from, size_t size)
{
    return syscall(SYS_write, fd, from, part_of(size));
}

ssize_t pwrite(int fd, const void *from, size_t size, off_t place)
{
    return syscall(SYS_pwrite64, fd, from, part_of(size), place);
}

ssize_t send(int fd, const void *from, size_t size, int flags)
{
    return syscall(SYS_sendto, fd, from, part_of(size), flags, NULL, 0);
}

/* --- mapped files ----------------------------------------------------------------------
 */

/* Reading the pages of a file that was cut raises SIGBUS. */
static void cut(int fd)
{
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t len = readlink(link, path, sizeof(path) - 1);
    if (len < 0)
        return;
    path[len] = '\0';
    if (strncmp(path, cut_below, strlen(cut_below)) == 0 && is_now(&mapping) &&
        truncate(path, 0) != 0)
        perror(path);
}

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t place)
{
    void *p = (void *)syscall(SYS_mmap, at, size, protection, flags, fd, place);
    if (fd >= 0 && cut_below != NULL && p != MAP_FAILED)
        cut(fd);
    return p;
}

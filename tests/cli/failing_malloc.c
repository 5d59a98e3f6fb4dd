// Preloaded by memory.bats: memory that runs out.
//
//   FAIL_AT=N      the N-th allocation fails, and no other: what a library makes of a
//                  failure is seen where its next allocation succeeds. Those of popt,
//                  libseccomp and libarchive (with liblzma) are not counted, which end the process or
//                  crash: who calls them sees that they have room, and then they have.
//   FAIL_ABOVE=N   whatever would make it more than N bytes at once fails.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t size);
void __libc_free(void *p);

static long fail_at;
static size_t fail_above;
static atomic_long count;
static atomic_size_t in_use;

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("FAIL_AT"), *above = getenv("FAIL_ABOVE");
    fail_at = at != NULL ? atol(at) : 0;
    fail_above = above != NULL ? strtoul(above, NULL, 10) : 0;
}

static int is_spared(const void *caller)
{
    Dl_info in;
    return dladdr(caller, &in) != 0 && in.dli_fname != NULL &&
           (strstr(in.dli_fname, "/libpopt") != NULL ||
            strstr(in.dli_fname, "/libseccomp") != NULL ||
            strstr(in.dli_fname, "/libarchive") != NULL ||
            strstr(in.dli_fname, "/liblzma") != NULL);
}

static int fails(size_t size, const void *caller)
{
    int no = fail_above > 0 && in_use + size > fail_above;
    if (fail_at > 0 && !is_spared(caller))
        no = ++count == fail_at;
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

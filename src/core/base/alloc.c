#include "base/alloc.h"

#include "heapdrift.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void (*_Atomic handler)(size_t wanted);

void hd_set_out_of_memory(void (*to)(size_t wanted))
{
    atomic_store(&handler, to);
}

void out_of_memory(size_t wanted)
{
    void (*handle)(size_t) = atomic_load(&handler);
    if (handle != NULL)
        handle(wanted);
    abort();
}

void alloc_blame(void)
{
    if (errno == ENOMEM)
        out_of_memory(0);
}

void alloc_check(size_t size)
{
    /* Through a volatile pointer: a compiler may drop an allocation that is not used. */
    void *volatile probe = malloc(size);
    if (probe == NULL)
        out_of_memory(size);
    free(probe);
}

size_t array_bytes(size_t count, size_t item_size)
{
    if (count > SIZE_MAX / item_size)
        out_of_memory(SIZE_MAX);
    return count * item_size;
}

/* Large arrays get huge pages: touching memory for the first time is a good part of the
 * cost of a heap. */
enum { WORTH_IT = 4 << 20, PAGE = 4096, HUGE_PAGE = 2 << 20, MALLOC_HEAD = 32, SPARE = 8 };

/* Returns the bytes to request for an array: with malloc's own words they are whole huge
 * pages, which Linux then aligns, unless that adds more than an eighth. */
static size_t whole_pages(size_t size)
{
#ifdef MADV_HUGEPAGE
    size_t over = (size + MALLOC_HEAD) % HUGE_PAGE, more = over > 0 ? HUGE_PAGE - over : 0;
    if (size >= WORTH_IT && more <= size / SPARE && size <= SIZE_MAX / 2)
        return size + more;
#endif
    return size > 0 ? size : 1;
}

/* Requests huge pages for large arrays, including the page with malloc's header: with
 * different advice there would be two mappings, which realloc() would copy instead of
 * moving their pages. malloc has already touched that page, so it is collapsed into the
 * first huge page, which needs Linux 6.1. The kernel may refuse both. */
static void *advise(void *p, size_t size)
{
#ifdef MADV_HUGEPAGE
    enum { COLLAPSE = 25 }; /* MADV_COLLAPSE, which older headers lack */
    unsigned char *begin = (unsigned char *)p - (uintptr_t)p % PAGE;
    if (size >= WORTH_IT) {
        (void)madvise(begin, (uintptr_t)p % PAGE + size, MADV_HUGEPAGE);
        if ((uintptr_t)begin % HUGE_PAGE == 0)
            (void)madvise(begin, HUGE_PAGE, COLLAPSE);
    }
#else
    (void)size;
#endif
    return p;
}

void *alloc_zeroed(size_t size)
{
    const size_t bytes = whole_pages(size);
    void *p = calloc(1, bytes);
    if (p == NULL)
        out_of_memory(size);
    return advise(p, bytes);
}

uint32_t *alloc_unknown(size_t count)
{
    size_t bytes = array_bytes(count, sizeof(uint32_t));
    return memset(alloc_resize(NULL, bytes), 0xFF, bytes);
}

void *alloc_resize(void *p, size_t size)
{
    const size_t bytes = whole_pages(size);
    void *resized = realloc(p, bytes);
    if (resized == NULL)
        out_of_memory(size);
    return advise(resized, bytes);
}

void *grow(void *items, size_t len, size_t *cap, size_t item_size)
{
    if (len < *cap)
        return items;
    size_t new_cap = *cap > 0 ? *cap * 2 : 16;
    size_t bytes = whole_pages(array_bytes(new_cap, item_size));
    void *grown = alloc_resize(items, bytes);
    *cap = bytes / item_size;
    return grown;
}

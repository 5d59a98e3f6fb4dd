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

void alloc_room(size_t size)
{
    /* Through a volatile pointer: nobody uses it, and a compiler may leave it out. */
    void *volatile room = malloc(size);
    if (room == NULL)
        out_of_memory(size);
    free(room);
}

size_t array_bytes(size_t count, size_t item_size)
{
    if (count > SIZE_MAX / item_size)
        out_of_memory(SIZE_MAX);
    return count * item_size;
}

/* Large arrays are worth huge pages where the system has them: touching memory for the
 * first time is a good part of the cost of a heap. The page with malloc's own word in front
 * of the array is advised too: with different advice the mapping would be two, which
 * realloc() then has to copy instead of moving its pages. */
static void *advise(void *p, size_t size)
{
#ifdef MADV_HUGEPAGE
    enum { WORTH_IT = 4 << 20, PAGE = 4096 };
    if (size >= WORTH_IT) {
        size_t into_page = (uintptr_t)p % PAGE;
        /* Advice only: it may be refused. */
        (void)madvise((unsigned char *)p - into_page, into_page + size, MADV_HUGEPAGE);
    }
#else
    (void)size;
#endif
    return p;
}

void *alloc_zeroed(size_t size)
{
    void *p = calloc(1, size > 0 ? size : 1);
    if (p == NULL)
        out_of_memory(size);
    return advise(p, size);
}

uint32_t *alloc_unknown(size_t count)
{
    size_t bytes = array_bytes(count, sizeof(uint32_t));
    return memset(alloc_resize(NULL, bytes), 0xFF, bytes);
}

void *alloc_resize(void *p, size_t size)
{
    void *resized = realloc(p, size > 0 ? size : 1);
    if (resized == NULL)
        out_of_memory(size);
    return advise(resized, size);
}

void *grow(void *items, size_t len, size_t *cap, size_t item_size)
{
    if (len < *cap)
        return items;
    size_t new_cap = *cap > 0 ? *cap * 2 : 16;
    void *grown = alloc_resize(items, array_bytes(new_cap, item_size));
    *cap = new_cap;
    return grown;
}

#include "base/arena.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- account ---------------------------------------------------------------------- */

bool account_fail(const struct account *a, struct hd_error *err)
{
    return fail_about(err, HD_ABOUT_MEMORY, HD_TOO_BIG,
                      "exceeds the memory limit of %llu bytes",
                      (unsigned long long)a->limit);
}

void *account_grow(struct account *a, void *items, size_t len, size_t *cap,
                   size_t item_size)
{
    size_t before = *cap;
    void *grown = grow(items, len, cap, item_size);
    account_charge(a, (uint64_t)(*cap - before) * item_size);
    return grown;
}

void account_free(struct account *a, void *items, size_t cap, size_t item_size)
{
    account_release(a, (uint64_t)cap * item_size);
    free(items);
}

/* --- arena ------------------------------------------------------------------------ */

enum { BLOCK_SIZE = 64 * 1024 };

struct arena_block {
    struct arena_block *older;
    alignas(max_align_t) unsigned char bytes[];
};

static struct arena_block *add_block(struct arena *a, size_t payload)
{
    struct arena_block *b = alloc_zeroed(sizeof(*b) + payload);
    b->older = a->blocks;
    a->blocks = b;
    a->size += payload;
    account_charge(a->account, payload);
    return b;
}

void *arena_alloc(struct arena *a, size_t size)
{
    size_t align = alignof(max_align_t);
    size = array_bytes(size / align + (size % align != 0), align);
    /* A large array gets a block of its own, so that the rest of the
     * current block stays in use. */
    if (size > BLOCK_SIZE / 4)
        return add_block(a, size)->bytes;
    if (a->next == NULL || size > (size_t)(a->end - a->next)) {
        a->next = add_block(a, BLOCK_SIZE)->bytes;
        a->end = a->next + BLOCK_SIZE;
    }
    void *p = a->next;
    a->next += size;
    return p;
}

char *arena_strdup(struct arena *a, const char *s, size_t len)
{
    char *copy = arena_alloc(a, len + 1);
    if (len > 0)
        memcpy(copy, s, len);
    return copy;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int len = c_vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    size_t size = len > 0 ? (size_t)len + 1 : 1;
    char *s = arena_alloc(a, size);
    c_vsnprintf(s, size, fmt, again);
    va_end(again);
    return s;
}

void arena_free(struct arena *a)
{
    for (struct arena_block *b = a->blocks, *older; b != NULL; b = older) {
        older = b->older;
        free(b);
    }
    account_release(a->account, a->size);
    *a = (struct arena){.account = a->account};
}

#include "base/buffer_pool.h"

#include "base/alloc.h"

#include <stdlib.h>

void *buffer_pool_take(struct buffer_pool *s, size_t count, size_t item_size)
{
    size_t size = array_bytes(count, item_size), best = s->len;
    for (size_t i = 0; i < s->len; i++)
        if (s->all[i].size >= size &&
            (best == s->len || s->all[i].size < s->all[best].size))
            best = i;
    if (best == s->len)
        return alloc_resize(NULL, size);
    void *p = s->all[best].p;
    s->all[best] = s->all[--s->len];
    return p;
}

void buffer_pool_give(struct buffer_pool *s, void *p, size_t count, size_t item_size)
{
    if (s->len == sizeof(s->all) / sizeof(s->all[0]))
        free(p);
    else if (p != NULL)
        s->all[s->len++] = (struct buffer_pool_block){p, array_bytes(count, item_size)};
}

void buffer_pool_free(struct buffer_pool *s)
{
    for (size_t i = 0; i < s->len; i++)
        free(s->all[i].p);
    *s = (struct buffer_pool){0};
}

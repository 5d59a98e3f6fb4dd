#include "base/spare.h"

#include "base/alloc.h"

#include <stdlib.h>

void *spare_take(struct spare *s, size_t count, size_t item_size)
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

void spare_give(struct spare *s, void *p, size_t count, size_t item_size)
{
    if (s->len == sizeof(s->all) / sizeof(s->all[0]))
        free(p);
    else if (p != NULL)
        s->all[s->len++] = (struct spare_block){p, array_bytes(count, item_size)};
}

void spare_free(struct spare *s)
{
    for (size_t i = 0; i < s->len; i++)
        free(s->all[i].p);
    *s = (struct spare){0};
}

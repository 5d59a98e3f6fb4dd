/* buffer_pool.h - large arrays that are used again instead of being given back.
 *
 * The system clears every page that it hands out, which for a heap of ten million objects
 * costs as much as a walk through it. A computation of several steps, whose arrays all
 * have about one size, therefore keeps those that a step is done with for the next one. A
 * {0} list is empty. */
#ifndef BUFFER_POOL_H
#define BUFFER_POOL_H

#include <stddef.h>

struct buffer_pool {
    struct buffer_pool_block {
        void *p;
        size_t size;
    } all[8];
    size_t len;
};

/* An array of count items: the smallest spare block that is large enough, or new memory.
 * Not cleared; to be given back with buffer_pool_give(), or to free(). */
void *buffer_pool_take(struct buffer_pool *s, size_t count, size_t item_size);

/* Keep an array of that many items for buffer_pool_take(). NULL is fine. */
void buffer_pool_give(struct buffer_pool *s, void *p, size_t count, size_t item_size);

void buffer_pool_free(struct buffer_pool *s);

#endif

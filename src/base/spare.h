/* spare.h - large arrays that are used again instead of being given back.
 *
 * The system clears every page that it hands out, which for a heap of ten million objects
 * costs as much as a walk through it. A computation of several steps, whose arrays all
 * have about one size, therefore keeps those that a step is done with for the next one. A
 * {0} list is empty. */
#ifndef SPARE_H
#define SPARE_H

#include <stddef.h>

struct spare {
    struct spare_block {
        void *p;
        size_t size;
    } all[8];
    size_t len;
};

/* An array of count items: the smallest spare block that is large enough, or new memory.
 * Not cleared; to be given back with spare_give(), or to free(). */
void *spare_take(struct spare *s, size_t count, size_t item_size);

/* Keep an array of that many items for spare_take(). NULL is fine. */
void spare_give(struct spare *s, void *p, size_t count, size_t item_size);

void spare_free(struct spare *s);

#endif

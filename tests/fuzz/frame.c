#define _GNU_SOURCE

#include "fuzz/frame.h"

#include <string.h>

struct frame frame_of(struct bytes input)
{
    struct frame f = {.count = 1};
    size_t head = input.size < FRAME_HEAD ? input.size : FRAME_HEAD;
    if (head > 0)
        memcpy(f.head, input.data, head);
    struct bytes rest = {head > 0 ? input.data + head : input.data, input.size - head};
    while (f.count < FRAME_PARTS && rest.size > 0) {
        const unsigned char *mark =
            memmem(rest.data, rest.size, FRAME_MARK, FRAME_MARK_SIZE);
        if (mark == NULL)
            break;
        size_t size = (size_t)(mark - rest.data);
        f.parts[f.count++ - 1] = (struct bytes){rest.data, size};
        rest.data = mark + FRAME_MARK_SIZE;
        rest.size -= size + FRAME_MARK_SIZE;
    }
    f.parts[f.count - 1] = rest;
    return f;
}

struct bytes frame_part(const struct frame *f, size_t i)
{
    static const unsigned char none[1];
    return i < f->count && f->parts[i].size > 0 ? f->parts[i] : (struct bytes){none, 0};
}

#define _GNU_SOURCE

#include "fuzz/mutate.h"

#include "fuzz/frame.h"
#include "fuzz/memory_of_types.h"

#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

/* --- dice -------------------------------------------------------------------------- */

uint64_t dice_next(struct dice *d)
{
    uint64_t z = d->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

size_t dice_below(struct dice *d, size_t count)
{
    return (size_t)(dice_next(d) % count);
}

uint64_t dice_number(struct dice *d, uint64_t now)
{
    uint64_t power = UINT64_C(1) << dice_below(d, 64);
    switch (dice_below(d, 8)) {
    case 0:
        return 0;
    case 1:
        return UINT64_MAX;
    case 2:
        return power;
    case 3:
        return power - 1;
    case 4:
        return dice_below(d, 16);
    case 5:
        return now ^ power;
    default:
        return now + dice_below(d, 9) - 4;
    }
}

/* --- pieces ------------------------------------------------------------------------ */

bool piece_replace(struct piece *p, size_t at, size_t size, const void *by, size_t by_size)
{
    if (p->size - size + by_size > p->capacity)
        return false;
    memmove(p->data + at + by_size, p->data + at + size, p->size - at - size);
    if (by_size > 0)
        memcpy(p->data + at, by, by_size);
    p->size += by_size - size;
    return true;
}

long piece_mutate(struct piece *p, size_t at, size_t size, bool may_grow)
{
    enum { GROWTH = 64 };
    size_t left = p->capacity - p->size, most = size + (left < GROWTH ? left : GROWTH);
    uint8_t *copy = malloc(most + 1);
    if (copy == NULL)
        abort();
    memcpy(copy, p->data + at, size);
    size_t now = LLVMFuzzerMutate(copy, size, may_grow && most > 0 ? most : size + !size);
    if (!may_grow)
        now = size;
    bool done = piece_replace(p, at, size, copy, now);
    free(copy);
    return done ? (long)now - (long)size : 0;
}

uint64_t piece_get(const struct piece *p, size_t at, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)p->data[at + i] << 8 * i;
    return value;
}

void piece_put(struct piece *p, size_t at, size_t size, uint64_t value)
{
    for (size_t i = 0; i < size; i++)
        p->data[at + i] = (uint8_t)(value >> 8 * i);
}

/* --- frames ------------------------------------------------------------------------ */

/* Adds a second snapshot, nearly equal to the first, as questions need it. */
static bool add_part(struct piece *whole, const struct frame *f, struct dice *d)
{
    struct bytes part = f->parts[dice_below(d, f->count)];
    uint8_t *copy = malloc(part.size + FRAME_MARK_SIZE);
    if (copy == NULL)
        abort();
    memcpy(copy, FRAME_MARK, FRAME_MARK_SIZE);
    memcpy(copy + FRAME_MARK_SIZE, part.data, part.size);
    bool done = piece_replace(whole, whole->size, 0, copy, FRAME_MARK_SIZE + part.size);
    free(copy);
    return done;
}

static bool drop_part(struct piece *whole, const struct frame *f, struct dice *d)
{
    struct bytes part = f->parts[1 + dice_below(d, f->count - 1)];
    size_t at = (size_t)(part.data - whole->data) - FRAME_MARK_SIZE;
    return piece_replace(whole, at, part.size + FRAME_MARK_SIZE, NULL, 0);
}

static bool any_format(struct piece *p, struct dice *d)
{
    return mutate_gcdump(p, d) || mutate_nettrace(p, d) || mutate_core(p, d) ||
           mutate_reply(p, d);
}

/* Changes a part in its own format, separately from the others. */
static bool change_part(struct piece *whole, const struct frame *f, struct dice *d)
{
    struct bytes part = f->parts[dice_below(d, f->count)];
    size_t at = (size_t)(part.data - whole->data);
    struct piece p = {.size = part.size,
                      .capacity = part.size + whole->capacity - whole->size};
    p.data = malloc(p.capacity + 1);
    if (p.data == NULL)
        abort();
    memcpy(p.data, part.data, part.size);
    bool done = any_format(&p, d) && piece_replace(whole, at, part.size, p.data, p.size);
    free(p.data);
    return done;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    struct dice d = {seed};
    struct piece whole = {data, size, most};
    struct frame f = frame_of((struct bytes){data, size});
    size_t throw = dice_below(&d, 16);
    bool done = false;
    if (size >= MEMORY_OF_TYPES_HEAD && memcmp(data, MEMORY_OF_TYPES, 8) == 0)
        done = mutate_memory(&whole, &d);
    else if (size <= FRAME_HEAD || f.parts[0].size == 0)
        done = false;
    else if (throw < 2)
        data[dice_below(&d, FRAME_HEAD)] = (uint8_t)dice_next(&d), done = true;
    else if (throw == 2 && f.count < FRAME_PARTS - 1)
        done = add_part(&whole, &f, &d);
    else if (throw == 3 && f.count > 1)
        done = drop_part(&whole, &f, &d);
    else if (throw < 14)
        done = change_part(&whole, &f, &d);
    return done ? whole.size : LLVMFuzzerMutate(data, size, most);
}

/* A core or minidump: nothing is moved, since everything is found by address. Words are
 * replaced by other words of the same core, so that pointers refer to something else, or by
 * boundary values (docs/formats/core-dump.md). */
#include "fuzz/mutate.h"

#include <string.h>

/* The approximate end of headers and notes in small ones. */
enum { HEADERS = 1400, MAX_CHANGES = 4, WINDOW = 48 };

static size_t place(struct dice *d, const struct piece *p, size_t step)
{
    size_t most = dice_below(d, 4) == 0 && p->size > HEADERS ? HEADERS : p->size;
    return dice_below(d, (most - 8) / step) * step;
}

/* An offset that is not zero: half of all memory is zeros, which are not read. */
static size_t used_place(struct dice *d, const struct piece *p)
{
    size_t at = place(d, p, 8);
    for (size_t tries = 0; tries < 8 && piece_get(p, at, 8) == 0; tries++)
        at = place(d, p, 8);
    return at;
}

static void change(struct piece *p, struct dice *d)
{
    size_t at = used_place(d, p);
    switch (dice_below(d, 6)) {
    case 0:
        piece_put(p, at, 8, piece_get(p, used_place(d, p), 8));
        break;
    case 1:
        piece_put(p, at, 8, piece_get(p, at, 8) + 8 * (uint64_t)dice_below(d, 64) - 256);
        break;
    case 2:
        piece_put(p, at, 8, dice_number(d, piece_get(p, at, 8)));
        break;
    case 3:
        at = place(d, p, 4);
        piece_put(p, at, 4, dice_number(d, piece_get(p, at, 4)));
        break;
    case 4:
        at = place(d, p, 2);
        piece_put(p, at, 2, dice_number(d, piece_get(p, at, 2)));
        break;
    default:
        piece_mutate(p, at, p->size - at < WINDOW ? p->size - at : WINDOW, false);
        break;
    }
}

bool mutate_core(struct piece *p, struct dice *d)
{
    return p->size >= 64 &&
           (memcmp(p->data, "\177ELF", 4) == 0 || memcmp(p->data, "MDMP", 4) == 0) &&
           mutate_memory(p, d);
}

bool mutate_memory(struct piece *p, struct dice *d)
{
    for (size_t n = 1 + dice_below(d, MAX_CHANGES); n > 0; n--)
        change(p, d);
    return true;
}

#include "collect/turns.h"

#include <stdlib.h>

/* Sockets per user and search: mute ones, which cost two seconds together, and all. A
 * machine has fewer. */
enum { MOST_LATE = 32, MOST_ASKED = 2000 };

static int by_owner(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;
    if (x->owner != y->owner)
        return x->owner < y->owner ? -1 : 1;
    return (x->which > y->which) - (x->which < y->which);
}

static int by_number(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->which > y->which) - (x->which < y->which);
}

struct turn *turns_of(const uint64_t *owners, size_t count, struct arena *arena)
{
    struct turn *all = arena_array(arena, struct turn, count);
    atomic_uint *late = arena_array(arena, atomic_uint, count);
    for (size_t i = 0; i < count; i++)
        all[i] = (struct turn){.which = i, .owner = owners[i]};
    if (count > 0)
        qsort(all, count, sizeof(*all), by_owner);
    for (size_t i = 0; i < count; i++) {
        bool is_first = i == 0 || all[i - 1].owner != all[i].owner;
        atomic_init(&late[i], 0);
        all[i].number = is_first ? 0 : all[i - 1].number + 1;
        all[i].late = is_first ? &late[i] : all[i - 1].late;
    }
    if (count > 0)
        qsort(all, count, sizeof(*all), by_number);
    return all;
}

bool turn_is_over(const struct turn *turn)
{
    return turn->number >= MOST_ASKED || atomic_load(turn->late) >= MOST_LATE;
}

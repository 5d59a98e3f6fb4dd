/* turns.h - in which order sockets and processes are asked, and when a user's have been
 * asked enough. */
#ifndef TURNS_H
#define TURNS_H

#include "base/arena.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A socket or process. The first of each owner is asked, then the second of each, and so
 * on. */
struct turn {
    size_t which; /* place among those given */
    uint64_t owner;
    size_t number;     /* among those of its owner, from 0 */
    atomic_uint *late; /* those of its owner that did not answer in time */
};

/* In the arena. */
struct turn *turns_of(const uint64_t *owners, size_t count, struct arena *arena);

/* Whether its owner has had its share of a search. */
bool turn_is_over(const struct turn *turn);

#endif

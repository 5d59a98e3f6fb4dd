/* synthetic.h - a made-up heap of any size, with the shape of a real one.
 *
 * As in real heaps: 1.6 references per object, most objects referred to once and a few
 * services by very many, sizes of 56 bytes in the median and some hundred at the 99th
 * percentile, one object each of most types and few types for most objects, some very long
 * arrays, some chains, 2 % unreachable.
 *
 * Randomness is a hash of (seed, purpose, object): an object does not depend on those
 * before it, so one step differs from the next only by the leak. */
#ifndef BENCH_SYNTHETIC_H
#define BENCH_SYNTHETIC_H

#include <stddef.h>
#include <stdint.h>

enum { SYNTHETIC_TYPES_MAX = 16 * 1024, SYNTHETIC_STATICS = 200 };

/* Groups of roots in real heaps. */
enum root_group {
    ROOTS_STATIC,
    ROOTS_STRONG,
    ROOTS_LOCAL,
    ROOTS_PINNING,
    ROOTS_FINALIZER,
    ROOTS_DEPENDENT,
    ROOT_GROUPS
};

struct root {
    uint32_t object;
    uint16_t group;
    uint16_t variable; /* static ones: 0 .. SYNTHETIC_STATICS; the last holds the leak */
};

struct heap {
    uint32_t count; /* of objects */
    uint16_t *type; /* per object */
    uint32_t *size; /* per object, bytes */

    /* References of object i: to[begin[i]] .. to[begin[i + 1]]. */
    uint32_t *begin, *to;

    struct root *roots;
    size_t root_count;

    char *type_names[SYNTHETIC_TYPES_MAX]; /* as dotnet-gcdump writes them */
    uint16_t type_count;
};

/* A heap of `objects` objects in the order of their allocation, and `leaked` more instances
 * of Bench.Leaked, with the list and the array that hold them. */
struct heap *synthetic_make(uint64_t seed, uint32_t objects, uint32_t leaked);
void synthetic_free(struct heap *h);

/* A pseudo-random number from a number. */
uint64_t synthetic_mix(uint64_t n);

#endif

/* reference - measures a plain pointer chase on a processor and its memory.
 *
 *     reference NODES WALKS
 *
 * NODES nodes of eight bytes, each with the number of the next, form one ring: in memory
 * order and in random order. Both are walked WALKS times, and each walk is a line
 *
 *     in_order|random SECONDS PROCESSOR_SECONDS
 *
 * without the time for building the rings. With NODES 0 the program is empty, which
 * measures its start. Memory is allocated as in heapdrift, so its pages have the same
 * size. */
#include "base/alloc.h"
#include "support/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Each step depends on the previous one; the result is used, so that a compiler cannot
 * remove them. */
static uint32_t walk(const uint64_t *next, uint32_t nodes)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < nodes; i++)
        at = next[at];
    return (uint32_t)at;
}

static void measure(const char *name, const uint64_t *next, uint32_t nodes, unsigned walks)
{
    for (unsigned i = 0; i < walks; i++) {
        double begin = seconds(CLOCK_MONOTONIC), used = seconds(CLOCK_PROCESS_CPUTIME_ID);
        uint32_t end = walk(next, nodes);
        used = seconds(CLOCK_PROCESS_CPUTIME_ID) - used;
        double took = seconds(CLOCK_MONOTONIC) - begin;
        if (end != 0) {
            fputs("reference: a ring that does not end where it begins\n", stderr);
            exit(1);
        }
        printf("%s %.6f %.6f\n", name, took, used);
    }
}

/* S. Sattolo, An algorithm to generate a random cyclic permutation, Information Processing
 * Letters 22 (1986), starting with every node in its place. */
static void shuffle_into_one_ring(uint64_t *next, uint32_t nodes)
{
    struct random r = random_from(18);
    for (uint32_t i = 0; i < nodes; i++)
        next[i] = i;
    for (uint32_t i = nodes - 1; i > 0; i--) {
        uint32_t other = random_below(&r, i);
        uint64_t held = next[i];
        next[i] = next[other];
        next[other] = held;
    }
}

int main(int argc, char **argv)
{
    uint64_t nodes = argc == 3 ? strtoull(argv[1], NULL, 10) : UINT64_MAX;
    if (nodes > UINT32_MAX) {
        fputs("usage: reference NODES WALKS, of at most 2^32 - 1 nodes\n", stderr);
        return 2;
    }
    if (nodes == 0)
        return 0;
    unsigned walks = (unsigned)strtoul(argv[2], NULL, 10);
    uint64_t *next = alloc_zeroed(array_bytes(nodes, sizeof(*next)));
    for (uint64_t i = 0; i < nodes; i++)
        next[i] = i + 1 < nodes ? i + 1 : 0;
    measure("in_order", next, (uint32_t)nodes, walks);
    shuffle_into_one_ring(next, (uint32_t)nodes);
    measure("random", next, (uint32_t)nodes, walks);
    free(next);
    return 0;
}

/* gc_regions.h - in which stretches of memory the objects of a heap lie.
 *
 * Regions and segments of all heaps, their frozen ones too, by address and disjoint; and
 * which generation is where. It must not know what an object looks like. */
#ifndef GC_REGIONS_H
#define GC_REGIONS_H

#include "format/core/gc_globals.h"
#include "format/core/gc_threads.h"
#include "heap/ranges.h"

/* Objects lie from start on, side by side, up to end. */
struct gc_region {
    uint64_t start, end;        /* multiples of 8 */
    const unsigned char *bytes; /* of them; NULL: in several pieces of memory */
    uint64_t missing;           /* bytes behind end that should be there */
};

/* Nothing lies from start to end: the rest of where a thread allocates. */
struct gc_gap {
    uint64_t start, end;
};

struct gc_regions {
    struct gc_region *all; /* by start, disjoint */
    size_t len;
    struct gc_gap *gaps; /* by start */
    size_t gap_count;
    struct ranges ranges; /* of generations */
    uint64_t missing;     /* bytes that are not in the dump */
    uint64_t overlapping; /* regions left out: they lie in others, or nowhere */
};

/* All of it lives in a. Lists that lead in circles or out of memory end there. */
struct gc_regions gc_regions_find(const struct gc_globals *g, const struct gc_threads *t,
                                  const struct memory *m, struct arena *a);

#endif

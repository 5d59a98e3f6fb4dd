/* gc_globals.h - where the collector of a .NET process keeps its heap.
 *
 * The collector lists its own globals for debuggers (GcDacVars, gcinterface.dac.h), in an
 * order that only grows at its end. A server collector has several heaps, the workstation's
 * has one; each has five generations, which are lists of regions or, in older collectors,
 * of segments. docs/formats/core-dump.md. */
#ifndef GC_GLOBALS_H
#define GC_GLOBALS_H

#include "process/runtime.h"

/* Generations of a heap: 0, 1, 2, large objects, pinned objects. */
enum { GC_GENERATIONS = 5, GC_LARGE = 3, GC_PINNED = 4 };

/* Addresses of one heap's parts. */
struct gc_part {
    uint64_t generations;       /* the table of them */
    uint64_t ephemeral_segment; /* in which objects are allocated */
    uint64_t allocated;         /* where they end in that one */
    uint64_t finalizers;        /* the queue; 0: none */
};

struct gc_globals {
    struct gc_part *parts;
    size_t part_count;
    uint64_t generation_size;
    /* of a generation; allocation_start only where heaps consist of segments */
    uint32_t allocation_at, start_segment_at, allocation_start_at;
    bool has_segments;
    uint64_t handle_map; /* address of the map of handle tables */
};

/* The only one of count addresses of globals at table that holds the pointer to GcDacVars;
 * 0 if there is none, or several. */
uint64_t gc_globals_find(const struct memory *m, uint64_t table, unsigned count);

/* The address of the collector's gc_structures_invalid_cnt, by that of GcDacVars; 0
 * unknown.
 */
uint64_t gc_count_address(const struct memory *m, uint64_t gc);

/* Whether the collector says that the heap may be walked (that count is 0): a proof, where
 * anything else is none of the contrary. */
bool gc_heap_is_valid(const struct runtime *r);

/* parts live in a. False and err, HD_UNSUPPORTED, if the globals cannot be had; parts has
 * those that are there all the same. */
bool gc_globals_read(struct gc_globals *g, const struct runtime *r, struct arena *a,
                     struct hd_error *err);

#endif

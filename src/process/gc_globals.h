/* gc_globals.h - where the collector of a .NET process keeps its heap, and its threads.
 *
 * The collector lists its own globals for debuggers (GcDacVars, gcinterface.dac.h), in an
 * order that only grows at its end. A server collector has several heaps, the workstation's
 * has one; each has five generations, which are lists of regions or, in older collectors,
 * of segments. docs/formats/core-dump.md. */
#ifndef GC_GLOBALS_H
#define GC_GLOBALS_H

#include "process/runtime.h"

/* --- threads ------------------------------------------------------------------- */

/* The managed threads of a .NET process.
 *
 * Each allocates in a piece of the heap of its own, the rest of which holds no objects. */

struct gc_thread {
    uint64_t os_id;                                /* 0: not known */
    uint64_t allocation_pointer, allocation_limit; /* 0: it has none */
    uint64_t stack_base; /* where its stack ends, upwards; 0: not known */
    uint64_t data;       /* its ThreadLocalData; of .NET 8 its ThreadLocalBlock; 0: none */
    uint64_t statics;    /* the array that has its thread statics; 0: none, or not known */
};

struct gc_threads {
    struct gc_thread *all; /* in the order of the runtime's list */
    size_t len;
    bool whole; /* the list ended as it should */
};

/* The result lives in a. A list that leads in a circle or out of memory ends there. */
struct gc_threads gc_threads_read(const struct runtime *r, struct arena *a);

/* --- heaps --------------------------------------------------------------------- */

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

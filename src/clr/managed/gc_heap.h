/* gc_heap.h - the objects of a .NET heap: their addresses and references.
 *
 * Objects are adjacent in regions; each begins with its MethodTable, which determines its
 * length. They are numbered by address. A bit per 8 bytes of the heap marks the start of an
 * object, so that the number of an address is found by counting bits: 1/32 of the heap.
 * Read-only and thread-safe after the walk.
 *
 * The heap of a stopped process has holes, where threads were allocating objects. The walk
 * continues after them. Old content of a hole may look like an object and extend too far:
 * then objects after it are missing, and references to them are unresolved.
 *
 * With any memory content, a walk ends, stays inside, and counts no byte twice. */
#ifndef GC_HEAP_H
#define GC_HEAP_H

#include "clr/managed/clr_types.h"
#include "heap/builder.h"
#include "heap/graph.h"
#include "heap/ids.h"

/* --- references ---------------------------------------------------------------- */

/* Offsets of the references in objects of a type.
 *
 * Each MethodTable whose objects have references is preceded by the collector's list
 * (gcdesc.h): runs of pointers, or for arrays of structs the pointers and gaps of an
 * element. It is parsed and checked once per type, so that the walk of an object stays
 * inside, and its time is limited by the object's size. */

enum gc_shape {
    GC_NO_REFERENCES,
    GC_RUNS,     /* the same in every object */
    GC_ARRAY,    /* of references */
    GC_ELEMENTS, /* an array of structs: runs from the start of an element */
    GC_DAMAGED   /* an invalid list */
};

/* count pointers, from an offset. */
struct gc_run {
    uint32_t offset, count;
};

struct gc_descriptor {
    enum gc_shape shape;
    uint32_t first;      /* of arrays: offset of the first element */
    uint32_t element;    /* bytes of an element */
    struct gc_run *runs; /* in the collector's order */
    uint32_t run_count;
    uint32_t pointers; /* in all runs */
};

/* Reads the list of a type whose objects have base_size bytes, and component_size more per
 * element (0: no array). runs are in a; their number is at most an eighth of base or
 * component size. */
struct gc_descriptor gc_descriptor_read(const struct memory *m, uint64_t method_table,
                                        uint32_t base_size, uint32_t component_size,
                                        struct arena *a);

/* Calls walk(context, offset, number) for every pointer of an object with that size; number
 * is the index of the pointer in runs, 0 for arrays of references. Inlined, as it is the
 * inner loop over a heap. */
static inline __attribute__((always_inline)) void
gc_descriptor_walk(const struct gc_descriptor *d, uint64_t size,
                   void (*walk)(void *context, uint64_t offset, uint32_t number),
                   void *context)
{
    uint64_t end = size - 8; /* the last 8 bytes are the next object's header */
    uint64_t step = d->element, start = 0;
    if (d->shape == GC_ARRAY) {
        for (uint64_t at = d->first; at + 8 <= end; at += 8)
            walk(context, at, 0);
        return;
    }
    if (d->shape == GC_ELEMENTS)
        start = d->first;
    else if (d->shape == GC_RUNS)
        step = end;
    else
        return;
    for (; start + step <= end; start += step) {
        uint32_t number = 0;
        for (uint32_t i = 0; i < d->run_count; i++)
            for (uint32_t k = 0; k < d->runs[i].count; k++)
                walk(context, start + d->runs[i].offset + 8 * (uint64_t)k, number++);
    }
}

/* --- regions ------------------------------------------------------------------- */

/* Memory areas of a heap's objects.
 *
 * Regions and segments of all heaps, frozen ones too, by address and disjoint; and their
 * generations. Must not depend on the structure of objects. */

/* 64 places of 8 bytes, and the number of objects that begin before them. */
struct gc_places {
    uint64_t bits;
    uint32_t before;
};

/* Adjacent objects from start to end. */
struct gc_region {
    uint64_t start, end;        /* multiples of 8 */
    const unsigned char *bytes; /* contents; NULL: in several pieces of memory */
    uint64_t missing;           /* missing bytes after end */
    struct gc_places *places;   /* NULL without a graph */
};

/* No objects from start to end: the unused rest of a thread's allocation context. */
struct gc_gap {
    uint64_t start, end;
};

struct gc_regions {
    struct gc_region *all; /* by start, disjoint */
    size_t len;
    struct gc_gap *gaps; /* by start */
    size_t gap_count;
    struct gc_gap *pending; /* the same for large objects that threads were allocating */
    size_t pending_count;
    struct ranges ranges; /* of generations */
    uint64_t missing;     /* bytes that are not in the dump */
    uint64_t overlapping; /* dropped regions: overlapping, or invalid */
};

/* --- objects ------------------------------------------------------------------- */

/* A MethodTable of objects. */
struct gc_type {
    const struct clr_type *clr; /* NULL: free space, which is not an object */
    uint64_t method_table;
    uint32_t base_size, component_size; /* bytes; per element, 0: not an array */
    uint32_t built_as;                  /* its number in the builder */
    struct gc_descriptor refers;
    node_id keeps;                 /* LoaderAllocator of a collectible type; NO_NODE */
    struct hd_tally met;           /* objects not yet counted by the builder */
    enum hd_generation generation; /* of the objects in met */
    struct hd_tally next_to_free;  /* objects after large free blocks; bytes of blocks */
};

enum { GC_RECENT_TYPES = 256 };

struct gc_heap {
    const struct runtime *runtime;
    struct clr_types *clr;
    struct builder *builder;
    struct arena *arena;
    struct gc_regions regions;

    struct gc_type *types;
    size_t type_count, type_cap;
    struct id_numbers type_numbers;   /* by MethodTable */
    uint32_t recent[GC_RECENT_TYPES]; /* numbers of recent types, plus 1 */
    uint32_t first_built;             /* number of the builder's first type */
    uint32_t *types_built;            /* numbers of types, by number in the builder */
    size_t built_count, built_cap;

    unsigned char *addresses; /* 8 bytes each, little-endian, by number */
    node_id count;            /* of objects */

    uint64_t unread;              /* non-empty bytes of regions outside objects */
    uint64_t unread_at;           /* address of the first */
    struct hd_process_facts free; /* space between objects */
    uint64_t damaged_types;       /* types with unknown references */
};

/* Finds the regions; data of h other than the large arrays is in a. */
void gc_heap_open(struct gc_heap *h, const struct runtime *r, const struct gc_globals *g,
                  const struct gc_threads *threads, struct clr_types *clr,
                  struct builder *b, struct arena *a);

/* Walks all objects: each becomes a node of h->builder, or is only counted without a graph.
 * False and err if the first one is already invalid. */
bool gc_heap_walk(struct gc_heap *h, struct hd_error *err);

/* Returns the first region that ends after an address; NULL. */
const struct gc_region *gc_region_from(const struct gc_regions *regions, uint64_t address);

/* True if an address is in a region. */
bool gc_heap_has(const struct gc_heap *h, uint64_t address);

/* Finds the object at an address, or NO_NODE. O(log regions). */
node_id gc_heap_find(const struct gc_heap *h, uint64_t address);

/* Does the same, trying *near first; NULL: any. *near becomes the region of the address. */
node_id gc_heap_find_near(const struct gc_heap *h, const struct gc_region **near,
                          uint64_t address);

/* Finds the object that contains an address, not counting its header. */
node_id gc_heap_containing(const struct gc_heap *h, uint64_t address);

static inline uint64_t gc_heap_address(const struct gc_heap *h, node_id n)
{
    return le_u64(h->addresses + 8 * (size_t)n);
}

static inline const struct gc_type *gc_heap_type(const struct gc_heap *h, node_id n)
{
    return &h->types[h->types_built[h->builder->graph->type[n] - h->first_built]];
}

/* Frees data that is needed only to build a graph: addresses can then not be found any
 * more, nor types by number. */
void gc_heap_forget_places(struct gc_heap *h);

void gc_heap_close(struct gc_heap *h);

#endif

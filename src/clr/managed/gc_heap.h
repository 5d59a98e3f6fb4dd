/* gc_heap.h - the objects of a .NET heap: which there are, where, and what they refer to.
 *
 * Objects lie side by side in regions; each begins with its MethodTable, which tells how
 * long it is. They are numbered by address. A bit for every 8 bytes of the heap says where
 * one begins, so that the number of an address is found by counting bits: 1/32 of the heap.
 * Once walked it is read only, and several threads may look.
 *
 * A process that stands still has holes in its heap, where threads were about to make
 * objects. The walk goes on behind them. What lay in one before may pass for an object and
 * reach too far: then objects are missing behind it, and something refers to no object.
 *
 * Whatever the memory says, a walk ends, stays inside, and counts no byte twice. */
#ifndef GC_HEAP_H
#define GC_HEAP_H

#include "clr/managed/clr_types.h"
#include "heap/builder.h"
#include "heap/graph.h"
#include "heap/ids.h"

/* --- references ---------------------------------------------------------------- */

/* Where in an object of a type its references stand.
 *
 * In front of each MethodTable whose objects have references is the collector's list of
 * them (gcdesc.h): runs of pointers, or for arrays of structs the pointers and gaps of one
 * element. It is taken apart once per type and checked, so that walking an object can
 * neither leave it nor take longer than it is large. */

enum gc_shape {
    GC_NO_REFERENCES,
    GC_RUNS,     /* the same in every object */
    GC_ARRAY,    /* of references */
    GC_ELEMENTS, /* an array of structs: runs from the start of an element */
    GC_DAMAGED   /* no such list can be */
};

/* count pointers, from offset on. */
struct gc_run {
    uint32_t offset, count;
};

struct gc_descriptor {
    enum gc_shape shape;
    uint32_t first;      /* of arrays: offset of the first element */
    uint32_t element;    /* bytes of one */
    struct gc_run *runs; /* in the order in which the collector walks them */
    uint32_t run_count;
    uint32_t pointers; /* in all runs */
};

/* Of a type whose objects have base_size bytes, and component_size more per element (0: no
 * array). runs live in a; their number is at most an eighth of base or component size. */
struct gc_descriptor gc_descriptor_read(const struct memory *m, uint64_t method_table,
                                        uint32_t base_size, uint32_t component_size,
                                        struct arena *a);

/* Calls for every pointer of an object of that many bytes: walk(context, offset, number),
 * number being that of the pointer in runs, 0 for arrays of references. Inlined, as it is
 * the inner loop over a heap. */
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

/* In which stretches of memory the objects of a heap lie.
 *
 * Regions and segments of all heaps, their frozen ones too, by address and disjoint; and
 * which generation is where. It must not know what an object looks like. */

/* 64 places of 8 bytes, and how many objects begin in front of them. */
struct gc_places {
    uint64_t bits;
    uint32_t before;
};

/* Objects lie from start on, side by side, up to end. */
struct gc_region {
    uint64_t start, end;        /* multiples of 8 */
    const unsigned char *bytes; /* of them; NULL: in several pieces of memory */
    uint64_t missing;           /* bytes behind end that should be there */
    struct gc_places *places;   /* NULL if no graph is wanted */
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
    struct gc_gap *pending; /* the same of large objects that threads were about to make */
    size_t pending_count;
    struct ranges ranges; /* of generations */
    uint64_t missing;     /* bytes that are not in the dump */
    uint64_t overlapping; /* regions left out: they lie in others, or nowhere */
};

/* --- objects ------------------------------------------------------------------- */

/* What is known of a MethodTable. */
struct gc_type {
    const struct clr_type *clr; /* NULL: free space, which is no object */
    uint64_t method_table;
    uint32_t base_size, component_size; /* bytes; per element, 0 if it is no array */
    uint32_t built_as;                  /* by the builder */
    struct gc_descriptor refers;
    node_id keeps;                 /* its LoaderAllocator, of collectible types; NO_NODE */
    struct hd_tally met;           /* objects that the builder has yet to count */
    enum hd_generation generation; /* theirs */
    struct hd_tally beside_free;   /* objects behind large free blocks; bytes of these */
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
    uint32_t recent[GC_RECENT_TYPES]; /* numbers of types met last, plus 1 */
    uint32_t first_built;             /* number of the builder's first type */
    uint32_t *types_built;            /* numbers of types, by that of the builder's */
    size_t built_count, built_cap;

    unsigned char *addresses; /* 8 bytes each, little-endian, by number */
    node_id count;            /* of objects */

    uint64_t unread;              /* bytes of regions that are neither objects nor empty */
    uint64_t unread_at;           /* the first of them */
    struct hd_process_facts free; /* space between objects */
    uint64_t damaged_types;       /* whose references cannot be told */
};

/* Find the regions; what h keeps beside the large arrays lives in a. */
void gc_heap_open(struct gc_heap *h, const struct runtime *r, const struct gc_globals *g,
                  const struct gc_threads *threads, struct clr_types *clr,
                  struct builder *b, struct arena *a);

/* Walk all objects: each becomes a node of h->builder, or is counted if it wants no graph.
 * False and err where the first of them is none already. */
bool gc_heap_walk(struct gc_heap *h, struct hd_error *err);

/* The first region that ends behind an address; NULL. */
const struct gc_region *gc_region_from(const struct gc_regions *regions, uint64_t address);

/* Whether an address lies in a region. */
bool gc_heap_has(const struct gc_heap *h, uint64_t address);

/* The object that begins at an address, or NO_NODE. O(log regions). */
node_id gc_heap_find(const struct gc_heap *h, uint64_t address);

/* The same where it is likely in that region; NULL: any. *near becomes the one it is in. */
node_id gc_heap_find_near(const struct gc_heap *h, const struct gc_region **near,
                          uint64_t address);

/* The one that contains it, but for its header. */
node_id gc_heap_containing(const struct gc_heap *h, uint64_t address);

static inline uint64_t gc_heap_address(const struct gc_heap *h, node_id n)
{
    return le_u64(h->addresses + 8 * (size_t)n);
}

static inline const struct gc_type *gc_heap_type(const struct gc_heap *h, node_id n)
{
    return &h->types[h->types_built[h->builder->graph->type[n] - h->first_built]];
}

/* What is only needed while a graph is built: neither addresses can be found any more, nor
 * types by number. */
void gc_heap_forget_places(struct gc_heap *h);

void gc_heap_close(struct gc_heap *h);

#endif

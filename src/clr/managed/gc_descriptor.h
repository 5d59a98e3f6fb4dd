/* gc_descriptor.h - where in an object of a type its references stand.
 *
 * In front of each MethodTable whose objects have references is the collector's list of
 * them (gcdesc.h): runs of pointers, or for arrays of structs the pointers and gaps of one
 * element. It is taken apart once per type and checked, so that walking an object can
 * neither leave it nor take longer than it is large. */
#ifndef GC_DESCRIPTOR_H
#define GC_DESCRIPTOR_H

#include "base/arena.h"
#include "clr/process/memory.h"

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

#endif

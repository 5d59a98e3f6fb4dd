/* gc_handles.h - the handles of a .NET process: what keeps objects alive by hand.
 *
 * They stand in tables, one per heap of the collector, which consist of segments of 64 KiB
 * (handletablepriv.h). It must not know what an object is. */
#ifndef GC_HANDLES_H
#define GC_HANDLES_H

#include "format/core/gc_globals.h"

/* The runtime's numbers (gcinterface.h). */
enum gc_handle_kind {
    GC_HANDLE_WEAK = 0,
    GC_HANDLE_WEAK_LONG = 1,
    GC_HANDLE_STRONG = 2,
    GC_HANDLE_PINNED = 3,
    GC_HANDLE_REF_COUNTED = 5,
    GC_HANDLE_DEPENDENT = 6,
    GC_HANDLE_ASYNC_PINNED = 7,
    GC_HANDLE_SIZED_REF = 8
};

struct gc_handle {
    unsigned kind;      /* enum gc_handle_kind, or one that is none of them */
    uint64_t object;    /* never 0 */
    uint64_t secondary; /* of a dependent one: what object keeps alive; or 0 */
};

/* Calls take for each, always in the same order. Every segment is looked at once. */
void gc_handles_each(const struct gc_globals *g, const struct memory *m,
                     void (*take)(void *context, const struct gc_handle *h), void *context);

#endif

/* gc_pending.h - large objects that threads were about to make when the process stood
 * still, as far as their stacks tell.
 *
 * For an object that is larger than the piece of its thread the collector fills in an
 * allocation context on the stack (alloc_context in gcinterface.h: pointer, limit, bytes),
 * lets others allocate, and clears the room: until that is done what lay there before
 * stands in the rest of it. */
#ifndef GC_PENDING_H
#define GC_PENDING_H

#include "format/core/gc_heap.h"

/* Where each of them will be, by start, in a: what looks like such a context, so perhaps
 * also one that was left there. */
void gc_pending_find(struct gc_regions *regions, const struct process_image *p,
                     const struct gc_threads *threads, struct arena *a);

/* The first of those that begin at an address, or behind it: a number. */
size_t gc_pending_from(const struct gc_regions *regions, uint64_t start);

#endif

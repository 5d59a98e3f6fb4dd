/* gc_collectible.h - types that can be unloaded, and what they keep alive.
 *
 * An object of such a type keeps its LoaderAllocator alive, an object of the runtime, and
 * the collector treats that as its first reference. The runtime's own pointer to it is told
 * nowhere, but the way back is: LoaderAllocator.m_scout leads to a LoaderAllocatorScout,
 * whose m_nativeLoaderAllocator is what modules point to. */
#ifndef GC_COLLECTIBLE_H
#define GC_COLLECTIBLE_H

#include "format/core/gc_heap.h"

/* Set gc_type.keeps of all collectible types whose LoaderAllocator can be found. */
void gc_collectible_find(struct gc_heap *h);

#endif

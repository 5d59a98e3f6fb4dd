/* gc_finalizers.h - objects that wait for their finalizer. */
#ifndef GC_FINALIZERS_H
#define GC_FINALIZERS_H

#include "format/core/gc_globals.h"

/* Calls take for every object that nothing else need hold, as its finalizer is due. Those
 * that merely have one are not: it is registered, and holds nothing. */
void gc_finalizers_each(const struct gc_globals *g, const struct memory *m,
                        void (*take)(void *context, uint64_t object), void *context);

#endif

/* gc_stacks.h - what stacks and registers of threads may refer to.
 *
 * Nothing in a dump says which words of a stack are references, so each may be one: what
 * does not lead into an object is none, what does keeps it alive. A few objects more stay
 * alive that way than the runtime would keep. */
#ifndef GC_STACKS_H
#define GC_STACKS_H

#include "format/core/gc_threads.h"

/* Calls take for every word but 0: registers, then the stack upwards, thread by thread. Of
 * managed threads only, where these are known. */
void gc_stacks_each(const struct process_image *p, const struct gc_threads *threads,
                    void (*take)(void *context, uint64_t word), void *context);

#endif

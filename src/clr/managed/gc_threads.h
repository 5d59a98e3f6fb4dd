/* gc_threads.h - the managed threads of a .NET process, and the words of their stacks.
 *
 * Each thread allocates in a piece of the heap, the rest of which has no objects. A dump
 * does not show which words of a stack are references, so each may be one. Must not depend
 * on objects. */
#ifndef GC_THREADS_H
#define GC_THREADS_H

#include "clr/process/runtime.h"

struct gc_thread {
    uint64_t os_id;                                /* 0: unknown */
    uint64_t allocation_pointer, allocation_limit; /* or 0 */
    uint64_t stack_base;                           /* upper end of its stack; 0: unknown */
    uint64_t data;    /* its ThreadLocalData; on .NET 8 its ThreadLocalBlock; or 0 */
    uint64_t statics; /* array of its thread statics; 0: missing or unknown */
};

struct gc_threads {
    struct gc_thread *all; /* in the order of the runtime's list */
    size_t len;
    bool whole; /* the list was complete */
};

/* Reads the threads; allocated in a. Lists with cycles or invalid pointers are cut
 * there. */
struct gc_threads gc_threads_read(const struct runtime *r, struct arena *a);

/* at: address of the word; 0 for a register. */
typedef void word_taker(void *context, uint64_t word, uint64_t at);

/* Calls take for every word except 0: registers, then the stack upwards, per thread. Only
 * for managed threads, if these are known. */
void gc_stacks_each(const struct process_image *p, const struct gc_threads *threads,
                    word_taker *take, void *context);

#endif

/* gc_threads.h - the managed threads of a .NET process.
 *
 * Each allocates in a piece of the heap of its own, the rest of which holds no objects. */
#ifndef GC_THREADS_H
#define GC_THREADS_H

#include "process/runtime.h"

struct gc_thread {
    uint64_t os_id;                                /* 0: not known */
    uint64_t allocation_pointer, allocation_limit; /* 0: it has none */
};

struct gc_threads {
    struct gc_thread *all; /* in the order of the runtime's list */
    size_t len;
    bool whole; /* the list ended as it should */
};

/* The result lives in a. A list that leads in a circle or out of memory ends there. */
struct gc_threads gc_threads_read(const struct runtime *r, struct arena *a);

#endif

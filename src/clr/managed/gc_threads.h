/* gc_threads.h - the managed threads of a .NET process, and the words of their stacks.
 *
 * Each allocates in a piece of the heap of its own, the rest of which holds no objects.
 * Nothing in a dump says which words of a stack are references, so each may be one. It must
 * not know what an object is. */
#ifndef GC_THREADS_H
#define GC_THREADS_H

#include "clr/process/runtime.h"

struct gc_thread {
    uint64_t os_id;                                /* 0: not known */
    uint64_t allocation_pointer, allocation_limit; /* 0: it has none */
    uint64_t stack_base; /* where its stack ends, upwards; 0: not known */
    uint64_t data;       /* its ThreadLocalData; of .NET 8 its ThreadLocalBlock; 0: none */
    uint64_t statics;    /* the array that has its thread statics; 0: none, or not known */
};

struct gc_threads {
    struct gc_thread *all; /* in the order of the runtime's list */
    size_t len;
    bool whole; /* the list ended as it should */
};

/* The result lives in a. A list that leads in a circle or out of memory ends there. */
struct gc_threads gc_threads_read(const struct runtime *r, struct arena *a);

/* at: where the word stands; 0 of a register. */
typedef void word_taker(void *context, uint64_t word, uint64_t at);

/* Calls take for every word but 0: registers, then the stack upwards, thread by thread. Of
 * managed threads only, where these are known. */
void gc_stacks_each(const struct process_image *p, const struct gc_threads *threads,
                    word_taker *take, void *context);

#endif

#include "format/core/gc_finalizers.h"

/* A queue is one array in parts: one for each generation, then what is due, first the
 * critical ones. Where each part ends stands in front of the pointer to the array. */
enum { POINTER = 8, PARTS = GC_GENERATIONS + 2, LAST_REGISTERED = GC_GENERATIONS - 1 };

static void take_queue(const struct memory *m, uint64_t queue, uint64_t *left,
                       void (*take)(void *context, uint64_t object), void *context)
{
    bool ok = true;
    uint64_t begin = memory_u64(m, queue + POINTER * (uint64_t)LAST_REGISTERED, &ok),
             end = memory_u64(m, queue + POINTER * (uint64_t)(PARTS - 1), &ok);
    for (uint64_t at = begin; ok && at < end && end - at >= POINTER && *left > 0;
         at += POINTER, --*left) {
        uint64_t object = memory_u64(m, at, &ok);
        if (ok && object != 0)
            take(context, object);
    }
}

void gc_finalizers_each(const struct gc_globals *g, const struct memory *m,
                        void (*take)(void *context, uint64_t object), void *context)
{
    /* Queues share nothing, so there are no more than words of memory. */
    uint64_t left = 0;
    for (size_t i = 0; i < m->len; i++)
        left += m->all[i].size / POINTER;
    for (size_t i = 0; i < g->part_count; i++)
        if (g->parts[i].finalizers != 0)
            take_queue(m, g->parts[i].finalizers, &left, take, context);
}

#include "format/core/gc_threads.h"

#include "heap/ids.h"

#include <stdlib.h>
#include <string.h>

static struct gc_thread read_thread(const struct runtime *r, uint64_t thread)
{
    const struct memory *m = &r->image->memory;
    const struct runtime_layout *at = &r->at;
    struct gc_thread t = {0};
    bool ok = true;
    if (at->thread.os_id != RUNTIME_NO_OFFSET)
        t.os_id = memory_u64(m, thread + at->thread.os_id, &ok);
    if (at->allocation.pointer == RUNTIME_NO_OFFSET ||
        at->thread.locals == RUNTIME_NO_OFFSET)
        return t;
    ok = true;
    uint64_t locals = memory_u64(m, thread + at->thread.locals, &ok);
    uint64_t context = locals + at->allocation.alloc_context + at->allocation.gc_context;
    uint64_t pointer = memory_u64(m, context + at->allocation.pointer, &ok),
             limit = memory_u64(m, context + at->allocation.limit, &ok);
    if (ok && pointer != 0 && pointer <= limit) {
        t.allocation_pointer = pointer;
        t.allocation_limit = limit;
    }
    return t;
}

struct gc_threads gc_threads_read(const struct runtime *r, struct arena *a)
{
    const struct memory *m = &r->image->memory;
    struct gc_threads threads = {.whole = true};
    struct gc_thread *all = NULL;
    struct id_numbers seen = {0};
    size_t len = 0, cap = 0;
    uint64_t link =
        memory_u64(m, r->thread_store + r->at.thread_store.first_link, &threads.whole);
    while (threads.whole && link != 0) {
        threads.whole = id_numbers_find(&seen, link) == NO_ID;
        if (!threads.whole)
            break;
        id_numbers_add(&seen, link);
        uint64_t next = memory_u64(m, link, &threads.whole);
        if (!threads.whole)
            break;
        all = grow(all, len, &cap, sizeof(*all));
        all[len++] = read_thread(r, link - r->at.thread.link);
        link = next;
    }
    threads.all = arena_array(a, struct gc_thread, len);
    threads.len = len;
    if (len > 0)
        memcpy(threads.all, all, len * sizeof(*all));
    free(all);
    id_numbers_free(&seen);
    return threads;
}

#include "clr/managed/gc_threads.h"

#include "heap/ids.h"

#include <stdlib.h>
#include <string.h>

/* The arrays of collectible types have handles of their own. .NET 8 has a ThreadLocalBlock
 * instead, which is a member of its Thread. */
static struct gc_thread read_thread(const struct runtime *r, uint64_t thread)
{
    const struct memory *m = &r->image->memory;
    const struct runtime_layout *at = &r->at;
    struct gc_thread t = {.os_id = 0};
    bool ok = true;
    if (runtime_is_8(r))
        t.data = thread + at->thread_local_block;
    else if (at->thread_static_data != RUNTIME_NO_OFFSET)
        t.data = memory_u64(m, thread + at->thread_static_data, NULL);
    if (!runtime_is_8(r) && t.data != 0 && at->thread_local_data_items != RUNTIME_NO_OFFSET)
        t.statics = memory_u64(m, t.data + at->thread_local_data_items, NULL);
    if (at->thread_os_id != RUNTIME_NO_OFFSET)
        t.os_id = memory_u64(m, thread + at->thread_os_id, NULL);
    if (at->thread_stack_base != RUNTIME_NO_OFFSET)
        t.stack_base = memory_u64(m, thread + at->thread_stack_base, NULL);
    uint64_t context = thread + at->thread_alloc_context;
    if (at->thread_locals != RUNTIME_NO_OFFSET)
        context = memory_u64(m, thread + at->thread_locals, &ok) +
                  at->allocation_alloc_context + at->allocation_gc_context;
    uint64_t pointer = memory_u64(m, context + at->allocation_pointer, &ok),
             limit = memory_u64(m, context + at->allocation_limit, &ok);
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
        memory_u64(m, r->thread_store + r->at.thread_store_first_link, &threads.whole);
    while (threads.whole && link != 0) {
        threads.whole = id_numbers_find(&seen, link) == NO_ID;
        if (!threads.whole)
            break;
        id_numbers_add(&seen, link);
        uint64_t thread = runtime_linked_thread(r, link);
        link = memory_u64(m, thread + r->at.thread_link, &threads.whole);
        if (!threads.whole)
            break;
        all = grow(all, len, &cap, sizeof(*all));
        all[len++] = read_thread(r, thread);
    }
    threads.all = arena_take_array(a, all, len, sizeof(*all), NULL);
    threads.len = len;
    id_numbers_free(&seen);
    return threads;
}

/* --- stacks and registers ------------------------------------------------------- */

/* The C library, glibc or musl, places the target of the thread pointer on top of a
 * thread's stack: other memory follows. The main thread differs. Without a thread pointer,
 * as in dumps by createdump on aarch64, the runtime has the end of the stack (base); else
 * it ends with its mapping. left: limit of bytes for all stacks, the size of the memory,
 * since stacks of a process are disjoint. */
static void visit_thread(const struct process_image *p, const struct image_thread *t,
                         uint64_t base, uint64_t *left, word_taker *take, void *context)
{
    enum { WORD = 8 };
    for (unsigned i = 0; i < p->processor->registers; i++)
        if (t->registers[i] != 0)
            take(context, t->registers[i], 0);
    uint64_t start = (t->registers[p->processor->stack_pointer] + WORD - 1) / WORD * WORD;
    struct bytes stack = memory_from(&p->memory, start);
    uint64_t end = start + stack.size,
             top = t->thread_pointer != 0 ? t->thread_pointer : base;
    if (top > start && top < end)
        end = top;
    memory_hold(&p->memory, start, end - start);
    for (uint64_t at = start; end - at >= WORD && *left >= WORD; at += WORD) {
        uint64_t word = le_u64(stack.data + (at - start));
        *left -= WORD;
        if (word != 0)
            take(context, word, at);
    }
}

/* Selects managed threads by system ids. For a process in another pid namespace a debugger
 * writes different ids. */
void gc_stacks_each(const struct process_image *p, const struct gc_threads *threads,
                    word_taker *take, void *context)
{
    struct id_numbers ids = {0};
    uint64_t *bases = alloc_zeroed(array_bytes(threads->len, sizeof(*bases))), left = 0;
    bool known = threads->whole && threads->len > 0, any = false;
    for (size_t i = 0; i < p->memory.len; i++)
        left += p->memory.all[i].size;
    for (size_t i = 0; known && i < threads->len; i++) {
        known = threads->all[i].os_id != 0;
        if (known)
            bases[id_numbers_add(&ids, threads->all[i].os_id)] = threads->all[i].stack_base;
    }
    for (size_t i = 0; i < p->thread_count; i++)
        any |= id_numbers_find(&ids, p->threads[i].id) != NO_ID;
    for (size_t i = 0; i < p->thread_count; i++) {
        uint32_t n = id_numbers_find(&ids, p->threads[i].id);
        if (!(known && any) || n != NO_ID)
            visit_thread(p, &p->threads[i], n != NO_ID ? bases[n] : 0, &left, take,
                         context);
    }
    id_numbers_free(&ids);
    free(bases);
}

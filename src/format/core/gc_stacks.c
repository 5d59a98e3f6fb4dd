#include "format/core/gc_stacks.h"

#include "heap/ids.h"

enum { WORD = 8 };

static bool are_known(const struct gc_threads *threads, struct id_numbers *managed)
{
    bool known = threads->whole && threads->len > 0;
    for (size_t i = 0; known && i < threads->len; i++) {
        known = threads->all[i].os_id != 0;
        if (known)
            id_numbers_add(managed, threads->all[i].os_id);
    }
    return known;
}

/* Of a process in another pid namespace a debugger writes ids that the process does not
 * know. */
static bool has_any(const struct process_image *p, const struct id_numbers *managed)
{
    for (size_t i = 0; i < p->thread_count; i++)
        if (id_numbers_find(managed, p->threads[i].id) != NO_ID)
            return true;
    return false;
}

/* The C library puts what fs points to on top of a thread's stack: above it begins other
 * memory. Of the first thread it lies elsewhere, and the stack ends with its mapping. */
static uint64_t stack_end(const struct image_thread *t, uint64_t start, uint64_t size)
{
    uint64_t end = start + size, base = t->registers[REGISTER_FS_BASE];
    return base > start && base < end ? base : end;
}

/* left: bytes of memory in all. Stacks of one process share none. */
static void take_thread(const struct process_image *p, const struct image_thread *t,
                        uint64_t *left, void (*take)(void *context, uint64_t word),
                        void *context)
{
    for (unsigned i = 0; i < IMAGE_REGISTERS; i++)
        if (t->registers[i] != 0)
            take(context, t->registers[i]);
    uint64_t start = (t->registers[REGISTER_STACK] + WORD - 1) / WORD * WORD;
    struct bytes stack = memory_from(&p->memory, start);
    uint64_t size = stack_end(t, start, stack.size) - start;
    for (uint64_t at = 0; at + WORD <= size && *left >= WORD; at += WORD) {
        uint64_t word = le_u64(stack.data + at);
        *left -= WORD;
        if (word != 0)
            take(context, word);
    }
}

static uint64_t size_of(const struct memory *m)
{
    uint64_t size = 0;
    for (size_t i = 0; i < m->len; i++)
        size += m->all[i].size;
    return size;
}

void gc_stacks_each(const struct process_image *p, const struct gc_threads *threads,
                    void (*take)(void *context, uint64_t word), void *context)
{
    struct id_numbers managed = {0};
    uint64_t left = size_of(&p->memory);
    bool known = are_known(threads, &managed) && has_any(p, &managed);
    for (size_t i = 0; i < p->thread_count; i++)
        if (!known || id_numbers_find(&managed, p->threads[i].id) != NO_ID)
            take_thread(p, &p->threads[i], &left, take, context);
    id_numbers_free(&managed);
}

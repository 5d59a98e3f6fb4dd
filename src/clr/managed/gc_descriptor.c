#include "clr/managed/gc_descriptor.h"

enum { POINTER = 8, PAIR = 16, HEADER = 8 };

static const struct gc_descriptor damaged = {.shape = GC_DAMAGED};

/* Pairs of (bytes less the object's size, offset), the first one next to the number. They
 * lie in the object and share no byte, as nobody would walk it twice. */
static struct gc_descriptor read_runs(const struct memory *m, uint64_t below,
                                      uint64_t count, uint32_t base_size, struct arena *a)
{
    if (count > base_size / POINTER)
        return damaged;
    const unsigned char *pairs = memory_at(m, below - PAIR * count, PAIR * count);
    if (pairs == NULL)
        return damaged;
    struct gc_descriptor d = {.shape = GC_RUNS,
                              .runs = arena_array(a, struct gc_run, (size_t)count)};
    uint64_t all = 0, end = base_size - HEADER;
    for (uint64_t i = 0; i < count; i++) {
        const unsigned char *pair = pairs + PAIR * (count - 1 - i);
        uint64_t bytes = le_u64(pair) + base_size, offset = le_u64(pair + POINTER);
        bool inside = offset >= HEADER && offset < end && bytes > 0 &&
                      bytes <= end - offset && bytes % POINTER == 0;
        all += bytes;
        if (!inside || all > end)
            return damaged;
        d.runs[d.run_count++] =
            (struct gc_run){(uint32_t)offset, (uint32_t)(bytes / POINTER)};
    }
    d.pointers = (uint32_t)(all / POINTER);
    return d;
}

/* One run that goes to the end of the object, however long that is: of references, or of
 * structs that have nothing else. */
static struct gc_descriptor read_array(const struct memory *m, uint64_t below,
                                       uint32_t base_size, uint32_t component_size,
                                       struct arena *a)
{
    const unsigned char *pair = memory_at(m, below - PAIR, PAIR);
    if (pair == NULL || component_size % POINTER != 0)
        return damaged;
    uint64_t offset = le_u64(pair + POINTER);
    if (offset != base_size - HEADER)
        return damaged;
    struct gc_descriptor d = {.shape = GC_ARRAY,
                              .first = (uint32_t)offset,
                              .element = component_size,
                              .pointers = component_size / POINTER};
    if (component_size > POINTER) {
        d.shape = GC_ELEMENTS;
        d.runs = arena_array(a, struct gc_run, 1);
        d.runs[d.run_count++] = (struct gc_run){0, d.pointers};
    }
    return d;
}

/* (u32 pointers, u32 bytes to skip), the first one next to the offset of the first
 * pointer. Together they are as long as an element: the last one skips what is behind its
 * last pointer, and in front of the first one of the next element. */
static struct gc_descriptor read_elements(const struct memory *m, uint64_t below,
                                          uint64_t count, uint32_t base_size,
                                          uint32_t component_size, struct arena *a)
{
    if (count > component_size / POINTER)
        return damaged;
    const unsigned char *items =
        memory_at(m, below - POINTER - POINTER * count, POINTER * (count + 1));
    if (items == NULL)
        return damaged;
    uint64_t start = base_size - HEADER, first = le_u64(items + POINTER * count);
    uint64_t lead = first - start, at = 0, end = 0;
    struct gc_descriptor d = {.shape = GC_ELEMENTS,
                              .first = (uint32_t)start,
                              .element = component_size,
                              .runs = arena_array(a, struct gc_run, (size_t)count)};
    for (uint64_t i = 0; i < count && lead < component_size; i++) {
        const unsigned char *item = items + POINTER * (count - 1 - i);
        uint64_t pointers = le_u32(item), skip = le_u32(item + 4);
        end = lead + at + POINTER * pointers;
        at += POINTER * pointers + skip;
        if (pointers == 0 || end > component_size || at > component_size)
            return damaged;
        d.runs[d.run_count++] =
            (struct gc_run){(uint32_t)(end - POINTER * pointers), (uint32_t)pointers};
        d.pointers += (uint32_t)pointers;
    }
    return at == component_size && lead % POINTER == 0 ? d : damaged;
}

struct gc_descriptor gc_descriptor_read(const struct memory *m, uint64_t method_table,
                                        uint32_t base_size, uint32_t component_size,
                                        struct arena *a)
{
    bool ok = true;
    uint64_t below = method_table - POINTER;
    int64_t count = (int64_t)memory_u64(m, below, &ok);
    if (!ok || count == 0 || base_size < HEADER)
        return damaged;
    if (count < 0)
        return read_elements(m, below, 0 - (uint64_t)count, base_size, component_size, a);
    if (component_size > 0)
        return count == 1 ? read_array(m, below, base_size, component_size, a) : damaged;
    return read_runs(m, below, (uint64_t)count, base_size, a);
}

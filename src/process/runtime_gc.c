#include "process/runtime_gc.h"

/* Version 1 is .NET Core 3, 2 all since; a minor is a few more members. */
static bool is_gc(const struct memory *m, uint64_t at)
{
    enum { GENERATIONS = 5, SMALLEST = 64, LARGEST = 4096, NEWEST_MAJOR = 9 };
    bool ok = true;
    uint8_t major = memory_u8(m, at + GC_VERSION, &ok);
    uint64_t size = memory_u64(m, at + GC_GENERATION_SIZE, &ok);
    uint64_t count = memory_u64(m, at + GC_GENERATION_COUNT, &ok);
    return ok && at % 8 == 0 && major > 0 && major <= NEWEST_MAJOR && size % 8 == 0 &&
           size >= SMALLEST && size <= LARGEST && count == GENERATIONS;
}

uint64_t runtime_gc_find(const struct memory *m, uint64_t table, unsigned count)
{
    uint64_t found = 0;
    for (unsigned i = 0; i < count; i++) {
        bool ok = true;
        uint64_t variable = memory_u64(m, table + i * UINT64_C(8), &ok);
        uint64_t at = ok ? memory_u64(m, variable, &ok) : 0;
        if (!ok || at == found || !is_gc(m, at))
            continue;
        if (found != 0)
            return 0;
        found = at;
    }
    return found;
}

/* --- the first objects --------------------------------------------------------------- */

static uint64_t pointer(const struct runtime *r, uint64_t at, bool *ok)
{
    return *ok ? memory_u64(&r->image->memory, at, ok) : 0;
}

/* gc_heap_field_offsets[18]: where a heap of its own has its generations. */
static uint64_t generation_table(const struct runtime *r, uint64_t heap, bool *ok)
{
    enum { GENERATION_TABLE = 18 * 4 };
    if (heap == 0)
        return pointer(r, r->gc + GC_GENERATION_TABLE, ok);
    uint64_t offsets = pointer(r, r->gc + GC_HEAP_OFFSETS, ok);
    int32_t offset = (int32_t)memory_u32(&r->image->memory, offsets + GENERATION_TABLE, ok);
    return heap + (uint64_t)(int64_t)offset;
}

static bool take_heap(const struct runtime *r, uint64_t heap,
                      bool (*take)(void *context, uint64_t object), void *context)
{
    enum { ALLOCATED = 0, MEMORY = 32 };
    bool ok = true;
    uint64_t table = generation_table(r, heap, &ok);
    uint64_t size = pointer(r, r->gc + GC_GENERATION_SIZE, &ok);
    uint64_t count = pointer(r, r->gc + GC_GENERATION_COUNT, &ok);
    uint64_t offsets = pointer(r, r->gc + GC_GENERATION_OFFSETS, &ok);
    uint32_t start = memory_u32(&r->image->memory, offsets + 4, &ok);
    for (uint64_t i = 0; i < count && ok; i++) {
        bool has = true;
        uint64_t segment = pointer(r, table + i * size + start, &has);
        uint64_t object = pointer(r, segment + MEMORY, &has);
        uint64_t allocated = pointer(r, segment + ALLOCATED, &has);
        if (!has || allocated <= object)
            continue;
        if (!take(context, object))
            return false;
    }
    return true;
}

bool runtime_gc_first_objects(const struct runtime *r,
                              bool (*take)(void *context, uint64_t object), void *context)
{
    enum { MOST_HEAPS = 64 };
    bool ok = true;
    const struct memory *m = &r->image->memory;
    uint64_t heaps_at = pointer(r, r->gc + GC_HEAPS, &ok);
    if (!ok || heaps_at == 0) /* a workstation collector leaves these empty */
        return take_heap(r, 0, take, context);
    uint64_t count_at = pointer(r, r->gc + GC_HEAP_COUNT, &ok);
    uint32_t count = memory_u32(m, count_at, &ok);
    uint64_t heaps = pointer(r, heaps_at, &ok);
    for (uint32_t i = 0; i < count && i < MOST_HEAPS && ok; i++) {
        uint64_t heap = pointer(r, heaps + i * UINT64_C(8), &ok);
        if (ok && heap != 0 && !take_heap(r, heap, take, context))
            return false;
    }
    return true;
}

/* --- may it be walked? --------------------------------------------------------------- */

uint64_t runtime_heap_count_address(const struct runtime *r)
{
    bool ok = r->gc != 0;
    return pointer(r, r->gc + GC_INVALID_COUNT, &ok);
}

bool runtime_heap_is_valid(const struct runtime *r)
{
    bool ok = true;
    uint64_t at = runtime_heap_count_address(r);
    return at != 0 && memory_u32(&r->image->memory, at, &ok) == 0 && ok;
}

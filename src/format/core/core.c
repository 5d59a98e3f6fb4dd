#include "format/core/core.h"

#include <stdlib.h>

enum { HEADER = 8 };

const struct gc_type *core_type_at(const struct core *c, uint64_t address)
{
    const uint64_t mask = ~UINT64_C(7);
    bool ok = true;
    uint64_t method_table = memory_u64(&c->image.memory, address, &ok) & mask;
    uint32_t number = ok ? id_numbers_find(&c->heap.type_numbers, method_table) : NO_ID;
    return number != NO_ID ? &c->heap.types[number] : NULL;
}

const unsigned char *core_object_at(const struct core *c, uint64_t address, uint64_t size,
                                    void **copy)
{
    const struct memory *m = &c->image.memory;
    uint64_t bytes = size - HEADER;
    struct bytes there = memory_from(m, address);
    if (there.size >= bytes)
        return there.data;
    *copy = alloc_resize(NULL, bytes);
    return memory_copy(m, address, *copy, bytes) ? *copy : NULL;
}

void core_free(struct core *c)
{
    if (c == NULL)
        return;
    gc_heap_close(&c->heap);
    clr_types_close(c->clr);
    process_image_close(&c->image);
    arena_free(&c->arena);
    free(c);
}

#include "format/core/gc_collectible.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* LoaderAllocator objects by the address of the native one. */
struct allocators {
    struct id_numbers numbers;
    node_id *objects;
    size_t cap;
};

static const struct gc_type *type_named(const struct gc_heap *h, const char *name)
{
    for (size_t i = 0; i < h->type_count; i++)
        if (h->types[i].clr != NULL && strcmp(h->types[i].clr->name, name) == 0)
            return &h->types[i];
    return NULL;
}

/* 0: it has no such field. */
static uint32_t offset_of(const struct gc_type *t, const char *field)
{
    for (size_t i = 0; i < t->clr->field_count; i++)
        if (strcmp(t->clr->fields[i].name, field) == 0)
            return t->clr->fields[i].offset;
    return 0;
}

static void find_allocators(const struct gc_heap *h, const struct gc_type *allocator,
                            uint32_t scout_at, uint32_t native_at, struct allocators *all)
{
    const struct memory *m = &h->runtime->image->memory;
    for (node_id n = 0; n < h->count; n++) {
        bool ok = true;
        if (h->builder->graph->type[n] != allocator->built_as)
            continue;
        uint64_t scout = memory_u64(m, gc_heap_address(h, n) + scout_at, &ok),
                 native = memory_u64(m, scout + native_at, &ok);
        if (!ok || native == 0 || id_numbers_find(&all->numbers, native) != NO_ID)
            continue;
        size_t number = id_numbers_add(&all->numbers, native);
        all->objects = grow(all->objects, number, &all->cap, sizeof(*all->objects));
        all->objects[number] = n;
    }
}

/* An instantiation over types of several modules belongs to the one that the runtime chose
 * for it, which its auxiliary data names behind 8 bytes of flags. */
static node_id allocator_of(const struct gc_heap *h, const struct gc_type *t,
                            const struct allocators *all)
{
    enum { LOADER_MODULE = 8 };
    const struct memory *m = &h->runtime->image->memory;
    const struct runtime_layout *at = &h->runtime->at;
    bool ok = true, has_own = at->method_table.auxiliary_data != RUNTIME_NO_OFFSET;
    uint64_t modules[2] = {0};
    if (has_own) {
        uint64_t auxiliary =
            memory_u64(m, t->method_table + at->method_table.auxiliary_data, &ok);
        modules[0] = memory_u64(m, auxiliary + LOADER_MODULE, &ok);
    }
    ok = true;
    modules[1] = memory_u64(m, t->method_table + at->method_table.module, &ok);
    for (size_t i = 0; i < 2; i++) {
        ok = modules[i] != 0;
        uint64_t native = memory_u64(m, modules[i] + at->module.loader_allocator, &ok);
        uint32_t number = ok ? id_numbers_find(&all->numbers, native) : NO_ID;
        if (number != NO_ID)
            return all->objects[number];
    }
    return NO_NODE;
}

void gc_collectible_find(struct gc_heap *h)
{
    const struct gc_type *allocator = type_named(h, "System.Reflection.LoaderAllocator"),
                         *scout = type_named(h, "System.Reflection.LoaderAllocatorScout");
    if (allocator == NULL || scout == NULL ||
        h->runtime->at.module.loader_allocator == RUNTIME_NO_OFFSET)
        return;
    uint32_t scout_at = offset_of(allocator, "m_scout"),
             native_at = offset_of(scout, "m_nativeLoaderAllocator");
    if (scout_at == 0 || native_at == 0)
        return;
    struct allocators all = {.cap = 0};
    find_allocators(h, allocator, scout_at, native_at, &all);
    for (size_t i = 0; i < h->type_count; i++)
        if (h->types[i].clr != NULL && h->types[i].clr->is_collectible)
            h->types[i].keeps = allocator_of(h, &h->types[i], &all);
    free(all.objects);
    id_numbers_free(&all.numbers);
}

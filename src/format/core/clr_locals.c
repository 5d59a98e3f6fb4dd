/* Where .NET 8 keeps static variables. Later versions tell it of each type (clr_types.c).
 *
 * A module has them in its DomainLocalModule, a thread in a ThreadLocalModule for each
 * module: what holds references lies in an array of the heap, one for all plain types of
 * the module, what does not behind the structure itself. Generic types, and those that were
 * emitted, have entries of their own in a table beside it; Module.DynamicStaticsInfo says
 * which entry is whose, so it is read the other way round. docs/formats/core-dump.md,
 * "Statics of .NET 8". */
#include "format/core/clr_inner.h"

#include <string.h>

enum { POINTER = 8, ARRAY_HEADER = 16 };

/* An item of the table: a pointer to the entry, and flags. */
enum { ITEM_SIZE = 16, ITEM_FLAGS = 8, IS_INITIALISED = 0x1, IS_COLLECTIBLE = 0x8 };

/* Offsets of what is no reference count from the beginning of what has it, which is this
 * long; of a collectible type from as far in front of what an array of bytes contains. */
enum { ENTRY_HEAD = 8 };

/* --- which entry is whose ------------------------------------------------------ */

struct clr_entry {
    uint64_t table; /* MethodTable */
    uint64_t module, place;
    UT_hash_handle hh;
};

static void index_entries(struct clr_types *t, uint64_t module)
{
    const struct runtime_layout *at = &t->r->at;
    bool ok = true;
    uint64_t types = memory_u64(t->memory, module + at->module.dynamic_types, &ok),
             count = memory_u64(t->memory, module + at->module.dynamic_count, &ok);
    for (uint64_t i = 0; ok && i < count && clr_spend(t, sizeof(struct clr_entry)); i++) {
        struct clr_entry *e;
        uint64_t table = memory_u64(t->memory, types + POINTER * i, &ok);
        HASH_FIND(hh, t->entries, &table, sizeof(table), e);
        if (!ok || table == 0 || e != NULL)
            continue;
        e = arena_alloc(t->a, sizeof(*e));
        *e = (struct clr_entry){.table = table, .module = module, .place = i};
        HASH_ADD(hh, t->entries, table, sizeof(e->table), e);
    }
}

static const struct clr_entry *entry_of(struct clr_types *t, uint64_t table)
{
    struct clr_entry *e;
    for (struct clr_module *m; (m = clr_module_after(t, t->located)) != NULL;) {
        index_entries(t, m->address);
        t->located = m;
    }
    HASH_FIND(hh, t->entries, &table, sizeof(table), e);
    return e;
}

void clr_locals_free(struct clr_types *t)
{
    HASH_CLEAR(hh, t->entries);
}

/* --- what can be unloaded ------------------------------------------------------ */

/* An entry of a collectible type has a LOADERHANDLE: with bit 0 the address of a place that
 * holds the array; else a place among what the LoaderAllocator, an object, keeps. */
static uint64_t loader_handle(struct clr_types *t, uint64_t module, uint64_t handle)
{
    const struct runtime_layout *at = &t->r->at;
    const struct memory *memory = t->memory;
    bool ok = handle != 0;
    if (handle & 1)
        return memory_u64(memory, handle - 1, &ok); /* 0 if that is no memory */
    uint64_t native = memory_u64(memory, module + at->module.loader_allocator, &ok);
    uint64_t held = memory_u64(memory, native + at->allocator_object, &ok);
    uint64_t object = memory_u64(memory, held, &ok);
    uint64_t table = memory_u64(memory, object, &ok) & ~UINT64_C(7);
    if (!ok || !runtime_is_method_table(t->r, table))
        return 0;
    const struct clr_type *type = clr_type_of(t, table);
    for (size_t i = 0; i < type->field_count; i++) {
        if (strcmp(type->fields[i].name, "m_slots") != 0)
            continue;
        uint64_t slots = memory_u64(memory, object + type->fields[i].offset, &ok);
        uint64_t count = memory_u32(memory, slots + POINTER, &ok), n = handle / 2 - 1;
        if (ok && slots != 0 && n < count)
            return memory_u64(memory, slots + ARRAY_HEADER + POINTER * n, &ok);
    }
    return 0;
}

/* --- where they are ------------------------------------------------------------ */

/* The DomainLocalModule of a module, or what a thread has instead; 0: none. */
static uint64_t local_module(const struct clr_types *t, uint64_t module, uint64_t block)
{
    const struct runtime_layout *at = &t->r->at;
    bool ok = true;
    if (block == 0)
        return memory_u64(t->memory, module + at->module.local_module, &ok);
    uint64_t index = memory_u64(t->memory, module + at->module.index, &ok);
    uint64_t all = memory_u64(t->memory, block + at->thread_local_block.modules, &ok);
    uint64_t count = memory_u64(t->memory, block + at->thread_local_block.count, &ok);
    return ok && index < count ? memory_u64(t->memory, all + POINTER * index, &ok) : 0;
}

/* Of a thread a handle stands where the process has the address itself. */
static uint64_t first_of(const struct clr_types *t, uint64_t place, bool of_thread)
{
    bool ok = true;
    uint64_t to = memory_u64(t->memory, place, &ok);
    if (!of_thread || !ok || to == 0)
        return ok ? to : 0;
    uint64_t array = memory_u64(t->memory, to, &ok);
    return ok && array != 0 ? array + ARRAY_HEADER : 0;
}

/* Of a plain type a byte says whether its constructor has run, behind the places of all;
 * without one it is used as it is. */
static bool is_initialised(const struct clr_types *t, const struct method_table *m,
                           uint64_t bytes)
{
    enum { HAS_CONSTRUCTOR = 0x400 };
    bool ok = true;
    return !(m->flags2 & HAS_CONSTRUCTOR) ||
           (m->row > 0 && (memory_u8(t->memory, bytes + m->row - 1, &ok) & IS_INITIALISED));
}

static struct clr_bases by_entry(struct clr_types *t, const struct clr_entry *e,
                                 uint64_t local, const struct runtime_local_module *in,
                                 bool of_thread)
{
    bool ok = true;
    uint64_t items = memory_u64(t->memory, local + in->classes, &ok);
    uint64_t count = memory_u64(t->memory, local + in->count, &ok);
    if (!ok || items == 0 || e->place >= count)
        return (struct clr_bases){0};
    uint64_t entry = memory_u64(t->memory, items + ITEM_SIZE * e->place, &ok);
    uint32_t flags = memory_u32(t->memory, items + ITEM_SIZE * e->place + ITEM_FLAGS, &ok);
    if (!ok || entry == 0)
        return (struct clr_bases){0};
    struct clr_bases found = {.plain = entry, .is_used = flags & IS_INITIALISED};
    if (!(flags & IS_COLLECTIBLE)) {
        found.references = first_of(t, entry, of_thread);
        return found;
    }
    uint64_t array = loader_handle(t, e->module, memory_u64(t->memory, entry, &ok));
    uint64_t bytes = loader_handle(t, e->module, memory_u64(t->memory, entry + 8, &ok));
    found.references = array != 0 ? array + ARRAY_HEADER : 0;
    found.plain = bytes != 0 ? bytes + ARRAY_HEADER - ENTRY_HEAD : 0;
    return found;
}

struct clr_bases clr_local_bases(struct clr_types *t, const struct method_table *m,
                                 uint64_t block)
{
    const struct runtime_layout *at = &t->r->at;
    const struct runtime_local_module *in =
        block != 0 ? &at->thread_local_module : &at->local_module;
    const struct clr_entry *e = NULL;
    if (method_table_has_entry(m) && (e = entry_of(t, m->address)) == NULL)
        return (struct clr_bases){0};
    uint64_t local = local_module(t, e != NULL ? e->module : m->module, block);
    if (local == 0)
        return (struct clr_bases){0};
    if (e != NULL)
        return by_entry(t, e, local, in, block != 0);
    return (struct clr_bases){.references = first_of(t, local + in->gc_statics, block != 0),
                              .plain = local,
                              .is_used = is_initialised(t, m, local + in->blob)};
}

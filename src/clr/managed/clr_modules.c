/* Modules: their loaded types and metadata. */
#include "base/text.h"
#include "clr/managed/clr_types.h"

/* --- one module ------------------------------------------------------------------ */

static const char *read_path(struct clr_types *t, uint64_t address)
{
    enum { MAX_PATH = 4096 }; /* characters */
    struct bytes there = memory_from(t->memory, address);
    size_t len = 0, most = there.size / 2 < MAX_PATH ? there.size / 2 : MAX_PATH;
    while (len < most && le_u16(there.data + 2 * len) != 0)
        len++;
    if (address == 0 || len == 0 || len == most || !clr_spend(t, 2 * len))
        return NULL;
    memory_keep(t->memory, address, 2 * (len + 1));
    t->text.len = 0;
    text_add_utf16(&t->text, there.data, len, UTF16_LITTLE);
    return arena_strdup(t->a, t->text.data, t->text.len);
}

/* A module that was emitted has no image; its metadata is a copy that the runtime made for
 * debuggers. */
static struct memory_piece emitted(struct clr_types *t, uint64_t address)
{
    const struct memory_piece none = {0};
    bool ok = true;
    uint64_t copy = memory_u64(t->memory, address + t->at->module_dynamic_metadata, &ok);
    if (!ok || copy == 0 || t->at->module_dynamic_metadata == RUNTIME_NO_OFFSET)
        return none;
    uint32_t size = memory_u32(t->memory, copy + t->at->dynamic_metadata_size, &ok);
    uint64_t begin = copy + t->at->dynamic_metadata_data;
    if (t->at->dynamic_metadata_pointer != RUNTIME_NO_OFFSET)
        begin = memory_u64(t->memory, copy + t->at->dynamic_metadata_pointer, &ok);
    struct bytes there = memory_from(t->memory, begin);
    if (there.size > size)
        there.size = size;
    return ok ? (struct memory_piece){begin, there.size, there.data} : none;
}

/* Finds the base of its image and the address of its path; false: no image. .NET 8 has both
 * in its PEImage: an image loaded from bytes exists only as a file. */
static bool find_image(const struct clr_types *t, uint64_t module, uint64_t *base,
                       uint64_t *path)
{
    const struct memory *m = t->memory;
    bool ok = true;
    if (t->at->module_base != RUNTIME_NO_OFFSET) {
        *base = memory_u64(m, module + t->at->module_base, &ok);
        *path = memory_u64(m, module + t->at->module_path, &ok);
        return ok;
    }
    uint64_t assembly = memory_u64(m, module + t->at->module_pe_assembly, &ok);
    uint64_t pe = ok ? memory_u64(m, assembly + t->at->pe_image, &ok) : 0;
    if (!ok || pe == 0)
        return false;
    *path = memory_u64(m, pe + t->at->pe_path, &ok);
    uint64_t layout = memory_u64(m, pe + t->at->pe_loaded, &ok);
    if (ok && layout == 0)
        layout = memory_u64(m, pe + t->at->pe_flat, &ok);
    *base = ok && layout != 0 ? memory_u64(m, layout + t->at->pe_base, &ok) : 0;
    return ok;
}

static void read_module(struct clr_types *t, struct clr_module *m)
{
    uint64_t base = 0, path = 0;
    struct memory_piece blob = {0};
    if (!find_image(t, m->address, &base, &path))
        base = path = 0;
    m->path = read_path(t, path);
    if (base != 0)
        blob = metadata_of_image(t->memory, base, t->budget, t->a);
    if (blob.bytes == NULL) {
        blob = emitted(t, m->address);
        if (blob.bytes != NULL)
            m->path = "";
    }
    if (!clr_spend(t, blob.size) || !metadata_open(&m->metadata, &blob, t->memory, t->a))
        m->metadata = (struct metadata){0};
}

struct clr_module *clr_module_of(struct clr_types *t, uint64_t address)
{
    struct clr_module *m;
    HASH_FIND(hh, t->modules, &address, sizeof(address), m);
    if (m != NULL)
        return m;
    bool ok = true;
    memory_u64(t->memory, address, &ok);
    if (!ok || HASH_COUNT(t->modules) >= MAX_MODULES || !clr_spend(t, sizeof(*m)))
        return NULL;
    m = arena_alloc(t->a, sizeof(*m));
    m->address = address;
    HASH_ADD(hh, t->modules, address, sizeof(m->address), m);
    read_module(t, m);
    return m;
}

/* --- its maps -------------------------------------------------------------------- */

/* A map is a chain of arrays, the first of which has the lowest rows. */
uint64_t clr_module_type(const struct clr_types *t, const struct clr_module *m,
                         enum metadata_table_number of, uint32_t row)
{
    enum { MAX_PARTS = 256 };
    bool ok = true;
    uint64_t map = m->address + (of == METADATA_TYPE_DEF ? t->at->module_type_def_map
                                                         : t->at->module_type_ref_map);
    for (int i = 0; i < MAX_PARTS && map != 0; i++) {
        uint64_t next = memory_u64(t->memory, map + t->at->lookup_map_next, &ok),
                 table = memory_u64(t->memory, map + t->at->lookup_map_table, &ok),
                 flags = memory_u64(t->memory, map + t->at->lookup_map_flags_mask, &ok);
        uint32_t count = memory_u32(t->memory, map + t->at->lookup_map_count, &ok);
        if (!ok)
            return 0;
        if (row < count)
            return memory_u64(t->memory, table + 8 * (uint64_t)row, &ok) & ~flags;
        row -= count;
        map = next;
    }
    return 0;
}

/* --- its hash table -------------------------------------------------------------- */

/* Slots of an array of buckets: how many there are, the array that follows while the table
 * grows, since .NET 9 what ends all chains (an odd number), then the buckets. */
enum { SLOT_SIZE = 8, LENGTH_SLOT = 0, NEXT_SLOT = 8, END_SLOT = 16, FIRST_BUCKET = 2 };

static void walk_chain(struct clr_types *t, uint64_t entry,
                       void (*take)(void *context, uint64_t handle), void *context)
{
    for (int i = 0; i < MAX_LINKS && entry != 0 && !(entry & 1); i++) {
        bool ok = true;
        uint64_t handle =
            memory_u64(t->memory, entry + t->at->type_hash_entry_value, &ok) & ~UINT64_C(1);
        if (!ok || !clr_spend(t, 8))
            return;
        take(context, handle);
        entry = memory_u64(t->memory, entry + t->at->type_hash_entry_next, &ok);
    }
}

void clr_module_instances(struct clr_types *t, const struct clr_module *m,
                          void (*take)(void *context, uint64_t handle), void *context)
{
    enum { MAX_ARRAYS = 8 };
    const struct memory *memory = t->memory;
    bool ok =
        m->metadata.tables[METADATA_TYPE_DEF].count > 0; /* otherwise it may be invalid */
    uint64_t table =
        memory_u64(t->memory, m->address + t->at->module_available_type_params, &ok);
    uint64_t array =
        ok && table != 0 ? memory_u64(t->memory, table + t->at->type_hash_buckets, &ok) : 0;
    for (int i = 0; i < MAX_ARRAYS && ok && array != 0; i++) {
        uint64_t count = memory_u64(memory, array + LENGTH_SLOT, &ok),
                 next = memory_u64(memory, array + NEXT_SLOT, &ok), first = FIRST_BUCKET,
                 there = memory_from(memory, array).size / SLOT_SIZE;
        if (memory_u64(memory, array + END_SLOT, &ok) & 1)
            first++;
        for (uint64_t n = first; ok && n < there && n - first < count; n++) {
            if (!clr_spend(t, 8))
                return;
            walk_chain(t, memory_u64(memory, array + SLOT_SIZE * n, &ok), take, context);
        }
        array = next;
    }
}

/* --- list of modules ------------------------------------------------------------- */

/* Items of the list are Assemblies or, up to .NET 10, DomainAssemblies, which only contain
 * a pointer to the Assembly. */
static void read_listed(struct clr_types *t)
{
    const struct memory *m = t->memory;
    bool are_assemblies = t->at->app_domain_assemblies != RUNTIME_NO_OFFSET, ok = true;
    uint32_t offset =
        are_assemblies ? t->at->app_domain_assemblies : t->at->app_domain_assembly_list;
    if (t->r->app_domain == 0 || offset == RUNTIME_NO_OFFSET)
        return;
    uint64_t list = t->r->app_domain + offset;
    uint32_t left = memory_u32(m, list + t->at->array_list_count, &ok);
    uint64_t block = list + t->at->array_list_first_block;
    for (int i = 0; i < MAX_LINKS && ok && block != 0 && left > 0; i++) {
        uint32_t size = memory_u32(m, block + t->at->array_list_block_size, &ok);
        uint64_t items = block + t->at->array_list_block_items;
        for (uint32_t n = 0; ok && n < size && left > 0 && clr_spend(t, 8); n++, left--) {
            bool there = true;
            uint64_t item = memory_u64(m, items + 8 * (uint64_t)n, &ok),
                     assembly = are_assemblies ? item : memory_u64(m, item, &there),
                     module = memory_u64(m, assembly + t->at->assembly_module, &there);
            if (there && item != 0 && module != 0)
                clr_module_of(t, module);
        }
        block = memory_u64(m, block + t->at->array_list_block_next, &ok);
    }
}

static void read_module_of(void *context, uint64_t handle)
{
    struct clr_types *t = context;
    struct method_table m;
    if (method_table_of(t, handle, &m))
        clr_module_of(t, m.module);
}

struct clr_module *clr_module_after(const struct clr_types *t,
                                    const struct clr_module *done)
{
    return done != NULL ? done->hh.next : t->modules;
}

void clr_modules_all(struct clr_types *t)
{
    if (!t->has_list)
        read_listed(t);
    t->has_list = true;
    /* The list grows during the loop. */
    for (struct clr_module *m; (m = clr_module_after(t, t->expanded)) != NULL;) {
        clr_module_instances(t, m, read_module_of, t);
        uint32_t refs = m->metadata.tables[METADATA_TYPE_REF].count;
        for (uint32_t row = 1; row <= refs && clr_spend(t, 8); row++) {
            uint64_t table = clr_module_type(t, m, METADATA_TYPE_REF, row);
            if (table != 0)
                read_module_of(t, table);
        }
        t->expanded = m;
    }
}

/* Modules: what is loaded of them, and their metadata. */
#include "base/utf16.h"
#include "format/core/clr_inner.h"
#include "process/memory.h"

/* --- one module ------------------------------------------------------------------------
 */

static const char *read_path(struct clr_types *t, uint64_t address)
{
    enum { MOST_PATH = 4096 }; /* characters */
    struct bytes there = memory_from(t->memory, address);
    size_t len = 0, most = there.size / 2 < MOST_PATH ? there.size / 2 : MOST_PATH;
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
    const struct runtime_layout *at = &t->r->at;
    bool ok = true;
    uint64_t copy = memory_u64(t->memory, address + at->module.dynamic_metadata, &ok);
    if (!ok || copy == 0 || at->module.dynamic_metadata == RUNTIME_NO_OFFSET)
        return none;
    uint32_t size = memory_u32(t->memory, copy + at->dynamic_metadata_size, &ok);
    uint64_t begin = copy + at->dynamic_metadata_data;
    if (at->dynamic_metadata_pointer != RUNTIME_NO_OFFSET)
        begin = memory_u64(t->memory, copy + at->dynamic_metadata_pointer, &ok);
    struct bytes there = memory_from(t->memory, begin);
    if (there.size > size)
        there.size = size;
    return ok ? (struct memory_piece){begin, there.size, there.data} : none;
}

/* Where its image is loaded and its path; 0: it has none. */
struct image {
    uint64_t base, path;
};

/* Of .NET 8, which has both in its PEImage: an image that was loaded from bytes is there as
 * a file alone. */
static struct image image_by_assembly(const struct clr_types *t, uint64_t module)
{
    const struct runtime_layout *at = &t->r->at;
    bool ok = true;
    uint64_t assembly = memory_u64(t->memory, module + at->module.pe_assembly, &ok);
    uint64_t pe = ok ? memory_u64(t->memory, assembly + at->pe.image, &ok) : 0;
    if (!ok || pe == 0)
        return (struct image){0};
    struct image found = {.path = memory_u64(t->memory, pe + at->pe.path, &ok)};
    uint64_t layout = memory_u64(t->memory, pe + at->pe.loaded, &ok);
    if (ok && layout == 0)
        layout = memory_u64(t->memory, pe + at->pe.flat, &ok);
    if (ok && layout != 0)
        found.base = memory_u64(t->memory, layout + at->pe.base, &ok);
    return ok ? found : (struct image){0};
}

static struct image image_of(const struct clr_types *t, uint64_t module)
{
    const struct runtime_layout *at = &t->r->at;
    bool ok = true;
    if (at->module.base == RUNTIME_NO_OFFSET)
        return image_by_assembly(t, module);
    struct image found = {memory_u64(t->memory, module + at->module.base, &ok),
                          memory_u64(t->memory, module + at->module.path, &ok)};
    return ok ? found : (struct image){0};
}

static void read_module(struct clr_types *t, struct clr_module *m)
{
    const struct image image = image_of(t, m->address);
    struct memory_piece blob = {0};
    m->path = read_path(t, image.path);
    if (image.base != 0)
        blob = metadata_of_image(t->memory, image.base, t->budget, t->a);
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
    if (!ok || HASH_COUNT(t->modules) >= MOST_MODULES || !clr_spend(t, sizeof(*m)))
        return NULL;
    m = arena_alloc(t->a, sizeof(*m));
    m->address = address;
    HASH_ADD(hh, t->modules, address, sizeof(m->address), m);
    read_module(t, m);
    return m;
}

/* --- its maps --------------------------------------------------------------------------
 */

/* A map is a chain of arrays, the first of which has the lowest rows. */
struct map_part {
    uint64_t next, table, flags;
    uint32_t count;
};

static bool read_part(const struct clr_types *t, uint64_t address, struct map_part *p)
{
    const struct runtime_layout *at = &t->r->at;
    bool ok = true;
    p->next = memory_u64(t->memory, address + at->lookup_map.next, &ok);
    p->table = memory_u64(t->memory, address + at->lookup_map.table, &ok);
    p->count = memory_u32(t->memory, address + at->lookup_map.count, &ok);
    p->flags = memory_u64(t->memory, address + at->lookup_map.flags_mask, &ok);
    return ok;
}

static uint64_t find_in_map(const struct clr_types *t, uint64_t map, uint32_t row)
{
    enum { MOST_PARTS = 256 };
    struct map_part p;
    for (int i = 0; i < MOST_PARTS && map != 0 && read_part(t, map, &p); i++) {
        bool ok = true;
        if (row < p.count)
            return memory_u64(t->memory, p.table + 8 * (uint64_t)row, &ok) & ~p.flags;
        row -= p.count;
        map = p.next;
    }
    return 0;
}

uint64_t clr_module_type_def(const struct clr_types *t, const struct clr_module *m,
                             uint32_t row)
{
    return find_in_map(t, m->address + t->r->at.module.type_def_map, row);
}

uint64_t clr_module_type_ref(const struct clr_types *t, const struct clr_module *m,
                             uint32_t row)
{
    return find_in_map(t, m->address + t->r->at.module.type_ref_map, row);
}

/* --- its hash table --------------------------------------------------------------------
 */

/* Slots of an array of buckets: how many there are, the array that follows while the table
 * grows, since .NET 9 what ends all chains (an odd number), then the buckets. */
enum { SLOT_SIZE = 8, LENGTH_SLOT = 0, NEXT_SLOT = 8, END_SLOT = 16, FIRST_BUCKET = 2 };

struct chain_walk {
    struct clr_types *t;
    void (*take)(void *context, uint64_t handle);
    void *context;
};

static void walk_chain(const struct chain_walk *w, uint64_t entry)
{
    const struct runtime_layout *at = &w->t->r->at;
    for (int i = 0; i < MOST_LINKS && entry != 0 && !(entry & 1); i++) {
        bool ok = true;
        uint64_t handle =
            memory_u64(w->t->memory, entry + at->type_hash.entry_value, &ok) & ~UINT64_C(1);
        if (!ok || !clr_spend(w->t, 8))
            return;
        w->take(w->context, handle);
        entry = memory_u64(w->t->memory, entry + at->type_hash.entry_next, &ok);
    }
}

/* Returns the array that follows. */
static uint64_t walk_buckets(const struct chain_walk *w, uint64_t array)
{
    const struct memory *memory = w->t->memory;
    bool ok = true;
    uint64_t count = memory_u64(memory, array + LENGTH_SLOT, &ok);
    uint64_t next = memory_u64(memory, array + NEXT_SLOT, &ok);
    uint64_t first = FIRST_BUCKET;
    if (memory_u64(memory, array + END_SLOT, &ok) & 1)
        first++;
    uint64_t there = memory_from(memory, array).size / SLOT_SIZE;
    for (uint64_t i = first; ok && i < there && i - first < count; i++) {
        if (!clr_spend(w->t, 8))
            return 0;
        walk_chain(w, memory_u64(memory, array + SLOT_SIZE * i, &ok));
    }
    return ok ? next : 0;
}

void clr_module_instances(struct clr_types *t, const struct clr_module *m,
                          void (*take)(void *context, uint64_t handle), void *context)
{
    enum { MOST_ARRAYS = 8 };
    const struct runtime_layout *at = &t->r->at;
    struct chain_walk w = {t, take, context};
    bool ok = m->metadata.tables[METADATA_TYPE_DEF].count > 0; /* else it may be none */
    uint64_t table =
        memory_u64(t->memory, m->address + at->module.available_type_params, &ok);
    uint64_t array =
        ok && table != 0 ? memory_u64(t->memory, table + at->type_hash.buckets, &ok) : 0;
    for (int i = 0; i < MOST_ARRAYS && ok && array != 0; i++)
        array = walk_buckets(&w, array);
}

/* --- all of them -----------------------------------------------------------------------
 */

/* Items of the list are Assemblies, or, up to .NET 10, DomainAssemblies, of which all that
 * is left is a pointer to the Assembly. */
static void read_assembly(struct clr_types *t, uint64_t item)
{
    bool ok = true, is_assembly = t->r->at.app_domain.assemblies != RUNTIME_NO_OFFSET;
    uint64_t assembly = is_assembly ? item : memory_u64(t->memory, item, &ok);
    uint64_t module = memory_u64(t->memory, assembly + t->r->at.assembly.module, &ok);
    if (ok && item != 0 && module != 0)
        clr_module_of(t, module);
}

static void read_listed(struct clr_types *t)
{
    const struct runtime_layout *at = &t->r->at;
    uint32_t offset = at->app_domain.assemblies != RUNTIME_NO_OFFSET
                          ? at->app_domain.assemblies
                          : at->app_domain.assembly_list;
    if (t->r->app_domain == 0 || offset == RUNTIME_NO_OFFSET)
        return;
    bool ok = true;
    uint64_t list = t->r->app_domain + offset;
    uint32_t left = memory_u32(t->memory, list + at->array_list.count, &ok);
    uint64_t block = list + at->array_list.first_block;
    for (int i = 0; i < MOST_LINKS && ok && block != 0 && left > 0; i++) {
        uint32_t size = memory_u32(t->memory, block + at->array_list_block.size, &ok);
        for (uint32_t n = 0; ok && n < size && left > 0 && clr_spend(t, 8); n++, left--)
            read_assembly(
                t, memory_u64(t->memory,
                              block + at->array_list_block.items + 8 * (uint64_t)n, &ok));
        block = memory_u64(t->memory, block + at->array_list_block.next, &ok);
    }
}

static void read_module_of(void *context, uint64_t handle)
{
    struct clr_types *t = context;
    struct method_table m;
    if (!(handle & 2) && runtime_is_method_table(t->r, handle) &&
        method_table_read(t, handle, &m))
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
    /* The list grows behind the loop. */
    for (struct clr_module *m; (m = clr_module_after(t, t->expanded)) != NULL;) {
        clr_module_instances(t, m, read_module_of, t);
        uint32_t refs = m->metadata.tables[METADATA_TYPE_REF].count;
        for (uint32_t row = 1; row <= refs && clr_spend(t, 8); row++) {
            uint64_t table = clr_module_type_ref(t, m, row);
            if (table != 0)
                read_module_of(t, table);
        }
        t->expanded = m;
    }
}

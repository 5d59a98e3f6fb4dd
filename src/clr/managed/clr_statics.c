/* Static variables, and thread statics: their locations, by class.
 *
 * A MethodTable with statics has their locations before its auxiliary data (since .NET 9).
 * The variables of a type that contain references, or boxed structs, are in an array on the
 * heap; thread statics are in an object per thread and type. .NET 8 stores them by module,
 * see below. */
#include "clr/managed/clr_types.h"

#include <stdlib.h>
#include <string.h>

enum { POINTER = 8, ARRAY_HEADER = 16 };

/* --- .NET 8: owners of entries --------------------------------------------------- */

/* A module has its statics in a DomainLocalModule, a thread in a ThreadLocalModule per
 * module: references are in an array on the heap, common to all plain types of the module,
 * other values after the structure itself. Generic and emitted types have separate entries
 * in an additional table; Module.DynamicStaticsInfo maps entries to types, and is inverted
 * here. docs/formats/core-dump.md, "Statics of .NET 8". */

struct clr_entry {
    uint64_t table; /* MethodTable */
    uint64_t module, place;
    UT_hash_handle hh;
};

static const struct clr_entry *entry_of(struct clr_types *t, uint64_t table)
{
    struct clr_entry *e;
    for (struct clr_module *m; (m = clr_module_after(t, t->located)) != NULL;) {
        bool ok = true;
        uint64_t types =
                     memory_u64(t->memory, m->address + t->at->module_dynamic_types, &ok),
                 count =
                     memory_u64(t->memory, m->address + t->at->module_dynamic_count, &ok);
        for (uint64_t i = 0; ok && i < count && clr_spend(t, sizeof(*e)); i++) {
            uint64_t found = memory_u64(t->memory, types + POINTER * i, &ok);
            HASH_FIND(hh, t->entries, &found, sizeof(found), e);
            if (!ok || found == 0 || e != NULL)
                continue;
            e = arena_alloc(t->a, sizeof(*e));
            *e = (struct clr_entry){.table = found, .module = m->address, .place = i};
            HASH_ADD(hh, t->entries, table, sizeof(e->table), e);
        }
        t->located = m;
    }
    HASH_FIND(hh, t->entries, &table, sizeof(table), e);
    return e;
}

void clr_statics_free(struct clr_types *t)
{
    HASH_CLEAR(hh, t->entries);
}

/* An entry of a collectible type has a LOADERHANDLE: with bit 0 the address of a place that
 * holds the array; else a place among what the LoaderAllocator, an object, keeps. */
static uint64_t loader_handle(struct clr_types *t, uint64_t module, uint64_t handle)
{
    const struct memory *memory = t->memory;
    bool ok = handle != 0;
    if (handle & 1)
        return memory_u64(memory, handle - 1, &ok); /* 0 if unreadable */
    uint64_t native = memory_u64(memory, module + t->at->module_loader_allocator, &ok);
    uint64_t held = memory_u64(memory, native + t->at->allocator_object, &ok);
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

/* --- .NET 8: where they are ------------------------------------------------------ */

enum { IS_INITIALISED = 0x1 };

/* For a thread a handle replaces the address. */
static uint64_t first_of(const struct clr_types *t, uint64_t place, bool of_thread)
{
    uint64_t to = memory_u64(t->memory, place, NULL);
    if (!of_thread || to == 0)
        return to;
    uint64_t array = memory_u64(t->memory, to, NULL);
    return array != 0 ? array + ARRAY_HEADER : 0;
}

/* Reads an item of the table: a pointer to the entry, and flags. Offsets of non-references
 * count from the start of the entry, whose header has this length; for a collectible type
 * from the same distance before the content of a byte array. */
static struct clr_bases by_entry(struct clr_types *t, const struct clr_entry *e,
                                 uint64_t local, bool of_thread)
{
    enum { ITEM_SIZE = 16, ITEM_FLAGS = 8, IS_COLLECTIBLE = 0x8, ENTRY_HEAD = 8 };
    uint32_t classes_at = of_thread ? t->at->thread_local_module_classes
                                    : t->at->local_module_classes,
             count_at =
                 of_thread ? t->at->thread_local_module_count : t->at->local_module_count;
    bool ok = true;
    uint64_t items = memory_u64(t->memory, local + classes_at, &ok),
             count = memory_u64(t->memory, local + count_at, &ok),
             item = items + ITEM_SIZE * e->place;
    if (!ok || items == 0 || e->place >= count)
        return (struct clr_bases){0};
    uint64_t entry = memory_u64(t->memory, item, &ok);
    uint32_t flags = memory_u32(t->memory, item + ITEM_FLAGS, &ok);
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
    enum { HAS_CONSTRUCTOR = 0x400 };
    bool of_thread = block != 0;
    uint32_t blob = of_thread ? t->at->thread_local_module_blob : t->at->local_module_blob,
             references = of_thread ? t->at->thread_local_module_gc_statics
                                    : t->at->local_module_gc_statics;
    const struct clr_entry *e = NULL;
    bool ok = true;
    if (method_table_has_entry(m) && (e = entry_of(t, m->address)) == NULL)
        return (struct clr_bases){0};
    /* The DomainLocalModule of a module, or the thread's equivalent. */
    uint64_t module = e != NULL ? e->module : m->module, local = 0;
    if (block == 0) {
        local = memory_u64(t->memory, module + t->at->module_local_module, &ok);
    } else {
        uint64_t index = memory_u64(t->memory, module + t->at->module_index, &ok);
        uint64_t all =
            memory_u64(t->memory, block + t->at->thread_local_block_modules, &ok);
        uint64_t count =
            memory_u64(t->memory, block + t->at->thread_local_block_count, &ok);
        if (ok && index < count)
            local = memory_u64(t->memory, all + POINTER * index, &ok);
    }
    if (local == 0)
        return (struct clr_bases){0};
    if (e != NULL)
        return by_entry(t, e, local, of_thread);
    /* A byte after all values shows whether its constructor has run; without a constructor
     * it is always used. */
    bool is_used = !(m->flags2 & HAS_CONSTRUCTOR) ||
                   (m->row > 0 && (memory_u8(t->memory, local + blob + m->row - 1, &ok) &
                                   IS_INITIALISED));
    return (struct clr_bases){.references = first_of(t, local + references, of_thread),
                              .plain = local,
                              .is_used = is_used};
}

/* --- where they are ------------------------------------------------------------ */

/* The statics of a type in the process, or in one thread. */
struct statics {
    struct clr_types *t;
    static_taker *take;
    void *context;
    bool wants_all; /* whatever they hold */
    bool of_thread;
    uint64_t thread;
    struct clr_bases bases; /* plain: if they are wanted */
};

/* member: of which of the two kinds. Without the mark of a class that was not used yet. */
static uint64_t process_base(const struct clr_types *t, const struct method_table *m,
                             uint32_t member, bool *is_used)
{
    bool ok = member != RUNTIME_NO_OFFSET;
    uint64_t base =
        memory_u64(t->memory, m->auxiliary - t->at->dynamic_statics_size + member, &ok);
    *is_used = ok && (base & ~t->at->statics_mask) == 0;
    return ok ? base & t->at->statics_mask : 0;
}

/* An index of thread statics: a kind in the highest byte, and a place. */
static uint64_t thread_base(const struct clr_types *t, const struct method_table *m,
                            uint32_t member, uint64_t data)
{
    enum { ORDINARY = 0, COLLECTIBLE = 1, DIRECT = 2, KIND = 24 };
    const struct memory *memory = t->memory;
    bool ok = member != RUNTIME_NO_OFFSET;
    uint32_t index =
        memory_u32(memory, m->auxiliary - t->at->thread_statics_size + member, &ok);
    uint32_t kind = index >> KIND, place = index & 0xFFFFFF,
             unused = t->at->tls_offsets_unused;
    uint64_t counts = data + t->at->thread_local_data_count;
    uint64_t arrays = data + t->at->thread_local_data_items;
    if (kind == ORDINARY && place >= unused) {
        uint32_t count = memory_u32(memory, counts, &ok);
        uint64_t array = memory_u64(memory, arrays, &ok);
        uint64_t item = array + ARRAY_HEADER + POINTER * (uint64_t)(place - unused);
        return ok && place < count && array != 0 ? memory_u64(memory, item, &ok) : 0;
    }
    if (kind == COLLECTIBLE) { /* after those of the others; handles */
        uint32_t count = memory_u32(memory, counts + 4, &ok);
        uint64_t array = memory_u64(memory, arrays + 8, &ok);
        if (!ok || place >= count || array == 0)
            return 0;
        uint64_t handle = memory_u64(memory, array + POINTER * (uint64_t)place, &ok);
        return handle != 0 ? memory_u64(memory, handle, &ok) : 0;
    }
    /* No references are kept so. */
    bool is_direct = kind == DIRECT && member != t->at->thread_statics_gc_index;
    return ok && is_direct ? data + place : 0;
}

/* data: what the thread has of its own; 0: of the process. */
static struct clr_bases bases_of(const struct statics *s, const struct method_table *m,
                                 uint64_t data)
{
    const struct clr_types *t = s->t;
    struct clr_bases found = {0};
    bool also;
    if (runtime_is_8(t->r))
        return clr_local_bases(s->t, m, data);
    if (data != 0) {
        found.references = thread_base(t, m, t->at->thread_statics_gc_index, data);
        if (s->wants_all)
            found.plain = thread_base(t, m, t->at->thread_statics_plain_index, data);
        return found;
    }
    found.references = process_base(t, m, t->at->dynamic_statics_gc, &found.is_used);
    if (s->wants_all) {
        found.plain = process_base(t, m, t->at->dynamic_statics_plain, &also);
        found.is_used &= also || t->at->dynamic_statics_plain == RUNTIME_NO_OFFSET;
    }
    return found;
}

/* --- types that have any ------------------------------------------------------- */

struct clr_statics_owner {
    uint64_t table;
    const char *name;
    uint32_t row, arrived;
};

struct clr_statics_owners {
    struct clr_types *t;
    struct clr_statics_owner *all;
    size_t len, cap;
};

static void take_owner(void *context, uint64_t handle)
{
    struct clr_statics_owners *o = context;
    struct method_table m;
    if (handle == 0 || !method_table_of(o->t, handle, &m) || method_table_is_array(&m) ||
        !method_table_has_statics(o->t, &m) || !clr_spend(o->t, sizeof(*o->all)))
        return;
    o->all = grow(o->all, o->len, &o->cap, sizeof(*o->all));
    o->all[o->len] = (struct clr_statics_owner){
        handle, clr_shown_full(o->t, clr_shape_of(o->t, handle)->full_name), m.row,
        (uint32_t)o->len};
    o->len++;
}

static int by_row(const void *a, const void *b)
{
    const struct clr_statics_owner *x = a, *y = b;
    int order = compare_numbers(x->row, y->row);
    order = order != 0 ? order : strcmp(x->name, y->name);
    return order != 0 ? order : compare_numbers(x->arrived, y->arrived);
}

/* The plain types of a module by their rows, then the instantiations that it keeps. */
static void owners_of(struct clr_statics_owners *o, const struct clr_module *m)
{
    uint32_t rows = m->metadata.tables[METADATA_TYPE_DEF].count;
    o->len = 0;
    for (uint32_t row = 1; row <= rows && clr_spend(o->t, 8); row++)
        take_owner(o, clr_module_type(o->t, m, METADATA_TYPE_DEF, row));
    size_t plain = o->len;
    clr_module_instances(o->t, m, take_owner, o);
    if (o->len > plain)
        qsort(o->all + plain, o->len - plain, sizeof(*o->all), by_row);
}

/* --- description of a variable -------------------------------------------------- */

/* Describes a variable, except for the object it holds; true if it is to be reported. */
static bool describe(const struct statics *s, const struct clr_statics_owner *owner,
                     const struct clr_module *module, const struct field_desc *d,
                     bool is_reference, struct clr_static *v)
{
    enum { COST = 256 }; /* of a reported one */
    struct clr_types *t = s->t;
    struct clr_scope scope = {.module = module};
    uint32_t member =
        s->of_thread ? t->at->thread_statics_plain_index : t->at->dynamic_statics_plain;
    v->is_boxed = d->element == ELEMENT_VALUETYPE;
    v->is_used = s->of_thread ? v->slot != 0 : s->bases.is_used;
    scope.arguments = clr_shape_arguments(t, clr_shape_of(t, owner->table), &scope.count);
    const struct clr_shape *shape =
        clr_field_shape(t, &scope, metadata_field_signature(&module->metadata, d->token));
    v->value = clr_field_of(t, is_reference ? ELEMENT_CLASS : d->element, shape);
    if (!is_reference && member == RUNTIME_NO_OFFSET && !runtime_is_8(t->r))
        v->value.kind = HD_FIELD_UNKNOWN;
    return clr_spend(t, COST) && s->take != NULL;
}

/* The dump may lack the name of its field. */
static void report_static(const struct statics *s, const struct clr_statics_owner *owner,
                          const struct clr_module *module, const struct field_desc *d)
{
    bool is_reference = d->element == ELEMENT_CLASS || d->element == ELEMENT_VALUETYPE;
    uint64_t base = is_reference ? s->bases.references : s->bases.plain;
    struct clr_static v = {.declared_by = owner->name,
                           .module = module->path,
                           .slot = base != 0 ? base + d->offset : 0,
                           .of_thread = s->of_thread,
                           .thread = s->thread};
    if (!s->wants_all) {
        v.object = is_reference ? memory_u64(s->t->memory, v.slot, NULL) : 0;
        if (v.object == 0)
            return;
    }
    v.field = metadata_field_name(&module->metadata, d->token);
    if (v.field[0] == '\0')
        v.field = s->t->unknown->raw;
    if (!s->wants_all || describe(s, owner, module, d, is_reference, &v))
        s->take(s->context, &v);
}

static void report_all(const struct statics *s, const struct clr_statics_owner *owner,
                       const struct method_table *m)
{
    const struct clr_module *module = clr_module_of(s->t, m->module);
    struct field_list list = method_table_fields(s->t, m);
    for (uint32_t i = 0; i < list.count && module != NULL && clr_spend(s->t, 16); i++) {
        struct field_desc d;
        if (field_desc_read(s->t, &list, i, &d) && d.is_static && !d.is_rva &&
            d.is_thread == s->of_thread)
            report_static(s, owner, module, &d);
    }
}

/* --- the whole ----------------------------------------------------------------- */

static bool has_thread_statics(struct clr_types *t, const struct method_table *m)
{
    struct field_list list = method_table_fields(t, m);
    struct field_desc d;
    for (uint32_t i = 0; i < list.count && clr_spend(t, 16); i++)
        if (field_desc_read(t, &list, i, &d) && d.is_static && d.is_thread)
            return true;
    return false;
}

static void report_threads(struct statics *s, const struct clr_statics_owner *owner,
                           const struct method_table *m)
{
    const struct gc_threads *threads = &s->t->threads;
    bool any = false;
    s->of_thread = true;
    for (size_t i = 0; i < threads->len && clr_spend(s->t, 8); i++) {
        if (threads->all[i].data == 0)
            continue;
        s->thread = threads->all[i].os_id;
        s->bases = bases_of(s, m, threads->all[i].data);
        if (s->bases.references == 0 && (s->bases.plain == 0 || !s->wants_all))
            continue;
        report_all(s, owner, m);
        s->t->declared.thread_instances++;
        any = true;
    }
    if (any || !s->wants_all)
        return;
    s->thread = 0; /* no thread has used it */
    s->bases = (struct clr_bases){0};
    report_all(s, owner, m);
}

/* Not the definition of a generic type, nor one over type variables, nor what its
 * instantiations over references share: these have no variables of their own. */
static bool is_real(const struct clr_statics_owner *owner, const struct method_table *m,
                    bool is_used)
{
    enum { GENERICS = 0x30, DEFINITION = 0x30 };
    uint32_t generics = m->flags & GENERICS;
    bool is_open = generics != 0 && !is_used && strstr(owner->name, "UNKNOWN 0x") != NULL;
    return generics != DEFINITION && !is_open &&
           strstr(owner->name, "System.__Canon") == NULL;
}

static void report_owner(struct statics *s, const struct clr_statics_owner *owner)
{
    struct method_table m;
    if (!method_table_read(s->t, owner->table, &m))
        return;
    s->t->declared.types++;
    s->of_thread = false;
    s->thread = 0;
    s->bases = bases_of(s, &m, 0);
    if (s->wants_all && !is_real(owner, &m, s->bases.is_used))
        return;
    if (s->bases.references != 0 || s->wants_all)
        report_all(s, owner, &m);
    if (!has_thread_statics(s->t, &m))
        return;
    s->t->declared.thread_types++;
    report_threads(s, owner, &m);
}

static void report_process(struct statics s)
{
    struct clr_types *t = s.t;
    struct clr_statics_owners owners = {.t = t};
    if (!t->has_threads) /* once: names and roots ask again */
        t->threads = gc_threads_read(t->r, t->a);
    t->has_threads = true;
    if (!runtime_is_8(t->r) && (t->at->dynamic_statics_size == RUNTIME_NO_OFFSET ||
                                t->at->method_table_auxiliary_data == RUNTIME_NO_OFFSET))
        return;
    clr_modules_all(t);
    t->declared = (struct clr_declared){0};
    for (struct clr_module *m = t->modules; m != NULL; m = m->hh.next) {
        owners_of(&owners, m);
        for (size_t i = 0; i < owners.len; i++)
            report_owner(&s, &owners.all[i]);
    }
    free(owners.all);
}

void clr_types_statics(struct clr_types *t, static_taker *take, void *context)
{
    report_process((struct statics){.t = t, .take = take, .context = context});
}

void clr_types_variables(struct clr_types *t, static_taker *take, void *context)
{
    report_process(
        (struct statics){.t = t, .take = take, .context = context, .wants_all = true});
}

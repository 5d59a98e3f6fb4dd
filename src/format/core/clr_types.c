/* The types of a process: opening, and what is shown of one. */
#include "format/core/clr_inner.h"
#include "heap/names.h"

#include <stdlib.h>
#include <string.h>

/* --- names --------------------------------------------------------------------- */

/* Names of types, each kept once: as the runtime's events spell them, and as shown. */

struct clr_name *clr_name_of(struct clr_types *t, const char *raw, size_t len)
{
    struct clr_name *name;
    if (len > MOST_NAME)
        len = MOST_NAME;
    HASH_FIND(hh, t->names, raw, len, name);
    if (name != NULL)
        return name;
    if (!clr_spend(t, len + sizeof(*name)))
        return t->unknown;
    name = arena_alloc(t->a, sizeof(*name));
    name->raw = arena_strdup(t->a, raw, len);
    name->len = len;
    HASH_ADD_KEYPTR(hh, t->names, name->raw, len, name);
    return name;
}

struct clr_name *clr_name_add(struct clr_types *t, struct text *raw)
{
    return clr_name_of(t, text_string(raw), raw->len);
}

static const char *clr_shown(struct clr_types *t, struct clr_name *name)
{
    if (name->shown != NULL)
        return name->shown;
    struct text rewritten = {0}, canonical = {0};
    names_rewritten(&rewritten, name->raw, name->len);
    names_canonical(&canonical, rewritten.data, rewritten.len);
    bool same =
        canonical.len == name->len && memcmp(canonical.data, name->raw, canonical.len) == 0;
    if (same || !clr_spend(t, canonical.len))
        name->shown = name->raw;
    else
        name->shown = arena_strdup(t->a, canonical.data, canonical.len);
    text_free(&rewritten);
    text_free(&canonical);
    return name->shown;
}

const char *clr_shown_full(struct clr_types *t, struct clr_name *name)
{
    if (memchr(name->raw, '\\', name->len) == NULL)
        return clr_shown(t, name);
    text_clear(&t->text);
    for (size_t i = 0; i < name->len; i++) {
        if (name->raw[i] == '\\' && i + 1 < name->len)
            i++;
        text_add_char(&t->text, name->raw[i]);
    }
    return clr_shown(t, clr_name_add(t, &t->text));
}

/* --- types --------------------------------------------------------------------- */

struct clr_types *clr_types_open(const struct runtime *r, struct arena *a)
{
    enum { FIRST_BUDGET = 16 << 20 };
    static const char unknown[] = "UNKNOWN";
    struct clr_types *t = alloc_zeroed(sizeof(*t));
    t->r = r;
    t->memory = &r->image->memory;
    t->a = a;
    t->budget = FIRST_BUDGET;
    for (size_t i = 0; i < t->memory->len; i++)
        clr_gain(t, t->memory->all[i].size);
    t->unknown = clr_name_of(t, unknown, sizeof(unknown) - 1);
    struct clr_shape *nothing = arena_alloc(a, sizeof(*nothing));
    nothing->name = nothing->full_name = t->unknown;
    t->nothing = nothing;
    t->nameless.name = t->nameless.full_name = unknown;
    return t;
}

void clr_types_close(struct clr_types *t)
{
    if (t == NULL)
        return;
    HASH_CLEAR(hh, t->names);
    HASH_CLEAR(hh, t->types);
    HASH_CLEAR(hh, t->modules);
    HASH_CLEAR(hh, t->instances);
    clr_locals_free(t);
    text_free(&t->text);
    free(t);
}

/* Where elements begin: behind the pointer to the MethodTable, the count and, of several
 * dimensions, sizes and lower bounds; the base size has the object's header besides. */
static void set_elements(struct clr_type *shown, const struct method_table *m)
{
    enum { STRING_TEXT = 12, OBJECT_HEADER = 8 };
    shown->element_size = method_table_element_size(m);
    shown->elements_at = shown->is_string ? STRING_TEXT : m->base_size - OBJECT_HEADER;
}

static void show(struct clr_types *t, struct clr_type *shown, const struct clr_shape *shape)
{
    struct method_table m;
    shown->name = clr_shown(t, shape->name);
    shown->full_name = clr_shown_full(t, shape->full_name);
    if (!runtime_is_method_table(t->r, shown->method_table) ||
        !method_table_read(t, shown->method_table, &m))
        return;
    const struct clr_module *module = clr_module_of(t, m.module);
    shown->module = module != NULL ? module->path : NULL;
    shown->is_array = method_table_is_array(&m);
    shown->is_string = method_table_is_string(&m);
    shown->is_collectible = method_table_is_collectible(t, &m);
    if (shown->is_array || shown->is_string)
        set_elements(shown, &m);
    clr_fields_of(t, &m, shown);
}

const struct clr_type *clr_type_of(struct clr_types *t, uint64_t method_table)
{
    struct known_type *k;
    const struct clr_shape *shape = clr_shape_of(t, method_table);
    HASH_FIND(hh, t->types, &method_table, sizeof(method_table), k);
    if (k == NULL)
        return &t->nameless;
    if (!k->is_shown) {
        k->is_shown = true;
        k->shown.method_table = method_table;
        show(t, &k->shown, shape);
    }
    return &k->shown;
}

/* --- static variables ---------------------------------------------------------- */

/* Static variables, and those of threads: where they are kept, by class.
 *
 * A MethodTable with statics has what tells where they are in front of its auxiliary data
 * (since .NET 9; before, clr_locals.c). The variables of a type that hold references, or
 * boxed structs, lie together in an array of the heap; those of a thread in an object that
 * the thread has for the type. */

/* --- types that have any ------------------------------------------------------- */

struct owner {
    uint64_t table;
    const char *name;
    uint32_t row, came;
};

struct owners {
    struct clr_types *t;
    struct owner *all;
    size_t len, cap;
    uint64_t module; /* whose types are wanted; 0: all */
};

static void take_owner(void *context, uint64_t handle)
{
    struct owners *o = context;
    struct method_table m;
    if (handle == 0 || (handle & 2) || !runtime_is_method_table(o->t->r, handle) ||
        !method_table_read(o->t, handle, &m) || method_table_is_array(&m) ||
        !method_table_has_statics(o->t, &m) || !clr_spend(o->t, sizeof(*o->all)))
        return;
    o->all = grow(o->all, o->len, &o->cap, sizeof(*o->all));
    o->all[o->len] =
        (struct owner){handle, clr_shown_full(o->t, clr_shape_of(o->t, handle)->full_name),
                       m.row, (uint32_t)o->len};
    o->len++;
}

static int by_row(const void *a, const void *b)
{
    const struct owner *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    int names = strcmp(x->name, y->name);
    return names != 0 ? names : (x->came > y->came) - (x->came < y->came);
}

/* The plain types of a module by their rows, then the instantiations that it keeps. */
static void owners_of(struct owners *o, const struct clr_module *m)
{
    uint32_t rows = m->metadata.tables[METADATA_TYPE_DEF].count;
    o->len = 0;
    for (uint32_t row = 1; row <= rows && clr_spend(o->t, 8); row++)
        take_owner(o, clr_module_type_def(o->t, m, row));
    size_t plain = o->len;
    clr_module_instances(o->t, m, take_owner, o);
    if (o->len > plain)
        qsort(o->all + plain, o->len - plain, sizeof(*o->all), by_row);
}

/* --- where they are ------------------------------------------------------------ */

/* The statics of a type in the process, or in one thread. */
struct statics {
    struct clr_types *t;
    void (*take)(void *context, const struct clr_static *s);
    void (*take_any)(void *context, const struct clr_variable *v); /* or this, of all */
    void *context;
    bool of_thread;
    uint64_t thread;
    struct clr_bases bases; /* plain: if they are wanted */
};

static bool has_local_modules(const struct clr_types *t)
{
    return t->r->at.module.local_module != RUNTIME_NO_OFFSET;
}

/* member: of which of the two kinds. Without the mark of a class that was not used yet. */
static uint64_t process_base(const struct clr_types *t, const struct method_table *m,
                             uint32_t member, bool *is_used)
{
    const struct runtime_layout *at = &t->r->at;
    bool ok = member != RUNTIME_NO_OFFSET;
    uint64_t base =
        memory_u64(t->memory, m->auxiliary - at->dynamic_statics.size + member, &ok);
    *is_used = ok && (base & ~at->statics_mask) == 0;
    return ok ? base & at->statics_mask : 0;
}

static struct clr_bases process_bases(const struct statics *s, const struct method_table *m)
{
    const struct runtime_layout *at = &s->t->r->at;
    struct clr_bases found = {0};
    bool also;
    if (has_local_modules(s->t))
        return clr_local_bases(s->t, m, 0);
    found.references =
        process_base(s->t, m, at->dynamic_statics.gc_statics, &found.is_used);
    if (s->take_any != NULL) {
        found.plain = process_base(s->t, m, at->dynamic_statics.plain_statics, &also);
        found.is_used &= also || at->dynamic_statics.plain_statics == RUNTIME_NO_OFFSET;
    }
    return found;
}

/* An index of thread statics: a kind in the highest byte, and a place. */
static uint64_t thread_base(const struct clr_types *t, const struct method_table *m,
                            uint32_t member, uint64_t data)
{
    enum { ORDINARY = 0, COLLECTIBLE = 1, DIRECT = 2, ARRAY_HEADER = 16, KIND = 24 };
    const struct runtime_layout *at = &t->r->at;
    const struct memory *memory = t->memory;
    bool ok = member != RUNTIME_NO_OFFSET;
    uint32_t index =
        memory_u32(memory, m->auxiliary - at->thread_statics.size + member, &ok);
    uint32_t place = index & 0xFFFFFF;
    uint64_t counts = data + at->thread_local_data.count;
    uint64_t arrays = data + at->thread_local_data.items;
    if (index >> KIND == ORDINARY && place >= at->tls_offsets_unused) {
        uint32_t count = memory_u32(memory, counts, &ok);
        uint64_t array = memory_u64(memory, arrays, &ok);
        uint64_t item =
            array + ARRAY_HEADER + 8 * (uint64_t)(place - at->tls_offsets_unused);
        return ok && place < count && array != 0 ? memory_u64(memory, item, &ok) : 0;
    }
    if (index >> KIND == COLLECTIBLE) { /* behind those of the others; of handles */
        uint32_t count = memory_u32(memory, counts + 4, &ok);
        uint64_t array = memory_u64(memory, arrays + 8, &ok);
        if (!ok || place >= count || array == 0)
            return 0;
        uint64_t handle = memory_u64(memory, array + 8 * (uint64_t)place, &ok);
        return ok && handle != 0 ? memory_u64(memory, handle, &ok) : 0;
    }
    /* No references are kept so. */
    bool is_direct = index >> KIND == DIRECT && member != at->thread_statics.gc_tls_index;
    return ok && is_direct ? data + place : 0;
}

static struct clr_bases thread_bases(const struct statics *s, const struct method_table *m,
                                     uint64_t data)
{
    const struct runtime_layout *at = &s->t->r->at;
    struct clr_bases found = {0};
    if (has_local_modules(s->t))
        return clr_local_bases(s->t, m, data);
    found.references = thread_base(s->t, m, at->thread_statics.gc_tls_index, data);
    if (s->take_any != NULL)
        found.plain = thread_base(s->t, m, at->thread_statics.plain_tls_index, data);
    return found;
}

static void report_static(const struct statics *s, const struct owner *owner,
                          const struct metadata *m, const struct field_desc *d)
{
    bool ok = true;
    struct clr_static found = {.declared_by = owner->name,
                               .slot = s->bases.references + d->offset,
                               .of_thread = s->of_thread,
                               .thread = s->thread};
    found.object = memory_u64(s->t->memory, found.slot, &ok);
    if (!ok || found.object == 0)
        return;
    found.field = metadata_field_name(m, d->token);
    if (found.field[0] == '\0')
        found.field = s->t->unknown->raw; /* the dump lacks what it is called */
    s->take(s->context, &found);
}

static bool is_reference(const struct field_desc *d)
{
    return d->element == ELEMENT_CLASS || d->element == ELEMENT_VALUETYPE;
}

static void report_variable(const struct statics *s, const struct owner *owner,
                            const struct clr_module *module, const struct field_desc *d)
{
    enum { COST = 256 }; /* of keeping one */
    struct clr_types *t = s->t;
    struct clr_scope scope = {.module = module};
    const struct runtime_layout *at = &t->r->at;
    uint64_t base = is_reference(d) ? s->bases.references : s->bases.plain;
    uint32_t member = s->of_thread ? at->thread_statics.plain_tls_index
                                   : at->dynamic_statics.plain_statics;
    bool is_told = is_reference(d) || member != RUNTIME_NO_OFFSET || has_local_modules(t);
    struct clr_variable v = {.declared_by = owner->name,
                             .module = module->path,
                             .name = metadata_field_name(&module->metadata, d->token),
                             .slot = base != 0 ? base + d->offset : 0,
                             .is_boxed = d->element == ELEMENT_VALUETYPE,
                             .is_used = s->of_thread ? base != 0 : s->bases.is_used,
                             .of_thread = s->of_thread,
                             .thread = s->thread};
    scope.arguments = clr_shape_arguments(t, clr_shape_of(t, owner->table), &scope.count);
    const struct clr_shape *shape =
        clr_field_shape(t, &scope, metadata_field_signature(&module->metadata, d->token));
    v.value = clr_field_of(t, is_reference(d) ? ELEMENT_CLASS : d->element, shape);
    if (!is_told)
        v.value.kind = HD_FIELD_UNKNOWN;
    if (v.name[0] == '\0')
        v.name = t->unknown->raw;
    if (clr_spend(t, COST))
        s->take_any(s->context, &v);
}

static void report_all(const struct statics *s, const struct owner *owner,
                       const struct method_table *m)
{
    const struct clr_module *module = clr_module_of(s->t, m->module);
    struct field_list list = method_table_fields(s->t, m);
    for (uint32_t i = 0; i < list.count && module != NULL && clr_spend(s->t, 16); i++) {
        struct field_desc d;
        if (!field_desc_read(s->t, &list, i, &d) || !d.is_static || d.is_rva ||
            d.is_thread != s->of_thread)
            continue;
        if (s->take_any != NULL)
            report_variable(s, owner, module, &d);
        else if (s->take != NULL && is_reference(&d))
            report_static(s, owner, &module->metadata, &d);
    }
}

/* --- threads ------------------------------------------------------------------- */

/* Reads the list once: names and roots ask again. */
static const struct gc_threads *threads_of(struct clr_types *t)
{
    if (!t->has_threads)
        t->threads = gc_threads_read(t->r, t->a);
    t->has_threads = true;
    return &t->threads;
}

static bool has_thread_statics(struct clr_types *t, const struct method_table *m)
{
    struct field_list list = method_table_fields(t, m);
    struct field_desc d;
    for (uint32_t i = 0; i < list.count && clr_spend(t, 16); i++)
        if (field_desc_read(t, &list, i, &d) && d.is_static && d.is_thread)
            return true;
    return false;
}

/* --- the whole ----------------------------------------------------------------- */

static void report_threads(struct statics *s, const struct owner *owner,
                           const struct method_table *m, const struct gc_threads *threads)
{
    bool any = false;
    s->of_thread = true;
    for (size_t i = 0; i < threads->len && clr_spend(s->t, 8); i++) {
        if (threads->all[i].data == 0)
            continue;
        s->thread = threads->all[i].os_id;
        s->bases = thread_bases(s, m, threads->all[i].data);
        if (s->bases.references == 0 && (s->bases.plain == 0 || s->take_any == NULL))
            continue;
        report_all(s, owner, m);
        s->t->declared.thread_instances++;
        any = true;
    }
    if (any || s->take_any == NULL)
        return;
    s->thread = 0; /* no thread has used it */
    s->bases = (struct clr_bases){0};
    report_all(s, owner, m);
}

/* Not the definition of a generic type, nor one over type variables, nor what its
 * instantiations over references share: these have no variables of their own. */
static bool is_real(const struct owner *owner, const struct method_table *m, bool is_used)
{
    enum { GENERICS = 0x30, DEFINITION = 0x30 };
    uint32_t generics = m->flags & GENERICS;
    bool is_open = generics != 0 && !is_used && strstr(owner->name, "UNKNOWN 0x") != NULL;
    return generics != DEFINITION && !is_open &&
           strstr(owner->name, "System.__Canon") == NULL;
}

static void report_owner(struct statics *s, const struct owner *owner,
                         const struct gc_threads *threads)
{
    struct method_table m;
    if (!method_table_read(s->t, owner->table, &m))
        return;
    s->t->declared.types++;
    s->of_thread = false;
    s->thread = 0;
    s->bases = process_bases(s, &m);
    if (s->take_any != NULL && !is_real(owner, &m, s->bases.is_used))
        return;
    if (s->bases.references != 0 || s->take_any != NULL)
        report_all(s, owner, &m);
    if (!has_thread_statics(s->t, &m))
        return;
    s->t->declared.thread_types++;
    report_threads(s, owner, &m, threads);
}

static void report_process(struct statics *s)
{
    struct clr_types *t = s->t;
    struct owners owners = {.t = t};
    const struct gc_threads *threads = threads_of(t);
    if (!has_local_modules(t) &&
        (t->r->at.dynamic_statics.size == RUNTIME_NO_OFFSET ||
         t->r->at.method_table.auxiliary_data == RUNTIME_NO_OFFSET))
        return;
    clr_modules_all(t);
    t->declared = (struct clr_declared){0};
    for (struct clr_module *m = t->modules; m != NULL; m = m->hh.next) {
        owners_of(&owners, m);
        for (size_t i = 0; i < owners.len; i++)
            report_owner(s, &owners.all[i], threads);
    }
    free(owners.all);
}

void clr_types_statics(struct clr_types *t,
                       void (*take)(void *context, const struct clr_static *s),
                       void *context)
{
    struct statics s = {.t = t, .take = take, .context = context};
    report_process(&s);
}

void clr_types_variables(struct clr_types *t,
                         void (*take)(void *context, const struct clr_variable *v),
                         void *context)
{
    struct statics s = {.t = t, .take_any = take, .context = context};
    report_process(&s);
}

struct clr_declared clr_types_declared(const struct clr_types *t)
{
    return t->declared;
}

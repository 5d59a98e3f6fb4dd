/* Checks a built-in layout table against well-known types of the runtime's own library.
 * Skips truncated dumps, missing metadata, and runtimes that describe themselves. The rest
 * of the table: process/runtime_check.c. For all runtimes, checks that the modules have the
 * types of the objects. */
#include "clr/managed/clr_types.h"
#include "heap/ids.h"

#include <string.h>

/* --- known types --------------------------------------------------------------- */

/* Finds a type through the module's map; its MethodTable must have the same row and
 * module. */
static const char *find_type(struct clr_types *t, const struct clr_module *lib,
                             const char *name, struct method_table *m)
{
    uint32_t rows = lib->metadata.tables[METADATA_TYPE_DEF].count, row = 1;
    for (; row <= rows; row++) {
        struct metadata_name is = metadata_type_name(&lib->metadata, row);
        if (strcmp(is.name, name) == 0 && strcmp(is.space, "System") == 0)
            break;
    }
    uint64_t table = row <= rows ? clr_module_type(t, lib, METADATA_TYPE_DEF, row) : 0;
    if (table == 0 || !method_table_of(t, table, m))
        return "Module";
    return m->row == row && m->module == lib->address ? NULL : "MethodTable";
}

static bool find_field(struct clr_types *t, const struct clr_module *lib,
                       const struct method_table *m, const char *name, struct field_desc *d)
{
    struct field_list list = method_table_fields(t, m);
    for (uint32_t i = 0; i < list.count && clr_spend(t, 16); i++)
        if (field_desc_read(t, &list, i, d) &&
            strcmp(metadata_field_name(&lib->metadata, d->token), name) == 0)
            return true;
    return false;
}

/* The string that is empty is kept by all. */
static bool statics_fit(struct clr_types *t, const struct clr_module *lib,
                        const struct method_table *string)
{
    struct field_desc d;
    bool ok = true;
    uint64_t base = clr_local_bases(t, string, 0).references;
    if (base == 0 || !find_field(t, lib, string, "Empty", &d) || !d.is_static)
        return false;
    uint64_t empty = memory_u64(t->memory, base + d.offset, &ok);
    uint64_t type = ok && empty != 0 ? memory_u64(t->memory, empty, &ok) : string->address;
    return ok && (type & ~UINT64_C(7)) == string->address;
}

/* Types with statics by themselves, and where these are: pointers and flags. */
static bool entries_fit(struct clr_types *t, const struct clr_module *lib)
{
    enum { ITEM_SIZE = 16, FLAGS = 0xF, MAX_ITEMS = 64 };
    struct method_table m;
    bool ok = true;
    uint64_t types = memory_u64(t->memory, lib->address + t->at->module_dynamic_types, &ok);
    uint64_t first = memory_u64(t->memory, types, &ok);
    uint64_t local = memory_u64(t->memory, lib->address + t->at->module_local_module, &ok);
    uint64_t items = memory_u64(t->memory, local + t->at->local_module_classes, &ok);
    uint64_t count = memory_u64(t->memory, local + t->at->local_module_count, &ok),
             made = 0;
    if (!ok || !method_table_of(t, first, &m) || !method_table_has_entry(&m))
        return false;
    for (uint64_t i = 0; i < count && i < MAX_ITEMS && ok; i++) {
        uint64_t entry = memory_u64(t->memory, items + ITEM_SIZE * i, &ok);
        ok = ok && memory_u32(t->memory, items + ITEM_SIZE * i + 8, &ok) <= FLAGS;
        made += entry != 0;
        if (entry != 0)
            memory_u64(t->memory, entry, &ok);
    }
    return ok && (made > 0 || (count == 0 && items == 0)); /* empty at the very start */
}

static const char *types_misfit(struct clr_types *t, const struct clr_module *lib)
{
    enum { INT32_SIZE = 4 };
    struct method_table object, string, number;
    struct field_desc d;
    const char *misfit;
    if ((misfit = find_type(t, lib, "Object", &object)) != NULL ||
        (misfit = find_type(t, lib, "String", &string)) != NULL ||
        (misfit = find_type(t, lib, "Int32", &number)) != NULL)
        return misfit;
    if (object.parent != 0 || string.parent != object.address)
        return "MethodTable";
    /* A string knows how long it is; a number of 32 bits has 4 bytes. */
    if (!find_field(t, lib, &string, "_stringLength", &d) || d.is_static ||
        method_table_element(t, &number) != ELEMENT_I4 ||
        method_table_value_size(t, &number) != INT32_SIZE)
        return "EEClass";
    if (!statics_fit(t, lib, &string) || !entries_fit(t, lib))
        return "DomainLocalModule";
    return NULL;
}

/* --- instantiations ------------------------------------------------------------ */

struct clr_check_instances {
    struct clr_types *t;
    size_t seen, fitting;
};

static bool is_handle(const struct clr_types *t, uint64_t handle)
{
    bool ok = true;
    if (!(handle & 2))
        return runtime_is_method_table(t->r, handle);
    uint8_t element =
        memory_u8(t->memory, (handle & ~UINT64_C(2)) + t->at->type_desc_flags, &ok);
    return ok && element != 0 && element <= ELEMENT_MVAR;
}

static void see_instance(void *context, uint64_t handle)
{
    struct clr_check_instances *all = context;
    struct method_table m;
    uint64_t first;
    bool fits = is_handle(all->t, handle), ok = true;
    if (fits && !(handle & 2) && method_table_read(all->t, handle, &m)) {
        uint32_t count = method_table_arguments(all->t, &m, &first);
        fits = count > 0 || !method_table_is_generic(&m);
        for (uint32_t i = 0; i < count && fits; i++)
            fits =
                is_handle(all->t, memory_u64(all->t->memory, first + 8 * (uint64_t)i, &ok));
    }
    all->seen++;
    all->fitting += fits && ok;
}

/* --- the whole ----------------------------------------------------------------- */

const char *clr_types_misfit(struct clr_types *t)
{
    uint64_t address = runtime_first_module(t->r);
    bool asked = runtime_is_8(t->r) && address != 0 && t->r->image->lost == 0;
    const struct clr_module *lib = asked ? clr_module_of(t, address) : NULL;
    if (lib == NULL || lib->metadata.tables[METADATA_TYPE_DEF].count == 0)
        return NULL;
    bool ok = true;
    uint32_t index = memory_u32(t->memory, lib->address + t->at->module_index, &ok);
    const char *misfit = types_misfit(t, lib);
    if (misfit != NULL)
        return misfit;
    if (ok && index != 0) /* modules are numbered as they are loaded */
        return "Module";
    /* One may just be made, so nine of ten are enough. */
    struct clr_check_instances all = {.t = t};
    clr_module_instances(t, lib, see_instance, &all);
    return all.seen > 0 && all.fitting >= all.seen - all.seen / 10 ? NULL
                                                                   : "EETypeHashTable";
}

/* --- agreement ----------------------------------------------------------------- */

static void note_instance(void *context, uint64_t handle)
{
    struct id_numbers *listed = context;
    id_numbers_add(listed, handle);
}

static void tally(struct clr_tally *t, bool agrees)
{
    t->asked++;
    t->agreed += agrees;
}

static void compare_type(struct clr_types *t, uint64_t table,
                         const struct id_numbers *listed, struct clr_agreement *to)
{
    struct method_table m;
    if (runtime_is_continuation(t->r, table) || !method_table_of(t, table, &m))
        return;
    if (method_table_is_array(&m) || method_table_is_generic(&m)) {
        tally(&to->instances, id_numbers_find(listed, table) != NO_ID);
        return;
    }
    const struct clr_module *module = m.row != 0 ? clr_module_of(t, m.module) : NULL;
    if (module == NULL || m.row > module->metadata.tables[METADATA_TYPE_DEF].count)
        return;
    tally(&to->rows, clr_module_type(t, module, METADATA_TYPE_DEF, m.row) == table);
    /* Not for types without fields in metadata: a dump may have only their name. */
    const struct metadata *metadata = &module->metadata;
    uint32_t first, end = metadata_fields(metadata, m.row, &first), declared = 0;
    for (uint32_t i = first; i < end && clr_spend(t, 1); i++)
        declared += !metadata_field_is_literal(metadata, metadata_field(metadata, i));
    if (declared > 0)
        tally(&to->fields, method_table_fields(t, &m).count == declared);
}

struct clr_agreement clr_types_agreement(struct clr_types *t)
{
    struct clr_agreement found = {.rows = {0}};
    struct id_numbers listed = {0};
    bool all_there = true;
    for (struct clr_module *m = t->modules; m != NULL; m = m->hh.next) {
        all_there &= m->metadata.tables[METADATA_TYPE_DEF].count > 0;
        clr_module_instances(t, m, note_instance, &listed);
    }
    for (struct known_type *k = t->types; k != NULL; k = k->hh.next)
        compare_type(t, k->handle, &listed, &found);
    id_numbers_free(&listed);
    /* Lists of modules without metadata are not read (clr_modules.c). */
    if (!all_there)
        found.instances = (struct clr_tally){0};
    return found;
}

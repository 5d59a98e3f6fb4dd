/* The types of a process: opening, and what is shown of one. */
#include "clr/managed/clr_types.h"
#include "heap/names.h"

#include <stdlib.h>
#include <string.h>

/* --- names --------------------------------------------------------------------- */

/* Names of types, each kept once: as the runtime's events spell them, and as shown. */

struct clr_name *clr_name_of(struct clr_types *t, const char *raw, size_t len)
{
    struct clr_name *name;
    if (len > MAX_NAME)
        len = MAX_NAME;
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
    clr_statics_free(t);
    text_free(&t->text);
    free(t);
}

/* Elements begin behind the pointer to the MethodTable, the count and, of several
 * dimensions, sizes and lower bounds; the base size has the object's header besides. */
static void show_type(struct clr_types *t, struct clr_type *shown,
                      const struct clr_shape *shape)
{
    enum { STRING_TEXT = 12, OBJECT_HEADER = 8 };
    struct method_table m;
    shown->name = clr_shown(t, shape->name);
    shown->full_name = clr_shown_full(t, shape->full_name);
    if (!method_table_of(t, shown->method_table, &m))
        return;
    const struct clr_module *module = clr_module_of(t, m.module);
    shown->module = module != NULL ? module->path : NULL;
    shown->is_array = method_table_is_array(&m);
    shown->is_string = method_table_is_string(&m);
    shown->is_collectible = method_table_is_collectible(t, &m);
    if (shown->is_array || shown->is_string) {
        shown->element_size = method_table_element_size(&m);
        shown->elements_at = shown->is_string ? STRING_TEXT : m.base_size - OBJECT_HEADER;
    }
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
        show_type(t, &k->shown, shape);
    }
    return &k->shown;
}

/* --- members of enums ---------------------------------------------------------- */

enum { MAX_MEMBERS = 4096 };

struct clr_types_member {
    uint64_t value;
    uint32_t field;
};

struct members {
    struct clr_types_member all[MAX_MEMBERS];
    size_t len;
};

static int members_by_value(const void *a, const void *b)
{
    const struct clr_types_member *x = a, *y = b;
    return x->value != y->value ? compare_numbers(x->value, y->value)
                                : compare_numbers(x->field, y->field);
}

/* As Enum.ToString() does: the highest members first, as long as they fit. */
static bool add_flags(struct text *to, struct members *all, const struct metadata *m,
                      uint64_t value)
{
    bool used[MAX_MEMBERS] = {false};
    qsort(all->all, all->len, sizeof(*all->all), members_by_value);
    for (size_t i = all->len; i-- > 0;) {
        uint64_t bits = all->all[i].value;
        if (bits == 0 || (value & bits) != bits)
            continue;
        used[i] = true;
        value &= ~bits;
    }
    for (size_t i = 0; i < all->len && value == 0; i++) {
        if (used[i] && to->len > 0)
            text_add_string(to, " | ");
        if (used[i])
            text_add_string(to, metadata_field_name(m, all->all[i].field));
    }
    return value == 0 && to->len > 0;
}

const char *clr_enum_name(struct clr_types *t, uint64_t table, uint64_t value)
{
    struct method_table m;
    struct bytes attribute;
    const struct clr_module *module;
    if (!method_table_of(t, table, &m) || !clr_is_enum(t, &m) ||
        (module = clr_module_of(t, m.module)) == NULL)
        return NULL;
    const struct metadata *metadata = &module->metadata;
    uint32_t size = clr_field_of(t, method_table_element(t, &m), t->nothing).size;
    uint64_t mask = size > 0 && size < 8 ? (UINT64_C(1) << 8 * size) - 1 : UINT64_MAX;
    struct members *all = alloc_zeroed(sizeof(*all));
    bool found = false;
    uint32_t first, end = metadata_fields(metadata, m.row, &first);
    value &= mask;
    text_clear(&t->text);
    for (uint32_t place = first; place < end && all->len < MAX_MEMBERS && !found; place++) {
        struct clr_types_member *member = &all->all[all->len];
        member->field = metadata_field(metadata, place);
        if (!metadata_constant(metadata, member->field, &member->value))
            continue;
        member->value &= mask;
        all->len++;
        found = member->value == value;
        if (found)
            text_add_string(&t->text, metadata_field_name(metadata, member->field));
    }
    found = found || (metadata_has_attribute(metadata, m.row, "System", "FlagsAttribute",
                                             &attribute) &&
                      add_flags(&t->text, all, metadata, value));
    free(all);
    if (!found)
        return NULL;
    /* Where the budget is used up, another name is kept in its place. */
    const char *name = clr_name_add(t, &t->text)->raw;
    return strcmp(name, text_string(&t->text)) == 0 ? name : NULL;
}

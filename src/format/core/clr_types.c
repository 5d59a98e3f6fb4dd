/* The types of a process: opening, and what is shown of one. */
#include "format/core/clr_inner.h"

#include <string.h>

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
    text_free(&t->text);
    free(t);
}

static bool is_collectible(const struct method_table *m)
{
    enum { COLLECTIBLE = 0x00200000 };
    return m->flags & COLLECTIBLE;
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
    shown->is_collectible = is_collectible(&m);
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

/* The fields of a type and its bases, structs taken apart into what is in them. */
#include "format/core/clr_inner.h"

#include <stdlib.h>
#include <string.h>

/* Of the MethodTable pointer, which offsets of a class do not count. */
enum { HEADER = 8 };

/* --- kinds --------------------------------------------------------------------- */

static const struct {
    uint8_t element, size;
    enum hd_field_kind kind;
} kinds[] = {
    {ELEMENT_BOOLEAN, 1, HD_FIELD_BOOLEAN}, {ELEMENT_CHAR, 2, HD_FIELD_CHAR},
    {ELEMENT_I1, 1, HD_FIELD_SIGNED},       {ELEMENT_U1, 1, HD_FIELD_UNSIGNED},
    {ELEMENT_I2, 2, HD_FIELD_SIGNED},       {ELEMENT_U2, 2, HD_FIELD_UNSIGNED},
    {ELEMENT_I4, 4, HD_FIELD_SIGNED},       {ELEMENT_U4, 4, HD_FIELD_UNSIGNED},
    {ELEMENT_I8, 8, HD_FIELD_SIGNED},       {ELEMENT_U8, 8, HD_FIELD_UNSIGNED},
    {ELEMENT_R4, 4, HD_FIELD_FLOAT},        {ELEMENT_R8, 8, HD_FIELD_FLOAT},
    {ELEMENT_I, 8, HD_FIELD_SIGNED},        {ELEMENT_U, 8, HD_FIELD_UNSIGNED},
    {ELEMENT_PTR, 8, HD_FIELD_UNSIGNED},    {ELEMENT_FNPTR, 8, HD_FIELD_UNSIGNED},
    {ELEMENT_BYREF, 8, HD_FIELD_UNSIGNED},  {ELEMENT_CLASS, 8, HD_FIELD_REFERENCE},
};

static void set_kind(struct clr_field *f, unsigned element)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        if (kinds[i].element == element) {
            f->kind = kinds[i].kind;
            f->is_signed = f->kind == HD_FIELD_SIGNED;
            f->size = kinds[i].size;
        }
    }
}

static bool is_named(struct clr_types *t, uint64_t table, const char *name)
{
    const struct clr_shape *s = table != 0 ? clr_shape_of(t, table) : t->nothing;
    return strcmp(s->full_name->raw, name) == 0;
}

static bool clr_is_enum(struct clr_types *t, const struct method_table *m)
{
    return method_table_is_value(m) && is_named(t, m->parent, "System.Enum");
}

/* What a value of a struct type is, if it is one number: of an enum, of a primitive. */
static unsigned number_inside(struct clr_types *t, const struct method_table *m)
{
    unsigned element = method_table_element(t, m);
    const struct clr_shape *primitive = clr_primitive(t, element);
    if (clr_is_enum(t, m) ||
        (primitive != NULL && is_named(t, m->address, primitive->name->raw)))
        return element;
    return ELEMENT_VALUETYPE;
}

/* --- the walk ------------------------------------------------------------------ */

/* A class, or a struct inside, whose fields are being taken. */
struct level {
    struct method_table m;
    struct field_list list;
    struct clr_scope scope;
    uint32_t next, base;
    size_t prefix; /* how much of the name so far is its own */
    uint32_t element, repeats,
        step; /* of an inline array: how often its one field stands */
};

struct walk {
    struct clr_types *t;
    struct level levels[MOST_NESTING];
    size_t depth;
    struct text name;
    const char *declared_by;
    struct clr_field *all;
    size_t len, cap;
    uint32_t steps;
};

enum { MOST_STEPS = 16 * MOST_FIELDS };

/* As it is written in C#: a field that a property has by itself is called as that. */
static void add_field_name(struct text *to, const char *name)
{
    static const char backing[] = ">k__BackingField";
    size_t len = strlen(name), end = sizeof(backing) - 1;
    if (name[0] == '<' && len > end && strcmp(name + len - end, backing) == 0)
        text_add(to, name + 1, len - end - 1);
    else
        text_add(to, name, len);
}

static void emit(struct walk *w, uint32_t offset, unsigned element,
                 const struct clr_shape *shape)
{
    struct clr_types *t = w->t;
    struct method_table m;
    if (w->len == MOST_FIELDS || !clr_spend(t, sizeof(struct clr_field)))
        return;
    w->all = grow(w->all, w->len, &w->cap, sizeof(*w->all));
    struct clr_field *f = &w->all[w->len++];
    *f = (struct clr_field){.offset = offset, .type = shape->table};
    f->name = clr_name_add(t, &w->name)->raw;
    f->declared_by = w->declared_by;
    if (shape != t->nothing)
        f->type_name = clr_shown_full(t, shape->full_name);
    set_kind(f, element);
    bool is_value = shape->element == ELEMENT_VALUETYPE && shape->table != 0;
    if (is_value && element != ELEMENT_VALUETYPE &&
        method_table_read(t, shape->table, &m) && clr_is_enum(t, &m))
        f->kind = HD_FIELD_ENUM;
}

/* How often the one field of an inline array, or of a fixed buffer, stands in it. */
static void set_repeats(struct walk *w, struct level *l)
{
    struct clr_types *t = w->t;
    const struct metadata *m = &l->scope.module->metadata;
    uint32_t row = l->m.row;
    struct bytes value;
    struct field_desc only;
    l->repeats = 1;
    if (l->list.count != 1 || !field_desc_read(t, &l->list, 0, &only) ||
        !(strstr(metadata_type_name(m, row).name, "e__FixedBuffer") != NULL ||
          metadata_has_attribute(m, row, "System.Runtime.CompilerServices",
                                 "InlineArrayAttribute", &value)))
        return;
    struct clr_field f = {0};
    set_kind(&f, only.element);
    struct method_table inside;
    if (only.element == ELEMENT_VALUETYPE) {
        const struct clr_shape *s =
            clr_field_shape(t, &l->scope, metadata_field_signature(m, only.token));
        if (s->table != 0 && method_table_read(t, s->table, &inside))
            f.size = method_table_value_size(t, &inside);
    }
    uint32_t size = method_table_value_size(t, &l->m);
    if (f.size == 0 || size / f.size <= 1)
        return;
    l->step = f.size;
    l->repeats = size / f.size;
}

static void enter(struct walk *w, uint64_t table, const struct clr_shape *shape,
                  uint32_t base)
{
    struct level *l = &w->levels[w->depth];
    *l = (struct level){.base = base, .prefix = w->name.len};
    if (!method_table_read(w->t, table, &l->m))
        return;
    l->scope.module = clr_module_of(w->t, l->m.module);
    if (l->scope.module == NULL)
        return;
    l->scope.arguments = clr_shape_arguments(w->t, shape, &l->scope.count);
    l->list = method_table_fields(w->t, &l->m);
    if (method_table_is_value(&l->m))
        set_repeats(w, l);
    w->depth++;
}

static void name_field(struct walk *w, const struct level *l, const struct field_desc *d)
{
    const struct metadata *m = &l->scope.module->metadata;
    w->name.len = l->prefix;
    if (l->repeats > 1) {
        char text[16];
        snprintf(text, sizeof(text), "[%u]", (unsigned)l->element);
        text_add_string(&w->name, text);
        return;
    }
    if (l->prefix > 0)
        text_add_char(&w->name, '.');
    add_field_name(&w->name, metadata_field_name(m, d->token));
}

static void read_field(struct walk *w, struct level *l, const struct field_desc *d)
{
    const struct metadata *m = &l->scope.module->metadata;
    uint32_t offset = l->base + d->offset + l->element * l->step;
    name_field(w, l, d);
    const struct clr_shape *shape =
        clr_field_shape(w->t, &l->scope, metadata_field_signature(m, d->token));
    if (++l->element >= l->repeats) {
        l->element = 0;
        l->next++;
    }
    if (d->element == ELEMENT_VALUETYPE && shape->table != 0 && w->depth < MOST_NESTING)
        enter(w, shape->table, shape, offset);
    else
        emit(w, offset, d->element, shape);
}

static void walk_levels(struct walk *w)
{
    while (w->depth > 0) {
        struct level *l = &w->levels[w->depth - 1];
        struct field_desc d;
        if (l->next >= l->list.count || w->steps++ >= MOST_STEPS || !clr_spend(w->t, 16))
            w->depth--;
        else if (!field_desc_read(w->t, &l->list, l->next, &d) || d.is_static)
            l->next++;
        else
            read_field(w, l, &d);
    }
}

/* --- objects and arrays -------------------------------------------------------- */

static void walk_class(struct walk *w, const struct method_table *of)
{
    struct method_table m = *of;
    for (int i = 0; i < MOST_PARENTS; i++) {
        const struct clr_shape *shape = clr_shape_of(w->t, m.address);
        w->declared_by = clr_shown_full(w->t, shape->full_name);
        w->name.len = 0;
        enter(w, m.address, shape, HEADER);
        walk_levels(w);
        if (m.parent == 0 || !method_table_read(w->t, m.parent, &m))
            return;
    }
}

static void walk_elements(struct walk *w, uint64_t handle)
{
    const struct clr_shape *shape = clr_shape_of(w->t, handle);
    struct method_table m;
    unsigned element = shape->element;
    text_add_string(&w->name, "[]");
    if (element == ELEMENT_VALUETYPE && method_table_read(w->t, shape->table, &m))
        element = number_inside(w->t, &m);
    if (element != ELEMENT_VALUETYPE)
        emit(w, 0, element, shape);
    else
        enter(w, shape->table, shape, 0);
    walk_levels(w);
}

/* The value of an enum that was boxed. */
static void mark_enum(struct walk *w, const struct method_table *m)
{
    if (w->len != 1 || !clr_is_enum(w->t, m))
        return;
    w->all[0].kind = HD_FIELD_ENUM;
    w->all[0].type = m->address;
}

static int by_offset(const void *a, const void *b)
{
    const struct clr_field *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return strcmp(x->name, y->name);
}

void clr_fields_of(struct clr_types *t, const struct method_table *m,
                   struct clr_type *shown)
{
    struct walk w = {.t = t};
    if (shown->is_string) {
        text_add_string(&w.name, "[]");
        emit(&w, 0, ELEMENT_CHAR, clr_primitive(t, ELEMENT_CHAR));
    } else if (shown->is_array) {
        walk_elements(&w, m->per_inst);
    } else {
        walk_class(&w, m);
        mark_enum(&w, m);
    }
    if (w.len > 0) {
        qsort(w.all, w.len, sizeof(*w.all), by_offset);
        struct clr_field *fields = arena_array(t->a, struct clr_field, w.len);
        memcpy(fields, w.all, w.len * sizeof(*fields));
        shown->fields = fields;
        shown->field_count = w.len;
    }
    text_free(&w.name);
    free(w.all);
}

/* --- names of enum members ----------------------------------------------------- */

/* Names of the members of enums. */

enum { MOST_MEMBERS = 4096 };

struct member {
    uint64_t value;
    uint32_t field;
};

struct members {
    struct member all[MOST_MEMBERS];
    size_t len;
    uint64_t mask; /* of the bits that a value has */
};

static uint64_t mask_of(unsigned element)
{
    switch (element) {
    case ELEMENT_BOOLEAN:
    case ELEMENT_I1:
    case ELEMENT_U1:
        return UINT8_MAX;
    case ELEMENT_CHAR:
    case ELEMENT_I2:
    case ELEMENT_U2:
        return UINT16_MAX;
    case ELEMENT_I4:
    case ELEMENT_U4:
        return UINT32_MAX;
    default:
        return UINT64_MAX;
    }
}

static void read_members(struct members *to, const struct metadata *m, uint32_t row)
{
    uint32_t first, end = metadata_fields(m, row, &first);
    for (uint32_t place = first; place < end && to->len < MOST_MEMBERS; place++) {
        struct member *member = &to->all[to->len];
        member->field = metadata_field(m, place);
        if (metadata_constant(m, member->field, &member->value)) {
            member->value &= to->mask;
            to->len++;
        }
    }
}

static int by_value(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->field > y->field) - (x->field < y->field);
}

/* As Enum.ToString() does: the highest members first, as long as they fit. */
static bool add_flags(struct text *to, struct members *all, const struct metadata *m,
                      uint64_t value)
{
    bool used[MOST_MEMBERS] = {false};
    qsort(all->all, all->len, sizeof(*all->all), by_value);
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

static bool add_member(struct text *to, struct members *all, const struct metadata *m,
                       uint32_t row, uint64_t value)
{
    struct bytes attribute;
    for (size_t i = 0; i < all->len; i++) {
        if (all->all[i].value == value) {
            text_add_string(to, metadata_field_name(m, all->all[i].field));
            return true;
        }
    }
    return metadata_has_attribute(m, row, "System", "FlagsAttribute", &attribute) &&
           add_flags(to, all, m, value);
}

const char *clr_enum_name(struct clr_types *t, uint64_t table, uint64_t value)
{
    struct method_table m;
    const struct clr_module *module;
    if (!runtime_is_method_table(t->r, table) || !method_table_read(t, table, &m) ||
        !clr_is_enum(t, &m) || (module = clr_module_of(t, m.module)) == NULL)
        return NULL;
    struct members *all = alloc_zeroed(sizeof(*all));
    all->mask = mask_of(method_table_element(t, &m));
    read_members(all, &module->metadata, m.row);
    text_clear(&t->text);
    bool found = add_member(&t->text, all, &module->metadata, m.row, value & all->mask);
    free(all);
    if (!found)
        return NULL;
    /* Where the budget is used up, another name is kept in its place. */
    const char *name = clr_name_add(t, &t->text)->raw;
    return strcmp(name, text_string(&t->text)) == 0 ? name : NULL;
}

/* The types of a process: opening, and their descriptions. */
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

/* --- fields -------------------------------------------------------------------- */

/* The fields of a type and its bases, structs taken apart into what is in them. */

/* Size of the MethodTable pointer, which field offsets do not include. */
enum { HEADER = 8 };

/* --- kinds --------------------------------------------------------------------- */

/* By element type; size 0: others. */
static const struct {
    uint8_t size;
    enum hd_field_kind kind;
} kinds[ELEMENT_OBJECT + 1] = {
    [ELEMENT_BOOLEAN] = {1, HD_FIELD_BOOLEAN}, [ELEMENT_CHAR] = {2, HD_FIELD_CHAR},
    [ELEMENT_I1] = {1, HD_FIELD_SIGNED},       [ELEMENT_U1] = {1, HD_FIELD_UNSIGNED},
    [ELEMENT_I2] = {2, HD_FIELD_SIGNED},       [ELEMENT_U2] = {2, HD_FIELD_UNSIGNED},
    [ELEMENT_I4] = {4, HD_FIELD_SIGNED},       [ELEMENT_U4] = {4, HD_FIELD_UNSIGNED},
    [ELEMENT_I8] = {8, HD_FIELD_SIGNED},       [ELEMENT_U8] = {8, HD_FIELD_UNSIGNED},
    [ELEMENT_R4] = {4, HD_FIELD_FLOAT},        [ELEMENT_R8] = {8, HD_FIELD_FLOAT},
    [ELEMENT_I] = {8, HD_FIELD_SIGNED},        [ELEMENT_U] = {8, HD_FIELD_UNSIGNED},
    [ELEMENT_PTR] = {8, HD_FIELD_UNSIGNED},    [ELEMENT_FNPTR] = {8, HD_FIELD_UNSIGNED},
    [ELEMENT_BYREF] = {8, HD_FIELD_UNSIGNED},  [ELEMENT_CLASS] = {8, HD_FIELD_REFERENCE},
};

/* Structs that are one value to people, if they have these fields and no others. */
enum { MAX_PARTS = 11, ANYWHERE = 0xFF };

static const struct form {
    const char *type;
    enum clr_form form; /* NO_FORM: it is a Half, a number */
    struct value_field {
        const char *name;
        uint8_t size, at;
    } parts[MAX_PARTS];
} forms[] = {
    {"System.DateTime", CLR_DATE_TIME, {{"_dateData", 8, 0}}},
    {"System.DateTimeOffset",
     CLR_DATE_TIME_OFFSET,
     {{"_dateTime", 8, ANYWHERE}, {"_offsetMinutes", ANYWHERE, ANYWHERE}}},
    {"System.TimeSpan", CLR_TIME_SPAN, {{"_ticks", 8, 0}}},
    {"System.DateOnly", CLR_DATE_ONLY, {{"_dayNumber", 4, 0}}},
    {"System.TimeOnly", CLR_TIME_ONLY, {{"_ticks", 8, 0}}},
    {"System.Guid",
     CLR_GUID,
     {{"_a", 4, 0},
      {"_b", 2, 4},
      {"_c", 2, 6},
      {"_d", 1, 8},
      {"_e", 1, 9},
      {"_f", 1, 10},
      {"_g", 1, 11},
      {"_h", 1, 12},
      {"_i", 1, 13},
      {"_j", 1, 14},
      {"_k", 1, 15}}},
    {"System.Decimal", CLR_DECIMAL, {{"_flags", 4, 0}, {"_hi32", 4, 4}, {"_lo64", 8, 8}}},
    {"System.Int128", CLR_INT128, {{"_lower", 8, 0}, {"_upper", 8, 8}}},
    {"System.UInt128", CLR_UINT128, {{"_lower", 8, 0}, {"_upper", 8, 8}}},
    {"System.Half", CLR_NO_FORM, {{"_value", 2, 0}}},
};

static void set_kind(struct clr_field *f, unsigned element)
{
    if (element > ELEMENT_OBJECT || kinds[element].size == 0)
        return;
    f->kind = kinds[element].kind;
    f->is_signed = f->kind == HD_FIELD_SIGNED;
    f->size = kinds[element].size;
}

static bool clr_fields_is_named(struct clr_types *t, uint64_t table, const char *name)
{
    const struct clr_shape *s = table != 0 ? clr_shape_of(t, table) : t->nothing;
    return strcmp(s->full_name->raw, name) == 0;
}

static bool clr_is_enum(struct clr_types *t, const struct method_table *m)
{
    return method_table_is_value(m) && clr_fields_is_named(t, m->parent, "System.Enum");
}

/* --- the walk ------------------------------------------------------------------ */

/* A class, or an embedded struct, whose fields are being listed. */
struct level {
    struct method_table m;
    const struct clr_shape *shape;
    struct field_list list;
    struct clr_scope scope;
    uint32_t next, base;
    size_t first;  /* index of its first field */
    size_t prefix; /* how much of the name so far is its own */
    uint32_t element, repeats,
        step; /* of an inline array: number of repetitions of its one field */
};

struct clr_fields_walk {
    struct clr_types *t;
    struct level levels[MAX_NESTING];
    size_t depth;
    struct text name;
    const char *declared_by;
    struct clr_field *all;
    size_t len, cap;
    uint32_t steps;
};

struct clr_field clr_field_of(struct clr_types *t, unsigned element,
                              const struct clr_shape *shape)
{
    struct method_table m;
    struct clr_field f = {.type = shape->table};
    if (shape != t->nothing)
        f.type_name = clr_shown_full(t, shape->full_name);
    set_kind(&f, element);
    bool is_value = shape->element == ELEMENT_VALUETYPE && shape->table != 0;
    if (is_value && element != ELEMENT_VALUETYPE &&
        method_table_read(t, shape->table, &m) && clr_is_enum(t, &m))
        f.kind = HD_FIELD_ENUM;
    return f;
}

static void emit(struct clr_fields_walk *w, uint32_t offset, unsigned element,
                 const struct clr_shape *shape)
{
    struct clr_types *t = w->t;
    if (w->len == MAX_FIELDS || !clr_spend(t, sizeof(struct clr_field)))
        return;
    w->all = grow(w->all, w->len, &w->cap, sizeof(*w->all));
    struct clr_field *f = &w->all[w->len++];
    *f = clr_field_of(t, element, shape);
    f->offset = offset;
    f->name = clr_name_add(t, &w->name)->raw;
    f->declared_by = w->declared_by;
}

/* --- one value ----------------------------------------------------------------- */

/* Whether a type is of the runtime's own library, whatever others are called: that which
 * has the class above all. */
static bool is_of_core(const struct clr_types *t, const struct method_table *of)
{
    struct method_table m = *of;
    for (int i = 0; i < MAX_PARENTS && m.parent != 0; i++)
        if (!method_table_read(t, m.parent, &m))
            return false;
    return m.parent == 0 && m.address != of->address && m.module == of->module;
}

/* Finds a field by name among those of a level; NULL. */
static struct clr_field *part_named(const struct clr_fields_walk *w, const struct level *l,
                                    const char *name)
{
    size_t prefix = l->prefix > 0 ? l->prefix + 1 : 0; /* with the dot */
    for (size_t i = l->first; i < w->len; i++)
        if (strlen(w->all[i].name) > prefix && strcmp(w->all[i].name + prefix, name) == 0)
            return &w->all[i];
    return NULL;
}

static bool is_part(const struct clr_field *f, const struct value_field *p, uint32_t base)
{
    return f != NULL && f->inside == 0 && f->kind != HD_FIELD_REFERENCE &&
           f->offset >= base && (p->size == ANYWHERE || f->size == p->size) &&
           (p->at == ANYWHERE || f->offset - base == p->at);
}

/* Locates the parts of a DateTimeOffset, which may be in any order. */
static bool place_parts(struct clr_field *to, const struct clr_field *date,
                        const struct clr_field *offset, uint32_t base)
{
    uint32_t date_at = date->offset - base, minutes_at = offset->offset - base,
             size = offset->size;
    if (date->form != CLR_DATE_TIME || date_at > 8 || minutes_at > 12 ||
        (size != 2 && size != 4) || !offset->is_signed)
        return false;
    to->date_at = (uint8_t)date_at;
    to->minutes_at = (uint8_t)minutes_at;
    to->minutes_size = (uint8_t)size;
    to->size = date_at + 8 > minutes_at + size ? date_at + 8 : minutes_at + size;
    return true;
}

/* The fields of a level as one value of a form; false: they are others than it has. */
static bool read_form(const struct clr_fields_walk *w, const struct level *l,
                      const struct form *form, struct clr_field *to)
{
    const struct clr_field *parts[MAX_PARTS] = {NULL};
    size_t count = 0;
    for (; count < MAX_PARTS && form->parts[count].name != NULL; count++) {
        parts[count] = part_named(w, l, form->parts[count].name);
        if (!is_part(parts[count], &form->parts[count], l->base))
            return false;
    }
    if (count == 0 || count != w->len - l->first)
        return false;
    to->kind = form->form != CLR_NO_FORM ? HD_FIELD_STRUCT : HD_FIELD_FLOAT;
    to->form = form->form;
    to->size = form->form != CLR_NO_FORM ? clr_form_size(form->form) : parts[0]->size;
    return form->form != CLR_DATE_TIME_OFFSET ||
           (count == 2 && place_parts(to, parts[0], parts[1], l->base));
}

/* A Nullable of a single value is that value, or null. */
static bool read_nullable(const struct clr_fields_walk *w, const struct level *l,
                          struct clr_field *to)
{
    static const struct value_field has = {"hasValue", 1, 0},
                                    value = {"value", ANYWHERE, ANYWHERE};
    const struct clr_field *flag = part_named(w, l, has.name),
                           *inner = part_named(w, l, value.name);
    if (w->len - l->first != 2 || !is_part(flag, &has, l->base) ||
        flag->kind != HD_FIELD_BOOLEAN || !is_part(inner, &value, l->base) ||
        inner->offset == l->base || inner->offset - l->base > CLR_MAX_BYTES)
        return false;
    *to = *inner;
    to->inside = (uint8_t)(inner->offset - l->base);
    return true;
}

/* Those of a struct that is one value to people: its one field. */
static void fold_value(struct clr_fields_walk *w, const struct level *l)
{
    static const char nullable[] = "System.Nullable`1[", boxed[] = "value";
    const char *type = l->shape->full_name->raw;
    const struct form *form = NULL;
    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
        if (strcmp(forms[i].type, type) == 0)
            form = &forms[i];
    bool is_nullable = strncmp(type, nullable, sizeof(nullable) - 1) == 0;
    struct clr_field one = {.type = l->shape->table};
    if (w->len == l->first || (form == NULL && !is_nullable) || !is_of_core(w->t, &l->m) ||
        !(is_nullable ? read_nullable(w, l, &one) : read_form(w, l, form, &one)))
        return;
    w->name.len = l->prefix;
    one.name = l->prefix > 0 ? clr_name_add(w->t, &w->name)->raw : boxed;
    one.declared_by = w->declared_by;
    one.type_name = clr_shown_full(w->t, l->shape->full_name);
    one.offset = l->base;
    w->all[l->first] = one;
    w->len = l->first + 1;
}

/* Sets the number of repetitions of the one field of an inline array or fixed buffer. */
static void set_repeats(struct clr_fields_walk *w, struct level *l)
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

static void enter_level(struct clr_fields_walk *w, uint64_t table,
                        const struct clr_shape *shape, uint32_t base)
{
    struct level *l = &w->levels[w->depth];
    *l = (struct level){
        .shape = shape, .base = base, .first = w->len, .prefix = w->name.len};
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

/* Names a field as in C#: the backing field of a property is named after it. */
static void name_field(struct clr_fields_walk *w, const struct level *l,
                       const struct field_desc *d)
{
    static const char backing[] = ">k__BackingField";
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
    const char *name = metadata_field_name(m, d->token);
    size_t len = strlen(name), end = sizeof(backing) - 1;
    if (name[0] == '<' && len > end && strcmp(name + len - end, backing) == 0)
        text_add(&w->name, name + 1, len - end - 1);
    else
        text_add(&w->name, name, len);
}

static void read_field(struct clr_fields_walk *w, struct level *l,
                       const struct field_desc *d)
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
    if (d->element == ELEMENT_VALUETYPE && shape->table != 0 && w->depth < MAX_NESTING)
        enter_level(w, shape->table, shape, offset);
    else
        emit(w, offset, d->element, shape);
}

static void walk_levels(struct clr_fields_walk *w)
{
    enum { MAX_STEPS = 16 * MAX_FIELDS };
    while (w->depth > 0) {
        struct level *l = &w->levels[w->depth - 1];
        struct field_desc d;
        if (l->next >= l->list.count || w->steps++ >= MAX_STEPS || !clr_spend(w->t, 16)) {
            if (method_table_is_value(&l->m) && l->next >= l->list.count && l->repeats <= 1)
                fold_value(w, l);
            w->depth--;
        } else if (!field_desc_read(w->t, &l->list, l->next, &d) || d.is_static) {
            l->next++;
        } else {
            read_field(w, l, &d);
        }
    }
}

/* --- objects and arrays -------------------------------------------------------- */

static void walk_class(struct clr_fields_walk *w, const struct method_table *of)
{
    struct method_table m = *of;
    for (int i = 0; i < MAX_PARENTS; i++) {
        const struct clr_shape *shape = clr_shape_of(w->t, m.address);
        w->declared_by = clr_shown_full(w->t, shape->full_name);
        w->name.len = 0;
        enter_level(w, m.address, shape, HEADER);
        walk_levels(w);
        if (m.parent == 0 || !method_table_read(w->t, m.parent, &m))
            return;
    }
}

/* Elements of a struct type may be one number: of an enum, of a primitive. */
static void walk_elements(struct clr_fields_walk *w, uint64_t handle)
{
    struct clr_types *t = w->t;
    const struct clr_shape *shape = clr_shape_of(t, handle), *primitive;
    struct method_table m;
    unsigned element = shape->element;
    text_add_string(&w->name, "[]");
    if (element == ELEMENT_VALUETYPE && method_table_read(t, shape->table, &m)) {
        unsigned inside = method_table_element(t, &m);
        primitive = clr_primitive(t, inside);
        if (clr_is_enum(t, &m) ||
            (primitive != NULL && clr_fields_is_named(t, m.address, primitive->name->raw)))
            element = inside;
    }
    if (element != ELEMENT_VALUETYPE)
        emit(w, 0, element, shape);
    else
        enter_level(w, shape->table, shape, 0);
    walk_levels(w);
}

static int by_offset(const void *a, const void *b)
{
    const struct clr_field *x = a, *y = b;
    int order = compare_numbers(x->offset, y->offset);
    return order != 0 ? order : strcmp(x->name, y->name);
}

/* Version: four numbers side by side. */
static bool set_version(struct clr_type *shown, const struct clr_field *all, size_t len)
{
    static const char *const names[] = {"_Major", "_Minor", "_Build", "_Revision"};
    for (size_t i = 0; i < 4; i++)
        if (len != 4 || strcmp(all[i].name, names[i]) != 0 || all[i].size != 4 ||
            all[i].kind != HD_FIELD_SIGNED || all[i].offset != all[0].offset + 4 * i)
            return false;
    shown->self_value = all[0];
    shown->self_value.kind = HD_FIELD_STRUCT;
    shown->self_value.form = CLR_VERSION;
    shown->self_value.size = clr_form_size(CLR_VERSION);
    return true;
}

/* Uri: its original text. Its assembly belongs to the process, whose system may differ from
 * ours. */
static bool set_uri(struct clr_type *shown, const struct clr_field *all, size_t len)
{
    const char *name = shown->module != NULL ? shown->module : "";
    for (const char *at = name; *at != '\0'; at++)
        if (*at == '/' || *at == '\\')
            name = at + 1;
    for (size_t i = 0; strcmp(name, "System.Private.Uri.dll") == 0 && i < len; i++) {
        if (all[i].kind != HD_FIELD_REFERENCE || strcmp(all[i].name, "_string") != 0)
            continue;
        shown->self_value = all[i];
        return true;
    }
    return false;
}

/* Sets the value of an object that is shown with references to it. */
static void set_self(struct clr_types *t, const struct method_table *m,
                     struct clr_type *shown)
{
    const struct clr_field *all = shown->fields;
    size_t len = shown->field_count;
    if (method_table_is_value(m)) {
        if (len == 1 && all[0].kind != HD_FIELD_REFERENCE &&
            all[0].kind != HD_FIELD_UNKNOWN) {
            shown->self = CLR_BOXED_VALUE;
            shown->self_value = all[0];
        }
    } else if (clr_fields_is_named(t, m->address, "System.Version")) {
        if (is_of_core(t, m) && set_version(shown, all, len))
            shown->self = CLR_A_VERSION;
    } else if (clr_fields_is_named(t, m->address, "System.Uri") &&
               set_uri(shown, all, len)) {
        shown->self = CLR_A_URI;
    }
}

static void clr_fields_of(struct clr_types *t, const struct method_table *m,
                          struct clr_type *shown)
{
    struct clr_fields_walk w = {.t = t};
    if (shown->is_string) {
        text_add_string(&w.name, "[]");
        emit(&w, 0, ELEMENT_CHAR, clr_primitive(t, ELEMENT_CHAR));
    } else if (shown->is_array) {
        walk_elements(&w, m->per_inst);
    } else {
        walk_class(&w, m);
        if (w.len == 1 && clr_is_enum(t, m)) { /* one that was boxed */
            w.all[0].kind = HD_FIELD_ENUM;
            w.all[0].type = m->address;
        }
    }
    if (w.len > 0) {
        shown->fields = arena_take_array(t->a, w.all, w.len, sizeof(*w.all), by_offset);
        shown->field_count = w.len;
        set_self(t, m, shown);
    }
    text_free(&w.name);
}

/* --- types --------------------------------------------------------------------- */

struct clr_types *clr_types_open(const struct runtime *r, struct arena *a)
{
    enum { FIRST_BUDGET = 16 << 20 };
    static const char unknown[] = "UNKNOWN";
    struct clr_types *t = alloc_zeroed(sizeof(*t));
    t->r = r;
    t->at = &r->at;
    t->memory = &r->image->memory;
    t->a = a;
    t->budget = FIRST_BUDGET;
    for (size_t i = 0; i < t->memory->len; i++)
        clr_gain(t, t->memory->all[i].size);
    t->unknown = clr_name_of(t, unknown, sizeof(unknown) - 1);
    struct clr_shape *nothing = arena_alloc(a, sizeof(*nothing));
    nothing->name = nothing->full_name = t->unknown;
    t->nothing = nothing;
    t->unnamed.name = t->unnamed.full_name = unknown;
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

/* Elements begin after the pointer to the MethodTable, the count and, with several
 * dimensions, sizes and lower bounds; the base size also includes the object's header. */
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
        return &t->unnamed;
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

/* Handles of types to names and layouts: MethodTables, and TypeDescs of pointers.
 *
 * A name needs those of arguments and elements. They are made first, from a stack of
 * handles instead of by recursion, and kept; what contains itself has no name. */
#include "clr/managed/clr_types.h"

#include <inttypes.h>
#include <string.h>

/* --- names of rows ---------------------------------------------------------------------
 */

/* The namespace and a dot, if it has one. */
static void add_space(struct text *to, struct metadata_name name)
{
    text_add_string(to, name.space);
    if (name.space[0] != '\0')
        text_add_char(to, '.');
}

/* As arguments are spelled: what has a meaning in such a name gets a backslash. */
static void add_escaped(struct text *to, struct metadata_name name)
{
    add_space(to, name);
    for (const char *s = name.name; *s != '\0'; s++) {
        if (strchr(",[]&*+\\", *s) != NULL)
            text_add_char(to, '\\');
        text_add_char(to, *s);
    }
}

/* Names of a row and of those that it stands in, from the outside. */
static void add_nested(struct text *to, const struct metadata *m, uint32_t row,
                       uint32_t (*outer)(const struct metadata *m, uint32_t row),
                       struct metadata_name (*name)(const struct metadata *m, uint32_t row))
{
    uint32_t rows[MAX_NESTING];
    size_t len = 0;
    for (; row != 0 && len < MAX_NESTING; row = outer(m, row))
        rows[len++] = row;
    while (len > 0 && to->len < MAX_NAME) {
        add_escaped(to, name(m, rows[--len]));
        if (len > 0)
            text_add_char(to, '+');
    }
}

void clr_add_type_def(struct text *to, const struct metadata *m, uint32_t row)
{
    add_nested(to, m, row, metadata_outer, metadata_type_name);
}

void clr_add_type_ref(struct text *to, const struct metadata *m, uint32_t row)
{
    add_nested(to, m, row, metadata_ref_outer, metadata_ref_name);
}

/* One that would become too long ends before its arguments. */
void clr_add_arguments(struct text *to, const struct clr_shape *const *arguments,
                       uint32_t count)
{
    size_t len = to->len;
    if (count == 0)
        return;
    for (uint32_t i = 0; i < count; i++) {
        text_add_char(to, i == 0 ? '[' : ',');
        text_add(to, arguments[i]->full_name->raw, arguments[i]->full_name->len);
    }
    text_add_char(to, ']');
    if (to->len > MAX_NAME)
        to->len = len;
}

uint64_t clr_instance_key(uint64_t module, uint32_t row,
                          const struct clr_shape *const *arguments, uint32_t count)
{
    uint64_t parts[MAX_ARGUMENTS + 2] = {module, row};
    for (uint32_t i = 0; i < count; i++) {
        if (arguments[i]->key == 0)
            return 0;
        parts[i + 2] = arguments[i]->key;
    }
    return XXH3_64bits_withSeed(parts, (count + 2) * sizeof(*parts), hash_seed());
}

/* --- primitives ------------------------------------------------------------------------
 */

static const struct {
    uint8_t element;
    const char *name;
} primitives[] = {
    {ELEMENT_VOID, "System.Void"},     {ELEMENT_BOOLEAN, "System.Boolean"},
    {ELEMENT_CHAR, "System.Char"},     {ELEMENT_I1, "System.SByte"},
    {ELEMENT_U1, "System.Byte"},       {ELEMENT_I2, "System.Int16"},
    {ELEMENT_U2, "System.UInt16"},     {ELEMENT_I4, "System.Int32"},
    {ELEMENT_U4, "System.UInt32"},     {ELEMENT_I8, "System.Int64"},
    {ELEMENT_U8, "System.UInt64"},     {ELEMENT_R4, "System.Single"},
    {ELEMENT_R8, "System.Double"},     {ELEMENT_STRING, "System.String"},
    {ELEMENT_I, "System.IntPtr"},      {ELEMENT_U, "System.UIntPtr"},
    {ELEMENT_OBJECT, "System.Object"}, {ELEMENT_TYPEDBYREF, "System.TypedReference"},
    {ELEMENT_FNPTR, "FNPTR"},
};

static bool is_reference(unsigned element)
{
    return element == ELEMENT_STRING || element == ELEMENT_OBJECT;
}

const struct clr_shape *clr_primitive(struct clr_types *t, unsigned element)
{
    if (element > ELEMENT_OBJECT)
        return NULL;
    for (size_t i = 0;
         t->primitives[element] == NULL && i < sizeof(primitives) / sizeof(*primitives);
         i++) {
        if (primitives[i].element != element)
            continue;
        struct clr_shape *s = arena_alloc(t->a, sizeof(*s));
        s->element = is_reference(element) ? ELEMENT_CLASS : (uint8_t)element;
        s->key = is_reference(element) ? KEY_REFERENCE : element;
        s->name = clr_name_of(t, primitives[i].name, strlen(primitives[i].name));
        s->full_name = s->name;
        t->primitives[element] = s;
    }
    return t->primitives[element];
}

/* An enum is inside what it is made of, but has a name of its own. */
static bool is_primitive(const struct clr_name *name, unsigned element)
{
    for (size_t i = 0; i < sizeof(primitives) / sizeof(*primitives); i++)
        if (primitives[i].element == element)
            return strcmp(name->raw, primitives[i].name) == 0;
    return false;
}

/* --- what a handle is made of ----------------------------------------------------------
 */

enum handle_kind { HANDLE_UNKNOWN, HANDLE_PLAIN, HANDLE_ARRAY, HANDLE_POINTER };

struct parts {
    enum handle_kind kind;
    uint8_t element;              /* of a TypeDesc */
    struct method_table m, named; /* named: whose row has the name */
    uint64_t element_type;        /* of arrays and pointers */
    uint64_t first;               /* where the handles of arguments stand */
    uint32_t count;
};

static struct parts read_parts(const struct clr_types *t, uint64_t handle)
{
    struct parts p = {0};
    bool ok = true;
    if (handle & 2) {
        uint64_t address = handle & ~UINT64_C(2);
        p.element = (uint8_t)memory_u32(t->memory, address + t->r->at.type_desc_flags, &ok);
        if (p.element == ELEMENT_PTR || p.element == ELEMENT_BYREF) {
            p.element_type = memory_u64(t->memory, address + t->r->at.param_type_arg, &ok);
            p.kind = ok ? HANDLE_POINTER : HANDLE_UNKNOWN;
        }
        return p;
    }
    if (!method_table_of(t, handle, &p.m))
        return p;
    p.named = p.m;
    /* The name in the runtime's events; no structure leads from a layout to its methods. */
    if (runtime_is_continuation(t->r, handle) &&
        !method_table_read(t, p.m.parent, &p.named))
        return p;
    if (method_table_is_array(&p.m)) {
        p.kind = HANDLE_ARRAY;
        p.element_type = p.m.per_inst;
    } else {
        p.kind = HANDLE_PLAIN;
        p.count = method_table_arguments(t, &p.m, &p.first);
    }
    return p;
}

/* The handle that has to be known before, number i of it; 0: there are no more. */
static uint64_t need(const struct clr_types *t, const struct parts *p, uint32_t i)
{
    bool ok = true;
    if (p->kind == HANDLE_ARRAY || p->kind == HANDLE_POINTER)
        return i == 0 ? p->element_type : 0;
    return i < p->count ? memory_u64(t->memory, p->first + 8 * (uint64_t)i, &ok) : 0;
}

/* --- making shapes ---------------------------------------------------------------------
 */

static struct known_type *find_known(const struct clr_types *t, uint64_t handle)
{
    struct known_type *k;
    HASH_FIND(hh, t->types, &handle, sizeof(handle), k);
    return k;
}

static void name_unknown(struct clr_types *t, struct known_type *k)
{
    char text[32];
    int len = snprintf(text, sizeof(text), "UNKNOWN 0x%" PRIx64, k->handle);
    k->shape.name = k->shape.full_name = clr_name_of(t, text, (size_t)len);
}

static const struct clr_shape *known_or_unknown(struct clr_types *t, uint64_t handle)
{
    struct known_type *k = find_known(t, handle);
    return k != NULL ? &k->shape : t->nothing;
}

void clr_add_suffix(struct text *to, unsigned element, uint32_t rank)
{
    if (element == ELEMENT_PTR || element == ELEMENT_BYREF) {
        text_add_char(to, element == ELEMENT_PTR ? '*' : '&');
        return;
    }
    text_add_string(to, element == ELEMENT_ARRAY && rank == 1 ? "[*" : "[");
    for (uint32_t i = 1; i < rank && i < MAX_RANK; i++)
        text_add_char(to, ',');
    text_add_char(to, ']');
}

static struct clr_name *suffixed(struct clr_types *t, const struct clr_name *name,
                                 const struct parts *p)
{
    unsigned element = p->kind == HANDLE_POINTER       ? p->element
                       : method_table_is_vector(&p->m) ? ELEMENT_SZARRAY
                                                       : ELEMENT_ARRAY;
    text_clear(&t->text);
    text_add(&t->text, name->raw, name->len);
    clr_add_suffix(&t->text, element, method_table_rank(&p->m));
    return clr_name_add(t, &t->text);
}

static void make_of_element(struct clr_types *t, struct known_type *k,
                            const struct parts *p)
{
    const struct clr_shape *element = known_or_unknown(t, p->element_type);
    k->shape.name = suffixed(t, element->name, p);
    k->shape.full_name = suffixed(t, element->full_name, p);
    bool is_array = p->kind == HANDLE_ARRAY;
    k->shape.element = is_array ? ELEMENT_CLASS : p->element;
    k->shape.table = is_array ? k->handle : 0;
    k->shape.key = is_array ? KEY_REFERENCE : KEY_POINTER;
}

static void set_layout(struct clr_types *t, struct known_type *k, const struct parts *p,
                       const struct clr_shape *const *arguments)
{
    k->shape.table = k->handle;
    k->shape.key = KEY_REFERENCE;
    k->shape.element = ELEMENT_CLASS;
    if (!method_table_is_value(&p->m))
        return;
    uint8_t inside = method_table_element(t, &p->m);
    k->shape.element = ELEMENT_VALUETYPE;
    if (p->count > 0)
        k->shape.key = clr_instance_key(p->m.module, p->m.row, arguments, p->count);
    else
        k->shape.key = is_primitive(k->shape.full_name, inside) ? inside : k->handle;
}

static void make_plain(struct clr_types *t, struct known_type *k, const struct parts *p)
{
    const struct clr_shape *arguments[MAX_ARGUMENTS];
    for (uint32_t i = 0; i < p->count; i++)
        arguments[i] = known_or_unknown(t, need(t, p, i));
    const struct clr_module *module = clr_module_of(t, p->named.module);
    uint32_t row = p->named.row;
    if (module == NULL || metadata_type_name(&module->metadata, row).name[0] == '\0') {
        name_unknown(t, k);
    } else {
        text_clear(&t->text);
        add_space(&t->text, metadata_type_name(&module->metadata, row));
        text_add_string(&t->text, metadata_type_name(&module->metadata, row).name);
        clr_add_arguments(&t->text, arguments, p->count);
        k->shape.name = clr_name_add(t, &t->text);
        text_clear(&t->text);
        clr_add_type_def(&t->text, &module->metadata, row);
        clr_add_arguments(&t->text, arguments, p->count);
        k->shape.full_name = clr_name_add(t, &t->text);
    }
    set_layout(t, k, p, arguments);
}

static struct known_type *make(struct clr_types *t, uint64_t handle, const struct parts *p)
{
    if (!clr_spend(t, sizeof(struct known_type)))
        return NULL;
    struct known_type *k = arena_alloc(t->a, sizeof(*k));
    k->handle = handle;
    if (p->kind == HANDLE_UNKNOWN && p->element == ELEMENT_FNPTR)
        k->shape = *clr_primitive(t, ELEMENT_FNPTR);
    else if (p->kind == HANDLE_UNKNOWN)
        name_unknown(t, k);
    else if (p->kind == HANDLE_PLAIN)
        make_plain(t, k, p);
    else
        make_of_element(t, k, p);
    HASH_ADD(hh, t->types, handle, sizeof(k->handle), k);
    return k;
}

/* Handles that wait for others, each for the one above it. */
struct pending_shape {
    uint64_t handle;
    struct parts parts;
    uint32_t next; /* of its needs */
};

/* The next need of the topmost one that is not known and does not wait itself; 0: none. */
static uint64_t next_need(const struct clr_types *t, struct pending_shape *all, size_t len)
{
    struct pending_shape *w = &all[len - 1];
    for (uint64_t handle; (handle = need(t, &w->parts, w->next)) != 0;) {
        w->next++;
        bool waits = len == MAX_NESTING;
        for (size_t i = 0; i < len && !waits; i++)
            waits = all[i].handle == handle;
        if (!waits && find_known(t, handle) == NULL)
            return handle;
    }
    return 0;
}

const struct clr_shape *clr_shape_of(struct clr_types *t, uint64_t handle)
{
    struct pending_shape all[MAX_NESTING];
    size_t len = 0;
    struct known_type *k = find_known(t, handle);
    if (k != NULL)
        return &k->shape;
    all[len++] = (struct pending_shape){handle, read_parts(t, handle), 0};
    while (len > 0) {
        uint64_t more = next_need(t, all, len);
        if (more != 0) {
            all[len++] = (struct pending_shape){more, read_parts(t, more), 0};
            continue;
        }
        k = make(t, all[len - 1].handle, &all[len - 1].parts);
        if (k == NULL)
            return t->nothing;
        len--;
    }
    return &k->shape;
}

const struct clr_shape **clr_new_arguments(struct clr_types *t, uint32_t count)
{
    if (count == 0 || !clr_spend(t, 8 * (uint64_t)count))
        return NULL;
    return arena_array(t->a, const struct clr_shape *, count);
}

const struct clr_shape *const *
clr_shape_arguments(struct clr_types *t, const struct clr_shape *s, uint32_t *count)
{
    *count = s->argument_count;
    if (s->argument_count > 0 || s->table == 0)
        return s->arguments;
    struct method_table m;
    uint64_t first;
    if (!method_table_read(t, s->table, &m))
        return NULL;
    uint32_t there = method_table_arguments(t, &m, &first);
    const struct clr_shape **all = clr_new_arguments(t, there);
    if (all == NULL)
        return NULL;
    *count = there;
    for (uint32_t i = 0; i < there; i++) {
        bool ok = true;
        all[i] = clr_shape_of(t, memory_u64(t->memory, first + 8 * (uint64_t)i, &ok));
    }
    return all;
}

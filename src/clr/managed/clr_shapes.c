/* Handles of types to names and layouts: MethodTables, and TypeDescs of pointers; and
 * signatures of fields to the same (ECMA-335, II.23.2).
 *
 * A name needs those of arguments and elements. They are made first, from a stack of
 * handles instead of by recursion, and kept; what contains itself has no name. */
#include "clr/managed/clr_types.h"

#include <inttypes.h>
#include <string.h>

/* Keys of references and of pointers. */
enum { KEY_REFERENCE = 0x100, KEY_POINTER = 0x101 };

enum { MAX_RANK = 32 };

/* --- names of rows --------------------------------------------------------------- */

/* The namespace and a dot, if it has one. */
static void add_space(struct text *to, struct metadata_name name)
{
    text_add_string(to, name.space);
    if (name.space[0] != '\0')
        text_add_char(to, '.');
}

/* Appends the names of a row of TypeDefs or TypeRefs and its outer types, outermost first,
 * as in arguments: special characters are escaped by backslashes. */
static void add_nested(struct text *to, const struct metadata *m,
                       enum metadata_table_number table, uint32_t row)
{
    bool is_def = table == METADATA_TYPE_DEF;
    uint32_t rows[MAX_NESTING];
    size_t len = 0;
    for (; row != 0 && len < MAX_NESTING;
         row = is_def ? metadata_outer(m, row) : metadata_ref_outer(m, row))
        rows[len++] = row;
    while (len > 0 && to->len < MAX_NAME) {
        row = rows[--len];
        struct metadata_name name =
            is_def ? metadata_type_name(m, row) : metadata_ref_name(m, row);
        add_space(to, name);
        for (const char *c = name.name; *c != '\0'; c++) {
            if (strchr(",[]&*+\\", *c) != NULL)
                text_add_char(to, '\\');
            text_add_char(to, *c);
        }
        if (len > 0)
            text_add_char(to, '+');
    }
}

/* "[A,B]". One that would become too long ends before its arguments. */
static void add_arguments(struct text *to, const struct clr_shape *const *arguments,
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

/* The key of an instantiation of a struct. */
static uint64_t instance_key(uint64_t module, uint32_t row,
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

/* --- primitives ------------------------------------------------------------------ */

static const char *const primitives[ELEMENT_OBJECT + 1] = {
    [ELEMENT_VOID] = "System.Void",     [ELEMENT_BOOLEAN] = "System.Boolean",
    [ELEMENT_CHAR] = "System.Char",     [ELEMENT_I1] = "System.SByte",
    [ELEMENT_U1] = "System.Byte",       [ELEMENT_I2] = "System.Int16",
    [ELEMENT_U2] = "System.UInt16",     [ELEMENT_I4] = "System.Int32",
    [ELEMENT_U4] = "System.UInt32",     [ELEMENT_I8] = "System.Int64",
    [ELEMENT_U8] = "System.UInt64",     [ELEMENT_R4] = "System.Single",
    [ELEMENT_R8] = "System.Double",     [ELEMENT_STRING] = "System.String",
    [ELEMENT_I] = "System.IntPtr",      [ELEMENT_U] = "System.UIntPtr",
    [ELEMENT_OBJECT] = "System.Object", [ELEMENT_TYPEDBYREF] = "System.TypedReference",
    [ELEMENT_FNPTR] = "FNPTR",
};

static bool is_reference(unsigned element)
{
    return element == ELEMENT_STRING || element == ELEMENT_OBJECT;
}

const struct clr_shape *clr_primitive(struct clr_types *t, unsigned element)
{
    if (element > ELEMENT_OBJECT || primitives[element] == NULL)
        return NULL;
    if (t->primitives[element] == NULL) {
        struct clr_shape *s = arena_alloc(t->a, sizeof(*s));
        s->element = is_reference(element) ? ELEMENT_CLASS : (uint8_t)element;
        s->key = is_reference(element) ? KEY_REFERENCE : element;
        s->name = clr_name_of(t, primitives[element], strlen(primitives[element]));
        s->full_name = s->name;
        t->primitives[element] = s;
    }
    return t->primitives[element];
}

/* An enum is inside what it is made of, but has a name of its own. */
static bool is_primitive(const struct clr_name *name, unsigned element)
{
    return element <= ELEMENT_OBJECT && primitives[element] != NULL &&
           strcmp(name->raw, primitives[element]) == 0;
}

/* --- what a handle is made of ---------------------------------------------------- */

enum handle_kind { HANDLE_UNKNOWN, HANDLE_PLAIN, HANDLE_ARRAY, HANDLE_POINTER };

struct parts {
    enum handle_kind kind;
    uint8_t element;              /* of a TypeDesc */
    struct method_table m, named; /* named: its row has the name */
    uint64_t element_type;        /* of arrays and pointers */
    uint64_t first;               /* address of the handles of arguments */
    uint32_t count;
};

static struct parts read_parts(const struct clr_types *t, uint64_t handle)
{
    struct parts p = {0};
    bool ok = true;
    if (handle & 2) {
        uint64_t address = handle & ~UINT64_C(2);
        p.element = (uint8_t)memory_u32(t->memory, address + t->at->type_desc_flags, &ok);
        if (p.element == ELEMENT_PTR || p.element == ELEMENT_BYREF) {
            p.element_type = memory_u64(t->memory, address + t->at->param_type_arg, &ok);
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

/* Returns required handle number i; 0: no more. */
static uint64_t need(const struct clr_types *t, const struct parts *p, uint32_t i)
{
    if (p->kind == HANDLE_ARRAY || p->kind == HANDLE_POINTER)
        return i == 0 ? p->element_type : 0;
    return i < p->count ? memory_u64(t->memory, p->first + 8 * (uint64_t)i, NULL) : 0;
}

/* --- making shapes --------------------------------------------------------------- */

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

/* Appends the suffix of arrays, pointers and references: "[]", "[,]", "[*]"; "*", "&".
 * rank: dimensions of an array. */
static struct text *suffixed(struct clr_types *t, const struct clr_name *name,
                             unsigned element, uint32_t rank)
{
    struct text *to = &t->text;
    text_clear(to);
    text_add(to, name->raw, name->len);
    if (element == ELEMENT_PTR || element == ELEMENT_BYREF) {
        text_add_char(to, element == ELEMENT_PTR ? '*' : '&');
        return to;
    }
    text_add_string(to, element == ELEMENT_ARRAY && rank == 1 ? "[*" : "[");
    for (uint32_t i = 1; i < rank && i < MAX_RANK; i++)
        text_add_char(to, ',');
    text_add_char(to, ']');
    return to;
}

static void make_of_element(struct clr_types *t, struct known_type *k,
                            const struct parts *p)
{
    const struct clr_shape *of = known_or_unknown(t, p->element_type);
    unsigned element = p->kind == HANDLE_POINTER       ? p->element
                       : method_table_is_vector(&p->m) ? ELEMENT_SZARRAY
                                                       : ELEMENT_ARRAY;
    uint32_t rank = method_table_rank(&p->m);
    k->shape.name = clr_name_add(t, suffixed(t, of->name, element, rank));
    k->shape.full_name = clr_name_add(t, suffixed(t, of->full_name, element, rank));
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
        k->shape.key = instance_key(p->m.module, p->m.row, arguments, p->count);
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
        add_arguments(&t->text, arguments, p->count);
        k->shape.name = clr_name_add(t, &t->text);
        text_clear(&t->text);
        add_nested(&t->text, &module->metadata, METADATA_TYPE_DEF, row);
        add_arguments(&t->text, arguments, p->count);
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

/* Returns the next unresolved requirement of the topmost type that is not on the stack, or
 * 0. */
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

/* Allocates an array; NULL for 0. */
static const struct clr_shape **new_arguments(struct clr_types *t, uint32_t count)
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
    const struct clr_shape **all = new_arguments(t, there);
    if (all == NULL)
        return NULL;
    *count = there;
    for (uint32_t i = 0; i < there; i++)
        all[i] = clr_shape_of(t, memory_u64(t->memory, first + 8 * (uint64_t)i, NULL));
    return all;
}

/* --- instances ------------------------------------------------------------------- */

/* Instantiations of generic structs, by their components.
 *
 * A signature contains "KeyValuePair`2 of a string and a Session"; the runtime has loaded
 * that or, equivalent for the layout, the instantiation for any two references. */

static void index_instance(void *context, uint64_t handle)
{
    struct clr_types *t = context;
    struct method_table m;
    struct instance *known;
    if (!method_table_of(t, handle, &m) || !method_table_is_value(&m))
        return;
    uint64_t key = clr_shape_of(t, handle)->key;
    if (key == 0)
        return;
    HASH_FIND(hh, t->instances, &key, sizeof(key), known);
    if (known != NULL || !clr_spend(t, sizeof(*known)))
        return;
    known = arena_alloc(t->a, sizeof(*known));
    *known = (struct instance){.key = key, .table = handle};
    HASH_ADD(hh, t->instances, key, sizeof(known->key), known);
}

/* Finds the MethodTable of a generic struct, or another with the same layout; or 0. */
static uint64_t find_instance(struct clr_types *t, uint64_t key)
{
    struct instance *known;
    clr_modules_all(t);
    for (struct clr_module *m; (m = clr_module_after(t, t->indexed)) != NULL;) {
        clr_module_instances(t, m, index_instance, t);
        t->indexed = m;
    }
    HASH_FIND(hh, t->instances, &key, sizeof(key), known);
    return known != NULL ? known->table : 0;
}

/* --- signatures ------------------------------------------------------------------ */

/* A signature is a tree in prefix order. Incomplete nodes are on a stack of limited depth,
 * finished types on another. */

/* A type that requires this number of following types. */
struct frame {
    uint8_t element; /* SZARRAY, ARRAY, PTR, BYREF, GENERICINST */
    bool is_value;   /* of GENERICINST */
    uint32_t token;  /* TypeDefOrRef, of GENERICINST */
    uint32_t left, first;
};

struct evaluation {
    struct clr_types *t;
    const struct clr_scope *scope;
    struct bytes signature;
    size_t at;
    struct frame frames[MAX_NESTING];
    const struct clr_shape *done[MAX_ARGUMENTS];
    uint32_t frame_count, done_count;
};

/* --- definitions ----------------------------------------------------------------- */

/* Definition of a token: its name, outer types, and loaded MethodTable. */
struct definition {
    uint64_t table, module;
    uint32_t row;
};

static struct definition define(struct clr_types *t, const struct clr_scope *scope,
                                uint32_t token)
{
    struct definition d = {0};
    uint32_t row;
    struct method_table m;
    enum metadata_table_number table = metadata_type_token(token, &row);
    if (table == METADATA_TYPE_DEF || table == METADATA_TYPE_REF)
        d.table = clr_module_type(t, scope->module, table, row);
    if (table == METADATA_TYPE_DEF) {
        d.module = scope->module->address;
        d.row = row;
    } else if (d.table != 0 && method_table_read(t, d.table, &m)) {
        d.module = m.module;
        d.row = m.row;
    }
    if (!runtime_is_method_table(t->r, d.table))
        d.table = 0;
    return d;
}

static void add_token_name(struct text *to, const struct metadata *m, uint32_t token)
{
    uint32_t row;
    enum metadata_table_number table = metadata_type_token(token, &row);
    if (table == METADATA_TYPE_DEF || table == METADATA_TYPE_REF)
        add_nested(to, m, table, row);
    if (to->len == 0)
        text_add_string(to, "UNKNOWN");
}

static struct clr_shape *new_shape(struct clr_types *t, uint8_t element, uint64_t key,
                                   struct text *name)
{
    if (!clr_spend(t, sizeof(struct clr_shape)))
        return NULL;
    struct clr_shape *s = arena_alloc(t->a, sizeof(*s));
    s->element = element;
    s->key = key;
    s->name = s->full_name = clr_name_add(t, name);
    return s;
}

static bool next_number(struct evaluation *e, uint32_t *number)
{
    return metadata_number(e->signature, &e->at, number);
}

/* --- leaves ---------------------------------------------------------------------- */

/* One that is finished; NULL if it waits for others (pushed) or the signature is wrong. */
static const struct clr_shape *leaf(struct evaluation *e, uint32_t element)
{
    struct clr_types *t = e->t;
    bool is_value = element == ELEMENT_VALUETYPE;
    uint32_t number;
    if (element != ELEMENT_CLASS && element != ELEMENT_VAR && !is_value)
        return clr_primitive(t, element);
    if (!next_number(e, &number))
        return NULL;
    if (element == ELEMENT_VAR)
        return number < e->scope->count ? e->scope->arguments[number] : NULL;
    uint64_t table = is_value ? define(t, e->scope, number).table : 0;
    if (table != 0)
        return clr_shape_of(t, table);
    text_clear(&t->text);
    add_token_name(&t->text, &e->scope->module->metadata, number);
    return new_shape(t, is_value ? ELEMENT_VALUETYPE : ELEMENT_CLASS,
                     is_value ? 0 : KEY_REFERENCE, &t->text);
}

/* --- what is made of others ------------------------------------------------------ */

static bool push_frame(struct evaluation *e, uint32_t element)
{
    struct frame f = {.element = (uint8_t)element, .left = 1, .first = e->done_count};
    if (element == ELEMENT_GENERICINST) {
        uint32_t kind;
        if (!next_number(e, &kind) || !next_number(e, &f.token) ||
            !next_number(e, &f.left) || f.left == 0)
            return false;
        f.is_value = kind == ELEMENT_VALUETYPE;
    }
    if (e->frame_count == MAX_NESTING || f.left > MAX_ARGUMENTS - e->done_count)
        return false;
    e->frames[e->frame_count++] = f;
    return true;
}

static const struct clr_shape *generic(struct evaluation *e, const struct frame *f)
{
    struct clr_types *t = e->t;
    const struct clr_shape *const *given = &e->done[f->first];
    uint32_t count = e->done_count - f->first;
    text_clear(&t->text);
    add_token_name(&t->text, &e->scope->module->metadata, f->token);
    add_arguments(&t->text, given, count);
    struct clr_shape *s = new_shape(t, ELEMENT_CLASS, KEY_REFERENCE, &t->text);
    if (!f->is_value || s == NULL)
        return s;
    struct definition d = define(t, e->scope, f->token);
    s->element = ELEMENT_VALUETYPE;
    s->key = d.row != 0 ? instance_key(d.module, d.row, given, count) : 0;
    s->table = s->key != 0 ? find_instance(t, s->key) : 0;
    const struct clr_shape **kept = new_arguments(t, count);
    if (kept == NULL)
        return s;
    for (uint32_t i = 0; i < count; i++)
        kept[i] = given[i];
    s->arguments = kept;
    s->argument_count = count;
    return s;
}

/* Behind an element: rank, sizes, lower bounds. */
static uint32_t read_rank(struct evaluation *e)
{
    uint32_t rank, count, number;
    if (!next_number(e, &rank) || rank > MAX_RANK)
        return 0;
    for (int i = 0; i < 2; i++) {
        if (!next_number(e, &count) || count > MAX_RANK)
            return 0;
        while (count-- > 0)
            if (!next_number(e, &number))
                return 0;
    }
    return rank;
}

static const struct clr_shape *array_or_pointer(struct evaluation *e, const struct frame *f)
{
    bool is_pointer = f->element == ELEMENT_PTR || f->element == ELEMENT_BYREF;
    uint32_t rank = f->element == ELEMENT_ARRAY ? read_rank(e) : 1;
    if (rank == 0)
        return NULL;
    return new_shape(e->t, is_pointer ? f->element : ELEMENT_CLASS,
                     is_pointer ? KEY_POINTER : KEY_REFERENCE,
                     suffixed(e->t, e->done[f->first]->full_name, f->element, rank));
}

/* Adds a finished type to the node that requires it, which may finish that node. */
static bool finish_type(struct evaluation *e, const struct clr_shape *s)
{
    while (s != NULL) {
        e->done[e->done_count++] = s;
        if (e->frame_count == 0)
            return true;
        struct frame *f = &e->frames[e->frame_count - 1];
        if (--f->left > 0)
            return true;
        s = f->element == ELEMENT_GENERICINST ? generic(e, f) : array_or_pointer(e, f);
        e->done_count = f->first;
        e->frame_count--;
    }
    return false;
}

/* --- the whole ------------------------------------------------------------------- */

static bool step(struct evaluation *e)
{
    uint32_t element, token;
    if (!next_number(e, &element))
        return false;
    switch (element) {
    case ELEMENT_CMOD_REQD:
    case ELEMENT_CMOD_OPT:
        return next_number(e, &token);
    case ELEMENT_PINNED:
        return true;
    case ELEMENT_SZARRAY:
    case ELEMENT_ARRAY:
    case ELEMENT_PTR:
    case ELEMENT_BYREF:
    case ELEMENT_GENERICINST:
        return push_frame(e, element);
    default:
        return finish_type(e, leaf(e, element));
    }
}

const struct clr_shape *clr_field_shape(struct clr_types *t, const struct clr_scope *scope,
                                        struct bytes signature)
{
    enum { FIELD = 6 };
    struct evaluation e = {.t = t, .scope = scope, .signature = signature};
    uint32_t convention;
    if (!next_number(&e, &convention) || (convention & 0xF) != FIELD)
        return t->nothing;
    while (e.frame_count > 0 || e.done_count == 0)
        if (!step(&e))
            return t->nothing;
    return e.done[0];
}

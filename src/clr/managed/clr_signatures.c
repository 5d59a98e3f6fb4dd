/* Signatures of fields to types (ECMA-335, II.23.2).
 *
 * A signature is a tree written in front of its branches. What waits for its branches lies
 * on a stack of fixed depth, and finished types on another. */
#include "clr/managed/clr_types.h"

#include <string.h>

/* --- instances ----------------------------------------------------------------- */

/* Instantiations of generic structs, by what they are made of.
 *
 * A signature says "KeyValuePair`2 of a string and a Session"; the runtime has loaded that
 * or, as good for a layout, the one for any two references. */

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

/* The MethodTable of a generic struct, or of one of the same layout; 0: none. */
static uint64_t clr_instance(struct clr_types *t, uint64_t key)
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

/* --- signatures ---------------------------------------------------------------- */

/* A type that waits for that many others behind it. */
struct clr_signatures_frame {
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
    struct clr_signatures_frame frames[MAX_NESTING];
    const struct clr_shape *done[MAX_ARGUMENTS];
    uint32_t frame_count, done_count;
};

/* --- definitions --------------------------------------------------------------- */

/* The definition that a token means: its name, where it stands, what is loaded of it. */
struct clr_signatures_definition {
    uint64_t table, module;
    uint32_t row;
};

static struct clr_signatures_definition
define(struct clr_types *t, const struct clr_scope *scope, uint32_t token)
{
    struct clr_signatures_definition d = {0};
    uint32_t row;
    struct method_table m;
    enum metadata_table_number table = metadata_type_token(token, &row);
    if (table == METADATA_TYPE_DEF) {
        d.table = clr_module_type_def(t, scope->module, row);
        d.module = scope->module->address;
        d.row = row;
    } else if (table == METADATA_TYPE_REF) {
        d.table = clr_module_type_ref(t, scope->module, row);
        if (d.table != 0 && method_table_read(t, d.table, &m)) {
            d.module = m.module;
            d.row = m.row;
        }
    }
    if (!runtime_is_method_table(t->r, d.table))
        d.table = 0;
    return d;
}

static void add_token_name(struct text *to, const struct metadata *m, uint32_t token)
{
    uint32_t row;
    enum metadata_table_number table = metadata_type_token(token, &row);
    if (table == METADATA_TYPE_DEF)
        clr_add_type_def(to, m, row);
    else if (table == METADATA_TYPE_REF)
        clr_add_type_ref(to, m, row);
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

static bool clr_signatures_next(struct evaluation *e, uint32_t *number)
{
    return metadata_number(e->signature, &e->at, number);
}

/* --- leaves -------------------------------------------------------------------- */

/* One that is finished; NULL if it waits for others (pushed) or the signature is wrong. */
static const struct clr_shape *leaf(struct evaluation *e, uint32_t element)
{
    struct clr_types *t = e->t;
    bool is_value = element == ELEMENT_VALUETYPE;
    uint32_t number;
    if (element != ELEMENT_CLASS && element != ELEMENT_VAR && !is_value)
        return clr_primitive(t, element);
    if (!clr_signatures_next(e, &number))
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

/* --- what is made of others ---------------------------------------------------- */

static bool clr_signatures_push(struct evaluation *e, uint32_t element)
{
    struct clr_signatures_frame f = {
        .element = (uint8_t)element, .left = 1, .first = e->done_count};
    if (element == ELEMENT_GENERICINST) {
        uint32_t kind;
        if (!clr_signatures_next(e, &kind) || !clr_signatures_next(e, &f.token) ||
            !clr_signatures_next(e, &f.left) || f.left == 0)
            return false;
        f.is_value = kind == ELEMENT_VALUETYPE;
    }
    if (e->frame_count == MAX_NESTING || f.left > MAX_ARGUMENTS - e->done_count)
        return false;
    e->frames[e->frame_count++] = f;
    return true;
}

static const struct clr_shape *generic(struct evaluation *e,
                                       const struct clr_signatures_frame *f)
{
    struct clr_types *t = e->t;
    const struct clr_shape *const *given = &e->done[f->first];
    uint32_t count = e->done_count - f->first;
    text_clear(&t->text);
    add_token_name(&t->text, &e->scope->module->metadata, f->token);
    clr_add_arguments(&t->text, given, count);
    struct clr_shape *s = new_shape(t, ELEMENT_CLASS, KEY_REFERENCE, &t->text);
    if (!f->is_value || s == NULL)
        return s;
    struct clr_signatures_definition d = define(t, e->scope, f->token);
    s->element = ELEMENT_VALUETYPE;
    s->key = d.row != 0 ? clr_instance_key(d.module, d.row, given, count) : 0;
    s->table = s->key != 0 ? clr_instance(t, s->key) : 0;
    const struct clr_shape **kept = clr_new_arguments(t, count);
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
    if (!clr_signatures_next(e, &rank) || rank > MAX_RANK)
        return 0;
    for (int i = 0; i < 2; i++) {
        if (!clr_signatures_next(e, &count) || count > MAX_RANK)
            return 0;
        while (count-- > 0)
            if (!clr_signatures_next(e, &number))
                return 0;
    }
    return rank;
}

static const struct clr_shape *suffixed(struct evaluation *e,
                                        const struct clr_signatures_frame *f)
{
    const struct clr_name *name = e->done[f->first]->full_name;
    struct text *text = &e->t->text;
    bool is_pointer = f->element == ELEMENT_PTR || f->element == ELEMENT_BYREF;
    uint32_t rank = f->element == ELEMENT_ARRAY ? read_rank(e) : 1;
    if (rank == 0)
        return NULL;
    text_clear(text);
    text_add(text, name->raw, name->len);
    clr_add_suffix(text, f->element, rank);
    return new_shape(e->t, is_pointer ? f->element : ELEMENT_CLASS,
                     is_pointer ? KEY_POINTER : KEY_REFERENCE, text);
}

/* A finished type goes to what waits for it, which may be finished by that. */
static bool finish_type(struct evaluation *e, const struct clr_shape *s)
{
    while (s != NULL) {
        e->done[e->done_count++] = s;
        if (e->frame_count == 0)
            return true;
        struct clr_signatures_frame *f = &e->frames[e->frame_count - 1];
        if (--f->left > 0)
            return true;
        s = f->element == ELEMENT_GENERICINST ? generic(e, f) : suffixed(e, f);
        e->done_count = f->first;
        e->frame_count--;
    }
    return false;
}

/* --- the whole ----------------------------------------------------------------- */

static bool step(struct evaluation *e)
{
    uint32_t element, token;
    if (!clr_signatures_next(e, &element))
        return false;
    switch (element) {
    case ELEMENT_CMOD_REQD:
    case ELEMENT_CMOD_OPT:
        return clr_signatures_next(e, &token);
    case ELEMENT_PINNED:
        return true;
    case ELEMENT_SZARRAY:
    case ELEMENT_ARRAY:
    case ELEMENT_PTR:
    case ELEMENT_BYREF:
    case ELEMENT_GENERICINST:
        return clr_signatures_push(e, element);
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
    if (!clr_signatures_next(&e, &convention) || (convention & 0xF) != FIELD)
        return t->nothing;
    while (e.frame_count > 0 || e.done_count == 0)
        if (!step(&e))
            return t->nothing;
    return e.done[0];
}

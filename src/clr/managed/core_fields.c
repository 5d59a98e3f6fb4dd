#include "clr/managed/core_fields.h"

#include "base/arrays.h"
#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT_AT = 8, HEADER = 8, UNIT = 2 };

/* --- the core ------------------------------------------------------------ */

bool core_open_types(struct core *c, struct hd_error *err)
{
    c->clr = clr_types_open(&c->runtime, &c->arena);
    const char *misfit = clr_types_misfit(c->clr);
    return misfit == NULL || runtime_refuse_layout(&c->runtime, misfit, err);
}

const struct gc_type *core_type_at(const struct core *c, uint64_t address)
{
    const uint64_t mask = ~UINT64_C(7);
    uint64_t method_table = memory_u64(&c->image.memory, address, NULL) & mask;
    uint32_t number = id_numbers_find(&c->heap.type_numbers, method_table);
    return number != NO_ID ? &c->heap.types[number] : NULL;
}

const unsigned char *core_object_at(const struct core *c, uint64_t address, uint64_t size,
                                    void **copy)
{
    const struct memory *m = &c->image.memory;
    uint64_t bytes = size - HEADER;
    struct bytes there = memory_from(m, address);
    if (there.size >= bytes)
        return there.data;
    *copy = alloc_resize(NULL, bytes);
    return memory_copy(m, address, *copy, bytes) ? *copy : NULL;
}

void core_free(struct core *c)
{
    if (c == NULL)
        return;
    gc_heap_close(&c->heap);
    clr_types_close(c->clr);
    process_image_close(&c->image);
    arena_free(&c->arena);
    free(c);
}

/* --- values: numbers, reals, structs that are one value ----------------------- */

static uint64_t extended(uint64_t number, uint32_t size)
{
    unsigned unused = size > 0 && size < 8 ? 64 - 8 * size : 0;
    return (uint64_t)((int64_t)(number << unused) >> unused);
}

/* Decodes a Half: sign, 5 bits of exponent, 10 of fraction. */
static double of_half(uint32_t bits)
{
    enum { FRACTION = 10, EXPONENT = 31, MIN_EXPONENT = -24 };
    uint32_t exponent = bits >> FRACTION & EXPONENT,
             fraction = bits & ((1U << FRACTION) - 1);
    double size = exponent == EXPONENT ? (fraction == 0 ? (double)INFINITY : (double)NAN)
                  : exponent == 0      ? ldexp(fraction, MIN_EXPONENT)
                                       : ldexp(fraction + (1U << FRACTION),
                                               MIN_EXPONENT - 1 + (int)exponent);
    return bits >> 15 & 1 ? -size : size;
}

/* True if a decimal is parsed as that Half, x: no neighbour is nearer, and ties go to the
 * even one. */
static bool reads_as_half(double found, uint32_t bits, double x)
{
    enum { LARGEST = 0x7BFF, LIMIT = 65520 };
    uint32_t size = bits & 0x7FFF;
    double below = size > 0 ? of_half(size - 1) : 0,
           above = size < LARGEST ? of_half(size + 1) : LIMIT * 2 - fabs(x);
    double low = (below + fabs(x)) / 2, high = (fabs(x) + above) / 2, at = fabs(found);
    return size % 2 == 0 ? at >= low && at <= high : at > low && at < high;
}

/* The double that is nearest to the shortest decimal which reads as that single or Half, x:
 * 1.1 of the single that .NET shows as 1.1, and which is 1.10000002384185791. */
static double shortest(double x, uint32_t bits, uint32_t size)
{
    enum { ENOUGH = 9 };
    char s[40];
    double found = x;
    bool same;
    if (!isfinite(x) || x == 0)
        return x;
    int digits = 1;
    do {
        c_snprintf(s, sizeof(s), "%.*g", digits, x);
        found = c_strtod(s, NULL);
        same = size == sizeof(float) ? (double)(float)found == x
                                     : reads_as_half(found, bits, x);
    } while (!same && ++digits <= ENOUGH);
    return found;
}

static void set_real(struct hd_field *to, uint32_t size)
{
    enum { OF_HALF = 5, OF_SINGLE = 9, OF_DOUBLE = 17 };
    float narrow;
    uint32_t low = (uint32_t)to->number;
    memcpy(&narrow, &low, sizeof(narrow));
    memcpy(&to->real, &to->number, sizeof(to->real));
    to->digits = size == 2 ? OF_HALF : size == 4 ? OF_SINGLE : OF_DOUBLE;
    if (size == 2)
        to->real = shortest(of_half(low), low, size);
    else if (size == sizeof(narrow))
        to->real = shortest((double)narrow, low, size);
}

static void set_words(const struct clr_field *field, const unsigned char *bytes,
                      struct arena *a, struct hd_field *to)
{
    struct text words = {0};
    unsigned char joined[CLR_MAX_BYTES];
    const unsigned char *minutes = bytes + field->minutes_at, *parts = bytes;
    if (field->form == CLR_DATE_TIME_OFFSET) {
        /* As clr_forms.h wants its parts, whatever their order. */
        uint64_t number = field->minutes_size == 4 ? le_u32(minutes) : le_u16(minutes);
        memcpy(joined, bytes + field->date_at, 8);
        le_put(joined + 8, extended(number, field->minutes_size), 4);
        parts = joined;
    }
    if (!clr_form_add(&words, field->form, parts))
        clr_form_add_raw(&words, bytes, field->size);
    to->words = arena_strdup(a, words.data, words.len);
    text_free(&words);
}

void core_value_of(const struct clr_field *field, const unsigned char *bytes,
                   struct arena *a, struct hd_field *to)
{
    uint32_t size = field->size < 8 ? field->size : 8;
    to->number = 0;
    to->is_null = field->inside > 0 && bytes[0] == 0;
    if (to->is_null)
        return;
    bytes += field->inside;
    if (field->kind == HD_FIELD_STRUCT) {
        set_words(field, bytes, a, to);
        return;
    }
    for (uint32_t i = size; i > 0; i--)
        to->number = to->number << 8 | bytes[i - 1];
    to->is_unsigned = field->kind == HD_FIELD_ENUM && !field->is_signed;
    if (field->kind == HD_FIELD_FLOAT)
        set_real(to, size);
    else if (field->is_signed)
        to->number = extended(to->number, size);
}

/* --- values: what a reference leads to ------------------------------------------- */

static bool core_fields_is_below(const void *all, size_t n, const void *address)
{
    return le_u64((const unsigned char *)all + 8 * n) < *(const uint64_t *)address;
}

/* Reads a string, at most `most` UTF-16 units, after their number. NUL becomes U+2400,
 * since a C string ends with one. */
static void read_text(const struct core *c, const struct gc_type *t, size_t most,
                      struct arena *a, struct hd_field *v)
{
    enum { SYMBOL_FOR_NULL = 0x2400 };
    const struct memory *m = &c->image.memory;
    bool ok = true;
    uint64_t length = memory_u32(m, v->number + COUNT_AT, &ok);
    size_t units = length < most ? (size_t)length : most;
    const unsigned char *at =
        memory_at(m, v->number + t->clr->elements_at, (uint64_t)units * UNIT);
    if (!ok || (at == NULL && units > 0))
        return;
    struct text text = {0};
    for (size_t begin = 0, end; begin < units; begin = end + 1) {
        for (end = begin; end < units && le_u16(at + UNIT * end) != 0;)
            end++;
        text_add_utf16(&text, at + UNIT * begin, end - begin, UTF16_LITTLE);
        if (end < units)
            text_add_code_point(&text, SYMBOL_FOR_NULL);
    }
    v->text = arena_strdup(a, text_string(&text), text.len);
    v->is_cut = units < length;
    text_free(&text);
}

/* --- values: one ---------------------------------------------------------- */

struct field_reader {
    struct core *core;
    const struct graph *g;
    bool with_text;   /* the contents of strings as well */
    size_t most_text; /* maximum number of characters */
    struct arena *a;
};

static struct hd_field named(const struct clr_field *field)
{
    return (struct hd_field){.name = field->name,
                             .declared_by = field->declared_by,
                             .type = field->type_name,
                             .kind = field->kind,
                             .to = HD_NO_OBJECT};
}

/* In redacted dumps references are kept, but not texts. */
static bool is_redacted(const struct field_reader *l)
{
    return l->core->image.redaction.is_redacted;
}

/* Reads a value that is not a reference. */
static void read_plain(const struct field_reader *l, const struct clr_field *field,
                       const unsigned char *bytes, struct hd_field *v)
{
    v->is_redacted = is_redacted(l) && v->kind != HD_FIELD_UNKNOWN;
    if (v->is_redacted)
        return;
    core_value_of(field, bytes, l->a, v);
    if (v->kind == HD_FIELD_ENUM && !v->is_null)
        v->member = clr_enum_name(l->core->clr, field->type, v->number);
}

static const struct gc_type *type_at(const struct field_reader *l, uint64_t address)
{
    const struct gc_type *t = core_type_at(l->core, address);
    return t != NULL && t->clr != NULL ? t : NULL;
}

/* Describes the target of a reference: its length, and the text of a string. */
static void read_target(const struct field_reader *l, struct hd_field *v)
{
    node_id count = l->core->heap.count;
    size_t n = search_first(l->g->addresses, 0, count, core_fields_is_below, &v->number);
    bool is_one =
        v->number != 0 && n < count && graph_address(l->g, (node_id)n) == v->number;
    v->to = is_one ? (uint32_t)n : HD_NO_OBJECT;
    const struct gc_type *t = is_one ? type_at(l, v->number) : NULL;
    if (t == NULL || (!t->clr->is_string && !t->clr->is_array))
        return;
    bool ok = true;
    v->length = memory_u32(&l->core->image.memory, v->number + COUNT_AT, &ok);
    v->has_length = ok;
    bool has_text = t->clr->is_string && l->with_text;
    v->is_redacted = has_text && is_redacted(l);
    if (has_text && !v->is_redacted)
        read_text(l->core, t, l->most_text, l->a, v);
}

/* Reads the target's value in addition to its fields, in l->a; NULL. */
static struct hd_field *read_self(const struct field_reader *l, const struct gc_type *t,
                                  uint64_t address)
{
    unsigned char bytes[2 * CLR_MAX_BYTES];
    const struct clr_field *value = &t->clr->self_value;
    uint64_t size = (uint64_t)value->inside + value->size;
    if (t->clr->self == CLR_JUST_FIELDS || size > sizeof(bytes) ||
        !memory_copy(&l->core->image.memory, address + value->offset, bytes, size))
        return NULL;
    struct hd_field *self = arena_alloc(l->a, sizeof(*self));
    *self = named(value);
    self->name = NULL;
    if (t->clr->self != CLR_A_URI) {
        read_plain(l, value, bytes, self);
        return self;
    }
    self->number = le_u64(bytes);
    read_target(l, self);
    return self;
}

static void read_value(const struct field_reader *l, const struct clr_field *field,
                       const unsigned char *bytes, struct hd_field *v)
{
    if (v->kind != HD_FIELD_REFERENCE) {
        read_plain(l, field, bytes, v);
        return;
    }
    v->number = le_u64(bytes);
    read_target(l, v);
    const struct gc_type *t = v->to != HD_NO_OBJECT ? type_at(l, v->number) : NULL;
    const struct hd_field *self = t != NULL ? read_self(l, t, v->number) : NULL;
    if (self != NULL && self->kind != HD_FIELD_REFERENCE) {
        v->boxed = self;
    } else if (self != NULL) {
        v->text = self->text;
        v->is_cut = self->is_cut;
        v->is_redacted = self->is_redacted;
    }
}

/* --- all of an object ---------------------------------------------------- */

/* How many values there are: fields, or of an array those of every element. */
static uint64_t value_count(const struct gc_type *t, const unsigned char *bytes,
                            uint64_t available)
{
    const struct clr_type *clr = t->clr;
    if (!clr->is_array && !clr->is_string)
        return clr->field_count;
    if (clr->element_size == 0 || clr->elements_at > available)
        return 0;
    uint64_t elements = le_u32(bytes + COUNT_AT),
             most = (available - clr->elements_at) / clr->element_size;
    return (elements < most ? elements : most) * clr->field_count;
}

/* --- fields --------------------------------------------------------------------- */

struct name {
    field_id id;
    const char *name;
    UT_hash_handle hh;
};

struct core_fields {
    struct core *core;
    const struct graph *graph;
    field_id **of_types; /* by number of the type and of the pointer */
    const char **names;
    size_t name_count, name_cap;
    pthread_mutex_t lock; /* of the types, which are made as they are asked for */
};

/* --- names --------------------------------------------------------------- */

static field_id field_number(struct core_fields *f, struct name **table, const char *name,
                             struct arena *scratch)
{
    struct name *found;
    HASH_FIND(hh, *table, name, strlen(name), found);
    if (found != NULL)
        return found->id;
    found = arena_alloc(scratch, sizeof(*found));
    found->id = (field_id)f->name_count;
    found->name = name;
    f->names = grow(f->names, f->name_count, &f->name_cap, sizeof(*f->names));
    f->names[f->name_count++] = name;
    HASH_ADD_KEYPTR(hh, *table, name, strlen(name), found);
    return found->id;
}

static bool core_fields_ends_before(const void *all, size_t i, const void *offset)
{
    const struct clr_field *fields = all;
    return (uint64_t)fields[i].offset + fields[i].inside + fields[i].size <=
           *(const uint64_t *)offset;
}

static void name_pointers(struct core_fields *f, size_t number, struct name **table,
                          struct arena *scratch)
{
    const struct gc_type *t = &f->core->heap.types[number];
    const struct gc_descriptor *d = &t->refers;
    if (t->clr == NULL || d->pointers == 0)
        return;
    field_id *ids = arena_array(&f->core->arena, field_id, d->pointers);
    struct gc_run whole = {0, d->pointers};
    const struct gc_run *runs = d->run_count > 0 ? d->runs : &whole;
    const struct clr_field *fields = t->clr->fields;
    size_t count = t->clr->field_count;
    uint32_t at = 0;
    for (uint32_t i = 0; i < (d->run_count > 0 ? d->run_count : 1); i++)
        for (uint32_t k = 0; k < runs[i].count; k++) {
            uint64_t offset = runs[i].offset + 8 * (uint64_t)k;
            size_t n = search_first(fields, 0, count, core_fields_ends_before, &offset);
            ids[at++] = n < count && fields[n].offset <= offset
                            ? field_number(f, table, fields[n].name, scratch)
                            : NO_FIELD;
        }
    f->of_types[number] = ids;
}

/* --- one object ---------------------------------------------------------- */

struct field_namer {
    const struct graph *g;
    const unsigned char *bytes;
    const field_id *names;
    uint32_t edge, end;
    field_id *to;
};

/* A reference that leads to no object made no edge. */
static void name_pointer(void *context, uint64_t offset, uint32_t number)
{
    struct field_namer *w = context;
    uint64_t object = le_u64(w->bytes + offset);
    if (object == 0 || w->edge == w->end ||
        graph_address(w->g, w->g->edge_to[w->edge]) != object)
        return;
    *w->to++ = w->names != NULL ? w->names[number] : NO_FIELD;
    w->edge++;
}

static void of_node(const void *context, node_id n, field_id *ids)
{
    const struct core_fields *f = context;
    const struct graph *g = f->graph;
    struct field_namer w = {
        .g = g, .edge = g->edge_begin[n], .end = g->edge_begin[n + 1], .to = ids};
    for (uint32_t i = 0; i < w.end - w.edge; i++)
        ids[i] = NO_FIELD;
    const struct gc_type *t = core_type_at(f->core, graph_address(g, n));
    if (t == NULL || w.edge == w.end)
        return;
    if (t->keeps != NO_NODE) {
        w.edge++;
        w.to++;
    }
    void *copy = NULL;
    uint64_t size = graph_size(g, n);
    w.bytes = core_object_at(f->core, graph_address(g, n), size, &copy);
    w.names = f->of_types[t - f->core->heap.types];
    if (w.bytes != NULL)
        gc_descriptor_walk(&t->refers, size, name_pointer, &w);
    free(copy);
}

/* Value number `number` of an object of type t, of which `available` bytes are known. */
static struct hd_field value_at(const struct field_reader *l, const struct clr_type *t,
                                const unsigned char *bytes, uint64_t available,
                                uint64_t number)
{
    const struct clr_field *field = &t->fields[number % t->field_count];
    uint64_t at = field->offset, element = number / t->field_count;
    struct hd_field value = named(field);
    if (t->is_array || t->is_string) { /* "[].value" of element 17 is "[17].value" */
        const char *rest = field->name + (strncmp(field->name, "[]", 2) == 0 ? 2 : 0);
        at += t->elements_at + element * t->element_size;
        value.name = arena_printf(l->a, "[%" PRIu64 "]%s", element, rest);
    }
    if (at <= available && (uint64_t)field->inside + field->size <= available - at)
        read_value(l, field, bytes + at, &value);
    return value;
}

static const struct hd_field *values(const void *context, node_id n, uint64_t first,
                                     size_t most, bool with_text, size_t most_text,
                                     struct arena *a, size_t *len, uint64_t *count)
{
    struct core_fields *f = (struct core_fields *)context;
    const struct field_reader l = {f->core, f->graph, with_text, most_text, a};
    uint64_t address = graph_address(f->graph, n), size = graph_size(f->graph, n);
    void *copy = NULL;
    *len = 0;
    *count = 0;
    pthread_mutex_lock(&f->lock);
    const struct gc_type *t = type_at(&l, address);
    const unsigned char *bytes =
        t != NULL ? core_object_at(f->core, address, size, &copy) : NULL;
    if (bytes != NULL)
        *count = value_count(t, bytes, size - HEADER);
    uint64_t left = *count > first ? *count - first : 0;
    *len = left < most ? (size_t)left : most;
    struct hd_field *all = arena_array(a, struct hd_field, *len);
    for (size_t i = 0; i < *len; i++)
        all[i] = value_at(&l, t->clr, bytes, size - HEADER, first + i);
    free(copy);
    pthread_mutex_unlock(&f->lock);
    return *len > 0 ? all : NULL;
}

static const struct hd_field *self(const void *context, node_id n, size_t most_text,
                                   struct arena *a)
{
    struct core_fields *f = (struct core_fields *)context;
    const struct field_reader l = {f->core, f->graph, most_text > 0, most_text, a};
    uint64_t address = graph_address(f->graph, n);
    pthread_mutex_lock(&f->lock);
    const struct gc_type *t = type_at(&l, address);
    const struct hd_field *found = t != NULL ? read_self(&l, t, address) : NULL;
    pthread_mutex_unlock(&f->lock);
    return found;
}

/* --- static variables ----------------------------------------------------- */

struct static_list {
    struct field_reader l;
    struct hd_static *all;
    size_t len, cap;
};

static void read_variable(const struct field_reader *l, const struct clr_static *v,
                          struct hd_static *to)
{
    unsigned char bytes[8] = {0};
    const struct clr_field *value = &v->value;
    bool known = value->size > 0 && value->size <= sizeof(bytes) && v->slot != 0 &&
                 memory_copy(&l->core->image.memory, v->slot, bytes, value->size);
    /* A constructor may be running. */
    to->is_set = v->is_used || le_u64(bytes) != 0;
    if (!to->is_set)
        return;
    if (!known && is_redacted(l) && v->slot != 0 && value->kind != HD_FIELD_REFERENCE)
        known = true; /* what it was is not there any more */
    if (!known || value->kind == HD_FIELD_UNKNOWN) {
        to->field.kind = HD_FIELD_UNKNOWN;
        return;
    }
    read_value(l, value, bytes, &to->field);
    if (!v->is_boxed || to->field.boxed == NULL)
        return;
    /* A boxed single value is shown as the value of the variable. */
    struct hd_field inside = *to->field.boxed;
    inside.name = to->field.name;
    inside.declared_by = to->field.declared_by;
    inside.type = to->field.type;
    to->field = inside;
}

static void take_variable(void *context, const struct clr_static *v)
{
    struct static_list *s = context;
    s->all = grow(s->all, s->len, &s->cap, sizeof(*s->all));
    struct hd_static *to = &s->all[s->len++];
    *to = (struct hd_static){.declared_by = v->declared_by,
                             .module = v->module,
                             .field = named(&v->value),
                             .of_thread = v->of_thread,
                             .thread = v->thread,
                             .bytes = HD_UNKNOWN,
                             .retained = HD_UNKNOWN};
    to->field.name = v->field;
    to->field.declared_by = v->declared_by;
    read_variable(&s->l, v, to);
}

static const struct hd_static *statics(const void *context, size_t most_text,
                                       struct arena *a, size_t *len)
{
    struct core_fields *f = (struct core_fields *)context;
    struct static_list s = {.l = {f->core, f->graph, most_text > 0, most_text, a}};
    pthread_mutex_lock(&f->lock);
    clr_types_variables(f->core->clr, take_variable, &s);
    pthread_mutex_unlock(&f->lock);
    *len = s.len;
    return arena_take_array(a, s.all, s.len, sizeof(*s.all), NULL);
}

/* --- contents ------------------------------------------------------------ */

/* Behind the pointer to the MethodTable: the length of strings and arrays, and data. */
static enum contents contents(const void *context, node_id n, uint64_t *hash)
{
    enum { FROM = 8, MAX_BYTES = 256 };
    const struct core_fields *f = context;
    uint64_t address = graph_address(f->graph, n), size = graph_size(f->graph, n);
    const struct gc_type *t = core_type_at(f->core, address);
    if (t == NULL || t->clr == NULL || t->refers.shape != GC_NO_REFERENCES ||
        size < FROM + HEADER || f->core->image.redaction.is_redacted)
        return CONTENTS_UNKNOWN;
    unsigned char copy[MAX_BYTES];
    size_t len =
        size - FROM - HEADER < MAX_BYTES ? (size_t)(size - FROM - HEADER) : MAX_BYTES;
    const struct memory *m = &f->core->image.memory;
    const unsigned char *bytes = memory_at(m, address + FROM, len);
    if (bytes == NULL && !memory_copy(m, address + FROM, copy, len))
        return CONTENTS_UNKNOWN;
    *hash = XXH3_64bits(bytes != NULL ? bytes : copy, len);
    return t->clr->is_string ? CONTENTS_FIXED : CONTENTS_MUTABLE;
}

static void free_fields(void *context)
{
    struct core_fields *f = context;
    pthread_mutex_destroy(&f->lock);
    free(f->names);
    core_free(f->core);
    free(f);
}

struct fields *core_fields_make(struct core *c, const struct graph *g)
{
    struct core_fields *f = alloc_zeroed(sizeof(*f));
    struct arena scratch = {0};
    struct name *table = NULL;
    *f = (struct core_fields){.core = c,
                              .graph = g,
                              .of_types =
                                  arena_array(&c->arena, field_id *, c->heap.type_count)};
    pthread_mutex_init(&f->lock, NULL);
    for (size_t i = 0; i < c->heap.type_count; i++)
        name_pointers(f, i, &table, &scratch);
    HASH_CLEAR(hh, table);
    arena_free(&scratch);
    struct fields *fields = alloc_zeroed(sizeof(*fields));
    *fields = (struct fields){.names = f->names,
                              .name_count = (uint32_t)f->name_count,
                              .of_node = of_node,
                              .values = values,
                              .self = self,
                              .statics = statics,
                              .contents = contents,
                              .free = free_fields,
                              .context = f};
    return fields;
}

struct core *core_fields_core(const struct fields *f)
{
    return ((const struct core_fields *)f->context)->core;
}

#include "format/core/core_values.h"

#include "base/alloc.h"
#include "base/c_locale.h"
#include "base/search.h"
#include "base/utf16.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT_AT = 8, HEADER = 8, UNIT = 2 };

/* --- what a reference leads to ------------------------------------------- */

static bool is_below(const void *all, size_t n, const void *address)
{
    return le_u64((const unsigned char *)all + 8 * n) < *(const uint64_t *)address;
}

static uint32_t object_at(const struct core *c, const struct graph *g, uint64_t address)
{
    size_t n = search_first(g->addresses, 0, c->heap.count, is_below, &address);
    return n < c->heap.count && graph_address(g, (node_id)n) == address ? (uint32_t)n
                                                                        : HD_NO_OBJECT;
}

/* Text in which NUL is U+2400, since a C string ends with one. */
static void add_units(struct text *t, const unsigned char *at, size_t units)
{
    enum { SYMBOL_FOR_NULL = 0x2400 };
    for (size_t begin = 0, end; begin < units; begin = end + 1) {
        for (end = begin; end < units && le_u16(at + UNIT * end) != 0;)
            end++;
        text_add_utf16(t, at + UNIT * begin, end - begin, UTF16_LITTLE);
        if (end < units)
            text_add_code_point(t, SYMBOL_FOR_NULL);
    }
}

/* The contents of a string, which holds so many UTF-16 units behind its number of them. */
static void take_text(const struct core *c, const struct gc_type *t, size_t most,
                      struct arena *a, struct hd_field *v)
{
    const struct memory *m = &c->image.memory;
    bool ok = true;
    uint64_t length = memory_u32(m, v->number + COUNT_AT, &ok);
    uint64_t units = length < most ? length : most;
    const unsigned char *at = memory_at(m, v->number + t->clr->elements_at, units * UNIT);
    if (!ok || (at == NULL && units > 0))
        return;
    struct text text = {0};
    add_units(&text, at, (size_t)units);
    v->text = arena_strdup(a, text_string(&text), text.len);
    v->is_cut = units < length;
    text_free(&text);
}

/* --- one value ----------------------------------------------------------- */

static uint64_t extended(uint64_t number, uint32_t size)
{
    unsigned unused = size > 0 && size < 8 ? 64 - 8 * size : 0;
    return (uint64_t)((int64_t)(number << unused) >> unused);
}

/* 1.1 of the single that is nearest to it, which .NET shows as 1.1: as a double it would be
 * 1.10000002384185791. */
static double shortest(float x)
{
    enum { ENOUGH = 9 };
    char s[40];
    double found = (double)x;
    if (!isfinite(x))
        return found;
    int digits = 1;
    do {
        c_snprintf(s, sizeof(s), "%.*g", digits, (double)x);
        found = c_strtod(s, NULL);
    } while ((float)found != x && ++digits <= ENOUGH);
    return found;
}

static double real(uint64_t number, uint32_t size)
{
    float narrow;
    double wide;
    uint32_t low = (uint32_t)number;
    memcpy(&narrow, &low, sizeof(narrow));
    memcpy(&wide, &number, sizeof(wide));
    return size == sizeof(narrow) ? shortest(narrow) : wide;
}

void core_value_number(const struct clr_field *field, const unsigned char *bytes,
                       struct hd_field *to)
{
    uint32_t size = field->size < 8 ? field->size : 8;
    to->number = 0;
    for (uint32_t i = size; i > 0; i--)
        to->number = to->number << 8 | bytes[i - 1];
    to->is_unsigned = field->kind == HD_FIELD_ENUM && !field->is_signed;
    if (field->kind == HD_FIELD_FLOAT)
        to->real = real(to->number, size);
    else if (field->is_signed)
        to->number = extended(to->number, size);
}

struct looking {
    struct core *core;
    const struct graph *g;
    const struct core_values_asked *asked;
    struct arena *a;
};

static void take_value(const struct looking *l, const struct clr_field *field,
                       const unsigned char *bytes, struct hd_field *v)
{
    core_value_number(field, bytes, v);
    if (v->kind == HD_FIELD_ENUM)
        v->member = clr_enum_name(l->core->clr, field->type, v->number);
    if (v->kind != HD_FIELD_REFERENCE)
        return;
    if (v->number != 0)
        v->to = object_at(l->core, l->g, v->number);
    const struct gc_type *t =
        v->to != HD_NO_OBJECT ? core_type_at(l->core, v->number) : NULL;
    if (t != NULL && t->clr != NULL && t->clr->is_string && l->asked->with_text)
        take_text(l->core, t, l->asked->most_text, l->a, v);
}

static struct hd_field value_of(const struct clr_field *field)
{
    return (struct hd_field){.name = field->name,
                             .declared_by = field->declared_by,
                             .type = field->type_name,
                             .kind = field->kind,
                             .to = HD_NO_OBJECT};
}

/* "[].value" of element 17 is "[17].value". */
static const char *element_name(struct arena *a, const char *name, uint64_t number)
{
    const char *rest = strncmp(name, "[]", 2) == 0 ? name + 2 : name;
    return arena_printf(a, "[%" PRIu64 "]%s", number, rest);
}

/* --- all of an object ---------------------------------------------------- */

/* How many values there are: fields, or of an array those of every element. */
static uint64_t value_count(const struct gc_type *t, const unsigned char *bytes,
                            uint64_t room)
{
    const struct clr_type *clr = t->clr;
    if (!clr->is_array && !clr->is_string)
        return clr->field_count;
    if (clr->element_size == 0 || clr->elements_at > room)
        return 0;
    uint64_t elements = le_u32(bytes + COUNT_AT),
             most = (room - clr->elements_at) / clr->element_size;
    return (elements < most ? elements : most) * clr->field_count;
}

const struct hd_field *core_values_of(struct core *c, const struct graph *g, node_id n,
                                      const struct core_values_asked *asked,
                                      struct arena *a, size_t *len, uint64_t *count)
{
    const struct looking l = {c, g, asked, a};
    const struct gc_type *t = core_type_at(c, graph_address(g, n));
    uint64_t room = graph_size(g, n) - HEADER;
    void *copy = NULL;
    *len = 0;
    *count = 0;
    if (t == NULL || t->clr == NULL)
        return NULL;
    const struct clr_type *clr = t->clr;
    const unsigned char *bytes =
        core_object_at(c, graph_address(g, n), room + HEADER, &copy);
    if (bytes != NULL)
        *count = value_count(t, bytes, room);
    uint64_t left = *count > asked->first ? *count - asked->first : 0;
    size_t wanted = left < asked->most ? (size_t)left : asked->most;
    struct hd_field *all = arena_array(a, struct hd_field, wanted);
    bool is_indexed = clr->is_array || clr->is_string;
    for (size_t i = 0; i < wanted; i++) {
        uint64_t number = asked->first + i, element = number / clr->field_count;
        const struct clr_field *field = &clr->fields[number % clr->field_count];
        uint64_t at = field->offset;
        all[i] = value_of(field);
        if (is_indexed) {
            at += clr->elements_at + element * clr->element_size;
            all[i].name = element_name(a, field->name, element);
        }
        if (at <= room && field->size <= room - at)
            take_value(&l, field, bytes + at, &all[i]);
    }
    free(copy);
    *len = wanted;
    return wanted > 0 ? all : NULL;
}

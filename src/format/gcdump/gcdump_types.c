#include "format/gcdump/gcdump_types.h"

#include "base/hash.h"
#include "heap/place.h"

#include <string.h>

/* --- names ----------------------------------------------------------------- */

static void respell(struct text *t, const char *name, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (name[i] == '`') {
            while (i + 1 < len && name[i + 1] >= '0' && name[i + 1] <= '9')
                i++;
            continue;
        }
        char c = name[i];
        if (c == '[')
            c = '<';
        else if (c == ']')
            c = '>';
        text_add_char(t, c);
    }
    for (size_t i = 0; i + 1 < t->len; i++) {
        if (t->data[i] == '<' && t->data[i + 1] == '>') {
            t->data[i++] = '[';
            t->data[i] = ']';
        }
    }
}

static bool reads_as(const struct text *spelling, const struct text *canonical)
{
    struct text read = {0};
    names_canonical(&read, spelling->data, spelling->len);
    bool same = spelling->len > 0 && read.len == canonical->len &&
                memcmp(read.data, canonical->data, read.len) == 0;
    text_free(&read);
    return same;
}

const char *gcdump_spelling(const char *name, size_t len, struct arena *a)
{
    struct text canonical = {0}, theirs = {0};
    names_canonical(&canonical, name, len);
    respell(&theirs, name, len);
    if (!reads_as(&theirs, &canonical)) {
        text_clear(&theirs);
        respell(&theirs, canonical.data, canonical.len);
    }
    const struct text *use = reads_as(&theirs, &canonical) ? &theirs : &canonical;
    const char *spelling = arena_strdup(a, use->data, use->len);
    text_free(&canonical);
    text_free(&theirs);
    return spelling;
}

/* --- the table --------------------------------------------------------------- */

struct named_type {
    uint32_t index;
    const char *name;
    UT_hash_handle hh;
};

static uint32_t add(struct gcdump_types *t, const char *name, const char *module,
                    int32_t size)
{
    t->all = grow(t->all, t->count, &t->cap, sizeof(*t->all));
    t->all[t->count] =
        (struct table_type){.name = name, .module = module, .size = size, .multiplier = 1};
    return (uint32_t)t->count++;
}

static uint32_t intern(struct gcdump_types *t, struct named_type **by_name,
                       const char *name, const char *module, int32_t size)
{
    struct named_type *found;
    size_t len = strlen(name);
    HASH_FIND(hh, *by_name, name, len, found);
    if (found != NULL)
        return found->index;
    found = arena_alloc(t->arena, sizeof(*found));
    found->name = name;
    found->index = add(t, name, module, size);
    HASH_ADD_KEYPTR(hh, *by_name, found->name, len, found);
    return found->index;
}

/* Only the type is respelled: the field of `[static var []c.<>9]` stays as it is. */
uint32_t gcdump_types_pseudo(struct gcdump_types *t, const char *name)
{
    struct place place = place_of(name);
    struct text spelled = {0};
    if (place_is_variable(&place)) {
        place.type = name_part(gcdump_spelling(place.type.at, place.type.len, t->arena));
        place_add(&spelled, &place);
        name = arena_strdup(t->arena, spelled.data, spelled.len);
    }
    text_free(&spelled);
    return intern(t, &t->pseudo, name, NULL, 0);
}

static void take_table(struct gcdump_types *t)
{
    const struct source *s = t->snap->source;
    for (uint32_t i = 0; i < s->gcdump_type_count; i++) {
        const struct source_gcdump_type *type = &s->gcdump_types[i];
        uint32_t at = add(t, type->name, type->module, type->size);
        t->all[at].multiplier = s->gcdump_types[i].multiplier;
    }
}

struct gcdump_types gcdump_types_begin(const struct hd_snapshot *snap, struct arena *a)
{
    const struct source *s = snap->source;
    struct gcdump_types t = {.snap = snap, .arena = a, .as_they_are = s->is_gcdump};
    if (t.as_they_are) {
        take_table(&t);
        return t;
    }
    add(&t, "UNDEFINED", NULL, 0);
    t.of_pseudo = arena_array(a, uint32_t, snap->type_count);
    t.of_source = arena_alloc(a, array_bytes(s->type_count, sizeof(*t.of_source)));
    return t;
}

void gcdump_types_free(struct gcdump_types *t)
{
    HASH_CLEAR(hh, t->classes);
    HASH_CLEAR(hh, t->pseudo);
    free(t->all);
}

/* --- types of objects ---------------------------------------------------------- */

static const char *const class_suffixes[] = {
    NULL,
    " (Bytes > 1K)",
    " (Bytes > 10K)",
    " (Bytes > 100K)",
    " (Bytes > 1M)",
    " (Bytes > 10M)",
    " (Bytes > 100M)",
};

static unsigned size_class(uint32_t size)
{
    static const uint32_t above[] = {1001, 10000, 100000, 1000000, 10000000, 100000000};
    unsigned c = 0;
    while (c < sizeof(above) / sizeof(above[0]) && size >= above[c])
        c++;
    return c;
}

static uint32_t object_type(struct gcdump_types *t, uint32_t source, unsigned class)
{
    const struct source_type *s = &t->snap->source->types[source];
    uint32_t *slot = &t->of_source[source][class];
    if (*slot != 0)
        return *slot;
    uint32_t base = t->of_source[source][0];
    if (base == 0) {
        const char *name = s->name != NULL ? s->name : "";
        base = add(t, gcdump_spelling(name, strlen(name), t->arena), s->module, -1);
        t->of_source[source][0] = base;
    }
    /* Types of classes are one per name, whatever the module: so they are there. */
    if (class > 0)
        *slot =
            intern(t, &t->classes,
                   arena_printf(t->arena, "%s%s", t->all[base].name, class_suffixes[class]),
                   t->all[base].module, -1);
    return *slot;
}

uint32_t gcdump_types_of(struct gcdump_types *t, node_id n, uint32_t size)
{
    const struct graph *g = t->snap->graph;
    uint32_t source = g->source_type[n];
    const struct type *row = &t->snap->types[g->type[n]];
    if (t->as_they_are)
        return t->snap->source->types[source].number;
    if (row->kind == TYPE_UNDEFINED)
        return 0;
    uint32_t *pseudo = &t->of_pseudo[g->type[n]];
    if (row->kind == TYPE_PSEUDO && *pseudo == 0)
        *pseudo = gcdump_types_pseudo(t, row->name);
    if (row->kind == TYPE_PSEUDO)
        return *pseudo;
    return object_type(t, source, size_class(size));
}

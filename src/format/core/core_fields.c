#include "format/core/core_fields.h"

#include "base/hash.h"
#include "base/search.h"
#include "format/core/core_values.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

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

static field_id number_of(struct core_fields *f, struct name **table, const char *name,
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

static bool ends_before(const void *all, size_t i, const void *offset)
{
    const struct clr_field *fields = all;
    return (uint64_t)fields[i].offset + fields[i].size <= *(const uint64_t *)offset;
}

/* The field that covers an offset; NULL. */
static const struct clr_field *field_at(const struct clr_type *t, uint64_t offset)
{
    size_t i = search_first(t->fields, 0, t->field_count, ends_before, &offset);
    return i < t->field_count && t->fields[i].offset <= offset ? &t->fields[i] : NULL;
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
    uint32_t at = 0;
    for (uint32_t i = 0; i < (d->run_count > 0 ? d->run_count : 1); i++)
        for (uint32_t k = 0; k < runs[i].count; k++) {
            const struct clr_field *field =
                field_at(t->clr, runs[i].offset + 8 * (uint64_t)k);
            ids[at++] =
                field != NULL ? number_of(f, table, field->name, scratch) : NO_FIELD;
        }
    f->of_types[number] = ids;
}

static void name_all(struct core_fields *f)
{
    struct arena scratch = {0};
    struct name *table = NULL;
    size_t count = f->core->heap.type_count;
    f->of_types = arena_array(&f->core->arena, field_id *, count);
    for (size_t i = 0; i < count; i++)
        name_pointers(f, i, &table, &scratch);
    HASH_CLEAR(hh, table);
    arena_free(&scratch);
}

/* --- one object ---------------------------------------------------------- */

struct naming {
    const struct graph *g;
    const unsigned char *bytes;
    const field_id *names;
    uint32_t edge, end;
    field_id *to;
};

/* A reference that leads to no object made no edge. */
static void name_pointer(void *context, uint64_t offset, uint32_t number)
{
    struct naming *w = context;
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
    struct naming w = {
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

static const struct hd_field *values(const void *context, node_id n, uint64_t first,
                                     size_t most, bool with_text, size_t most_text,
                                     struct arena *a, size_t *len, uint64_t *count)
{
    struct core_fields *f = (struct core_fields *)context;
    const struct core_values_asked asked = {first, most, with_text, most_text};
    pthread_mutex_lock(&f->lock);
    const struct hd_field *found =
        core_values_of(f->core, f->graph, n, &asked, a, len, count);
    pthread_mutex_unlock(&f->lock);
    return found;
}

/* --- contents ------------------------------------------------------------ */

/* Behind the pointer to the MethodTable: the length of strings and arrays, and data. */
static enum contents contents(const void *context, node_id n, uint64_t *hash)
{
    enum { FROM = 8, HEADER = 8, MOST = 256 };
    const struct core_fields *f = context;
    uint64_t address = graph_address(f->graph, n), size = graph_size(f->graph, n);
    const struct gc_type *t = core_type_at(f->core, address);
    if (t == NULL || t->clr == NULL || t->refers.shape != GC_NO_REFERENCES ||
        size < FROM + HEADER)
        return CONTENTS_UNKNOWN;
    unsigned char copy[MOST];
    size_t len = size - FROM - HEADER < MOST ? (size_t)(size - FROM - HEADER) : MOST;
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
    *f = (struct core_fields){.core = c, .graph = g};
    pthread_mutex_init(&f->lock, NULL);
    name_all(f);
    struct fields *fields = alloc_zeroed(sizeof(*fields));
    *fields = (struct fields){.names = f->names,
                              .name_count = (uint32_t)f->name_count,
                              .of_node = of_node,
                              .values = values,
                              .contents = contents,
                              .free = free_fields,
                              .context = f};
    return fields;
}

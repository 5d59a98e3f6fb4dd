#include "support/forge.h"

#include "base/hash.h"
#include "heap/graph.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

struct forge_type {
    enum type_kind kind;
    const char *name, *module;
    double multiplier;
};

struct forge_node {
    uint32_t type;
    uint64_t size;
    enum hd_generation generation;
};

struct forge_edge {
    node_id from, to;
    const char *field; /* NULL: none */
};

struct forge_row {
    uint32_t type;
    struct hd_tally all;
};

/* --- types ----------------------------------------------------------------------- */

/* The key is kind and name. */
struct forge_name {
    uint32_t type;
    UT_hash_handle hh;
};

static const char *key_of(struct arena *a, enum type_kind kind, const char *name)
{
    return arena_printf(a, "%c%s", (char)('0' + kind), name);
}

static uint32_t find_type(const struct forge *f, enum type_kind kind, const char *name)
{
    struct arena scratch = {0};
    const char *key = key_of(&scratch, kind, name);
    struct forge_name *slot;
    HASH_FIND(hh, f->by_name, key, strlen(key), slot);
    arena_free(&scratch);
    return slot != NULL ? slot->type : NO_TYPE;
}

static uint32_t intern_type(struct forge *f, enum type_kind kind, const char *name)
{
    uint32_t found = find_type(f, kind, name);
    if (found != NO_TYPE)
        return found;
    f->types = grow(f->types, f->type_count, &f->type_cap, sizeof(*f->types));
    const char *key = key_of(&f->names, kind, name);
    struct forge_name *slot = arena_alloc(&f->names, sizeof(*slot));
    slot->type = (uint32_t)f->type_count;
    HASH_ADD_KEYPTR(hh, f->by_name, key, strlen(key), slot);
    f->types[f->type_count] =
        (struct forge_type){.kind = kind, .name = key + 1, .multiplier = 1};
    return (uint32_t)f->type_count++;
}

static struct forge_type *used_type(struct forge *f, const char *name)
{
    uint32_t found = find_type(f, TYPE_OBJECT, name);
    cr_assert_neq(found, NO_TYPE, "forge: type %s is used", name);
    return &f->types[found];
}

void forge_module(struct forge *f, const char *type, const char *module)
{
    used_type(f, type)->module = arena_strdup(&f->names, module, strlen(module));
}

void forge_multiplier(struct forge *f, const char *type, double multiplier)
{
    used_type(f, type)->multiplier = multiplier;
    f->sampled = true;
}

/* --- nodes ----------------------------------------------------------------------- */

static node_id add_node(struct forge *f, uint32_t type, uint64_t size)
{
    f->nodes = grow(f->nodes, f->node_count, &f->node_cap, sizeof(*f->nodes));
    f->nodes[f->node_count] = (struct forge_node){type, size, HD_GEN_UNKNOWN};
    return (node_id)f->node_count++;
}

static void expect_node(const struct forge *f, node_id node)
{
    cr_assert_lt(node, f->node_count, "forge: node %u exists", node);
}

node_id forge_object(struct forge *f, const char *type, uint64_t size)
{
    return add_node(f, intern_type(f, TYPE_OBJECT, type), size);
}

node_id forge_objects(struct forge *f, const char *type, uint64_t size, uint32_t count)
{
    node_id first = (node_id)f->node_count;
    uint32_t id = intern_type(f, TYPE_OBJECT, type);
    for (uint32_t i = 0; i < count; i++)
        add_node(f, id, size);
    return first;
}

node_id forge_pseudo(struct forge *f, const char *name)
{
    return add_node(f, intern_type(f, TYPE_PSEUDO, name), 0);
}

node_id forge_undefined(struct forge *f)
{
    return add_node(f, intern_type(f, TYPE_UNDEFINED, "UNDEFINED"), 0);
}

void forge_reference(struct forge *f, node_id from, node_id to)
{
    expect_node(f, from);
    expect_node(f, to);
    f->edges = grow(f->edges, f->edge_count, &f->edge_cap, sizeof(*f->edges));
    f->edges[f->edge_count++] = (struct forge_edge){from, to, NULL};
}

void forge_reference_by(struct forge *f, node_id from, const char *field, node_id to)
{
    forge_reference(f, from, to);
    f->edges[f->edge_count - 1].field = arena_strdup(&f->names, field, strlen(field));
    f->has_fields = true;
}

void forge_root(struct forge *f, enum hd_root_kind kind, const char *static_name,
                node_id object)
{
    expect_node(f, object);
    cr_assert_eq(kind == HD_ROOT_STATIC, static_name != NULL,
                 "forge: static variables, and only they, have names");
    root_set_add(&f->roots, kind, static_name,
                 static_name != NULL ? strlen(static_name) : 0, object);
}

void forge_start(struct forge *f, node_id root)
{
    expect_node(f, root);
    f->start = root;
    f->has_start = true;
}

void forge_generation(struct forge *f, node_id object, enum hd_generation generation)
{
    expect_node(f, object);
    f->nodes[object].generation = generation;
    f->has_generations = true;
}

void forge_row(struct forge *f, const char *type, uint64_t count, uint64_t bytes)
{
    f->rows = grow(f->rows, f->row_count, &f->row_cap, sizeof(*f->rows));
    f->rows[f->row_count++] =
        (struct forge_row){intern_type(f, TYPE_OBJECT, type), {count, bytes}};
}

/* --- the end --------------------------------------------------------------------- */

static void build_types(const struct forge *f, struct builder *b)
{
    for (size_t i = 0; i < f->type_count; i++) {
        const struct forge_type *t = &f->types[i];
        uint32_t id = builder_type(b, t->kind, t->name, strlen(t->name));
        if (t->module != NULL)
            builder_module(b, id, t->module, strlen(t->module));
        b->types[id].multiplier = t->multiplier;
    }
}

/* The builder needs references sorted by node. Stable, to keep their order. */
static struct forge_edge *sort_edges(const struct forge *f, size_t *begin,
                                     struct arena *scratch)
{
    for (size_t e = 0; e < f->edge_count; e++)
        begin[f->edges[e].from + 1]++;
    for (size_t n = 0; n < f->node_count; n++)
        begin[n + 1] += begin[n];
    size_t *next = arena_array(scratch, size_t, f->node_count + 1);
    memcpy(next, begin, f->node_count * sizeof(*next));
    struct forge_edge *sorted = arena_array(scratch, struct forge_edge, f->edge_count);
    for (size_t e = 0; e < f->edge_count; e++)
        sorted[next[f->edges[e].from]++] = f->edges[e];
    return sorted;
}

/* --- fields ---------------------------------------------------------------------- */

struct forged_fields {
    struct arena arena;
    const struct graph *graph;
    size_t *begin; /* of the nodes of the forge, into ids */
    size_t node_count;
    field_id *ids;
};

/* Nodes after those of the forge are roots, with one reference or several. */
static void fields_of_node(const void *context, node_id n, field_id *ids)
{
    const struct forged_fields *all = context;
    const struct graph *g = all->graph;
    for (uint32_t i = 0;
         n >= all->node_count && i < g->edge_begin[n + 1] - g->edge_begin[n]; i++)
        ids[i] = NO_FIELD;
    for (size_t e = n < all->node_count ? all->begin[n] : 0;
         n < all->node_count && e < all->begin[n + 1]; e++)
        ids[e - all->begin[n]] = all->ids[e];
}

static void free_fields(void *context)
{
    struct forged_fields *all = context;
    arena_free(&all->arena);
    free(all);
}

static field_id intern_field(const char **names, uint32_t *count, const char *name)
{
    uint32_t i = 0;
    while (i < *count && strcmp(names[i], name) != 0)
        i++;
    if (i == *count)
        names[(*count)++] = name;
    return i;
}

static struct fields *forge_fields(const struct forge *f, const struct graph *g,
                                   const size_t *begin, const struct forge_edge *sorted)
{
    struct forged_fields *all = alloc_zeroed(sizeof(*all));
    struct fields *fields = alloc_zeroed(sizeof(*fields));
    all->graph = g;
    all->node_count = f->node_count;
    all->begin = arena_array(&all->arena, size_t, f->node_count + 1);
    memcpy(all->begin, begin, (f->node_count + 1) * sizeof(*begin));
    all->ids = arena_array(&all->arena, field_id, f->edge_count);
    const char **names = arena_array(&all->arena, const char *, f->edge_count);
    for (size_t e = 0; e < f->edge_count; e++) {
        const char *name = sorted[e].field;
        all->ids[e] = NO_FIELD;
        if (name != NULL)
            all->ids[e] = intern_field(names, &fields->name_count,
                                       arena_strdup(&all->arena, name, strlen(name)));
    }
    fields->names = names;
    fields->of_node = fields_of_node;
    fields->free = free_fields;
    fields->context = all;
    return fields;
}

static void build_nodes(const struct forge *f, struct builder *b)
{
    struct arena scratch = {0};
    size_t *begin = arena_array(&scratch, size_t, f->node_count + 1);
    const struct forge_edge *sorted = sort_edges(f, begin, &scratch);
    for (size_t n = 0; n < f->node_count; n++) {
        const struct forge_node *node = &f->nodes[n];
        if (f->types[node->type].kind == TYPE_OBJECT)
            cr_assert(builder_object(b, node->type, node->size, node->generation));
        builder_node(b, node->type, node->size);
        for (size_t e = begin[n]; e < begin[n + 1]; e++)
            builder_edge(b, sorted[e].to);
    }
    if (f->has_fields)
        b->graph->fields = forge_fields(f, b->graph, begin, sorted);
    arena_free(&scratch);
}

static void build_roots(struct forge *f, struct builder *b)
{
    cr_assert(!f->has_start || f->roots.len == 0, "forge: one root of all roots");
    if (f->has_start) {
        builder_root(b, f->start);
    } else if (f->roots.len > 0) {
        root_set_emit(&f->roots, b);
    } else {
        /* As readers do: a root without references. */
        static const char name[] = "[roots]";
        node_id root = b->graph != NULL ? b->graph->node_count : 0;
        builder_node(b, builder_type(b, TYPE_PSEUDO, name, sizeof(name) - 1), 0);
        builder_root(b, root);
    }
}

enum { ADDRESS_BYTES = 8, GENERATION_SHIFT = 48, OBJECT_SHIFT = 4 };

uint64_t forge_address(enum hd_generation generation, node_id object)
{
    return ((uint64_t)generation + 1) << GENERATION_SHIFT | (uint64_t)object
                                                                << OBJECT_SHIFT;
}

static void build_generations(const struct forge *f, struct builder *b)
{
    struct hd_snapshot *snap = b->snap;
    unsigned char *all = arena_array(&snap->arena, unsigned char,
                                     (size_t)b->graph->node_count *ADDRESS_BYTES);
    for (size_t n = 0; n < f->node_count; n++) {
        uint64_t address = 0;
        if (f->nodes[n].generation != HD_GEN_UNKNOWN)
            address = forge_address(f->nodes[n].generation, (node_id)n);
        for (size_t i = 0; i < ADDRESS_BYTES; i++)
            all[n * ADDRESS_BYTES + i] = (unsigned char)(address >> (8 * i));
    }
    b->graph->addresses = all;
    struct range parts[HD_GEN_UNKNOWN];
    for (enum hd_generation g = HD_GEN0; g < HD_GEN_UNKNOWN; g++)
        parts[g] = (struct range){forge_address(g, 0), forge_address(g + 1, 0), g};
    snap->ranges = ranges_build(parts, HD_GEN_UNKNOWN, &snap->arena);
}

struct hd_snapshot *forge_finish(struct forge *f)
{
    cr_assert(f->row_count == 0 || f->node_count == 0, "forge: rows or objects, not both");
    struct builder b = builder_begin(NULL, "forged");
    b.snap->info.format = "forged";
    builder_keep_source(&b);
    b.reach_later = f->reach_later;
    b.snap->info.sampled = f->sampled;
    b.snap->info.has_generations = f->has_generations;
    build_types(f, &b);
    for (size_t i = 0; i < f->row_count; i++)
        cr_assert(
            builder_row(&b, f->rows[i].type, f->rows[i].all.count, f->rows[i].all.bytes));
    if (f->row_count == 0) {
        b.want_graph = b.snap->info.has_graph = true;
        build_nodes(f, &b);
        build_roots(f, &b);
        if (f->has_generations)
            build_generations(f, &b);
    }
    struct hd_error err = {0};
    struct hd_snapshot *snap = builder_finish(&b, &err);
    cr_assert_not_null(snap, "forge: %s", err.message);
    root_set_free(&f->roots);
    HASH_CLEAR(hh, f->by_name);
    arena_free(&f->names);
    free(f->types);
    free(f->nodes);
    free(f->edges);
    free(f->rows);
    *f = (struct forge){0};
    return snap;
}

type_id forge_type_id(const struct hd_snapshot *snap, enum type_kind kind, const char *name)
{
    for (type_id t = 0; t < snap->type_count; t++)
        if (snap->types[t].kind == kind && strcmp(snap->types[t].name, name) == 0)
            return t;
    return NO_TYPE;
}

const struct type *forge_type(const struct hd_snapshot *snap, enum type_kind kind,
                              const char *name)
{
    type_id t = forge_type_id(snap, kind, name);
    return t != NO_TYPE ? &snap->types[t] : NULL;
}

#include "format/nettrace/trace_root_events.h"

#include "heap/place.h"

#include <inttypes.h>
#include <stdlib.h>

struct static_var {
    uint64_t object, type;
    uint32_t flags;
    const char *field;
    size_t field_len;
};

struct dependent {
    uint64_t key, value;
};

/* --- taking -------------------------------------------------------------- */

bool trace_root_events_statics(struct trace_root_events *e, const struct bulk *b)
{
    struct trace_fields f = {b->rest.data, b->rest.data + b->rest.size, false};
    struct heap_static s;
    struct text field = {0};
    for (uint32_t i = 0; i < b->count && heap_static_next(&f, &s); i++) {
        text_clear(&field);
        trace_wide_text(&field, s.field);
        e->statics = account_grow(e->arena.account, e->statics, e->static_count,
                                  &e->static_cap, sizeof(*e->statics));
        e->statics[e->static_count++] = (struct static_var){
            s.object, s.type, s.flags,
            arena_strdup(&e->arena, text_string(&field), field.len), field.len};
    }
    text_free(&field);
    return !f.failed;
}

uint64_t trace_root_events_roots(struct trace_root_events *e, const struct bulk *b,
                                 unsigned pointer_size)
{
    uint64_t weak = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        struct heap_root root = heap_root_at(b->records + i * b->size, pointer_size);
        if (root.flags & ROOT_FLAG_WEAK) {
            weak++;
            continue;
        }
        if (root.object == 0)
            continue;
        e->roots = account_grow(e->arena.account, e->roots, e->root_count, &e->root_cap,
                                sizeof(*e->roots));
        e->roots[e->root_count++] = root;
    }
    return weak;
}

void trace_root_events_pairs(struct trace_root_events *e, const struct bulk *b,
                             unsigned pointer_size)
{
    for (uint32_t i = 0; i < b->count; i++) {
        const unsigned char *p = b->records + i * b->size;
        e->pairs = account_grow(e->arena.account, e->pairs, e->pair_count, &e->pair_cap,
                                sizeof(*e->pairs));
        e->pairs[e->pair_count++] = (struct dependent){
            heap_pointer(p, pointer_size), heap_pointer(p + pointer_size, pointer_size)};
    }
}

void trace_root_events_wrappers(struct trace_root_events *e, const struct bulk *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        struct heap_wrapper w = heap_wrapper_at(b->records + i * b->size);
        if (w.unknown == 0)
            continue;
        e->wrappers = account_grow(e->arena.account, e->wrappers, e->wrapper_count,
                                   &e->wrapper_cap, sizeof(*e->wrappers));
        e->wrappers[e->wrapper_count++] = w;
    }
}

/* --- settling ------------------------------------------------------------ */

struct settling {
    struct trace_root_events *e;
    const struct trace_nodes *nodes;
    const struct trace_types *types;
    struct root_tree *roots;
    struct builder *b;
};

static int by_from(const void *a, const void *b)
{
    const struct root_link *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static void add_root(const struct settling *s, enum root_group group, const char *name,
                     size_t len, uint64_t object)
{
    node_id n = trace_nodes_find(s->nodes, object);
    if (n != NO_NODE)
        root_tree_add(s->roots, group, name, len, n);
    else if (object != 0)
        builder_warn(s->b, WARN_DANGLING_ROOT, 0);
}

/* The order of the questions is dotnet-gcdump's. */
static enum root_group group_of(const struct heap_root *root)
{
    if (root->kind == ROOT_RECORD_STACK)
        return GROUP_STACK;
    if (root->flags & ROOT_FLAG_REF_COUNTED)
        return GROUP_REF_COUNTED;
    if (root->kind == ROOT_RECORD_FINALIZER)
        return GROUP_FINALIZER;
    if (root->kind != ROOT_RECORD_HANDLE)
        return GROUP_OTHER;
    return root->flags == ROOT_FLAG_PINNING ? GROUP_PINNING : GROUP_STRONG;
}

/* A handle whose key is alive keeps its value alive through the key. */
static void settle_pairs(const struct settling *s)
{
    struct trace_root_events *e = s->e;
    e->links = arena_array(&e->arena, struct root_link, e->pair_count);
    for (size_t i = 0; i < e->pair_count; i++) {
        const struct dependent *p = &e->pairs[i];
        node_id key = trace_nodes_find(s->nodes, p->key),
                value = trace_nodes_find(s->nodes, p->value);
        if (key != NO_NODE && value != NO_NODE)
            e->links[e->link_count++] = (struct root_link){key, value};
        else if (p->key != 0 && value != NO_NODE)
            root_tree_add(s->roots, GROUP_DEPENDENT, NULL, 0, value);
    }
    if (e->link_count > 0)
        qsort(e->links, e->link_count, sizeof(*e->links), by_from);
}

static void settle_statics(const struct settling *s)
{
    const struct trace_root_events *e = s->e;
    struct text name = {0}, type = {0};
    for (size_t i = 0; i < e->static_count; i++) {
        const struct static_var *v = &e->statics[i];
        text_clear(&name);
        text_clear(&type);
        trace_types_name(s->types, v->type, "Type(", &type);
        place_add_static(&name, (struct name_part){text_string(&type), type.len},
                         (struct name_part){v->field, v->field_len});
        enum root_group group =
            v->flags & STATIC_FLAG_THREAD ? GROUP_THREAD_STATICS : GROUP_STATICS;
        add_root(s, group, name.data, name.len, v->object);
    }
    text_free(&type);
    text_free(&name);
}

static void settle_wrappers(const struct settling *s)
{
    const struct trace_root_events *e = s->e;
    struct text name = {0};
    for (size_t i = 0; i < e->wrapper_count; i++) {
        const struct heap_wrapper *w = &e->wrappers[i];
        char address[32];
        snprintf(address, sizeof(address), "[CCW 0x%" PRIx64 " for type ", w->unknown);
        text_clear(&name);
        text_add_string(&name, address);
        trace_types_name(s->types, w->type, "UNKNOWN ", &name);
        text_add_char(&name, ']');
        add_root(s, GROUP_WRAPPERS, name.data, name.len, w->object);
    }
    text_free(&name);
}

void trace_root_events_settle(struct trace_root_events *e, const struct trace_nodes *nodes,
                              const struct trace_types *types, struct root_tree *roots,
                              struct builder *b)
{
    const struct settling s = {e, nodes, types, roots, b};
    settle_statics(&s);
    settle_wrappers(&s);
    for (size_t i = 0; i < e->root_count; i++)
        add_root(&s, group_of(&e->roots[i]), NULL, 0, e->roots[i].object);
    settle_pairs(&s);
}

void trace_root_events_free(struct trace_root_events *e)
{
    free(e->statics);
    free(e->roots);
    free(e->pairs);
    free(e->wrappers);
    arena_free(&e->arena);
}

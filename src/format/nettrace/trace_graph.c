#include "format/nettrace/trace_graph.h"

#include "base/alloc.h"
#include "base/search.h"
#include "heap/names.h"
#include "heap/place.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- types --------------------------------------------------------------------- */

/* --- definitions --------------------------------------------------------------- */

static struct trace_type *use_slot(struct trace_types *t, uint64_t id)
{
    size_t before = t->ids.len;
    uint32_t n = id_numbers_add(&t->ids, id);
    if (n == before) {
        t->all = account_grow(t->arena.account, t->all, before, &t->cap, sizeof(*t->all));
        t->all[n] = (struct trace_type){0};
    }
    return &t->all[n];
}

/* A type that is defined again keeps its memory if nothing has changed: every session
 * tells all types once more. */
static void define(struct trace_types *t, const struct heap_type *from, struct text *name)
{
    struct trace_type *type = use_slot(t, from->id);
    type->flags = from->flags;
    type->token = from->token;
    type->module = from->module;
    bool same = type->is_defined && type->name_len == name->len &&
                (name->len == 0 || memcmp(type->name, name->data, name->len) == 0);
    type->is_defined = true;
    if (!same) {
        type->name = arena_strdup(&t->arena, text_string(name), name->len);
        type->name_len = name->len;
    }
    if (same && type->parameter_count == from->parameter_count)
        return;
    uint64_t *parameters = arena_array(&t->arena, uint64_t, from->parameter_count);
    for (uint32_t i = 0; i < from->parameter_count; i++)
        parameters[i] = le_u64(from->parameters + 8 * (size_t)i);
    type->parameters = parameters;
    type->parameter_count = from->parameter_count;
}

void trace_types_charge_to(struct trace_types *t, struct account *account)
{
    t->ids.account = t->module_ids.account = t->arena.account = account;
}

bool trace_types_define(struct trace_types *t, const struct bulk *b)
{
    struct trace_fields f = {b->rest.data, b->rest.data + b->rest.size, false};
    struct text name = {0};
    struct heap_type type;
    for (uint32_t i = 0; i < b->count && heap_type_next(&f, &type); i++) {
        text_clear(&name);
        trace_wide_text(&name, type.name);
        define(t, &type, &name);
    }
    text_free(&name);
    return !f.failed;
}

bool trace_types_module(struct trace_types *t, struct bytes payload)
{
    struct heap_module module;
    if (!heap_module_parse(payload, &module))
        return false;
    size_t before = t->module_ids.len;
    uint32_t n = id_numbers_add(&t->module_ids, module.id);
    if (n != before || module.path.size == 0) {
        if (n == before) {
            t->modules = account_grow(t->arena.account, t->modules, before, &t->module_cap,
                                      sizeof(*t->modules));
            t->modules[n] = "";
        }
        return true;
    }
    struct text path = {0};
    trace_wide_text(&path, module.path);
    t->modules = account_grow(t->arena.account, t->modules, before, &t->module_cap,
                              sizeof(*t->modules));
    t->modules[n] = arena_strdup(&t->arena, text_string(&path), path.len);
    text_free(&path);
    return true;
}

uint32_t trace_types_use(struct trace_types *t, uint64_t id, struct builder *b)
{
    struct trace_type *type = use_slot(t, id);
    if (!type->is_used) {
        type->is_used = true;
        type->built_as = builder_type(b, TYPE_OBJECT, NULL, 0);
    }
    return type->built_as;
}

/* --- names --------------------------------------------------------------------- */

/* Append the name of a type as dotnet-gcdump has it, not yet canonical; of one that is
 * not defined, unknown and its id, and what closes it if unknown ends in '('. */
static void trace_types_name(const struct trace_types *t, uint64_t id, const char *unknown,
                             struct text *out)
{
    char text[64];
    uint32_t n = id_numbers_find(&t->ids, id);
    if (n == NO_ID || !t->all[n].is_defined) {
        text_add_string(out, unknown);
        snprintf(text, sizeof(text), "0x%" PRIx64, id);
        text_add_string(out, text);
        if (unknown[0] != '\0' && unknown[strlen(unknown) - 1] == '(')
            text_add_char(out, ')');
        return;
    }
    const struct trace_type *type = &t->all[n];
    if (type->flags & TYPE_FLAG_RCW)
        text_add_string(out, "[RCW ");
    if (type->name_len == 0) {
        snprintf(text, sizeof(text), "%s(0x%" PRIx32 ")",
                 type->flags & TYPE_FLAG_ARRAY ? "ArrayType" : "Type", type->token);
        text_add_string(out, text);
    } else {
        names_rewritten(out, type->name, type->name_len);
    }
    if (type->flags & TYPE_FLAG_RCW)
        text_add_char(out, ']');
}

/* --- outer classes ------------------------------------------------------------- */

/* Names lack the outer class ("Entry"), but generic arguments have it: in
 * "List[Outer+Entry]", whose argument is the type that is called "Entry". */
static void learn_argument(struct trace_types *t, uint64_t id, const char *text, size_t len)
{
    uint32_t n = id_numbers_find(&t->ids, id);
    if (n == NO_ID || t->all[n].name_len == 0 || t->all[n].full_name != NULL)
        return;
    struct trace_type *type = &t->all[n];
    if (len <= type->name_len + 1 || text[len - type->name_len - 1] != '+' ||
        memcmp(text + len - type->name_len, type->name, type->name_len) != 0)
        return;
    type->full_name = arena_strdup(&t->arena, text, len);
    type->full_len = len;
}

/* The arguments of a name, each with its id: at the outermost brackets behind the first. */
static void learn_arguments(struct trace_types *t, const struct trace_type *type)
{
    const char *open = type->name_len > 0 ? memchr(type->name, '[', type->name_len) : NULL;
    if (open == NULL || type->flags & TYPE_FLAG_ARRAY)
        return;
    const char *end = type->name + type->name_len, *start = open + 1;
    uint32_t parameter = 0;
    size_t depth = 0;
    for (const char *c = start; c < end && parameter < type->parameter_count; c++) {
        bool ends = depth == 0 && (*c == ',' || *c == ']');
        if (ends) {
            learn_argument(t, type->parameters[parameter++], start, (size_t)(c - start));
            start = c + 1;
        }
        if (ends && *c == ']')
            return;
        if (*c == '[')
            depth++;
        else if (*c == ']' && depth > 0)
            depth--;
    }
}

/* An array is called as its element, and something in brackets. */
static bool learn_array(struct trace_types *t, struct trace_type *type)
{
    if (!(type->flags & TYPE_FLAG_ARRAY) || type->parameter_count != 1 ||
        type->full_name != NULL)
        return false;
    uint32_t n = id_numbers_find(&t->ids, type->parameters[0]);
    if (n == NO_ID || t->all[n].full_name == NULL || type->name_len <= t->all[n].name_len ||
        memcmp(type->name, t->all[n].name, t->all[n].name_len) != 0)
        return false;
    struct text name = {0};
    text_add(&name, t->all[n].full_name, t->all[n].full_len);
    text_add(&name, type->name + t->all[n].name_len, type->name_len - t->all[n].name_len);
    type->full_name = arena_strdup(&t->arena, text_string(&name), name.len);
    type->full_len = name.len;
    text_free(&name);
    return true;
}

/* Arrays of arrays take a round each. */
static void learn_outer_classes(struct trace_types *t)
{
    enum { MOST_ROUNDS = 4 };
    for (size_t i = 0; i < t->ids.len; i++)
        learn_arguments(t, &t->all[i]);
    bool learned = true;
    for (int round = 0; round < MOST_ROUNDS && learned; round++) {
        learned = false;
        for (size_t i = 0; i < t->ids.len; i++)
            learned |= learn_array(t, &t->all[i]);
    }
}

static int by_id(const void *a, const void *b)
{
    const struct type_name *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

uint64_t trace_types_finish(struct trace_types *t, struct builder *b)
{
    struct hd_snapshot *snap = b->snap;
    struct text name = {0};
    uint64_t nameless = 0;
    learn_outer_classes(t);
    snap->type_names = arena_array(&snap->arena, struct type_name, t->ids.len);
    for (size_t i = 0; i < t->ids.len; i++) {
        const struct trace_type *type = &t->all[i];
        uint64_t id = t->ids.ids[i];
        text_clear(&name);
        trace_types_name(t, id, "UNKNOWN ", &name);
        const char *canonical = builder_name(b, name.data, name.len);
        if (type->is_defined && type->name_len > 0)
            snap->type_names[snap->type_name_count++] = (struct type_name){id, canonical};
        if (!type->is_used)
            continue;
        builder_name_type(b, type->built_as, name.data, name.len);
        if (type->full_name != NULL && !(type->flags & TYPE_FLAG_RCW)) {
            text_clear(&name);
            names_rewritten(&name, type->full_name, type->full_len);
            builder_full_name(b, type->built_as, builder_name(b, name.data, name.len));
        }
        nameless += !type->is_defined || type->name_len == 0;
        if (type->is_defined && type->flags & TYPE_FLAG_IMAGE) {
            builder_image(b, type->built_as, type->module, type->token);
            snap->image_base = type->module;
        }
        uint32_t module = id_numbers_find(&t->module_ids, type->module);
        if (module != NO_ID && t->modules[module][0] != '\0')
            builder_module(b, type->built_as, t->modules[module],
                           strlen(t->modules[module]));
    }
    text_free(&name);
    qsort(snap->type_names, snap->type_name_count, sizeof(*snap->type_names), by_id);
    return nameless;
}

void trace_types_free(struct trace_types *t)
{
    id_numbers_free(&t->ids);
    id_numbers_free(&t->module_ids);
    free(t->all);
    free(t->modules);
    arena_free(&t->arena);
    *t = (struct trace_types){0};
}

/* --- nodes --------------------------------------------------------------------- */

void trace_nodes_init(struct trace_nodes *n, size_t objects, unsigned pointer_size,
                      struct account *account)
{
    enum { SHIFT_64 = 3, SHIFT_32 = 2 };
    ids_init(&n->ids, pointer_size == 8 ? SHIFT_64 : SHIFT_32);
    ids_charge_to(&n->ids, account);
    account_charge(account, 8 * (uint64_t)objects);
    n->addresses = alloc_resize(NULL, array_bytes(objects + 1, 8));
    n->room = objects;
}

void trace_nodes_reserve(struct trace_nodes *n, size_t objects)
{
    if (objects <= n->room)
        return;
    size_t room = array_bytes(n->room, 2) > objects ? n->room * 2 : objects;
    account_charge(n->ids.keys.account, 8 * (uint64_t)(room - n->room));
    n->addresses = alloc_resize(n->addresses, array_bytes(room + 1, 8));
    n->room = room;
}

void trace_nodes_add(struct trace_nodes *n, node_id id, uint64_t address)
{
    le_put(n->addresses + 8 * (size_t)id, address, 8);
    if (ids_add(&n->ids, address))
        return;
    n->repeats = grow(n->repeats, n->repeat_count, &n->repeat_cap, sizeof(*n->repeats));
    n->repeats[n->repeat_count++] = id;
}

void trace_nodes_freeze(struct trace_nodes *n)
{
    ids_freeze(&n->ids);
}

/* So many nodes before repeat i, i of which are repeats. */
static bool is_numbered_before(const void *repeats, size_t i, const void *position)
{
    return ((const node_id *)repeats)[i] - (uint32_t)i <= *(const uint32_t *)position;
}

/* The node of a position among those that repeat no other: where there are repeats. */
node_id trace_nodes_at_position(const struct trace_nodes *n, uint32_t position)
{
    return position + (uint32_t)search_first(n->repeats, 0, n->repeat_count,
                                             is_numbered_before, &position);
}

unsigned char *trace_nodes_take_addresses(struct trace_nodes *n, node_id count, node_id all)
{
    unsigned char *taken = alloc_resize(n->addresses, array_bytes(all, 8));
    memset(taken + 8 * (size_t)count, 0, 8 * (size_t)(all - count));
    n->addresses = NULL;
    return taken;
}

void trace_nodes_free(struct trace_nodes *n)
{
    ids_free(&n->ids);
    free(n->addresses);
    free(n->repeats);
}

/* --- events of roots ----------------------------------------------------------- */

struct static_var {
    uint64_t object, type;
    uint32_t flags;
    const char *field;
    size_t field_len;
};

struct dependent {
    uint64_t key, value;
};

/* --- taking -------------------------------------------------------------------- */

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

/* --- settling ------------------------------------------------------------------ */

struct settling {
    struct trace_root_events *e;
    const struct trace_nodes *nodes;
    const struct trace_types *types;
    struct root_set *roots;
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
                              const struct trace_types *types, struct root_set *roots,
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

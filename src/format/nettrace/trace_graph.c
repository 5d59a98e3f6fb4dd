#include "format/nettrace/trace_graph.h"

#include "base/alloc.h"
#include "base/calendar.h"
#include "base/say.h"
#include "base/search.h"
#include "format/span.h"
#include "heap/names.h"
#include "heap/place.h"

#include <inttypes.h>
#include <math.h>
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
static void define_type(struct trace_types *t, const struct heap_type *from,
                        struct text *name)
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
    struct trace_fields f = trace_fields_of(b->rest);
    struct text name = {0};
    struct heap_type type;
    for (uint32_t i = 0; i < b->count && heap_type_next(&f, &type); i++) {
        text_clear(&name);
        trace_wide_text(&name, type.name);
        define_type(t, &type, &name);
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
    if (n != before)
        return true;
    struct text path = {0};
    trace_wide_text(&path, module.path);
    t->modules = account_grow(t->arena.account, t->modules, before, &t->module_cap,
                              sizeof(*t->modules));
    t->modules[n] = path.len > 0 ? arena_strdup(&t->arena, path.data, path.len) : "";
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
    uint32_t n = id_numbers_find(&t->ids, id);
    if (n == NO_ID || !t->all[n].is_defined) {
        bool opened = unknown[strlen(unknown) - 1] == '(';
        say(out, unknown, as_hex(id), opened ? ")" : "");
        return;
    }
    const struct trace_type *type = &t->all[n];
    bool is_rcw = type->flags & TYPE_FLAG_RCW;
    text_add_string(out, is_rcw ? "[RCW " : "");
    if (type->name_len > 0)
        names_rewritten(out, type->name, type->name_len);
    else
        say(out, type->flags & TYPE_FLAG_ARRAY ? "ArrayType" : "Type", "(",
            as_hex(type->token), ")");
    text_add_string(out, is_rcw ? "]" : "");
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

void trace_nodes_init(struct trace_nodes *n, unsigned pointer_size, struct account *account)
{
    enum { SHIFT_64 = 3, SHIFT_32 = 2 };
    ids_init(&n->ids, pointer_size == 8 ? SHIFT_64 : SHIFT_32);
    ids_charge_to(&n->ids, account);
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

/* A static variable, or a wrapper of COM. */
struct named_root {
    uint64_t object, type;
    enum root_group group;
    uint64_t unknown;  /* of a wrapper: the COM object */
    struct span field; /* of a variable */
};

struct dependent {
    uint64_t key, value;
};

static void add_named(struct trace_root_events *e, struct named_root root)
{
    e->named = account_grow(e->arena.account, e->named, e->named_count, &e->named_cap,
                            sizeof(*e->named));
    e->named[e->named_count++] = root;
}

bool trace_root_events_statics(struct trace_root_events *e, const struct bulk *b)
{
    struct trace_fields f = trace_fields_of(b->rest);
    struct heap_static s;
    struct text field = {0};
    for (uint32_t i = 0; i < b->count && heap_static_next(&f, &s); i++) {
        text_clear(&field);
        trace_wide_text(&field, s.field);
        add_named(e, (struct named_root){
                         .object = s.object,
                         .type = s.type,
                         .group = s.flags & STATIC_FLAG_THREAD ? GROUP_THREAD_STATICS
                                                               : GROUP_STATICS,
                         .field = {arena_strdup(&e->arena, text_string(&field), field.len),
                                   field.len}});
    }
    text_free(&field);
    return !f.failed;
}

void trace_root_events_wrappers(struct trace_root_events *e, const struct bulk *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        struct heap_wrapper w = heap_wrapper_at(b->records + i * b->size);
        if (w.unknown != 0)
            add_named(e, (struct named_root){.object = w.object,
                                             .type = w.type,
                                             .group = GROUP_WRAPPERS,
                                             .unknown = w.unknown});
    }
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

static int links_by_from(const void *a, const void *b)
{
    const struct root_link *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
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

static void add_root_name(struct text *name, const struct named_root *v,
                          const struct trace_types *types)
{
    if (v->group == GROUP_WRAPPERS) {
        say(name, "[CCW ", as_hex(v->unknown), " for type ");
        trace_types_name(types, v->type, "UNKNOWN ", name);
        text_add_char(name, ']');
        return;
    }
    struct text type = {0};
    trace_types_name(types, v->type, "Type(", &type);
    place_add_static(name, (struct name_part){text_string(&type), type.len},
                     (struct name_part){v->field.data, v->field.len});
    text_free(&type);
}

static node_id find_root(const struct trace_nodes *nodes, uint64_t object,
                         struct builder *b)
{
    node_id n = trace_nodes_find(nodes, object);
    if (n == NO_NODE && object != 0)
        builder_warn(b, WARN_DANGLING_ROOT, 0);
    return n;
}

void trace_root_events_settle(struct trace_root_events *e, struct trace_nodes *nodes,
                              const struct trace_types *types, struct root_tree *roots,
                              struct builder *b)
{
    struct text name = {0};
    ids_freeze(&nodes->ids);
    for (size_t i = 0; i < e->named_count; i++) {
        const struct named_root *v = &e->named[i];
        node_id n = find_root(nodes, v->object, b);
        if (n == NO_NODE)
            continue;
        text_clear(&name);
        add_root_name(&name, v, types);
        root_tree_add(roots, v->group, name.data, name.len, n);
    }
    text_free(&name);
    for (size_t i = 0; i < e->root_count; i++) {
        node_id n = find_root(nodes, e->roots[i].object, b);
        if (n != NO_NODE)
            root_tree_add(roots, group_of(&e->roots[i]), NULL, 0, n);
    }
    /* A handle whose key is alive keeps its value alive through the key. */
    e->links = arena_array(&e->arena, struct root_link, e->pair_count);
    for (size_t i = 0; i < e->pair_count; i++) {
        const struct dependent *p = &e->pairs[i];
        node_id key = trace_nodes_find(nodes, p->key);
        node_id value = trace_nodes_find(nodes, p->value);
        if (key != NO_NODE && value != NO_NODE)
            e->links[e->link_count++] = (struct root_link){key, value};
        else if (p->key != 0 && value != NO_NODE)
            root_tree_add(roots, GROUP_DEPENDENT, NULL, 0, value);
    }
    if (e->link_count > 0)
        qsort(e->links, e->link_count, sizeof(*e->links), links_by_from);
}

void trace_root_events_free(struct trace_root_events *e)
{
    free(e->named);
    free(e->roots);
    free(e->pairs);
    arena_free(&e->arena);
}

/* --- the process --------------------------------------------------------------- */

void trace_process_parse(struct text *command, struct bytes payload)
{
    struct trace_fields f = trace_fields_of(payload);
    struct bytes line = trace_wide(&f);
    text_clear(command);
    trace_wide_text(command, f.failed ? payload : line);
}

/* One word of a command line, which may stand in quotes. */
static struct span next_word(struct span *line)
{
    const char *p = line->data, *end = p + line->len;
    while (p < end && *p == ' ')
        p++;
    bool quoted = p < end && *p == '"';
    p += quoted;
    const char *start = p;
    while (p < end && *p != (quoted ? '"' : ' '))
        p++;
    struct span word = {start, (size_t)(p - start)};
    p += quoted && p < end;
    *line = (struct span){p, (size_t)(end - p)};
    return word;
}

/* Without folders, and without that end. */
static struct span base_name(struct span word, const char *end)
{
    size_t len = strlen(end);
    for (size_t i = word.len; i > 0; i--)
        if (word.data[i - 1] == '/' || word.data[i - 1] == '\\') {
            word = (struct span){word.data + i, word.len - i};
            break;
        }
    if (word.len > len && span_ends(word, end))
        word.len -= len;
    return word;
}

/* A file's name ends in .dll: a host's own options do not. */
static bool is_assembly(struct span word)
{
    return word.len > 4 && span_ends(word, ".dll");
}

void trace_process_name(struct hd_snapshot *snap, struct text *command)
{
    struct span line = {text_string(command), command->len};
    struct span name = base_name(next_word(&line), ".exe");
    if (span_is(name, "dotnet")) {
        struct span program = next_word(&line);
        if (span_is(base_name(program, ""), "exec"))
            program = next_word(&line);
        if (is_assembly(base_name(program, "")))
            name = base_name(program, ".dll");
    }
    if (name.len > 0)
        snap->info.process = arena_strdup(&snap->arena, name.data, name.len);
}

void trace_process_program(struct hd_snapshot *snap, struct text *command)
{
    struct span line = {text_string(command), command->len}, word = next_word(&line);
    bool is_host = span_is(base_name(word, ".exe"), "dotnet");
    struct text program = {0};
    text_add(&program, word.data, word.len);
    while (is_host && line.len > 0) {
        word = next_word(&line);
        if (!is_assembly(word))
            continue;
        text_add_char(&program, ' ');
        text_add(&program, word.data, word.len);
        break;
    }
    if (program.len > 0)
        snap->info.program = arena_strdup(&snap->arena, program.data, program.len);
    text_free(&program);
}

void trace_process_time(struct hd_snapshot *snap, const struct trace_header *h,
                        uint64_t ticks)
{
    double since = ticks >= h->sync_ticks ? (double)(ticks - h->sync_ticks)
                                          : -(double)(h->sync_ticks - ticks);
    double seconds = h->sync_time + since / (double)h->frequency;
    const double last = 253402300799; /* of year 9999 */
    char text[CALENDAR_TIME];
    if (isnan(seconds) || seconds < 0 || seconds > last ||
        !calendar_time((int64_t)seconds, text))
        return;
    snap->info.time = arena_strdup(&snap->arena, text, strlen(text));
    snap->clock = seconds;
    snap->clock_is_date = true;
}

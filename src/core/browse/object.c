/* One object: what it is, what it refers to, what refers to it, what keeps it alive. */
#include "base/error.h"

#include "base/arrays.h"
#include "base/text.h"
#include "browse/objects.h"
#include "heap/graph.h"
#include "heap/names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Without marks of reachable nodes, by the walk of chains. */
static bool is_reached(const struct hd_objects *o, node_id n)
{
    const struct graph *g = o->snap->graph;
    if (g->reachable != NULL)
        return graph_reachable(g, n);
    if (!objects_have(o, HD_OBJECTS_CHAINS))
        return false;
    while (n != NO_NODE && n != g->root)
        n = o->walk.parent[n];
    return n == g->root;
}

struct hd_object object_at(const struct hd_snapshot *snap, node_id number)
{
    const struct graph *g = snap->graph;
    const struct type *t = &snap->types[g->type[number]];
    uint64_t address = graph_address(g, number);
    return (struct hd_object){
        .number = number,
        .kind = objects_kind_of(t),
        .address = address,
        .type = t->name,
        .full_name = t->full_name,
        .bytes = graph_size(g, number),
        .generation = snap->info.has_generations ? ranges_find(&snap->ranges, address)
                                                 : HD_GEN_UNKNOWN,
        .module = t->module,
        .instances = t->raw.count,
        .references = g->edge_begin[number + 1] - g->edge_begin[number],
        .referrers = HD_UNKNOWN};
}

void objects_describe(const struct hd_objects *o, node_id number, struct hd_object *object)
{
    const bool knows_referrers = objects_have(o, HD_OBJECTS_REFERRERS) ||
                                 (o->one.from != NULL && o->one.of == number);
    *object = object_at(o->snap, number);
    object->referrers =
        knows_referrers ? neighbours_of(o, number, HD_REFERRED_BY).count : HD_UNKNOWN;
}

bool hd_object(const struct hd_objects *o, uint32_t number, struct hd_object *object)
{
    *object = (struct hd_object){.number = number};
    if (!objects_have(o, HD_OBJECTS_GRAPH) || number >= o->snap->graph->node_count)
        return false;
    objects_describe(o, number, object);
    object->is_reachable = is_reached(o, number);
    return true;
}

/* --- by address ------------------------------------------------------------------ */

/* The last nodes that begin at or before the address, and the first after it; or
 * NO_NODE. */
struct object_nearest {
    node_id before, after;
};

static struct object_nearest find_nearest(const struct hd_objects *o, uint64_t address)
{
    const struct graph *g = o->snap->graph;
    struct object_nearest near = {NO_NODE, NO_NODE};
    uint64_t before = 0, after = UINT64_MAX;
    for (node_id n = 0; n < g->node_count; n++) {
        uint64_t here = graph_address(g, n);
        bool is_before = here <= address;
        if (here == 0 || (is_before ? here <= before : here >= after) ||
            objects_kind_of(&o->snap->types[g->type[n]]) != HD_OBJECT)
            continue;
        *(is_before ? &near.before : &near.after) = n;
        *(is_before ? &before : &after) = here;
    }
    return near;
}

static bool fail_to_find(const struct graph *g, uint64_t address,
                         struct object_nearest near, struct hd_error *err)
{
    uint64_t before = near.before != NO_NODE ? graph_address(g, near.before) : 0;
    uint64_t after = near.after != NO_NODE ? graph_address(g, near.after) : 0;
    if (before == 0 && after == 0)
        return fail(err, HD_USAGE, "this snapshot has no addresses of objects");
    if (before == 0)
        return fail(err, HD_USAGE, "no object at 0x%" PRIx64 ": the first is at 0x%" PRIx64,
                    address, after);
    if (after == 0)
        return fail(err, HD_USAGE,
                    "no object at 0x%" PRIx64 ": the last, of %" PRIu64
                    " bytes, is at 0x%" PRIx64,
                    address, graph_size(g, near.before), before);
    return fail(err, HD_USAGE,
                "no object at 0x%" PRIx64
                ", which is free or unused: the previous one, of %" PRIu64
                " bytes, is at 0x%" PRIx64 ", the next at 0x%" PRIx64,
                address, graph_size(g, near.before), before, after);
}

bool hd_object_at(const struct hd_objects *o, uint64_t address, uint32_t *number,
                  struct hd_error *err)
{
    if (!objects_have(o, HD_OBJECTS_GRAPH))
        return fail(err, HD_USAGE, "the graph is not there yet");
    const struct graph *g = o->snap->graph;
    if (g->addresses == NULL)
        return fail(err, HD_USAGE, "this snapshot has no addresses");
    struct object_nearest near = find_nearest(o, address);
    node_id n = near.before;
    uint64_t begins = n != NO_NODE ? graph_address(g, n) : 0;
    if (n == NO_NODE || (address > begins && address - begins >= graph_size(g, n)))
        return fail_to_find(g, address, near, err);
    *number = n;
    return true;
}

/* --- what keeps it alive --------------------------------------------------------- */

/* Returns the parent, or NO_NODE below the root of all roots. */
static node_id above(const struct hd_objects *o, node_id n)
{
    node_id up = o->walk.parent[n];
    return up == o->snap->graph->root ? NO_NODE : up;
}

static bool has_chain(const struct hd_objects *o, uint32_t number)
{
    return objects_have(o, HD_OBJECTS_CHAINS) && number < o->snap->graph->node_count;
}

size_t hd_object_chain(const struct hd_objects *o, uint32_t number, uint32_t *numbers,
                       size_t capacity, size_t *skipped, size_t *skipped_at)
{
    *skipped = 0;
    *skipped_at = 0;
    if (!has_chain(o, number) || capacity < 2)
        return 0;
    size_t length = 0;
    for (node_id n = number; n != NO_NODE; n = above(o, n))
        length++;
    size_t shown = length < capacity ? length : capacity, top = shown - shown / 2;
    if (length > capacity) {
        *skipped = length - capacity;
        *skipped_at = top;
    }
    size_t at = length;
    for (node_id n = number; n != NO_NODE; n = above(o, n)) {
        at--;
        if (at < top)
            numbers[at] = n;
        else if (at >= length - (shown - top))
            numbers[at - (length - shown)] = n;
    }
    return shown;
}

enum hd_root_kind hd_object_root(const struct hd_objects *o, uint32_t number)
{
    enum { MAX_GROUPS = 64 };
    const struct hd_snapshot *snap = o->snap;
    node_id groups[MAX_GROUPS], n = number;
    size_t depth = 0;
    if (!has_chain(o, number))
        return HD_ROOT_UNREACHABLE;
    while (n != NO_NODE && snap->types[snap->graph->type[n]].kind != TYPE_PSEUDO)
        n = n == snap->graph->root ? NO_NODE : o->walk.parent[n];
    if (n == NO_NODE)
        return HD_ROOT_UNREACHABLE;
    /* A group's kind is decided by those above it (root_kind.h). */
    for (; n != NO_NODE && depth < MAX_GROUPS; n = above(o, n))
        groups[depth++] = n;
    enum hd_root_kind kind = HD_ROOT_OTHER;
    while (depth-- > 0)
        kind = root_kind_below(snap->types[snap->graph->type[groups[depth]]].name, kind);
    return kind;
}

bool hd_type_is_framework(const char *type)
{
    return names_is_framework(name_part(type), NAME_WHOLE);
}

const char *hd_object_kind_name(enum hd_object_kind kind)
{
    static const char *const names[] = {"object", "roots", "undefined"};
    return kind <= HD_OBJECT_UNDEFINED ? names[kind] : NULL;
}

/* --- fields -------------------------------------------------------------------------- */

/* The fields or elements of an object with their values, as far as the snapshot has them
 * (heap/graph.h). Only this code decides which values are shown on request only: output
 * code receives no others. */

struct hd_fields_memory {
    struct arena arena;
};

/* --- what is a secret ------------------------------------------------------------ */

/* "[17]", but not "[17].key". */
static bool is_element(const char *name)
{
    return name != NULL && name[0] == '[' && strchr(name, '.') == NULL;
}

/* Text may be secret, and so may buffers: an array of bytes can be a password just like a
 * string. A single number in a field is not. */
static bool is_secret(const struct hd_field *f)
{
    if (f->kind == HD_FIELD_REFERENCE)
        return f->boxed != NULL && (f->boxed->kind == HD_FIELD_CHAR || is_element(f->name));
    return f->kind == HD_FIELD_CHAR || (f->kind != HD_FIELD_UNKNOWN && is_element(f->name));
}

/* The target of a reference is not secret. */
static void hide(struct hd_field *f)
{
    f->is_hidden = true;
    f->boxed = NULL;
    if (f->kind == HD_FIELD_REFERENCE)
        return;
    f->number = 0;
    f->real = 0;
    f->member = NULL;
    f->words = NULL;
    f->is_null = false;
}

/* --- fields ---------------------------------------------------------------------- */

struct hd_field objects_shown_field(const struct hd_snapshot *snap, struct hd_field field,
                                    bool with_text)
{
    const struct graph *g = snap->graph;
    /* Targets of references are resolved here, with the graph: readers of values need not
     * have it. */
    bool leads = field.kind == HD_FIELD_REFERENCE && field.to < g->node_count;
    field.is_hidden = false;
    field.to = leads ? field.to : HD_NO_OBJECT;
    field.to_type = leads ? snap->types[g->type[field.to]].name : NULL;
    if (field.name != NULL && field.name[0] == '\0')
        field.name = NULL; /* no metadata */
    bool is_gone = field.is_redacted || (field.boxed != NULL && field.boxed->is_redacted);
    if (!with_text && !is_gone && is_secret(&field))
        hide(&field);
    if (!with_text)
        field.text = NULL;
    return field;
}

static struct hd_field *copy_fields(const struct hd_objects *o, const struct hd_field *from,
                                    size_t len, bool with_text, struct arena *a)
{
    struct hd_field *to = arena_array(a, struct hd_field, len);
    for (size_t i = 0; i < len; i++)
        to[i] = objects_shown_field(o->snap, from[i], with_text);
    return to;
}

/* Lists the targets of a node without field names, in the order of the file. */
static struct hd_field *list_references(const struct hd_objects *o, node_id n,
                                        uint64_t first, size_t len, struct arena *a)
{
    const struct graph *g = o->snap->graph;
    struct hd_field *all = arena_array(a, struct hd_field, len);
    const node_id *to = g->edge_to + g->edge_begin[n] + first;
    for (size_t i = 0; i < len; i++)
        all[i] = (struct hd_field){.kind = HD_FIELD_REFERENCE,
                                   .number = graph_address(g, to[i]),
                                   .to = to[i],
                                   .to_type = o->snap->types[g->type[to[i]]].name};
    return all;
}

/* Reads the value of the object itself, apart from its fields. */
static const struct hd_field *read_self(const struct hd_objects *o, node_id n,
                                        size_t most_text, struct arena *a)
{
    const struct fields *known = o->snap->graph->fields;
    const struct hd_field *found =
        known->self != NULL ? known->self(known->context, n, most_text, a) : NULL;
    if (found == NULL || (found->kind == HD_FIELD_REFERENCE && found->text == NULL))
        return NULL;
    const struct hd_field *self = copy_fields(o, found, 1, most_text > 0, a);
    return self->is_hidden ? NULL : self;
}

/* --- text ------------------------------------------------------------------------ */

/* A C string has no NUL inside. */
static const char *text_of_units(const struct hd_field *units, size_t len, struct arena *a)
{
    enum { SYMBOL_FOR_NULL = 0x2400 };
    unsigned char *bytes = arena_array(a, unsigned char, 2 * len + 1);
    struct text t = {0};
    for (size_t i = 0; i < len; i++)
        le_put(bytes + 2 * i,
               units[i].number == 0 ? SYMBOL_FOR_NULL : (uint32_t)units[i].number & 0xFFFF,
               2);
    text_add_utf16(&t, bytes, len, UTF16_LITTLE);
    const char *s = arena_strdup(a, t.len > 0 ? t.data : "", t.len);
    text_free(&t);
    return s;
}

/* The elements of a string are shown as its text. */
static void read_text(const struct fields *known, node_id n, size_t most_text,
                      struct hd_object_fields *fields)
{
    struct arena *a = &fields->memory->arena;
    size_t len = 0;
    uint64_t count = 0;
    size_t wanted = most_text > 0 ? most_text : 1;
    const struct hd_field *units =
        known->values(known->context, n, 0, wanted, false, 0, a, &len, &count);
    fields->count = count;
    for (size_t i = 0; i < len; i++)
        if (units[i].kind != HD_FIELD_CHAR || !is_element(units[i].name))
            return;
    fields->is_redacted = len > 0 && units[0].is_redacted;
    fields->is_hidden = most_text == 0 && !fields->is_redacted;
    if (most_text == 0 || fields->is_redacted)
        return;
    fields->is_cut = count > len;
    /* Not through the middle of a pair. */
    if (fields->is_cut && len > 1 && utf16_is_high((uint32_t)units[len - 1].number))
        len--;
    fields->text = text_of_units(units, len, a);
}

/* --- fields of an object --------------------------------------------------------- */

static void read_fields(const struct hd_objects *o, node_id n, uint64_t first, size_t most,
                        size_t most_text, struct hd_object_fields *fields)
{
    const struct fields *known = o->snap->graph->fields;
    struct arena *a = &fields->memory->arena;
    fields->are_named = true;
    if (strcmp(o->snap->types[o->snap->graph->type[n]].name, "System.String") == 0) {
        read_text(known, n, most_text, fields);
        if (fields->is_hidden || fields->is_redacted || fields->text != NULL)
            return;
    }
    fields->self = read_self(o, n, most_text, a);
    const struct hd_field *all =
        known->values(known->context, n, first, most, most_text > 0, most_text, a,
                      &fields->len, &fields->count);
    fields->all = copy_fields(o, all, fields->len, most_text > 0, a);
    fields->is_array = fields->len > 0 && all[0].name != NULL && all[0].name[0] == '[';
}

bool hd_object_fields(const struct hd_objects *o, uint32_t number, uint64_t first,
                      size_t most, size_t most_text, struct hd_object_fields *fields)
{
    *fields = (struct hd_object_fields){.first = first};
    if (!objects_have(o, HD_OBJECTS_GRAPH) || number >= o->snap->graph->node_count)
        return false;
    const struct graph *g = o->snap->graph;
    fields->memory = alloc_zeroed(sizeof(*fields->memory));
    if (g->fields != NULL && g->fields->values != NULL &&
        objects_kind_of(&o->snap->types[g->type[number]]) == HD_OBJECT) {
        read_fields(o, number, first, most, most_text, fields);
        return true;
    }
    fields->count = g->edge_begin[number + 1] - g->edge_begin[number];
    uint64_t left = first < fields->count ? fields->count - first : 0;
    fields->len = left < most ? (size_t)left : most;
    fields->all = list_references(o, number, left > 0 ? first : 0, fields->len,
                                  &fields->memory->arena);
    return true;
}

const char *hd_object_field(const struct hd_objects *o, uint32_t from, uint32_t to)
{
    const struct graph *g = o->snap->graph;
    if (!objects_have(o, HD_OBJECTS_GRAPH) || from >= g->node_count)
        return NULL;
    return field_between(g, from, to);
}

void hd_object_fields_free(struct hd_object_fields *fields)
{
    if (fields->memory != NULL)
        arena_free(&fields->memory->arena);
    free(fields->memory);
    *fields = (struct hd_object_fields){0};
}

const char *hd_field_kind_name(enum hd_field_kind kind)
{
    static const char *const names[] = {"unknown", "reference", "boolean",
                                        "char",    "signed",    "unsigned",
                                        "float",   "enum",      "struct"};
    return kind <= HD_FIELD_STRUCT ? names[kind] : NULL;
}

/* --- what it retains ---------------------------------------------------------------- */

/* The retained size of an object: by definition the bytes that roots reach through it
 * alone. Two walks over the graph, which need a part of a second for millions of objects;
 * so a thread makes them for callers that must not wait. */

/* --- two walks ------------------------------------------------------------------- */

struct retained_marker {
    const struct hd_snapshot *snap;
    uint64_t *marked;
    node_id *queue;
    struct watch *watch;
    bool stopped;
};

/* Marks the nodes reachable from a node through unmarked ones; returns the bytes of
 * objects. */
static uint64_t mark_from(struct retained_marker *m, node_id from)
{
    const struct graph *g = m->snap->graph;
    uint64_t bytes = 0;
    uint32_t head = 0, tail = 0;
    if (bits_add(m->marked, from))
        m->queue[tail++] = from;
    while (head < tail && !m->stopped) {
        m->stopped =
            head % WATCH_EVERY == 0 && !watch_goes_on(m->watch, head, g->node_count);
        graph_prefetch(g, m->queue, head, tail);
        node_id n = m->queue[head++];
        bytes += m->snap->types[g->type[n]].kind == TYPE_OBJECT ? graph_size(g, n) : 0;
        for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++)
            if (bits_add(m->marked, g->edge_to[e]))
                m->queue[tail++] = g->edge_to[e];
    }
    return bytes;
}

static uint64_t memory_for(const struct graph *g)
{
    return g->node_count * sizeof(node_id) + bits_words(g->node_count) * 8;
}

/* HD_UNKNOWN if stopped. */
static uint64_t find_retained(const struct hd_snapshot *snap, node_id n,
                              struct watch *watch)
{
    const struct graph *g = snap->graph;
    struct retained_marker m = {
        .snap = snap,
        .marked = bits_new(g->node_count),
        .queue = alloc_resize(NULL, array_bytes(g->node_count, sizeof(*m.queue))),
        .watch = watch};
    /* Mark everything reachable without n first: the rest depends on n alone. */
    bits_set(m.marked, n);
    if (n != g->root)
        mark_from(&m, g->root);
    m.marked[n / 64] &= ~(UINT64_C(1) << (n % 64));
    uint64_t bytes = mark_from(&m, n);
    free(m.queue);
    free(m.marked);
    return m.stopped ? HD_UNKNOWN : bytes;
}

bool objects_find_retained(struct hd_objects *o, node_id n, uint64_t *bytes,
                           struct hd_error *err)
{
    uint64_t needed = memory_for(o->snap->graph);
    if (!objects_reserve(o, needed, err))
        return comparison_blame(err, o->k);
    *bytes = find_retained(o->snap, n, NULL);
    objects_unreserve(o, needed);
    return true;
}

/* --- by a thread ----------------------------------------------------------------- */

static void *find_apart(void *context)
{
    struct hd_objects *o = context;
    struct retained_of_one *r = &o->retained;
    r->bytes = find_retained(o->snap, r->of, &r->watch);
    atomic_store_explicit(&r->done, true, memory_order_release);
    return NULL;
}

void objects_forget_retained(struct hd_objects *o)
{
    struct retained_of_one *r = &o->retained;
    atomic_store(&r->watch.stop, true);
    if (r->has_thread)
        pthread_join(r->thread, NULL);
    if (r->reserved > 0)
        objects_unreserve(o, r->reserved);
    r->reserved = 0;
    r->has_thread = r->begun = false;
    atomic_store(&r->done, false);
    atomic_store(&r->watch.stop, false);
}

static void object_retained_begin(struct hd_objects *o, node_id n)
{
    struct retained_of_one *r = &o->retained;
    struct hd_object object;
    struct hd_error err = {0};
    bool has_retained = o->snap->info.has_roots && hd_object(o, n, &object) &&
                        object.kind == HD_OBJECT && object.is_reachable;
    uint64_t needed = has_retained ? memory_for(o->snap->graph) : 0;
    objects_forget_retained(o);
    r->of = n;
    r->begun = true;
    r->bytes = HD_UNKNOWN;
    if (needed == 0 || !objects_reserve(o, needed, &err)) {
        atomic_store(&r->done, true);
        return;
    }
    r->reserved = needed;
    r->has_thread = pthread_create(&r->thread, NULL, find_apart, o) == 0;
    if (!r->has_thread)
        find_apart(o);
}

/* Chains must be ready: reachability is known from them. */
bool hd_object_retained(struct hd_objects *o, uint32_t number, uint64_t *bytes)
{
    struct retained_of_one *r = &o->retained;
    *bytes = HD_UNKNOWN;
    if (atomic_load_explicit(&o->making, memory_order_acquire) != 0)
        return false;
    if (!objects_have(o, HD_OBJECTS_CHAINS))
        return true;
    if (!r->begun || r->of != number)
        object_retained_begin(o, number);
    if (!atomic_load_explicit(&r->done, memory_order_acquire))
        return false;
    *bytes = r->bytes;
    return true;
}

/* Heap walks in a trace of EventPipe (.nettrace, .netperf): docs/formats/nettrace.md.
 *
 * A file is read several times, each time in constant memory. First to find the walks
 * (trace_survey.h); then for objects, types, roots and generations; then, when all
 * addresses are known, for references. The memory per object is that of the graph, its
 * address and its number of references.
 *
 * A trace that is still being written is read once, along with its writer. That suffices
 * for the usual case, a live process: one complete heap walk of a single process. Then
 * objects are in memory when the trace ends, and only references remain to be looked up.
 * Whether a trace is usual is not known before its end, so any other is given up: the file
 * is read again from its beginning. 21 bytes per object while it is written, and 6 to 7
 * more for the references. */
#include "base/alloc.h"
#include "base/arrays.h"
#include "base/error.h"
#include "base/say.h"
#include "base/workers.h"
#include "format/nettrace/trace_types.h"
#include "format/reader.h"
#include "heap/place.h"
#include "heap/root_set.h"
#include "heap/survivor_map.h"
#include "trace/nettrace.h"
#include "trace/trace_survey.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Events that a pass reads. */
enum { AROUND = 1, NODES = 2, EDGES = 4 };

/* Objects and references have 32-bit numbers, and groups of roots need some too. */
#define TRACE_MAX_OBJECTS (UINT32_MAX - 4096)

/* References in a file, so that several threads can look addresses up when all objects are
 * known. Each event has a fixed place in the result, whichever thread reads it. */
struct edge_event {
    uint64_t at;     /* of its first record, in the file */
    uint64_t before; /* references in the events before it */
    uint32_t count;
};

/* Facts about a collection from its events; the end of the trace decides which belong to
 * the walk. */
struct gc_note {
    uint64_t time, number; /* number: index of the note in the file */
    enum trace_heap_event kind;
    struct hd_process_facts facts;
};
enum { MAX_GC_NOTES = 4096 }; /* a server has a heap for each processor */

/* A static variable, or a wrapper of COM. */
struct named_root {
    uint64_t object, type;
    enum root_group group;
    uint64_t unknown;  /* of a wrapper: the COM object */
    struct span field; /* of a variable */
};

/* A dependent handle, and the reference it makes from node to node. */
struct dependent {
    uint64_t key, value;
};

struct root_link {
    node_id from, to;
};

struct trace_reader {
    struct input *in;
    struct builder *b;
    struct account *account;
    struct hd_error *err;
    struct trace_survey survey;
    const struct heap_walk *walk;
    struct trace_header header;
    enum trace_end end;
    unsigned passes; /* of the current pass */

    struct trace_types types;
    struct range *ranges;
    uint64_t *range_times; /* by range */
    size_t range_count, range_cap, range_time_cap;
    struct text command;
    struct survivor_event survivor_event;
    struct survivor_event process;
    struct survivor_event sites;
    struct gc_note *notes;
    size_t note_count, note_cap;
    uint64_t notes_read;

    /* Nodes are numbered in the order of the walk, and referenced by address. If two have
     * the same address, as in no valid trace, the first counts. */
    struct ids ids;           /* addresses */
    unsigned char *addresses; /* 8 bytes each, little-endian, by node */
    size_t address_capacity;
    node_id *repeats; /* nodes with the address of an earlier one */
    size_t repeat_count, repeat_cap;
    uint64_t dangling; /* references */

    /* Roots are addresses, reported before or after the objects: they are stored until all
     * addresses are known. */
    struct named_root *named;
    size_t named_count, named_cap;
    struct heap_root *roots; /* handles, stacks, the finalizer queue */
    size_t root_count, root_cap;
    struct dependent *pairs;
    size_t pair_count, pair_cap;
    struct root_link *links; /* by from; of settle_roots() */
    size_t link_count;
    struct arena names;

    /* for a trace that is being written */
    bool is_along;
    uint64_t pid; /* of the first event */
    struct edge_event *edges;
    size_t edge_count, edge_cap;
    uint64_t references; /* total of all events */
    size_t edge_size;    /* of a record */
};

static enum recognition nettrace_by_head(struct bytes head)
{
    return nettrace_recognises(head) ? RECOGNISED_YES : RECOGNISED_NO;
}

/* --- nodes --------------------------------------------------------------------- */

static void reserve_nodes(struct trace_reader *r, size_t count)
{
    if (count <= r->address_capacity)
        return;
    size_t capacity =
        array_bytes(r->address_capacity, 2) > count ? r->address_capacity * 2 : count;
    account_charge(r->account, 8 * (uint64_t)(capacity - r->address_capacity));
    r->addresses = alloc_resize(r->addresses, array_bytes(capacity + 1, 8));
    r->address_capacity = capacity;
}

static void begin_nodes(struct trace_reader *r, size_t count)
{
    enum { SHIFT_64 = 3, SHIFT_32 = 2 };
    ids_init(&r->ids, r->header.pointer_size == 8 ? SHIFT_64 : SHIFT_32);
    ids_charge_to(&r->ids, r->account);
    reserve_nodes(r, count);
}

/* True if that number of nodes precedes repeat i, i of which are repeats. */
static bool is_numbered_before(const void *repeats, size_t i, const void *position)
{
    return ((const node_id *)repeats)[i] - (uint32_t)i <= *(const uint32_t *)position;
}

/* The node at an address, once all were added; NO_NODE if no object is there. */
static inline node_id find_node(const struct trace_reader *r, uint64_t address)
{
    uint32_t position = ids_find(&r->ids, address);
    if (position == NO_ID)
        return NO_NODE;
    if (r->repeat_count > 0)
        position += (uint32_t)search_first(r->repeats, 0, r->repeat_count,
                                           is_numbered_before, &position);
    return position;
}

/* --- generations --------------------------------------------------------------- */

/* Ranges are reported before and after the walk; those after it are current. */
static bool is_wanted_range(const struct trace_reader *r, uint64_t time)
{
    return time >= r->walk->first_node_time &&
           (r->walk->gc_end == HD_UNKNOWN || time <= r->walk->gc_end);
}

static void add_gc_range(struct trace_reader *r, struct range range, uint64_t time)
{
    r->ranges = account_grow(r->account, r->ranges, r->range_count, &r->range_cap,
                             sizeof(*r->ranges));
    r->range_times = account_grow(r->account, r->range_times, r->range_count,
                                  &r->range_time_cap, sizeof(*r->range_times));
    r->range_times[r->range_count] = time;
    r->ranges[r->range_count++] = range;
}

/* Builds ranges once all are known; the snapshot has generations, if there are any ranges.
 * The rest of the address space is frozen. */
static void build_ranges(struct trace_reader *r)
{
    struct hd_snapshot *snap = r->b->snap;
    size_t kept = 0;
    for (size_t i = 0; i < r->range_count; i++)
        if (is_wanted_range(r, r->range_times[i]))
            r->ranges[kept++] = r->ranges[i];
    r->range_count = kept;
    if (kept == 0)
        return;
    add_gc_range(r, (struct range){0, UINT64_MAX, HD_GEN_FROZEN}, 0);
    snap->ranges = ranges_build(r->ranges, r->range_count, &snap->arena);
    snap->info.has_generations = true;
}

static bool count_object(struct trace_reader *r, uint32_t type, uint64_t size,
                         enum hd_generation gen)
{
    return builder_object(r->b, type, size, gen) ||
           fail(r->err, HD_BAD_FORMAT, "the sum of all sizes exceeds 2^64 - 1");
}

/* Nodes adjacent in memory are mostly adjacent in the walk, so one lookup of a range serves
 * thousands. */
static bool count_nodes(struct trace_reader *r)
{
    const struct graph *g = r->b->graph;
    struct range around = {0, 0, HD_GEN_UNKNOWN};
    for (node_id n = 0; n < g->node_count; n++) {
        uint64_t address = le_u64(r->addresses + 8 * (size_t)n);
        if (address < around.start || address >= around.end)
            around = ranges_around(&r->b->snap->ranges, address);
        if (!count_object(r, g->type[n], graph_size(g, n), around.generation))
            return false;
    }
    return true;
}

/* --- one event ----------------------------------------------------------------- */

/* A node's number of references is stored where they will begin. */
static bool read_nodes(struct trace_reader *r, const struct bulk *b)
{
    const struct hd_snapshot *snap = r->b->snap;
    unsigned pointer = r->header.pointer_size;
    uint64_t last_type = 0;
    uint32_t built_as = 0;
    uint64_t most = r->is_along ? TRACE_MAX_OBJECTS - 1 : r->walk->nodes.records;
    node_id id = r->b->graph != NULL ? r->b->graph->node_count : 0;
    if (r->b->want_graph) {
        if (b->count > most - id)
            return false;
        reserve_nodes(r, (size_t)id + b->count);
    }
    for (uint32_t i = 0; i < b->count; i++) {
        struct heap_node n = heap_node_at(b->records + i * b->size, pointer);
        if (i == 0 || n.type != last_type)
            built_as = trace_types_use(&r->types, n.type, r->b);
        last_type = n.type;
        if (!r->b->want_graph) {
            enum hd_generation gen = snap->info.has_generations
                                         ? ranges_find(&snap->ranges, n.address)
                                         : HD_GEN_UNKNOWN;
            if (!count_object(r, built_as, n.size, gen))
                return false;
            continue;
        }
        builder_node(r->b, built_as, n.size);
        if (r->is_along && r->b->graph->node_count == id)
            return false; /* too large */
        r->b->graph->edge_begin[id] = (uint32_t)n.edges;
        uint64_t address = n.address;
        le_put(r->addresses + 8 * (size_t)id, address, 8);
        if (!ids_add(&r->ids, address)) {
            *APPEND(r->repeats, r->repeat_count, r->repeat_cap) = id;
        }
        id = r->b->graph->node_count;
    }
    return true;
}

/* The node of each reference, or NO_NODE, in the order of the events; place is that of the
 * records in a file that is being written. */
static bool read_edges(struct trace_reader *r, const struct bulk *b, uint64_t place)
{
    if (r->is_along) {
        r->edge_size = b->size;
        *ACCOUNT_APPEND(r->account, r->edges, r->edge_count, r->edge_cap) =
            (struct edge_event){place, r->references, b->count};
        r->references += b->count;
        return true;
    }
    node_id *to = builder_edges(r->b, b->count);
    for (uint32_t i = 0; to != NULL && i < b->count; i++)
        to[i] =
            find_node(r, heap_pointer(b->records + i * b->size, r->header.pointer_size));
    return true;
}

static unsigned pass_of(enum trace_heap_event kind)
{
    switch (kind) {
    case EVENT_NODES:
        return NODES;
    case EVENT_EDGES:
        return EDGES;
    case EVENT_GC_START:
    case EVENT_GC_END:
    case EVENT_OTHER:
        return 0;
    default:
        return AROUND;
    }
}

static void add_named_root(struct trace_reader *r, struct named_root root)
{
    *ACCOUNT_APPEND(r->account, r->named, r->named_count, r->named_cap) = root;
}

/* False if the records are damaged. */
static bool read_statics(struct trace_reader *r, const struct bulk *b)
{
    struct trace_fields f = trace_fields_of(b->rest);
    for (uint32_t i = 0; i < b->count; i++) {
        struct named_root s = {0};
        trace_field_u64(&f); /* address of the variable */
        s.object = trace_field_u64(&f);
        s.type = trace_field_u64(&f);
        s.group =
            trace_field_u32(&f) & STATIC_FLAG_THREAD ? GROUP_THREAD_STATICS : GROUP_STATICS;
        struct bytes field = trace_wide(&f);
        if (f.failed)
            return false;
        s.field = trace_wide_span(field, &r->names);
        add_named_root(r, s);
    }
    return true;
}

/* Object, type and the COM object follow 8 bytes. */
static void read_wrapper(struct trace_reader *r, const unsigned char *p)
{
    struct named_root wrapper = {.object = le_u64(p + 8),
                                 .type = le_u64(p + 16),
                                 .group = GROUP_WRAPPERS,
                                 .unknown = le_u64(p + 24)};
    if (wrapper.unknown != 0) /* there is one */
        add_named_root(r, wrapper);
}

/* The survivor map follows the walk. It has at most 15 bytes for each object, in base64. */
static void read_survivor_event(struct trace_reader *r, struct bytes payload)
{
    enum { NUMBERS = 128, PER_OBJECT = 20 };
    const struct heap_walk *w = r->walk != NULL ? r->walk : r->survey.walks;
    if (w != NULL)
        survivor_event_add(&r->survivor_event, payload,
                           NUMBERS + PER_OBJECT * w->nodes.records, r->account);
}

static void read_gc_note(struct trace_reader *r, uint64_t time, enum trace_heap_event kind,
                         struct bytes payload)
{
    struct gc_note note = {.time = time, .number = r->notes_read++, .kind = kind};
    if (!gc_facts_parse(kind, payload, r->header.pointer_size, &note.facts))
        return;
    if (r->note_count == MAX_GC_NOTES) {
        r->note_count /= 2; /* the walk is among the last */
        memmove(r->notes, r->notes + r->note_count, r->note_count * sizeof(*r->notes));
    }
    r->notes =
        account_grow(r->account, r->notes, r->note_count, &r->note_cap, sizeof(*r->notes));
    r->notes[r->note_count++] = note;
}

/* Weak roots retain no objects and are only counted. */
static void read_root(struct trace_reader *r, struct heap_root root)
{
    uint64_t *weak = &r->b->snap->weak_roots;
    if (root.flags & ROOT_FLAG_WEAK) {
        *weak = *weak == HD_UNKNOWN ? 1 : *weak + 1;
    } else if (root.object != 0) {
        *ACCOUNT_APPEND(r->account, r->roots, r->root_count, r->root_cap) = root;
    }
}

static void read_pair(struct trace_reader *r, const unsigned char *p, unsigned pointer)
{
    *ACCOUNT_APPEND(r->account, r->pairs, r->pair_count, r->pair_cap) =
        (struct dependent){heap_pointer(p, pointer), heap_pointer(p + pointer, pointer)};
}

static bool read_records(struct trace_reader *r, struct nettrace *t,
                         const struct trace_event *e, enum trace_heap_event kind,
                         struct bytes payload)
{
    struct bulk b;
    if (!bulk_parse(kind, payload, r->header.pointer_size, &b))
        return nettrace_refuse(t, "more records than fit into the event");
    switch (kind) {
    case EVENT_NODES:
        return read_nodes(r, &b);
    case EVENT_EDGES:
        return read_edges(r, &b, e->at + (uint64_t)(b.records - payload.data));
    case EVENT_TYPES:
        return trace_types_define(&r->types, &b) ||
               nettrace_refuse(t, "a type crosses the end of its event");
    case EVENT_STATICS:
        return read_statics(r, &b) ||
               nettrace_refuse(t, "a static variable crosses the end of its event");
    default:
        break;
    }
    const unsigned char *p = b.records;
    for (uint32_t i = 0; i < b.count; i++, p += b.size) {
        if (kind == EVENT_ROOTS)
            read_root(r, heap_root_at(p, r->header.pointer_size));
        else if (kind == EVENT_PAIRS)
            read_pair(r, p, r->header.pointer_size);
        else if (kind == EVENT_WRAPPERS)
            read_wrapper(r, p);
    }
    return true;
}

/* False if the event is damaged, which t then reports, or is not that of a usual trace. */
static bool read_event(struct trace_reader *r, struct nettrace *t,
                       const struct trace_event *e)
{
    enum trace_heap_event kind = trace_heap_event_kind(e);
    if (!(pass_of(kind) & r->passes))
        return true;
    if (!r->is_along && ((trace_heap_event_is_walk(kind) && !heap_walk_has(r->walk, e)) ||
                         (kind == EVENT_RANGE && !is_wanted_range(r, e->time))))
        return true;
    struct bytes payload;
    struct range range;
    if (!nettrace_payload(t, &payload))
        return !r->is_along && nettrace_end(t) != TRACE_CANNOT_BE_READ;
    switch (kind) {
    case EVENT_RANGE:
        if (!heap_range_parse(payload, r->header.pointer_size, &range))
            return nettrace_refuse(t, "a generation's range is too short");
        add_gc_range(r, range, e->time);
        return true;
    case EVENT_MODULE:
        return trace_types_module(&r->types, payload) ||
               nettrace_refuse(t, "a module's event is too short");
    case EVENT_COMMAND:
        trace_process_parse(&r->command, payload);
        return true;
    case EVENT_SURVIVORS:
        read_survivor_event(r, payload);
        return true;
    case EVENT_PROCESS:
        survivor_event_add(&r->process, payload, MAX_PROCESS_LINE, r->account);
        return true;
    case EVENT_SITES:
        survivor_event_add(&r->sites, payload, MAX_SITES_TEXT, r->account);
        return true;
    case EVENT_COMMITTED:
    case EVENT_PER_HEAP:
    case EVENT_HEAPS:
    case EVENT_HEAP_STATS:
        read_gc_note(r, e->time, kind, payload);
        return true;
    default:
        return read_records(r, t, e, kind, payload);
    }
}

/* --- reading the file ---------------------------------------------------------- */

/* Reads one event of a trace that is being written. A second walk may be the wanted one. */
static bool read_along(struct trace_reader *r, struct nettrace *t,
                       const struct trace_event *e)
{
    if (r->passes == 0) {
        r->header = *nettrace_header(t);
        r->pid = e->pid;
        r->passes = AROUND | NODES | EDGES;
        begin_nodes(r, 0);
    }
    return e->pid == r->pid && r->survey.walk_count <= 1 && read_event(r, t, e);
}

/* Finds the walks. A trace that is given up must not leave its error. */
static bool survey_trace(struct trace_reader *r)
{
    struct hd_error unused = {0};
    struct nettrace *t = nettrace_begin(r->in, r->is_along ? &unused : r->err);
    struct trace_event e;
    bool ok = true;
    nettrace_charge_to(t, r->account);
    while (ok && nettrace_next(t, &e))
        ok = trace_survey_add(&r->survey, t, &e) && (!r->is_along || read_along(r, t, &e));
    trace_survey_finish(&r->survey, t);
    r->header = *nettrace_header(t);
    r->end = nettrace_end(t);
    nettrace_free(t);
    return r->is_along ? ok && r->end == TRACE_ENDS : r->end != TRACE_CANNOT_BE_READ;
}

/* Events after the walk and its collection can still have names. The file may have changed
 * since: memory was allocated for its first state. */
static bool read_pass(struct trace_reader *r, unsigned passes)
{
    if (!input_rewind(r->in, r->err))
        return false;
    struct nettrace *t = nettrace_begin(r->in, r->err);
    struct trace_event e;
    nettrace_charge_to(t, r->account);
    r->passes = passes;
    bool ok = true;
    while (ok && nettrace_next(t, &e))
        ok = e.pid != r->walk->pid || read_event(r, t, &e);
    ok = ok && nettrace_end(t) == r->end;
    if (!ok)
        fail(r->err, HD_IO, "was modified while being read");
    nettrace_free(t);
    return ok;
}

/* --- roots --------------------------------------------------------------------- */

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

static node_id find_root(struct trace_reader *r, uint64_t object)
{
    node_id n = find_node(r, object);
    if (n == NO_NODE && object != 0)
        builder_warn(r->b, WARN_DANGLING_ROOT, 0);
    return n;
}

/* Makes roots of root_set.h and links, once all nodes and types are known. */
static void settle_roots(struct trace_reader *r, struct root_set *roots)
{
    struct text name = {0};
    for (size_t i = 0; i < r->named_count; i++) {
        const struct named_root *v = &r->named[i];
        node_id n = find_root(r, v->object);
        if (n == NO_NODE)
            continue;
        text_clear(&name);
        add_root_name(&name, v, &r->types);
        root_tree_add(roots, v->group, name.data, name.len, n);
    }
    text_free(&name);
    for (size_t i = 0; i < r->root_count; i++) {
        node_id n = find_root(r, r->roots[i].object);
        if (n != NO_NODE)
            root_tree_add(roots, group_of(&r->roots[i]), NULL, 0, n);
    }
    /* A handle whose key is alive keeps its value alive through the key. */
    r->links = arena_array(&r->names, struct root_link, r->pair_count);
    for (size_t i = 0; i < r->pair_count; i++) {
        const struct dependent *p = &r->pairs[i];
        node_id key = find_node(r, p->key), value = find_node(r, p->value);
        if (key != NO_NODE && value != NO_NODE)
            r->links[r->link_count++] = (struct root_link){key, value};
        else if (p->key != 0 && value != NO_NODE)
            root_tree_add(roots, GROUP_DEPENDENT, NULL, 0, value);
    }
    if (r->link_count > 0)
        qsort(r->links, r->link_count, sizeof(*r->links), links_by_from);
}

/* --- references ---------------------------------------------------------------- */

struct edge_search {
    const struct trace_reader *r;
    node_id *to;
    bool *failed; /* by share of the events */
};

/* Events per batch of a thread, some 100,000 references. */
enum { EVENTS_AT_ONCE = 16 };

static bool find_edges_of(const struct edge_search *s, const struct edge_event *event)
{
    enum { PIECE = 48 * 1024 };
    unsigned char records[PIECE];
    size_t size = s->r->edge_size, most = PIECE / size;
    node_id *to = s->to + event->before;
    for (size_t done = 0; done < event->count;) {
        size_t left = event->count - done, count = left < most ? left : most;
        if (input_read_at(s->r->in, event->at + done * size, records, count * size) !=
            (ssize_t)(count * size))
            return false;
        for (size_t i = 0; i < count; i++, done++)
            to[done] = find_node(
                s->r, heap_pointer(records + i * size, s->r->header.pointer_size));
    }
    return true;
}

static bool find_share(void *context, size_t share)
{
    const struct edge_search *s = context;
    size_t begin = share * EVENTS_AT_ONCE, end = begin + EVENTS_AT_ONCE;
    end = end < s->r->edge_count ? end : s->r->edge_count;
    for (size_t i = begin; i < end && !s->failed[share]; i++)
        s->failed[share] = !find_edges_of(s, &s->r->edges[i]);
    return !s->failed[share];
}

/* The nodes of all references, after room for `links` more. False if the file cannot be
 * read. */
static bool find_edges(struct trace_reader *r, size_t links)
{
    struct graph *g = r->b->graph;
    size_t shares = (r->edge_count + EVENTS_AT_ONCE - 1) / EVENTS_AT_ONCE;
    if (r->references + links >= TRACE_MAX_OBJECTS)
        return false;
    builder_reserve(r->b, (size_t)g->node_count + 1, (size_t)r->references + links + 1);
    if (r->b->over_memory || account_is_over(r->account))
        return false;
    g->edge_count = (uint32_t)(links + r->references);
    struct edge_search s = {.r = r, .failed = alloc_zeroed(shares + 1)};
    s.to = g->edge_to + links;
    workers_run(shares, r->b->threads, find_share, &s);
    bool ok = memchr(s.failed, true, shares) == NULL;
    free(s.failed);
    return ok;
}

/* Moves the references of each node together, and those of its handles after them. They are
 * found after room for `links` more, so never before the place they are moved to. */
static void join_edges(struct trace_reader *r, size_t links)
{
    struct graph *g = r->b->graph;
    const struct root_link *link = r->links, *last_link = link + links;
    const node_id *found = g->edge_to + links, *last = g->edge_to + g->edge_count;
    node_id *to = g->edge_to;
    for (node_id n = 0; n < g->node_count; n++) {
        uint32_t count = g->edge_begin[n];
        g->edge_begin[n] = (uint32_t)(to - g->edge_to);
        for (; count > 0 && found < last; count--, found++) {
            if (*found != NO_NODE)
                *to++ = *found;
            else
                r->dangling++;
        }
        for (; link < last_link && link->from == n; link++, r->b->handle_edges++)
            *to++ = link->to;
    }
    g->edge_count = (uint32_t)(to - g->edge_to);
}

/* --- the graph ----------------------------------------------------------------- */

/* Builds the graph, after all events except references were read. */
static bool build_graph(struct trace_reader *r)
{
    struct root_set roots = {.names = {.account = r->account}};
    build_ranges(r);
    if (!count_nodes(r))
        return false;
    ids_freeze(&r->ids);
    settle_roots(r, &roots);
    size_t links = r->link_count;
    bool ok = links < TRACE_MAX_OBJECTS ||
              fail(r->err, HD_TOO_BIG, "more than %u objects or references",
                   (unsigned)TRACE_MAX_OBJECTS);
    if (ok && r->is_along) {
        ok = find_edges(r, links);
    } else if (ok) {
        builder_edges(r->b, (uint32_t)links);
        ok = read_pass(r, EDGES);
    }
    if (ok) {
        struct graph *g = r->b->graph;
        node_id count = g->node_count;
        if (!r->b->over_memory && !r->b->too_big)
            join_edges(r, links);
        root_tree_emit(&roots, r->b);
        r->addresses = alloc_resize(r->addresses, array_bytes(g->node_count, 8));
        memset(r->addresses + 8 * (size_t)count, 0, 8 * (size_t)(g->node_count - count));
        g->addresses = g->own_addresses = r->addresses;
        r->addresses = NULL;
    }
    root_set_free(&roots);
    return ok;
}

/* Reads a trace while it is written. False if it is not usual; then r and its builder are
 * not usable. */
static bool read_growing(struct trace_reader *r)
{
    if (!r->b->want_graph || r->b->number != 0 || !survey_trace(r))
        return false;
    const struct heap_walk *w = r->walk = trace_survey_walk(&r->survey, 0);
    return w != NULL && w->is_complete && r->b->graph != NULL &&
           w->edges.records < TRACE_MAX_OBJECTS &&
           w->nodes.records == r->b->graph->node_count &&
           w->edges.records == r->references && build_graph(r);
}

/* Checks the memory for reading: arrays of the graph, and addresses. */
static bool check_memory(const struct trace_reader *r)
{
    enum { PER_OBJECT = 44, PER_REFERENCE = 4 };
    uint64_t limit = r->b->max_memory;
    uint64_t objects = r->walk->nodes.records, references = r->walk->edges.records;
    if (limit == 0 || objects <= (limit - limit / 2) / PER_OBJECT * 2)
        if (limit == 0 || objects * PER_OBJECT + references * PER_REFERENCE <= limit)
            return true;
    return fail_memory(r->err, "its graph",
                       objects * PER_OBJECT + references * PER_REFERENCE, limit);
}

static bool read_graph(struct trace_reader *r)
{
    uint64_t objects = r->walk->nodes.records, references = r->walk->edges.records;
    if (objects >= TRACE_MAX_OBJECTS || references >= TRACE_MAX_OBJECTS)
        return fail(r->err, HD_TOO_BIG, "more than %u objects or references",
                    (unsigned)TRACE_MAX_OBJECTS);
    if (!check_memory(r))
        return false;
    builder_reserve(r->b, (size_t)objects + 1, (size_t)references + 1);
    begin_nodes(r, (size_t)objects);
    if (!read_pass(r, AROUND | NODES))
        return false;
    if (r->b->graph->node_count != objects && !r->b->over_memory)
        return fail(r->err, HD_IO, "was modified while being read");
    return build_graph(r);
}

/* Generations must be known before objects can be counted, but follow them in the file. */
static bool read_types(struct trace_reader *r)
{
    if (r->survey.ranges == 0)
        return read_pass(r, AROUND | NODES);
    if (!read_pass(r, AROUND))
        return false;
    build_ranges(r);
    return read_pass(r, NODES);
}

/* --- warnings ------------------------------------------------------------------ */

static void note_incomplete(struct trace_reader *r, const char *detail)
{
    r->b->snap->info.complete = false;
    builder_warn(r->b, WARN_INCOMPLETE, 0);
    warnings_add_detail(&r->b->snap->warnings, WARN_INCOMPLETE, detail);
}

/* Warns with the most informative reason. */
static void warn_incomplete(struct trace_reader *r)
{
    const struct heap_walk *w = r->walk;
    struct arena *a = &r->b->snap->arena;
    int64_t edges = (int64_t)(w->edges.records - w->edges_wanted);
    uint64_t missing =
        w->nodes.missing + w->edges.missing + w->roots.missing + w->pairs.missing;
    uint64_t off = edges < 0 ? (uint64_t)-edges : (uint64_t)edges;
    const char *which = edges < 0 ? "missing" : "left over";
    const char *references = off == 1 ? "reference is" : "references are";
    uint64_t lost = w->events_lost > 0 ? w->events_lost : missing;
    if (w->events_lost > 0 || missing > 0)
        note_incomplete(
            r, arena_printf(a,
                            "%" PRIu64 " event%s of the trace %s lost, %" PRIu64
                            " %s %s, others may be wrong; take it again with a larger "
                            "buffer",
                            lost, lost == 1 ? "" : "s", lost == 1 ? "was" : "were", off,
                            references, which));
    else if (r->end == TRACE_CUT)
        note_incomplete(r, "the file is truncated");
    else if (w->gc_start == HD_UNKNOWN || w->gc_end == HD_UNKNOWN)
        note_incomplete(r, w->gc_start == HD_UNKNOWN
                               ? "the start of the heap walk is not in the trace"
                               : "the end of the heap walk is not in the trace");
    else if (edges != 0)
        note_incomplete(r, arena_printf(a, "%" PRIu64 " %s %s", off, references, which));
    else if (r->repeat_count > 0)
        note_incomplete(r, arena_printf(a, "%zu object%s twice", r->repeat_count,
                                        r->repeat_count == 1 ? " occurs" : "s occur"));
}

static void add_trace_warnings(struct trace_reader *r, uint64_t unnamed)
{
    struct warnings *all = &r->b->snap->warnings;
    warn_incomplete(r);
    if (r->survey.walk_count > 1 && r->b->number == 0) {
        size_t number = (size_t)(r->walk - r->survey.walks) + 1;
        builder_warn(r->b, WARN_SEVERAL_SNAPSHOTS, 0);
        warnings_add_detail(all, WARN_SEVERAL_SNAPSHOTS,
                            arena_printf(&r->b->snap->arena,
                                         "%zu heap snapshots in one trace; number %zu was "
                                         "read, FILE#1 is the first",
                                         r->survey.walk_count, number));
    }
    if (r->end == TRACE_LACKS_END)
        builder_warn(r->b, WARN_NO_TRAILER, 0);
    for (uint64_t i = 0; i < unnamed; i++)
        builder_warn(r->b, WARN_UNKNOWN_TYPE, 0);
    if (unnamed > 0)
        warnings_add_detail(all, WARN_UNKNOWN_TYPE,
                            r->b->snap->image_base != 0
                                ? AOT_UNNAMED
                                : "types without names in the trace; another tracing "
                                  "client may have been active");
    for (uint64_t i = 0; i < r->dangling; i++)
        builder_warn(r->b, WARN_DANGLING_REFERENCE, 0);
}

/* True if a note belongs to the walk's collection. Totals directly follow its end. */
static bool is_of_walk(const struct heap_walk *w, const struct gc_note *note)
{
    if (note->kind == EVENT_HEAP_STATS)
        return note->time >= w->gc_end;
    return note->time >= w->gc_start && note->time <= w->gc_end;
}

static int notes_by_time(const void *a, const void *b)
{
    const struct gc_note *x = a, *y = b;
    if (x->time != y->time)
        return x->time > y->time ? 1 : -1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Stores the first note of each kind, and the sum over heaps: committed bytes are reported
 * at the start and at the end, and the memory of the process was measured before the
 * start. */
static void add_gc_facts(struct trace_reader *r)
{
    struct hd_process_facts *facts = &r->b->snap->facts, per_heap = {0};
    const struct text *line = &r->process.content;
    if (survivor_event_is_whole(&r->process))
        process_facts_parse(facts, line->data, line->len);
    if (r->walk->gc_start == HD_UNKNOWN || r->walk->gc_end == HD_UNKNOWN ||
        r->note_count == 0)
        return;
    qsort(r->notes, r->note_count, sizeof(*r->notes), notes_by_time);
    for (size_t i = 0; i < r->note_count; i++) {
        const struct gc_note *note = &r->notes[i];
        if (!is_of_walk(r->walk, note))
            continue;
        if (note->kind != EVENT_PER_HEAP)
            process_facts_add(facts, &note->facts);
        else
            process_facts_sum(&per_heap, &note->facts);
    }
    process_facts_add(facts, &per_heap);
}

static void add_trace_facts(struct trace_reader *r)
{
    struct hd_snapshot *snap = r->b->snap;
    const struct text *text = &r->survivor_event.content;
    snap->info.has_graph = true;
    snap->info.pid = r->walk->pid;
    snap->identity.collection = r->walk->gc;
    trace_process_time(snap, &r->header,
                       r->walk->gc_start != HD_UNKNOWN ? r->walk->gc_start
                                                       : r->walk->first_time);
    trace_process_name(snap, &r->command);
    trace_process_program(snap, &r->command);
    add_gc_facts(r);
    if (survivor_event_is_whole(&r->sites))
        snap->sites = allocation_sites_parse(r->sites.content.data, r->sites.content.len,
                                             &snap->arena);
    if (!survivor_event_is_whole(&r->survivor_event))
        return;
    snap->survivors_unknown = survivors_unknown_named(text->data, text->len);
    if (snap->survivors_unknown == HD_SURVIVORS_UNKNOWN_NONE)
        snap->survivor_map = survivor_map_parse(text->data, text->len, &snap->arena);
}

static bool choose_walk(struct trace_reader *r)
{
    r->walk = trace_survey_walk(&r->survey, r->b->number);
    if (r->walk != NULL)
        return true;
    size_t count = r->survey.walk_count;
    if (count > 0)
        return fail(r->err, HD_USAGE, "#%u: this trace holds %zu heap snapshot%s only",
                    r->b->number, count, count > 1 ? "s" : "");
    if (r->survey.events_lost > 0)
        return fail(r->err, HD_UNSUPPORTED,
                    "this is a trace (.nettrace) without objects: %llu events were lost; "
                    "take it again with a larger buffer",
                    (unsigned long long)r->survey.events_lost);
    return fail(r->err, HD_UNSUPPORTED,
                "this is a trace (.nettrace) without a heap snapshot%s; take one with "
                "`heapdrift collect PID -o app.nettrace`, or `dotnet-trace collect -p PID "
                "--providers Microsoft-Windows-DotNETRuntime:0x1D80001:4`",
                r->end == TRACE_CUT ? ", truncated before it" : "");
}

static bool nettrace_read(struct input *in, struct builder *b, struct hd_error *err)
{
    struct trace_reader r = {.in = in,
                             .b = b,
                             .account = builder_account(b),
                             .err = err,
                             .is_along = input_is_growing(in)};
    r.types.ids.account = r.types.module_ids.account = r.types.arena.account = r.account;
    r.names.account = r.account;
    bool ok = r.is_along ? read_growing(&r)
                         : survey_trace(&r) && choose_walk(&r) &&
                               (b->want_graph ? read_graph(&r) : read_types(&r));
    if (ok) {
        uint64_t unnamed = trace_types_finish(&r.types, b);
        add_trace_facts(&r);
        add_trace_warnings(&r, unnamed);
    }
    trace_survey_free(&r.survey);
    trace_types_free(&r.types);
    ids_free(&r.ids);
    free(r.addresses);
    free(r.repeats);
    free(r.named);
    free(r.roots);
    free(r.pairs);
    arena_free(&r.names);
    free(r.ranges);
    free(r.range_times);
    free(r.edges);
    text_free(&r.command);
    survivor_event_free(&r.survivor_event, r.account);
    survivor_event_free(&r.process, r.account);
    survivor_event_free(&r.sites, r.account);
    free(r.notes);
    return ok;
}

const struct reader read_nettrace = {
    .name = "nettrace",
    .summary = "trace with a heap walk, from dotnet-trace or from the process itself",
    .statics = STATICS_BY_TYPE,
    .has_numbers = true,
    .recognises = nettrace_by_head,
    .read = nettrace_read,
};

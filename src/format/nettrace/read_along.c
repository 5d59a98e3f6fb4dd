#include "format/nettrace/read_along.h"

#include "base/alloc.h"
#include "base/input.h"
#include "base/workers.h"
#include "format/nettrace/trace_graph.h"
#include "trace/trace_heap_events.h"

#include <stdlib.h>
#include <string.h>

/* --- references ---------------------------------------------------------------- */

/* The references of a walk, read behind everything else.
 *
 * They come as addresses in the order of the objects that have them, in events of some
 * thousand. What is kept of an event is where it lies in the file, so that several threads
 * can look addresses up when all objects are known: each event has its place in the
 * result, whoever does it. */

struct edge_event {
    uint64_t at;     /* of its first record, in the file */
    uint64_t before; /* references in the events before it */
    uint32_t count;
};

/* A record is an address of pointer_size bytes, and what is of no use here. */
struct edge_layout {
    unsigned pointer_size;
    size_t size;
};

struct trace_edges {
    struct edge_event *events;
    size_t len, cap;
    uint64_t count;            /* of all references */
    struct edge_layout layout; /* for the caller to set */
};

/* A thread takes so many events at once, some 100,000 references. */
enum { EVENTS_AT_ONCE = 16 };

/* Bytes that are read at once. */
enum { PIECE = 48 * 1024 };

/* One more event, whose records begin there; account is charged. */
static void trace_edges_add(struct trace_edges *e, uint64_t at, uint32_t count,
                            struct account *account)
{
    e->events = account_grow(account, e->events, e->len, &e->cap, sizeof(*e->events));
    e->events[e->len++] = (struct edge_event){at, e->count, count};
    e->count += count;
}

struct finding {
    const struct trace_edges *edges;
    const struct input *in;
    const struct trace_nodes *nodes;
    node_id *to;
    bool *failed; /* by share of the events */
};

static bool find_piece(const struct finding *f, uint64_t at, node_id *to, size_t count)
{
    const struct edge_layout *layout = &f->edges->layout;
    unsigned char records[PIECE];
    size_t size = count * layout->size;
    if (input_read_at(f->in, at, records, size) != (ssize_t)size)
        return false;
    for (size_t i = 0; i < count; i++)
        to[i] = trace_nodes_find(
            f->nodes, heap_pointer(records + i * layout->size, layout->pointer_size));
    return true;
}

static bool find_event(const struct finding *f, const struct edge_event *event)
{
    size_t size = f->edges->layout.size, most = PIECE / size;
    for (size_t i = 0; i < event->count; i += most) {
        size_t left = event->count - i;
        if (!find_piece(f, event->at + i * size, f->to + event->before + i,
                        left < most ? left : most))
            return false;
    }
    return true;
}

static bool find_share(void *context, size_t share)
{
    const struct finding *f = context;
    size_t begin = share * EVENTS_AT_ONCE, end = begin + EVENTS_AT_ONCE;
    if (end > f->edges->len)
        end = f->edges->len;
    for (size_t i = begin; i < end; i++)
        if (!find_event(f, &f->edges->events[i])) {
            f->failed[share] = true;
            return false;
        }
    return true;
}

/* Put the node of each reference, or NO_NODE, to to[0 .. count - 1], on that many threads.
 * False if the file cannot be read. */
static bool trace_edges_find(const struct trace_edges *e, const struct input *in,
                             const struct trace_nodes *nodes, unsigned threads, node_id *to)
{
    size_t shares = (e->len + EVENTS_AT_ONCE - 1) / EVENTS_AT_ONCE;
    struct finding f = {
        .edges = e, .in = in, .nodes = nodes, .failed = alloc_zeroed(shares + 1)};
    f.to = to; /* clang-tidy overlooks that an initialiser lets it be written to */
    workers_run(shares, threads, find_share, &f);
    bool ok = true;
    for (size_t i = 0; i < shares; i++)
        ok = ok && !f.failed[i];
    free(f.failed);
    return ok;
}

static void trace_edges_free(struct trace_edges *e)
{
    free(e->events);
    *e = (struct trace_edges){0};
}

/* --- reading along ------------------------------------------------------------- */

/* What is not yet known to belong to the walk. */
struct along {
    struct reading *r;
    uint64_t *range_times; /* by range of r */
    size_t range_time_cap;
    struct trace_edges edges;
};

/* --- while it comes ------------------------------------------------------------ */

/* How many references a node has stands where they will begin. */
static bool parse_nodes(struct reading *r, const struct bulk *b)
{
    unsigned pointer = r->header.pointer_size;
    uint64_t last_type = 0;
    uint32_t built_as = 0;
    node_id id = r->b->graph != NULL ? r->b->graph->node_count : 0;
    if (b->count >= TRACE_MOST_OBJECTS - id)
        return false;
    trace_nodes_reserve(&r->nodes, (size_t)id + b->count);
    for (uint32_t i = 0; i < b->count; i++, id++) {
        struct heap_node n = heap_node_at(b->records + i * b->size, pointer);
        if (i == 0 || n.type != last_type)
            built_as = trace_types_use(&r->types, n.type, r->b);
        last_type = n.type;
        builder_node(r->b, built_as, n.size);
        if (r->b->graph->node_count == id)
            return false; /* no room for it */
        r->b->graph->edge_begin[id] = (uint32_t)n.edges;
        trace_nodes_add(&r->nodes, id, n.address);
    }
    return true;
}

static bool parse_objects(struct along *a, const struct trace_event *e,
                          enum trace_heap_event kind, struct bytes payload)
{
    struct reading *r = a->r;
    struct bulk b;
    if (!bulk_parse(kind, payload, r->header.pointer_size, &b))
        return false;
    if (kind == EVENT_NODES)
        return parse_nodes(r, &b);
    a->edges.layout = (struct edge_layout){r->header.pointer_size, b.size};
    trace_edges_add(&a->edges, e->at + (uint64_t)(b.records - payload.data), b.count,
                    &r->b->account);
    return true;
}

static bool parse_range(struct along *a, struct nettrace *t, const struct trace_event *e,
                        struct bytes payload)
{
    struct reading *r = a->r;
    if (!trace_reading_around(r, t, EVENT_RANGE, payload))
        return false;
    a->range_times = account_grow(&r->b->account, a->range_times, r->range_count - 1,
                                  &a->range_time_cap, sizeof(*a->range_times));
    a->range_times[r->range_count - 1] = e->time;
    return true;
}

/* A second walk may be the one that is wanted. */
static bool take(struct along *a, struct nettrace *t, const struct trace_event *e)
{
    struct reading *r = a->r;
    struct bytes payload;
    enum trace_heap_event kind = trace_heap_event_kind(e);
    if (!trace_survey_add(&r->survey, t, e) || r->survey.walk_count > 1)
        return false;
    if (kind == EVENT_OTHER || kind == EVENT_GC_START || kind == EVENT_GC_END)
        return true;
    if (!nettrace_payload(t, &payload))
        return false;
    if (kind == EVENT_NODES || kind == EVENT_EDGES)
        return parse_objects(a, e, kind, payload);
    if (kind == EVENT_RANGE)
        return parse_range(a, t, e, payload);
    return trace_reading_around(r, t, kind, payload);
}

/* All of it. What is thrown away when it is given up must not look like an error of it. */
static bool parse_all(struct along *a)
{
    struct reading *r = a->r;
    struct hd_error unused = {0};
    struct nettrace *t = nettrace_begin(r->in, &unused);
    struct trace_event e;
    uint64_t pid = 0;
    bool ok = true, first = true;
    nettrace_charge_to(t, &r->b->account);
    while (ok && nettrace_next(t, &e)) {
        if (first) {
            r->header = *nettrace_header(t);
            pid = e.pid;
            trace_nodes_init(&r->nodes, 0, r->header.pointer_size, &r->b->account);
        }
        first = false;
        ok = e.pid == pid && take(a, t, &e);
    }
    trace_survey_finish(&r->survey, t);
    r->end = nettrace_end(t);
    nettrace_free(t);
    return ok && r->end == TRACE_ENDS;
}

/* --- when it is there ---------------------------------------------------------- */

static bool is_usual(struct along *a)
{
    struct reading *r = a->r;
    r->walk = trace_survey_walk(&r->survey, 0);
    return r->walk != NULL && r->walk->is_complete && r->b->graph != NULL &&
           r->walk->edges.records < TRACE_MOST_OBJECTS &&
           r->walk->nodes.records == r->b->graph->node_count &&
           r->walk->edges.records == a->edges.count;
}

static void drop_other_ranges(struct along *a)
{
    struct reading *r = a->r;
    size_t kept = 0;
    for (size_t i = 0; i < r->range_count; i++)
        if (trace_reading_wants_range(r, a->range_times[i]))
            r->ranges[kept++] = r->ranges[i];
    r->range_count = kept;
}

/* Node by node, behind what was found of them: that it refers to, then what its handles
 * hold. From `from` on stands what was found, which is never behind what is written. */
static void put_together(struct reading *r, size_t from)
{
    struct graph *g = r->b->graph;
    const struct root_link *link = r->outside.links, *end = link + r->outside.link_count;
    const node_id *found = g->edge_to + from;
    node_id *to = g->edge_to;
    for (node_id n = 0; n < g->node_count; n++) {
        uint32_t count = g->edge_begin[n];
        g->edge_begin[n] = (uint32_t)(to - g->edge_to);
        for (; count > 0; count--, found++) {
            if (*found != NO_NODE)
                *to++ = *found;
            else
                r->dangling++;
        }
        for (; link < end && link->from == n; link++, r->b->handle_edges++)
            *to++ = link->to;
    }
    g->edge_count = (uint32_t)(to - g->edge_to);
}

/* Beside the references, room for what holds objects from outside. */
static bool read_edges(struct along *a)
{
    struct reading *r = a->r;
    size_t links = r->outside.link_count, edges = (size_t)a->edges.count;
    if (edges + links >= TRACE_MOST_OBJECTS)
        return false;
    builder_reserve(r->b, (size_t)r->b->graph->node_count + 1, edges + links + 1);
    if (r->b->over_memory || account_is_over(&r->b->account) ||
        !trace_edges_find(&a->edges, r->in, &r->nodes, r->b->threads,
                          r->b->graph->edge_to + links))
        return false;
    put_together(r, links);
    return true;
}

static bool finish(struct along *a)
{
    struct reading *r = a->r;
    struct root_set roots = {.names = {.account = &r->b->account}};
    drop_other_ranges(a);
    trace_reading_build_ranges(r);
    bool ok = trace_reading_count_nodes(r);
    trace_nodes_freeze(&r->nodes);
    trace_root_events_settle(&r->outside, &r->nodes, &r->types, &roots, r->b);
    ok = ok && read_edges(a);
    if (ok) {
        struct graph *g = r->b->graph;
        node_id count = g->node_count;
        root_tree_emit(&roots, r->b);
        g->own_addresses = trace_nodes_take_addresses(&r->nodes, count, g->node_count);
        g->addresses = g->own_addresses;
    }
    root_set_free(&roots);
    return ok;
}

bool read_along(struct reading *r)
{
    struct along a = {.r = r};
    bool ok = r->b->want_graph && r->b->number == 0 && parse_all(&a) && is_usual(&a) &&
              finish(&a);
    free(a.range_times);
    trace_edges_free(&a.edges);
    return ok;
}

#include "format/nettrace/read_along.h"

#include "format/nettrace/trace_edges.h"

#include <stdlib.h>
#include <string.h>

/* What is not yet known to belong to the walk. */
struct along {
    struct reading *r;
    uint64_t *range_times; /* by range of r */
    size_t range_time_cap;
    struct trace_edges edges;
};

/* --- while it comes -------------------------------------------------------- */

/* How many references a node has stands where they will begin. */
static bool take_nodes(struct reading *r, const struct bulk *b)
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

static bool take_objects(struct along *a, const struct trace_event *e,
                         enum trace_heap_event kind, struct bytes payload)
{
    struct reading *r = a->r;
    struct bulk b;
    if (!bulk_parse(kind, payload, r->header.pointer_size, &b))
        return false;
    if (kind == EVENT_NODES)
        return take_nodes(r, &b);
    a->edges.layout = (struct edge_layout){r->header.pointer_size, b.size};
    trace_edges_add(&a->edges, e->at + (uint64_t)(b.records - payload.data), b.count,
                    &r->b->account);
    return true;
}

static bool take_range(struct along *a, struct nettrace *t, const struct trace_event *e,
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
        return take_objects(a, e, kind, payload);
    if (kind == EVENT_RANGE)
        return take_range(a, t, e, payload);
    return trace_reading_around(r, t, kind, payload);
}

/* All of it. What is thrown away when it is given up must not look like an error of it. */
static bool take_all(struct along *a)
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

/* --- when it is there ------------------------------------------------------ */

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
    struct root_tree roots = {.names = {.account = &r->b->account}};
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
    root_tree_free(&roots);
    return ok;
}

bool read_along(struct reading *r)
{
    struct along a = {.r = r};
    bool ok =
        r->b->want_graph && r->b->number == 0 && take_all(&a) && is_usual(&a) && finish(&a);
    free(a.range_times);
    trace_edges_free(&a.edges);
    return ok;
}

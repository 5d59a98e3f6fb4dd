/* Heap walks in a trace of EventPipe (.nettrace, .netperf): docs/formats/nettrace.md.
 *
 * The file is gone through several times, each time in constant memory. First to find the
 * walks (trace_survey.h); then for objects, types, roots and generations; then, when all
 * addresses are known, for references. What is kept of an object is what the graph needs,
 * its address and how many references it has. */
#include "base/error.h"
#include "format/nettrace/read_along.h"
#include "format/nettrace/trace_reading.h"
#include "format/reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What a pass looks at. */
enum { AROUND = 1, NODES = 2, EDGES = 4 };

static enum recognition recognises(struct bytes head)
{
    return nettrace_recognises(head) ? RECOGNISED_YES : RECOGNISED_NO;
}

/* --- going through the file ---------------------------------------------------- */

static bool survey(struct reading *r)
{
    struct nettrace *t = nettrace_begin(r->in, r->err);
    struct trace_event e;
    nettrace_charge_to(t, &r->b->account);
    while (nettrace_next(t, &e))
        if (!trace_survey_add(&r->survey, t, &e))
            break;
    trace_survey_finish(&r->survey, t);
    r->header = *nettrace_header(t);
    r->end = nettrace_end(t);
    nettrace_free(t);
    return r->end != TRACE_CANNOT_BE_READ;
}

static bool take(struct reading *r, struct nettrace *t, const struct trace_event *e);

/* Events behind the walk and its collection can still hold names. The file may be another
 * one now: what was allocated for the first is all that there is. */
static bool pass(struct reading *r, unsigned passes)
{
    if (!input_rewind(r->in, r->err))
        return false;
    struct nettrace *t = nettrace_begin(r->in, r->err);
    struct trace_event e;
    nettrace_charge_to(t, &r->b->account);
    r->passes = passes;
    bool ok = true;
    while (ok && nettrace_next(t, &e))
        ok = e.pid != r->walk->pid || take(r, t, &e);
    ok = ok && nettrace_end(t) == r->end;
    if (!ok)
        fail(r->err, HD_IO, "was modified while being read");
    nettrace_free(t);
    return ok;
}

/* --- objects ------------------------------------------------------------------- */

static bool read_nodes(struct reading *r, const struct bulk *b)
{
    unsigned pointer = r->header.pointer_size;
    uint64_t last_type = 0;
    uint32_t built_as = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        struct heap_node n = heap_node_at(b->records + i * b->size, pointer);
        if (i == 0 || n.type != last_type)
            built_as = trace_types_use(&r->types, n.type, r->b);
        last_type = n.type;
        if (!r->b->want_graph) {
            if (!trace_reading_count(r, built_as, n.size, n.address))
                return false;
            continue;
        }
        node_id id = r->b->graph->node_count;
        if (id >= r->walk->nodes.records)
            return false;
        builder_node(r->b, built_as, n.size);
        r->edge_counts[id] = (uint32_t)n.edges;
        trace_nodes_add(&r->nodes, id, n.address);
    }
    return true;
}

/* --- references ---------------------------------------------------------------- */

static void end_node(struct reading *r)
{
    for (; r->next_link < r->outside.link_count &&
           r->outside.links[r->next_link].from == r->node;
         r->next_link++)
        builder_handle_edge(r->b, r->outside.links[r->next_link].to);
}

/* Go to the next node; false behind the last one. */
static bool next_node(struct reading *r, node_id count)
{
    if (r->node != NO_NODE)
        end_node(r);
    if (r->node + 1 >= count && r->node != NO_NODE)
        return false;
    r->node++; /* NO_NODE + 1 is 0 */
    r->left = r->edge_counts[r->node];
    builder_references_of(r->b, r->node);
    return true;
}

static void read_edges(struct reading *r, const struct bulk *b)
{
    unsigned pointer = r->header.pointer_size;
    node_id count = r->b->graph->node_count;
    for (uint32_t i = 0; i < b->count; i++) {
        while (r->left == 0 && r->node != count)
            if (!next_node(r, count))
                r->node = count;
        if (r->node == count) {
            r->surplus += b->count - i;
            return;
        }
        r->left--;
        node_id to =
            trace_nodes_find(&r->nodes, heap_pointer(b->records + i * b->size, pointer));
        if (to != NO_NODE)
            builder_edge(r->b, to);
        else
            r->dangling++;
    }
}

/* --- one event ----------------------------------------------------------------- */

static bool read_objects(struct reading *r, struct nettrace *t, enum trace_heap_event kind,
                         struct bytes payload)
{
    struct bulk b;
    if (!bulk_parse(kind, payload, r->header.pointer_size, &b))
        return nettrace_refuse(t, "more records than fit into the event");
    if (kind == EVENT_NODES)
        return read_nodes(r, &b);
    read_edges(r, &b);
    return true;
}

static unsigned pass_of(enum trace_heap_event kind)
{
    if (kind == EVENT_NODES || kind == EVENT_EDGES)
        return kind == EVENT_NODES ? NODES : EDGES;
    bool around = kind != EVENT_GC_START && kind != EVENT_GC_END && kind != EVENT_OTHER;
    return around ? AROUND : 0;
}

static bool take(struct reading *r, struct nettrace *t, const struct trace_event *e)
{
    enum trace_heap_event kind = trace_heap_event_kind(e);
    if (!(pass_of(kind) & r->passes) ||
        (trace_heap_event_is_walk(kind) && !heap_walk_has(r->walk, e)) ||
        (kind == EVENT_RANGE && !trace_reading_wants_range(r, e->time)))
        return true;
    struct bytes payload;
    if (!nettrace_payload(t, &payload))
        return nettrace_end(t) != TRACE_CANNOT_BE_READ;
    if (kind == EVENT_NODES || kind == EVENT_EDGES)
        return read_objects(r, t, kind, payload);
    return trace_reading_around(r, t, kind, payload);
}

/* --- putting it together ------------------------------------------------------- */

/* Bytes while the graph is read: arrays of the graph, and what stands beside them. */
static bool fits(const struct reading *r)
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

static bool read_graph(struct reading *r)
{
    struct root_set roots = {.names = {.account = &r->b->account}};
    uint64_t objects = r->walk->nodes.records;
    if (objects >= TRACE_MOST_OBJECTS || r->walk->edges.records >= TRACE_MOST_OBJECTS)
        return fail(r->err, HD_TOO_BIG, "more than %u objects or references",
                    (unsigned)TRACE_MOST_OBJECTS);
    if (!fits(r))
        return false;
    builder_reserve(r->b, (size_t)objects + 1, (size_t)r->walk->edges.records + 1);
    trace_nodes_init(&r->nodes, (size_t)objects, r->header.pointer_size, &r->b->account);
    account_charge(&r->b->account, objects * sizeof(uint32_t));
    r->edge_counts = alloc_resize(NULL, array_bytes((size_t)objects, sizeof(uint32_t)));
    bool ok = pass(r, AROUND | NODES);
    if (ok && r->b->graph->node_count != objects && !r->b->over_memory)
        ok = fail(r->err, HD_IO, "was modified while being read");
    trace_reading_build_ranges(r);
    ok = ok && trace_reading_count_nodes(r);
    trace_nodes_freeze(&r->nodes);
    if (ok)
        trace_root_events_settle(&r->outside, &r->nodes, &r->types, &roots, r->b);
    r->node = NO_NODE;
    node_id count = r->b->graph->node_count;
    ok = ok && pass(r, EDGES);
    while (ok && r->node != count)
        if (!next_node(r, count))
            r->node = count;
    if (ok) {
        root_tree_emit(&roots, r->b);
        struct graph *g = r->b->graph;
        g->own_addresses = trace_nodes_take_addresses(&r->nodes, count, g->node_count);
        g->addresses = g->own_addresses;
    }
    root_set_free(&roots);
    return ok;
}

/* Generations have to be known before objects can be counted, and come after them. */
static bool read_tables(struct reading *r)
{
    if (r->survey.ranges == 0)
        return pass(r, AROUND | NODES);
    if (!pass(r, AROUND))
        return false;
    trace_reading_build_ranges(r);
    return pass(r, NODES);
}

/* --- what is said about it ----------------------------------------------------- */

static void note_incomplete(struct reading *r, const char *detail)
{
    r->b->snap->info.complete = false;
    builder_warn(r->b, WARN_INCOMPLETE, 0);
    warnings_add_detail(&r->b->snap->warnings, WARN_INCOMPLETE, detail);
}

/* The reason that says most. */
static void judge(struct reading *r)
{
    const struct heap_walk *w = r->walk;
    struct arena *a = &r->b->snap->arena;
    int64_t edges = (int64_t)(w->edges.records - w->edges_wanted);
    uint64_t missing =
        w->nodes.missing + w->edges.missing + w->roots.missing + w->pairs.missing;
    uint64_t off = edges < 0 ? (uint64_t)-edges : (uint64_t)edges;
    const char *which = edges < 0 ? "missing" : "left over";
    if (w->events_lost > 0 || missing > 0)
        note_incomplete(
            r, arena_printf(a,
                            "%" PRIu64 " events of the trace were lost, %" PRIu64
                            " references are %s, others may be wrong; take it again with a "
                            "larger buffer",
                            w->events_lost > 0 ? w->events_lost : missing, off, which));
    else if (r->end == TRACE_CUT)
        note_incomplete(r, "the file is truncated");
    else if (w->gc_start == HD_UNKNOWN || w->gc_end == HD_UNKNOWN)
        note_incomplete(r, w->gc_start == HD_UNKNOWN
                               ? "the start of the heap walk is not in the trace"
                               : "the end of the heap walk is not in the trace");
    else if (edges != 0)
        note_incomplete(r, arena_printf(a, "%" PRIu64 " references are %s", off, which));
    else if (r->nodes.repeat_count > 0)
        note_incomplete(r,
                        arena_printf(a, "%zu objects occur twice", r->nodes.repeat_count));
}

static void warn(struct reading *r, uint64_t nameless)
{
    struct warnings *all = &r->b->snap->warnings;
    judge(r);
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
    for (uint64_t i = 0; i < nameless; i++)
        builder_warn(r->b, WARN_UNKNOWN_TYPE, 0);
    if (nameless > 0)
        warnings_add_detail(all, WARN_UNKNOWN_TYPE,
                            r->b->snap->image_base != 0
                                ? AOT_UNNAMED
                                : "types without names in the trace; another tracing "
                                  "client may have been active");
    for (uint64_t i = 0; i < r->dangling; i++)
        builder_warn(r->b, WARN_DANGLING_REFERENCE, 0);
}

static void describe(struct reading *r)
{
    struct hd_snapshot *snap = r->b->snap;
    snap->info.has_graph = true;
    snap->info.pid = r->walk->pid;
    snap->identity.collection = r->walk->gc;
    trace_process_time(snap, &r->header,
                       r->walk->gc_start != HD_UNKNOWN ? r->walk->gc_start
                                                       : r->walk->first_time);
    trace_process_name(snap, &r->command);
    trace_process_program(snap, &r->command);
    trace_reading_told(r);
}

static bool choose(struct reading *r)
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

static bool read(struct input *in, struct builder *b, struct hd_error *err)
{
    struct reading r = {.in = in, .b = b, .err = err};
    struct account *account = builder_account(b);
    trace_types_charge_to(&r.types, account);
    r.outside.arena.account = account;
    bool ok = input_is_growing(in) ? read_along(&r)
                                   : survey(&r) && choose(&r) &&
                                         (b->want_graph ? read_graph(&r) : read_tables(&r));
    if (ok) {
        uint64_t nameless = trace_types_finish(&r.types, b);
        describe(&r);
        warn(&r, nameless);
    }
    trace_survey_free(&r.survey);
    trace_types_free(&r.types);
    trace_nodes_free(&r.nodes);
    trace_root_events_free(&r.outside);
    free(r.ranges);
    free(r.edge_counts);
    text_free(&r.command);
    told_event_free(&r.told, account);
    return ok;
}

const struct reader read_nettrace = {
    .name = "nettrace",
    .summary = "trace with a heap walk, from dotnet-trace or from the process itself",
    .statics = STATICS_BY_TYPE,
    .has_numbers = true,
    .recognises = recognises,
    .read = read,
};

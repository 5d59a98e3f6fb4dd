/* Writes a snapshot in another format and reports losses. Called by
 * compare/comparison.c. */
#include "format/snapshot_writer.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "format/open.h"
#include "heap/snapshot.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* --- the live part ------------------------------------------------------------- */

/* A snapshot without its unreachable objects, for those that hold garbage.
 *
 * Other formats cannot mark an object as unreachable: there it would look alive. */

static void *array_of(size_t count, size_t size)
{
    return alloc_resize(NULL, array_bytes(count + 1, size));
}

static void copy_node(struct graph *to, const struct graph *g, node_id n,
                      const node_id *numbers)
{
    node_id m = numbers[n];
    to->type[m] = g->type[n];
    to->small_size[m] = g->small_size[n];
    to->edge_begin[m] = to->edge_count;
    if (g->source_type != NULL)
        to->source_type[m] = g->source_type[n];
    if (g->addresses != NULL)
        memcpy(to->own_addresses + 8 * (size_t)m, g->addresses + 8 * (size_t)n, 8);
    /* referents of a reachable node are reachable */
    for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++)
        to->edge_to[to->edge_count++] = numbers[g->edge_to[e]];
}

/* numbers: new number of each reachable node, below count; NO_NODE for others. */
static struct graph *live_graph(const struct graph *g, const node_id *numbers,
                                node_id count)
{
    struct graph *to = alloc_zeroed(sizeof(*to));
    uint32_t edges = 0;
    for (node_id n = 0; n < g->node_count; n++)
        if (numbers[n] != NO_NODE)
            edges += g->edge_begin[n + 1] - g->edge_begin[n];
    to->type = array_of(count, sizeof(*to->type));
    to->small_size = array_of(count, sizeof(*to->small_size));
    to->edge_begin = array_of(count, sizeof(*to->edge_begin));
    to->edge_to = array_of(edges, sizeof(*to->edge_to));
    if (g->source_type != NULL)
        to->source_type = array_of(count, sizeof(*to->source_type));
    if (g->addresses != NULL)
        to->addresses = to->own_addresses = array_of(count, 8);
    for (node_id n = 0; n < g->node_count; n++)
        if (numbers[n] != NO_NODE)
            copy_node(to, g, n, numbers);
    to->node_count = count;
    to->edge_begin[count] = to->edge_count;
    to->root = numbers[g->root];
    to->big_cap = g->big_count;
    to->big = array_of(g->big_count, sizeof(*to->big));
    for (size_t i = 0; i < g->big_count; i++)
        if (numbers[g->big[i].node] != NO_NODE)
            to->big[to->big_count++] =
                (struct big_size){numbers[g->big[i].node], g->big[i].bytes};
    graph_mark_reachable(to);
    return to;
}

/* Renumbers the nodes by which the source begins; roots and their referents are
 * reachable. */
static struct source *live_source(const struct source *source, const node_id *numbers,
                                  struct arena *a)
{
    struct source *to = arena_alloc(a, sizeof(*to));
    *to = *source;
    to->described = NULL;
    to->described_count = 0;
    if (source->met != NULL)
        to->met = arena_array(a, node_id, source->met_count);
    for (size_t i = 0; i < source->met_count; i++)
        to->met[i] = numbers[source->met[i]];
    return to;
}

/* Returns a view of snap, which must have its graph and known reachability: nodes are in
 * the same order. The caller frees its graph (graph_free); the rest lives in a or is
 * snap's, and must not outlive it. 4 bytes per node of snap while it works. */
static struct hd_snapshot live_part_of(const struct hd_snapshot *snap, struct arena *a)
{
    struct hd_snapshot part = *snap;
    const struct graph *g = snap->graph;
    node_id count = 0, *numbers = array_of(g->node_count, sizeof(*numbers));
    for (node_id n = 0; n < g->node_count; n++)
        numbers[n] = graph_reachable(g, n) ? count++ : NO_NODE;
    part.graph = live_graph(g, numbers, count);
    part.node_count = count;
    part.edge_count = part.graph->edge_count;
    if (snap->source != NULL)
        part.source = live_source(snap->source, numbers, a);
    part.types = arena_array(a, struct type, snap->type_count);
    for (type_id t = 0; t < snap->type_count; t++) {
        part.types[t] = snap->types[t];
        part.types[t].raw = part.types[t].tally[SELECT_ALL] =
            snap->types[t].tally[SELECT_REACHABLE];
    }
    part.info.objects = snap->info.reachable_objects;
    part.info.bytes = snap->info.reachable_bytes;
    part.info.holds_garbage = false;
    free(numbers);
    return part;
}

/* --- the snapshot -------------------------------------------------------------- */

/* To add a format: write src/core/format/write_<name>.c and list it here. */
extern const struct snapshot_writer write_gcdump, write_heap_text, write_table_csv,
    write_table_json, write_digest;

static const struct snapshot_writer *const writers[] = {
    &write_gcdump,     &write_heap_text, &write_table_csv,
    &write_table_json, &write_digest,    NULL,
};

/* Writers of format/core; in a build without that house this line is left out. */
extern const struct snapshot_writer *const clr_writers[];

static const struct snapshot_writer *const *const lists[] = {writers, clr_writers};

static const struct snapshot_writer *writer_number(size_t i)
{
    for (size_t list = 0; list < sizeof(lists) / sizeof(*lists); list++)
        for (const struct snapshot_writer *const *w = lists[list]; *w != NULL; w++)
            if (i-- == 0)
                return *w;
    return NULL;
}

bool hd_target(size_t i, struct hd_target *target)
{
    const struct snapshot_writer *w = writer_number(i);
    if (w == NULL)
        return false;
    *target = (struct hd_target){.name = w->name,
                                 .summary = w->summary,
                                 .suffix = w->suffix,
                                 .needs_graph = w->holds & FACT_GRAPH,
                                 .takes_graph = w->holds & (FACT_GRAPH | FACT_OWNERS),
                                 .redacts = w->holds & FACT_MEMORY,
                                 .binary = w->binary};
    return true;
}

const struct snapshot_writer *snapshot_writer_named(const char *name)
{
    const struct snapshot_writer *w;
    for (size_t i = 0; (w = writer_number(i)) != NULL; i++)
        if (strcmp(w->name, name) == 0)
            return w;
    return NULL;
}

/* --- losses -------------------------------------------------------------------- */

void losses_add(struct losses *l, const char *what, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int len = c_vsnprintf(NULL, 0, fmt, args);
    char *message = arena_alloc(l->arena, (size_t)len + 1);
    c_vsnprintf(message, (size_t)len + 1, fmt, again);
    va_end(again);
    va_end(args);
    *APPEND(l->all, l->len, l->cap) = (struct hd_loss){what, message};
}

/* True if a snapshot has the fact; owners with or without a graph. */
static bool fact_is_known(const struct hd_snapshot *snap, enum snapshot_fact fact)
{
    const struct hd_info *info = &snap->info;
    const struct hd_table_origin *o = &snap->origin;
    switch (fact) {
    case FACT_OWNERS:
        return info->has_graph || info->has_owners;
    case FACT_GENERATIONS:
        return info->has_generations;
    case FACT_ADDRESSES:
        return snap->graph != NULL && snap->graph->addresses != NULL;
    case FACT_FIELDS:
        return info->has_fields;
    case FACT_MODULES:
    case FACT_RAW_NAMES:
        for (type_id t = 0; t < snap->type_count; t++)
            if (fact == FACT_MODULES ? snap->types[t].module != NULL
                                     : utf8_is_damaged(snap->types[t].name))
                return true;
        return false;
    case FACT_TIME:
        return info->time != NULL;
    case FACT_PROCESS:
        return info->process != NULL;
    case FACT_PID:
        return info->pid != HD_UNKNOWN;
    case FACT_HOST:
        return info->host != NULL || info->container != NULL || info->started != NULL;
    case FACT_SAMPLING:
        return info->sampled;
    case FACT_INCOMPLETE:
        return !info->complete;
    case FACT_ORIGIN:
        return o->command != NULL || o->generation != NULL || o->liveness != NULL ||
               o->filters != NULL;
    default:
        return false;
    }
}

static const struct {
    enum snapshot_fact fact;
    const char *what, *message; /* follows "the format": the missing feature */
} facts[] = {
    {FACT_OWNERS, "references",
     "objects, references and roots; only totals per type are written"},
    {FACT_GENERATIONS, "generations", "generations; --gen2 will not work on the result"},
    {FACT_ADDRESSES, "addresses", "addresses of objects"},
    {FACT_FIELDS, "fields", "field names"},
    {FACT_MODULES, "modules", "modules of types"},
    {FACT_TIME, "time", "time of the snapshot"},
    {FACT_PROCESS, "process", "process name"},
    {FACT_PID, "pid", "process id"},
    {FACT_HOST, "host", "where and when the process was started"},
    {FACT_SAMPLING, "sampling",
     "that the snapshot is a sample; its objects are written as if they were all"},
    {FACT_INCOMPLETE, "incomplete",
     "that objects may be missing; the result will look complete"},
    {FACT_ORIGIN, "origin", "generation and filters of the table"},
    {FACT_RAW_NAMES, "names",
     "names that are not valid UTF-8; invalid bytes become U+FFFD"},
};

bool table_fits(const struct hd_snapshot *snap, uint64_t most, struct hd_error *err)
{
    struct hd_tally sum = {0};
    for (type_id t = 0; t < snap->type_count; t++) {
        const struct hd_tally *row = &snap->types[t].tally[SELECT_ALL];
        uint64_t bytes = row->bytes != HD_UNKNOWN ? row->bytes : 0;
        if (!type_is_written(&snap->types[t]))
            continue;
        if (row->count > most || bytes > most || row->count > HD_UNKNOWN - 1 - sum.count ||
            bytes > HD_UNKNOWN - 1 - sum.bytes)
            return fail(err, HD_TOO_BIG, "counts or bytes too large for the table");
        sum.count += row->count;
        sum.bytes += bytes;
    }
    return true;
}

/* --- writing ------------------------------------------------------------------- */

/* Unreachable objects are left out if they are known and the target cannot mark them. */
static bool write_with(const struct snapshot_writer *w, struct hd_snapshot *snap,
                       struct out *o, struct losses *l, struct hd_error *err)
{
    if (w->holds & (FACT_OWNERS | FACT_MEMORY))
        return w->write(snap, o, l, err);
    if (snap->info.holds_garbage && snap->graph == NULL)
        losses_add(l, "garbage", "unreachable objects are counted like others");
    if (!snap->info.holds_garbage || snap->graph == NULL)
        return w->write(snap, o, l, err);
    if (!snapshot_need_reach(snap, err))
        return false;
    struct arena scratch = {0};
    struct hd_snapshot part = live_part_of(snap, &scratch);
    uint64_t garbage = snap->info.objects - part.info.objects;
    if (garbage > 0)
        losses_add(l, "garbage", "unreachable objects omitted: %llu",
                   (unsigned long long)garbage);
    bool ok = w->write(&part, o, l, err);
    graph_free(part.graph);
    arena_free(&scratch);
    return ok;
}

static void add_general_losses(struct losses *l, const struct hd_snapshot *snap,
                               const struct snapshot_writer *w)
{
    unsigned holds = w->holds & FACT_GRAPH ? w->holds | FACT_OWNERS : w->holds;
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
        if (!(holds & facts[i].fact) && fact_is_known(snap, facts[i].fact))
            losses_add(l, facts[i].what, "%s cannot hold %s", w->name, facts[i].message);
    if (snap->weak_roots != HD_UNKNOWN && snap->weak_roots > 0 && !(w->holds & FACT_MEMORY))
        losses_add(l, "weak-roots", "weak handles omitted: %llu",
                   (unsigned long long)snap->weak_roots);
}

bool snapshot_write(struct hd_snapshot *snap, const struct snapshot_writer *w,
                    struct hd_sink to, struct hd_losses *lost, struct hd_error *err)
{
    if (snap->source == NULL && !(w->holds & FACT_OWNERS))
        return fail(err, HD_USAGE, "was not read for writing");
    if ((w->holds & FACT_GRAPH) && (!snap->info.has_graph || snap->read.tables_only))
        return fail(err, HD_USAGE,
                    "a type table cannot be converted to %s, which needs objects and "
                    "references; use table-csv or table-json",
                    w->name);
    if (w->holds & FACT_GRAPH) {
        if (!snapshot_need_graph(snap, err))
            return false;
        if (snap->graph == NULL)
            return fail(err, HD_USAGE, "has no objects");
    }
    struct losses l = {.arena = &snap->arena};
    struct out o = {.to = to};
    add_general_losses(&l, snap, w);
    bool ok = write_with(w, snap, &o, &l, err);
    ok = ok && out_finish(&o, err);
    out_abandon(&o);
    if (ok && lost != NULL && l.len > 0) {
        struct hd_loss *kept = arena_array(&snap->arena, struct hd_loss, l.len);
        memcpy(kept, l.all, l.len * sizeof(*kept));
        *lost = (struct hd_losses){kept, l.len};
    } else if (lost != NULL) {
        *lost = (struct hd_losses){0};
    }
    free(l.all);
    return ok;
}

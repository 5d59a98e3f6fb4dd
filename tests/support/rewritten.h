/* rewritten.h - a snapshot written in another format and read again.
 *
 *     char *data;
 *     size_t size;
 *     struct hd_snapshot *again = rewritten(snap, "gcdump", &data, &size);
 *     const char *what = rewritten_differs(snap, again, "gcdump");
 *     if (what != NULL) ...
 *     hd_snapshot_close(again), free(data);
 *
 * A header, for programs that link only the library. */
#ifndef REWRITTEN_H
#define REWRITTEN_H

#include "heap/snapshot.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* NULL if writing or reading failed; see err. */
static inline struct hd_snapshot *rewritten(struct hd_snapshot *snap, const char *target,
                                            char **data, size_t *size, struct hd_error *err)
{
    static const struct hd_read_options how = {.to_write = true};
    *data = NULL;
    FILE *to = open_memstream(data, size);
    if (to == NULL)
        abort();
    bool ok = hd_snapshot_write(snap, target, hd_sink_file(to), NULL, err);
    fclose(to);
    return ok ? hd_snapshot_from_memory(*data, *size, &how, err) : NULL;
}

static inline const struct type *rewritten_row(const struct hd_snapshot *snap,
                                               const char *name)
{
    for (type_id t = 0; t < snap->type_count; t++)
        if (snap->types[t].kind == TYPE_OBJECT && snap->types[t].raw.count > 0 &&
            strcmp(snap->types[t].name, name) == 0)
            return &snap->types[t];
    return NULL;
}

/* Rows by name; modules too, if the format holds them. Quadratic in types. */
static inline const char *rewritten_rows_differ(const struct hd_snapshot *a,
                                                const struct hd_snapshot *b, bool scaled,
                                                bool modules)
{
    for (type_id t = 0; t < a->type_count; t++) {
        const struct type *x = &a->types[t];
        if (x->kind != TYPE_OBJECT || x->raw.count == 0)
            continue;
        const struct type *y = rewritten_row(b, x->name);
        const struct hd_tally want = scaled ? x->tally[SELECT_ALL] : x->raw;
        if (scaled && want.count == 0)
            continue;
        if (y == NULL)
            return "a row is missing";
        if (want.count != y->raw.count || want.bytes != y->raw.bytes)
            return "counts or bytes of a row";
        if (modules && (x->module == NULL) != (y->module == NULL))
            return "the module of a row";
        if (modules && x->module != NULL && strcmp(x->module, y->module) != 0)
            return "the module of a row";
    }
    return NULL;
}

/* The number of 8 bytes for which Microsoft's readers reject a gcdump, because their cast
 * overflows. NULL if there is none. */
static inline const char *rewritten_gcdump_overflows(const struct hd_snapshot *gcdump)
{
    const struct source *s = gcdump->source;
    const uint64_t most = INT64_MAX;
    if (s == NULL || !s->is_gcdump)
        return NULL;
    for (uint32_t i = 0; i < s->segment_count; i++) {
        const struct source_segment *segment = &s->segments[i];
        if (segment->start > most || segment->end > most)
            return "a segment";
        for (int g = 0; g <= 4; g++)
            if (segment->gen_end[g] > most)
                return "the end of a generation";
    }
    for (uint32_t i = 0; i < s->module_count; i++)
        if (s->modules[i].base > most || s->modules[i].build_time > most)
            return "a module";
    for (node_id n = 0; gcdump->graph != NULL && n < gcdump->graph->node_count; n++)
        if (graph_address(gcdump->graph, n) > most)
            return "an address";
    return s->segment_bytes > most || s->ticks < 0 ? "the bytes of segments, or the time"
                                                   : NULL;
}

/* Addresses that would overflow there are written as 0. */
static inline uint64_t rewritten_address(uint64_t address)
{
    return address <= INT64_MAX ? address : 0;
}

/* Node for node: types by name, sizes, references, addresses. */
static inline const char *rewritten_graph_differs(const struct hd_snapshot *a,
                                                  const struct hd_snapshot *b)
{
    const struct graph *g = a->graph, *h = b->graph;
    if ((g == NULL) != (h == NULL))
        return "the graph";
    if (g == NULL)
        return NULL;
    if (g->node_count != h->node_count || g->edge_count != h->edge_count)
        return "number of nodes or references";
    if (g->root != h->root)
        return "the root";
    for (node_id n = 0; n < g->node_count; n++) {
        const struct type *x = &a->types[g->type[n]], *y = &b->types[h->type[n]];
        if (x->kind != y->kind || strcmp(x->name, y->name) != 0)
            return "the type of a node";
        if (graph_size(g, n) != graph_size(h, n))
            return "the size of a node";
        if (rewritten_address(graph_address(g, n)) !=
            rewritten_address(graph_address(h, n)))
            return "the address of a node";
        if (g->edge_begin[n] != h->edge_begin[n])
            return "the number of references of a node";
    }
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (g->edge_to[e] != h->edge_to[e])
            return "a reference";
    return NULL;
}

static inline bool rewritten_same_string(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* The first difference in the numbers that every graph has. */
static inline const char *rewritten_totals_differ(const struct hd_snapshot *a,
                                                  const struct hd_snapshot *b)
{
    const struct hd_info *x = &a->info, *y = &b->info;
    if (x->objects != y->objects || x->bytes != y->bytes || x->types != y->types)
        return "objects, bytes or types";
    if (x->references != y->references)
        return "references";
    if (x->reachable_objects != y->reachable_objects ||
        x->reachable_bytes != y->reachable_bytes)
        return "what is reachable";
    return NULL;
}

/* From gcdump to gcdump everything must be equal. */
static inline const char *rewritten_gcdump_differs(const struct hd_snapshot *a,
                                                   const struct hd_snapshot *b)
{
    const struct hd_info *x = &a->info, *y = &b->info;
    const char *what = rewritten_gcdump_overflows(b);
    bool addressed = rewritten_gcdump_overflows(a) == NULL;
    what = what != NULL ? what : rewritten_totals_differ(a, b);
    what = what != NULL ? what : rewritten_graph_differs(a, b);
    what = what != NULL ? what : rewritten_rows_differ(a, b, false, true);
    if (what != NULL)
        return what;
    if (memcmp(a->roots_by_kind, b->roots_by_kind, sizeof(a->roots_by_kind)) != 0)
        return "roots by kind";
    if (addressed &&
        memcmp(a->by_generation, b->by_generation, sizeof(a->by_generation)) != 0)
        return "generations";
    if (!rewritten_same_string(x->time, y->time) || x->pid != y->pid ||
        !rewritten_same_string(x->process, y->process) ||
        !rewritten_same_string(x->producer, y->producer))
        return "time, process or producer";
    if (x->sampled != y->sampled || x->complete != y->complete)
        return "sampled or complete";
    return NULL;
}

#endif

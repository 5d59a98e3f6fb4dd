/* builder.h - how a reader turns bytes into a snapshot.
 *
 * A reader calls, in this order of nesting:
 *   builder_type()    once per type of the file, at any time before it is used
 *   builder_object()  once per object, to count it; or builder_row() once
 *                     per row, in files that are tables
 *   builder_node()    once per node, in node order, if a graph is requested;
 *   builder_edge()    then once per reference from the node
 * and returns. builder_finish() merges types into rows by canonical name, computes sums and
 * marks reachable nodes. Readers must not depend on the use of the graph. A graph has one
 * node for each counted object, with the same type and size.
 *
 * Types are identified by small numbers in order of builder_type(); several may share a
 * row. Node ids are counted from 0 in order of builder_node(). */
#ifndef BUILDER_H
#define BUILDER_H

#include "base/text.h"
#include "heap/snapshot.h"

struct raw_type {
    const char *name;      /* canonical; NULL until known */
    const char *full_name; /* with its outer class; NULL if unknown */
    const char *module;
    double multiplier; /* of a sampled file; 1 otherwise */
    enum type_kind kind;
    struct hd_tally all, old;       /* old: gen2, LOH, POH, frozen */
    struct hd_tally *by_generation; /* NULL until an object has a known generation */
    bool bytes_unknown;
    struct source_type source; /* if the builder stores sources */
};

/* Items dropped for lack of memory: their number, and the array capacity that would
 * suffice. */
struct dropped {
    uint64_t count, wanted;
};

struct builder {
    struct hd_snapshot *snap;
    bool want_graph;       /* or only the type table */
    struct source *source; /* destination of the source; NULL: not stored */
    bool graph_only;       /* only the graph: the numbers are known from before */
    unsigned size_base;    /* of sizes in heap text: 16 or 10 */
    bool reach_later;      /* leave reachability to the caller (reach_find()) */
    bool plain_names;      /* hd_read_options.plain_names */
    bool redact;           /* hd_read_options.redact */
    bool across_builds;    /* fold numbers in compiler-made names */
    uint64_t max_memory;   /* bytes, in total; 0: no limit */
    unsigned threads;      /* limit for a reader; 0 is 1 */
    unsigned number; /* index among the snapshots of the input, from 1; 0: not given */

    struct account account; /* all memory of the snapshot; builder_account() */
    struct raw_type *types;
    size_t type_count, type_cap;
    struct text scratch;

    struct digest *digest; /* instead of a graph; may be NULL */
    struct graph *graph;   /* NULL until the first node */
    size_t node_cap, edge_cap;
    uint64_t graph_charged; /* part of the account used by the graph's arrays */
    uint64_t handle_edges;  /* added by builder_handle_edge() */
    bool too_big;           /* a count exceeded 2^32 - 2 */
    bool over_memory;       /* the graph does not fit max_memory */
    bool has_dropped;       /* types or names were dropped: the account was exhausted */
    struct dropped nodes_dropped, edges_dropped; /* dropped after that */
    uint64_t most_outside; /* peak of other charges since it did not fit */

    node_id *lacking; /* nodes passed to builder_lacks() */
    size_t lacking_count, lacking_cap;
};

/* The account that readers charge for their own allocations, and check. The fixed cost of
 * any file, 4 MiB, is always allowed. Over the limit, types and names are dropped too, and
 * builder_finish() fails. */
struct account *builder_account(struct builder *b);

/* Adds a type of the file. name NULL: not known yet (builder_name_type), and "<unknown
 * type>" if it is never given. The name is made canonical; pseudo-nodes and the undefined
 * node have types of their own, by kind. */
uint32_t builder_type(struct builder *b, enum type_kind kind, const char *name, size_t len);
void builder_name_type(struct builder *b, uint32_t type, const char *name, size_t len);

/* Returns the canonical form of a name, as for types; lives as long as the snapshot. */
const char *builder_name(struct builder *b, const char *name, size_t len);

/* Sets the name for display: with its outer class, canonical (builder_name). Rows are still
 * merged by the plain name. */
void builder_full_name(struct builder *b, uint32_t type, const char *full_name);
void builder_module(struct builder *b, uint32_t type, const char *module, size_t len);

/* Sets the image of a type of a native AOT program: see struct source. */
void builder_image(struct builder *b, uint32_t type, uint64_t base, uint32_t rva);

/* Counts one object. gen is HD_GEN_UNKNOWN unless info.has_generations. False if the sum of
 * all bytes no longer fits 64 bits. */
bool builder_object(struct builder *b, uint32_t type, uint64_t size,
                    enum hd_generation gen);

/* Counts many objects of a generation. The sum of their bytes must fit. */
void builder_objects(struct builder *b, uint32_t type, const struct hd_tally *more,
                     enum hd_generation gen);

/* Counts a row of a table; bytes may be HD_UNKNOWN. False on overflow. */
bool builder_row(struct builder *b, uint32_t type, uint64_t count, uint64_t bytes);

/* Reserves space for these numbers of nodes and edges; only for numbers that the input has
 * proved to contain. */
void builder_reserve(struct builder *b, size_t nodes, size_t edges);

/* Slow paths of the functions below, for full arrays. False if the limit is reached. */
bool builder_reserve_node(struct builder *b);
bool builder_reserve_edges(struct builder *b, uint32_t count);
void builder_big_size(struct builder *b, node_id n, uint64_t size);

/* Appends a node to the graph; type from builder_type(). Pseudo-nodes have size 0. Beyond
 * 2^32 - 2 nodes or edges, or max_memory, nodes are dropped and builder_finish() fails. */
static inline void builder_node(struct builder *b, uint32_t type, uint64_t size)
{
    if ((b->graph == NULL || b->graph->node_count == b->node_cap) &&
        !builder_reserve_node(b))
        return;
    struct graph *g = b->graph;
    node_id n = g->node_count++;
    g->type[n] = type;
    g->edge_begin[n] = g->edge_count;
    g->small_size[n] = size < BIG_SIZE ? (uint32_t)size : BIG_SIZE;
    if (size >= BIG_SIZE)
        builder_big_size(b, n, size);
}

/* Records that node n refers to an object missing from the input. If n is reachable,
 * builder_finish() marks the snapshot as incomplete; references of garbage may dangle. */
void builder_lacks(struct builder *b, node_id n);

/* Appends a reference of the last node. `to` may be a node that the reader adds later; it
 * must add it. */
static inline void builder_edge(struct builder *b, node_id to)
{
    struct graph *g = b->graph;
    if (g->edge_count < b->edge_cap || builder_reserve_edges(b, 1))
        g->edge_to[g->edge_count++] = to;
}

/* Reserves space for the next count references, for the caller to fill in; NULL if the
 * limit is reached. The input must have proved to contain count references. */
static inline node_id *builder_edges(struct builder *b, uint32_t count)
{
    struct graph *g = b->graph;
    if (b->edge_cap - g->edge_count < count && !builder_reserve_edges(b, count))
        return NULL;
    node_id *to = &g->edge_to[g->edge_count];
    g->edge_count += count;
    return to;
}

/* Appends an object that a handle keeps alive as long as the node lives: an edge for walks
 * but not a reference of the object, so not part of info.references. */
static inline void builder_handle_edge(struct builder *b, node_id to)
{
    builder_edge(b, to);
    b->handle_edges++;
}

/* Returns how many references may be added, 2^32 - 2 or the limit of memory. For readers
 * that build the graph with several threads: after builder_reserve(), in an empty graph. */
uint64_t builder_most_edges(struct builder *b);

/* Adopts a graph of this number of nodes, already written to the reserved arrays of
 * b->graph, and edge_to, which b owns from now on; references that do not fit are
 * dropped. */
void builder_whole_graph(struct builder *b, uint32_t nodes, node_id *edge_to,
                         uint32_t edges);

/* For formats with separate lists of objects and references: after builder_node() for all
 * objects, call this for each object in the same order, also for those without references,
 * followed by builder_edge() for its references. */
static inline void builder_references_of(struct builder *b, node_id n)
{
    b->graph->edge_begin[n] = b->graph->edge_count;
}

void builder_root(struct builder *b, node_id root); /* the root of all roots */

void builder_warn(struct builder *b, enum warning_code code, uint64_t line);

/* Stores names as spelled and the rest of struct source from now on, in b->source, which
 * readers may fill. Must be called before the first type. */
void builder_keep_source(struct builder *b);

/* Copies a string; it lives as long as the snapshot. NULL for NULL. */
const char *builder_string(struct builder *b, const char *s, size_t len);

/* --- around a reader ----------------------------------------------------- */

/* Begins a snapshot without objects, every number of info unknown; owns in. */
struct builder builder_begin(struct input *in, const char *path);

/* Returns the snapshot, or NULL and err; the builder is used up either way. */
struct hd_snapshot *builder_finish(struct builder *b, struct hd_error *err);

/* Frees everything, after a reader failed. */
void builder_abandon(struct builder *b);

void snapshot_free(struct hd_snapshot *snap);

#endif

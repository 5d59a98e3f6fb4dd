/* builder.h - how a reader turns bytes into a snapshot.
 *
 * A reader calls, in this order of nesting:
 *   builder_type()    once per type of the file, at any time before it is used
 *   builder_object()  once per object, which counts it; or builder_row() once
 *                     per row, in files that are tables
 *   builder_node()    once per node, in node order, when a graph is wanted;
 *   builder_edge()    then once per reference of that node
 * and returns. builder_finish() merges types into rows by canonical name, adds
 * up and marks what is reachable. Readers do not know what the graph is for. A graph has
 * one node for each object that was counted, of the same type and size.
 *
 * Types are named by small numbers in order of builder_type(); several may end
 * up in one row. Node ids are counted from 0 in order of builder_node(). */
#ifndef BUILDER_H
#define BUILDER_H

#include "base/text.h"
#include "heap/snapshot.h"

struct raw_type {
    const char *name;      /* canonical; NULL until it is named */
    const char *full_name; /* the same with its outer class; NULL: not known */
    const char *module;
    double multiplier; /* of a sampled file; 1 otherwise */
    enum type_kind kind;
    struct hd_tally all, old;       /* old: gen2, LOH, POH, frozen */
    struct hd_tally *by_generation; /* NULL until there is an object of a known one */
    bool bytes_unknown;
    struct source_type source; /* if the builder keeps them */
};

/* What came when there was no room: how many, and for how many arrays would have to be
 * made, to say what suffices. */
struct dropped {
    uint64_t count, wanted;
};

struct builder {
    struct hd_snapshot *snap;
    bool want_graph;       /* or only the type table */
    struct source *source; /* what it is kept in; NULL: it is not */
    bool graph_only;       /* nothing about it is measured: it was before */
    unsigned size_base;    /* 16, or 10: sizes in heap text */
    bool reach_later;      /* what is reachable is found by who asks (reach_find()) */
    bool plain_names;      /* hd_read_options.plain_names */
    bool redact;           /* hd_read_options.redact */
    bool across_builds;    /* fold numbers in compiler-made names */
    uint64_t max_memory;   /* bytes that all of this may take; 0: no limit */
    unsigned threads;      /* that a reader may use; 0 is 1 */
    unsigned number; /* which of several snapshots in the input, from 1; 0: not said */

    struct account account; /* of all that is built; builder_account() */
    struct raw_type *types;
    size_t type_count, type_cap;
    struct text scratch;

    struct digest *digest; /* in the place of a graph; NULL: the file has none */
    struct graph *graph;   /* NULL until the first node */
    size_t node_cap, edge_cap;
    uint64_t graph_charged; /* of the account's: the graph's arrays */
    uint64_t handle_edges;  /* of builder_handle_edge() */
    bool too_big;           /* a count went past 2^32 - 2 */
    bool over_memory;       /* the graph does not fit max_memory */
    bool has_dropped;       /* types or names, for which the account had no room */
    struct dropped nodes_dropped, edges_dropped; /* what came then */
    uint64_t most_beside; /* that others had charged while it did not fit */

    node_id *lacking; /* of builder_lacks() */
    size_t lacking_count, lacking_cap;
};

/* What readers charge for what they keep beside the builder, and look at. What the program
 * takes for any file, 4 MiB, is always allowed. Once it is over, types and their names are
 * dropped too, and builder_finish() fails. */
struct account *builder_account(struct builder *b);

/* A type of the file; name NULL: not known yet (builder_name_type), and
 * "<unknown type>" if that never comes. The name is made canonical; pseudo-nodes
 * and the undefined node have types of their own, by kind. */
uint32_t builder_type(struct builder *b, enum type_kind kind, const char *name, size_t len);
void builder_name_type(struct builder *b, uint32_t type, const char *name, size_t len);

/* The canonical form of a name, as types get it; lives as long as the snapshot. */
const char *builder_name(struct builder *b, const char *name, size_t len);

/* What people should read instead of the name: the same with its outer class, canonical
 * (builder_name). Rows are made by the name all the same. */
void builder_full_name(struct builder *b, uint32_t type, const char *full_name);
void builder_module(struct builder *b, uint32_t type, const char *module, size_t len);

/* A type of a native AOT program: see struct source. */
void builder_image(struct builder *b, uint32_t type, uint64_t base, uint32_t rva);

/* Count one object. gen is HD_GEN_UNKNOWN unless info.has_generations. False when the
 * sum of all bytes no longer fits 64 bits. */
bool builder_object(struct builder *b, uint32_t type, uint64_t size,
                    enum hd_generation gen);

/* Count many objects of one generation, as above, whose bytes are known to fit. */
void builder_objects(struct builder *b, uint32_t type, const struct hd_tally *more,
                     enum hd_generation gen);

/* Count a row of a table; bytes may be HD_UNKNOWN. False on overflow. */
bool builder_row(struct builder *b, uint32_t type, uint64_t count, uint64_t bytes);

/* Room for that many nodes and edges at once; only for numbers that the input
 * has already proved to hold. */
void builder_reserve(struct builder *b, size_t nodes, size_t edges);

/* What the functions below need when arrays are full; false: no more can be taken. */
bool builder_room_for_node(struct builder *b);
bool builder_room_for_edges(struct builder *b, uint32_t count);
void builder_big_size(struct builder *b, node_id n, uint64_t size);

/* The next node of the graph; type from builder_type(). Pseudo-nodes have size
 * 0. Past 2^32 - 2 nodes or edges, or max_memory, builder_finish() fails; until then
 * what comes is dropped. */
static inline void builder_node(struct builder *b, uint32_t type, uint64_t size)
{
    if ((b->graph == NULL || b->graph->node_count == b->node_cap) &&
        !builder_room_for_node(b))
        return;
    struct graph *g = b->graph;
    node_id n = g->node_count++;
    g->type[n] = type;
    g->edge_begin[n] = g->edge_count;
    g->small_size[n] = size < BIG_SIZE ? (uint32_t)size : BIG_SIZE;
    if (size >= BIG_SIZE)
        builder_big_size(b, n, size);
}

/* Node n refers to an object that should be there and was not found: if something holds n,
 * the snapshot is incomplete, which builder_finish() says. What garbage refers to may be
 * gone. */
void builder_lacks(struct builder *b, node_id n);

/* A reference of the node made last. to may be a node that is still to come;
 * the reader sees to it that it comes. */
static inline void builder_edge(struct builder *b, node_id to)
{
    struct graph *g = b->graph;
    if (g->edge_count < b->edge_cap || builder_room_for_edges(b, 1))
        g->edge_to[g->edge_count++] = to;
}

/* Room for the next count of them, which the caller fills in; NULL: no more can be taken.
 * count is one that the input has proved to hold. */
static inline node_id *builder_edges(struct builder *b, uint32_t count)
{
    struct graph *g = b->graph;
    if (b->edge_cap - g->edge_count < count && !builder_room_for_edges(b, count))
        return NULL;
    node_id *to = &g->edge_to[g->edge_count];
    g->edge_count += count;
    return to;
}

/* The same for what a handle holds as long as the node is there: an edge to walk along,
 * but no reference of the object, so info.references leaves it out. */
static inline void builder_handle_edge(struct builder *b, node_id to)
{
    builder_edge(b, to);
    b->handle_edges++;
}

/* For readers that make a graph at once, by several threads: after builder_reserve(), in
 * an empty one. As many references there may be; 2^32 - 2 or what memory allows. */
uint64_t builder_most_edges(struct builder *b);

/* That many nodes stand in the arrays of b->graph, which had room for them, but for
 * edge_to: that is given to the builder, with as many references as fit. */
void builder_whole_graph(struct builder *b, uint32_t nodes, node_id *edge_to,
                         uint32_t edges);

/* For formats that tell references apart from objects: after builder_node() for all
 * objects, this for each of them in the same order, and its references with
 * builder_edge(). Nodes that have none must be begun as well. */
static inline void builder_references_of(struct builder *b, node_id n)
{
    b->graph->edge_begin[n] = b->graph->edge_count;
}

void builder_root(struct builder *b,
                  node_id root); /* which node is the root of all roots */

void builder_warn(struct builder *b, enum warning_code code, uint64_t line);

/* From here on, names as spelled and whatever else struct source has are kept: in
 * b->source, which readers may fill. Before the first type. */
void builder_keep_source(struct builder *b);

/* A string that lives as long as the snapshot; NULL for NULL. */
const char *builder_string(struct builder *b, const char *s, size_t len);

/* --- around a reader ----------------------------------------------------- */

/* A snapshot without objects, every number of info unknown; owns in. */
struct builder builder_begin(struct input *in, const char *path);

/* Give the snapshot, or NULL and err; the builder is used up either way. */
struct hd_snapshot *builder_finish(struct builder *b, struct hd_error *err);

/* Throw everything away, after a reader failed. */
void builder_abandon(struct builder *b);

void snapshot_free(struct hd_snapshot *snap);

#endif

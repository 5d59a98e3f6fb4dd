/* graph.h - objects and references, as flat arrays; by which field an object refers to
 * another, and in which generation an address lies.
 *
 * Nodes are numbered from 0. One of them, root, is the root of all roots; below
 * it hang the pseudo-nodes that group the GC roots ("[static vars]"), then the
 * objects. The references out of node n are
 *     edge_to[edge_begin[n]] ... edge_to[edge_begin[n + 1] - 1]
 * in the order of the file, duplicates and self references included. A graph
 * never changes once built, so an analysis keeps its own arrays, indexed by
 * node_id, instead of adding fields here.
 *
 * Memory: 12 bytes per node, 4 per reference, 1 bit for reachability. */
#ifndef GRAPH_H
#define GRAPH_H

#include "base/arena.h"
#include "base/arrays.h"
#include "base/little_endian.h"
#include "heapdrift.h"

#include <stdbool.h>
#include <stdint.h>

typedef uint32_t node_id;
typedef uint32_t type_id;
#define NO_NODE UINT32_MAX
#define NO_TYPE UINT32_MAX

/* Sizes that do not fit 32 bits stand in a list of their own. */
#define BIG_SIZE UINT32_MAX

struct big_size {
    node_id node;
    uint64_t bytes;
};

struct fields;

struct graph {
    uint32_t node_count, edge_count;
    node_id root;
    type_id *type;        /* indexes the snapshot's types */
    uint32_t *small_size; /* shallow bytes, or BIG_SIZE; see graph_size() */
    struct big_size *big; /* ascending by node */
    size_t big_count, big_cap;
    uint32_t *edge_begin; /* node_count + 1 offsets into edge_to */
    node_id *edge_to;
    uint64_t *reachable; /* a bit per node: on a chain from root; NULL: not known yet */

    /* node_count unaligned little-endian 64-bit addresses, as a rule inside the input,
     * or NULL. Touching them costs page faults: only when one is printed. */
    const unsigned char *addresses;

    /* Which struct source_type each node has; NULL unless hd_read_options.to_write. */
    uint32_t *source_type;
    unsigned char *own_addresses; /* the same, malloc'd, if no input holds them */
    struct fields *fields;        /* of references (fields.h); owned; NULL: not known */
};

/* What the arrays of g take, in bytes. */
uint64_t graph_bytes(const struct graph *g);

uint64_t graph_big_size(const struct graph *g, node_id n);

/* Shallow size in bytes. */
static inline uint64_t graph_size(const struct graph *g, node_id n)
{
    return g->small_size[n] != BIG_SIZE ? g->small_size[n] : graph_big_size(g, n);
}

static inline bool graph_reachable(const struct graph *g, node_id n)
{
    return bits_have(g->reachable, n);
}

/* For walks through a queue: fetch what the nodes behind head will need, in two steps, as
 * their references are found through edge_begin. Halves the time of a walk. */
static inline void graph_prefetch(const struct graph *g, const node_id *queue,
                                  uint32_t head, uint32_t tail)
{
    enum { FAR = 64, NEAR = 32 };
    if (tail - head > FAR)
        __builtin_prefetch(&g->edge_begin[queue[head + FAR]]);
    if (tail - head > NEAR)
        __builtin_prefetch(&g->edge_to[g->edge_begin[queue[head + NEAR]]]);
}

/* 0 when unknown or a pseudo-node. */
static inline uint64_t graph_address(const struct graph *g, node_id n)
{
    return g->addresses != NULL ? le_u64(g->addresses + 8 * (size_t)n) : 0;
}

/* Fill in g->reachable by a breadth-first walk from g->root. O(nodes + edges),
 * 4 bytes per node while it runs. */
void graph_mark_reachable(struct graph *g);

/* The same for somebody who walked already: nodes are all that the root reaches. */
void graph_set_reachable(struct graph *g, const node_id *nodes, uint32_t count);

void graph_free(struct graph *g); /* NULL is fine */

/* --- fields ----------------------------------------------------------------- */

/* By which field an object refers to another, for inputs that tell.
 *
 * A heap in memory (a core dump) says at which offset a reference stands, and its metadata
 * which field that is. Names belong to pairs of type and offset, some hundreds in all, so
 * nothing is kept per reference: the object's memory is looked at again. A graph has them
 * or not (graph.fields); they live as long as the graph. Several threads may ask at once.
 */

/* What stands in an object that refers to none: whether it can change as long as the object
 * lives. */
enum contents { CONTENTS_UNKNOWN, CONTENTS_FIXED, CONTENTS_MUTABLE };

typedef uint32_t field_id; /* of a name; the same name has one id in a graph */
#define NO_FIELD UINT32_MAX

struct fields {
    const char *const *names; /* by field_id: "_items", "Extra.Item3", "[]", "[].value" */
    uint32_t name_count;

    /* Of node n's references, in the order of its edges: ids[i] is that of edge
     * edge_begin[n] + i. NO_FIELD for what is no field: handles, roots. */
    void (*of_node)(const void *context, node_id n, field_id *ids);

    /* The values of node n's fields or elements, by offset: at most `most` from number
     * `first` on, in a; *count gets how many there are in all. with_text: the contents of
     * strings too, of most_text characters at most. NULL and 0 where nothing is known. */
    const struct hd_field *(*values)(const void *context, node_id n, uint64_t first,
                                     size_t most, bool with_text, size_t most_text,
                                     struct arena *a, size_t *len, uint64_t *count);

    /* What node n says besides its fields, and references to it as well: what is in a box,
     * a Version (hd_field.boxed); of a Uri a REFERENCE with its text, where asked for. NULL
     * of others. */
    const struct hd_field *(*self)(const void *context, node_id n, size_t most_text,
                                   struct arena *a);

    /* All static variables, in an order that stays, with text as values has it; in a.
     * bytes and retained of each are left to who asks. NULL: they are not told. */
    const struct hd_static *(*statics)(const void *context, size_t most_text,
                                       struct arena *a, size_t *len);

    /* A hash of what stands in node n, of its first 256 bytes: FIXED of strings, MUTABLE of
     * arrays and structs without references. UNKNOWN of all that has references, which the
     * collector changes, and of what is not there. It is secret as values are: for
     * comparing, never to be shown or written. NULL: nothing is known of any. */
    enum contents (*contents)(const void *context, node_id n, uint64_t *hash);

    void (*free)(void *context);
    void *context;
};

/* The name of the field by which node from refers to node to, the first of several; NULL if
 * unknown. Takes as long as from has references. */
const char *field_between(const struct graph *g, node_id from, node_id to);

void fields_free(struct fields *f); /* NULL is fine; f is malloc'd */

/* --- ranges ----------------------------------------------------------------------- */

/* In which generation an address lies.
 *
 * Segments of a file may overlap and number tens of thousands; they are turned
 * into disjoint ranges once, O(n log n), and looked up by binary search. Where
 * segments overlap the first one given wins. */

/* "gen0", "gen1", "gen2", "loh", "poh", "frozen", "unknown". */
extern const char *const generation_names[HD_GENERATION_COUNT];

/* gen2 and what is collected with it, or never: the objects of --gen2. */
static inline bool generation_is_old(enum hd_generation g)
{
    return g >= HD_GEN2 && g <= HD_GEN_FROZEN;
}

/* The part [start, end) of a segment, of one generation. */
struct range {
    uint64_t start, end;
    enum hd_generation generation;
};

struct ranges {
    struct range *all; /* disjoint, ascending */
    size_t len;
};

/* Where parts overlap, the one that comes first wins; one of HD_GEN_UNKNOWN keeps
 * later ones out. Empty parts are ignored. The result lives as long as a. */
struct ranges ranges_build(const struct range *parts, size_t count, struct arena *a);

/* HD_GEN_UNKNOWN outside of all ranges. */
enum hd_generation ranges_find(const struct ranges *r, uint64_t address);

/* Where a generation stays the same around an address: its range, or what lies between two
 * of them, HD_GEN_UNKNOWN. The last address there is may lie outside. */
struct range ranges_around(const struct ranges *r, uint64_t address);

/* The number of ranges that end at or below address. O(log ranges). */
size_t ranges_below(const struct ranges *r, uint64_t address);

#endif

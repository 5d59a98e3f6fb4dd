/* graph.h - objects and references as flat arrays, the fields of references, and the
 * generation of an address.
 *
 * Nodes are numbered from 0. Node `root` is the root of all roots; below it are the
 * pseudo-nodes that group the GC roots ("[static vars]"), then the objects. The references
 * out of node n are
 *     edge_to[edge_begin[n]] ... edge_to[edge_begin[n + 1] - 1]
 * in the order of the file, duplicates and self references included. A graph never changes
 * once built, so an analysis allocates its own arrays, indexed by node_id, instead of
 * adding fields here.
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

/* Sizes that do not fit 32 bits are in a separate list. */
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
    uint64_t *reachable; /* a bit per node: on a chain from root; NULL if unknown */

    /* node_count unaligned little-endian 64-bit addresses, or NULL; usually inside the
     * input. Reading them costs page faults, so read them only to print one. */
    const unsigned char *addresses;

    /* struct source_type of each node; NULL unless hd_read_options.to_write */
    uint32_t *source_type;
    unsigned char *own_addresses; /* malloc'd copy, if no input holds them */
    struct fields *fields;        /* of references (fields.h); owned; NULL if unknown */
};

/* Returns the bytes of the arrays of g. */
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

/* For walks through a queue: prefetches the data of the nodes after head, in two steps,
 * since their references are found through edge_begin. Halves the time of a walk. */
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

/* Fills in g->reachable by a breadth-first walk from g->root. O(nodes + edges), 4 bytes per
 * node while it runs. */
void graph_mark_reachable(struct graph *g);

/* Does the same after a walk by the caller: nodes are all those reachable from the root. */
void graph_set_reachable(struct graph *g, const node_id *nodes, uint32_t count);

void graph_free(struct graph *g); /* NULL is fine */

/* --- fields ----------------------------------------------------------------- */

/* The field through which an object refers to another, for inputs with that information.
 *
 * A heap in memory (a core dump) has the offset of each reference, and its metadata the
 * field at an offset. Names belong to pairs of type and offset, some hundreds in total, so
 * no data is stored per reference: the object's memory is read again. graph.fields is NULL
 * if unknown; fields live as long as the graph. Thread-safe. */

/* Whether the data of an object without references can change during its life. */
enum contents { CONTENTS_UNKNOWN, CONTENTS_FIXED, CONTENTS_MUTABLE };

typedef uint32_t field_id; /* id of a name; unique per name in a graph */
#define NO_FIELD UINT32_MAX

struct fields {
    const char *const *names; /* by field_id: "_items", "Extra.Item3", "[]", "[].value" */
    uint32_t name_count;

    /* Names of node n's references, in the order of its edges: ids[i] belongs to edge
     * edge_begin[n] + i. NO_FIELD for references through handles or roots. */
    void (*of_node)(const void *context, node_id n, field_id *ids);

    /* Returns node n's fields or elements by offset, at most `most`, from number `first`
     * on, in a; *count is their total number. with_text: also the contents of strings, at
     * most most_text characters. NULL and 0 if unknown. */
    const struct hd_field *(*values)(const void *context, node_id n, uint64_t first,
                                     size_t most, bool with_text, size_t most_text,
                                     struct arena *a, size_t *len, uint64_t *count);

    /* Returns values that are node n's own, not in its fields: the content of a box, a
     * Version (hd_field.boxed), the text of a Uri as a REFERENCE if requested. References
     * to n show them too. NULL for other nodes. */
    const struct hd_field *(*self)(const void *context, node_id n, size_t most_text,
                                   struct arena *a);

    /* Returns all static variables in a stable order, with text as for values; in a. Leaves
     * bytes and retained to the caller. NULL if unknown. */
    const struct hd_static *(*statics)(const void *context, size_t most_text,
                                       struct arena *a, size_t *len);

    /* Hashes the first 256 bytes of node n: FIXED for strings, MUTABLE for arrays and
     * structs without references. UNKNOWN for missing memory and for objects with
     * references, which the collector changes. The hash is as secret as the values: only
     * for comparison, never to be shown or written. NULL if unknown for all nodes. */
    enum contents (*contents)(const void *context, node_id n, uint64_t *hash);

    void (*free)(void *context);
    void *context;
};

/* Returns the name of the field by which node from refers to node to, the first of several;
 * NULL if unknown. O(references of from). */
const char *field_between(const struct graph *g, node_id from, node_id to);

void fields_free(struct fields *f); /* NULL is fine; f is malloc'd */

/* --- ranges ----------------------------------------------------------------------- */

/* The generation of an address.
 *
 * Segments of a file may overlap and number tens of thousands; they are converted once into
 * disjoint ranges, O(n log n), and looked up by binary search. Where segments overlap the
 * first one wins. */

/* "gen0", "gen1", "gen2", "loh", "poh", "frozen", "unknown". */
extern const char *const generation_names[HD_GENERATION_COUNT];

/* True for gen2 and all that is collected with it or never: the objects of --gen2. */
static inline bool generation_is_old(enum hd_generation g)
{
    return g >= HD_GEN2 && g <= HD_GEN_FROZEN;
}

/* The part [start, end) of a segment; a single generation. */
struct range {
    uint64_t start, end;
    enum hd_generation generation;
};

struct ranges {
    struct range *all; /* disjoint, ascending */
    size_t len;
};

/* Builds disjoint ranges. Where parts overlap, the first one wins, also one of
 * HD_GEN_UNKNOWN. Empty parts are ignored. The result lives as long as a. */
struct ranges ranges_build(const struct range *parts, size_t count, struct arena *a);

/* HD_GEN_UNKNOWN outside of all ranges. */
enum hd_generation ranges_find(const struct ranges *r, uint64_t address);

/* Returns the interval around an address that has one generation: its range, or the gap
 * between two ranges (HD_GEN_UNKNOWN). The last possible address may be excluded. */
struct range ranges_around(const struct ranges *r, uint64_t address);

/* The number of ranges that end at or below address. O(log ranges). */
size_t ranges_below(const struct ranges *r, uint64_t address);

#endif

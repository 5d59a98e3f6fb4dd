/* gcdump_bytes.h - a .gcdump of any content, right or wrong, byte by byte.
 *
 *     static const struct made_type types[] = {
 *         {.name = "UNDEFINED"}, {.name = "[.NET Roots]"}, {.name = "A", .size = 24}};
 *     static const struct made_node nodes[] = {
 *         {.type = 1, .references = 1, .to = {1}}, {.type = 2, .size = 24, .address = 64}};
 *     struct gcdump_bytes b = gcdump_bytes_make(&(struct made_gcdump){
 *         .types = types, .type_count = 3, .nodes = nodes, .node_count = 2});
 *     ...
 *     gcdump_bytes_free(&b);
 *
 * Written as Microsoft's writers do (docs/formats/gcdump.md), who also define the default
 * of each field. The result has the offsets of its parts, so that a test can damage one of
 * them. */
#ifndef GCDUMP_BYTES_H
#define GCDUMP_BYTES_H

#include "base/text.h"

struct made_type {
    /* UTF-8, with a lone surrogate as three bytes; NULL: the null string */
    const char *name;
    int32_t size; /* of nodes that do not store theirs */
    const char *module;
    float multiplier;
};

enum { MADE_REFERENCES = 4 };

struct made_node {
    uint32_t type;
    int32_t size; /* stored if it is not the type's */
    uint64_t address;
    uint32_t references;
    uint32_t to[MADE_REFERENCES];
    bool undefined;     /* no record: shares the one at offset 0 */
    const char *record; /* these bytes instead of type, size, references */
    size_t record_size;
};

struct made_segment {
    uint64_t start, end, gen_end[5];
};

/* A type whose name is in symbols, in the order of the types. */
struct made_deferred {
    uint32_t id;
    const char *module; /* path; a reference if equal to the previous; NULL: none */
    const char *suffix;
};

struct made_gcdump {
    const struct made_type *types;
    size_t type_count;
    const struct made_node *nodes;
    size_t node_count;
    size_t undefined_nodes; /* more of them after the others, at address 0 */
    uint32_t root;
    uint64_t wrong_bytes;                 /* added to the stored TotalSize */
    const char *graph_extra, *dump_extra; /* tagged fields before the end of an object */
    size_t graph_extra_size, dump_extra_size;

    bool no_graph; /* a null reference instead */
    const struct made_deferred *deferred;
    size_t deferred_count;    /* 0: no list */
    const char *module_class; /* NULL: Graphs.Module */
    bool wide_modules;        /* sizes of modules have 8 bytes */

    bool eight_byte_labels;
    bool very_large;             /* counts of nodes have 8 bytes */
    int32_t version, min_reader; /* of GCHeapDump; 0: 10 and 8 */
    const struct made_segment *segments;
    size_t segment_count; /* 0: no DotNetHeapInfo */
    bool old_segments;    /* version 0: without the pinned heap */
    int64_t ticks;
    const char *process;
    int32_t pid;
    bool sampled; /* with multipliers of types */
    const char *tool;
    bool no_tool; /* without even a null string */
};

/* Offsets in the file. */
struct gcdump_bytes {
    struct text data;
    size_t root_at, type_count_at, node_count_at, offsets_at;
    size_t blob_size_at, blob_at, address_count_at;
    size_t graph_end; /* after the end tag of the graph */
    size_t segment_count_at, multipliers_at, interop_at;
    size_t forwards_at; /* the table of forward references */
    size_t deferred_count_at, deferred_end, first_module_at;
};

struct gcdump_bytes gcdump_bytes_make(const struct made_gcdump *m);
void gcdump_bytes_free(struct gcdump_bytes *b);

/* Overwrite 4 bytes. */
void gcdump_bytes_put(struct gcdump_bytes *b, size_t at, uint32_t value);

#endif

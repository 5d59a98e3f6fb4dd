/* source.h - what an input said word for word, beyond what any analysis needs.
 *
 * Kept only for hd_read_options.to_write, so that a writer can say it again: names as
 * they were spelled, one type per type of the file, the order in which nodes were
 * described, when and where the snapshot was taken. Strings and tables live in the
 * snapshot's arena. Costs 4 bytes per node, 4 more if `described` is used. */
#ifndef SOURCE_H
#define SOURCE_H

#include "heap/graph.h"

#include <stdbool.h>

/* A type as a reader gave it to the builder; graph.source_type indexes these. */
struct source_type {
    const char *name; /* as spelled; NULL: none */
    size_t name_len;
    const char *module; /* NULL: none; may be "" */
    uint32_t number;    /* of a gcdump: which type of its table */

    /* Of a trace of a native AOT program: where its method table is in the image at base;
     * 0: other types. */
    uint64_t base;
    uint32_t rva;
};

/* A type of a gcdump's own table. */
struct source_gcdump_type {
    int32_t size; /* of nodes that store none; -1 mostly: there are none */
    float multiplier;
    const char *name, *module; /* as stored; NULL: the null string */
};

/* The image of a native AOT program, and a type whose name only its symbols tell. */
struct source_module {
    const char *path, *pdb; /* or NULL */
    uint64_t base, size, build_time;
    unsigned char guid[16];
    int32_t age;
};

struct source_deferred {
    uint32_t id;     /* of the type in the image */
    uint32_t module; /* NO_TYPE: none */
    const char *suffix;
};

struct source_segment {
    uint64_t start, end, gen_end[5];
};

struct source {
    struct source_type *types; /* by number of builder_type() */
    size_t type_count;

    /* Nodes in the order in which the file described them, without those that it only
     * refers to. NULL: in order of their numbers. malloc'd. */
    node_id *described;
    uint32_t described_count;

    /* With which nodes a gcdump's numbers begin, perhaps several times: the roots of a
     * trace, as they were met. Behind them each object and what it refers to. NULL: nodes
     * keep their numbers. */
    node_id *met;
    size_t met_count;

    /* Of a gcdump, which can be written as it was; else false, and the rest is empty. */
    bool is_gcdump;
    struct source_gcdump_type *gcdump_types; /* these are types[0] ... as well */
    uint32_t gcdump_type_count;
    bool is_64_bit;
    float average_count, average_size; /* multipliers of a sampled file */
    bool sampled;
    bool has_heap_info; /* perhaps without segments */
    uint64_t segment_bytes;
    struct source_segment *segments;
    uint32_t segment_count;
    const char *log, *machine, *process, *tool; /* NULL: none */
    int64_t ticks; /* 100 ns since year 1, local time; 0 unknown */
    int32_t pid;
    uint64_t commit, working_set;
    const unsigned char *interop;     /* the table of COM wrappers */
    size_t interop_size;              /* 0: none */
    bool has_deferred;                /* perhaps none */
    struct source_deferred *deferred; /* of the first types */
    uint32_t deferred_count;
    struct source_module *modules;
    uint32_t module_count;
    bool module_size_is_64_bit;
};

#endif

/* gcdump.h - the fields of a .gcdump file, and where its node records lie.
 *
 * Everything but the nodes: read once, before them, because the generations and
 * multipliers that the nodes need stand behind them in the file. It does not know
 * the builder; read_gcdump.c turns this into a snapshot. */
#ifndef GCDUMP_H
#define GCDUMP_H

#include "base/arena.h"
#include "format/gcdump/fastser.h"
#include "heap/ranges.h"
#include "heap/source.h"

struct gcdump_type {
    const char *name; /* NULL if null and not deferred */
    size_t name_len;
    const char *module; /* path; NULL if unknown */
    size_t module_len;
    float multiplier; /* 1 unless sampled */
    float stored_multiplier;
    bool null_name, null_module; /* as stored; deferred types have names by their ids */
};

struct gcdump {
    /* the graph */
    uint64_t total_size; /* as stored */
    uint32_t root;
    struct gcdump_type *types;
    int32_t *default_sizes; /* by type: of nodes that store none */
    uint32_t type_count;
    uint64_t node_count;
    const unsigned char *offsets; /* node_count unaligned u32, into blob */
    struct bytes blob;
    uint64_t blob_at;               /* its offset in the file, for messages */
    const unsigned char *addresses; /* node_count unaligned u64 */

    /* around it */
    int32_t version;
    bool sampled, has_generations, all_objects;
    bool damaged_end; /* the graph is whole, what follows it is not */
    struct ranges ranges;
    int64_t time_ticks;         /* 100 ns since year 1, local time; 0 unknown */
    int32_t pid;                /* 0 unknown */
    const char *process, *tool; /* NULL unknown */

    /* what no analysis needs, but a writer can say again */
    const char *log, *machine; /* NULL none */
    bool is_64_bit;
    float average_count, average_size; /* 1 unless sampled; as stored */
    bool has_heap_info;
    uint64_t segment_bytes;
    struct source_segment *segments;
    uint32_t segment_count;
    uint64_t commit, working_set;
    struct bytes interop; /* that object, if it is one that can be copied; else empty */
    bool has_deferred;    /* the region is there, perhaps without types */
    struct source_deferred *deferred;
    uint32_t deferred_count;
    struct source_module *modules; /* malloc'd */
    size_t module_count, module_cap;
    bool module_size_is_64_bit;
};

/* What the writer puts into the log if objects may be missing: nothing else in a file
 * could say so. */
#define GCDUMP_LOG_INCOMPLETE "heapdrift: incomplete"

/* Strings and tables live in a; offsets, blob and addresses inside file. */
bool gcdump_parse(struct gcdump *d, struct bytes file, struct arena *a,
                  struct hd_error *err);
void gcdump_free(struct gcdump *d); /* parsed or not */

#endif

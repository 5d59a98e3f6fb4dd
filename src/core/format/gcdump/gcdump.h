/* gcdump.h - the fields of a .gcdump file, and the location of its node records.
 *
 * Everything except the nodes: read once, before them, because the generations and
 * multipliers that the nodes need follow them in the file. Must not depend on the builder;
 * read_gcdump.c turns this into a snapshot. */
#ifndef GCDUMP_H
#define GCDUMP_H

#include "base/arena.h"
#include "format/gcdump/fastser.h"
#include "heap/graph.h"
#include "heap/snapshot.h"

struct gcdump {
    /* the graph */
    uint64_t total_size; /* as stored */
    uint32_t root;
    int32_t *default_sizes; /* by type: size of nodes that omit it */
    uint32_t type_count;
    uint64_t node_count;
    const unsigned char *offsets; /* node_count unaligned u32, into blob */
    struct bytes blob;
    uint64_t blob_at;               /* its offset in the file, for messages */
    const unsigned char *addresses; /* node_count unaligned u64 */

    /* around it */
    int32_t version;
    bool all_objects;
    bool damaged_end;     /* the graph is whole, the data after it is damaged */
    struct ranges ranges; /* of segments; empty without generations */
    struct source source; /* as stored; no member for nodes is filled in */
};

static inline bool gcdump_has_generations(const struct gcdump *d)
{
    return d->source.segment_count > 0;
}

/* Strings and tables live in a; offsets, blob, addresses and the table of COM wrappers
 * inside file. */
bool gcdump_parse(struct gcdump *d, struct bytes file, struct arena *a,
                  struct hd_error *err);

#endif

/* gcdump_records.h - the types and nodes of a .gcdump to write.
 *
 * The offsets of records precede the records, so there are two passes: measuring and
 * writing. Both work on shares of the nodes, on several threads; the result is always the
 * same. Must not depend on the rest of the file.
 *
 * The roots of any snapshot become the tree that dotnet-gcdump makes:
 *
 *     [.NET Roots]
 *       [static vars]                            always
 *         [static var T.f] ...
 *       [thread static vars]
 *         [static var T.f] ...
 *       [local vars]
 *       [other roots]
 *         [COM/WinRT Objects] [finalizer Handles] [pinning Handles]
 *         [strong Handles] [other Handles] [Dependent Handles]
 *       [COM/WinRT Objects]                      always */
#ifndef GCDUMP_RECORDS_H
#define GCDUMP_RECORDS_H

#include "format/gcdump/fastser.h"
#include "heap/snapshot.h"

/* A row of the table of types. In a snapshot from a gcdump it is the file's own. Else index
 * 0 is UNDEFINED, names are spelled as by dotnet-gcdump, and objects of more than 1,000
 * bytes have types of their own, by size class. */
struct table_type {
    const char *name, *module; /* NULL: the null string */
    int32_t size;              /* of nodes that omit it; -1 before the first */
    float multiplier;
    const struct source_type *of; /* set if it has an RVA; else NULL */
    const char *suffix;           /* of its size class; or NULL */
};

/* A pseudo-node to write after all objects. Its references are first its child groups, then
 * those of the node `members` of the model. */
struct tree_group {
    const char *name;
    uint32_t parent; /* number of a group; the root's is its own */
    node_id members; /* or NO_NODE */
};

struct gcdump_records {
    const struct hd_snapshot *snap;
    struct arena *arena;
    unsigned threads; /* 0 is 1 */

    node_id kept;              /* nodes of the snapshot from this number on become groups */
    struct tree_group *groups; /* groups[0] is the root; parents are first */
    uint32_t group_count;      /* 0: the tree is not changed */
    uint32_t parents;          /* only groups below this number have child groups */

    struct table_type *types; /* malloc'd */
    size_t type_count, type_cap;
    /* Type of an object by its source type and size class; 0: not assigned. */
    uint32_t (*of_source)[7];
    uint32_t *of_pseudo; /* the same of pseudo-nodes, by row of the snapshot */
    struct named_type *classes, *pseudo; /* by name */

    uint32_t *number; /* in the file, by node; NULL: its own */
    uint32_t root;    /* the number of the root of all roots */
    uint32_t node_count;
    uint32_t *offsets; /* of records, by node of the file; 0: not described */
    uint64_t blob_size, total_size;
    uint64_t cut_sizes; /* objects larger than the format allows, which are cut as by
                           HeapDump.exe */
    uint64_t *shares;   /* offset in the blob at which the records of each begin */
};

/* Plans and measures everything. 8 bytes per node, 4 more if nodes are renumbered, until
 * gcdump_records_free(); the rest lives in a. O(nodes + references). */
struct gcdump_records gcdump_records_plan(const struct hd_snapshot *snap, struct arena *a);
void gcdump_records_free(struct gcdump_records *r);

/* Writes the offset of each record, in the order of the file. */
void gcdump_records_put_offsets(const struct gcdump_records *r, struct fastser_write *f);

/* Writes all records, blob_size bytes. */
void gcdump_records_put(struct gcdump_records *r, struct fastser_write *f);

/* Writes the addresses of all nodes, in the order of the file. Must be last: it frees the
 * offsets. */
void gcdump_records_put_addresses(struct gcdump_records *r, struct fastser_write *f);

/* Returns a name as dotnet-gcdump spells it, which turns all [ ] into < > and then <> into
 * [], and drops the number of type parameters; or unchanged, if that would be another
 * name. */
const char *gcdump_spelling(const char *name, size_t len, struct arena *a);

/* --- limits -------------------------------------------------------------------- */

/* Limits of a .gcdump: numbers of nodes and types are signed and have 32 bits, the records
 * of nodes are one blob of less than 2 GiB, labels are offsets of 4 bytes. */

struct gcdump_extent {
    uint64_t nodes, types;
    uint64_t record_bytes; /* of all nodes */
    uint64_t file_bytes;
};

/* False, with the reason in err, if no such file is possible. */
bool gcdump_can_hold(const struct gcdump_extent *e, struct hd_error *err);

#endif

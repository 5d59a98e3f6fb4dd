/* gcdump_records.h - the records of nodes in a .gcdump that is to be written.
 *
 * Where each begins stands before all of them, so they are gone through twice: to measure,
 * and to write. Both is done by shares of the nodes, on several threads; what comes out
 * depends on neither. It does not know what else is in the file. */
#ifndef GCDUMP_RECORDS_H
#define GCDUMP_RECORDS_H

#include "format/gcdump/fastser.h"
#include "format/gcdump/gcdump_tree.h"
#include "heap/snapshot.h"
#include "heapdrift.h"

/* --- limits -------------------------------------------------------------------- */

/* How much a .gcdump can hold: numbers of nodes and types are signed and of 32 bits, the
 * records of nodes one blob of less than 2 GiB, labels offsets of 4 bytes. */

struct gcdump_extent {
    uint64_t nodes, types;
    uint64_t record_bytes; /* of all nodes */
    uint64_t file_bytes;
};

/* False, and why, if there can be no such file. */
bool gcdump_can_hold(const struct gcdump_extent *e, struct hd_error *err);

/* --- types --------------------------------------------------------------------- */

/* The table of types of a .gcdump that is to be written.
 *
 * Of a snapshot from a gcdump it is the table of that file. Else it is made as
 * dotnet-gcdump makes it: index 0 is UNDEFINED, names are spelled its way, and objects of
 * more than 1,000 bytes have types of their own, by size class. */
struct table_type {
    const char *name, *module; /* NULL: the null string */
    int32_t size;              /* of nodes that store none; -1: there are none yet */
    float multiplier;
    const struct source_type *of; /* that has an RVA; NULL: other types */
    const char *suffix;           /* of its size class; NULL: none */
};

struct gcdump_types {
    const struct hd_snapshot *snap;
    struct arena *arena;
    struct table_type *all; /* malloc'd */
    size_t count, cap;
    bool as_they_are; /* of a gcdump */
    /* Which type an object has, by its source type and size class; 0: none yet. */
    uint32_t (*of_source)[7];
    uint32_t *of_pseudo; /* the same of pseudo-nodes, by row of the snapshot */
    struct named_type *classes, *pseudo; /* by name */
};

struct gcdump_types gcdump_types_begin(const struct hd_snapshot *snap, struct arena *a);
void gcdump_types_free(struct gcdump_types *t);

/* A name as dotnet-gcdump spells it, which turns all [ ] into < > and then <> into [], and
 * drops the number of type parameters; or as it is, if that would be another name. */
const char *gcdump_spelling(const char *name, size_t len, struct arena *a);

/* --- numbers of nodes ---------------------------------------------------------- */

/* Which number a node gets in a .gcdump.
 *
 * Mostly its own. dotnet-gcdump numbers nodes as the events of a trace name them first, as
 * a root or in a reference, so a trace that is converted gets the same numbers: its root
 * is node 0, and what is referred to stands close by. */

struct gcdump_numbers {
    uint32_t *number; /* by node; NULL: its own */
    node_id *node;    /* by number; NULL until gcdump_numbers_turn() */
};

/* 4 bytes per node if they change, until gcdump_numbers_free(). O(nodes + references). */
struct gcdump_numbers gcdump_numbers_plan(const struct hd_snapshot *snap);

/* From here on gcdump_numbered() works: 4 bytes more. */
void gcdump_numbers_turn(struct gcdump_numbers *numbers, node_id count);
void gcdump_numbers_free(struct gcdump_numbers *numbers);

static inline uint32_t gcdump_number(const struct gcdump_numbers *numbers, node_id n)
{
    return numbers->number != NULL ? numbers->number[n] : n;
}

static inline node_id gcdump_numbered(const struct gcdump_numbers *numbers, uint32_t number)
{
    return numbers->node != NULL ? numbers->node[number] : number;
}

/* --- records ------------------------------------------------------------------- */

struct gcdump_records {
    const struct hd_snapshot *snap;
    const struct gcdump_tree *tree;
    const struct gcdump_numbers *numbers; /* of the nodes that are kept */
    struct gcdump_types *types;           /* complete once all is measured */
    unsigned threads;                     /* 0 is 1 */
    /* filled in by gcdump_records_measure() */
    uint32_t node_count; /* in the file */
    uint32_t *offsets;   /* of records, by node of the file; 0: never described */
    uint64_t blob_size, total_size;
    uint64_t cut_sizes; /* objects larger than the format can say */
    uint64_t *shares;   /* where the records of each begin, in the blob */
};

/* Sizes that fit no signed 32-bit number are cut, as HeapDump.exe does. */
void gcdump_records_measure(struct gcdump_records *r);

/* Write them, blob_size bytes. */
void gcdump_records_put(const struct gcdump_records *r, struct fastser_write *f);

/* Where each begins, once more in the order of the file. */
void gcdump_records_put_offsets(const struct gcdump_records *r, struct fastser_write *f);

/* Groups take the place of the pseudo-nodes that they replace, so objects keep their
 * numbers, and with them the samples that reports take. */
uint32_t gcdump_records_group(const struct gcdump_records *r, uint32_t group);

/* What was found by measuring; the numbers stay. */
void gcdump_records_free(struct gcdump_records *r);

#endif

/* gcdump_records.h - the records of nodes in a .gcdump that is to be written.
 *
 * Where each begins stands before all of them, so they are gone through twice: to measure,
 * and to write. Both is done by shares of the nodes, on several threads; what comes out
 * depends on neither. It does not know what else is in the file. */
#ifndef GCDUMP_RECORDS_H
#define GCDUMP_RECORDS_H

#include "format/gcdump/fastser_write.h"
#include "format/gcdump/gcdump_numbers.h"
#include "format/gcdump/gcdump_tree.h"
#include "format/gcdump/gcdump_types.h"

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

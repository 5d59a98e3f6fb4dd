/* gcdump_tables.h - count the nodes of a .gcdump per type, by several threads.
 *
 * Any range of nodes can be counted alone, since records are found by a table of offsets;
 * counts of ranges are added up. References are not looked at. It does not know the
 * builder, nor what is wrong with a record: only that something is. */
#ifndef GCDUMP_TABLES_H
#define GCDUMP_TABLES_H

#include "format/gcdump.h"
#include "heap/snapshot.h"

/* Nodes of one type of the file. */
struct node_count {
    struct tally objects; /* or undefined nodes, if the type is UNDEFINED */
    uint64_t pseudo;      /* neither size nor address */
};

struct node_counts {
    struct node_count *types;    /* type_count */
    struct tally *by_generation; /* of objects: type_count * GENERATION_COUNT; NULL
                                    unless the file has generations */
};

/* The nodes of d. undefined has a byte per type, not 0 for UNDEFINED. False, and nothing to
 * free, if a record is damaged; *counts is freed with node_counts_free(). */
bool gcdump_count(const struct gcdump *d, const unsigned char *undefined, unsigned threads,
                  struct node_counts *counts);
void node_counts_free(struct node_counts *counts);

#endif

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

/* One value of 1 to 5 bytes: groups of 7 bits, the highest first, bit 7 set while another
 * follows; signed by bit 6 of the first. Arithmetic is modulo 2^32. *ok becomes false if it
 * has no end in front of end. */
static inline int32_t gcdump_compressed(const unsigned char **at, const unsigned char *end,
                                        bool *ok)
{
    const unsigned char *p = *at;
    if (p == end) {
        *ok = false;
        return 0;
    }
    uint32_t byte = *p++;
    uint32_t value = (byte & 0x3F) - (byte & 0x40);
    for (int i = 1; byte & 0x80; i++) {
        if (p == end || i == 5) {
            *ok = false;
            return 0;
        }
        byte = *p++;
        value = value << 7 | (byte & 0x7F);
    }
    *at = p;
    return (int32_t)value;
}

/* Number i of a table of unaligned numbers. */
uint32_t gcdump_u32(const unsigned char *table, uint64_t i);
uint64_t gcdump_u64(const unsigned char *table, uint64_t i);

/* The nodes of d. undefined has a byte per type, not 0 for UNDEFINED. False, and nothing to
 * free, if a record is damaged; *counts is freed with node_counts_free(). */
bool gcdump_count(const struct gcdump *d, const unsigned char *undefined, unsigned threads,
                  struct node_counts *counts);
void node_counts_free(struct node_counts *counts);

#endif

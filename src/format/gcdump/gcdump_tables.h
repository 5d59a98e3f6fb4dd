/* gcdump_tables.h - count the nodes of a .gcdump per type: one by one, or all of them by
 * several threads.
 *
 * Any range of nodes can be counted alone, since records are found by a table of offsets;
 * counts of ranges are added up. References are not looked at. It does not know the
 * builder, nor what is wrong with a record: only that something is. */
#ifndef GCDUMP_TABLES_H
#define GCDUMP_TABLES_H

#include "format/gcdump/gcdump_record.h"
#include "heap/snapshot.h"

/* Nodes of one type of the file. */
struct node_count {
    struct hd_tally objects; /* or undefined nodes, if the type is UNDEFINED */
    uint64_t pseudo;         /* neither size nor address */
};

struct node_counts {
    struct node_count *types;       /* type_count */
    struct hd_tally *by_generation; /* of objects: type_count * HD_GENERATION_COUNT; NULL
                                    unless the file has generations */
};

struct node_counts node_counts_begin(const struct gcdump *d);
void node_counts_free(struct node_counts *counts);
void node_counts_add(struct node_counts *to, const struct node_counts *more, size_t types);

/* Node i, which begins with h. True if it is a pseudo-node: it has no size and no address;
 * a name in brackets is custom, not proof. undefined has a byte per type, not 0 for
 * UNDEFINED, whose nodes were referred to but never described. */
static inline bool gcdump_count_node(struct node_counts *counts, const struct gcdump *d,
                                     const unsigned char *undefined,
                                     const struct gcdump_head *h, uint64_t i)
{
    struct node_count *t = &counts->types[h->type];
    if (h->size == 0 && !undefined[h->type] && gcdump_u64(d->addresses, i) == 0) {
        t->pseudo++;
        return true;
    }
    t->objects.count++;
    t->objects.bytes += (uint64_t)h->size;
    if (counts->by_generation == NULL || undefined[h->type])
        return false;
    enum hd_generation gen = ranges_find(&d->ranges, gcdump_u64(d->addresses, i));
    struct hd_tally *of =
        &counts->by_generation[(size_t)h->type * HD_GENERATION_COUNT + gen];
    of->count++;
    of->bytes += (uint64_t)h->size;
    return false;
}

/* The same for many nodes that have a size, so that none of them is a pseudo-node: sums by
 * generation and type, until they are added to counts. Numbers and bytes stand in two
 * arrays, since gcc makes a detour over vectors of two that lie side by side. */
struct sized_nodes {
    uint64_t *count, *bytes;               /* generations * type_count */
    size_t generations;                    /* 1, or HD_GENERATION_COUNT */
    struct range lately;                   /* where the last address was */
    uint64_t *count_lately, *bytes_lately; /* of its generation */
};

struct sized_nodes sized_nodes_begin(const struct gcdump *d);

/* Behind which s can no longer be used. */
void sized_nodes_end(struct sized_nodes *s, const struct gcdump *d,
                     const unsigned char *undefined, struct node_counts *counts);

/* An address outside of s->lately. */
static inline void sized_nodes_look_up(struct sized_nodes *s, const struct gcdump *d,
                                       uint64_t address)
{
    s->lately = ranges_around(&d->ranges, address);
    s->count_lately = s->count + (size_t)s->lately.generation * d->type_count;
    s->bytes_lately = s->bytes + (size_t)s->lately.generation * d->type_count;
}

/* Node i. d may be a copy; whole is not. */
static inline __attribute__((always_inline)) void
sized_nodes_add(struct sized_nodes *s, const struct gcdump *d, const struct gcdump *whole,
                const struct gcdump_head *h, uint64_t i)
{
    if (s->generations > 1) {
        uint64_t address = gcdump_u64(d->addresses, i);
        if (address < s->lately.start || address >= s->lately.end)
            sized_nodes_look_up(s, whole, address);
    }
    s->count_lately[h->type]++;
    s->bytes_lately[h->type] += (uint64_t)h->size;
}

/* All nodes of d. False, and nothing to free, if a record is damaged; *counts is freed with
 * node_counts_free(). */
bool gcdump_count(const struct gcdump *d, const unsigned char *undefined, unsigned threads,
                  struct node_counts *counts);

#endif

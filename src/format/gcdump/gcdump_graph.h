/* gcdump_graph.h - all nodes of a .gcdump as the arrays of a graph, by several threads.
 *
 * Any range of nodes can be read alone, since records are found by a table of offsets;
 * references of ranges are put behind each other. It does not know the builder, nor what is
 * wrong with a record: only that something is. */
#ifndef GCDUMP_GRAPH_H
#define GCDUMP_GRAPH_H

#include "base/input.h"
#include "format/gcdump/gcdump_record.h"
#include "heap/graph.h"
#include "heap/snapshot.h"

/* --- tables by type and by node ------------------------------------------------ */

/* Count the nodes of a .gcdump per type: one by one, or all of them by several threads.
 *
 * Any range of nodes can be counted alone, since records are found by a table of offsets;
 * counts of ranges are added up. References are not looked at. It does not know the
 * builder, nor what is wrong with a record: only that something is. */

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

/* All nodes of d. False, and nothing to free, if a record is damaged; *counts is freed with
 * node_counts_free(). */
bool gcdump_count(const struct gcdump *d, const unsigned char *undefined, unsigned threads,
                  struct node_counts *counts);

/* --- graph --------------------------------------------------------------------- */

struct gcdump_pseudo {
    node_id node;
    uint32_t type; /* of the file */
};

struct gcdump_graph {
    /* What the caller has: room for node_count of each, and which type of the graph is to
     * stand for each of the file. */
    uint32_t *type, *size, *edge_begin;
    const uint32_t *type_of;
    uint64_t most_edges; /* for which there may be memory */

    /* What is given, to be freed with free(). Types of pseudo-nodes are left to the caller:
     * they stand here in the order of nodes. */
    node_id *edge_to;
    uint32_t edge_count;
    struct gcdump_pseudo *pseudo;
    size_t pseudo_count;
    struct node_counts counts; /* node_counts_free() */
};

/* False, and nothing to free, if a record is damaged, if there is no memory for so many
 * references, or if there are too many pseudo-nodes for a list. What is read is the same
 * for any number of threads. */
bool gcdump_graph_read(struct gcdump_graph *g, const struct gcdump *d,
                       const unsigned char *undefined, unsigned threads, struct input *in);

#endif

/* made_heap.h - a heap of thousands of objects with known contents, for series.
 *
 * Objects come as items: small trees that all have the same parts and differ in the
 * sizes of their strings and buffers. Item i has the same sizes in every heap of a
 * seed, whatever stands around it, because its randomness is a hash of (seed, kind of
 * item, i); so what a heap holds can be added up without making it.
 *
 * Straight through the builder and without Criterion, unlike forge.h: fast enough for
 * hundreds of series, and usable in programs that are no unit tests. */
#ifndef MADE_HEAP_H
#define MADE_HEAP_H

#include "heap/root_set.h"

/* The hash, for other uses of the same seed; stream 0 to 255 says what for. */
uint64_t made_chance(uint64_t seed, unsigned stream, uint64_t i);

/* --- items ---------------------------------------------------------------------- */

enum { BY_HOLDER = -1, ITEM_PARTS = 12 };

struct part {
    int parent; /* the part that refers to it; BY_HOLDER: what holds the item */
    const char *type;
    uint32_t size;   /* bytes */
    uint32_t spread; /* in bytes; up to so many more, a multiple of 8 */
    bool back;       /* refers to the item's first part, too */
};

/* Parents stand before their parts. */
struct item {
    unsigned stream; /* for made_chance(), one per kind of item */
    size_t part_count;
    struct part parts[ITEM_PARTS];
};

uint64_t item_part_bytes(const struct item *item, uint64_t seed, uint64_t i, size_t part);

/* The same with everything that hangs from the part. */
uint64_t item_retained(const struct item *item, uint64_t seed, uint64_t i, size_t part);

/* --- heaps ------------------------------------------------------------------------ */

enum { MADE_TYPES = 128, MADE_STATICS = 64 };

struct made_heap {
    uint64_t seed;
    struct builder builder;
    struct root_set roots;
    node_id next; /* the number of the object that is made next */
    const char *types[MADE_TYPES];
    uint32_t type_ids[MADE_TYPES];
    size_t type_count;
    node_id statics[MADE_STATICS];
    size_t static_count;
};

void made_heap_begin(struct made_heap *h, uint64_t seed);

/* Ends with the array of the runtime in which a pinned handle holds all static
 * variables. The snapshot is for hd_snapshot_close(). */
struct hd_snapshot *made_heap_finish(struct made_heap *h);

/* An object, and a reference of the object made last; to may still be to come. type
 * must live as long as h. */
node_id made_object(struct made_heap *h, const char *type, uint64_t size);
void made_reference(struct made_heap *h, node_id to);

/* variable as in "App.Cache.Items". */
void made_static(struct made_heap *h, const char *variable, node_id object);

enum item_link {
    ITEMS_APART,
    ITEMS_IN_CHAIN, /* the first part refers to those of the next and the previous item */
    ITEMS_IN_RING   /* so do the last item and the first one */
};

struct items {
    const struct item *item;
    uint64_t start; /* the index of the first one */
    uint32_t count;
    enum item_link link;
    /* The first part of item number n refers to object shared + n / sharers, too;
     * sharers 0: to none. */
    node_id shared;
    uint32_t sharers;
};

/* One after the other, from h->next on. */
void made_items(struct made_heap *h, const struct items *all);

/* References from the object made last to count items of which the first one stands,
 * or will stand, at first. */
void made_hold(struct made_heap *h, const struct item *item, node_id first, uint32_t count);

/* Room for count as lists and dictionaries have it: 4, 8, 16, ... */
uint32_t made_capacity(uint32_t count);

/* A list and the array in which it holds the objects from h->next on; to be followed by
 * made_items(). Gives the list. */
node_id made_list(struct made_heap *h, const char *list, const char *array,
                  const struct items *all);

/* The same for a dictionary, with its array of buckets. */
node_id made_dictionary(struct made_heap *h, const char *dictionary, const char *entries,
                        const struct items *all);

#endif

/* made_heap.h - a heap of thousands of objects with known contents, for series.
 *
 * Objects are made as items: small trees with the same parts, whose strings and buffers
 * differ in size. Item i has the same sizes in every heap of a seed, because its
 * randomness is a hash of (seed, kind of item, i); so sizes can be computed without making
 * the heap.
 *
 * Uses the builder directly and must not depend on Criterion, unlike forge.h: fast enough
 * for hundreds of series, and usable in programs that are not unit tests. */
#ifndef MADE_HEAP_H
#define MADE_HEAP_H

#include "heap/root_set.h"

/* The hash, for other uses of the same seed; each use has its own stream, 0 to 255. */
uint64_t made_chance(uint64_t seed, unsigned stream, uint64_t i);

/* --- items ---------------------------------------------------------------------- */

enum { BY_HOLDER = -1, ITEM_PARTS = 12 };

struct part {
    int parent; /* the part that refers to it; BY_HOLDER: the holder of the item */
    const char *type;
    uint32_t size;   /* bytes */
    uint32_t spread; /* at most this much is added; bytes, a multiple of 8 */
    bool back;       /* refers to the item's first part, too */
};

/* Parents precede their parts. */
struct item {
    unsigned stream; /* for made_chance(), one per kind of item */
    size_t part_count;
    struct part parts[ITEM_PARTS];
};

uint64_t item_part_bytes(const struct item *item, uint64_t seed, uint64_t i, size_t part);

/* The same with everything below the part. */
uint64_t item_retained(const struct item *item, uint64_t seed, uint64_t i, size_t part);

/* --- heaps ------------------------------------------------------------------------ */

enum { MADE_TYPES = 128, MADE_STATICS = 64 };

struct made_heap {
    uint64_t seed;
    struct builder builder;
    struct root_set roots;
    node_id next; /* number of the next object */
    const char *types[MADE_TYPES];
    uint32_t type_ids[MADE_TYPES];
    size_t type_count;
    node_id statics[MADE_STATICS];
    size_t static_count;
};

void made_heap_begin(struct made_heap *h, uint64_t seed);

/* Adds the runtime's array of static variables, held by a pinned handle. The snapshot is
 * for hd_snapshot_close(). */
struct hd_snapshot *made_heap_finish(struct made_heap *h);

/* An object, and a reference from the last object; `to` may be added later. type must
 * outlive h. */
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
    uint64_t start; /* index of the first one */
    uint32_t count;
    enum item_link link;
    /* The first part of item n also refers to object shared + n / sharers; sharers 0: no
     * such reference. */
    node_id shared;
    uint32_t sharers;
};

/* Makes items one after the other, from h->next on. */
void made_items(struct made_heap *h, const struct items *all);

/* References from the last object to the first parts of count items; the items may be added
 * later. */
void made_hold(struct made_heap *h, const struct item *item, node_id first, uint32_t count);

/* Capacity for count as in lists and dictionaries: 4, 8, 16, ... */
uint32_t made_capacity(uint32_t count);

/* A list and its array, which refers to the objects from h->next on; to be followed by
 * made_items(). Returns the list. */
node_id made_list(struct made_heap *h, const char *list, const char *array,
                  const struct items *all);

/* The same for a dictionary, with its array of buckets. */
node_id made_dictionary(struct made_heap *h, const char *dictionary, const char *entries,
                        const struct items *all);

#endif

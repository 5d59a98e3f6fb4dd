/* places.h - the objects of a snapshot in the order of memory.
 *
 * Addresses tell two objects of one snapshot apart, and an object from another one that
 * lies there later if type and size do. 16 bytes each. Nodes of files come in runs that
 * rise, so sorting is mostly merging of a few. */
#ifndef PLACES_H
#define PLACES_H

#include "heap/snapshot.h"

#include <stdlib.h>

struct place {
    uint64_t address;
    uint32_t object; /* a node, or whatever the owner of the list numbers */
    uint32_t key;    /* a hash of type and size */
};

struct places {
    struct place *all; /* malloc'd; ascending by address */
    size_t len;
};

/* Of all objects that have an address; object is their node. */
struct places places_of(const struct hd_snapshot *snap);

/* By address; what lies at the same keeps its order. O(n log runs), n spare places. */
void places_sort(struct place *all, size_t len);

/* A hash of all addresses: the same for the same snapshot, however it is written. */
uint64_t places_token(const struct places *p);

static inline void places_free(struct places *p)
{
    free(p->all);
    *p = (struct places){0};
}

#endif

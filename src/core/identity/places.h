/* places.h - the objects of a snapshot in the order of memory.
 *
 * An address identifies an object within a snapshot; with type and size it also
 * distinguishes an object from a later one at its address. 16 bytes each. Nodes of files
 * are in ascending runs, so sorting is mostly merging of a few. */
#ifndef PLACES_H
#define PLACES_H

#include "heap/snapshot.h"

#include <stdlib.h>

struct place {
    uint64_t address;
    uint32_t object; /* a node, or a number of the owner's choice */
    uint32_t key;    /* a hash of type and size */
};

struct places {
    struct place *all; /* malloc'd; ascending by address */
    size_t len;
};

/* Returns all objects that have an address; object is their node. */
struct places places_of(const struct hd_snapshot *snap);

/* Sorts by address; stable. O(n log runs); uses n spare places. */
void places_sort(struct place *all, size_t len);

/* A hash of all addresses: the same for the same snapshot in any format. */
uint64_t places_token(const struct places *p);

static inline void places_free(struct places *p)
{
    free(p->all);
    *p = (struct places){0};
}

#endif

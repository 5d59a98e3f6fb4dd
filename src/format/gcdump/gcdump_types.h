/* gcdump_types.h - the table of types of a .gcdump that is to be written.
 *
 * Of a snapshot from a gcdump it is the table of that file. Else it is made as
 * dotnet-gcdump makes it: index 0 is UNDEFINED, names are spelled its way, and objects of
 * more than 1,000 bytes have types of their own, by size class. */
#ifndef GCDUMP_TYPES_H
#define GCDUMP_TYPES_H

#include "heap/snapshot.h"

struct table_type {
    const char *name, *module; /* NULL: the null string */
    int32_t size;              /* of nodes that store none; -1: there are none yet */
    float multiplier;
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

/* The index of node n's type; size as it will be written. Once it was asked for, several
 * threads may ask again. */
uint32_t gcdump_types_of(struct gcdump_types *t, node_id n, uint32_t size);

/* That of a pseudo-node of this name, which is not the file's own. */
uint32_t gcdump_types_pseudo(struct gcdump_types *t, const char *name);

/* A name as dotnet-gcdump spells it, which turns all [ ] into < > and then <> into [], and
 * drops the number of type parameters; or as it is, if that would be another name. */
const char *gcdump_spelling(const char *name, size_t len, struct arena *a);

#endif

/* ownership_fields.h - the fields by which owners hold what they own, by path of a
 * ownership tree.
 *
 * Of each object it is the field of its owner that refers to it; an owner need not, where
 * objects between are shared: then there is none. One pass over the references of owners.
 * Only ownership_tree.c needs this. */
#ifndef OWNERSHIP_FIELDS_H
#define OWNERSHIP_FIELDS_H

#include "base/pair_table.h"
#include "owners/ownership_tree.h"

/* While one snapshot is folded; {0} counts nothing. */
struct field_counter {
    struct full_tree *f;
    const field_id *of_node; /* of each node's owner; NULL: no fields are known */
    struct pair_table slots; /* of path and field, but for the first field of a path */
    struct pair_count *pairs;
    size_t pair_count, pair_cap;
    size_t cap; /* of f->field */
    struct arena scratch;
};

/* owner: 4 bytes per node, for what is between; written over. */
void field_counter_begin(struct field_counter *c, struct full_tree *f,
                         const struct graph *g, const struct dominators *d, node_id *owner);

/* A path was added to f. */
void field_counter_add_path(struct field_counter *c, path_id p, field_id first);

/* An object is at path p, held by a field, or by NO_FIELD, from the path above. */
void field_counter_add(struct field_counter *c, path_id p, field_id field);

/* The most frequent field of each path. */
void field_counter_end(struct field_counter *c);

/* One number for each name over all snapshots, in place of those of each. */
void ownership_fields_align(struct ownership_tree *t);

#endif

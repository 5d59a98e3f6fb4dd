/* place_table.h - numbers the places of a tree of owners by parent, label and, if fields
 * separate places, field. Inline: it is called once per object. */
#ifndef PLACE_TABLE_H
#define PLACE_TABLE_H

#include "base/arrays.h"
#include "heap/graph.h"

/* {0} is empty. */
struct place_table {
    bool parts;                 /* the field counts */
    struct pair_table children; /* by parent and label: place, or pair if parts is set */
    struct pair_table by_field; /* by number of the pair and field */
    uint32_t pair_count;
};

/* Returns the number of a place; stores and returns next if it is new. */
static inline uint32_t place_table_put(struct place_table *t, uint32_t parent,
                                       uint32_t label, field_id field, uint32_t next)
{
    if (!t->parts)
        return pair_table_put(&t->children, parent, label, next);
    uint32_t pair = pair_table_put(&t->children, parent, label, t->pair_count);
    t->pair_count += pair == t->pair_count;
    return pair_table_put(&t->by_field, pair, field, next);
}

static inline void place_table_free(struct place_table *t)
{
    pair_table_free(&t->children);
    pair_table_free(&t->by_field);
}

#endif

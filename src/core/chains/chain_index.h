/* chain_index.h - the folded chain of every object at once.
 *
 * The chain of an object is that of its parent with one type more, folded as in
 * signature.h; folding drops the end again, so every chain is a node of an ownership tree
 * and each object takes constant time. That makes exact counts as cheap as a walk, where
 * tracing every object by itself would be quadratic on a list. */
#ifndef CHAIN_INDEX_H
#define CHAIN_INDEX_H

#include "chains/walk.h"

#define NO_CHAIN UINT32_MAX

struct chain_index {
    uint32_t *of_node; /* chain of each node, itself included; NO_CHAIN for the root */
    uint32_t *parent;  /* of each chain: one element less; NO_CHAIN for the empty one, 0 */
    uint32_t *type;    /* its last element */
    uint32_t *length;
    field_id *by; /* the field that leads to it; NULL: they part no chains */
    size_t len, cap;
};

struct chain_index_question {
    const struct hd_snapshot *snap;
    const struct walk *walk;
    const field_id *field_of; /* by node (walk.h): two fields of one type part chains; NULL:
                                 they do not */
    const node_id *nodes;     /* of these and what is above them only; NULL: of all */
    size_t count;
    size_t most; /* it stops behind so many chains (0: any number): len is larger then */
};

/* O(nodes), 4 bytes per node and 12 to 16 per chain. */
struct chain_index chain_index_build(const struct chain_index_question *ask);
void chain_index_free(struct chain_index *x);

#endif

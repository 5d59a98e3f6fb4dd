/* tree_rows.h - which places of the tree of owners stand on the screen, and in which order.
 *
 * A branch is open or closed. Places that say nothing their one child does not share its
 * row, up to a suspect. Nothing here recurses: a tree may be as deep as the heap. It knows
 * no keys and no screen. */
#ifndef EXPLORE_TREE_ROWS_H
#define EXPLORE_TREE_ROWS_H

#include "heapdrift.h"

enum tree_order { TREE_BY_SIZE, TREE_BY_OBJECTS, TREE_BY_NAME, TREE_ORDERS };

struct tree_row {
    size_t first, last; /* nodes that share the row; the same: one */
    unsigned depth;     /* of rows */
    uint64_t more;      /* bit d: the row above it at depth d has siblings to come */
};

struct tree_rows {
    const struct hd_tree *tree;
    bool *open, *kept; /* per node */
    size_t *child;     /* children of all nodes, in their order */
    size_t *begin;     /* per node, and one more: where its children are */
    size_t *row_of;    /* per node */
    struct tree_row *all;
    size_t len;
    enum tree_order order;
    bool unfolded;
};

/* Large branches and those of suspects are open. */
void tree_rows_begin(struct tree_rows *t, const struct hd_tree *tree);
void tree_rows_free(struct tree_rows *t);

/* Which nodes are kept, and the order of children: by_last instead of that of the report.
 */
void tree_rows_choose(struct tree_rows *t, bool app_only, bool by_last);

/* Make the rows. */
void tree_rows_build(struct tree_rows *t);

/* The row that a node is in, or the nearest one above it. */
size_t tree_rows_find(const struct tree_rows *t, size_t node);

/* Open what is above a node. */
void tree_rows_reveal(struct tree_rows *t, size_t node);

/* The node to begin a search at that goes on from row i. */
size_t tree_rows_start(const struct tree_rows *t, size_t i, int step);

/* Lines that lead to a row, and whether it is open. */
void tree_rows_lead(const struct tree_rows *t, const struct tree_row *r, struct hd_sink to);

/* "[static vars] → List<Order> → Order[]" */
void tree_rows_path(const struct tree_rows *t, size_t node, struct hd_sink to);

#endif

/* merged_tree.h - the ownership tree: who owns the heap, as one tree of types over a
 * series.
 *
 * The full paths of an ownership tree (ownership_tree.h) from the root groups down, not cut
 * at anchors, merged over all snapshots, without negligible ones: the dropped children of a
 * node become one node, "the others". So the sums are always exact: the objects of a node
 * and those of its children are all that it owns.
 *
 * Must not depend on the report: names of nodes are labels, marks are ranks given by the
 * caller. */
#ifndef MERGED_TREE_H
#define MERGED_TREE_H

#include "owners/ownership_tree.h"

/* Owners followed upwards from an object (merged_tree_question.holders): a way has few
 * types in any real heap, but a file may be hostile. */
enum { OWNER_TREE_MAX_HOLDERS = 64 };

struct merged_tree_question {
    /* Only the subtrees of the topmost matching labels, each pattern under a top node of
     * its own: pattern_count arrays of a truth per label. None: the whole heap. */
    const bool *const *patterns;
    size_t pattern_count;
    bool holders;       /* instead of subtrees, the ways from matches up to the roots */
    uint64_t least;     /* bytes; nodes with less, and less change, are dropped */
    double least_share; /* the same as a share of the largest tree; if least is 0 */
    unsigned depth;     /* nodes below a top one; 0: all */

    /* In the full ownership tree of the last snapshot. */
    const uint32_t *rank_of_path;    /* of each path, 0: unranked; or NULL */
    const uint32_t *arrived_of_path; /* of each path: objects allocated after the first
                                     snapshot; or NULL */
    const path_id *wanted; /* paths whose nodes and their ancestors are never dropped */
    size_t wanted_count;
};

struct owner_node {
    label_id label; /* NO_LABEL: a top one, or the others */
    size_t parent;  /* HD_NO_NODE: a top one */
    size_t end;     /* its subtree is the nodes from itself to before this one */
    unsigned depth;
    size_t others; /* number of dropped children of the parent that this node represents; 0:
                      an ordinary node */
    uint32_t rank; /* best of its paths; or 0 */

    /* The field by which its parent holds it, or in a tree of holders by which it holds its
     * parent, in the last snapshot that has it: the most frequent of labels.fields, and the
     * number of its objects held by it. Or NO_FIELD. */
    struct path_field field;
};

/* Numbers are [node * snapshots + snapshot of the ownership tree]. */
struct merged_tree {
    struct owner_node *nodes; /* in preorder: by growth, size, name; others last */
    size_t len, snapshots;
    uint64_t least;         /* bytes; the limit in effect */
    struct hd_tally *at;    /* objects of the node itself, and their bytes */
    struct hd_tally *owned; /* objects of the node and of its descendants */
    uint64_t *arrived;      /* [node]: objects in owned that were allocated after the first
                            snapshot; or NULL */
};

/* Top nodes are the heap, or one per pattern in their order. All in a. O(paths of all
 * snapshots, for each pattern). */
struct merged_tree merged_tree_of(const struct ownership_tree *t,
                                  const struct merged_tree_question *ask, struct arena *a);

#endif

/* merged_tree.h - the ownership tree: who owns the heap, as one tree of types over a
 * series.
 *
 * The full paths of an ownership tree (ownership_tree.h) from the root groups down, nothing
 * cut at anchors, merged over all snapshots, without those that are too small to be looked
 * at: what is dropped below a node is one node for the others. So the sums are exact,
 * whatever is dropped: objects of a node and those of its children are what it owns.
 *
 * It knows no report: names of nodes are labels, marks are ranks that the caller gives. */
#ifndef MERGED_TREE_H
#define MERGED_TREE_H

#include "owners/ownership_tree.h"

/* How many owners of an object are followed upwards (merged_tree_question.holders): types
 * on one way are few, whatever the heap, but a file may say otherwise. */
enum { OWNER_TREE_MAX_HOLDERS = 64 };

struct merged_tree_question {
    /* Only what lies below the topmost labels that match, of each pattern under a node of
     * its own: pattern_count arrays of a truth per label. None: the whole heap. */
    const bool *const *patterns;
    size_t pattern_count;
    bool holders;       /* of what matches a pattern, the ways up to the roots */
    uint64_t least;     /* bytes: what owns less, and grew or shrank by less, is dropped */
    double least_share; /* the same as a share of the largest tree; if least is 0 */
    unsigned depth;     /* nodes below a top one; 0: all */

    /* In the full ownership tree of the last snapshot. */
    const uint32_t *rank_of_path; /* of each path, 0: none; NULL */
    const uint32_t
        *came_of_path;     /* of each path: objects that came after the first; NULL */
    const path_id *wanted; /* paths whose nodes stay, with those above */
    size_t wanted_count;
};

struct owner_node {
    label_id label; /* NO_LABEL: a top one, or the others */
    size_t parent;  /* HD_NO_NODE: a top one */
    size_t end;     /* its subtree is the nodes from itself to before this one */
    unsigned depth;
    size_t others; /* children of the parent that this one stands for; 0: it is itself */
    uint32_t rank; /* best one of its paths; 0 */

    /* By which field its parent holds it, or in a tree of holders it holds its parent, in
     * the last snapshot that has it: the most frequent, of labels.fields; and of how many
     * objects that is true. NO_FIELD. */
    struct path_field field;
};

/* Numbers are [node * snapshots + snapshot of the ownership tree]. */
struct merged_tree {
    struct owner_node *nodes; /* in preorder: by growth, size, name; others last */
    size_t len, snapshots;
    uint64_t least;         /* bytes, as it came to be */
    struct hd_tally *at;    /* objects of the node itself, and their bytes */
    struct hd_tally *owned; /* of it and of all below */
    uint64_t *came; /* [node]: objects of these that came after the first snapshot; NULL */
};

/* Top nodes are the heap, or one per pattern in their order. All in a. O(paths of all
 * snapshots, for each pattern). */
struct merged_tree merged_tree_of(const struct ownership_tree *t,
                                  const struct merged_tree_question *ask, struct arena *a);

#endif

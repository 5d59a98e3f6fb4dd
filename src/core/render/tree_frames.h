/* tree_frames.h - an ownership tree as profilers see one: every place is a stack of frames,
 * whose names are numbered.
 *
 * Flame graphs and their kin know stacks and what they cost. The top is no frame, but for
 * patterns, if there are several. Names are those of the model: what a format cannot hold
 * in a name is its writer's to know. */
#ifndef TREE_FRAMES_H
#define TREE_FRAMES_H

#include "report/report.h"

/* Frames of the longest stack. Paths of types are short; what is longer, in a file made
 * for it, loses its middle, or output would grow with the square of the depth. */
enum { TREE_MAX_FRAMES = 256 };

#define NO_FRAME SIZE_MAX

struct tree_frames {
    const struct hd_tree *tree;
    const char **names; /* distinct, in the order of the tree */
    size_t count;
    size_t *name_of; /* per node, or NO_FRAME */
    const char *
        *root_kind; /* per node: of the roots above it, or below a holder; or NULL */
    size_t *depth;  /* per node: frames of its whole stack */
    size_t *high;   /* per node: where the upper half of a long stack ends */
    size_t gap;     /* the name of what is left out of a long stack, if there is one */
    struct arena arena;
};

struct tree_frames tree_frames_of(const struct hd_tree *t);
void tree_frames_free(struct tree_frames *f);

/* The numbers of the names on the way from the top to a node, into TREE_MAX_FRAMES places;
 * how many. */
size_t tree_stack(const struct tree_frames *f, size_t node, size_t *stack);

/* What a snapshot of the model is called: the last part of its path. */
const char *tree_profile_name(const struct hd_model *m, size_t snapshot);

#endif

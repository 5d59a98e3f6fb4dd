/* path_growth.h - how much each path of an aligned ownership tree grows, and how much of
 * that a growing owner above it explains.
 *
 * The steps are those of docs/ranking.md up to the credit, one function each, in its
 * order. A path is a node of the aligned ownership tree; q is an owner above it. It does
 * not know what a type or a suspect is. */
#ifndef PATH_GROWTH_H
#define PATH_GROWTH_H

#include "ages/births.h"
#include "owners/ownership_tree.h"

/* --- who refers to heads -------------------------------------------------------------- */

/* Which heads refer to the objects of which other heads, in the last
 * snapshot: tables that have their entries in common, keys that two objects share.
 *
 * One pass over the references. A reference counts for the head at or above the object
 * that it comes from, and for those above that; "at" and "above" as in the full ownership
 * tree. */

/* Objects at `target` that something at or below `from` refers to. */
struct referrer_link {
    path_id from, target; /* of the aligned ownership tree */
    uint64_t objects;
};

struct referrers {
    struct referrer_link *links; /* by from, then target */
    size_t len;
    uint64_t *objects; /* per path: all that are at it, selected or not */
};

/* Whether it is nearly all of the target's objects: 80 %. */
bool referrers_cover(const struct referrers *r, const struct referrer_link *link);

/* --- growth --------------------------------------------------------------------------- */

struct path_growth {
    enum growth_kind kind;
    double tau;
    double migration; /* nu, of what grows in count, by counts alone; else 1 */
    double growth;    /* g: bytes at the rate of the second half */
    double explained; /* e: share of it that a growing owner explains */
    double own;       /* o; a head has more than 0 */
    double credit;    /* o without the heads below */
    path_id base;     /* below which migration is judged, by counts alone */
    path_id counted;  /* nearest above that grows in count, if only by moving; 0: none */
    path_id owner;    /* nearest that grows in count, of more than one object */
    path_id single_owner; /* the same, of any number */
    bool single;          /* never more than one object */
    struct stays stays;   /* chance 1 where no ages are known */
};

struct path_growths {
    const struct ownership_tree *t;
    const struct series *s;
    const struct births *births;            /* NULL: not known; then counts have to do */
    size_t n;                               /* snapshots of the ownership tree */
    struct path_growth *all;                /* per path; malloc'd */
    const uint64_t *threads, *pool_threads; /* per snapshot; NULL if there are none */
    struct referrers *referrers;            /* between heads, in the last snapshot */
    uint32_t *order;   /* ownership_tree_order(); sums are made in it, so that their last */
    path_id *in_order; /* digit does not depend on the order of a file */
    struct arena arena;
};

/* Growth, owners, own growth, containers and credit of every path. births: NULL, or of t;
 * it must outlive the result. */
struct path_growths path_growths_of(const struct ownership_tree *t, const struct series *s,
                                    const struct births *births);
void path_growths_free(struct path_growths *g);

/* max(0, credit) tau^2. */
double path_score(const struct path_growths *g, path_id p);

/* Values of a trend with room for their noise. */
struct path_points {
    double y[SERIES_MAX_SNAPSHOTS], noise[SERIES_MAX_SNAPSHOTS];
};

/* Numbers of objects of a label, or bytes of as many, over the ownership tree's snapshots,
 * with the error of a sample (heap/snapshot.h). */
struct trend path_trend(const struct ownership_tree *t, const struct series *s,
                        label_id label, const uint64_t *counts, const uint64_t *values,
                        struct path_points *points);

/* g without migration: what y gains at the rate of its last `half` points, weakened where
 * it slows down. */
double path_sustained_growth(const struct trend *y, size_t half);

/* Share of the growth of what is owned that the growth of its owners explains, from
 * counts over n snapshots. */
double path_explained_share(const uint64_t *owner, const uint64_t *owned, size_t n);

/* Whether instances at a path of a full ownership tree are the arrays of thread statics. */
bool path_is_thread_statics(const struct labels *l, const struct full_tree *f, path_id p);

/* Whether a path is, in the last snapshot, a pool of buffers, a block of one, or an array
 * at most one object below it. */
bool path_is_pooled(const struct ownership_tree *t, path_id p);

#endif

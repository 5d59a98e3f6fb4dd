/* path_growth.h - the growth of each path of an aligned ownership tree, and the share that
 * a growing owner above explains.
 *
 * The steps are those of docs/ranking.md up to the credit, one function each, in its order.
 * A path is a node of the aligned ownership tree; q is an owner above it. Must not depend
 * on types or suspects. */
#ifndef PATH_GROWTH_H
#define PATH_GROWTH_H

#include "ages/cohorts.h"
#include "owners/ownership_tree.h"

/* --- references between growth sites ---------------------------------------------- */

/* References between the objects of growth sites (heads), in the last snapshot: tables that
 * share their entries, keys that two objects share.
 *
 * One pass over the references. A reference counts for the head at or above its source, and
 * for all heads above that; "at" and "above" as in the full ownership tree. */

/* Objects at `target` that something at or below `from` refers to. */
struct referrer_link {
    path_id from, target; /* of the aligned ownership tree */
    uint64_t objects;
};

struct referrers {
    struct referrer_link *links; /* by from, then target */
    size_t len;
    uint64_t *objects; /* per path: its objects, selected or not */
};

/* True if it covers nearly all of the target's objects: 80 %. */
bool referrers_cover(const struct referrers *r, const struct referrer_link *link);

/* --- growth --------------------------------------------------------------------------- */

struct path_growth {
    enum growth_kind kind;
    double tau;
    double migration;     /* nu, for growth in count without ages; else 1 */
    double growth;        /* g: bytes at the rate of the second half */
    double explained;     /* e: share of growth that a growing owner explains */
    double own;           /* o; a head has more than 0 */
    double credit;        /* o without the heads below */
    path_id base;         /* below which migration is judged, by counts alone */
    path_id counted;      /* nearest ancestor that grows in count, if only by moves; or 0 */
    path_id owner;        /* nearest that grows in count, of more than one object */
    path_id single_owner; /* the same, of any number */
    bool single;          /* never more than one object */
    struct retention retention; /* chance 1 where no ages are known */
};

struct path_growths {
    const struct ownership_tree *t;
    const struct series *s;
    const struct cohorts *cohorts;          /* NULL if unknown; counts are used instead */
    size_t n;                               /* snapshots of the ownership tree */
    struct path_growth *all;                /* per path; malloc'd */
    const uint64_t *threads, *pool_threads; /* per snapshot; or NULL */
    struct referrers *referrers;            /* between heads, in the last snapshot */
    uint32_t *order;   /* ownership_tree_order(), for sums, so that their last */
    path_id *in_order; /* digit does not depend on the order of a file */
    struct arena arena;
};

/* Computes growth, owners, own growth, containers and credit of every path. cohorts: NULL,
 * or of t; it must outlive the result. */
struct path_growths path_growths_of(const struct ownership_tree *t, const struct series *s,
                                    const struct cohorts *cohorts);
void path_growths_free(struct path_growths *g);

/* Returns max(0, credit) tau^2. */
double path_score(const struct path_growths *g, path_id p);

/* Values of a trend with space for their noise. */
struct path_points {
    double y[SERIES_MAX_SNAPSHOTS], noise[SERIES_MAX_SNAPSHOTS];
};

/* Objects of a label, or bytes of objects counted in counts, over the ownership tree's
 * snapshots, with the error of a sample (heap/snapshot.h). */
struct trend path_trend(const struct ownership_tree *t, const struct series *s,
                        label_id label, const uint64_t *counts, const uint64_t *values,
                        struct path_points *points);

/* g without migration: the gain of y at the rate of its last `half` points, reduced if it
 * slows down. */
double path_sustained_growth(const struct trend *y, size_t half);

/* The share of the growth of owned objects that the growth of their owners explains, from
 * counts over n snapshots. */
double path_explained_share(const uint64_t *owner, const uint64_t *owned, size_t n);

/* True if instances at a path of a full ownership tree are the arrays of thread statics. */
bool path_is_thread_statics(const struct labels *l, const struct full_tree *f, path_id p);

/* True if, in the last snapshot, the path is a pool of buffers, a block below a pool, or an
 * array at most two levels below. */
bool path_is_pooled(const struct ownership_tree *t, path_id p);

#endif

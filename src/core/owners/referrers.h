/* referrers.h - which heads refer to the objects of which other heads, in the last
 * snapshot: tables that have their entries in common, keys that two objects share.
 *
 * One pass over the references. A reference counts for the head at or above the object
 * that it comes from, and for those above that; "at" and "above" as in the full ownership
 * tree. */
#ifndef REFERRERS_H
#define REFERRERS_H

#include "owners/ownership_tree.h"

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

/* heads: per path of the aligned ownership tree. snap is the last snapshot of t; without
 * its graph or digest there are no links. In a. */
struct referrers *referrers_find(const struct ownership_tree *t,
                                 const struct hd_snapshot *snap, const bool *heads,
                                 struct arena *a);

/* The links from a path: numbers of the first, and behind the last. O(log). */
size_t referrers_begin(const struct referrers *r, path_id from);
size_t referrers_end(const struct referrers *r, path_id from);

/* Whether it is nearly all of the target's objects: 80 %. */
bool referrers_cover(const struct referrers *r, const struct referrer_link *link);

#endif

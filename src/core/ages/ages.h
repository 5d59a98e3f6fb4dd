/* ages.h - carry the ages and places of objects from one snapshot of a series to the next,
 * so that a digest can store them.
 *
 * Identity is the survivor map of the collector (heap/survivor_map.h); a place is a path of
 * the ownership tree, cut at types of which both snapshots have one object at most. That is
 * how a series cuts them (owners/ownership_tree.h) unless a type has several later: then a
 * few objects of a path count as older than they are. Must not depend on the format of
 * digests. */
#ifndef AGES_H
#define AGES_H

#include "identity/same.h"
#include "owners/ownership_tree.h"

/* Ages in the last snapshot. 12 bytes an object, 16 more if it owns another one, 20 a
 * path. */
struct hd_ages {
    uint64_t moment[AGES_MAX]; /* tokens of the snapshots that were followed, up to it */
    uint32_t moment_count;
    struct aged_object *object; /* in the order of addresses; malloc'd, as all here */
    uint32_t object_count;
    struct holdings held; /* by them, numbered as they are */
    struct aged_paths {
        size_t len;
        path_id *parent;
        uint64_t *type;    /* a hash of its name */
        uint64_t *several; /* such of which there are several objects, ascending */
        size_t several_count;
    } paths;
};

/* Adds a snapshot, which needs its graph; t is its ownership tree alone, `to` is for its
 * digest, in a. Without a survivor map from the snapshot before, ages begin with its
 * objects. Samples and incomplete snapshots get no ages. */
void ages_add(struct hd_ages *h, const struct hd_snapshot *snap,
              const struct ownership_tree *t, struct digest_ages *to, struct arena *a);

#endif

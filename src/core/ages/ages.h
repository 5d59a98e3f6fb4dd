/* ages.h - since when the objects of a snapshot have been there, and where they are:
 * carried from one snapshot of a series to the next, so that a digest can keep it.
 *
 * Which object is which is what the collector told (heap/survivor_map.h); where it is, a
 * path of who owns what, cut at types of which both snapshots have one object at most. That
 * is how a series cuts them (owners/ownership_tree.h) unless a type has several later: then
 * a few objects of a path count as there since before they came. It knows no digest's file.
 */
#ifndef AGES_H
#define AGES_H

#include "identity/same.h"
#include "owners/ownership_tree.h"

/* Of the last snapshot. 12 bytes an object, 16 more if it holds another one, 20 a path. */
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

/* Add a snapshot, which needs its graph; t is its ownership tree alone, to is for its
 * digest, in a. Where nothing was told of the snapshot before, or of another one, its
 * objects are where ages begin. Of a sample, or what is incomplete, nothing is known. */
void ages_add(struct hd_ages *h, const struct hd_snapshot *snap,
              const struct ownership_tree *t, struct digest_ages *to, struct arena *a);

#endif

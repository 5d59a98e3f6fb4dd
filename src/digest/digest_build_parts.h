/* digest_build_parts.h - the parts of a digest that files of their own make; for build.c
 * alone. */
#ifndef DIGEST_BUILD_PARTS_H
#define DIGEST_BUILD_PARTS_H

#include "owners/ownership_tree.h"

/* A five-hundredth of the reachable heap, in bytes or objects: of what is smaller no
 * samples are kept. */
enum { LARGE_SHARE = 500 };

/* Objects that are referred to from elsewhere; f has the place of each node. O(references),
 * 4 bytes per node and 8 per reference to what has several referrers. */
void digest_build_sharing(struct digest *to, const struct graph *g,
                          const struct full_tree *f, struct arena *a);

/* Samples of the objects at large places with their chains. */
void digest_build_chains(struct digest *to, const struct hd_snapshot *snap,
                         const struct full_tree *f, struct arena *a);

/* Addresses of a sample of the objects of each type: of large ones, or all. */
void digest_build_survivors(struct digest_survivors *to, const struct hd_snapshot *snap,
                            bool of_all_types, struct arena *a);

#endif

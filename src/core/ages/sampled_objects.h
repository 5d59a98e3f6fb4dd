/* sampled_objects.h - where the objects of allocation sites are: nodes of a graph, and
 * places of a digest.
 *
 * Must not depend on what is shown of them. */
#ifndef SAMPLED_OBJECTS_H
#define SAMPLED_OBJECTS_H

#include "identity/same.h"
#include "owners/ownership_tree.h"

/* The node of each of the snapshot's sites->objects; malloc'd. NULL: it has no sites, no
 * graph, or they are those of another snapshot. O(objects). */
node_id *sampled_nodes(const struct hd_snapshot *snap);

/* The sites for a digest: in the place of objects their places in the full tree t, which is
 * that of the snapshot alone. Of more stacks than may be kept those with most objects, so
 * that they are at most MAX_DIGEST_SITES bytes as text. In a; NULL as sampled_nodes(). */
enum { MAX_DIGEST_SITES = 64 << 10 };
struct allocation_sites *sampled_by_place(const struct hd_snapshot *snap,
                                          const struct full_tree *t, struct arena *a);

#endif

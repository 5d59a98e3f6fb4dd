/* sampled_objects.h - map the sampled objects of allocation sites to nodes of a graph, and
 * to places of a digest.
 *
 * Must not depend on their presentation. */
#ifndef SAMPLED_OBJECTS_H
#define SAMPLED_OBJECTS_H

#include "identity/same.h"
#include "owners/ownership_tree.h"

/* Returns the node of each of the snapshot's sites->objects; malloc'd. NULL: it has no
 * sites, no graph, or they are those of another snapshot. O(objects). */
node_id *sampled_nodes(const struct hd_snapshot *snap);

/* Returns the sites for a digest, with places in the full tree t of the snapshot alone
 * instead of objects. If their text has more than MAX_DIGEST_SITES bytes, the stacks with
 * most objects, of objects that are drawn. In a; NULL as sampled_nodes(). */
enum { MAX_DIGEST_SITES = 64 << 10 };
struct allocation_sites *sampled_by_place(const struct hd_snapshot *snap,
                                          const struct full_tree *t, struct arena *a);

#endif

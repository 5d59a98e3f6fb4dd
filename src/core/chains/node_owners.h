/* node_owners.h - who owns single objects: the owner of the chain of each, as chains of a
 * sample have it (chain_owner.h).
 *
 * Objects of one folded chain have one owner, so a chain is looked at once however many
 * objects it leads to. */
#ifndef NODE_OWNERS_H
#define NODE_OWNERS_H

#include "chains/chain_owner.h"
#include "chains/walk.h"

struct node_owner {
    type_id type; /* NO_TYPE: none */
    enum hd_service service;
};

/* Of each of these nodes. O(nodes above them + chains), 4 bytes per node of the graph and
 * some 50 per chain. False: there are more than most chains (0: any number). */
bool node_owners_find(struct node_owner *owners, const node_id *nodes, size_t count,
                      const struct hd_snapshot *snap, const struct walk *walk,
                      const chain_role *role_of_type, size_t most);

#endif

/* head_owner.h - what owns a head of the ranking, as the dominators have it.
 *
 * Every way from the roots to the objects of a head passes what is above it in its
 * ownership tree. So unlike a chain's entry this owner is the same whatever way is the
 * shortest today. */
#ifndef HEAD_OWNER_H
#define HEAD_OWNER_H

#include "chains/chain_owner.h"
#include "owners/ownership_tree.h"

struct head_owner {
    label_id owner; /* NO_LABEL: several roots share it */
    label_id of;    /* the program's own that has the owner, if that is not its own */
};

/* The nearest path above the head, in the last snapshot, that is a static variable, a class
 * of the program, a service, a scope of services, or a named object of which no snapshot
 * has a second one there; of a framework's object what is above it, if that is a class of
 * the program. What hangs from a token belongs to the list of its source, if only a handle
 * leads there. O(depth). */
struct head_owner head_owner(const struct ownership_tree *t, path_id head,
                             const struct owner_types *types);

#endif

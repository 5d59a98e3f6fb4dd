/* head_owner.h - what owns a head of the ranking, as the dominators have it.
 *
 * Every way from the roots to the objects of a head passes what is above it in its trie.
 * So unlike a chain's entry this owner is the same whatever way is the shortest today. */
#ifndef HEAD_OWNER_H
#define HEAD_OWNER_H

#include "analysis/chain_owner.h"
#include "analysis/trie.h"

/* The label of the nearest path above the head, in the last snapshot, that is a static
 * variable, a class of the program, a service, or a named object of which no snapshot has
 * a second one there; of a framework's object what is above it, if that is a class of the
 * program. NO_LABEL: several roots share it. O(depth). */
label_id head_owner(const struct trie *t, path_id head, const struct owner_types *types);

#endif

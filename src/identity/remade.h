/* remade.h - entries that were made anew around the same things.
 *
 * A ConcurrentDictionary that grows makes a new node for each entry it has, and drops the
 * old ones. To the collector these are other objects; to whoever asks since when an entry
 * has been there they are the same. So an object that went and one that came count as one
 * if they are alike and hold the same: type, size and, in the same order, all that they
 * refer to and that stayed; they refer to nothing else but their like (the next node of a
 * chain). And one of these things is held by no other that went, or that came: what is
 * held twice, or by more than before, is told by nobody.
 *
 * It asks the referents. Who refers to an object is no evidence: a slot that is filled
 * again looks the same. */
#ifndef REMADE_H
#define REMADE_H

#include "identity/same.h"

/* Add these to s. O(nodes + references); 8 bytes per node of both, while it runs. */
void same_add_remade(struct same *s, const struct hd_snapshot *older,
                     const struct hd_snapshot *newer);

#endif

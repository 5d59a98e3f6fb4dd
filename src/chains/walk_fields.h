/* walk_fields.h - by which field each object hangs below its parent: that on its chain
 * (walk.h), or its owner.
 *
 * An input that knows fields tells those of all references of an object at once
 * (heap/fields.h). So parents are asked, each once, however many children of it are wanted:
 * an array of ten million elements is gone through once, not once per element. */
#ifndef WALK_FIELDS_H
#define WALK_FIELDS_H

#include "base/arena.h"
#include "heap/fields.h"

/* parent[n] is what n hangs below, NO_NODE for none; it need not refer to n. Of each node
 * whose bit is set in wanted, or of all for NULL: NO_FIELD where none is
 * known, as below roots, and where the parent does not refer to it. NULL if the graph knows
 * no fields. In a, 4 bytes per node; takes as long as the parents have references. */
field_id *walk_fields(const struct graph *g, const node_id *parent, const uint64_t *wanted,
                      struct arena *a);

#endif

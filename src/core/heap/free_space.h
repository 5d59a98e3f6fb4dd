/* free_space.h - free space between objects: a fact of a snapshot, not a type.
 *
 * `dumpheap -stat` lists it as a type, `Free`, without a module, and so do files that were
 * made from its output. Its numbers are facts of the snapshot (HD_FACT_FRAGMENTED, ...) and
 * part of no total. A program's class with this name has a module, or references. Mono has
 * no such rows. */
#ifndef FREE_SPACE_H
#define FREE_SPACE_H

#include "heap/snapshot.h"

/* Makes the rows of free space TYPE_FREE and moves their numbers from the totals to facts.
 * g may be NULL; its types are rows. O(types), and O(references) if there is such a row. */
void free_space_take(struct hd_snapshot *snap, const struct graph *g);

/* Adds a block of a heap that was walked: to its facts. */
void free_space_add(struct hd_process_facts *facts, uint64_t size, enum hd_generation gen);

/* Finds the type of most objects that pinned handles hold, snap->pinned. O(such
 * objects + types). */
void free_space_find_pinned(struct hd_snapshot *snap);

#endif

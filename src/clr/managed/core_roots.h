/* core_roots.h - the roots of a heap in memory: static variables, handles, stacks, objects
 * to be finalized; and references without a field, by dependent handles or from instances
 * of a collectible type.
 *
 * Named and grouped as in gcdumps (root_set.h), so that chains of both match. */
#ifndef CORE_ROOTS_H
#define CORE_ROOTS_H

#include "clr/managed/gc_heap.h"
#include "heap/root_set.h"

/* A dependent handle: from keeps to alive. */
struct core_link {
    node_id from, to;
};

/* Roots of a kind, and those that refer to objects. */
struct core_tally {
    uint64_t met, objects;
};

struct core_roots {
    struct root_set tree;
    struct core_link *links; /* by from; malloc'd */
    size_t link_count, link_cap;
    uint64_t lost; /* refer into the heap, but to no known object */
    struct core_tally statics, handles;
    struct core_tally finalizable; /* objects that are registered for finalization */
};

/* Finds the roots of a walked heap. Sets gc_type.keeps too. Weak handles are counted. */
void core_roots_find(struct core_roots *r, struct gc_heap *h, const struct gc_globals *g,
                     const struct gc_threads *threads);
void core_roots_free(struct core_roots *r);

/* Returns the type of the objects with the one number on a heap that is required to find
 * roots, and its offset; or NULL. */
const struct gc_type *core_roots_number(const struct gc_heap *h, uint32_t *at);

#endif

/* core_roots.h - what keeps the objects of a heap in memory alive: static variables,
 * handles, stacks, finalizers that are due; and what objects hold without a field, by
 * dependent handles or as instances of a collectible type.
 *
 * Named and grouped as in gcdumps (root_set.h), so that chains of both line up. */
#ifndef CORE_ROOTS_H
#define CORE_ROOTS_H

#include "clr/managed/gc_heap.h"
#include "heap/root_set.h"

/* What a dependent handle makes: from keeps to alive. */
struct core_link {
    node_id from, to;
};

/* Roots of a kind, and those that lead to objects. */
struct core_tally {
    uint64_t met, objects;
};

struct core_roots {
    struct root_set tree;
    struct core_link *links; /* by from; malloc'd */
    size_t link_count, link_cap;
    uint64_t lost; /* that lead into the heap, but to no object that was found */
    struct core_tally statics, handles;
    struct core_tally finalizable; /* objects that are registered for finalization */
};

/* Of a heap that was walked. Sets gc_type.keeps too. Weak handles are counted. */
void core_roots_find(struct core_roots *r, struct gc_heap *h, const struct gc_globals *g,
                     const struct gc_threads *threads);
void core_roots_free(struct core_roots *r);

/* The one number on a heap without which roots cannot be told: the type of the objects that
 * have it, and its offset in them. NULL: there are none. */
const struct gc_type *core_roots_number(const struct gc_heap *h, uint32_t *at);

#endif

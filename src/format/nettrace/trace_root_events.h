/* trace_root_events.h - what holds objects from outside, as the events of a walk tell it.
 *
 * Static variables, handles, stacks, wrappers of COM and dependent handles come as
 * addresses, before or behind the objects that they hold: they are kept here until all
 * addresses are known. Then they become the roots of root_tree.h, and references between
 * objects. A {0} is empty. */
#ifndef TRACE_ROOT_EVENTS_H
#define TRACE_ROOT_EVENTS_H

#include "format/nettrace/trace_nodes.h"
#include "format/nettrace/trace_types.h"
#include "heap/root_tree.h"

/* A reference that a dependent handle makes, from node to node. */
struct root_link {
    node_id from, to;
};

struct trace_root_events {
    struct static_var *statics;
    size_t static_count, static_cap;
    struct heap_root *roots;
    size_t root_count, root_cap;
    struct dependent *pairs;
    size_t pair_count, pair_cap;
    struct heap_wrapper *wrappers;
    size_t wrapper_count, wrapper_cap;
    struct root_link *links; /* by from; filled in by trace_root_events_settle() */
    size_t link_count;
    struct arena arena;
};

/* Take the records of one event of the kind. */
bool trace_root_events_statics(struct trace_root_events *e,
                               const struct bulk *b); /* false: damaged */
void trace_root_events_pairs(struct trace_root_events *e, const struct bulk *b,
                             unsigned pointer_size);
void trace_root_events_wrappers(struct trace_root_events *e, const struct bulk *b);

/* The same of handles, stacks and the finalizer queue. Returns how many are weak; these
 * hold nothing and are not kept. */
uint64_t trace_root_events_roots(struct trace_root_events *e, const struct bulk *b,
                                 unsigned pointer_size);

/* All nodes and types are known: make roots and links. What holds no node gets b a
 * warning. */
void trace_root_events_settle(struct trace_root_events *e, const struct trace_nodes *nodes,
                              const struct trace_types *types, struct root_tree *roots,
                              struct builder *b);

void trace_root_events_free(struct trace_root_events *e);

#endif

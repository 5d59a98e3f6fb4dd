/* trace_roots.h - the roots of a trace as the pseudo-nodes of a gcdump.
 *
 * The same tree with the same names that dotnet-gcdump makes of the same events, so that
 * root chains of both line up:
 *     [.NET Roots] -> [static vars] -> [static var T.f] -> object
 *                  -> [other roots] -> [strong Handles] -> object
 * in the same order. [static vars] and [COM/WinRT Objects] are always there, other groups
 * if they hold something. A {0} is empty. */
#ifndef TRACE_ROOTS_H
#define TRACE_ROOTS_H

#include "heap/root_set.h"
#include "trace/trace_heap_events.h"

enum trace_group {
    GROUP_STATICS,
    GROUP_THREAD_STATICS,
    GROUP_STACK,
    GROUP_WRAPPERS, /* one node for each, as for statics */
    GROUP_REF_COUNTED,
    GROUP_FINALIZER,
    GROUP_PINNING,
    GROUP_STRONG,
    GROUP_OTHER,
    GROUP_DEPENDENT,
    GROUP_COUNT
};

struct trace_roots {
    struct root_place *all; /* enum trace_group, or GROUP_COUNT + number of a variable */
    size_t len, cap;
    struct trace_variable *variables; /* by group and name */
    uint32_t variable_count;
    struct arena names;
};

/* The group of a root that is not weak. */
enum trace_group trace_group_of(const struct heap_root *root);

/* object is a node of the graph being built. name is the pseudo-node's in between, for
 * the groups that have one each; else NULL. */
void trace_roots_add(struct trace_roots *r, enum trace_group group, const char *name,
                     size_t len, node_id object);

/* Make the pseudo-nodes and the root of all roots, which is there in any case. Call it
 * when all objects are nodes and have their references. If the source is kept it learns
 * in which order dotnet-gcdump would have met the nodes. */
void trace_roots_emit(struct trace_roots *r, struct builder *b);
void trace_roots_free(struct trace_roots *r);

#endif

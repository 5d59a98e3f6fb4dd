/* trace_graph.h - what the events of a walk tell of the graph: types, nodes, and what holds
 * objects from outside. */
#ifndef TRACE_GRAPH_H
#define TRACE_GRAPH_H

#include "base/little_endian.h"
#include "heap/builder.h"
#include "heap/ids.h"
#include "heap/root_set.h"
#include "trace/trace_heap_events.h"

/* --- types --------------------------------------------------------------------- */

/* The types and modules that a trace defines, by their ids.
 *
 * A type is often defined after the first object of it, and a module at the end of the
 * trace, so names are put together when everything was seen. A {0} table is empty.
 *
 * Names are spelled as dotnet-gcdump spells them before they are made canonical, so that
 * types of traces and of its files are one. */

struct trace_type {
    bool is_defined;
    bool is_used;      /* by an object; then the builder has it as */
    uint32_t built_as; /* a type of the builder */
    uint32_t flags, token;
    uint64_t module;
    const char *name; /* UTF-8, as in the stream; may be "" */
    size_t name_len;
    const char *full_name; /* with the outer class; NULL: not known */
    size_t full_len;
    const uint64_t *parameters; /* ids of generic arguments, or of the element */
    uint32_t parameter_count;
};

struct trace_types {
    struct id_numbers ids;
    struct trace_type *all; /* by number */
    size_t cap;
    struct id_numbers module_ids;
    const char **modules; /* paths, by number */
    size_t module_cap;
    struct arena arena;
};

/* From here on account is charged for what is kept. Before the first definition. */
void trace_types_charge_to(struct trace_types *t, struct account *account);

/* Take the definitions of one event; false when they are damaged. */
bool trace_types_define(struct trace_types *t, const struct bulk *b);
bool trace_types_module(struct trace_types *t, struct bytes payload);

/* The builder's type for an object of type id. */
uint32_t trace_types_use(struct trace_types *t, uint64_t id, struct builder *b);

/* Give the builder's types their names and modules, and the snapshot the names of all
 * types by id; returns how many used ones have none. */
uint64_t trace_types_finish(struct trace_types *t, struct builder *b);
void trace_types_free(struct trace_types *t);

/* --- nodes --------------------------------------------------------------------- */

/* Which node of the graph lies at an address.
 *
 * Nodes get numbers in the order in which a walk tells them, and references name them by
 * address. Where two have one address, which no good trace has, the first is meant. Costs
 * 8 bytes per node and what ids.h says. A {0} is empty. */

struct trace_nodes {
    struct ids ids;
    unsigned char *addresses; /* 8 bytes each, little-endian, by node */
    size_t room;              /* for so many */
    node_id *repeats;         /* nodes with the address of an earlier one */
    size_t repeat_count, repeat_cap;
};

/* For at most that many objects of a process with such pointers; account is charged. */
void trace_nodes_init(struct trace_nodes *n, size_t objects, unsigned pointer_size,
                      struct account *account);

/* Room for that many objects in all, where that is not known from the start. */
void trace_nodes_reserve(struct trace_nodes *n, size_t objects);

/* The next node, from 0. */
void trace_nodes_add(struct trace_nodes *n, node_id id, uint64_t address);

/* Done with adding; from here on trace_nodes_find() works. */
void trace_nodes_freeze(struct trace_nodes *n);

static inline uint64_t trace_nodes_address(const struct trace_nodes *n, node_id id)
{
    return le_u64(n->addresses + 8 * (size_t)id);
}

/* trace_nodes_find() where several nodes have one address. */
node_id trace_nodes_at_position(const struct trace_nodes *n, uint32_t position);

/* NO_NODE if no object lies there. */
static inline node_id trace_nodes_find(const struct trace_nodes *n, uint64_t address)
{
    uint32_t position = ids_find(&n->ids, address);
    if (position == NO_ID || n->repeat_count == 0)
        return position == NO_ID ? NO_NODE : position;
    return trace_nodes_at_position(n, position);
}

/* The addresses of the first count nodes, and 0 for as many as all then need; malloc'd, the
 * caller's from now on. */
unsigned char *trace_nodes_take_addresses(struct trace_nodes *n, node_id count,
                                          node_id all);
void trace_nodes_free(struct trace_nodes *n);

/* --- events of roots ----------------------------------------------------------- */

/* What holds objects from outside, as the events of a walk tell it.
 *
 * Static variables, handles, stacks, wrappers of COM and dependent handles come as
 * addresses, before or behind the objects that they hold: they are kept here until all
 * addresses are known. Then they become the roots of root_set.h, and references between
 * objects. A {0} is empty. */

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
                              const struct trace_types *types, struct root_set *roots,
                              struct builder *b);

void trace_root_events_free(struct trace_root_events *e);

#endif

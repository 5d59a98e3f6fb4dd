/* forge.h - readable builders of snapshots, for unit tests.
 *
 *     struct forge f = {0};
 *     node_id cache = forge_object(&f, "App.Cache", 24);
 *     node_id order = forge_object(&f, "App.Order", 96);
 *     forge_reference(&f, cache, order);
 *     forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_cache", cache);
 *     struct hd_snapshot *snap = forge_finish(&f);
 *     ...
 *     hd_snapshot_close(snap);
 *
 * makes root of all roots -> [static vars] -> [static var App.Shop.s_cache] -> App.Cache
 * -> App.Order. The snapshot is made by the builder and root_set, as every real one, so
 * its numbers, warnings and reachability are the real ones. Values that no reader sets may
 * be changed afterwards:
 *     snap->clock = 60, snap->clock_is_date = true, snap->info.pid = 7;
 *
 * Nodes are numbered from 0 in the order in which they are made, followed by the
 * pseudo-nodes of forge_root(); references keep their order per node. An impossible
 * request (a node that does not exist) fails the test. */
#ifndef FORGE_H
#define FORGE_H

#include "heap/root_set.h"

/* {0} is an empty heap. */
struct forge {
    struct forge_type *types;
    size_t type_count, type_cap;
    struct forge_name *by_name;
    struct forge_node *nodes;
    size_t node_count, node_cap;
    struct forge_edge *edges;
    size_t edge_count, edge_cap;
    struct forge_row *rows;
    size_t row_count, row_cap;
    struct root_set roots;
    struct arena names;
    node_id start; /* set by forge_start() */
    bool has_start, has_generations, sampled;
    bool has_fields;
    bool reach_later; /* as hd_read_options.reach_later */
};

/* An object; names_canonical() is applied to the name of its type. */
node_id forge_object(struct forge *f, const char *type, uint64_t size);

/* Makes count objects with consecutive ids; returns the first. */
node_id forge_objects(struct forge *f, const char *type, uint64_t size, uint32_t count);

/* May be repeated, may point to itself. from may be an object or a pseudo-node. */
void forge_reference(struct forge *f, node_id from, node_id to);

/* The same through a field: "_items", "[]". The snapshot's graph then has fields; other
 * references have no field. */
void forge_reference_by(struct forge *f, node_id from, const char *field, node_id to);

/* A root; static_name ("App.Shop.s_cache") for HD_ROOT_STATIC, else NULL. A snapshot
 * without any root (and forge_start) has no reachable objects. */
void forge_root(struct forge *f, enum hd_root_kind kind, const char *static_name,
                node_id object);

/* Generation of an object. The snapshot then has generations; those of other objects are
 * HD_GEN_UNKNOWN. The object gets the address forge_address(generation, node). */
void forge_generation(struct forge *f, node_id object, enum hd_generation generation);
uint64_t forge_address(enum hd_generation generation, node_id object);

/* The module of a type in use, and the number of objects that each sampled object of the
 * type represents (others: 1). */
void forge_module(struct forge *f, const char *type, const char *module);
void forge_multiplier(struct forge *f, const char *type, double multiplier);

/* --- trees of roots of any other shape ------------------------------------------- */

/* A pseudo-node ("[thread static vars]"), linked by forge_reference(). */
node_id forge_pseudo(struct forge *f, const char *name);

/* A node that is referred to and never described. */
node_id forge_undefined(struct forge *f);

/* The root of all roots; instead of forge_root(). */
void forge_start(struct forge *f, node_id root);

/* --- the end --------------------------------------------------------------------- */

/* A row of a table instead of objects: the snapshot has no graph. bytes may be
 * HD_UNKNOWN. */
void forge_row(struct forge *f, const char *type, uint64_t count, uint64_t bytes);

/* The snapshot, for hd_snapshot_close(). f is used up and is {0} again. */
struct hd_snapshot *forge_finish(struct forge *f);

/* The row with this kind and canonical name, or NULL; its number, or NO_TYPE. */
const struct type *forge_type(const struct hd_snapshot *snap, enum type_kind kind,
                              const char *name);
type_id forge_type_id(const struct hd_snapshot *snap, enum type_kind kind,
                      const char *name);

#endif

/* object_index.h - index single objects: those of each type, and the referrers of each.
 *
 * Flat arrays made by counting sorts, in two passes over the graph each. Building one takes
 * a part of a second for ten million objects, so it can be watched and stopped
 * (base/workers.h). Must not depend on its callers. */
#ifndef OBJECT_INDEX_H
#define OBJECT_INDEX_H

#include "base/workers.h"
#include "heap/graph.h"
#include "heap/snapshot.h"

/* The objects of type t are node[begin[t]] ... node[begin[t + 1] - 1]: largest first, then
 * by number. by_address has them by address; NULL without addresses. */
struct type_index {
    bool omits_garbage;
    uint32_t *begin; /* types + 1 */
    node_id *node, *by_address;
};

/* The referrers of node n are from[begin[n]] ... from[begin[n + 1] - 1]: ascending, once
 * for each reference. */
struct referrer_index {
    uint32_t *begin; /* nodes + 1 */
    node_id *from;
};

/* True if the index has the node. */
bool type_index_has(const struct type_index *index, const struct graph *g, node_id n);

/* False: stopped; then *index is {0}. omits_garbage: unreachable objects are left out, as
 * far as they are known. */
bool type_index_make(struct type_index *index, const struct hd_snapshot *snap,
                     bool omits_garbage, struct watch *watch);
bool referrer_index_make(struct referrer_index *index, const struct graph *g,
                         struct watch *watch);

/* Returns the bytes of the index, and the temporary ones while it is built. */
uint64_t type_index_bytes(const struct hd_snapshot *snap);
uint64_t type_index_work(const struct hd_snapshot *snap);
uint64_t referrer_index_bytes(const struct hd_snapshot *snap);

void type_index_free(struct type_index *index);
void referrer_index_free(struct referrer_index *index);

/* --- objects by size or by address --------------------------------------------------- */

/* nodes ascend: afterwards largest first, equal ones still ascend. */
void order_by_size(const struct graph *g, node_id *nodes, size_t count);

/* nodes ascend: afterwards by address, equal ones still ascend. */
void order_by_address(const struct graph *g, node_id *nodes, size_t count);

/* nodes in any order: ascending. */
void order_by_number(node_id *nodes, size_t count);

/* Returns the bytes that sorting count nodes needs temporarily. */
static inline uint64_t order_work(uint64_t count)
{
    return 3 * sizeof(uint64_t) * count;
}

#endif

/* dominated.h - the dominators of a made heap, by node instead of by number.
 *
 *     struct dominated d = dominate(forge_finish(&f), DOMINATORS_PLAIN);
 *     ... d.idom[order], d.retained[order] ...
 *     dominated_free(&d); */
#ifndef DOMINATED_H
#define DOMINATED_H

#include "base/alloc.h"
#include "owners/retained.h"
#include "support/forge.h"

#include <criterion/criterion.h>
#include <stdlib.h>

struct dominated {
    struct hd_snapshot *snap;
    struct arena arena;
    uint32_t reached;        /* nodes, the root included */
    node_id *idom;           /* NO_NODE for the root and unreachable nodes */
    uint64_t *retained;      /* 0 for unreachable nodes */
    const uint64_t *by_type; /* by type */
};

/* Takes ownership of the snapshot. DOMINATORS_OF_BOTH: returns the plain ones. */
static inline struct dominated dominate(struct hd_snapshot *snap, enum dominator_kind kind)
{
    struct dominated all = {.snap = snap};
    uint32_t nodes = snap->graph->node_count;
    all.idom = arena_array(&all.arena, node_id, nodes);
    all.retained = arena_array(&all.arena, uint64_t, nodes);
    for (node_id n = 0; n < nodes; n++)
        all.idom[n] = NO_NODE;

    struct dominators d = dominators_find(snap, kind);
    const uint32_t *idom = d.plain != NULL ? d.plain : d.idom;
    uint64_t *retained = alloc_zeroed(array_bytes(d.count + 1, sizeof(*retained)));
    for (uint32_t w = 0; w < d.count; w++)
        retained[w] = graph_size(snap->graph, d.node[w]);
    for (uint32_t w = d.count; w-- > 1;)
        retained[idom[w]] += retained[w];
    all.reached = d.count;
    cr_assert_eq(d.node[0], snap->graph->root);
    cr_assert_eq(idom[0], 0);
    for (uint32_t w = 0; w < d.count; w++) {
        if (w > 0) {
            cr_assert_lt(idom[w], w);
            cr_assert_eq(all.idom[d.node[w]], NO_NODE, "node %u has one number", d.node[w]);
            all.idom[d.node[w]] = d.node[idom[w]];
        }
        all.retained[d.node[w]] = retained[w];
    }
    all.by_type = retained_by_type(&d, snap, &all.arena);
    free(retained);
    dominators_free(&d);
    return all;
}

static inline void dominated_free(struct dominated *d)
{
    hd_snapshot_close(d->snap);
    arena_free(&d->arena);
}

#endif
